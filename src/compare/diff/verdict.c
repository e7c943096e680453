/* SPDX-License-Identifier: MIT */
#include "compare/diff/verdict.h"

#include <string.h>

const char *wl_verdict_name(enum wl_verdict verdict)
{
	static const char *const names[] = {
		[WL_SAME] = "same",     [WL_SLOWER] = "slower",
		[WL_FASTER] = "faster", [WL_INCONCLUSIVE] = "inconclusive",
		[WL_TOTALS] = "totals", [WL_INCOMPARABLE] = "incomparable",
	};

	return names[verdict];
}

enum wl_verdict wl_verdict_of(const struct wl_judgement *j, double threshold)
{
	const double change = (double)(j->after - j->before);
	const double limit = threshold * (double)j->before;

	/*
	 * The same values on both sides, as of a trace with itself: the bootstrap would show noise
	 * where there is none.
	 */
	if (j->is_equal)
		return WL_SAME;
	/* Both must hold: the change is real, and it is large enough to matter. */
	if (j->change.low > 0 && change >= limit)
		return WL_SLOWER;
	if (j->change.high < 0 && -change >= limit)
		return WL_FASTER;
	/*
	 * "Same" is a statement, too: the whole interval lies within the threshold. Otherwise more
	 * steps are needed.
	 */
	if ((double)j->change.low >= -limit && (double)j->change.high <= limit)
		return WL_SAME;
	return WL_INCONCLUSIVE;
}

bool wl_judge(struct wl_sorted before, struct wl_sorted after, double threshold,
	      struct wl_arena *arena, struct wl_judgement *ret)
{
	*ret = (struct wl_judgement){ .before = before.n ? wl_sorted_median(before) : 0,
				      .after = after.n ? wl_sorted_median(after) : 0,
				      .is_known = before.n && after.n,
				      .verdict = WL_INCONCLUSIVE };
	if (!ret->is_known)
		return true;
	ret->is_equal = before.n == after.n &&
			memcmp(before.at, after.at, before.n * sizeof(*before.at)) == 0;
	if (!wl_bootstrap(before, after, arena, &ret->change))
		return false;
	if (before.n >= WL_ENOUGH_STEPS && after.n >= WL_ENOUGH_STEPS)
		ret->verdict = wl_verdict_of(ret, threshold);
	return true;
}

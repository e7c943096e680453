/* SPDX-License-Identifier: MIT */
/* diff_nearest.c - which what-if scenario explains the change of the step. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text/units.h"
#include "compare/diff/diff_parts.h"
#include "compare/diff/diff_words.h"

bool wl_diff_has_slower(const struct wl_diff *d)
{
	return d->step.verdict == WL_SLOWER || d->step.verdict == WL_FASTER;
}

struct wl_diff_nearest wl_diff_find_nearest(const struct wl_diff *d)
{
	const wl_ns step[WL_N_SIDES] = { d->step.before, d->step.after };
	enum wl_side slower = d->step.verdict == WL_SLOWER ? WL_AFTER : WL_BEFORE;
	const struct wl_fingerprint *f = d->side[slower];
	wl_ns change = step[slower] - step[!slower];
	struct wl_diff_nearest ret = { .side = slower };

	if (!wl_diff_has_slower(d))
		return ret;
	for (size_t i = 0; i < f->n_whatifs; i++) {
		wl_ns residual = change - f->whatif[i].saving;

		if (ret.scenario && llabs(residual) >= llabs(ret.residual))
			continue;
		ret.scenario = f->whatif[i].scenario;
		ret.replayed = step[slower] - f->whatif[i].saving;
		ret.residual = residual;
	}
	ret.is_near = ret.scenario && 2 * llabs(ret.residual) <= change;
	return ret;
}

/* "20 us more than that of the first", "as long as that of the first". */
static const char *say_residual(char buf[WL_WORDS], wl_ns residual, const char *other)
{
	char left[WL_UNITS_BUF];

	if (residual == 0)
		(void)snprintf(buf, WL_WORDS, "as long as %s", other);
	else
		(void)snprintf(buf, WL_WORDS, "%s %s than %s",
			       wl_fmt_ns(left, llabs(residual), WL_UNIT_AUTO),
			       residual < 0 ? "less" : "more", other);
	return buf;
}

const char *wl_diff_whatif(const struct wl_diff *d, char buf[WL_WORDS])
{
	const struct wl_diff_nearest *n = &d->nearest;
	char step[WL_UNITS_BUF], left[WL_WORDS];
	const char *slower = n->side == WL_BEFORE ? "the first" : "the second";
	const char *other = n->side == WL_BEFORE ? "the second" : "the first";
	const char *that = n->side == WL_BEFORE ? "that of the second" : "that of the first";

	buf[0] = '\0';
	if (!n->scenario)
		return buf;
	(void)say_residual(left, n->residual, n->is_near ? that : other);
	if (n->is_near)
		(void)snprintf(
			buf, WL_WORDS,
			"What-if: the median step of %s trace takes %s with %.100s (replayed), "
			"%.100s",
			slower, wl_fmt_ns(step, n->replayed, WL_UNIT_AUTO), n->scenario, left);
	else
		(void)snprintf(buf, WL_WORDS,
			       "What-if: no standard scenario brings %s trace near %s; nearest is "
			       "%.100s, %.100s",
			       slower, other, n->scenario, left);
	return buf;
}

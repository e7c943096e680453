/* SPDX-License-Identifier: MIT */
/* diff_ranks.c - how the compute of each rank changed, in a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/units.h"
#include "compare/diff/diff_words.h"

enum { SHOWN = 4 };

static wl_ns change_of(const struct wl_rank_change *r)
{
	return r->compute[WL_AFTER] - r->compute[WL_BEFORE];
}

/* The ranks that changed most, in that order; returns how many. */
static size_t find_largest(const struct wl_diff *d, const struct wl_rank_change *ret[SHOWN])
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_ranks; i++) {
		const struct wl_rank_change *r = &d->rank[i];
		size_t at = n < SHOWN ? n++ : SHOWN;

		for (; at > 0 && llabs(change_of(ret[at - 1])) < llabs(change_of(r)); at--) {
			if (at < SHOWN)
				ret[at] = ret[at - 1];
		}
		if (at < SHOWN)
			ret[at] = r;
	}
	return n;
}

/* A change of 1% and more is named. */
static bool is_named(const struct wl_rank_change *r)
{
	return 100 * llabs(change_of(r)) >= r->compute[WL_BEFORE];
}

const char *wl_diff_ranks(const struct wl_diff *d, char buf[WL_WORDS])
{
	const struct wl_rank_change *most[SHOWN];
	size_t n = find_largest(d, most), used = 0, i;
	char by[WL_UNITS_BUF], ratio[WL_UNITS_BUF] = "new";

	buf[0] = '\0';
	if (d->n_ranks < 2)
		return buf;
	used = (size_t)snprintf(buf, WL_WORDS, "Compute per step:");
	for (i = 0; i < n && is_named(most[i]); i++) {
		wl_ns change = change_of(most[i]), before = most[i]->compute[WL_BEFORE];

		if (before > 0)
			(void)wl_fmt_ratio(ratio, (double)llabs(change) / (double)before);
		used += (size_t)snprintf(buf + used, WL_WORDS - used,
					 "%s GPU %" PRId64 " %c%s (%s)", i ? "," : "",
					 most[i]->device, change < 0 ? '-' : '+',
					 wl_fmt_ns(by, llabs(change), WL_UNIT_AUTO), ratio);
	}
	if (i < n)
		(void)snprintf(buf + used, WL_WORDS - used, "%s %s%zu GPU%s within %s",
			       i ? "," : "", i ? "the other " : "all ", d->n_ranks - i,
			       d->n_ranks - i == 1 ? "" : "s",
			       wl_fmt_ns(by, llabs(change_of(most[i])), WL_UNIT_AUTO));
	else if (n < d->n_ranks)
		(void)snprintf(buf + used, WL_WORDS - used, ", and %zu more", d->n_ranks - n);
	return buf;
}

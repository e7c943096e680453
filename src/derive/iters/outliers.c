/* SPDX-License-Identifier: MIT */
#include "derive/iters/outliers.h"

#include "base/memory/sort.h"

/* A kind with fewer periods than this has no usual period to deviate from. */
enum { MIN_OF_KIND = 5 };

/* The distance of a period from the median of its kind, or of all if there are no kinds. */
static wl_ns distance(const struct wl_process_iters *p, size_t i)
{
	wl_ns period = p->at[i].tile.end - p->at[i].tile.begin, median = wl_usual_period(p, i);

	return period > median ? period - median : median - period;
}

/* Find outliers of one kind, or of all if there are no kinds. */
static void find_in_kind(const struct wl_process_iters *p, unsigned kind, wl_ns *room, bool *out)
{
	/* The standard deviation of a normal distribution in median absolute deviations. */
	static const double scale = 1.4826;
	size_t n = 0;
	wl_ns deviation;

	for (size_t i = 0; i + 1 < p->n; i++) {
		if (!p->has_kinds || p->at[i].kind == kind)
			room[n++] = distance(p, i);
	}
	if (n == 0 || (p->has_kinds && n < MIN_OF_KIND))
		return;
	wl_sort_i64(room, n);
	deviation = room[wl_rank(n, 50)];
	for (size_t i = 0; i + 1 < p->n; i++) {
		double far = (double)distance(p, i);

		/*
		 * 3.5 is the usual cutoff of the modified z-score (Iglewicz and Hoaglin). A
		 * deviation below 5% of a step never stands out, however even the others are.
		 */
		if (!p->has_kinds || p->at[i].kind == kind)
			out[i] = far > 3.5 * scale * (double)deviation &&
				 20 * far > (double)wl_usual_period(p, i);
	}
}

const bool *wl_outliers_find(const struct wl_process_iters *iters, struct wl_arena *arena)
{
	bool *out = WL_NEW(arena, bool, iters->n);
	wl_ns *room = WL_NEW(arena, wl_ns, iters->n);

	if (!out || !room)
		return NULL;
	for (unsigned kind = 0; kind < (iters->has_kinds ? WL_N_STEP_KINDS : 1U); kind++)
		find_in_kind(iters, kind, room, out);
	return out;
}

size_t wl_outliers_at_start(const struct wl_process_iters *iters, const bool *is_slow)
{
	enum { FEWEST = 8, QUARTER = 4 };
	size_t n = 0;

	if (iters->is_guess || iters->n < FEWEST)
		return 0;
	while (n < iters->n && is_slow[n])
		n++;
	for (size_t i = n; i < iters->n; i++) {
		if (is_slow[i])
			return 0;
	}
	return QUARTER * n <= iters->n ? n : 0;
}

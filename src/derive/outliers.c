#include "derive/outliers.h"

#include "base/sort.h"

/* How far a period is from the median of all. */
static wl_ns distance(const struct wl_process_iters *p, size_t i)
{
	wl_ns period = p->at[i].tile.end - p->at[i].tile.begin;

	return period > p->median ? period - p->median : p->median - period;
}

const bool *wl_outliers_find(const struct wl_process_iters *iters, struct wl_arena *arena)
{
	/* Of a normal distribution the standard deviation is so many median deviations. */
	static const double scale = 1.4826;
	bool *out = WL_NEW(arena, bool, iters->n);
	wl_ns *room = WL_NEW(arena, wl_ns, iters->n);
	size_t n = iters->n ? iters->n - 1 : 0;
	wl_ns deviation;

	if (!out || !room || n == 0)
		return room ? out : NULL;
	for (size_t i = 0; i < n; i++)
		room[i] = distance(iters, i);
	wl_sort_i64(room, n);
	deviation = room[wl_rank(n, 50)];
	for (size_t i = 0; i < n; i++) {
		double far = (double)distance(iters, i);

		out[i] = far > 3.5 * scale * (double)deviation && 20 * far > (double)iters->median;
	}
	return out;
}

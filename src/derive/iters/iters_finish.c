/* SPDX-License-Identifier: MIT */
/* iters_finish.c - computes tiles, periods and their median, for all ways to find iterations. */
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "derive/iters/iters_parts.h"

/* An iteration before sorting; without operations, it ends before it begins. */
struct raw {
	wl_ns first, last;
	struct wl_interval
		kernels; /* of operations other than copies and sets; empty if there are none */
	struct wl_interval host;
	uint32_t marker;
};

static bool raw_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct raw *r = ctx;

	return r[a].first != r[b].first ? r[a].first < r[b].first
					: r[a].host.begin < r[b].host.begin;
}

static wl_ns period_of(const struct wl_iteration *it)
{
	return it->tile.end - it->tile.begin;
}

static bool period_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_iteration *at = ctx;

	return period_of(&at[a]) < period_of(&at[b]);
}

/* The earliest of iterations [lo, hi) that has their median period. */
static uint32_t find_median(const struct wl_iteration *at, size_t lo, size_t hi, uint32_t *index,
			    uint32_t *tmp)
{
	size_t n = hi - lo, k = wl_rank(n, 50);

	for (size_t i = 0; i < n; i++)
		index[i] = (uint32_t)(lo + i);
	wl_sort_index(index, n, tmp, period_less, at);
	/* The sort is stable, so the first of equal periods is the earliest. */
	while (k > 0 && period_of(&at[index[k - 1]]) == period_of(&at[index[k]]))
		k--;
	return index[k];
}

struct sorted {
	const struct wl_iteration *at;
	const uint32_t *index; /* by period */
};

/* The percentile of the values [lo, hi). */
static wl_ns percentile(const struct sorted *s, size_t lo, size_t hi, unsigned percent)
{
	return period_of(&s->at[s->index[lo + wl_rank(hi - lo, percent)]]);
}

/* Whether neither group spreads over half of the distance between them. */
static bool are_apart(const struct sorted *s, size_t cut, size_t n)
{
	wl_ns low = percentile(s, 0, cut, 50), high = percentile(s, cut, n, 50);
	wl_ns low_spread = percentile(s, 0, cut, 90) - percentile(s, 0, cut, 10);
	wl_ns high_spread = percentile(s, cut, n, 90) - percentile(s, cut, n, 10);

	return high / 3 >= low / 2 && 2 * low_spread < high - low && 2 * high_spread < high - low;
}

/* The cut is the largest step between neighbours that leaves a fifth on each side. */
static void find_lengths(const struct sorted *s, size_t n, struct wl_two_lengths *ret)
{
	enum { FEWEST = 4 };
	size_t least = n / 5 > FEWEST ? n / 5 : FEWEST, cut = 0;
	wl_ns widest = 0;

	for (size_t i = least; i + least <= n; i++) {
		wl_ns step = period_of(&s->at[s->index[i]]) - period_of(&s->at[s->index[i - 1]]);

		if (step > widest) {
			widest = step;
			cut = i;
		}
	}
	if (cut && are_apart(s, cut, n))
		*ret = (struct wl_two_lengths){
			{ cut, n - cut }, { percentile(s, 0, cut, 50), percentile(s, cut, n, 50) }
		};
}

void wl_iter_find_medians(struct wl_process_iters *p, uint32_t *index, uint32_t *tmp)
{
	p->steady = WL_NONE;
	if (p->n < 2)
		return;
	/*
	 * The last iteration has no period. With five or more, the first one, which warms up, is
	 * not a candidate either.
	 */
	p->median = period_of(&p->at[find_median(p->at, 0, p->n - 1, index, tmp)]);
	find_lengths(&(struct sorted){ p->at, index }, p->n - 1, &p->lengths);
	p->steady = find_median(p->at, p->n >= 5, p->n - 1, index, tmp);
}

static void put_tiles(struct wl_iteration *at, const struct raw *raw, const uint32_t *order,
		      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct raw *r = &raw[order[i]];
		bool is_last = i + 1 == n;

		at[i] = (struct wl_iteration){
			/*
			 * Tiles touch: idle time between two iterations belongs to the earlier one.
			 */
			.tile = { r->first, is_last ? r->last : raw[order[i + 1]].first },
			.last_end = r->last,
			.host = r->host,
			.marker = r->marker,
			.is_last = is_last,
		};
	}
}

/* Markers come in order of start; inverting the order gives the place of each in `at`. */
static const uint32_t *invert(const uint32_t *order, size_t n, struct wl_arena *arena)
{
	uint32_t *back = WL_NEW(arena, uint32_t, n);

	for (uint32_t i = 0; back && i < n; i++)
		back[order[i]] = i;
	return back;
}

static void widen(struct raw *r, const struct wl_iter_process *p, size_t i)
{
	const struct wl_iter_op *op = &p->op[i];

	r->first = op->start < r->first ? op->start : r->first;
	r->last = op->end > r->last ? op->end : r->last;
	if (p->is_copy[i])
		return;
	r->kernels.begin = op->start < r->kernels.begin ? op->start : r->kernels.begin;
	r->kernels.end = op->end > r->kernels.end ? op->end : r->kernels.end;
}

static struct raw *make_raw(size_t n, struct wl_arena *scratch)
{
	struct raw *raw = WL_NEW(scratch, struct raw, n);

	for (size_t i = 0; raw && i < n; i++)
		raw[i] = (struct raw){ .first = INT64_MAX,
				       .last = INT64_MIN,
				       .kernels = { INT64_MAX, INT64_MIN },
				       .marker = WL_NONE };
	return raw;
}

/* The time that each marker's operations span. */
static struct raw *take_markers(const struct wl_iter_process *p, const struct wl_markers *markers,
				struct wl_arena *scratch)
{
	struct raw *raw = make_raw(markers->n, scratch);
	size_t hint = 0;

	for (size_t i = 0; raw && i < markers->n; i++) {
		raw[i].host = (struct wl_interval){ markers->at[i].start, markers->at[i].end };
		raw[i].marker = markers->at[i].row;
	}
	for (size_t i = 0; raw && i < p->n; i++) {
		size_t at = p->op[i].launch == WL_NO_TIME
				    ? markers->n
				    : wl_marker_at(markers, p->op[i].launch, &hint);

		if (at < markers->n)
			widen(&raw[at], p, i);
	}
	return raw;
}

static struct raw *take_starts(const struct wl_iter_process *p, const wl_ns *start, size_t n,
			       struct wl_arena *scratch)
{
	struct raw *raw = make_raw(n, scratch);

	for (size_t i = 0; raw && i < p->n; i++) {
		size_t at = WL_UPTO(start, n, p->op[i].start);

		if (at > 0)
			widen(&raw[at - 1], p, i);
	}
	return raw;
}

/*
 * A copy that is issued ahead runs while the GPU still works on an earlier step, as far ahead as
 * the host is. If that happens in half of the steps, all steps begin with their first kernels.
 */
static void begin_with_kernels(struct raw *raw, size_t n)
{
	size_t n_ahead = 0;

	for (size_t i = 1; i < n; i++)
		n_ahead += raw[i].kernels.begin <= raw[i].kernels.end &&
			   raw[i].first < raw[i].kernels.begin &&
			   raw[i].first < raw[i - 1].kernels.end;
	for (size_t i = 0; n_ahead && 2 * n_ahead >= n - 1 && i < n; i++) {
		if (raw[i].kernels.begin <= raw[i].kernels.end)
			raw[i].first = raw[i].kernels.begin;
	}
}

static bool put_in_order(struct raw *raw, size_t n, struct wl_arena *arena,
			 struct wl_arena *scratch, struct wl_process_iters *p,
			 struct wl_iteration **ret_at)
{
	bool by_marker = raw[0].marker != WL_NONE;
	uint32_t *order = WL_NEW(scratch, uint32_t, n), *tmp = WL_NEW(scratch, uint32_t, n);
	struct wl_iteration *at = WL_NEW(arena, struct wl_iteration, n);

	if (!order || !tmp || !at)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	wl_sort_index(order, n, tmp, raw_less, raw);
	put_tiles(at, raw, order, n);
	p->at = *ret_at = at;
	p->n = n;
	p->by_marker = by_marker ? invert(order, n, arena) : NULL;
	if (by_marker && !p->by_marker)
		return false;
	wl_iter_find_medians(p, order, tmp);
	return true;
}

bool wl_iter_finish(const struct wl_iter_process *process, const struct wl_steps_found *found,
		    struct wl_arena *arena, struct wl_arena *scratch, struct wl_process_iters *ret,
		    struct wl_iteration **ret_at)
{
	bool marked = found->markers.n > 0;
	size_t n_raw = marked ? found->markers.n : found->n_starts, n = 0;
	struct raw *raw = marked ? take_markers(process, &found->markers, scratch)
				 : take_starts(process, found->start, n_raw, scratch);
	struct wl_process_iters p = { .method = found->method,
				      .is_guess = found->is_guess,
				      .is_joined = found->is_joined };

	for (size_t i = 0; raw && i < n_raw; i++) {
		/* Markers without operations are dropped in place: n never passes i. */
		if (raw[i].first <= raw[i].last)
			raw[n++] = raw[i];
	}
	if (!raw || n == 0)
		return raw != NULL;
	if (marked)
		begin_with_kernels(raw, n);
	p.n_dropped = n_raw - n;
	p.what = wl_arena_strdup(arena, found->what);
	p.is = wl_arena_strdup(arena, found->is);
	p.by = wl_arena_strdup(arena, found->by ? found->by : "");
	if (!p.what || !p.is || !p.by || !put_in_order(raw, n, arena, scratch, &p, ret_at))
		return false;
	*ret = p;
	return true;
}

size_t wl_iter_commonest_number(const struct wl_process_iters *p, const bool *on,
				size_t n_processes, wl_ns *room)
{
	size_t n = 0, best = 0, most = 0;

	for (size_t i = 0; i < n_processes; i++) {
		if (p[i].n && (!on || on[i]))
			room[n++] = (wl_ns)p[i].n;
	}
	wl_sort_i64(room, n);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && room[hi] == room[lo];)
			hi++;
		if (hi - lo >= most) {
			most = hi - lo;
			best = (size_t)room[lo];
		}
	}
	return best;
}

/* The earliest of the periods [lo, hi) that has their median. */
static uint32_t earliest_median(const wl_ns *period, size_t lo, size_t hi, wl_ns *room)
{
	size_t k;

	memcpy(room, period + lo, (hi - lo) * sizeof(*room));
	wl_sort_i64(room, hi - lo);
	for (k = lo; period[k] != room[wl_rank(hi - lo, 50)];)
		k++;
	return (uint32_t)k;
}

bool wl_iter_find_steady(struct wl_process_iters *process, size_t n_processes,
			 struct wl_arena *scratch, size_t *ret_uneven)
{
	wl_ns *room = WL_NEW(scratch, wl_ns, n_processes), *period;
	size_t n, n_members = 0;
	uint32_t steady;

	*ret_uneven = 0;
	if (!room)
		return false;
	n = wl_iter_commonest_number(process, NULL, n_processes, room);
	period = WL_NEW(scratch, wl_ns, n);
	room = WL_NEW(scratch, wl_ns, n);
	if (!period || !room)
		return false;
	for (size_t i = 0; i < n_processes; i++) {
		const struct wl_process_iters *p = &process[i];

		n_members += p->n && p->n == n;
		*ret_uneven += p->n && p->n != n;
		for (size_t k = 0; p->n == n && k < n; k++) {
			wl_ns own = p->at[k].tile.end - p->at[k].tile.begin;

			/* A step of several ranks is as long as on the slowest rank. */
			period[k] = own > period[k] ? own : period[k];
		}
	}
	if (n < 2 || n_members < 2)
		return true;
	/*
	 * One index for all makes a window of the steady step show the same step on every rank.
	 */
	steady = earliest_median(period, n >= 5, n - 1, room);
	for (size_t i = 0; i < n_processes; i++) {
		if (process[i].n == n)
			process[i].steady = steady;
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Walks over the columns of a view. The events that start in a column are found by galloping from
 * those of the previous column. Their time is the difference of two sums from the lane's start,
 * corrected for the two events that cross the column's borders. A run of columns that one event
 * fills, or that no event touches, is one step.
 */
#include "derive/lanes/columns.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "derive/lanes/lane_parts.h"

static uint64_t span(const struct wl_viewport *v)
{
	return (uint64_t)(v->end - v->begin);
}

wl_ns wl_viewport_at(const struct wl_viewport *v, uint32_t x)
{
	uint64_t q = span(v) / v->width, r = span(v) % v->width;

	/* r < width: the largest product is of two 32-bit numbers. */
	return v->begin + (wl_ns)(x * q + x * r / v->width);
}

/*
 * The last column that begins no later than t >= begin; the width if t is at or after the end.
 * Column x begins at floor(x * span / width): this is the largest x with x * span < (t + 1) *
 * width.
 */
static uint32_t column_of(const struct wl_viewport *v, wl_ns t)
{
	uint64_t past = (uint64_t)(t - v->begin) + 1;

	if (t >= v->end)
		return v->width;
	if (past <= UINT64_MAX / v->width)
		return (uint32_t)((past * v->width - 1) / span(v));
	return (uint32_t)(((wl_u128)past * v->width - 1) / span(v));
}

uint32_t wl_viewport_column(const struct wl_viewport *v, wl_ns t)
{
	if (t < v->begin)
		return 0;
	return t < v->end ? column_of(v, t) : v->width - 1;
}

enum kind {
	NOTHING, /* no event touches any of the columns */
	FILLED,  /* one event fills all of them */
	SUMS,    /* one column, with sums */
};

/* The content of the columns [x, end_x). */
struct step {
	enum kind kind;
	uint32_t x, end_x;
	uint8_t cat;                 /* FILLED: its category */
	wl_ns length;                /* SUMS: length of the column */
	bool starts;                 /* SUMS: an event starts in it */
	wl_ns sum[WL_MAX_LANE_CATS]; /* SUMS: time by category */
};

/* Where a column begins, and how far it is to the next column that is 1 ns longer than the
 * others. */
struct edge {
	uint32_t x;
	wl_ns at;
	uint64_t left; /* x * r % width */
};

/* The number of columns whose ends are looked up ahead; a power of two. */
enum { AHEAD = 8 };

struct walk {
	const struct wl_lane *lane;
	const struct wl_viewport *view;
	bool snaps;
	uint64_t q, r;    /* least length of a column; remainder when all have it */
	struct edge next; /* the next column */
	size_t i;         /* the first event that is not counted yet */
	wl_ns last_end;   /* end of the event before it, or the view's start */
	bool has_before;
	wl_ns before[WL_MAX_LANE_CATS];    /* the sums of all events before i, if has_before */
	struct edge scout;                 /* the next column to be looked up */
	struct wl_lane_place found[AHEAD]; /* ends of the columns before it, by x % AHEAD */
};

static void walk_init(struct walk *w, const struct wl_lane *lane, const struct wl_viewport *v,
		      bool snaps)
{
	assert(v->width >= 1 && v->begin < v->end && span(v) >= v->width);
	*w = (struct walk){ .lane = lane, .view = v, .snaps = snaps };
	w->q = span(v) / v->width;
	w->r = span(v) % v->width;
	w->next.at = v->begin;
	w->scout = w->next;
	w->i = wl_lane_from(lane, v->begin);
	w->last_end = w->i > 0 ? wl_lane_end(lane, w->i - 1) : v->begin;
}

/* Where the next column begins. */
static wl_ns end_of(const struct walk *w, const struct edge *e)
{
	return e->at + (wl_ns)(w->q + (e->left + w->r >= w->view->width));
}

/* Move to the next column, without the divisions of wl_viewport_at(). */
static void step_on(const struct walk *w, struct edge *e)
{
	e->at = end_of(w, e);
	e->left += w->r;
	e->left -= e->left >= w->view->width ? w->view->width : 0;
	e->x++;
}

/*
 * ---- Columns of many events ----
 *
 * When zoomed out, a column reads a few places in each of the lane's arrays that are not cached,
 * and memory latency dominates. Ends of columns are therefore looked up ahead, and the data there
 * is prefetched.
 */

/* Prefetch what will be read of events near i, whose block is whole. */
static void fetch(const struct wl_lane *lane, size_t i)
{
	size_t border = (i + WL_LANE_BLOCK / 2) / WL_LANE_BLOCK * WL_LANE_BLOCK;

	__builtin_prefetch(&lane->start[i]);
	__builtin_prefetch(&lane->start[i ^ 8]); /* the other line of the pair */
	__builtin_prefetch(&lane->dur[i]);
	__builtin_prefetch(&lane->dur[i / 2 + border / 2]);
	__builtin_prefetch(&lane->cat[i]);
	__builtin_prefetch(&lane->before[border / WL_LANE_BLOCK * lane->n_cats]);
}

/* The same for a column that ends with the previous block, except for the end of this one. */
static void fetch_snapped(const struct wl_lane *lane, size_t block)
{
	size_t i = block * WL_LANE_BLOCK;

	__builtin_prefetch(&lane->start[i - 1]);
	__builtin_prefetch(&lane->dur[i - 1]);
	__builtin_prefetch(&lane->cat[i - 1]);
	__builtin_prefetch(&lane->before[block * lane->n_cats]);
	__builtin_prefetch(&lane->start[i + WL_LANE_BLOCK - 1]);
}

/* Look up the ends of some columns ahead; returns that of the next column, in which events
 * start. */
static const struct wl_lane_place *look_ahead(struct walk *w)
{
	const struct wl_lane *lane = w->lane;
	size_t block = w->found[(w->scout.x - 1) % AHEAD].block;

	if (w->scout.x <= w->next.x) {
		w->scout = w->next;
		block = w->i / WL_LANE_BLOCK;
	}
	while (w->scout.x < w->view->width && w->scout.x - w->next.x < AHEAD) {
		struct wl_lane_place *p = &w->found[w->scout.x % AHEAD];

		*p = wl_lane_guess(lane, block, end_of(w, &w->scout));
		if ((p->block + 1) * WL_LANE_BLOCK <= lane->n) {
			if (w->snaps && p->block - block > WL_SNAP_ABOVE / WL_LANE_BLOCK)
				fetch_snapped(lane, p->block);
			else
				fetch(lane, p->guess);
		}
		block = p->block;
		step_on(w, &w->scout);
	}
	return &w->found[w->next.x % AHEAD];
}

/*
 * The first event that is left to the next column. A column that is certain to snap need not know
 * where in its last block it ends.
 */
static size_t end_of_many(struct walk *w, wl_ns end)
{
	const struct wl_lane *lane = w->lane;
	const struct wl_lane_place *place = look_ahead(w);
	/* The last column takes all remaining events. */
	size_t limit = w->snaps && w->next.x + 1 < w->view->width ? w->i + WL_SNAP_ABOVE : lane->n;
	size_t begin = place->block * WL_LANE_BLOCK, behind = begin + WL_LANE_BLOCK, j;

	if (begin >= limit)
		return behind <= lane->n && lane->start[behind - 1] < end ? behind : begin;
	j = wl_lane_bound_near(lane, w->i, place, end);
	return j > limit ? j - j % WL_LANE_BLOCK : j;
}

static void count_many(struct walk *w, wl_ns end, wl_ns *sum)
{
	const struct wl_lane *lane = w->lane;
	wl_ns until[WL_MAX_LANE_CATS];
	size_t j = end_of_many(w, end);

	if (!w->has_before)
		wl_lane_sums_before(lane, w->i, w->before);
	wl_lane_sums_before(lane, j, until);
	for (size_t c = 0; c < lane->n_cats; c++) {
		sum[c] += until[c] - w->before[c];
		w->before[c] = until[c];
	}
	w->i = j;
	w->has_before = true;
}

/* ---- Any column ---- */

static void count_few(struct walk *w, wl_ns end, wl_ns *sum)
{
	const struct wl_lane *lane = w->lane;
	size_t i = w->i;

	do {
		sum[lane->cat[i]] += wl_lane_dur(lane, i);
		i++;
	} while (i < lane->n && lane->start[i] < end);
	w->i = i;
	w->has_before = false;
}

/*
 * Whether it pays to search for the end instead of counting up to it. The block is checked first,
 * because the events after i may be far from the last ones read.
 */
static bool has_many(const struct walk *w, wl_ns end)
{
	const struct wl_lane *lane = w->lane;
	size_t next = w->i / WL_LANE_BLOCK + 1;
	enum { FEW = 16 };

	if (next >= wl_lane_blocks(lane->n) || lane->first[next] >= end)
		return false;
	return w->has_before || (lane->n - w->i > FEW && lane->start[w->i + FEW] < end);
}

/* Sum up the column [begin, end). An event counts where it starts, except for its part after the
 * end. */
static void sum_column(struct walk *w, bool starts, wl_ns end, wl_ns *sum)
{
	const struct wl_lane *lane = w->lane;
	wl_ns carry = (w->last_end < end ? w->last_end : end) - w->next.at;

	memset(sum, 0, lane->n_cats * sizeof(*sum));
	if (carry > 0)
		sum[lane->cat[w->i - 1]] += carry;
	if (!starts)
		return;
	if (has_many(w, end))
		count_many(w, end, sum);
	else
		count_few(w, end, sum);
	w->last_end = wl_lane_end(lane, w->i - 1);
	if (w->last_end > end)
		sum[lane->cat[w->i - 1]] -= w->last_end - end;
}

static void go_to(struct walk *w, uint32_t x)
{
	if (x == w->next.x + 1)
		step_on(w, &w->next);
	else
		w->next = (struct edge){ x, wl_viewport_at(w->view, x), x * w->r % w->view->width };
}

/* Advance by a column or a run of them; false after the last. */
static bool walk_next(struct walk *w, struct step *ret)
{
	const struct wl_lane *lane = w->lane;
	const struct wl_viewport *v = w->view;
	wl_ns end;
	bool starts;

	if (w->next.x == v->width)
		return false;
	end = end_of(w, &w->next);
	starts = w->i < lane->n && lane->start[w->i] < end;
	ret->x = w->next.x;
	if (!starts && w->last_end <= w->next.at) {
		ret->kind = NOTHING;
		ret->end_x = w->i < lane->n ? column_of(v, lane->start[w->i]) : v->width;
	} else if (!starts && w->last_end >= end) {
		ret->kind = FILLED;
		ret->cat = lane->cat[w->i - 1];
		ret->end_x = column_of(v, w->last_end);
	} else {
		ret->kind = SUMS;
		ret->end_x = w->next.x + 1;
		ret->length = end - w->next.at;
		ret->starts = starts;
		sum_column(w, starts, end, ret->sum);
	}
	go_to(w, ret->end_x);
	return true;
}

static uint8_t share_of(wl_ns busy, wl_ns length)
{
	if (busy >= length) /* with the rest that a snapped column left to the next */
		return UINT8_MAX;
	if (busy <= INT64_MAX / UINT8_MAX - length)
		return (uint8_t)((busy * UINT8_MAX + length - 1) / length);
	return (uint8_t)(((wl_u128)busy * UINT8_MAX + (wl_u128)length - 1) / (wl_u128)length);
}

static struct wl_picture_column picture_of(const struct step *step, size_t n_cats)
{
	struct wl_picture_column column = { 0, 0 };
	wl_ns busy = step->sum[0], most = busy;

	for (size_t c = 1; c < n_cats; c++) {
		wl_ns sum = step->sum[c];

		busy += sum;
		column.cat = sum > most ? (uint8_t)c : column.cat;
		most = sum > most ? sum : most;
	}
	column.share = share_of(busy, step->length);
	if (column.share == 0 && step->starts)
		column.share = 1;
	return column;
}

void wl_lane_draw(const struct wl_lane *lane, const struct wl_viewport *v,
		  struct wl_picture_column *ret)
{
	struct walk walk;
	struct step step;

	walk_init(&walk, lane, v, true);
	while (walk_next(&walk, &step)) {
		struct wl_picture_column column = { 0, 0 };

		if (step.kind == FILLED)
			column = (struct wl_picture_column){ step.cat, UINT8_MAX };
		else if (step.kind == SUMS)
			column = picture_of(&step, lane->n_cats);
		for (uint32_t x = step.x; x < step.end_x; x++)
			ret[x] = column;
	}
}

void wl_lane_draw_only(const struct wl_lane *lane, const struct wl_viewport *v, uint8_t cat,
		       struct wl_picture_column *ret)
{
	struct walk walk;
	struct step step;

	walk_init(&walk, lane, v, true);
	while (walk_next(&walk, &step)) {
		struct wl_picture_column column = { cat, 0 };

		if (step.kind == FILLED && step.cat == cat)
			column.share = UINT8_MAX;
		else if (step.kind == SUMS)
			column.share = share_of(step.sum[cat], step.length);
		for (uint32_t x = step.x; x < step.end_x; x++)
			ret[x] = column;
	}
}

void wl_lane_columns(const struct wl_lane *lane, const struct wl_viewport *v, wl_ns *ret)
{
	struct walk walk;
	struct step step;

	walk_init(&walk, lane, v, false);
	while (walk_next(&walk, &step)) {
		for (uint32_t x = step.x; x < step.end_x; x++) {
			wl_ns *sum = ret + x * lane->n_cats;

			if (step.kind == SUMS) {
				memcpy(sum, step.sum, lane->n_cats * sizeof(*sum));
				continue;
			}
			memset(sum, 0, lane->n_cats * sizeof(*sum));
			if (step.kind == FILLED)
				sum[step.cat] = wl_viewport_at(v, x + 1) - wl_viewport_at(v, x);
		}
	}
}

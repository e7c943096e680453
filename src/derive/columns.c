/*
 * Walk over the columns of a view. Events that start in a column are found by galloping from
 * those of the column before, their time is the difference of two sums from the lane's
 * begin, and the two events that cross the column's borders are put right. A run of columns
 * that one event fills, or that nothing touches, is one step.
 */
#include "derive/columns.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "derive/lane_parts.h"

static uint64_t span(const struct wl_viewport *v)
{
	return (uint64_t)(v->end - v->begin);
}

wl_ns wl_viewport_at(const struct wl_viewport *v, uint32_t x)
{
	uint64_t q = span(v) / v->width, r = span(v) % v->width;

	/* r < width, so that the product of two 32-bit numbers is the largest there is. */
	return v->begin + (wl_ns)(x * q + x * r / v->width);
}

/*
 * The last column that begins no later than t >= begin; the width where t is not before the
 * end. Column x begins at floor(x * span / width), so x is wanted with x * span < (t + 1) * width.
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

/* What is in the columns [x, end_x). */
struct step {
	enum kind kind;
	uint32_t x, end_x;
	uint8_t cat;                 /* of FILLED */
	wl_ns length;                /* of SUMS: of the column */
	bool starts;                 /* of SUMS: an event starts in it */
	wl_ns sum[WL_MAX_LANE_CATS]; /* of SUMS, by category */
};

struct walk {
	const struct wl_lane *lane;
	const struct wl_viewport *view;
	bool snaps;
	uint64_t q, r; /* the least length of a column; what is left when all have that */
	uint32_t x;    /* the next column */
	wl_ns begin;   /* of it */
	uint64_t left; /* x * r % width: how near it is to being longer than q */
	size_t i;      /* the first event that is not counted yet */
	wl_ns before[WL_MAX_LANE_CATS]; /* the sums of all events before it */
};

static void walk_init(struct walk *w, const struct wl_lane *lane, const struct wl_viewport *v,
		      bool snaps)
{
	assert(v->width >= 1 && v->begin < v->end && span(v) >= v->width);
	*w = (struct walk){ .lane = lane, .view = v, .snaps = snaps, .begin = v->begin };
	w->q = span(v) / v->width;
	w->r = span(v) % v->width;
	w->i = wl_lane_from(lane, v->begin);
	wl_lane_sums_before(lane, w->i, w->before);
}

/* Add the time of the events [w->i, j), which are counted then. */
static void count(struct walk *w, size_t j, wl_ns *sum)
{
	const struct wl_lane *lane = w->lane;
	wl_ns until[WL_MAX_LANE_CATS];

	if (j - w->i <= WL_LANE_BLOCK / 2) {
		for (; w->i < j; w->i++) {
			wl_ns dur = wl_lane_dur(lane, w->i);

			sum[lane->cat[w->i]] += dur;
			w->before[lane->cat[w->i]] += dur;
		}
		return;
	}
	wl_lane_sums_before(lane, j, until);
	for (size_t c = 0; c < lane->n_cats; c++) {
		sum[c] += until[c] - w->before[c];
		w->before[c] = until[c];
	}
	w->i = j;
}

/* The column [begin, end), in which the events [w->i, j) start and carry ns of an earlier one lie.
 */
static void sum_column(struct walk *w, size_t j, wl_ns carry, wl_ns end, wl_ns *sum)
{
	const struct wl_lane *lane = w->lane;
	bool starts = j > w->i;

	memset(sum, 0, lane->n_cats * sizeof(*sum));
	if (carry > 0)
		sum[lane->cat[w->i - 1]] += carry;
	count(w, j, sum);
	if (starts && wl_lane_end(lane, j - 1) > end)
		sum[lane->cat[j - 1]] -= wl_lane_end(lane, j - 1) - end;
}

/* The next column becomes x; by one without the divisions of wl_viewport_at(). */
static void go_to(struct walk *w, uint32_t x, wl_ns end)
{
	if (x == w->x + 1) {
		w->begin = end;
		w->left += w->r;
		w->left -= w->left >= w->view->width ? w->view->width : 0;
	} else {
		w->begin = wl_viewport_at(w->view, x);
		w->left = x * w->r % w->view->width;
	}
	w->x = x;
}

/* Go on by a column or a run of them; false behind the last. */
static bool walk_next(struct walk *w, struct step *ret)
{
	const struct wl_lane *lane = w->lane;
	const struct wl_viewport *v = w->view;
	wl_ns begin = w->begin, end, last_end;
	size_t j;

	if (w->x == v->width)
		return false;
	end = begin + (wl_ns)(w->q + (w->left + w->r >= v->width));
	last_end = w->i > 0 ? wl_lane_end(lane, w->i - 1) : begin;
	j = wl_lane_gallop(lane, w->i, end);
	ret->x = w->x;
	if (j == w->i && last_end <= begin) {
		ret->kind = NOTHING;
		ret->end_x = j < lane->n ? column_of(v, lane->start[j]) : v->width;
	} else if (j == w->i && last_end >= end) {
		ret->kind = FILLED;
		ret->cat = lane->cat[w->i - 1];
		ret->end_x = column_of(v, last_end);
	} else {
		ret->kind = SUMS;
		ret->end_x = w->x + 1;
		ret->length = end - begin;
		ret->starts = j > w->i;
		/* The last column takes all that is left. */
		if (w->snaps && j - w->i > WL_SNAP_ABOVE && ret->end_x < v->width)
			j -= j % WL_LANE_BLOCK;
		sum_column(w, j, (last_end < end ? last_end : end) - begin, end, ret->sum);
	}
	go_to(w, ret->end_x, end);
	return true;
}

static uint8_t share_of(wl_ns busy, wl_ns length)
{
	if (busy >= length) /* with what a snapped column left to the next one */
		return UINT8_MAX;
	if (busy <= INT64_MAX / UINT8_MAX - length)
		return (uint8_t)((busy * UINT8_MAX + length - 1) / length);
	return (uint8_t)(((wl_u128)busy * UINT8_MAX + (wl_u128)length - 1) / (wl_u128)length);
}

static struct wl_picture_column picture_of(const struct step *step, size_t n_cats)
{
	struct wl_picture_column column = { 0, 0 };
	wl_ns busy = 0;

	for (size_t c = 0; c < n_cats; c++) {
		busy += step->sum[c];
		if (step->sum[c] > step->sum[column.cat])
			column.cat = (uint8_t)c;
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

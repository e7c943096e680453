/* SPDX-License-Identifier: MIT */
/*
 * lane_build.c - assigns each event a lane.
 *
 * Free lanes are found with a tree over the lanes in which each node has the earliest time at which
 * a lane below it is free. Lanes that do not exist yet count as always free, which makes finding
 * and creating a lane the same operation. Events are kept in order of arrival; lane_deal.c brings
 * those of a lane together.
 */
#include <assert.h>
#include <string.h>

#include "derive/lanes/lane_parts.h"

static const size_t part_size[WL_N_LANE_PARTS] = {
	[WL_PART_START] = sizeof(wl_ns),      [WL_PART_DUR] = sizeof(uint32_t),
	[WL_PART_REF] = sizeof(uint32_t),     [WL_PART_CAT] = sizeof(uint8_t),
	[WL_PART_LONG_AT] = sizeof(uint32_t), [WL_PART_LONG_DUR] = sizeof(wl_ns),
	[WL_PART_BEFORE] = sizeof(wl_ns),     [WL_PART_FIRST] = sizeof(wl_ns),
	[WL_PART_LONGEST] = sizeof(uint32_t), [WL_PART_LANE] = sizeof(struct wl_lane),
	[WL_PART_LEVEL] = sizeof(uint8_t),    [WL_PART_AREA] = sizeof(wl_u128),
	[WL_PART_PEAK] = sizeof(uint8_t),
};

/* Always free. */
#define EVER INT64_MIN

void wl_lane_builder_init(struct wl_lane_builder *b, size_t n_cats, struct wl_budget *budget)
{
	assert(n_cats >= 1 && n_cats <= WL_MAX_LANE_CATS);
	*b = (struct wl_lane_builder){ .n_cats = n_cats, .last_start = EVER };
	for (size_t p = 0; p < WL_N_LANE_PARTS; p++)
		wl_vec_init(&b->part[p], part_size[p], budget);
	wl_vec_init(&b->lane_of, sizeof(uint32_t), budget);
	wl_vec_init(&b->lanes, sizeof(struct wl_lane_extent), budget);
	wl_vec_init(&b->free_at, sizeof(wl_ns), budget);
}

void wl_lane_builder_init_levels(struct wl_lane_builder *b, size_t n_cats, struct wl_budget *budget)
{
	wl_lane_builder_init(b, n_cats, budget);
	b->has_levels = true;
}

/* Reset a vector to empty. */
static void renew(struct wl_vec *v)
{
	wl_vec_release(v);
	wl_vec_init(v, v->size, v->budget);
}

void wl_lane_builder_drop(struct wl_lane_builder *b)
{
	for (size_t p = 0; p < WL_N_LANE_PARTS; p++)
		renew(&b->part[p]);
	renew(&b->lane_of);
	renew(&b->lanes);
	renew(&b->free_at);
	b->last_start = EVER;
	b->failed = false;
}

/*
 * The tree: node k has the children 2k and 2k + 1, the root is 1, the leaves are the last half. The
 * number of nodes is twice a power of two.
 */

static bool tree_reserve(struct wl_vec *tree, size_t n_lanes)
{
	size_t half = tree->n / 2, more = half ? half : 1;
	wl_ns *at;

	if (n_lanes <= half)
		return true;
	while (more < n_lanes)
		more *= 2;
	if (!wl_vec_reserve(tree, 2 * more) || !wl_vec_extend(tree, 2 * more - tree->n))
		return false;
	at = tree->data;
	memmove(at + more, at + half, half * sizeof(*at));
	for (size_t k = more + half; k < 2 * more; k++)
		at[k] = EVER;
	for (size_t k = more - 1; k > 0; k--)
		at[k] = at[2 * k] < at[2 * k + 1] ? at[2 * k] : at[2 * k + 1];
	return true;
}

/* The lowest lane, from `lowest` up, that is free at t; one past all leaves if there is none. */
static size_t tree_find(const struct wl_vec *tree, size_t lowest, wl_ns t)
{
	const wl_ns *at = tree->data;
	size_t half = tree->n / 2, k = half + lowest;

	if (lowest >= half)
		return lowest;
	while (at[k] > t) {
		while (k % 2)
			k /= 2;
		if (k == 0)
			return half;
		k++;
	}
	while (k < half)
		k = at[2 * k] <= t ? 2 * k : 2 * k + 1;
	return k - half;
}

static void tree_set(const struct wl_vec *tree, size_t lane, wl_ns t)
{
	wl_ns *at = tree->data;
	size_t k = tree->n / 2 + lane;

	at[k] = t;
	for (k /= 2; k > 0; k /= 2) {
		wl_ns least = at[2 * k] < at[2 * k + 1] ? at[2 * k] : at[2 * k + 1];

		if (at[k] == least)
			break;
		at[k] = least;
	}
}

/* Find the lane of an event that starts at t; creates it if necessary. */
static bool find_lane(struct wl_lane_builder *b, size_t lowest, wl_ns t, size_t *ret)
{
	size_t lane = tree_find(&b->free_at, lowest, t);

	if (lane >= WL_NONE || !tree_reserve(&b->free_at, lane + 1))
		return false;
	if (lane >= b->lanes.n) {
		size_t more = lane + 1 - b->lanes.n;
		struct wl_lane_extent *extent = wl_vec_extend(&b->lanes, more);

		if (!extent)
			return false;
		memset(extent, 0, more * sizeof(*extent));
	}
	*ret = lane;
	return true;
}

/* Nothing is noted until there is a second lane; all events before that belong to the first. */
static bool note_lane(struct wl_lane_builder *b, uint32_t lane)
{
	size_t missing = b->part[WL_PART_START].n - b->lane_of.n;
	uint32_t *at;

	if (b->lanes.n == 1)
		return true;
	at = wl_vec_extend(&b->lane_of, missing);
	if (!at)
		return false;
	memset(at, 0, missing * sizeof(*at));
	at[missing - 1] = lane;
	return true;
}

static bool put_event(struct wl_lane_builder *b, const struct wl_lane_event *event,
		      struct wl_lane_extent *extent)
{
	wl_ns *start = wl_vec_extend(&b->part[WL_PART_START], 1);
	uint32_t *dur = wl_vec_extend(&b->part[WL_PART_DUR], 1);
	uint32_t *ref = wl_vec_extend(&b->part[WL_PART_REF], 1);
	uint8_t *cat = wl_vec_extend(&b->part[WL_PART_CAT], 1);
	wl_ns length = event->end - event->start;

	if (!start || !dur || !ref || !cat)
		return false;
	*start = event->start;
	*dur = length < WL_LONG ? (uint32_t)length : WL_LONG;
	*ref = event->ref;
	*cat = b->has_levels ? (uint8_t)(b->n_cats - 1) : event->cat;
	if (b->has_levels)
		wl_vec_push(&b->part[WL_PART_LEVEL], &event->cat);
	if (*dur == WL_LONG) {
		uint32_t at = (uint32_t)(b->part[WL_PART_START].n - 1);

		wl_vec_push(&b->part[WL_PART_LONG_AT], &at);
		wl_vec_push(&b->part[WL_PART_LONG_DUR], &length);
		extent->n_long++;
	}
	extent->n++;
	return !b->part[WL_PART_LONG_AT].failed && !b->part[WL_PART_LONG_DUR].failed &&
	       !b->part[WL_PART_LEVEL].failed;
}

uint32_t wl_lane_add(struct wl_lane_builder *b, const struct wl_lane_event *event,
		     uint32_t lowest_lane)
{
	size_t lane;

	assert(event->start <= event->end && event->start >= b->last_start);
	assert(b->has_levels ? event->cat > 0 : event->cat < b->n_cats);
	if (b->failed)
		return WL_NONE;
	if (b->part[WL_PART_START].n == WL_NONE ||
	    !find_lane(b, lowest_lane, event->start, &lane) ||
	    !put_event(b, event, (struct wl_lane_extent *)b->lanes.data + lane) ||
	    !note_lane(b, (uint32_t)lane)) {
		b->failed = true;
		return WL_NONE;
	}
	tree_set(&b->free_at, lane, event->end);
	b->last_start = event->start;
	return (uint32_t)lane;
}

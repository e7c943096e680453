/* SPDX-License-Identifier: MIT */
/*
 * lane.h - events that do not overlap, in order, ready to be drawn at any zoom.
 *
 * A row of a timeline is one or more lanes: where events overlap, as kernels of one
 * stream may, each goes to the lowest lane that is free when it starts. Nested ranges
 * so get one lane per depth. Sums per block of events make the time of each category in
 * any window a matter of a logarithm (columns.h).
 *
 * A lane does not interpret what it holds: a category is a number below n_cats, and ref
 * says in the row's own way which event it is.
 */
#ifndef WL_DERIVE_LANE_H
#define WL_DERIVE_LANE_H

#include "base/attr.h"
#include "base/memory/vec.h"
#include "base/num.h"
#include "derive/rows/scope.h"

enum { WL_LANE_BLOCK = 64, WL_MAX_LANE_CATS = 24 };

/*
 * With 8 categories 18.2 bytes per event, in all; with 15 categories 19.1. A lane of few events
 * takes some 200 bytes more.
 */
struct wl_lane {
	size_t n;
	const wl_ns *start;  /* ascending; an event ends no later than the next one starts */
	const uint32_t *dur; /* WL_LONG: longer, see wl_lane_dur() */
	const uint32_t *ref;
	const uint8_t *cat;
	size_t n_cats;
	/* By block, n_cats each, and once more behind the last: time per category before it. */
	const wl_ns *before;
	const wl_ns *first;      /* by block: when its first event starts; start[] in short */
	const uint32_t *longest; /* by block: its longest event, the first of several */
	size_t n_long;
	const uint32_t *long_at; /* events that read WL_LONG, ascending */
	const wl_ns *long_dur;
	/* Of a lane of levels (levels.h), else NULL: how high each event is, from 1 on. */
	const uint8_t *level;
	const wl_u128 *area; /* as before: the sum of level times ns */
	const uint8_t *peak; /* by block: its highest level */
};

enum { WL_N_LANE_PARTS = 13 };

struct wl_lanes {
	size_t n; /* 0 when there are no events */
	const struct wl_lane *lane;
	size_t n_events;
	struct wl_vec part[WL_N_LANE_PARTS]; /* own what the lanes point to; private */
};

/*
 * Fill. Order of calls: init; add, in order of start and of those that start together
 * the longer first; finish or drop. An event may be given the lowest lane it can have,
 * so that a range lies below the one that holds it; add returns its lane, or WL_NONE
 * without memory, which finish then reports, too. A logarithm of the lanes per event.
 *
 * A lane is free when its last event has ended; so an event of no length occupies nothing.
 * Any number of builders may work at once, one thread each.
 */
struct wl_lane_builder { /* private */
	size_t n_cats;
	bool has_levels;
	struct wl_vec part[WL_N_LANE_PARTS]; /* as in wl_lanes, but in the order of calls */
	struct wl_vec lane_of;               /* by event; empty while there is one lane */
	struct wl_vec lanes;                 /* how many events each has */
	struct wl_vec free_at;               /* a tree of minima over the lanes */
	wl_ns last_start;
	bool failed;
};

/* start <= end, both no further from 0 than WL_TIME_MAX; cat < n_cats, or a level from 1 on. */
struct wl_lane_event {
	wl_ns start, end;
	uint32_t ref;
	uint8_t cat;
};

/* 1 <= n_cats <= WL_MAX_LANE_CATS; the budget outlives builder and lanes. */
void wl_lane_builder_init(struct wl_lane_builder *b, size_t n_cats, struct wl_budget *budget);
/*
 * The same of a lane of levels: cat of an event that is added is its level, and all events are of
 * the last category.
 */
void wl_lane_builder_init_levels(struct wl_lane_builder *b, size_t n_cats,
				 struct wl_budget *budget);
uint32_t wl_lane_add(struct wl_lane_builder *b, const struct wl_lane_event *event,
		     uint32_t lowest_lane);
void wl_lane_builder_drop(struct wl_lane_builder *b); /* accepts a zeroed and a finished one */

/* Make the lanes; the builder is empty then, also after a failure. False without memory. Linear. */
bool wl_lanes_finish(struct wl_lane_builder *b, struct wl_lanes *ret) WL_MUST_CHECK;
void wl_lanes_release(struct wl_lanes *lanes);       /* accepts a zeroed one */
size_t wl_lanes_bytes(const struct wl_lanes *lanes); /* what they are charged for */

/*
 * One lane of all: where events overlap, the moment belongs to the one that started
 * first, of several to that of the lowest lane. For a row that is drawn on one line; where
 * there is one lane only, it is a copy of that, and not needed. Each event keeps one part of
 * itself, with its ref and category, or none; an event of no length stays where nothing else is
 * under way. Linear but for a logarithm of the lanes.
 */
bool wl_lanes_flatten(const struct wl_lanes *lanes, struct wl_budget *budget,
		      struct wl_lanes *ret) WL_MUST_CHECK;

/*
 * The events of several rows in the fewest lanes, each in the lowest that is free at its start; of
 * those that start together the longer first, then by row and lane. Refs and categories, below
 * n_cats, are theirs. A logarithm of the lanes per event.
 */
bool wl_lanes_merge(const struct wl_lanes *const *row, size_t n, size_t n_cats,
		    struct wl_budget *budget, struct wl_lanes *ret) WL_MUST_CHECK;

/* The length of an event that reads WL_LONG. Logarithmic in such events. */
wl_ns wl_lane_long_dur(const struct wl_lane *lane, size_t i);

static inline wl_ns wl_lane_dur(const struct wl_lane *lane, size_t i)
{
	return lane->dur[i] != WL_LONG ? (wl_ns)lane->dur[i] : wl_lane_long_dur(lane, i);
}

static inline wl_ns wl_lane_end(const struct wl_lane *lane, size_t i)
{
	return lane->start[i] + wl_lane_dur(lane, i);
}

/* The first event that starts at t or later; n for none. Logarithmic. */
size_t wl_lane_from(const struct wl_lane *lane, wl_ns t);

/*
 * The event under way at t, or else the last one of no length that lies there; WL_NONE for
 * none. Logarithmic.
 */
uint32_t wl_lane_at(const struct wl_lane *lane, wl_ns t);

/*
 * The longest event with a part in [begin, end), the first of several, of the whole
 * events and not their parts; one of no length when it starts there. WL_NONE for none.
 * Linear in blocks of the window.
 */
uint32_t wl_lane_longest(const struct wl_lane *lane, wl_ns begin, wl_ns end);

/*
 * Exact time per category in [begin, end), added to ret[n_cats]; their sum is returned.
 * Nothing in an empty window. Logarithmic.
 */
wl_ns wl_lane_time(const struct wl_lane *lane, wl_ns begin, wl_ns end, wl_ns *ret);

#endif

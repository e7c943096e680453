/* SPDX-License-Identifier: MIT */
/*
 * lane.h - events that do not overlap, in order, ready to be drawn at any zoom.
 *
 * A row of a timeline is one or more lanes. If events overlap, as kernels of one stream may, each
 * goes to the lowest lane that is free when it starts; nested ranges thus get one lane per depth.
 * Sums per block of events give the time of each category in any window in logarithmic time
 * (columns.h).
 *
 * A lane does not interpret its content: a category is a number below n_cats, and ref identifies
 * the event in the row's own way.
 */
#ifndef WL_DERIVE_LANE_H
#define WL_DERIVE_LANE_H

#include "base/attr.h"
#include "base/memory/vec.h"
#include "base/num.h"
#include "derive/rows/scope.h"

enum { WL_LANE_BLOCK = 64, WL_MAX_LANE_CATS = 24 };

/*
 * Takes 18.2 bytes per event in total with 8 categories, 19.1 with 15. A lane of few events takes
 * about 200 bytes more.
 */
struct wl_lane {
	size_t n;
	const wl_ns *start;  /* ascending; an event ends no later than the next one starts */
	const uint32_t *dur; /* WL_LONG if longer: see wl_lane_dur() */
	const uint32_t *ref;
	const uint8_t *cat;
	size_t n_cats;
	/* By block, n_cats each, and once more after the last: time per category before the
	 * block. */
	const wl_ns *before;
	const wl_ns *first;      /* by block: start of its first event; a condensed start[] */
	const uint32_t *longest; /* by block: its longest event, the first on a tie */
	size_t n_long;
	const uint32_t *long_at; /* events whose dur is WL_LONG, ascending */
	const wl_ns *long_dur;
	/* For a lane of levels (levels.h), else NULL: the level of each event, at least 1. */
	const uint8_t *level;
	const wl_u128 *area; /* like `before`: the sum of level times ns */
	const uint8_t *peak; /* by block: its highest level */
};

enum { WL_N_LANE_PARTS = 13 };

struct wl_lanes {
	size_t n; /* 0 when there are no events */
	const struct wl_lane *lane;
	size_t n_events;
	struct wl_vec part[WL_N_LANE_PARTS]; /* owns what the lanes point to; private */
};

/*
 * Builds lanes. Order of calls: init; add, in order of start, on a tie the longer first; finish or
 * drop. An event may be given its lowest possible lane, which puts a range below the one that
 * contains it. add returns the event's lane, or WL_NONE without memory, which finish then reports,
 * too. Costs a logarithm of the lanes per event.
 *
 * A lane is free when its last event has ended: an event of no length occupies nothing. Any number
 * of builders may be used at once, each by one thread.
 */
struct wl_lane_builder { /* private */
	size_t n_cats;
	bool has_levels;
	struct wl_vec part[WL_N_LANE_PARTS]; /* as in wl_lanes, but in order of calls */
	struct wl_vec lane_of;               /* by event; empty while there is one lane */
	struct wl_vec lanes;                 /* number of events of each lane */
	struct wl_vec free_at;               /* a tree of minima over the lanes */
	wl_ns last_start;
	bool failed;
};

/* start <= end, both within WL_TIME_MAX of 0; cat < n_cats, or a level of at least 1. */
struct wl_lane_event {
	wl_ns start, end;
	uint32_t ref;
	uint8_t cat;
};

/* 1 <= n_cats <= WL_MAX_LANE_CATS; the budget outlives builder and lanes. */
void wl_lane_builder_init(struct wl_lane_builder *b, size_t n_cats, struct wl_budget *budget);
/*
 * The same for a lane of levels: cat of an added event is its level, and all events have the last
 * category.
 */
void wl_lane_builder_init_levels(struct wl_lane_builder *b, size_t n_cats,
				 struct wl_budget *budget);
uint32_t wl_lane_add(struct wl_lane_builder *b, const struct wl_lane_event *event,
		     uint32_t lowest_lane);
void wl_lane_builder_drop(struct wl_lane_builder *b); /* accepts a zeroed and a finished one */

/* Make the lanes. The builder is empty afterwards, even after a failure. False without memory.
 * Linear. */
bool wl_lanes_finish(struct wl_lane_builder *b, struct wl_lanes *ret) WL_MUST_CHECK;
void wl_lanes_release(struct wl_lanes *lanes);       /* accepts a zeroed one */
size_t wl_lanes_bytes(const struct wl_lanes *lanes); /* the bytes charged for them */

/*
 * Merge all lanes into one, for a row that is drawn on one line. If events overlap, the moment
 * belongs to the one that started first, on a tie to the one in the lowest lane. A single lane is
 * copied, which is unnecessary. Each event keeps at most one part, with its ref and category; an
 * event of no length stays if nothing else is under way. Linear, times a logarithm of the lanes.
 */
bool wl_lanes_flatten(const struct wl_lanes *lanes, struct wl_budget *budget,
		      struct wl_lanes *ret) WL_MUST_CHECK;

/*
 * Put the events of several rows into the fewest lanes, each into the lowest that is free at its
 * start; on equal starts the longer first, then by row and lane. Events keep their refs and
 * categories, which are below n_cats. Costs a logarithm of the lanes per event.
 */
bool wl_lanes_merge(const struct wl_lanes *const *row, size_t n, size_t n_cats,
		    struct wl_budget *budget, struct wl_lanes *ret) WL_MUST_CHECK;

/* The length of an event whose dur is WL_LONG. Logarithmic in the number of such events. */
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
 * The event under way at t, or else the last event of no length at t; WL_NONE for none.
 * Logarithmic.
 */
uint32_t wl_lane_at(const struct wl_lane *lane, wl_ns t);

/*
 * The longest event with a part in [begin, end), the first on a tie; whole lengths are compared,
 * not parts. An event of no length counts if it starts there. WL_NONE for none. Linear in blocks of
 * the window.
 */
uint32_t wl_lane_longest(const struct wl_lane *lane, wl_ns begin, wl_ns end);

/*
 * Add the exact time per category in [begin, end) to ret[n_cats], and return the sum. An empty
 * window adds nothing. Logarithmic.
 */
wl_ns wl_lane_time(const struct wl_lane *lane, wl_ns begin, wl_ns end, wl_ns *ret);

#endif

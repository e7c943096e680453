/*
 * lane_build.c - give each event its lane, and lay the lanes out one behind the other.
 *
 * Which lane is free is asked of a tree over the lanes in which each node has the earliest
 * time at which one below it is free. Lanes that do not exist yet are free since ever, so
 * that finding a lane and making one are the same.
 *
 * All lanes share one set of columns: a hostile trace in which everything overlaps has as
 * many lanes as events, and vectors of their own would cost each of them a kilobyte. Events
 * are kept in the order in which they come. Most rows have one lane and are ready then;
 * otherwise they are dealt out at the end, one column after the other, and the pages of a
 * column are given back as they are read.
 */
#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "derive/lane.h"

/* Of wl_lanes and the builder; the builder fills those up to LONG_DUR. */
enum part { START, DUR, REF, CAT, LONG_AT, LONG_DUR, BEFORE, LONGEST, LANE, N_PARTS };

static_assert((int)N_PARTS == (int)WL_N_LANE_PARTS, "a vector for each part");

static const size_t part_size[N_PARTS] = {
	[START] = sizeof(wl_ns),  [DUR] = sizeof(uint32_t),     [REF] = sizeof(uint32_t),
	[CAT] = sizeof(uint8_t),  [LONG_AT] = sizeof(uint32_t), [LONG_DUR] = sizeof(wl_ns),
	[BEFORE] = sizeof(wl_ns), [LONGEST] = sizeof(uint32_t), [LANE] = sizeof(struct wl_lane),
};

/* What the builder knows of a lane. */
struct extent {
	size_t n, n_long;
	size_t next, next_long; /* while dealing: where its next event goes */
};

/* Free since ever. */
#define EVER INT64_MIN

/* Events whose pages are given back together. */
enum { CHUNK = 1 << 16 };

void wl_lane_builder_init(struct wl_lane_builder *b, size_t n_cats, struct wl_budget *budget)
{
	assert(n_cats >= 1 && n_cats <= WL_MAX_LANE_CATS);
	*b = (struct wl_lane_builder){ .n_cats = n_cats, .last_start = EVER };
	for (size_t p = 0; p < N_PARTS; p++)
		wl_vec_init(&b->part[p], part_size[p], budget);
	wl_vec_init(&b->lane_of, sizeof(uint32_t), budget);
	wl_vec_init(&b->lanes, sizeof(struct extent), budget);
	wl_vec_init(&b->free_at, sizeof(wl_ns), budget);
}

static void release_parts(struct wl_vec *part)
{
	for (size_t p = 0; p < N_PARTS; p++)
		wl_vec_release(&part[p]);
}

void wl_lane_builder_drop(struct wl_lane_builder *b)
{
	release_parts(b->part);
	wl_vec_release(&b->lane_of);
	wl_vec_release(&b->lanes);
	wl_vec_release(&b->free_at);
	b->last_start = EVER;
	b->failed = false;
}

/*
 * The tree: node k has the children 2k and 2k + 1, the root is 1, the leaves are the last
 * half. The nodes' number is twice a power of two.
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

/* The lowest lane of at least lowest that is free at t; one behind all leaves if there is none. */
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

/* The lane of an event that starts at t, which exists then. */
static bool find_lane(struct wl_lane_builder *b, size_t lowest, wl_ns t, size_t *ret)
{
	size_t lane = tree_find(&b->free_at, lowest, t);

	if (lane >= WL_NONE || !tree_reserve(&b->free_at, lane + 1))
		return false;
	if (lane >= b->lanes.n) {
		size_t more = lane + 1 - b->lanes.n;
		struct extent *extent = wl_vec_extend(&b->lanes, more);

		if (!extent)
			return false;
		memset(extent, 0, more * sizeof(*extent));
	}
	*ret = lane;
	return true;
}

/* Until there is a second lane nothing is noted; then all events before it are of the first. */
static bool note_lane(struct wl_lane_builder *b, uint32_t lane)
{
	size_t missing = b->part[START].n - b->lane_of.n;
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
		      struct extent *extent)
{
	wl_ns *start = wl_vec_extend(&b->part[START], 1);
	uint32_t *dur = wl_vec_extend(&b->part[DUR], 1);
	uint32_t *ref = wl_vec_extend(&b->part[REF], 1);
	uint8_t *cat = wl_vec_extend(&b->part[CAT], 1);
	wl_ns length = event->end - event->start;

	if (!start || !dur || !ref || !cat)
		return false;
	*start = event->start;
	*dur = length < WL_LONG ? (uint32_t)length : WL_LONG;
	*ref = event->ref;
	*cat = event->cat;
	if (*dur == WL_LONG) {
		uint32_t at = (uint32_t)(b->part[START].n - 1);

		wl_vec_push(&b->part[LONG_AT], &at);
		wl_vec_push(&b->part[LONG_DUR], &length);
		extent->n_long++;
	}
	extent->n++;
	return !b->part[LONG_AT].failed && !b->part[LONG_DUR].failed;
}

uint32_t wl_lane_add(struct wl_lane_builder *b, const struct wl_lane_event *event,
		     uint32_t lowest_lane)
{
	size_t lane;

	assert(event->start <= event->end && event->start >= b->last_start);
	assert(event->cat < b->n_cats);
	if (b->failed)
		return WL_NONE;
	if (b->part[START].n == WL_NONE || !find_lane(b, lowest_lane, event->start, &lane) ||
	    !put_event(b, event, (struct extent *)b->lanes.data + lane) ||
	    !note_lane(b, (uint32_t)lane)) {
		b->failed = true;
		return WL_NONE;
	}
	tree_set(&b->free_at, lane, event->end);
	b->last_start = event->start;
	return (uint32_t)lane;
}

/* Where each event goes, in place of its lane; long lengths are dealt out on the way. */
static bool find_places(struct wl_lane_builder *b)
{
	struct extent *extent = b->lanes.data;
	uint32_t *place = b->lane_of.data;
	const uint32_t *long_at = b->part[LONG_AT].data;
	const wl_ns *long_dur = b->part[LONG_DUR].data;
	size_t n_long = b->part[LONG_AT].n, next = 0, next_long = 0;
	struct wl_vec at_twin, dur_twin;
	uint32_t *to_at;
	wl_ns *to_dur;

	wl_vec_init(&at_twin, sizeof(uint32_t), b->part[LONG_AT].budget);
	wl_vec_init(&dur_twin, sizeof(wl_ns), b->part[LONG_DUR].budget);
	to_at = wl_vec_extend(&at_twin, n_long);
	to_dur = wl_vec_extend(&dur_twin, n_long);
	if (!to_at || !to_dur) {
		wl_vec_release(&at_twin);
		wl_vec_release(&dur_twin);
		return false;
	}
	for (size_t l = 0; l < b->lanes.n; l++) {
		extent[l].next = next;
		extent[l].next_long = next_long;
		next += extent[l].n;
		next_long += extent[l].n_long;
	}
	next_long = 0;
	for (size_t i = 0; i < b->lane_of.n; i++) {
		struct extent *of = &extent[place[i]];

		if (next_long < n_long && long_at[next_long] == i) {
			/* Of all, for now: what comes before the lane is taken off later. */
			to_at[of->next_long] = (uint32_t)of->next;
			to_dur[of->next_long++] = long_dur[next_long++];
		}
		place[i] = (uint32_t)of->next++;
	}
	wl_vec_replace(&b->part[LONG_AT], &at_twin);
	wl_vec_replace(&b->part[LONG_DUR], &dur_twin);
	return true;
}

#define SCATTER(type)                                                                              \
	for (size_t i = 0; i < n; i++)                                                             \
	((type *)to)[place[i]] = ((const type *)from)[i]

static void scatter(void *to, const void *from, const uint32_t *place, size_t n, size_t size)
{
	switch (size) {
	case 1:
		SCATTER(uint8_t);
		break;
	case 4:
		SCATTER(uint32_t);
		break;
	default:
		SCATTER(uint64_t);
		break;
	}
}

static bool deal(struct wl_vec *column, const uint32_t *place, size_t n_lanes)
{
	struct wl_vec twin;

	if (!wl_vec_twin(&twin, column, n_lanes, CHUNK))
		return false;
	for (size_t lo = 0; lo < column->n; lo += CHUNK) {
		size_t n = column->n - lo < CHUNK ? column->n - lo : CHUNK;

		scatter(twin.data, (const char *)column->data + lo * column->size, place + lo, n,
			column->size);
		wl_vec_drop(column, lo, lo + n);
	}
	wl_vec_replace(column, &twin);
	return true;
}

/* Bring the events of each lane together. */
static bool deal_out(struct wl_lane_builder *b)
{
	if (b->lanes.n <= 1)
		return true;
	if (!find_places(b))
		return false;
	for (size_t p = START; p <= CAT; p++) {
		if (!deal(&b->part[p], b->lane_of.data, b->lanes.n))
			return false;
	}
	return true;
}

static size_t n_blocks(size_t n)
{
	return (n + WL_LANE_BLOCK - 1) / WL_LANE_BLOCK;
}

/* Room for sums and lanes, no more than they need. */
static bool make_room(struct wl_lane_builder *b)
{
	const struct extent *extent = b->lanes.data;
	size_t want[N_PARTS] = { [LANE] = b->lanes.n };

	for (size_t l = 0; l < b->lanes.n; l++) {
		want[LONGEST] += n_blocks(extent[l].n);
		want[BEFORE] += (n_blocks(extent[l].n) + 1) * b->n_cats;
	}
	for (size_t p = BEFORE; p <= LANE; p++) {
		if (!wl_vec_reserve(&b->part[p], want[p]) ||
		    (want[p] && !wl_vec_extend(&b->part[p], want[p])))
			return false;
	}
	for (size_t p = START; p <= LONG_DUR; p++)
		wl_vec_trim(&b->part[p]);
	return true;
}

static void sum_blocks(const struct wl_lane *lane, wl_ns *before, uint32_t *longest)
{
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 };

	for (size_t lo = 0; lo < lane->n; lo += WL_LANE_BLOCK) {
		size_t hi = lane->n - lo < WL_LANE_BLOCK ? lane->n : lo + WL_LANE_BLOCK;
		wl_ns most = -1;

		memcpy(before, sum, lane->n_cats * sizeof(*sum));
		before += lane->n_cats;
		for (size_t i = lo; i < hi; i++) {
			wl_ns dur = wl_lane_dur(lane, i);

			sum[lane->cat[i]] += dur;
			if (dur > most) {
				most = dur;
				*longest = (uint32_t)i;
			}
		}
		longest++;
	}
	memcpy(before, sum, lane->n_cats * sizeof(*sum));
}

/* Describe the lanes, whose events lie one lane behind the other, and sum them up. */
static void set_lanes(struct wl_lane_builder *b)
{
	const struct extent *extent = b->lanes.data;
	struct wl_vec *part = b->part;
	struct wl_lane *lane = part[LANE].data;
	wl_ns *before = part[BEFORE].data;
	uint32_t *longest = part[LONGEST].data, *long_at = part[LONG_AT].data;
	const wl_ns *long_dur = part[LONG_DUR].data;
	size_t at = 0;

	for (size_t l = 0; l < b->lanes.n; l++) {
		size_t n = extent[l].n, n_long = extent[l].n_long;

		for (size_t k = 0; k < n_long; k++)
			long_at[k] -= (uint32_t)at;
		lane[l] = (struct wl_lane){
			.n = n,
			.start = (const wl_ns *)part[START].data + at,
			.dur = (const uint32_t *)part[DUR].data + at,
			.ref = (const uint32_t *)part[REF].data + at,
			.cat = (const uint8_t *)part[CAT].data + at,
			.n_cats = b->n_cats,
			.before = before,
			.longest = longest,
			.n_long = n_long,
			.long_at = long_at,
			.long_dur = long_dur,
		};
		sum_blocks(&lane[l], before, longest);
		at += n;
		before += (n_blocks(n) + 1) * b->n_cats;
		longest += n_blocks(n);
		if (n_long) {
			long_at += n_long;
			long_dur += n_long;
		}
	}
}

bool wl_lanes_finish(struct wl_lane_builder *b, struct wl_lanes *ret)
{
	bool ok = !b->failed && deal_out(b) && make_room(b);

	if (ok) {
		set_lanes(b);
		*ret = (struct wl_lanes){
			.n = b->lanes.n,
			.lane = b->part[LANE].data,
			.n_events = b->part[START].n,
		};
		for (size_t p = 0; p < N_PARTS; p++) {
			ret->part[p] = b->part[p];
			wl_vec_init(&b->part[p], part_size[p], b->part[p].budget);
		}
	}
	wl_lane_builder_drop(b);
	return ok;
}

void wl_lanes_release(struct wl_lanes *lanes)
{
	release_parts(lanes->part);
	*lanes = (struct wl_lanes){ .n = 0 };
}

size_t wl_lanes_bytes(const struct wl_lanes *lanes)
{
	size_t bytes = 0;

	for (size_t p = 0; p < N_PARTS; p++)
		bytes += lanes->part[p].bytes;
	return bytes;
}

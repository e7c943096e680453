/* SPDX-License-Identifier: MIT */
/*
 * lane_deal.c - lays the lanes out one after the other and sums up their blocks.
 *
 * All lanes share one set of columns: a hostile trace in which everything overlaps has as many
 * lanes as events, and separate vectors would cost a kilobyte per lane. Most rows have one lane and
 * need no work. Otherwise events are distributed to their lanes column by column, and the pages of
 * a column are released as they are read.
 */
#include <string.h>

#include "derive/lanes/lane_parts.h"

/* Events whose pages are released together. */
enum { CHUNK = 1 << 16 };

/* Replace the lane of each event by its destination; distributes long lengths along the way. */
static bool find_places(struct wl_lane_builder *b)
{
	struct wl_lane_extent *extent = b->lanes.data;
	uint32_t *place = b->lane_of.data;
	const uint32_t *long_at = b->part[WL_PART_LONG_AT].data;
	const wl_ns *long_dur = b->part[WL_PART_LONG_DUR].data;
	size_t n_long = b->part[WL_PART_LONG_AT].n, next = 0, next_long = 0;
	struct wl_vec new_at, new_dur;
	uint32_t *to_at;
	wl_ns *to_dur;

	wl_vec_init(&new_at, sizeof(uint32_t), b->part[WL_PART_LONG_AT].budget);
	wl_vec_init(&new_dur, sizeof(wl_ns), b->part[WL_PART_LONG_DUR].budget);
	to_at = wl_vec_extend(&new_at, n_long);
	to_dur = wl_vec_extend(&new_dur, n_long);
	if (!to_at || !to_dur) {
		wl_vec_release(&new_at);
		wl_vec_release(&new_dur);
		return false;
	}
	for (size_t l = 0; l < b->lanes.n; l++) {
		/*
		 * A counting sort by lane: events of a lane stay in order of start.
		 */
		extent[l].next = next;
		extent[l].next_long = next_long;
		next += extent[l].n;
		next_long += extent[l].n_long;
	}
	next_long = 0;
	for (size_t i = 0; i < b->lane_of.n; i++) {
		struct wl_lane_extent *of = &extent[place[i]];

		if (next_long < n_long && long_at[next_long] == i) {
			/* Relative to all lanes for now; the offset of the lane is subtracted
			 * later. */
			to_at[of->next_long] = (uint32_t)of->next;
			to_dur[of->next_long++] = long_dur[next_long++];
		}
		place[i] = (uint32_t)of->next++;
	}
	wl_vec_replace(&b->part[WL_PART_LONG_AT], &new_at);
	wl_vec_replace(&b->part[WL_PART_LONG_DUR], &new_dur);
	return true;
}

static bool deal(struct wl_vec *column, const uint32_t *place, size_t n_lanes)
{
	struct wl_vec twin;

	if (!wl_vec_twin(&twin, column, n_lanes, CHUNK))
		return false;
	for (size_t lo = 0; lo < column->n; lo += CHUNK) {
		size_t n = column->n - lo < CHUNK ? column->n - lo : CHUNK;

		wl_scatter(twin.data, (const char *)column->data + lo * column->size, place + lo, n,
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
	for (size_t p = WL_PART_START; p <= (b->has_levels ? WL_PART_LEVEL : WL_PART_CAT); p++) {
		if (!deal(&b->part[p], b->lane_of.data, b->lanes.n))
			return false;
	}
	return true;
}

/* Reserve exactly the room that sums and lanes need. */
static bool make_room(struct wl_lane_builder *b)
{
	const struct wl_lane_extent *extent = b->lanes.data;
	size_t want[WL_N_LANE_PARTS] = { [WL_PART_LANE] = b->lanes.n };

	for (size_t l = 0; l < b->lanes.n; l++) {
		size_t n_blocks = wl_lane_blocks(extent[l].n);

		want[WL_PART_FIRST] += n_blocks;
		want[WL_PART_LONGEST] += n_blocks;
		want[WL_PART_BEFORE] += (n_blocks + 1) * b->n_cats;
		want[WL_PART_AREA] += b->has_levels ? n_blocks + 1 : 0;
		want[WL_PART_PEAK] += b->has_levels ? n_blocks : 0;
	}
	for (size_t p = WL_PART_BEFORE; p <= WL_PART_LANE; p++) {
		if (!wl_vec_reserve(&b->part[p], want[p]) ||
		    (want[p] && !wl_vec_extend(&b->part[p], want[p])))
			return false;
	}
	for (size_t p = WL_PART_START; p <= WL_PART_LONG_DUR; p++)
		wl_vec_trim(&b->part[p]);
	return true;
}

static void sum_blocks(const struct wl_lane *lane, wl_ns *before, wl_ns *first, uint32_t *longest)
{
	wl_ns sum[WL_MAX_LANE_CATS] = { 0 };

	for (size_t lo = 0; lo < lane->n; lo += WL_LANE_BLOCK) {
		size_t hi = lane->n - lo < WL_LANE_BLOCK ? lane->n : lo + WL_LANE_BLOCK;
		wl_ns most = -1;

		memcpy(before, sum, lane->n_cats * sizeof(*sum));
		before += lane->n_cats;
		*first++ = lane->start[lo];
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

static void sum_levels(const struct wl_lane *lane, wl_u128 *area, uint8_t *peak)
{
	wl_u128 sum = 0;

	for (size_t i = 0; i < lane->n; i++) {
		if (i % WL_LANE_BLOCK == 0) {
			*area++ = sum;
			*peak++ = 0;
		}
		sum += (wl_u128)lane->level[i] * (uint64_t)wl_lane_dur(lane, i);
		peak[-1] = lane->level[i] > peak[-1] ? lane->level[i] : peak[-1];
	}
	*area = sum;
}

/* Describe the lanes, whose events are laid out lane by lane, and sum them up. */
static void set_lanes(struct wl_lane_builder *b)
{
	const struct wl_lane_extent *extent = b->lanes.data;
	struct wl_vec *part = b->part;
	struct wl_lane *lane = part[WL_PART_LANE].data;
	wl_ns *before = part[WL_PART_BEFORE].data, *first = part[WL_PART_FIRST].data;
	uint32_t *longest = part[WL_PART_LONGEST].data, *long_at = part[WL_PART_LONG_AT].data;
	const wl_ns *long_dur = part[WL_PART_LONG_DUR].data;
	wl_u128 *area = part[WL_PART_AREA].data;
	uint8_t *peak = part[WL_PART_PEAK].data;
	size_t at = 0;

	for (size_t l = 0; l < b->lanes.n; l++) {
		size_t n = extent[l].n, n_long = extent[l].n_long, n_blocks = wl_lane_blocks(n);

		for (size_t k = 0; k < n_long; k++)
			long_at[k] -= (uint32_t)at;
		lane[l] = (struct wl_lane){
			.n = n,
			.start = (const wl_ns *)part[WL_PART_START].data + at,
			.dur = (const uint32_t *)part[WL_PART_DUR].data + at,
			.ref = (const uint32_t *)part[WL_PART_REF].data + at,
			.cat = (const uint8_t *)part[WL_PART_CAT].data + at,
			.n_cats = b->n_cats,
			.before = before,
			.first = first,
			.longest = longest,
			.n_long = n_long,
			.long_at = long_at,
			.long_dur = long_dur,
		};
		sum_blocks(&lane[l], before, first, longest);
		if (b->has_levels) {
			lane[l].level = (const uint8_t *)part[WL_PART_LEVEL].data + at;
			lane[l].area = area;
			lane[l].peak = peak;
			sum_levels(&lane[l], area, peak);
			area += n_blocks + 1;
			peak += n_blocks;
		}
		at += n;
		before += (n_blocks + 1) * b->n_cats;
		first += n_blocks;
		longest += n_blocks;
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
			.lane = b->part[WL_PART_LANE].data,
			.n_events = b->part[WL_PART_START].n,
		};
		for (size_t p = 0; p < WL_N_LANE_PARTS; p++) {
			ret->part[p] = b->part[p];
			/* The vectors change owner: dropping the builder must not release them. */
			wl_vec_init(&b->part[p], b->part[p].size, b->part[p].budget);
		}
	}
	wl_lane_builder_drop(b);
	return ok;
}

void wl_lanes_release(struct wl_lanes *lanes)
{
	for (size_t p = 0; p < WL_N_LANE_PARTS; p++)
		wl_vec_release(&lanes->part[p]);
	*lanes = (struct wl_lanes){ .n = 0 };
}

size_t wl_lanes_bytes(const struct wl_lanes *lanes)
{
	size_t bytes = 0;

	for (size_t p = 0; p < WL_N_LANE_PARTS; p++)
		bytes += lanes->part[p].bytes;
	return bytes;
}

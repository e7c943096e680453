/* SPDX-License-Identifier: MIT */
#include "scene/finding_place.h"

#include "findings/sight.h"

/* The lane of a row of a device; NULL for none. */
static const struct wl_lane *lane_of(const struct wl_scene *scene, enum wl_holds holds,
				     uint32_t device)
{
	uint32_t track = wl_track_of_device(&scene->tracks, holds, device);

	return track == WL_NONE ? NULL : wl_scene_lane(scene, track);
}

/* What events of some categories that start inside are: the longest, the first of equal ones; and
 * all. */
struct found {
	wl_ns at, length, sum; /* at: WL_NO_TIME where there is none */
};

static struct found find_in(const struct wl_lane *lane, uint32_t cats, struct wl_interval inside)
{
	struct found found = { WL_NO_TIME, -1, 0 };

	for (size_t i = 0; i < lane->n; i++) {
		wl_ns start = lane->start[i], length = wl_lane_end(lane, i) - start;

		if (!(cats >> lane->cat[i] & 1) || start < inside.begin || start >= inside.end)
			continue;
		found.sum += length;
		if (length > found.length) {
			found.at = start;
			found.length = length;
		}
	}
	return found;
}

static bool begins_in(const struct wl_iteration *step, struct wl_interval inside)
{
	return inside.begin <= step->tile.begin && step->tile.begin < inside.end;
}

/* The steady iteration, the first inside where none there counts as that; NULL for none. */
static const struct wl_iteration *steady(const struct wl_process_iters *iters,
					 struct wl_interval inside)
{
	if (iters && iters->steady != WL_NONE && begins_in(&iters->at[iters->steady], inside))
		return &iters->at[iters->steady];
	for (size_t i = 0; iters && i < iters->n; i++) {
		if (begins_in(&iters->at[i], inside))
			return &iters->at[i];
	}
	return NULL;
}

static size_t count_in(const struct wl_process_iters *iters, struct wl_interval inside)
{
	size_t n = 0;

	for (size_t i = 0; i < iters->n; i++)
		n += begins_in(&iters->at[i], inside);
	return n;
}

/*
 * The longest gap of these causes in the steady step, which shows what each step loses; the longest
 * of all where that step loses less than half of the mean, as with a single stall.
 */
static wl_ns telling_gap(const struct wl_lane *gaps, uint32_t cats,
			 const struct wl_process_iters *iters, struct wl_interval inside)
{
	const struct wl_iteration *step = steady(iters, inside);
	const struct found all = find_in(gaps, cats, inside);
	const struct found here = step ? find_in(gaps, cats, step->tile) : all;

	if (!step || here.at == WL_NO_TIME ||
	    here.sum < all.sum / (wl_ns)count_in(iters, inside) / 2)
		return all.at;
	return here.at;
}

/* From a time in a gap to its end, over parts of any cause; empty where there is no gap. */
static struct wl_interval rest_of_gap(const struct wl_lane *gaps, wl_ns at)
{
	uint32_t first = gaps ? wl_lane_at(gaps, at) : WL_NONE;
	wl_ns end = first == WL_NONE ? at : wl_lane_end(gaps, first);

	for (size_t i = first; first != WL_NONE && i < gaps->n && gaps->start[i] <= end; i++)
		end = wl_lane_end(gaps, i);
	return (struct wl_interval){ at, end };
}

/* The part of the gap around a time that has most of these causes; WL_NO_TIME: no gap. */
static wl_ns part_of_gap(const struct wl_lane *gaps, uint32_t cats, wl_ns at)
{
	wl_ns part;

	if (!gaps || wl_lane_at(gaps, at) == WL_NONE)
		return WL_NO_TIME;
	part = find_in(gaps, cats, rest_of_gap(gaps, at)).at;
	return part == WL_NO_TIME ? at : part;
}

static bool names_a_time(const struct wl_finding_sought *sought)
{
	return sought->at != WL_NO_TIME && sought->at >= sought->inside.begin &&
	       sought->at < sought->inside.end;
}

/* Of the gap that is named, from the first part of the finding's causes to the last. */
static struct wl_interval span_of_gap(const struct wl_lane *gaps,
				      const struct wl_finding_sought *sought)
{
	const struct wl_interval gap = rest_of_gap(gaps, sought->at);
	const uint32_t cats = wl_gap_cats(wl_finding_sight(sought->code).losses);
	struct wl_interval span = { WL_NO_TIME, WL_NO_TIME };

	for (size_t i = 0; gaps && i < gaps->n && gaps->start[i] < gap.end; i++) {
		if (gaps->start[i] < gap.begin || !(cats >> gaps->cat[i] & 1))
			continue;
		span.begin = span.begin == WL_NO_TIME ? gaps->start[i] : span.begin;
		span.end = wl_lane_end(gaps, i);
	}
	return span;
}

struct wl_interval wl_finding_span(const struct wl_scene *scene,
				   const struct wl_finding_sought *sought, enum wl_holds row,
				   wl_ns at)
{
	const struct wl_lane *lane = lane_of(scene, row, sought->device);
	struct wl_interval span = { WL_NO_TIME, WL_NO_TIME };
	uint32_t event;

	if (row == WL_HOLDS_GAPS && names_a_time(sought))
		span = span_of_gap(lane, sought);
	if (span.begin != WL_NO_TIME)
		return span;
	event = lane && at != WL_NO_TIME ? wl_lane_at(lane, at) : WL_NONE;
	return (struct wl_interval){ at, event == WL_NONE ? at : wl_lane_end(lane, event) };
}

wl_ns wl_finding_place(const struct wl_scene *scene, const struct wl_finding_sought *sought,
		       enum wl_holds *ret_row)
{
	const struct wl_interval inside = sought->inside;
	const uint32_t device = sought->device;
	const struct wl_lane *gaps = lane_of(scene, WL_HOLDS_GAPS, device);
	const struct wl_lane *iterations = lane_of(scene, WL_HOLDS_ITERATIONS, device);
	const struct wl_lane *gpu = lane_of(scene, WL_HOLDS_GPU_TIME, device);
	const struct wl_sight sight = wl_finding_sight(sought->code);
	const uint32_t cats = wl_gap_cats(sight.losses);
	const struct wl_process_iters *iters = wl_device_iters(scene, device);
	const struct wl_iteration *step = steady(iters, inside);
	wl_ns at = WL_NO_TIME;

	if (names_a_time(sought)) {
		at = part_of_gap(gaps, cats, sought->at);
		*ret_row = at != WL_NO_TIME ? WL_HOLDS_GAPS : WL_HOLDS_OPS;
		return at != WL_NO_TIME ? at : sought->at;
	}
	/*
	 * From the most telling place to the least: a gap that the finding is about, the slowest
	 * step, a usual step, the beginning of the work.
	 */
	if (cats && gaps)
		at = telling_gap(gaps, cats, iters, inside);
	*ret_row = at != WL_NO_TIME ? WL_HOLDS_GAPS : WL_HOLDS_OPS;
	if (at == WL_NO_TIME && iterations && sight.slowest)
		at = find_in(iterations, UINT32_MAX, inside).at;
	if (at == WL_NO_TIME && step)
		at = step->tile.begin;
	if (at == WL_NO_TIME && gpu && gpu->n > 0)
		at = gpu->start[0] > inside.begin ? gpu->start[0] : inside.begin;
	return at;
}

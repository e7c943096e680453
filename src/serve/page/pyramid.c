/* SPDX-License-Identifier: MIT */
#include "serve/page/pyramid.h"

/* Lengths by their highest bit and the three below: as a logarithm with eight steps per doubling.
 */
enum { STEPS = 8, STEP_BITS = 3, BINS = 64 * STEPS };

static unsigned bin_of(wl_ns dur)
{
	uint64_t v = (uint64_t)dur;
	unsigned high = 0;

	while (v >> high > 1)
		high++;
	if (high < STEP_BITS)
		return (unsigned)v;
	return (high << STEP_BITS) + (unsigned)(v >> (high - STEP_BITS) & (STEPS - 1));
}

/* The shortest length of a bin. */
static wl_ns length_of(unsigned bin)
{
	unsigned high = bin >> STEP_BITS;

	if (high < STEP_BITS)
		return bin < STEPS ? (wl_ns)bin : STEPS;
	return (wl_ns)(((uint64_t)STEPS + (bin & (STEPS - 1))) << (high - STEP_BITS));
}

static void count(const struct wl_show *show, size_t scene, const struct wl_lanes *lanes,
		  size_t *bins)
{
	for (size_t l = 0; l < lanes->n; l++) {
		const struct wl_lane *lane = &lanes->lane[l];
		const struct wl_shown_events events = wl_show_events(show, scene, lane);

		for (size_t i = events.lo; i < events.hi; i++)
			bins[bin_of(wl_lane_dur(lane, i))]++;
	}
}

static struct wl_cut cut_at(const size_t *bins, size_t max)
{
	struct wl_cut cut = { .all = INT64_MAX };
	size_t n = 0;
	unsigned bin = BINS;

	while (bin > 0 && bins[bin - 1] <= max - n)
		n += bins[--bin];
	if (bin < BINS)
		cut.all = length_of(bin);
	if (bin > 0) {
		cut.some = length_of(bin - 1);
		cut.part = (uint32_t)((double)(max - n) / (double)bins[bin - 1] * UINT32_MAX);
	}
	return cut;
}

static bool is_account(enum wl_holds holds)
{
	return holds == WL_HOLDS_GPU_TIME || holds == WL_HOLDS_ITERATIONS || holds == WL_HOLDS_GAPS;
}

void wl_pyramid_cut(const struct wl_show *show, const struct wl_pyramid_share *share,
		    struct wl_cut *ret)
{
	for (size_t s = 0; s < show->n; s++) {
		const struct wl_scene *scene = show->scene[s];

		for (size_t t = 0; t < scene->tracks.n; t++) {
			bool whole =
				is_account(wl_holds(&scene->tracks.at[t])) && !share->without_whole;
			size_t bins[BINS] = { 0 };

			count(show, s, &scene->lanes[t], bins);
			*ret++ = cut_at(bins, whole ? SIZE_MAX : share->n);
		}
	}
}

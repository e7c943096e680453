/* SPDX-License-Identifier: MIT */
/*
 * picture.c - what it takes to draw 64 lanes in 1600 columns, at several zooms.
 *
 * usage: picture EVENTS [WHOLE_MS PERCENT_MS]
 *
 * EVENTS is the number in all lanes together. Frames are spread over the lanes; CPU time
 * counts. With limits, in milliseconds for the whole view and for 1% of it, the status
 * is 1 where the fastest frame took longer: other programs only make frames slower.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory/sort.h"
#include "derive/lanes/columns.h"

enum { N_LANES = 64, WIDTH = 1600, N_FRAMES = 15, MIDDLE = N_FRAMES / 2, N_CATS = 8 };

static const double zooms[] = { 1, 0.1, 0.01, 0.001, 0.0001 };
enum { WHOLE = 0, PERCENT = 2 };

struct rows {
	struct wl_lanes row[N_LANES];
	wl_ns end;
	size_t n_events, bytes;
};

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*seed >> 32) * n >> 32);
}

/* Kernels of 1 to 20 us, of any category, with short gaps. */
static bool make_row(uint32_t n, uint64_t seed, struct wl_budget *budget, struct wl_lanes *ret)
{
	struct wl_lane_builder b;
	wl_ns t = 0;

	wl_lane_builder_init(&b, N_CATS, budget);
	for (uint32_t i = 0; i < n; i++) {
		struct wl_lane_event event = { t, t + 1000 + random_below(&seed, 19000), i,
					       (uint8_t)random_below(&seed, N_CATS) };

		if (wl_lane_add(&b, &event, 0) == WL_NONE)
			break;
		t = event.end + random_below(&seed, 4000);
	}
	return wl_lanes_finish(&b, ret);
}

static bool make_rows(size_t n_events, struct wl_budget *budget, struct rows *ret)
{
	int64_t begin = wl_clock_cpu_ns();

	for (uint64_t r = 0; r < N_LANES; r++) {
		struct wl_lanes *row = &ret->row[r];
		const struct wl_lane *lane;

		if (!make_row((uint32_t)(n_events / N_LANES), r, budget, row))
			return false;
		lane = &row->lane[0];
		if (wl_lane_end(lane, lane->n - 1) > ret->end)
			ret->end = wl_lane_end(lane, lane->n - 1);
		ret->n_events += row->n_events;
		ret->bytes += wl_lanes_bytes(row);
	}
	(void)printf("%zu events in %d lanes: %.2f s CPU to make, %.2f bytes each\n", ret->n_events,
		     N_LANES, (double)(wl_clock_cpu_ns() - begin) / 1e9,
		     (double)ret->bytes / (double)ret->n_events);
	return true;
}

/* Frames from the begin to the end of all; the fastest, in milliseconds. */
static double measure(const struct rows *rows, double zoom)
{
	static struct wl_picture_column column[WIDTH];
	wl_ns length = (wl_ns)((double)rows->end * zoom);
	int64_t took[N_FRAMES];
	uint64_t busy = 0;

	if (length < WIDTH)
		length = WIDTH;
	for (int f = 0; f < N_FRAMES; f++) {
		wl_ns at = (rows->end - length) / N_FRAMES * f;
		struct wl_viewport view = { at, at + length, WIDTH };
		int64_t begin = wl_clock_cpu_ns();

		for (size_t r = 0; r < N_LANES; r++) {
			wl_lane_draw(&rows->row[r].lane[0], &view, column);
			busy += column[f].share;
		}
		took[f] = wl_clock_cpu_ns() - begin;
	}
	wl_sort_i64(took, N_FRAMES);
	(void)printf("%8.2f %%  median %8.3f ms  fastest %8.3f ms  (%" PRIu64 ")\n", 100 * zoom,
		     (double)took[MIDDLE] / 1e6, (double)took[0] / 1e6, busy);
	return (double)took[0] / 1e6;
}

int main(int argc, char **argv)
{
	static struct rows rows;
	struct wl_budget budget = { 0 };
	double most[WL_COUNT(zooms)] = { 0 };
	size_t n_events = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int status = 0;

	if ((argc != 2 && argc != 4) || n_events < N_LANES || n_events / N_LANES >= UINT32_MAX) {
		(void)fprintf(stderr, "usage: picture EVENTS [WHOLE_MS PERCENT_MS]\n");
		return 2;
	}
	if (argc == 4) {
		most[WHOLE] = strtod(argv[2], NULL);
		most[PERCENT] = strtod(argv[3], NULL);
	}
	if (!make_rows(n_events, &budget, &rows)) {
		(void)fprintf(stderr, "picture: no memory\n");
		return 1;
	}
	for (size_t z = 0; z < WL_COUNT(zooms); z++) {
		double took = measure(&rows, zooms[z]);

		if (most[z] > 0 && took > most[z]) {
			(void)fprintf(stderr, "picture: %.3f ms, at most %.3f are allowed\n", took,
				      most[z]);
			status = 1;
		}
	}
	for (size_t r = 0; r < N_LANES; r++)
		wl_lanes_release(&rows.row[r]);
	return status;
}

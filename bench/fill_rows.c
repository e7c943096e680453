/* SPDX-License-Identifier: MIT */
/*
 * fill_rows.c - find and fill all rows of a timeline.
 *
 * usage: fill_rows TRACE THREADS
 *
 * Prints CPU and wall time of loading, finding and filling to standard error, and of
 * each kind of row how many there are, their events and the CPU time of their fills.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/process/pool.h"
#include "derive/derivations.h"
#include "derive/tracks/tracks.h"
#include "read/input.h"

enum { MAX_THREADS = 1024 };

struct watch {
	int64_t cpu, wall;
};

static void lap(struct watch *w, const char *what)
{
	struct watch now = { wl_clock_cpu_ns(), wl_clock_wall_ns() };

	(void)fprintf(stderr, "stats: %s %.6f s CPU %.6f s wall\n", what,
		      (double)(now.cpu - w->cpu) / 1e9, (double)(now.wall - w->wall) / 1e9);
	*w = now;
}

/* Everything is selected. False without memory. */
static bool select_all(const struct wl_trace *t, struct wl_arena *arena, struct wl_scope *ret)
{
	size_t n = t->n_devices + t->n_places + t->n_processes;
	bool *on = WL_NEW(arena, bool, n);

	for (size_t i = 0; on && i < n; i++)
		on[i] = true;
	*ret = (struct wl_scope){
		.whole = true, .device_on = on, .place_on = on, .process_on = on
	};
	return on != NULL;
}

struct filling {
	const struct wl_tracks *tracks;
	struct wl_budget *budget;
	struct wl_lanes *lanes;
	int64_t *wall; /* by track */
};

static bool fill(void *ctx, size_t i, struct wl_arena *arena)
{
	static const struct wl_track_filter all = { .min_dur = 0 };
	struct filling *f = ctx;
	int64_t from = wl_clock_wall_ns();
	bool ok = wl_track_fill(f->tracks, i, &all, f->budget, &f->lanes[i]);

	(void)arena;
	f->wall[i] = wl_clock_wall_ns() - from;
	return ok;
}

static void tell(const struct filling *f)
{
	for (unsigned kind = 0; kind < WL_N_TRACK_KINDS; kind++) {
		size_t n = 0, n_lanes = 0, n_events = 0, bytes = 0;
		int64_t wall = 0;

		for (size_t i = 0; i < f->tracks->n; i++) {
			if (f->tracks->at[i].kind != kind)
				continue;
			n++;
			n_lanes += f->lanes[i].n;
			n_events += f->lanes[i].n_events;
			bytes += wl_lanes_bytes(&f->lanes[i]);
			wall += f->wall[i];
		}
		(void)fprintf(stderr,
			      "stats: %-10s %4zu rows %5zu lanes %9zu events %6.1f MB %.3f s\n",
			      wl_row_kinds[kind].key, n, n_lanes, n_events, (double)bytes / 1e6,
			      (double)wall / 1e9);
	}
}

static bool fill_all(const struct wl_trace *t, struct wl_pool *pool, struct wl_arena *arena,
		     struct watch *w)
{
	const struct wl_derived_opts opts = { .pool = pool };
	struct filling f = { .budget = wl_arena_budget(arena) };
	struct wl_derivations derivations;
	struct wl_derived derived;
	struct wl_tracks tracks;
	struct wl_scope scope;
	bool ok;

	wl_derivations_init(&derivations, t, &opts, NULL, wl_arena_budget(arena));
	ok = wl_derivations_find(&derivations, WL_FROM(TRACKS), pool);
	derived = wl_derivations_view(&derivations, WL_FROM(TRACKS), pool);
	ok = ok && select_all(t, arena, &scope) && wl_tracks_find(&derived, &scope, arena, &tracks);
	lap(w, "find");
	if (ok) {
		f.tracks = &tracks;
		f.lanes = WL_NEW(arena, struct wl_lanes, tracks.n);
		f.wall = WL_NEW(arena, int64_t, tracks.n);
		ok = f.lanes && f.wall && wl_pool_map(pool, tracks.n, fill, &f, arena);
		lap(w, "fill");
	}
	if (ok)
		tell(&f);
	for (size_t i = 0; f.lanes && i < tracks.n; i++)
		wl_lanes_release(&f.lanes[i]);
	wl_derivations_release(&derivations);
	return ok;
}

int main(int argc, char **argv)
{
	struct watch w = { wl_clock_cpu_ns(), wl_clock_wall_ns() };
	struct wl_err err = { .code = WL_OK };
	long n_threads = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	struct wl_input_opts opts = { .pool = NULL };
	const struct wl_wanted tracks = { .from = WL_FROM(TRACKS) };
	const struct wl_columns wanted = wl_wanted_columns(&tracks);
	struct wl_input *input = NULL;
	struct wl_arena arena;
	int r;

	if (n_threads < 1 || n_threads > MAX_THREADS) {
		(void)fprintf(stderr, "usage: fill_rows TRACE THREADS\n");
		return 2;
	}
	wl_arena_init(&arena, SIZE_MAX);
	opts.pool = wl_pool_new((unsigned)n_threads);
	r = wl_input_open(argv[1], &opts, &input, &err);
	r = r < 0 ? r : wl_input_load(input, &wanted, &err);
	lap(&w, "load");
	if (r >= 0 && !fill_all(wl_input_trace(input), opts.pool, &arena, &w))
		r = wl_fail(&err, WL_E_NOMEM, "no memory");
	wl_arena_release(&arena);
	wl_input_close(input);
	wl_pool_free(opts.pool);
	if (r < 0)
		(void)fprintf(stderr, "fill_rows: %s\n", err.msg);
	return r < 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * repaint.c - what a key costs in the timeline: the CPU time to act and to draw the screen.
 *
 * usage: repaint TRACE COLUMNSxROWS KEYS THREADS
 *
 * Loads the trace, presses random keys that move, zoom and step, and prints the median and
 * the largest CPU time of a key with its redraw, of the views' thread alone, to standard
 * error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process/pool.h"
#include "tui/app/app.h"

static const char *const keys[] = { "Left", "Right", "+",   "-",    "S-Left", "S-Right",
				    "Up",   "Down",  "Tab", "BTab", "x",      ")",
				    "(",    "i",     "0",   "+",    "+",      "+" };

static int64_t own_cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void press(struct wl_app *app, long n)
{
	int64_t *took = calloc((size_t)n, sizeof(*took));
	uint64_t random = 1;

	for (long i = 0; took && i < n; i++) {
		const char *name;
		struct wl_event event = { .kind = WL_EVENT_KEY };
		int64_t begun;

		random = random * 6364136223846793005u + 1442695040888963407u;
		name = keys[(random >> 33) % (sizeof(keys) / sizeof(*keys))];
		event.key = wl_key_parse(name, strlen(name));
		begun = own_cpu_ns();
		wl_app_event(app, &event);
		wl_app_tick(app);
		(void)wl_app_draw(app);
		took[i] = own_cpu_ns() - begun;
	}
	if (took) {
		qsort(took, (size_t)n, sizeof(*took), by_size);
		(void)fprintf(stderr,
			      "stats: %ld keys: median %.2f ms, 99 %% %.2f ms, most %.2f ms CPU\n",
			      n, ms(took[n / 2]), ms(took[n * 99 / 100]), ms(took[n - 1]));
	}
	free(took);
}

int main(int argc, char **argv)
{
	struct wl_budget budget = { 0 };
	struct wl_err err = { 0 };
	struct wl_app *app;
	struct wl_pool *pool;
	long cols = 0, rows = 0, n_keys = 0, n_threads = 0;
	char *x;
	int r = WL_E_USAGE;

	if (argc == 5) {
		cols = strtol(argv[2], &x, 10);
		rows = *x == 'x' ? strtol(x + 1, NULL, 10) : 0;
		n_keys = strtol(argv[3], NULL, 10);
		n_threads = strtol(argv[4], NULL, 10);
	}
	if (cols < 1 || cols > 1000 || rows < 1 || rows > 1000 || n_keys < 1 || n_threads < 1 ||
	    n_threads > 64) {
		(void)fprintf(stderr, "usage: repaint TRACE COLUMNSxROWS KEYS THREADS\n");
		return 2;
	}
	pool = wl_pool_new((unsigned)n_threads);
	struct wl_app_opts opts = {
		.views = { &wl_timeline_view, &wl_tree_view },
		.path = { argv[1] },
		.input = { .budget = &budget, .pool = pool },
		.request = { .pool = pool },
		.first = WL_VIEW_TIMELINE,
		.command = { "warplens timeline", "warplens tui" },
		.budget = &budget,
		.frozen = true,
	};
	wl_keymap_init(&opts.keys);
	app = wl_app_new(&opts, &err);
	if (app) {
		r = wl_app_script(app, "wait", (int)cols, (int)rows,
				  (struct wl_look_caps){ .colourful = true }, &err);
		if (r == WL_OK)
			press(app, n_keys);
	}
	if (r != WL_OK)
		(void)fprintf(stderr, "repaint: %s\n", err.msg);
	wl_app_free(app);
	wl_pool_free(pool);
	return r == WL_OK ? 0 : 3;
}

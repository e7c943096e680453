/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/text/clean.h"

enum { BAR = 30 };

static const int64_t patience_ns = 1000000000, redraw_ns = 100000000;

void wl_progress_init(struct wl_progress *p, const char *what, bool dumb)
{
	*p = (struct wl_progress){ .on = isatty(STDERR_FILENO) == 1 && !dumb,
				   .begun_ns = wl_clock_wall_ns(),
				   .what = wl_path_name(what) };
}

void wl_progress_again(struct wl_progress *p)
{
	p->begun_ns = wl_clock_wall_ns();
}

/* True when it is time to draw; the cursor is then at the beginning of an empty line. */
static bool begin_line(struct wl_progress *p)
{
	int64_t now;

	if (!p->on)
		return false;
	now = wl_clock_wall_ns();
	if (now - p->begun_ns < patience_ns || now - p->drawn_ns < redraw_ns)
		return false;
	p->drawn_ns = now;
	p->shown = true;
	(void)fputs("\r\033[K", stderr);
	return true;
}

static void draw_bar(struct wl_progress *p, const char *doing, const char *things, int64_t n,
		     int64_t total)
{
	char bar[BAR + 1];
	int done;

	if (!begin_line(p))
		return;
	/* The reader guesses the total; a bar does not run past its end. */
	total = total > n ? total : n;
	done = (int)(total ? (double)n / (double)total * BAR : BAR);
	memset(bar, '.', BAR);
	memset(bar, '#', (size_t)done);
	bar[BAR] = '\0';
	(void)fprintf(stderr, "%s [%s] %3d%% %.1f M %s ", doing, bar, done * 100 / BAR,
		      (double)n / 1e6, things);
	(void)fflush(stderr);
}

void wl_progress_rows(void *ctx, int64_t rows, int64_t total)
{
	draw_bar(ctx, "reading", "rows", rows, total);
}

void wl_progress_slices(void *ctx, int64_t slices, int64_t total)
{
	draw_bar(ctx, "writing", "slices", slices, total);
}

void wl_progress_export(void *ctx, int64_t elapsed_ns)
{
	struct wl_progress *p = ctx;

	if (!begin_line(p))
		return;
	(void)fprintf(stderr, "nsys exports ");
	wl_put_clean(stderr, p->what);
	(void)fprintf(stderr, ": %" PRId64 " s ", elapsed_ns / 1000000000);
	(void)fflush(stderr);
}

void wl_progress_end(struct wl_progress *p)
{
	if (p->shown)
		(void)fputs("\r\033[K", stderr);
	p->shown = false;
}

/* SPDX-License-Identifier: MIT */
/* app_progress.c - the screen while a trace is being read. */
#include <inttypes.h>

#include "base/clock.h"
#include "tui/app/app_parts.h"

/* What is left by the rate so far, once that means something. */
static void print_left(const struct wl_app *app, struct wl_screen *s, int x, int y, int64_t rows,
		       int64_t total)
{
	const double second = 1e9;
	double spent;

	if (app->begun_ns == 0 || rows < 1 || rows >= total)
		return;
	spent = (double)(wl_clock_wall_ns() - app->begun_ns) / second;
	if (spent < 1)
		return;
	(void)wl_screen_print(s, x, y, s->cols - x, WL_STYLE_PLAIN, "about %.0f s left",
			      spent * (double)(total - rows) / (double)rows + 1);
}

void wl_app_draw_progress(struct wl_app *app)
{
	struct wl_screen *s = &app->screen;
	const struct wl_scene *scene = wl_app_scene(app, 0);
	const struct wl_style bar = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_REVERSE };
	int64_t rows = scene ? atomic_load(&scene->rows_read) : 0;
	int64_t total = scene ? atomic_load(&scene->rows_total) : 0;
	int width = s->cols - 4, y = s->rows / 3, done;

	done = total > 0 ? (int)((double)width * (double)rows / (double)total) : 0;
	if (done > width)
		done = width;
	(void)wl_screen_text(s, 2, y, width, WL_STYLE_PLAIN,
			     rows < total || total == 0 ? "reading" : "finding rows");
	(void)wl_screen_label(s, 16, y, s->cols - 18, WL_STYLE_PLAIN, scene ? scene->path : "");
	for (int x = 0; x < width; x++)
		wl_screen_put(s, 2 + x, y + 1, s->caps.ascii ? '-' : 0x2500,
			      (struct wl_style){ WL_INK_DIM, WL_INK_DEFAULT, 0 });
	wl_screen_fill(s, 2, y + 1, done, 1, bar);
	if (rows > 0)
		(void)wl_screen_print(s, 2, y + 2, width, WL_STYLE_PLAIN, "%" PRId64 " rows", rows);
	print_left(app, s, 2 + width / 2, y + 2, rows, total);
}

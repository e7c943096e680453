/* SPDX-License-Identifier: MIT */
/* timeline_export.c - the range as a file: its kernels, its rows; and the screen. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "derive/lanes/levels.h"
#include "export/formats.h"
#include "render/chart/strip.h"
#include "render/formats.h"
#include "scene/row_colour.h"
#include "tui/term/dump.h"
#include "tui/timeline/tell/timeline_tell.h"

static void exported(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct wl_timeline *t = ctx;
	struct wl_timeline_kept *f = t->panels.kept;
	const struct wl_format *format = wl_format_of_file(f->export_path);
	struct wl_render_opts opts = { .width = 0 };
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	struct wl_err why;

	f->exporting.pending = false;
	if (!doc) {
		wl_app_say(t->app, "not exported: %s", err ? err->msg : "no answer");
		return;
	}
	assert(format);
	if (wl_file_begin(f->export_path, &file, &why) < 0) {
		wl_app_say(t->app, "not exported: %s", why.msg);
		return;
	}
	format->render(doc, &opts, file.stream);
	if (wl_file_commit(&file, &why) < 0)
		wl_app_say(t->app, "not exported: %s", why.msg);
	else
		wl_app_say(t->app, "wrote the kernels of the range to %.200s", f->export_path);
}

/* ---- The rows as a picture ---- */

/* The columns of a row that has a lane; false without memory. */
static bool fill_row(struct wl_timeline *t, uint32_t track, const struct wl_viewport *v,
		     struct wl_arena *arena, struct wl_strip_row *ret)
{
	const enum wl_holds own = wl_holds(&wl_timeline_scene(t)->tracks.at[track]);
	/* Merged streams stand in the row of the GPU. */
	const enum wl_holds holds = own == WL_HOLDS_GPU_TIME && t->rows.merged ? WL_HOLDS_OPS : own;
	const struct wl_lane *lane = wl_timeline_lane(t, track);
	struct wl_picture_column *picture = WL_NEW(arena, struct wl_picture_column, v->width);
	struct wl_strip_column *column = WL_NEW(arena, struct wl_strip_column, v->width);
	char name[WL_ROW_KEY_BUF];

	ret->label = wl_arena_strdup(arena, wl_timeline_row_name(t, track, name));
	ret->column = column;
	if (!picture || !column || !ret->label)
		return false;
	wl_lane_picture(lane, v, picture);
	for (uint32_t x = 0; x < v->width; x++)
		column[x] = (struct wl_strip_column){ (uint8_t)wl_row_colour(holds, picture[x].cat),
						      picture[x].share };
	return true;
}

/* All rows that may be seen, of the range; false without memory. */
static bool fill_strip(struct wl_timeline *t, struct wl_interval range, struct wl_arena *arena,
		       struct wl_strip *ret)
{
	enum { MAX_ROWS = 512, WIDTH = 1200 };
	struct wl_viewport v = { range.begin, range.end, WIDTH };
	struct wl_strip_row *row = WL_NEW(arena, struct wl_strip_row, MAX_ROWS);
	const struct wl_row *rows;
	size_t n;

	if (!row)
		return false;
	if (range.end - range.begin < WIDTH)
		v.width = (uint32_t)(range.end - range.begin);
	rows = wl_timeline_rows(t, &n);
	ret->width = v.width;
	ret->n_rows = 0;
	ret->row = row;
	for (size_t i = 0; i < n && ret->n_rows < MAX_ROWS; i++) {
		/* A folded process is a line of text. */
		if (!wl_timeline_lane(t, rows[i].track))
			continue;
		if (!fill_row(t, rows[i].track, &v, arena, &row[ret->n_rows++]))
			return false;
	}
	return true;
}

static int write_strip(struct wl_timeline *t, const char *path, struct wl_err *reterr)
{
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	char from[WL_TIME_BUF], to[WL_TIME_BUF];
	struct wl_interval range;
	struct wl_strip strip;
	struct wl_arena arena;
	int r = WL_OK;

	(void)wl_timeline_range(t, &range);
	strip = (struct wl_strip){ .title = wl_timeline_scene(t)->path,
				   .from = wl_timeline_fmt(t, range.begin, from),
				   .to = wl_timeline_fmt(t, range.end, to) };
	wl_arena_init_on(&arena, wl_app_options(t->app)->budget);
	if (!fill_strip(t, range, &arena, &strip))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the picture");
	if (r == WL_OK)
		r = wl_file_begin(path, &file, reterr);
	if (r == WL_OK) {
		wl_strip_put(&strip, file.stream);
		r = wl_file_commit(&file, reterr);
	}
	wl_arena_release(&arena);
	return r;
}

static void export_strip(struct wl_timeline *t, const char *path)
{
	struct wl_err err;

	if (write_strip(t, path, &err) < 0)
		wl_app_say(t->app, "not exported: %s", err.msg);
	else
		wl_app_say(t->app, "wrote a picture of the rows to %.200s", path);
}

/* ---- Which it is ---- */

static void refuse(struct wl_timeline *t)
{
	char rows[WL_EXPORT_LIST_BUF], kernels[WL_FORMAT_LIST_BUF];

	wl_app_say(t->app, "the ending chooses the format: rows %s .svg, kernels %s",
		   wl_export_list_suffixes(rows, WL_EXPORT_TIMELINES, " "),
		   wl_format_list_endings(kernels));
}

static void export_to(void *ctx, const char *path)
{
	struct wl_timeline *t = ctx;
	struct wl_range_question *q = &t->panels.kept->exporting;
	const struct wl_export_format *format;

	if (!path || !*path)
		return;
	if (wl_path_ends_in(path, ".svg")) {
		export_strip(t, path);
		return;
	}
	if (strlen(path) >= sizeof(t->panels.kept->export_path)) {
		wl_app_say(t->app, "the file name is too long");
		return;
	}
	(void)snprintf(t->panels.kept->export_path, sizeof(t->panels.kept->export_path), "%s",
		       path);
	format = wl_export_of_file(path, NULL);
	if (format && wl_export_is_timeline(format)) {
		wl_timeline_write_trace(t);
		return;
	}
	if (!wl_format_of_file(path)) {
		refuse(t);
		return;
	}
	*q = (struct wl_range_question){ .analysis = "kernels",
					 .device = wl_timeline_device(t),
					 .limit = wl_format_of_file(path)->default_limit };
	(void)wl_timeline_range(t, &q->range);
	wl_app_say(t->app, "writing %.200s", path);
	wl_range_ask(t, q, WL_ASK_EXPORT, exported);
}

static void export_range(struct wl_timeline *t)
{
	char label[128];

	if (t->panels.kept->exporting.pending) {
		wl_app_say(t->app, "%.200s is still being written", t->panels.kept->export_path);
		return;
	}
	(void)snprintf(label, sizeof(label),
		       "export the range to (kernels .csv .json .html ..., rows %.30s .svg): ",
		       wl_export_formats[0]->suffix[0]);
	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){
			      .label = label, .text = "kernels.csv", .done = export_to, .ctx = t });
}

/* ---- The screen ---- */

static int write_bytes(const char *path, const struct wl_vec *bytes, struct wl_err *reterr)
{
	WL_CLEANUP(wl_file_abort) struct wl_file file = { .stream = NULL };
	int r = wl_file_begin(path, &file, reterr);

	if (r == WL_OK)
		r = wl_file_put(&file, bytes->data, bytes->n, reterr);
	if (r == WL_OK)
		r = wl_file_commit(&file, reterr);
	return r;
}

static void write_screen_to(void *ctx, const char *path)
{
	struct wl_timeline *t = ctx;
	const struct wl_screen *screen;
	struct wl_vec text, ansi;
	struct wl_err err;
	char name[1024];
	int r = WL_OK;

	if (!path || !*path)
		return;
	screen = wl_app_draw(t->app);
	wl_vec_init(&text, 1, wl_app_options(t->app)->budget);
	wl_vec_init(&ansi, 1, wl_app_options(t->app)->budget);
	wl_dump_text(screen, &text);
	wl_dump_ansi(screen, screen->caps.colourful ? WL_DEPTH_256 : WL_DEPTH_MONO, &ansi);
	if (text.failed || ansi.failed)
		r = wl_fail(&err, WL_E_NOMEM, "no memory for the screen");
	if (r == WL_OK && snprintf(name, sizeof(name), "%s.txt", path) >= (int)sizeof(name))
		r = wl_fail(&err, WL_E_USAGE, "the file name is too long");
	if (r == WL_OK)
		r = write_bytes(name, &text, &err);
	(void)snprintf(name, sizeof(name), "%.1000s.ansi", path);
	if (r == WL_OK)
		r = write_bytes(name, &ansi, &err);
	if (r == WL_OK)
		wl_app_say(t->app, "wrote %.200s.txt and .ansi", path);
	else
		wl_app_say(t->app, "not written: %s", err.msg);
	wl_vec_release(&ansi);
	wl_vec_release(&text);
}

static void write_screen(struct wl_timeline *t)
{
	wl_app_prompt(t->app,
		      &(struct wl_prompt_opts){ .label = "write the screen to (.txt and .ansi): ",
						.text = "screen",
						.done = write_screen_to,
						.ctx = t });
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_EXPORT, .act = export_range },
	{ WL_ACT_WRITE_SCREEN, .act = write_screen },
};

const struct wl_timeline_part wl_timeline_writing = { .acts = acts, .n_acts = WL_COUNT(acts) };

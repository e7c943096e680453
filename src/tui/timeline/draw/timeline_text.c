/* SPDX-License-Identifier: MIT */
/* timeline_text.c - the lines of words: title and state; and all where there are no rows. */
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/units.h"
#include "scene/details.h"
#include "tui/timeline/tell/timeline_tell.h"
#include "tui/timeline/timeline_parts.h"

static const struct wl_style title = { WL_INK_TITLE, WL_INK_DEFAULT, WL_ATTR_REVERSE };
static const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };

/* 1421882 as 1.42M. */
static const char *brief_count(char buf[WL_UNITS_BUF], size_t n)
{
	static const struct {
		double of;
		const char *name;
	} units[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };

	for (size_t i = 0; i < WL_COUNT(units); i++)
		if ((double)n >= units[i].of) {
			(void)snprintf(buf, WL_UNITS_BUF, "%.3g%s", (double)n / units[i].of,
				       units[i].name);
			return buf;
		}
	(void)snprintf(buf, WL_UNITS_BUF, "%zu", n);
	return buf;
}

/* 1421882 as 1,421,882. */
static const char *full_count(char buf[WL_UNITS_BUF], size_t n)
{
	char digits[24];
	int n_digits = snprintf(digits, sizeof(digits), "%zu", n), at = 0;

	for (int i = 0; i < n_digits; i++) {
		if (i > 0 && (n_digits - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

static const char *clock_word(enum wl_clock_style clock)
{
	return clock == WL_CLOCK_ABSOLUTE ? "abs" : clock == WL_CLOCK_ITERATION ? "iter" : "rel";
}

/* 0 for what these digits show as -0. */
static double without_minus_zero(double v, int digits)
{
	double half = 0.5;

	for (int i = 0; i < digits; i++)
		half /= 10;
	return v < 0 && v > -half ? 0 : v;
}

/* Both ends of the view in one unit, with the digits that its length needs: "1.026-1.091s". */
static void put_view(const struct wl_timeline_window *view, wl_ns origin, char *buf, size_t size,
		     bool wide)
{
	static const struct {
		wl_ns ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	wl_ns span = view->end - view->begin;
	double begin = (double)(view->begin - origin), end = (double)(view->end - origin);
	size_t unit = 0;
	int digits = 0;

	while (unit + 1 < WL_COUNT(units) && end < (double)units[unit].ns &&
	       begin > -(double)units[unit].ns)
		unit++;
	for (wl_ns step = units[unit].ns; digits < 9 && step > span / (wide ? 10000 : 20);
	     step /= 10)
		digits++;
	begin = without_minus_zero(begin / (double)units[unit].ns, digits);
	end /= (double)units[unit].ns;
	if (wide)
		(void)snprintf(buf, size, "%.*f%s - %.*f%s", digits, begin, units[unit].name,
			       digits, end, units[unit].name);
	else
		(void)snprintf(buf, size, "%.*f%s%.*f%s", digits, begin, begin < 0 ? ".." : "-",
			       digits, end, units[unit].name);
}

static size_t n_gpus(const struct wl_scene *scene, const char **ret_name)
{
	size_t n = 0;

	*ret_name = NULL;
	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];
		uint32_t name;

		if (wl_holds(track) != WL_HOLDS_GPU_TIME || track->n_events == 0)
			continue;
		n++;
		name = scene->trace->devices[track->device].name;
		if (!*ret_name && name != WL_NONE)
			*ret_name = wl_str(scene->trace, name);
	}
	if (*ret_name && strncmp(*ret_name, "NVIDIA ", 7) == 0)
		*ret_name += 7;
	return n;
}

/* "step 12/48": the one under the cursor, which counts from 0, of how many. */
static void put_iteration(const struct wl_timeline *t, char buf[48])
{
	size_t number = 0, of;

	buf[0] = '\0';
	if (wl_timeline_iteration(t, &number, &of))
		(void)snprintf(buf, 48, "step %zu/%zu [i]", number, of);
	else if (of > 0)
		(void)snprintf(buf, 48, "step -/%zu", of);
}

static void put_filter(const struct wl_timeline_filter *filter, char *buf, size_t size)
{
	char min[WL_UNITS_BUF];

	(void)snprintf(buf, size, "filter: %.40s%smin %s", filter->text[0] ? filter->text : "-",
		       "  ", filter->min_dur > 0 ? wl_brief_ns(min, filter->min_dur) : "0us");
}

static void draw_wide_title(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l)
{
	const struct wl_scene *scene = wl_timeline_scene(t), *second = wl_app_scene(t->app, 1);
	const char *schema = wl_trace_meta(scene->trace, "EXPORT_SCHEMA_VERSION"), *gpu;
	char view[96], it[48], span[WL_UNITS_BUF], cell[WL_UNITS_BUF], count[WL_UNITS_BUF];
	char filter[128];
	size_t n = n_gpus(scene, &gpu);

	put_view(&t->view, wl_timeline_origin(t), view, sizeof(view), true);
	put_iteration(t, it);
	put_filter(&t->filter, filter, sizeof(filter));
	wl_screen_print(s, 0, 0, l->cols, title,
			" warplens timeline  %.40s%s%.12s%s  %zu GPU %.14s  %s ev   %s   %s  span "
			"%s  %s/col   TIME %s   %s  bookmarks %zu  trace B: %.24s",
			wl_path_name(scene->path), schema ? " (schema " : "", schema ? schema : "",
			schema ? ")" : "", n, gpu ? gpu : "", full_count(count, scene->n_events),
			it, view, wl_brief_ns(span, t->view.end - t->view.begin),
			wl_brief_ns(cell, (t->view.end - t->view.begin) / l->chart_width),
			clock_word(t->view.clock), filter, wl_app_n_bookmarks(t->app),
			second ? wl_path_name(second->path) : "-");
}

static void draw_narrow_title(struct wl_timeline *t, struct wl_screen *s,
			      const struct wl_timeline_layout *l)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	char view[96], it[48], span[WL_UNITS_BUF], count[WL_UNITS_BUF], rest[256];
	const char *gpu;
	int width;

	put_view(&t->view, wl_timeline_origin(t), view, sizeof(view), false);
	put_iteration(t, it);
	width = snprintf(rest, sizeof(rest), "%zu GPU  %s ev  %s%sview %s  span %s",
			 n_gpus(scene, &gpu), brief_count(count, scene->n_events), it,
			 it[0] ? "  " : "", view, wl_brief_ns(span, t->view.end - t->view.begin));
	/* The name takes what is left, and something in any case. */
	width = l->cols - width - 4 > 12 ? l->cols - width - 4 : 12;
	width = wl_screen_label(s, 1, 0, width, title, wl_path_name(scene->path));
	wl_screen_text(s, width + 3, 0, l->cols - width - 3, title, rest);
}

void wl_timeline_draw_title(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l)
{
	wl_screen_fill(s, 0, 0, l->cols, 1, title);
	if (l->wide)
		draw_wide_title(t, s, l);
	else
		draw_narrow_title(t, s, l);
}

/* ---- State ---- */

static const struct {
	enum wl_colour colour;
	const char *word, *loud;
} legend[] = {
	{ WL_COLOUR_GEMM, "gemm", "GEMM" }, { WL_COLOUR_ATTENTION, "attn", "ATTN" },
	{ WL_COLOUR_NORM, "elem", "ELEM" }, { WL_COLOUR_COMM, "comm", "COMM" },
	{ WL_COLOUR_COPY, "mem", "MEM" },   { WL_COLOUR_OTHER, "other", "OTHER" },
	{ WL_COLOUR_HOST, "api", "API" },
};

/* What the colours are where they are not those of categories. */
static int draw_colouring(struct wl_timeline *t, struct wl_screen *s, int x, int y, int right)
{
	static const char *const by[] = {
		[WL_COLOUR_BY_NAME] = "a colour per kernel name",
		[WL_COLOUR_BY_NVTX] = "a colour per NVTX range",
		[WL_COLOUR_BY_DURATION] = "colours by duration",
		[WL_COLOUR_BY_STREAM] = "a colour per stream",
	};

	return x + wl_screen_text(s, x, y, right - x, WL_STYLE_PLAIN, by[t->rows.colouring]) + 1;
}

/* Each category in its colour; that of the event in capitals, those not shown in brackets. */
static int draw_legend(struct wl_timeline *t, struct wl_screen *s, int x, int y, int right)
{
	struct wl_look_caps caps = s->caps;
	struct wl_pick pick;
	bool has = wl_timeline_pick(t, &pick) &&
		   wl_holds(&wl_timeline_scene(t)->tracks.at[pick.track]) != WL_HOLDS_GAPS;

	for (size_t i = 0; i < WL_COUNT(legend); i++) {
		bool is_muted = (t->filter.muted & (UINT32_C(1) << legend[i].colour)) != 0;
		bool is_here = has && pick.cat == legend[i].colour;
		struct wl_style style = WL_STYLE_PLAIN;

		if (caps.colourful)
			style.fg = (uint8_t)legend[i].colour;
		x += wl_screen_print(s, x, y, right - x, is_muted ? dim : style,
				     is_muted ? "(%s)" : "%s",
				     is_here ? legend[i].loud : legend[i].word);
		x++;
	}
	return x;
}

static int put_bar(struct wl_screen *s, int x, int y)
{
	wl_screen_put(s, x, y, 0x2502, dim);
	return x + 2;
}

void wl_timeline_draw_state(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l, int y)
{
	char buf[WL_UNITS_BUF], words[64];
	int x = wl_screen_print(s, 0, y, l->cols, WL_STYLE_PLAIN, "TIME %s ",
				clock_word(t->view.clock));

	if (l->cols >= 70) {
		x = put_bar(s, x, y);
		if (t->rows.colouring == WL_COLOUR_BY_CATEGORY) {
			x += wl_screen_text(s, x, y, l->cols - x, WL_STYLE_PLAIN, "cat:");
			x = draw_legend(t, s, x, y, l->cols);
		} else {
			x = draw_colouring(t, s, x, y, l->cols);
		}
	}
	x = put_bar(s, x, y);
	x += wl_screen_print(s, x, y, l->cols - x, WL_STYLE_PLAIN, "filter: %.30s ",
			     t->filter.text[0] ? t->filter.text : "-");
	x = put_bar(s, x, y);
	x += wl_screen_print(s, x, y, l->cols - x, WL_STYLE_PLAIN, "min %s ",
			     t->filter.min_dur > 0 ? wl_brief_ns(buf, t->filter.min_dur) : "0us");
	if (wl_app_n_bookmarks(t->app) > 0) {
		x = put_bar(s, x, y);
		x += wl_screen_print(s, x, y, l->cols - x, WL_STYLE_PLAIN, "mk %zu ",
				     wl_app_n_bookmarks(t->app));
	}
	if (wl_timeline_second_words(t, words, sizeof(words))[0]) {
		x = put_bar(s, x, y);
		x += wl_screen_print(s, x, y, l->cols - x, WL_STYLE_PLAIN, "%s ", words);
	}
	x = put_bar(s, x, y);
	(void)snprintf(words, sizeof(words), l->cols < 100 ? "%s" : "%s/col",
		       wl_brief_ns(buf, (t->view.end - t->view.begin) / l->chart_width));
	wl_screen_label(s, x, y, l->cols - x, WL_STYLE_PLAIN, words);
}

/* ---- Where there are no rows ---- */

void wl_timeline_draw_empty(struct wl_timeline *t, struct wl_screen *s)
{
	static const char *const words[] = {
		"This trace has no GPU work, no NVTX ranges and no CUDA calls to show.",
		"Capture with nsys profile --trace=cuda,nvtx,osrt, or let --gpu, --pid, --rank",
		"and --stream select more.",
	};

	wl_screen_fill(s, 0, 0, s->cols, 1, title);
	wl_screen_print(s, 1, 0, s->cols - 1, title, "warplens timeline  %s",
			wl_path_name(wl_timeline_scene(t)->path));
	for (int i = 0; i < (int)WL_COUNT(words); i++)
		wl_screen_text(s, 1, 2 + i, s->cols - 1, WL_STYLE_PLAIN, words[i]);
}

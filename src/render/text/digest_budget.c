/* SPDX-License-Identifier: MIT */
/* digest_budget.c - where the time goes: a row per part with its time, its share and a bar. */
#include <string.h>

#include "known/glyphs.h"
#include "render/text/digest.h"
#include "render/text/digest_parts.h"
#include "render/words/line.h"

enum { MAX_ROWS = 40, MOST_CAUSES = 3, LABEL = 16, TIME = 10, SHARE = 7, GAP = 2, LEAST_BAR = 8 };
enum { HEAD = LABEL + TIME + SHARE + GAP, BEHIND = 32, FEW_STEPS = 5 };

/* Smaller shares print as "0.0%". */
static const double least_shown = 0.0005;
/* Causes are shown where they are this much of the whole, and idle time is so much. */
static const double least_cause = 0.01, least_idle = 0.03;

struct row {
	const char *name; /* of the part; NULL for all idle time */
	int64_t ns;
	bool is_cause;
	char behind[BEHIND]; /* what stands behind the bar */
};

struct budget {
	int64_t whole; /* ns */
	int64_t idle;
	struct row row[MAX_ROWS]; /* what runs on the GPU, idle time, then its causes */
	size_t n;
	struct wl_cell steps, gpus;
};

static bool is_idle(const char *part)
{
	return strcmp(part, "compute") != 0 && strcmp(part, "exposed_comm") != 0 &&
	       strcmp(part, "exposed_copy") != 0;
}

static double share_of(const struct budget *b, int64_t ns)
{
	return (double)ns / (double)b->whole;
}

static void add(struct budget *b, const char *name, int64_t ns, bool is_cause)
{
	if (b->n < MAX_ROWS)
		b->row[b->n++] = (struct row){ .name = name, .ns = ns, .is_cause = is_cause };
}

/* By time, the largest first, from a row on: there are as many as causes, insertion will do. */
static void sort_from(struct budget *b, size_t first)
{
	for (size_t i = first; i < b->n; i++) {
		struct row row = b->row[i];
		size_t at = i;

		for (; at > first && b->row[at - 1].ns < row.ns; at--)
			b->row[at] = b->row[at - 1];
		b->row[at] = row;
	}
}

/* The part of a row of the table, and its time. */
static int64_t read_part(const struct wl_view *v, size_t row, const char **part)
{
	struct wl_cell cell;
	size_t col;

	*part = "";
	if (!wl_table_find_col(v->table, "part", &col))
		return 0;
	*part = wl_digest_text(v, row, col);
	if (!wl_table_find_col(v->table, "time", &col))
		return 0;
	cell = wl_table_at(v->table, v->rows[row], col);
	return cell.set ? cell.i64 : 0;
}

static struct wl_cell read_count(const struct wl_view *v, const char *key)
{
	size_t col;

	if (!wl_table_find_col(v->table, key, &col))
		return (struct wl_cell){ .set = false };
	return wl_table_at(v->table, v->rows[0], col);
}

static void add_causes(struct budget *b, const struct wl_view *v)
{
	const size_t first = b->n;
	const char *part;

	for (size_t i = 0; i < v->n_rows; i++) {
		int64_t ns = read_part(v, i, &part);

		if (is_idle(part) && share_of(b, ns) >= least_cause)
			add(b, part, ns, true);
	}
	sort_from(b, first);
	b->n = b->n > first + MOST_CAUSES ? first + MOST_CAUSES : b->n;
}

/* False where the table has no time. */
static bool find(const struct wl_section *section, struct budget *b)
{
	const struct wl_view *v = &section->view;
	const char *part;

	*b = (struct budget){ .whole = 0 };
	for (size_t i = 0; i < v->n_rows; i++) {
		int64_t ns = read_part(v, i, &part);

		b->whole += ns;
		b->idle += is_idle(part) ? ns : 0;
	}
	if (b->whole <= 0)
		return false;
	b->steps = read_count(v, "steps");
	b->gpus = read_count(v, "gpus");
	for (size_t i = 0; i < v->n_rows; i++) {
		int64_t ns = read_part(v, i, &part);

		if (!is_idle(part) && share_of(b, ns) >= least_shown)
			add(b, part, ns, false);
	}
	add(b, NULL, b->idle, false);
	if (share_of(b, b->idle) >= least_idle)
		add_causes(b, v);
	return true;
}

/* "Where a step goes: 140.6 ms, mean of 18 steps and 4 GPUs" */
static void put_head(FILE *out, const struct wl_document *doc, const struct budget *b,
		     const struct wl_render_opts *opts)
{
	char line[256], time[WL_UNITS_BUF], n[WL_UNITS_BUF], gpus[WL_UNITS_BUF] = "";
	const bool is_all = !doc->window_spec || strcmp(doc->window_spec, "all") == 0;
	const char *whole = wl_fmt_ns(time, b->whole, opts->timeunit);

	if (b->gpus.set && b->gpus.i64 > 1)
		(void)wl_fmt_count(gpus, b->gpus.i64);
	if (b->steps.set)
		(void)snprintf(line, sizeof(line), "Where a step goes: %s, mean of %s step%s%s%s%s",
			       whole, wl_fmt_count(n, b->steps.i64), b->steps.i64 == 1 ? "" : "s",
			       *gpus ? " and " : "", gpus, *gpus ? " GPUs" : "");
	else
		(void)snprintf(line, sizeof(line), "Where the time goes: %s, %s%s%s%s", whole,
			       is_all ? "whole trace" : "this window", *gpus ? ", mean of " : "",
			       gpus, *gpus ? " GPUs" : "");
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	(void)wl_line_put_cut(out, line, wl_line_limit(opts), opts->ascii);
	(void)fputs(opts->bold ? "\033[0m\n" : "\n", out);
}

/* What findings say of idle time: that it is in doubt, or which of them explains a cause. */
static void refer(struct budget *b, const struct wl_section *list)
{
	const bool in_doubt = wl_digest_is_in_doubt(list);

	for (size_t i = 0; i < b->n; i++) {
		struct row *row = &b->row[i];
		size_t number = row->is_cause ? wl_digest_explained_by(list, row->name) : 0;

		if (!row->name && in_doubt)
			(void)snprintf(row->behind, BEHIND, "in doubt: see 1");
		else if (number && !in_doubt)
			(void)snprintf(row->behind, BEHIND, "see %zu", number);
	}
}

static void put_bar(FILE *out, const struct row *row, double share, size_t width,
		    const struct wl_render_opts *opts)
{
	const struct wl_glyph *glyph = wl_glyph_of(row->name ? row->name : "idle");
	const size_t cells = (size_t)(share * (double)width + 0.5);

	if (cells || row->behind[0])
		wl_line_put_spaces(out, GAP);
	if (opts->colour && glyph->colour >= 0 && cells)
		(void)fprintf(out, "\033[38;5;%dm", glyph->colour);
	for (size_t i = 0; i < cells; i++)
		(void)fputs(opts->ascii ? "#" : "\u2588", out);
	if (opts->colour && glyph->colour >= 0 && cells)
		(void)fputs("\033[0m", out);
	if (row->behind[0])
		(void)fprintf(out, "%s%s", cells ? " " : "", row->behind);
}

static void put_right(FILE *out, const char *text, size_t room)
{
	const size_t width = wl_line_width(text);

	wl_line_put_spaces(out, width < room ? room - width : 0);
	(void)fputs(text, out);
}

/* Columns that a bar of the whole may take: all that is left of the line. */
static size_t room_for_bars(const struct budget *b, const struct wl_render_opts *opts)
{
	enum { UNLIMITED = 44 };
	const size_t limit = wl_line_limit(opts);
	size_t behind = 0;

	for (size_t i = 0; i < b->n; i++) {
		size_t width = strlen(b->row[i].behind);

		behind = width && width + 1 > behind ? width + 1 : behind;
	}
	if (limit == SIZE_MAX)
		return UNLIMITED;
	return limit > HEAD + behind + LEAST_BAR ? limit - HEAD - behind : 0;
}

static void put_row(FILE *out, const struct budget *b, const struct row *row, size_t width,
		    struct wl_precision precision, const struct wl_render_opts *opts)
{
	const char *words = row->name ? wl_glyph_of(row->name)->words : "idle";
	char text[WL_UNITS_BUF];
	size_t used = row->is_cause ? 2 : 0;

	wl_line_put_spaces(out, used);
	used += wl_line_put_cut(out, *words ? words : row->name, LABEL - used, opts->ascii);
	wl_line_put_spaces(out, LABEL - used);
	put_right(out, wl_fmt_fixed(text, row->ns, precision, wl_time_names), TIME);
	put_right(out, wl_fmt_ratio(text, share_of(b, row->ns)), SHARE);
	put_bar(out, row, share_of(b, row->ns), width, opts);
	(void)fputc('\n', out);
}

size_t wl_digest_budget_lines(const struct wl_section *section)
{
	struct budget b;

	if (!section || !find(section, &b))
		return 0;
	return 1 + b.n + (b.steps.set && b.steps.i64 < FEW_STEPS);
}

void wl_digest_budget(FILE *out, const struct wl_document *doc, const struct wl_section *section,
		      const struct wl_section *list, const struct wl_render_opts *opts)
{
	struct wl_precision precision;
	struct budget b;

	if (!find(section, &b))
		return;
	precision = opts->timeunit == WL_UNIT_AUTO
			    ? wl_precision_of((uint64_t)b.whole, wl_time_names)
			    : wl_precision_in((uint64_t)b.whole, (int)opts->timeunit - WL_UNIT_NS);
	put_head(out, doc, &b, opts);
	refer(&b, list);
	for (size_t i = 0; i < b.n; i++)
		put_row(out, &b, &b.row[i], room_for_bars(&b, opts), precision, opts);
	if (b.steps.set && b.steps.i64 < FEW_STEPS)
		wl_line_put_wrapped(out, "note: ", "few steps count, so that means are rough",
				    opts);
}

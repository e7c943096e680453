/* SPDX-License-Identifier: MIT */
/* text_bar.c - a budget on a terminal: one bar of blocks, and what the blocks are. */
#include <inttypes.h>
#include <string.h>

#include "base/attr.h"
#include "known/glyphs.h"
#include "render/text/looks.h"
#include "render/words/line.h"

enum { MAX_PARTS = 32, MAX_BAR = 200 };

struct part {
	const char *name;
	int64_t ns;
	size_t cells;
	int64_t remainder; /* of its share of the cells, to round by */
};

struct bar {
	struct part part[MAX_PARTS];
	size_t n;
	int64_t total;
};

static bool find_parts(const struct wl_view *v, struct bar *ret)
{
	const struct wl_table *t = v->table;
	size_t name = t->n_cols, time = t->n_cols;

	for (size_t i = t->n_cols; i-- > 0;) {
		if (t->cols[i].flags & WL_KEY)
			name = i;
		if (t->cols[i].type == WL_T_NS)
			time = i;
	}
	ret->n = 0;
	ret->total = 0;
	if (name == t->n_cols || time == t->n_cols)
		return false;
	for (size_t i = 0; i < v->n_rows && ret->n < MAX_PARTS; i++) {
		struct wl_cell n = wl_table_at(t, v->rows[i], name);
		struct wl_cell ns = wl_table_at(t, v->rows[i], time);

		if (!n.set || !ns.set || ns.i64 <= 0)
			continue;
		ret->part[ret->n++] = (struct part){ .name = n.str, .ns = ns.i64 };
		ret->total += ns.i64;
	}
	return ret->total > 0;
}

/* Whole cells for every part, the largest remainders rounded up: together the width. */
static void divide(struct bar *b, size_t width)
{
	size_t used = 0;

	for (size_t i = 0; i < b->n; i++) {
		double exact = (double)b->part[i].ns * (double)width / (double)b->total;

		b->part[i].cells = (size_t)exact;
		b->part[i].remainder = (int64_t)((exact - (double)b->part[i].cells) * 1e9);
		used += b->part[i].cells;
	}
	for (; used < width; used++) {
		size_t best = 0;

		for (size_t i = 1; i < b->n; i++)
			best = b->part[i].remainder > b->part[best].remainder ? i : best;
		b->part[best].cells++;
		b->part[best].remainder = -1;
	}
}

/* What a part of the bar looks like: a block of its own colour, or a character. */
static void put_glyphs(FILE *out, const struct bar *b, size_t part, size_t n,
		       const struct wl_render_opts *opts)
{
	/* Of xterm's 256, for parts that share a colour where characters tell them apart. */
	static const int more[] = { 175, 132, 103, 139, 97, 168, 96, 246, 242, 238 };
	const struct wl_glyph *g = wl_glyph_of(b->part[part].name);
	int colour = g->colour;

	for (size_t i = 0; i < part; i++) {
		if (wl_glyph_of(b->part[i].name)->colour == colour)
			colour = -1;
	}
	if (colour < 0)
		colour = more[part % WL_COUNT(more)];
	if (opts->colour && n)
		(void)fprintf(out, "\033[38;5;%dm", colour);
	for (size_t i = 0; i < n; i++)
		(void)fputs(opts->ascii ? g->ascii : opts->colour ? "\u2588" : g->text, out);
	if (opts->colour && n)
		(void)fputs("\033[0m", out);
}

/* What is too small for a block of its own is summed up in the last part. */
static void join_small(struct bar *b)
{
	static const double small = 0.005;
	struct part rest = { .name = "smaller parts" };
	size_t n = 0, n_small = 0;

	for (size_t i = 0; i < b->n; i++)
		n_small += (double)b->part[i].ns < small * (double)b->total;
	if (n_small < 2)
		return;
	for (size_t i = 0; i < b->n; i++) {
		if ((double)b->part[i].ns < small * (double)b->total)
			rest.ns += b->part[i].ns;
		else
			b->part[n++] = b->part[i];
	}
	b->part[n++] = rest;
	b->n = n;
}

enum { LEGEND = 128 };

/* " exposed comm 2.7 ms 4.2%", of the i-th part. */
static void legend_of(const struct bar *b, size_t i, const struct wl_render_opts *opts,
		      char text[LEGEND])
{
	const struct part *p = &b->part[i];
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF], word[32];

	(void)snprintf(word, sizeof(word), "%s", p->name);
	for (char *c = strchr(word, '_'); c; c = strchr(c, '_'))
		*c = ' ';
	(void)snprintf(text, LEGEND, " %s %s %s", word, wl_fmt_ns(time, p->ns, opts->timeunit),
		       wl_fmt_ratio(share, (double)p->ns / (double)b->total));
}

/* As many in a line as fit. */
static void put_legend(FILE *out, const struct bar *b, const struct wl_render_opts *opts)
{
	size_t limit = wl_line_limit(opts), at = 0;

	for (size_t i = 0; i < b->n; i++) {
		char text[LEGEND];
		size_t width;

		legend_of(b, i, opts, text);
		width = 1 + wl_line_width(text);
		if (at && at + 3 + width > limit) {
			(void)fputc('\n', out);
			at = 0;
		} else if (at) {
			(void)fputs("   ", out);
			at += 3;
		}
		put_glyphs(out, b, i, 1, opts);
		at += 1 + wl_line_put_cut(out, text, limit - 1, opts->ascii);
	}
	(void)fputc('\n', out);
}

bool wl_text_bar(FILE *out, const struct wl_view *v, const struct wl_render_opts *opts)
{
	size_t width = wl_line_limit(opts) < MAX_BAR ? wl_line_limit(opts) : MAX_BAR;
	struct bar b = { .n = 0 };

	if (!find_parts(v, &b))
		return false;
	join_small(&b);
	divide(&b, width);
	for (size_t i = 0; i < b.n; i++)
		put_glyphs(out, &b, i, b.part[i].cells, opts);
	(void)fputc('\n', out);
	put_legend(out, &b, opts);
	return true;
}

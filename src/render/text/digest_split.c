/* SPDX-License-Identifier: MIT */
/* digest_split.c - how rows divide their wholes, such as GPUs their time; like rows as one. */
#include <ctype.h>
#include <inttypes.h>

#include "base/text/units.h"
#include "render/text/digest.h"
#include "render/text/digest_parts.h"
#include "render/words/line.h"

enum { MAX_ROWS = 128, MAX_GROUPS = 3, LABEL = 64 };

/* Rows whose shares differ by at most this are alike. */
static const double alike = 0.01;

struct share {
	int64_t label;
	double part[WL_MAX_SPLIT];
};

/* Rows that are alike: of each part the least, largest and mean share. */
struct group {
	const struct share *first;
	size_t n;
	double least[WL_MAX_SPLIT], most[WL_MAX_SPLIT], mean[WL_MAX_SPLIT];
};

struct split {
	const struct wl_split *info;
	const char *title[WL_MAX_SPLIT];
	size_t n_parts;
	struct share row[MAX_ROWS];
	size_t n_rows;
	struct group group[MAX_ROWS];
	size_t n_groups;
};

static void sort_rows(struct split *s)
{
	/* By the first share. There are as many rows as GPUs: insertion will do. */
	for (size_t i = 1; i < s->n_rows; i++) {
		struct share row = s->row[i];
		size_t at = i;

		for (; at > 0 && s->row[at - 1].part[0] > row.part[0]; at--)
			s->row[at] = s->row[at - 1];
		s->row[at] = row;
	}
}

static bool read_rows(const struct wl_view *v, struct split *s)
{
	const struct wl_table *t = v->table;
	size_t label, whole, part[WL_MAX_SPLIT];

	if (!wl_table_find_col(t, s->info->label, &label) ||
	    !wl_table_find_col(t, s->info->whole, &whole))
		return false;
	for (s->n_parts = 0; s->n_parts < WL_MAX_SPLIT && s->info->parts[s->n_parts];
	     s->n_parts++) {
		const struct wl_col *col =
			wl_table_find_col(t, s->info->parts[s->n_parts], &part[s->n_parts]);

		if (!col)
			return false;
		s->title[s->n_parts] = col->title;
	}
	/* The view may be limited; what is alike is so of all rows. */
	for (size_t row = 0; row < t->n_rows && s->n_rows < MAX_ROWS; row++) {
		struct share *to = &s->row[s->n_rows];
		struct wl_cell of = wl_table_at(t, row, whole);

		if (!of.set || of.i64 <= 0)
			continue;
		to->label = wl_table_at(t, row, label).i64;
		for (size_t p = 0; p < s->n_parts; p++) {
			struct wl_cell cell = wl_table_at(t, row, part[p]);

			to->part[p] = cell.set ? (double)cell.i64 / (double)of.i64 : 0;
		}
		s->n_rows++;
	}
	return s->n_rows > 0;
}

/* Take the row into the group if all parts stay alike. */
static bool join(const struct split *s, struct group *g, const struct share *row)
{
	for (size_t p = 0; p < s->n_parts; p++) {
		if (row->part[p] - g->least[p] > alike || g->most[p] - row->part[p] > alike)
			return false;
	}
	for (size_t p = 0; p < s->n_parts; p++) {
		double v = row->part[p];

		g->least[p] = v < g->least[p] ? v : g->least[p];
		g->most[p] = v > g->most[p] ? v : g->most[p];
		g->mean[p] += (v - g->mean[p]) / (double)(g->n + 1);
	}
	g->n++;
	return true;
}

static void begin(const struct split *s, struct group *g, const struct share *row)
{
	*g = (struct group){ .first = row, .n = 1 };
	for (size_t p = 0; p < s->n_parts; p++)
		g->least[p] = g->most[p] = g->mean[p] = row->part[p];
}

static bool find(const struct wl_section *section, struct split *s)
{
	*s = (struct split){ .info = section->split };
	if (section->missing || !read_rows(&section->view, s))
		return false;
	sort_rows(s);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (s->n_groups == 0 || !join(s, &s->group[s->n_groups - 1], &s->row[i]))
			begin(s, &s->group[s->n_groups++], &s->row[i]);
	}
	return true;
}

size_t wl_digest_split_lines(const struct wl_section *section)
{
	struct split s;

	if (!find(section, &s))
		return 0;
	return s.n_groups == 1 ? 1 : 1 + (s.n_groups < MAX_GROUPS ? s.n_groups : MAX_GROUPS);
}

/* "0-1,3" of a group: its labels in order, runs joined. */
static void put_labels(const struct group *g, char buf[LABEL])
{
	int64_t label[MAX_ROWS];
	size_t used = 0;

	for (size_t i = 0; i < g->n; i++) {
		size_t at = i;

		for (; at > 0 && label[at - 1] > g->first[i].label; at--)
			label[at] = label[at - 1];
		label[at] = g->first[i].label;
	}
	for (size_t i = 0, end; i < g->n && used < LABEL; i = end) {
		for (end = i + 1; end < g->n && label[end] == label[end - 1] + 1; end++)
			;
		used += (size_t)snprintf(buf + used, LABEL - used,
					 end > i + 1 ? "%s%" PRId64 "-%" PRId64 : "%s%" PRId64,
					 i ? "," : "", label[i], label[end - 1]);
	}
}

/* How far a share is from the mean at most. */
static double spread_of(const struct group *g, size_t part)
{
	double below = g->mean[part] - g->least[part], above = g->most[part] - g->mean[part];

	return below > above ? below : above;
}

enum { LINE = 512 };

/* "GPUs 0-7, window: compute 94.7% ±0.1, idle 1.1%", without parts that are smaller. */
static void make_line(const struct split *s, double smallest, const struct wl_render_opts *opts,
		      bool in_doubt, char line[LINE])
{
	const struct group *g = &s->group[0];
	char labels[LABEL], share[WL_UNITS_BUF];
	size_t used;

	put_labels(g, labels);
	used = (size_t)snprintf(line, LINE, "%s%s %s, window:", s->info->subject,
				g->n > 1 ? "s" : "", labels);
	for (size_t p = 0, n = 0; p < s->n_parts && used < LINE; p++) {
		if (g->mean[p] < smallest)
			continue;
		used += (size_t)snprintf(line + used, LINE - used, "%s %c%s %s", n++ ? "," : "",
					 tolower((unsigned char)s->title[p][0]), s->title[p] + 1,
					 wl_fmt_ratio(share, g->mean[p]));
		if (spread_of(g, p) >= 0.0005 && used < LINE)
			used += (size_t)snprintf(line + used, LINE - used, " %s%.1f",
						 opts->ascii ? "+-" : "\u00b1",
						 100 * spread_of(g, p));
	}
	/* Idle time is the last part. */
	if (in_doubt && g->mean[s->n_parts - 1] >= smallest && used < LINE)
		(void)snprintf(line + used, LINE - used, "%s", wl_digest_doubt);
}

/* What is 0 everywhere is left out, and further parts, the smallest first, until it fits. */
static void put_line(FILE *out, const struct split *s, bool in_doubt,
		     const struct wl_render_opts *opts)
{
	static const double smallest[] = { 0.0005, 0.002, 0.005, 0.01, 0.02, 0.05 };
	char line[LINE];

	for (size_t i = 0; i < WL_COUNT(smallest); i++) {
		make_line(s, smallest[i], opts, in_doubt, line);
		if (wl_line_width(line) <= wl_line_limit(opts))
			break;
	}
	(void)wl_line_put_cut(out, line, wl_line_limit(opts), opts->ascii);
	(void)fputc('\n', out);
}

static void put_row(FILE *out, const struct split *s, const char *label, size_t width,
		    const struct group *g)
{
	(void)fputs(label, out);
	wl_line_put_spaces(out, width - wl_line_width(label));
	for (size_t p = 0; p < s->n_parts; p++) {
		char share[WL_UNITS_BUF];
		const char *cell = g ? wl_fmt_ratio(share, g->mean[p]) : s->title[p];
		size_t room = wl_line_width(s->title[p]);

		room = room < 6 ? 6 : room;
		wl_line_put_spaces(out, 2 + room - wl_line_width(cell));
		(void)fputs(cell, out);
	}
	(void)fputs(g ? "\n" : "  of the window\n", out);
}

void wl_digest_split(FILE *out, const struct wl_section *section, bool in_doubt,
		     const struct wl_render_opts *opts)
{
	char head[LABEL], labels[MAX_GROUPS][LABEL];
	size_t shown, width;
	struct split s;

	if (!find(section, &s))
		return;
	if (s.n_groups == 1) {
		put_line(out, &s, in_doubt, opts);
		return;
	}
	shown = s.n_groups < MAX_GROUPS ? s.n_groups : MAX_GROUPS;
	if (shown < s.n_groups)
		(void)snprintf(head, sizeof(head), "%s (extremes of %zu)", s.info->subject,
			       s.n_rows);
	else
		(void)snprintf(head, sizeof(head), "%s", s.info->subject);
	width = wl_line_width(head);
	for (size_t i = 0; i < shown; i++) {
		size_t at = i + 1 < shown ? i : s.n_groups - 1;

		put_labels(&s.group[at], labels[i]);
		width = wl_line_width(labels[i]) > width ? wl_line_width(labels[i]) : width;
	}
	(void)fputs(opts->bold ? "\033[1m" : "", out);
	put_row(out, &s, head, width, NULL);
	(void)fputs(opts->bold ? "\033[0m" : "", out);
	for (size_t i = 0; i < shown; i++)
		put_row(out, &s, labels[i], width, &s.group[i + 1 < shown ? i : s.n_groups - 1]);
}

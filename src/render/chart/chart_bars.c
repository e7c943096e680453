/* SPDX-License-Identifier: MIT */
/*
 * chart_bars.c - a bar chart with one bar per name: a cause, a category or a class of sizes.
 *
 * Rows with one name form one bar, divided by group if there is a group column. Names beyond the
 * first MAX_NAMES share a bar, and groups beyond MAX_GROUPS share a division. This bounds both the
 * picture and the search for a name.
 */
#include <stdlib.h>
#include <string.h>

#include "render/chart/chart_parts.h"
#include "render/words/markup.h"

enum { MAX_NAMES = 24, MAX_GROUPS = 16 };
enum { HEIGHT = 15, PITCH = 22, LEFT = 120, LEFT_NAMED = 230, RIGHT = 130, ALSO = 60, FOOT = 22 };

enum { SETS = 16, BITS = 64 };

/* A page has fewer pictures than this: numbers of a chart's second picture start here. */
enum { SECOND_PICTURE = 10000 };

struct bar {
	char name[WL_PLOT_NAME];
	size_t order;        /* among all */
	uint64_t over[SETS]; /* values that it is a mean over, modulo SETS * BITS */
	double rest, n_over;
	double part[MAX_GROUPS];
	double total, also[WL_CHART_ALSO];
};

struct bars {
	struct bar bar[MAX_NAMES];
	size_t n, more; /* more: rows whose name has no bar of its own */
	char group[MAX_GROUPS][WL_PLOT_NAME];
	size_t n_groups;
	double total, longest;
};

/* Where bars begin: names of several words need more room to the left. */
static double left_of(const struct wl_plot *p)
{
	return p->chart->named[0] ? LEFT_NAMED : LEFT;
}

/* The length of the longest bar, which leaves room for the numbers after it. */
static double room_of(const struct wl_plot *p)
{
	return WL_SVG_WIDTH - left_of(p) - RIGHT - ALSO * (double)p->n_also;
}

static size_t find_bar(struct bars *b, const char *name)
{
	size_t i = 0;

	while (i < b->n && strcmp(b->bar[i].name, name) != 0)
		i++;
	if (i < b->n)
		return i;
	if (b->n == MAX_NAMES) {
		b->more++;
		(void)snprintf(b->bar[MAX_NAMES - 1].name, WL_PLOT_NAME, "(others)");
		return MAX_NAMES - 1;
	}
	(void)snprintf(b->bar[i].name, WL_PLOT_NAME, "%s", name);
	b->bar[i].order = i;
	b->n++;
	return i;
}

static size_t find_group(struct bars *b, const char *name)
{
	size_t i = 0;

	while (i < b->n_groups && strcmp(b->group[i], name) != 0)
		i++;
	if (i < b->n_groups)
		return i;
	if (b->n_groups == MAX_GROUPS) {
		(void)snprintf(b->group[MAX_GROUPS - 1], WL_PLOT_NAME, "others");
		return MAX_GROUPS - 1;
	}
	(void)snprintf(b->group[i], WL_PLOT_NAME, "%s", name);
	b->n_groups++;
	return i;
}

static int by_total(const void *va, const void *vb)
{
	const struct bar *a = va, *b = vb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return (a->order > b->order) - (a->order < b->order);
}

/* The label and the other names of the bar: "run.sqlite, vllm, llama". */
static const char *name_of(const struct wl_plot *p, size_t row, char buf[WL_PLOT_NAME])
{
	size_t n = strlen(wl_plot_name(p, row, p->label, buf)), col;

	for (size_t i = 0; i < WL_CHART_NAMED && p->chart->named[i]; i++) {
		char more[WL_PLOT_NAME];

		if (wl_table_find_col(p->view->table, p->chart->named[i], &col) && n < WL_PLOT_NAME)
			n += (size_t)snprintf(buf + n, WL_PLOT_NAME - n, ", %s",
					      wl_plot_name(p, row, col, more));
	}
	return buf;
}

/* Counts each value of the column that a bar is a mean over; its first row has the rest. */
static void count_over(const struct wl_plot *p, size_t row, struct bar *bar)
{
	const struct wl_table *t = p->view->table;
	size_t over, rest, at;
	uint64_t bit;

	if (!p->chart->mean_over || !wl_table_find_col(t, p->chart->mean_over, &over))
		return;
	at = (size_t)wl_plot_value(p, row, over) % ((size_t)SETS * BITS);
	bit = UINT64_C(1) << at % BITS;
	if (bar->over[at / BITS] & bit)
		return;
	bar->over[at / BITS] |= bit;
	bar->n_over++;
	if (p->chart->rest && wl_table_find_col(t, p->chart->rest->key, &rest))
		bar->rest += wl_plot_value(p, row, rest);
}

static void add_part(struct bars *b, struct bar *bar, size_t group, double v)
{
	bar->part[group] += v;
	bar->total += v;
	b->total += v;
}

/* Makes the rest a part, and turns sums into means. */
static void settle(const struct wl_plot *p, struct bars *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct bar *bar = &b->bar[i];

		if (bar->rest > 0)
			add_part(b, bar, find_group(b, p->chart->rest->name), bar->rest);
		b->total -= bar->n_over > 1 ? bar->total - bar->total / bar->n_over : 0;
		bar->total /= bar->n_over > 1 ? bar->n_over : 1;
		for (size_t g = 0; g < b->n_groups; g++)
			bar->part[g] /= bar->n_over > 1 ? bar->n_over : 1;
	}
}

static void find_longest(struct bars *b)
{
	b->longest = 0;
	for (size_t i = 0; i < b->n; i++)
		b->longest = b->bar[i].total > b->longest ? b->bar[i].total : b->longest;
}

static void read_rows(const struct wl_plot *p, struct bars *b)
{
	bool has_group = p->group < p->view->table->n_cols;
	char name[WL_PLOT_NAME];

	for (size_t row = 0; row < p->n_rows; row++) {
		struct bar *bar = &b->bar[find_bar(b, name_of(p, row, name))];
		size_t group = find_group(b, has_group ? wl_plot_name(p, row, p->group, name) : "");

		add_part(b, bar, group, wl_plot_value(p, row, p->part[0]));
		count_over(p, row, bar);
		for (size_t i = 0; i < p->n_also; i++)
			bar->also[i] += wl_plot_value(p, row, p->also[i]);
	}
	settle(p, b);
	if (p->chart->ranked)
		qsort(b->bar, b->n, sizeof(b->bar[0]), by_total);
	find_longest(b);
}

static struct wl_swatch fill_of(const struct wl_plot *p, const struct bars *b, size_t bar,
				size_t group)
{
	/* A bar next to its name needs no hatch. */
	struct wl_swatch plain = { wl_swatch_of(b->bar[bar].name, 0).colour, WL_HATCH_NONE };

	return p->chart->by_group ? wl_swatch_of(b->group[group], group) : plain;
}

/* "2.25 s, 32.4%, 120 MB"; means have no share, because each bar is a whole. */
static void put_value(const struct wl_plot *p, const struct bars *b, const struct bar *bar,
		      double x, double y)
{
	char value[WL_UNITS_BUF], share[WL_UNITS_BUF], also[WL_UNITS_BUF];
	char text[4 * WL_UNITS_BUF];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", wl_plot_text(p, bar->total, value));

	if (!p->chart->mean_over)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s",
				      wl_fmt_ratio(share, bar->total / b->total));
	for (size_t i = 0; i < p->n_also; i++) {
		const struct wl_col *col = &p->view->table->cols[p->also[i]];

		n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s%s%s",
				      wl_number_text(col->type, bar->also[i], p->svg.unit, also),
				      col->type == WL_T_COUNT ? " " : "",
				      col->type == WL_T_COUNT ? col->key : "");
	}
	wl_svg_text(&p->svg, x, y, WL_ANCHOR_START, text, sizeof(text));
}

static void put_bar(const struct wl_plot *p, const struct bars *b, size_t i, double y, double top)
{
	const struct bar *bar = &b->bar[i];
	struct wl_svg_box box = { left_of(p), y, 0, HEIGHT };
	char value[WL_UNITS_BUF];

	wl_svg_text(&p->svg, left_of(p) - 8, y + 12, WL_ANCHOR_END, bar->name,
		    p->chart->named[0] ? 34 : 16);
	for (size_t g = 0; g < b->n_groups; g++) {
		if (bar->part[g] <= 0)
			continue;
		box.w = room_of(p) * bar->part[g] / top;
		wl_svg_begin_box(&p->svg, box, fill_of(p, b, i, g));
		wl_put_element(p->svg.out, "<title>", bar->name, "");
		wl_put_element(p->svg.out, *b->group[g] ? ", " : "", b->group[g], ": ");
		(void)fprintf(p->svg.out, "%s</title>", wl_plot_text(p, bar->part[g], value));
		wl_svg_end_box(&p->svg);
		if (p->chart->mean_over)
			wl_svg_text_in(&p->svg, box, fill_of(p, b, i, g).colour, value);
		box.x += box.w;
	}
	put_value(p, b, bar, box.x + 6, y + 12);
}

static void put_legend(const struct wl_plot *p, const struct bars *b)
{
	if (!p->chart->by_group)
		return;
	wl_legend_begin(p);
	for (size_t g = 0; g < b->n_groups; g++)
		wl_legend_put(p, fill_of(p, b, 0, g), b->group[g]);
	wl_legend_end(p);
}

/* A cell in the unit of the whole table; empty if the bar has nothing in the group. */
static void put_cell(FILE *out, double ns, double unit)
{
	if (ns <= 0)
		(void)fputs("<td class=\"num\"></td>", out);
	else
		(void)fprintf(out, "<td class=\"num\">%.*f</td>", unit < 1e9 ? 3 : 6, ns / unit);
}

static void put_pivot_row(const struct wl_plot *p, const struct bars *b, size_t group, double unit)
{
	bool is_total = group == b->n_groups;

	wl_put_element(p->svg.out, is_total ? "<tr><th>" : "<tr><td>",
		       is_total ? "Total" : b->group[group], is_total ? "</th>" : "</td>");
	for (size_t i = 0; i < b->n; i++)
		put_cell(p->svg.out, is_total ? b->bar[i].total : b->bar[i].part[group], unit);
	(void)fputs("</tr>\n", p->svg.out);
}

/* A table of groups by bars, with totals, to compare and to copy into a spreadsheet. */
void wl_plot_pivot(const struct wl_plot *p)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	struct bars b = { .n = 0 };
	size_t u = 0;

	if (!p->chart->pivot || p->type != WL_T_NS)
		return;
	read_rows(p, &b);
	while (u + 1 < WL_COUNT(units) && b.longest < units[u].ns)
		u++;
	(void)fprintf(p->svg.out, "<table class=\"pivot\">\n<thead><tr><th>%s, %s</th>",
		      p->group < p->view->table->n_cols ? p->view->table->cols[p->group].title : "",
		      units[u].name);
	for (size_t i = 0; i < b.n; i++)
		wl_put_element(p->svg.out, "<th>", b.bar[i].name, "</th>");
	(void)fputs("</tr></thead>\n<tbody>\n", p->svg.out);
	for (size_t g = 0; g <= b.n_groups; g++)
		put_pivot_row(p, &b, g, units[u].ns);
	(void)fputs("</tbody>\n</table>\n", p->svg.out);
}

static void put_picture(const struct wl_plot *p, const struct bars *b)
{
	struct wl_swatch fills[MAX_GROUPS];
	struct wl_scale scale = wl_scale_make(b->longest, 4, p->type, p->svg.unit);
	double bottom = (double)(b->n * PITCH) + 2;

	for (size_t g = 0; g < b->n_groups; g++)
		fills[g] = fill_of(p, b, 0, g);
	wl_svg_begin(&p->svg, bottom + FOOT, p->chart->title, p->chart->shows);
	wl_svg_hatches(&p->svg, fills, b->n_groups);
	wl_plot_axis(p, &scale, left_of(p), room_of(p), 0, bottom);
	for (size_t i = 0; i < b->n; i++)
		put_bar(p, b, i, (double)(i * PITCH) + 3, scale.top);
	wl_svg_end(&p->svg);
}

/* Removes the rest, which is the last group, from the bars; false if they have none. */
static bool take_rest(const struct wl_plot *p, struct bars *b)
{
	bool has_rest = false, has_more = false;
	size_t rest;

	if (!p->chart->rest)
		return false;
	rest = find_group(b, p->chart->rest->name);
	for (size_t i = 0; i < b->n; i++) {
		has_rest = has_rest || b->bar[i].part[rest] > 0;
		b->bar[i].total -= b->bar[i].part[rest];
		b->bar[i].part[rest] = 0;
		has_more = has_more || b->bar[i].total > 0;
	}
	find_longest(b);
	return has_rest && has_more;
}

/* A switch between bars with and without their rest: next to a long rest the other parts can be too
 * short. */
static void put_pictures(const struct wl_plot *p, const struct bars *b)
{
	struct bars without = *b;
	struct wl_plot second = *p;

	if (!take_rest(p, &without)) {
		put_picture(p, b);
		return;
	}
	second.svg.number += SECOND_PICTURE;
	wl_put_element(p->svg.out, "<label><input type=\"checkbox\" class=\"rest\"> without ",
		       p->chart->rest->name, "</label>\n");
	put_picture(p, b);
	put_picture(&second, &without);
}

void wl_plot_bars(const struct wl_plot *p, char remark[WL_REMARK])
{
	struct bars b = { .n = 0 };

	read_rows(p, &b);
	put_pictures(p, &b);
	put_legend(p, &b);
	if (b.more)
		(void)snprintf(remark, WL_REMARK, "%zu more rows share the bar (others).", b.more);
	else if (!p->chart->by_group && b.n_groups > 1)
		(void)snprintf(remark, WL_REMARK, "Each bar is divided by %s.",
			       p->view->table->cols[p->group].title);
}

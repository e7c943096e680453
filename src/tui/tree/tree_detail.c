/* SPDX-License-Identifier: MIT */
/* tree_detail.c - the pane below the tree: the selected node's path, iterations and kernels. */
#include <stdio.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "tui/tree/tree.h"

static const struct wl_style plain = { WL_INK_DEFAULT, WL_INK_DEFAULT, 0 };
static const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };

enum { MAX_BARS = 64, SCRATCH = 1 << 20 };

/* GPU time of a fold by iteration in the window. */
struct series {
	const wl_ns *at;
	size_t n, first;
	size_t worst; /* number of the iteration */
};

static bool series_of(const struct wl_tree_model *m, const struct wl_tree_node *n,
		      struct series *ret)
{
	size_t worst = 0;

	if (m->mode != WL_TREE_AGGREGATED || !m->busy_at || !m->n_iterations ||
	    (n->kind != WL_TREE_RANGE && n->kind != WL_TREE_SPAN) || m->last_iteration >= m->n_at)
		return false;
	ret->first = m->first_iteration;
	ret->n = m->last_iteration - m->first_iteration + 1;
	ret->at = m->busy_at + (size_t)n->id * m->n_at + ret->first;
	for (size_t i = 0; i < ret->n; i++)
		worst = ret->at[i] > ret->at[worst] ? i : worst;
	ret->worst = ret->first + worst;
	return ret->n > 1 && ret->at[worst] > 0;
}

/* Drawn in eighth blocks; with more iterations than bars, each bar is the highest of several. */
static int draw_series(struct wl_screen *s, int x, int y, int width, const struct series *r)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t n = r->n < (size_t)width ? r->n : (size_t)width;
	wl_ns most = r->at[r->worst - r->first];

	for (size_t i = 0; i < n; i++) {
		wl_ns v = 0;
		size_t height;

		for (size_t j = i * r->n / n; j < (i + 1) * r->n / n; j++)
			v = r->at[j] > v ? r->at[j] : v;
		height = (size_t)(8.0 * (double)v / (double)most);
		wl_screen_text(s, x + (int)i, y, 1, plain, bars[height < 8 ? height : 7]);
	}
	return (int)n;
}

static void draw_path(const struct wl_tree *t, struct wl_screen *s, int y)
{
	const struct wl_tree_model *m = t->display.model;
	const struct wl_tree_node *n = wl_tree_get(m, t->selected);
	int width = s->cols - 2, x;
	char buf[1024], time[WL_UNITS_BUF], length[WL_TREE_CELL];
	struct series r;

	if (series_of(m, n, &r)) {
		int n_bars = s->cols / 5 < MAX_BARS ? s->cols / 5 : MAX_BARS;

		n_bars = r.n < (size_t)n_bars ? (int)r.n : n_bars;
		x = s->cols - n_bars - 26;
		x += wl_screen_text(s, x, y, 14, dim, "per-iteration ");
		x += draw_series(s, x, y, n_bars, &r);
		wl_screen_print(s, x, y, s->cols - x, plain, " worst %zu", r.worst);
		width = s->cols - n_bars - 29;
	} else if (n->start != WL_NO_TIME) {
		(void)snprintf(buf, sizeof(buf), "at %s, %s",
			       wl_fmt_time(time, n->start, WL_UNIT_S),
			       wl_tree_length(n->is.p50, length));
		x = s->cols - 1 - (int)wl_utf8_width(buf);
		wl_screen_text(s, x, y, s->cols - x, plain, buf);
		width = x - 3;
	}
	wl_screen_label(s, 1, y, width, plain, wl_tree_path(m, t->selected, buf, sizeof(buf)));
}

/* Names of the kernels with the largest sums, all different. */
static void name_tops(const struct wl_tree *t, int cols, struct wl_tree_label *ret,
		      struct wl_arena *arena)
{
	for (size_t i = 0; i < t->n_tops; i++) {
		const struct wl_tree_top *top = &t->top[i];

		ret[i] = (struct wl_tree_label){ .text = top->name, .width = i ? 24 : cols / 3 };
		if (top->kernel_name != WL_NONE)
			ret[i].text = wl_app_kernel_name(t->app, 0, top->kernel_name);
	}
	wl_tree_cut(ret, t->n_tops, arena);
}

static void draw_tops(const struct wl_tree *t, struct wl_screen *s, int x, int y)
{
	const struct wl_tree_model *m = t->display.model;
	bool per_iteration = wl_tree_divisor(m) > 1;
	struct wl_tree_label name[WL_TREE_TOPS];
	struct wl_arena scratch;

	wl_arena_init(&scratch, SCRATCH);
	name_tops(t, s->cols, name, &scratch);
	for (size_t i = 0; i < t->n_tops; i++) {
		char length[WL_TREE_CELL];

		/* Entries without room for a readable name are left out. */
		if (s->cols - x < 36 && i)
			break;
		x += wl_screen_text(s, x, y, 2, plain, i ? ", " : "");
		x += wl_screen_label(s, x, y, name[i].width, plain, name[i].text);
		x += wl_screen_print(
			s, x, y, s->cols - x, plain, " %s%s",
			wl_tree_length(t->top[i].sum / (wl_ns)wl_tree_divisor(m), length),
			per_iteration ? "/it" : "");
	}
	wl_arena_release(&scratch);
}

static void draw_figures(const struct wl_tree *t, struct wl_screen *s, int y)
{
	const struct wl_tree_node *n = wl_tree_get(t->display.model, t->selected);
	wl_ns divisor = (wl_ns)wl_tree_divisor(t->display.model);
	char a[WL_TREE_CELL], b[WL_TREE_CELL];
	int x = 1;

	if (n->is.comm)
		x += wl_screen_print(s, x, y, s->cols - x, plain, "comm %s, %.0f%% exposed   ",
				     wl_tree_length(n->is.comm / divisor, a),
				     100.0 * (double)n->is.exposed / (double)n->is.comm);
	if (n->is.calls && n->start == WL_NO_TIME)
		x += wl_screen_print(s, x, y, s->cols - x, plain, "p50 %s p99 %s   ",
				     wl_tree_length(n->is.p50, a), wl_tree_length(n->is.p99, b));
	if (n->is.bridged)
		x += wl_screen_print(s, x, y, s->cols - x, plain,
				     "other threads launched %s meanwhile   ",
				     wl_tree_length(n->is.bridged / divisor, a));
	wl_screen_print(s, x, y, s->cols - x, plain, "%zu GPU op%s", n->is.ops,
			n->is.ops == 1 ? "" : "s");
}

void wl_tree_draw_detail(const struct wl_tree *t, struct wl_screen *s,
			 const struct wl_tree_layout *l)
{
	static const char words[] = " detail ";

	for (int x = 0; x < s->cols; x++)
		wl_screen_put(s, x, l->rule_y, 0x2500, dim);
	wl_screen_text(s, 1, l->rule_y, s->cols - 1, plain, words);
	if (t->selected == WL_NONE ||
	    wl_tree_get(t->display.model, t->selected)->kind == WL_TREE_MORE)
		return;
	draw_path(t, s, l->rule_y + 1);
	draw_tops(t, s, 1, l->rule_y + 2);
	draw_figures(t, s, l->rule_y + 3);
}

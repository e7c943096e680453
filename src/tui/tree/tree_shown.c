/* SPDX-License-Identifier: MIT */
/* tree_shown.c - layout of the tree on the screen, and the names of its rows. */
#include <stdio.h>

#include "base/text/utf8.h"
#include "known/kernels/cuts.h"
#include "tui/tree/tree.h"

/* Screens with fewer lines have no detail pane, no coverage line. */
enum { DETAIL_LINES = 3, WITH_DETAIL = 15, WITH_COVERAGE = 11, WIDE = 80 };

static void choose_columns(const struct wl_tree *t, struct wl_tree_layout *l)
{
	int left = l->cols - 1 - (l->cols >= WIDE ? 36 : wl_tree_col_width(WL_TREE_COL_PATH));
	int x;

	for (size_t i = WL_TREE_COL_MEASURE; i < WL_N_TREE_COLS_SHOWN; i++) {
		int width = wl_tree_col_width((enum wl_tree_col)i);

		if (t->display.model && !wl_tree_col_exists(&t->display, (enum wl_tree_col)i))
			continue;
		if (!t->col_on[i] || width > left) {
			l->n_hidden++;
			continue;
		}
		left -= width;
		l->col[l->n_cols].col = (enum wl_tree_col)i;
		l->col[l->n_cols++].width = width;
	}
	x = l->cols;
	for (size_t i = l->n_cols; i-- > 0;) {
		x -= l->col[i].width;
		l->col[i].x = x;
	}
	l->path_width = x - 1;
}

void wl_tree_lay_out(const struct wl_tree *t, int cols, int rows, struct wl_tree_layout *ret)
{
	int y = 1, below = 2; /* footer and state */

	*ret = (struct wl_tree_layout){
		.cols = cols, .rows = rows, .coverage_y = -1, .rule_y = -1
	};
	if (rows >= WITH_COVERAGE)
		ret->coverage_y = y++;
	ret->head_y = y++;
	ret->body_y = y;
	if (rows >= WITH_DETAIL) {
		ret->n_details = DETAIL_LINES;
		below += DETAIL_LINES + 1;
		ret->rule_y = rows - below;
	}
	ret->body = rows - below - y;
	choose_columns(t, ret);
}

int wl_tree_mark_x(const struct wl_tree_layout *l, const struct wl_tree_node *node)
{
	int most = l->path_width / 2, indent = node->depth < 1000 ? 2 * (int)node->depth : 2000;

	return 1 + (indent < most ? indent : most - most % 2);
}

const char *wl_tree_name(const struct wl_tree *t, uint32_t node, char buf[WL_TREE_NAME])
{
	const struct wl_tree_model *m = t->display.model;
	const struct wl_tree_node *n = wl_tree_get(m, node);
	uint32_t kernel = wl_tree_kernel_name(m, n);

	if (kernel != WL_NONE)
		return wl_app_kernel_name(t->app, 0, kernel);
	if (n->kind == WL_TREE_MORE) {
		(void)snprintf(buf, WL_TREE_NAME, "… %u more (Enter)", n->n_names);
		return buf;
	}
	return wl_tree_node_name(n, buf);
}

static bool is_cut(const struct wl_tree_label *label)
{
	return label->width > 0 && wl_utf8_width(label->text) > (size_t)label->width;
}

/* All that are cut at the column of the first; the narrowest room is that of all. */
static bool cut_column(struct wl_tree_label *label, size_t n, const char **name,
		       struct wl_arena *arena)
{
	struct wl_cut_opts opts = { .width = (size_t)label->width };
	size_t n_names = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		if (label[i].x != label->x || !is_cut(&label[i]))
			continue;
		name[n_names++] = label[i].text;
		opts.width =
			opts.width < (size_t)label[i].width ? opts.width : (size_t)label[i].width;
	}
	if (!wl_names_cut(name, n_names, &opts, arena, name))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (label[i].x == label->x && is_cut(&label[i]))
			label[i].text = name[at++];
	}
	return true;
}

/* A screen has few rows, so each column looks at all of them. */
void wl_tree_cut(struct wl_tree_label *label, size_t n, struct wl_arena *arena)
{
	const char **name = WL_NEW(arena, const char *, n);

	for (size_t i = 0; name && i < n; i++) {
		if (is_cut(&label[i]) && !cut_column(label + i, n - i, name, arena))
			return;
	}
}

size_t wl_tree_scrolled(const struct wl_tree *t, int body)
{
	size_t n = (size_t)(body > 0 ? body : 1), first = t->scroll;

	if (first > t->row)
		first = t->row;
	if (t->row >= first + n)
		first = t->row - n + 1;
	if (first + n > t->rows.n)
		first = t->rows.n > n ? t->rows.n - n : 0;
	return first;
}

bool wl_tree_is_waiting(const struct wl_tree *t)
{
	return t->job[0].is_asked || t->job[1].is_asked;
}

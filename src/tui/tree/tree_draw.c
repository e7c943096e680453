/* SPDX-License-Identifier: MIT */
/* tree_draw.c - the tree on the screen: title, columns, rows, state. */
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/utf8.h"
#include "tui/tree/tree.h"

enum { ITERATIONS_BUF = 96, SCRATCH = 1 << 24 };

static const struct wl_style plain = { WL_INK_DEFAULT, WL_INK_DEFAULT, 0 };
static const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };
static const struct wl_style title = { WL_INK_TITLE, WL_INK_DEFAULT, WL_ATTR_REVERSE };
static const struct wl_style head = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_BOLD };
static const struct wl_style alert = { WL_INK_ALERT, WL_INK_DEFAULT, 0 };

/* With thousands separators. */
static const char *grouped(size_t n, char buf[WL_TREE_CELL])
{
	char digits[WL_TREE_CELL];
	int length = snprintf(digits, sizeof(digits), "%zu", n), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

static const char *gpus(const struct wl_tree *t, char buf[WL_TREE_CELL])
{
	const char *chosen = wl_app_options(t->app)->request.selection.gpu;
	size_t n = t->display.model ? t->display.model->trace->n_devices : 0;

	if (chosen)
		(void)snprintf(buf, WL_TREE_CELL, "GPU %.20s", chosen);
	else if (n > 1)
		(void)snprintf(buf, WL_TREE_CELL, "GPU 0-%zu", n - 1);
	else
		(void)snprintf(buf, WL_TREE_CELL, n ? "GPU 0" : "no GPU");
	return buf;
}

/* "steps 4..48 (45)", and "(8×45)" of eight processes. */
static const char *iterations(const struct wl_tree_model *m, char buf[ITERATIONS_BUF])
{
	size_t n = m->n_iterations, of = m->n_processes;

	if (!n)
		return "no steps";
	if (of > 1 && n % of == 0)
		(void)snprintf(buf, ITERATIONS_BUF, "steps %zu..%zu (%zu×%zu)", m->first_iteration,
			       m->last_iteration, of, n / of);
	else
		(void)snprintf(buf, ITERATIONS_BUF, "steps %zu..%zu (%zu)", m->first_iteration,
			       m->last_iteration, n);
	return buf;
}

/* The name of the file gives way first. */
static void draw_title(const struct wl_tree *t, struct wl_screen *s)
{
	static const char words[] = "nvtx tree  ";
	const struct wl_tree_model *m = t->display.model;
	const char *file = wl_path_name(wl_app_scene(t->app, 0)->path);
	char gpu[WL_TREE_CELL], its[ITERATIONS_BUF], n[WL_TREE_CELL], rest[400] = "";
	int x = 1, room;

	wl_screen_fill(s, 0, 0, s->cols, 1, title);
	if (m)
		(void)snprintf(rest, sizeof(rest), "  %s  %s  mode: %s  %s %s", gpus(t, gpu),
			       iterations(m, its),
			       m->mode == WL_TREE_AGGREGATED ? "aggregated" : "chronological",
			       grouped(m->n_paths, n),
			       m->mode == WL_TREE_AGGREGATED ? "paths" : "ranges");
	x += wl_screen_text(s, x, 0, s->cols - x, title, words);
	room = s->cols - x - (int)wl_utf8_width(rest) - 1;
	x += wl_screen_label(s, x, 0, room < 8 ? 8 : room, title, file);
	wl_screen_text(s, x, 0, s->cols - x, title, rest);
}

static void draw_coverage(const struct wl_tree *t, struct wl_screen *s, int y)
{
	static const char *const units[] = { NULL, "% of all", "per call" };
	const struct wl_tree_model *m = t->display.model;
	double of = m->kernels ? (double)m->kernels : 1;
	int x;

	if (!m->kernels)
		x = 1 + wl_screen_text(s, 1, y, s->cols - 1, plain, "no kernels in this window");
	else
		x = 1 + wl_screen_print(s, 1, y, s->cols - 1, plain,
					"GPU time covered by NVTX %.1f%%  (unattributed %.1f%%)",
					100 * (double)m->kernels_in / of,
					100 * (double)(m->kernels - m->kernels_in) / of);
	if (m->kernels_bridged > m->kernels_in && s->cols >= 110)
		x += wl_screen_print(s, x, y, s->cols - x, plain, "  bridged %.1f%%",
				     100 * (double)m->kernels_bridged / of);
	wl_screen_print(
		s, x, y, s->cols - x, plain, "   units: %s%s",
		t->display.unit == WL_TREE_MS ? wl_tree_scale(m).unit : units[t->display.unit],
		t->display.unit == WL_TREE_MS && m->mode == WL_TREE_AGGREGATED && m->n_iterations
			? s->cols >= 110 && m->n_processes > 1 ? " per iteration of a process"
							       : " per iteration"
			: "");
}

static void put_right(struct wl_screen *s, int x, int y, int width, struct wl_style style,
		      const char *text)
{
	int needed = (int)wl_utf8_width(text);

	if (needed > width - 1)
		needed = width - 1;
	wl_screen_text(s, x + width - needed, y, needed, style, text);
}

static void draw_heads(const struct wl_tree *t, struct wl_screen *s, const struct wl_tree_layout *l)
{
	char buf[WL_TREE_CELL];

	wl_screen_text(s, 3, l->head_y, l->path_width - 2, head, "PATH");
	if (t->display.sort == WL_TREE_COL_PATH)
		wl_screen_mark(s, 3, l->head_y, 4, WL_ATTR_UNDERLINE);
	for (size_t i = 0; i < l->n_cols; i++) {
		const char *text = wl_tree_col_title(&t->display, l->col[i].col, buf);
		int width = (int)wl_utf8_width(text);

		put_right(s, l->col[i].x, l->head_y, l->col[i].width, head, text);
		if (t->display.sort == l->col[i].col)
			wl_screen_mark(s, l->col[i].x + l->col[i].width - width, l->head_y, width,
				       WL_ATTR_UNDERLINE);
	}
}

/* A color of operations. */
static const char *tag(uint8_t colour)
{
	static const char *const tags[WL_N_COLOURS] = {
		[WL_COLOUR_GEMM] = "GEMM", [WL_COLOUR_ATTENTION] = "ATTN",
		[WL_COLOUR_NORM] = "ELEM", [WL_COLOUR_COMM] = "COMM",
		[WL_COLOUR_COPY] = "MEM",  [WL_COLOUR_OTHER] = "OTHR",
	};

	return colour < WL_N_COLOURS && tags[colour] ? tags[colour] : "";
}

static uint8_t colour_of(const struct wl_tree *t, const struct wl_tree_node *n)
{
	const struct wl_scene *scene = wl_app_scene(t->app, 0);
	uint32_t kernel = wl_tree_kernel_name(t->display.model, n);

	if (kernel == WL_NONE)
		return strcmp(n->label, "(graph)") == 0 ? WL_COLOUR_OTHER : WL_COLOUR_COPY;
	return scene->tracks.kernel_category ? scene->tracks.kernel_category[kernel]
					     : (uint8_t)WL_COLOUR_OTHER;
}

/* Text at the right end of the path: the category, or the exposed time. */
static const char *remark(const struct wl_tree *t, const struct wl_tree_node *n,
			  char buf[WL_TREE_CELL])
{
	wl_ns exposed = n->is.exposed / (wl_ns)wl_tree_divisor(t->display.model);
	char length[WL_TREE_CELL];

	buf[0] = '\0';
	if (n->kind == WL_TREE_OP)
		return tag(colour_of(t, n));
	/* If the node is open, its children show which of them are exposed. */
	if (!n->is_open && exposed >= 10000 && t->display.measure != WL_TREE_EXPOSED)
		(void)snprintf(buf, WL_TREE_CELL, "exposed %s", wl_tree_length(exposed, length));
	return buf;
}

static const char *mark_of(const struct wl_tree_node *n)
{
	if (n->kind == WL_TREE_OP)
		return "■";
	if (!n->has_children)
		return n->kind == WL_TREE_MORE ? " " : "·";
	return n->is_open ? "▾" : "▸";
}

/* Position of a node's name: it ends at the remark, if both fit. */
static struct wl_tree_label place_name(const struct wl_tree *t, const struct wl_tree_layout *l,
				       const struct wl_tree_node *n)
{
	char cell[WL_TREE_CELL];
	int x = wl_tree_mark_x(l, n), end = 1 + l->path_width;
	int room = (int)wl_utf8_width(remark(t, n, cell));

	if (room && end - room > x + 12)
		end -= room + 2;
	return (struct wl_tree_label){ .text = "", .x = x + 2, .width = end - x - 2 };
}

struct drawing {
	const struct wl_tree *t;
	struct wl_screen *s;
	const struct wl_tree_layout *l;
	bool explained; /* a row has explained × */
};

static void draw_remark(const struct drawing *d, int x, int y, uint32_t node)
{
	const struct wl_tree_node *n = wl_tree_get(d->t->display.model, node);
	char cell[WL_TREE_CELL];

	put_right(d->s, x, y, 1 + d->l->path_width - x,
		  node == d->t->selected  ? plain
		  : n->kind == WL_TREE_OP ? dim
					  : alert,
		  remark(d->t, n, cell));
}

static void draw_row(struct drawing *d, int y, uint32_t node, const struct wl_tree_label *name)
{
	static const char folded[] = " (folded by number)";
	const struct wl_tree_node *n = wl_tree_get(d->t->display.model, node);
	bool is_selected = node == d->t->selected;
	struct wl_style mark = plain;
	char cell[WL_TREE_CELL];
	int x = name->x, end = x + name->width;

	/* The selected line is plain: reversed, colors would become backgrounds. */
	if (n->kind == WL_TREE_OP && !is_selected)
		mark.fg = colour_of(d->t, n);
	if (end <= d->l->path_width)
		draw_remark(d, end, y, node);
	wl_screen_text(d->s, x - 2, y, 1, mark, mark_of(n));
	x += wl_screen_label(d->s, x, y, end - x, plain, name->text);
	if (n->n_names > 1 && !d->explained && end - x >= (int)strlen(folded)) {
		wl_screen_text(d->s, x, y, end - x, is_selected ? plain : dim, folded);
		d->explained = true;
	}
	for (size_t i = 0; i < d->l->n_cols; i++)
		put_right(d->s, d->l->col[i].x, y, d->l->col[i].width, plain,
			  wl_tree_cell(&d->t->display, d->l->col[i].col, node, cell));
	if (is_selected)
		wl_screen_mark(d->s, 0, y, d->s->cols, WL_ATTR_REVERSE);
}

/* The names of n rows and their places; NULL without memory. */
static struct wl_tree_label *name_rows(const struct wl_tree *t, const struct wl_tree_layout *l,
				       const uint32_t *node, size_t n, struct wl_arena *arena)
{
	struct wl_tree_label *ret = WL_NEW(arena, struct wl_tree_label, n);
	char buf[WL_TREE_NAME];

	for (size_t i = 0; ret && i < n; i++) {
		const char *text = wl_tree_name(t, node[i], buf);

		ret[i] = place_name(t, l, wl_tree_get(t->display.model, node[i]));
		ret[i].text = text == buf ? wl_arena_strdup(arena, text) : text;
		if (!ret[i].text)
			return NULL;
	}
	if (ret)
		wl_tree_cut(ret, n, arena);
	return ret;
}

static void draw_body(const struct wl_tree *t, struct wl_screen *s, const struct wl_tree_layout *l)
{
	size_t first = wl_tree_scrolled(t, l->body), body = l->body > 0 ? (size_t)l->body : 0;
	size_t n = t->rows.n - first < body ? t->rows.n - first : body;
	const uint32_t *node = n ? (const uint32_t *)t->rows.data + first : NULL;
	const struct wl_tree_label *name;
	struct wl_arena scratch;
	struct drawing d = { .t = t, .s = s, .l = l };

	wl_arena_init(&scratch, SCRATCH);
	name = n ? name_rows(t, l, node, n, &scratch) : NULL;
	for (size_t i = 0; name && i < n; i++)
		draw_row(&d, l->body_y + (int)i, node[i], &name[i]);
	wl_arena_release(&scratch);
	if (!t->rows.n)
		wl_screen_text(s, 3, l->body_y, s->cols - 3, dim,
			       t->display.min
				       ? "nothing is as long as the minimum (m)"
				       : "there are no ranges and no GPU work in this window");
}

static void draw_state(const struct wl_tree *t, struct wl_screen *s, const struct wl_tree_layout *l)
{
	static const char *const styles[] = { "short", "full", "mangled" };
	char sort[WL_TREE_CELL], min[WL_TREE_CELL], text[400];
	int n;

	n = snprintf(text, sizeof(text),
		     "find: %.40s   min %s   demangle: %s   sort: %s %s   %zu hidden column%s (f)",
		     t->find[0] ? t->find : "-",
		     t->display.min ? wl_tree_length(t->display.min, min) : "0us",
		     styles[wl_app_name_style(t->app)],
		     wl_tree_col_title(&t->display, t->display.sort, sort),
		     t->display.is_reversed == (t->display.sort == WL_TREE_COL_PATH) ? "▼" : "▲",
		     l->n_hidden, l->n_hidden == 1 ? "" : "s");
	if (n > 0 && (size_t)n < sizeof(text) && wl_tree_is_waiting(t))
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "   counting…");
	wl_screen_fill(s, 0, s->rows - 1, s->cols, 1, title);
	wl_screen_text(s, 1, s->rows - 1, s->cols - 1, title, text);
}

static void draw_waiting(const struct wl_tree *t, struct wl_screen *s)
{
	if (t->err.code != WL_OK)
		wl_screen_label(s, 1, 2, s->cols - 2, alert, t->err.msg);
	else
		wl_screen_text(s, 1, 2, s->cols - 2, plain, "counting what ranges launched…");
}

void wl_tree_draw(void *view, struct wl_screen *s)
{
	const struct wl_tree *t = view;
	struct wl_tree_layout l;

	draw_title(t, s);
	if (!wl_tree_is_ready(t)) {
		draw_waiting(t, s);
		return;
	}
	wl_tree_lay_out(t, s->cols, s->rows, &l);
	if (l.coverage_y >= 0)
		draw_coverage(t, s, l.coverage_y);
	draw_heads(t, s, &l);
	draw_body(t, s, &l);
	if (l.rule_y >= 0)
		wl_tree_draw_detail(t, s, &l);
	draw_state(t, s, &l);
}

/* SPDX-License-Identifier: MIT */
/* tree_cells.c - the columns of the tree: their numbers and their texts. */
#include <math.h>
#include <stdio.h>

#include "tui/tree/tree_display.h"

struct col_info {
	const char *key, *title;
	int width;
};

static const struct col_info cols[WL_N_TREE_COLS_SHOWN] = {
	[WL_TREE_COL_PATH] = { "path", "PATH", 22 },
	[WL_TREE_COL_MEASURE] = { "measure", NULL, 10 },
	[WL_TREE_COL_SHARE] = { "share", "%", 5 },
	[WL_TREE_COL_SELF] = { "self", "self", 6 },
	[WL_TREE_COL_CALLS] = { "calls", "calls", 7 },
	[WL_TREE_COL_WALL] = { "wall", "wall", 7 },
	[WL_TREE_COL_START] = { "start", "start", 12 },
	[WL_TREE_COL_DELTA] = { "delta", "Δp50", 8 },
	[WL_TREE_COL_P99] = { "p99", "p99", 7 },
	[WL_TREE_COL_P50] = { "p50", "p50", 8 },
	[WL_TREE_COL_EXPOSED] = { "exposed", "exposed", 9 },
	[WL_TREE_COL_BRIDGED] = { "bridged", "bridged", 9 },
	[WL_TREE_COL_OPS] = { "ops", "GPU ops", 9 },
};

int wl_tree_col_width(enum wl_tree_col col)
{
	return cols[col].width;
}

const char *wl_tree_col_key(enum wl_tree_col col)
{
	return cols[col].key;
}

bool wl_tree_col_exists(const struct wl_tree_display *s, enum wl_tree_col col)
{
	bool is_single = s->model->mode == WL_TREE_CHRONOLOGICAL;

	if (col == WL_TREE_COL_DELTA)
		return s->second != NULL;
	if (col == WL_TREE_COL_CALLS || col == WL_TREE_COL_P50 || col == WL_TREE_COL_P99)
		return !is_single;
	return col != WL_TREE_COL_START || is_single;
}

/* Chosen by the largest possible cell, so that all columns share one unit. */
struct wl_tree_scale wl_tree_scale(const struct wl_tree_model *m)
{
	wl_ns most = m->all.gpu > m->all.wall ? m->all.gpu : m->all.wall;

	if (most / (wl_ns)wl_tree_divisor(m) < 1000000)
		return (struct wl_tree_scale){ 1e3, "us" };
	return (struct wl_tree_scale){ 1e6, "ms" };
}

size_t wl_tree_divisor(const struct wl_tree_model *m)
{
	return m->mode == WL_TREE_AGGREGATED && m->n_iterations ? m->n_iterations : 1;
}

wl_ns wl_tree_measured(const struct wl_tree_display *s, const struct wl_tree_figures *is)
{
	if (s->measure == WL_TREE_GPU)
		return is->gpu;
	return s->measure == WL_TREE_WALL ? is->wall : is->exposed;
}

const char *wl_tree_col_title(const struct wl_tree_display *s, enum wl_tree_col col,
			      char buf[WL_TREE_CELL])
{
	static const char *const measures[] = { "GPU", "wall", "exp." };
	bool per_iteration = s->model->mode == WL_TREE_AGGREGATED && s->model->n_iterations;

	if (col != WL_TREE_COL_MEASURE)
		return cols[col].title;
	(void)snprintf(buf, WL_TREE_CELL, "%s%s%s%s", measures[s->measure],
		       s->unit == WL_TREE_MS ? " " : "",
		       s->unit == WL_TREE_MS ? wl_tree_scale(s->model).unit : "",
		       s->unit == WL_TREE_PERCENT    ? " %"
		       : s->unit == WL_TREE_PER_CALL ? "/call"
		       : per_iteration               ? "/it"
						     : "");
	return buf;
}

/* How much longer the second trace's median is; false if there is none to compare. */
static bool delta_of(const struct wl_tree_display *s, uint32_t node, wl_ns *ret)
{
	const struct wl_tree_node *a = wl_tree_get(s->model, node), *b;

	if (!s->second || !s->match || s->match[node] == WL_NONE || !a->is.calls)
		return false;
	b = wl_tree_get(s->second, s->match[node]);
	*ret = b->is.p50 - a->is.p50;
	return b->is.calls > 0;
}

int wl_tree_change(const struct wl_tree_display *s, uint32_t node)
{
	wl_ns delta, p50 = wl_tree_get(s->model, node)->is.p50;

	if (!delta_of(s, node, &delta) || fabs((double)delta) <= 0.05 * (double)p50)
		return 0;
	return delta > 0 ? 1 : -1;
}

static bool is_range(const struct wl_tree_node *n)
{
	return n->kind == WL_TREE_RANGE || n->kind == WL_TREE_SPAN;
}

/* The kinds that have a figure in a column. */
static bool has_figure(enum wl_tree_col col, const struct wl_tree_display *s,
		       const struct wl_tree_node *n)
{
	bool of_gpu = s->measure == WL_TREE_GPU || n->kind != WL_TREE_OP;

	if (n->kind == WL_TREE_MORE)
		return false;
	switch (col) {
	case WL_TREE_COL_MEASURE:
		return of_gpu && (s->measure != WL_TREE_WALL || is_range(n)) &&
		       (s->unit != WL_TREE_PER_CALL || n->is.calls);
	case WL_TREE_COL_SHARE:
		return of_gpu && (s->measure != WL_TREE_WALL || is_range(n));
	case WL_TREE_COL_SELF:
		return n->kind != WL_TREE_OP && n->is.gpu > 0;
	case WL_TREE_COL_CALLS:
		return n->kind != WL_TREE_OUTSIDE;
	case WL_TREE_COL_WALL:
	case WL_TREE_COL_P99:
	case WL_TREE_COL_P50:
		return n->is.calls > 0 && n->kind != WL_TREE_OUTSIDE;
	case WL_TREE_COL_EXPOSED:
		return n->kind != WL_TREE_OP;
	case WL_TREE_COL_BRIDGED:
		return is_range(n);
	case WL_TREE_COL_PATH:
	case WL_TREE_COL_DELTA:
	case WL_TREE_COL_OPS:
	case WL_TREE_COL_START:
	case WL_N_TREE_COLS_SHOWN:
		break;
	}
	return true;
}

double wl_tree_value(const struct wl_tree_display *s, enum wl_tree_col col, uint32_t node)
{
	const struct wl_tree_node *n = wl_tree_get(s->model, node);
	double measured = (double)wl_tree_measured(s, &n->is);
	wl_ns delta;

	if (!has_figure(col, s, n))
		return -HUGE_VAL;
	switch (col) {
	case WL_TREE_COL_MEASURE:
		return s->unit == WL_TREE_PER_CALL ? measured / (double)n->is.calls : measured;
	case WL_TREE_COL_SHARE:
		return measured;
	case WL_TREE_COL_SELF:
		return (double)n->is.own / (double)n->is.gpu;
	case WL_TREE_COL_CALLS:
		return (double)n->is.calls;
	case WL_TREE_COL_WALL:
		return (double)(n->kind == WL_TREE_OP ? n->is.p50 : n->is.wall);
	case WL_TREE_COL_DELTA:
		return delta_of(s, node, &delta) ? (double)delta : -HUGE_VAL;
	case WL_TREE_COL_P99:
		return (double)n->is.p99;
	case WL_TREE_COL_P50:
		return (double)n->is.p50;
	case WL_TREE_COL_EXPOSED:
		return (double)n->is.exposed;
	case WL_TREE_COL_BRIDGED:
		return (double)n->is.bridged;
	case WL_TREE_COL_OPS:
		return (double)n->is.ops;
	case WL_TREE_COL_PATH:
	case WL_TREE_COL_START:
	case WL_N_TREE_COLS_SHOWN:
		break;
	}
	return 0;
}

/* In the unit of the columns, per iteration, in about four characters. */
static const char *scaled(const struct wl_tree_display *s, wl_ns ns, char buf[WL_TREE_CELL])
{
	double v = (double)ns / wl_tree_scale(s->model).ns / (double)wl_tree_divisor(s->model);

	(void)snprintf(buf, WL_TREE_CELL, "%.*f", v < 999.995 ? 2 : v < 99999.95 ? 1 : 0, v);
	return buf;
}

const char *wl_tree_length(wl_ns ns, char buf[WL_TREE_CELL])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	size_t i = 0;

	while (i < 3 && v >= 999.5) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, WL_TREE_CELL, "%.*f%s",
		       i == 0 || v >= 99.95 ? 0
		       : v >= 9.995         ? 1
					    : 2,
		       v, unit[i]);
	return buf;
}

static const char *percent(double ratio, char buf[WL_TREE_CELL])
{
	double v = 100 * ratio;

	(void)snprintf(buf, WL_TREE_CELL, "%.*f%%", v > 0 && v < 0.95 ? 1 : 0, v);
	return buf;
}

static const char *count(size_t n, char buf[WL_TREE_CELL])
{
	if (n < 1000000)
		(void)snprintf(buf, WL_TREE_CELL, "%zu", n);
	else
		(void)snprintf(buf, WL_TREE_CELL, "%.2fM", (double)n / 1e6);
	return buf;
}

static const char *measure_text(const struct wl_tree_display *s, const struct wl_tree_node *n,
				char buf[WL_TREE_CELL])
{
	wl_ns v = wl_tree_measured(s, &n->is), all = wl_tree_measured(s, &s->model->all);

	if (s->unit == WL_TREE_PER_CALL)
		return wl_tree_length(v / (wl_ns)n->is.calls, buf);
	if (s->unit == WL_TREE_MS)
		return scaled(s, v, buf);
	if (!all)
		return "-";
	(void)snprintf(buf, WL_TREE_CELL, "%.2f%%", 100.0 * (double)v / (double)all);
	return buf;
}

/* Two digits are enough for a difference. */
static const char *short_length(wl_ns ns, char buf[WL_TREE_CELL])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	size_t i = 0;

	while (i < 3 && v >= 999.5) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, WL_TREE_CELL, "%.*f%s", i && v < 9.95 ? 1 : 0, v, unit[i]);
	return buf;
}

static const char *delta_text(const struct wl_tree_display *s, uint32_t node,
			      char buf[WL_TREE_CELL])
{
	int change = wl_tree_change(s, node);
	char length[WL_TREE_CELL];
	wl_ns delta;

	if (!delta_of(s, node, &delta))
		return "-";
	if (!delta)
		return "=";
	(void)snprintf(buf, WL_TREE_CELL, "%s%s%.20s",
		       change > 0   ? "▲"
		       : change < 0 ? "▼"
				    : "",
		       delta < 0 ? "-" : "+", short_length(delta < 0 ? -delta : delta, length));
	return buf;
}

/* Calls per iteration, with one decimal. */
static const char *wall_text(const struct wl_tree_display *s, const struct wl_tree_node *n,
			     char buf[WL_TREE_CELL])
{
	double v =
		(double)n->is.wall / wl_tree_scale(s->model).ns / (double)wl_tree_divisor(s->model);

	if (n->kind == WL_TREE_OP)
		return wl_tree_length(n->is.p50, buf);
	(void)snprintf(buf, WL_TREE_CELL, "%.*f", v < 0.95 ? 2 : v < 9999.5 ? 1 : 0, v);
	return buf;
}

const char *wl_tree_cell(const struct wl_tree_display *s, enum wl_tree_col col, uint32_t node,
			 char buf[WL_TREE_CELL])
{
	const struct wl_tree_node *n = wl_tree_get(s->model, node);
	wl_ns all = wl_tree_measured(s, &s->model->all);

	if (!has_figure(col, s, n))
		return n->kind == WL_TREE_MORE || (n->kind == WL_TREE_OP && col == WL_TREE_COL_SELF)
			       ? ""
			       : "-";
	switch (col) {
	case WL_TREE_COL_MEASURE:
		return measure_text(s, n, buf);
	case WL_TREE_COL_SHARE:
		return all ? percent((double)wl_tree_measured(s, &n->is) / (double)all, buf) : "-";
	case WL_TREE_COL_SELF:
		return percent((double)n->is.own / (double)n->is.gpu, buf);
	case WL_TREE_COL_CALLS:
		return count(n->is.calls, buf);
	case WL_TREE_COL_WALL:
		return wall_text(s, n, buf);
	case WL_TREE_COL_DELTA:
		return delta_text(s, node, buf);
	case WL_TREE_COL_P99:
		return wl_tree_length(n->is.p99, buf);
	case WL_TREE_COL_P50:
		return wl_tree_length(n->is.p50, buf);
	case WL_TREE_COL_EXPOSED:
		return scaled(s, n->is.exposed, buf);
	case WL_TREE_COL_BRIDGED:
		return scaled(s, n->is.bridged, buf);
	case WL_TREE_COL_OPS:
		return count(n->is.ops, buf);
	case WL_TREE_COL_START:
		if (n->start == WL_NO_TIME)
			return "-";
		(void)snprintf(buf, WL_TREE_CELL, "%.6f", (double)n->start / 1e9);
		return buf;
	case WL_TREE_COL_PATH:
	case WL_N_TREE_COLS_SHOWN:
		break;
	}
	return "";
}

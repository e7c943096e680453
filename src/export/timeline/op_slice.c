/* SPDX-License-Identifier: MIT */
/* op_slice.c - an operation as a slice: its name, category, flow and arguments. */
#include <stdio.h>

#include "derive/rows/ops.h"
#include "export/timeline/walk.h"
#include "known/exports/codes.h"

static void add_number(struct wl_op_slice *s, const char *key, int64_t number)
{
	s->arg[s->slice.n_args++] =
		(struct wl_emit_arg){ .key = key, .type = WL_ARG_INT, .number = number };
}

/* A NULL text is left out. */
static void add_text(struct wl_op_slice *s, const char *key, const char *text)
{
	if (text)
		s->arg[s->slice.n_args++] =
			(struct wl_emit_arg){ .key = key, .type = WL_ARG_KEPT_TEXT, .text = text };
}

/* Unrecorded numbers are left out. */
static void add_known(struct wl_op_slice *s, const char *key, uint32_t number)
{
	if (number != WL_NONE)
		add_number(s, key, number);
}

/* The text of a grid or block, which is kept; NULL if the size was not recorded. */
static const char *size_text(struct wl_walk *w, const uint32_t *size, const char **kept)
{
	char buf[40];

	if (size[0] == WL_NONE || size[1] == WL_NONE || size[2] == WL_NONE)
		return NULL;
	if (!*kept) {
		(void)snprintf(buf, sizeof(buf), "%ux%ux%u", size[0], size[1], size[2]);
		*kept = wl_arena_strdup(&w->arena, buf);
		w->failed = w->failed || !*kept;
	}
	return *kept;
}

static void add_config(struct wl_walk *w, uint32_t config, struct wl_op_slice *s)
{
	const struct wl_launch_config *c = &w->trace->configs[config];

	add_text(s, "grid", size_text(w, c->grid, &w->config[config].grid));
	add_text(s, "block", size_text(w, c->block, &w->config[config].block));
	add_known(s, "registers", c->registers);
	if (c->static_shared)
		add_known(s, "static_shared", c->static_shared);
	if (c->dynamic_shared)
		add_known(s, "dynamic_shared", c->dynamic_shared);
}

static void add_kernel_args(struct wl_walk *w, uint32_t row, struct wl_op_slice *s)
{
	const struct wl_trace *t = w->trace;

	if (wl_kernels_config(t) && wl_kernels_config(t)[row] < t->n_configs)
		add_config(w, wl_kernels_config(t)[row], s);
	if (wl_kernels_node(t) && wl_kernels_node(t)[row] != WL_NO_U64)
		add_number(s, "graph_node", (int64_t)wl_kernels_node(t)[row]);
}

static void add_args(struct wl_walk *w, enum wl_family_id family, uint32_t row,
		     struct wl_op_slice *s)
{
	const struct wl_trace *t = w->trace;
	const uint32_t *place = wl_trace_ops(t, family).place;

	if (family == WL_F_KERNELS) {
		add_kernel_args(w, row, s);
		return;
	}
	if (family == WL_F_GRAPHS) {
		if (wl_graphs_graph(t))
			add_known(s, "graph", wl_graphs_graph(t)[row]);
		return;
	}
	if (family == WL_F_MEMCPYS) {
		add_number(s, "bytes", wl_memcpys_bytes(t)[row]);
		add_text(s, "from", wl_memory_kind_name(wl_memcpys_src(t)[row]));
		add_text(s, "to", wl_memory_kind_name(wl_memcpys_dst(t)[row]));
	} else {
		add_number(s, "bytes", wl_memsets_bytes(t)[row]);
	}
	add_known(s, "stream", t->places[place[row]].stream);
}

static enum wl_op_kind kind_of(enum wl_family_id family)
{
	unsigned kind = 0;

	while (wl_op_families[kind] != family)
		kind++;
	return (enum wl_op_kind)kind;
}

void wl_op_slice_fill(struct wl_walk *w, enum wl_family_id family, uint32_t row,
		      struct wl_op_slice *s)
{
	const struct wl_trace *t = w->trace;
	const enum wl_op_kind kind = kind_of(family);
	struct wl_ops ops;

	s->slice.name = wl_op_name(t, family, row);
	s->slice.category = w->rules.category[wl_category_of_op(t, &w->categories, kind, row)];
	s->slice.flow_in = wl_flow_in(&w->flows, w->tracks, kind, row);
	if (!w->plan->args)
		return;
	ops = wl_trace_ops(t, family);
	if (ops.corr && ops.corr[row] != WL_NONE) {
		s->slice.has_correlation = true;
		s->slice.correlation =
			(uint64_t)t->places[ops.place[row]].process << 32 | ops.corr[row];
	}
	s->slice.args = s->arg;
	add_args(w, family, row, s);
}

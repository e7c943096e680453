/* SPDX-License-Identifier: MIT */
#include "derive/use/phases.h"

#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/forest.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"

/* The end of a phase's union so far, on one thread or device. */
struct until {
	uint32_t where; /* + 1; 0 for none yet */
	wl_ns end;
};

struct counting {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_forest *forest;
	const struct wl_links *links;
	const struct wl_classes *classes; /* or NULL */
	const struct wl_phase_opts *opts;
	uint32_t *outermost; /* by node: the outermost of it and its ancestors with a phase */
	struct until *until; /* by phase */
	struct until *piece; /* by node */
	struct wl_phase *phase;
};

static uint32_t phase_of_node(const struct counting *c, uint32_t node)
{
	return c->opts->of[c->forest->name[node]];
}

/* The time that [start, end) adds to the union; within a place, intervals come in order of
 * start. */
static wl_ns extend(struct until *u, uint32_t where, wl_ns start, wl_ns end)
{
	wl_ns from = u->where == where + 1 && u->end > start ? u->end : start;

	if (u->where != where + 1 || end > u->end)
		*u = (struct until){ where + 1, end };
	return end > from ? end - from : 0;
}

/* A node's parent has a smaller number. */
static void find_outermost(struct counting *c)
{
	for (uint32_t i = 0; i < c->forest->n; i++) {
		uint32_t parent = c->forest->parent[i];
		uint32_t above = parent == WL_NONE ? WL_NONE : c->outermost[parent];

		if (above == WL_NONE && phase_of_node(c, i) != WL_NONE)
			above = i;
		c->outermost[i] = above;
	}
}

static void count_range(struct counting *c, uint32_t thread, uint32_t node)
{
	uint32_t parent = c->forest->parent[node], phase = phase_of_node(c, node);
	uint32_t process = c->trace->threads[thread].process;
	wl_ns start = c->forest->start[node], end = c->forest->end[node];
	struct wl_phase *p;

	if (phase == WL_NONE || (parent != WL_NONE && c->outermost[parent] != WL_NONE) ||
	    !wl_clip(c->scope, c->scope->process[process], &start, &end))
		return;
	p = &c->phase[phase];
	p->ranges++;
	p->host_busy = wl_add_up(p->host_busy, extend(&c->until[phase], thread, start, end));
}

static void count_ranges(struct counting *c)
{
	for (uint32_t thread = 0; thread < c->trace->n_threads; thread++) {
		struct wl_slice nodes = c->forest->nodes[thread];

		if (!c->scope->process_on[c->trace->threads[thread].process])
			continue;
		for (size_t i = nodes.lo; i < nodes.hi; i++)
			count_range(c, thread, (uint32_t)i);
	}
}

/* The range that gives the call its phase, WL_NONE for none. */
static uint32_t range_of_call(const struct counting *c, uint32_t call)
{
	const struct wl_forest *f = c->forest;
	uint32_t own = f->of_call[call], range = own == WL_NONE ? WL_NONE : c->outermost[own];
	wl_ns at = wl_api_start(c->trace)[call];
	unsigned n = 0;

	for (uint32_t i = c->opts->bridge ? f->above[call] : WL_NONE;
	     i != WL_NONE && n++ < WL_MAX_AROUND; i = wl_forest_open_next(f, i, at)) {
		/*
		 * Innermost first, so the last one that has a phase is the outermost. Ranges of the
		 * anchor thread count as outside those of the launching thread and take precedence.
		 */
		range = phase_of_node(c, i) == WL_NONE ? range : i;
	}
	return range;
}

/* Add the operation's part to the piece of its range. */
static void count_piece(struct counting *c, struct wl_phase *p, uint32_t range, uint32_t device,
			const struct wl_op *op)
{
	struct until *u = &c->piece[range];
	bool is_new = u->where != device + 1;
	wl_ns from = is_new ? op->start : u->end;

	p->pieces += is_new;
	if (is_new || op->end > u->end) {
		p->gpu_span = wl_add_up(p->gpu_span, op->end - from);
		*u = (struct until){ device + 1, op->end };
	}
}

static void count_op(struct counting *c, uint32_t device, const struct wl_op *op, uint32_t range)
{
	uint32_t phase = range == WL_NONE ? (uint32_t)c->opts->n : phase_of_node(c, range);
	struct wl_phase *p = &c->phase[phase];
	wl_ns length = op->end - op->start;

	p->gpu_sum = wl_add_up(p->gpu_sum, length);
	p->gpu_busy = wl_add_up(p->gpu_busy, extend(&c->until[phase], device, op->start, op->end));
	p->n_graphs += op->family == WL_F_GRAPHS;
	if (range != WL_NONE)
		count_piece(c, p, range, device, op);
	if (!c->classes || op->family != WL_F_KERNELS ||
	    wl_class_of(c->trace, c->classes, op->family, op->row) != WL_COMPUTE)
		return;
	p->compute_sum = wl_add_up(p->compute_sum, length);
	if (c->opts->kernel)
		c->opts->kernel(c->opts->ctx, phase, op->row, length);
}

static void count_device(struct counting *c, uint32_t device, struct wl_phases *ret)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(c->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t call;

		if (!c->scope->place_on[op.place] ||
		    !wl_clip(c->scope, c->scope->device[device], &op.start, &op.end))
			continue;
		call = wl_link_of(c->links, op.kind, op.row);
		ret->n_ops++;
		ret->n_with_launch += call != WL_NONE;
		count_op(c, device, &op, call == WL_NONE ? WL_NONE : range_of_call(c, call));
	}
}

bool wl_phases_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    const struct wl_phase_opts *opts, struct wl_arena *arena, struct wl_phases *ret)
{
	struct counting c = { .trace = derived->trace,
			      .scope = scope,
			      .forest = derived->forest,
			      .links = derived->links,
			      .classes = derived->classes,
			      .opts = opts,
			      .until = WL_NEW(arena, struct until, opts->n + 1),
			      .phase = WL_NEW(arena, struct wl_phase, opts->n + 1) };

	c.outermost = WL_NEW(arena, uint32_t, c.forest->n);
	c.piece = WL_NEW(arena, struct until, c.forest->n);
	if (!c.outermost || !c.piece || !c.until || !c.phase)
		return false;
	*ret = (struct wl_phases){ .phase = c.phase };
	find_outermost(&c);
	count_ranges(&c);
	/* Threads and devices share numbers: the unions of the host must not continue on
	 * devices. */
	for (size_t i = 0; i <= opts->n; i++)
		c.until[i].where = 0;
	for (uint32_t i = 0; i < c.trace->n_devices; i++)
		count_device(&c, i, ret);
	return true;
}

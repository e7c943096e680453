/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/events.h"

#include <stdio.h>

#include "derive/derived.h"
#include "known/exports/codes.h"

static bool counts(const struct wl_event_source *from, uint32_t place)
{
	return from->run->scope->place_on[place];
}

/*
 * The iteration of an operation: the one that owns it. What is launched between two steps has no
 * owner and counts where it runs, because the period holds it.
 */
static uint32_t find_iteration(const struct wl_event_source *from, uint32_t process, wl_ns start,
			       uint32_t call)
{
	const struct wl_process_iters *iters = &from->iterations->process[process];
	uint32_t owner = wl_iteration_of(from->run->trace, iters, start, call);

	return owner == WL_NONE ? wl_iteration_around(iters, start) : owner;
}

/* The step of each operation of a family; NULL without memory. */
static const uint16_t *find_steps(const struct wl_event_source *from, enum wl_op_kind kind,
				  struct wl_arena *arena)
{
	const struct wl_trace *t = from->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);
	const struct wl_sample *sample = from->sample;
	uint16_t *step = WL_NEW(arena, uint16_t, ops.n);

	for (size_t i = 0; step && i < ops.n; i++) {
		uint32_t p = t->places[ops.place[i]].process, iter = WL_NONE;
		const uint32_t *of = sample->n_steps ? sample->step_of[p] : NULL;

		if (of && counts(from, ops.place[i]))
			iter = find_iteration(from, p, ops.start[i],
					      wl_link_of(from->links, kind, i));
		step[i] = iter == WL_NONE || of[iter] == WL_NONE ? WL_FP_STEPS : (uint16_t)of[iter];
	}
	return step;
}

/* Kernels are identified by their demangled names. */
static bool name_kernels(struct wl_event_source *from, struct wl_arena *arena)
{
	const struct wl_trace *t = from->run->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_kernel_names);
	uint32_t *text = WL_NEW(arena, uint32_t, t->n_kernel_names);
	struct wl_intern seen;
	bool ok = of && text;

	wl_intern_init(&seen, sizeof(uint32_t), wl_arena_budget(arena));
	for (size_t i = 0; ok && i < t->n_kernel_names; i++) {
		of[i] = wl_intern_put(&seen, &t->kernel_names[i].demangled);
		ok = of[i] != WL_NONE;
		if (ok)
			text[of[i]] = t->kernel_names[i].demangled;
	}
	from->n_names = seen.items.n;
	from->name_of = of;
	from->demangled = text;
	wl_intern_release(&seen);
	return ok;
}

static bool fold_ranges(struct wl_event_source *from, struct wl_arena *arena)
{
	const struct wl_fold_opts by_path = { .by_path = true };

	if (from->run->trace->family[WL_F_NVTX].n == 0)
		return true;
	from->forest = from->run->derived->forest;
	return wl_folds_find(from->run->derived, from->forest, &by_path, arena, &from->folds);
}

bool wl_event_source_make(const struct wl_run *run, const struct wl_iterations *iterations,
			  const struct wl_sample *sample, struct wl_arena *arena,
			  struct wl_event_source *ret)
{
	*ret = (struct wl_event_source){
		.run = run, .iterations = iterations, .links = run->derived->links, .sample = sample
	};
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		ret->step[k] = find_steps(ret, (enum wl_op_kind)k, arena);
		if (!ret->step[k])
			return false;
	}
	return name_kernels(ret, arena) && fold_ranges(ret, arena);
}

/* An operation as an event without a group; false where it counts nowhere. */
static bool op_event(const struct wl_event_source *from, enum wl_op_kind kind,
		     const struct wl_ops *ops, size_t row, struct wl_step_event *ret)
{
	wl_ns start, end;

	if (!counts(from, ops->place[row]))
		return false;
	*ret = (struct wl_step_event){ .step = from->step[kind][row],
				       .process = from->run->trace->places[ops->place[row]].process,
				       .start = ops->start[row],
				       .ns = wl_dur(ops->family, ops->dur, row) };
	ret->in_window = wl_op_clip(from->run->trace, from->run->scope, ops, row, &start, &end);
	ret->window_ns = ret->in_window ? end - start : 0;
	return ret->in_window || ret->step < WL_FP_STEPS;
}

void wl_kernel_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx)
{
	const struct wl_ops ops = wl_trace_ops(from->run->trace, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(from->run->trace);
	struct wl_step_event e;

	for (size_t i = 0; i < ops.n; i++) {
		if (!op_event(from, WL_OP_KERNEL, &ops, i, &e))
			continue;
		e.group = from->name_of[name[i]];
		fn(ctx, &e);
	}
}

void wl_category_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx)
{
	for (size_t k = 0; k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(from->run->trace, wl_op_families[k]);
		struct wl_step_event e;

		for (size_t i = 0; i < ops.n; i++) {
			if (!op_event(from, (enum wl_op_kind)k, &ops, i, &e))
				continue;
			e.group = wl_category_of_op(from->run->trace, from->categories,
						    (enum wl_op_kind)k, i);
			fn(ctx, &e);
		}
	}
}

/* Codes that are known are below 15; what is absent comes last. */
static uint32_t four_bits(uint8_t code)
{
	return code < 15 ? code : 15;
}

void wl_copy_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx)
{
	const struct wl_trace *t = from->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_MEMCPYS);
	struct wl_step_event e;

	for (size_t i = 0; i < ops.n; i++) {
		if (!op_event(from, WL_OP_MEMCPY, &ops, i, &e))
			continue;
		e.group = four_bits(wl_known_copy_kind(wl_memcpys_kind(t)[i])) << 8 |
			  four_bits(wl_known_memory_kind(wl_memcpys_src(t)[i])) << 4 |
			  four_bits(wl_known_memory_kind(wl_memcpys_dst(t)[i]));
		fn(ctx, &e);
	}
}

const char *wl_copy_group_name(uint32_t group, struct wl_arena *arena)
{
	const char *kind = wl_copy_kind_name(group >> 8);
	uint32_t from = group >> 4 & 15, to = group & 15;
	char name[96];

	if (from == 15 && to == 15)
		return wl_arena_strdup(arena, kind);
	(void)snprintf(name, sizeof(name), "%s, %s to %s", kind,
		       wl_memory_kind_name(from == 15 ? 7 : from),
		       wl_memory_kind_name(to == 15 ? 7 : to));
	return wl_arena_strdup(arena, name);
}

/* A range between two steps counts with the first, unless it goes on into the second. */
static uint32_t range_iteration(const struct wl_process_iters *iters, wl_ns start, wl_ns end)
{
	uint32_t during = wl_iteration_at(iters, start), since;

	if (during != WL_NONE)
		return during;
	since = wl_iteration_since(iters, start);
	return since == wl_iteration_since(iters, end) ? since : WL_NONE;
}

static void range_event(const struct wl_event_source *from, uint32_t row, uint32_t fold,
			wl_step_event_fn *fn, void *ctx)
{
	const struct wl_trace *t = from->run->trace;
	uint32_t thread = wl_nvtx_thread(t)[row], process = t->threads[thread].process;
	const uint32_t *of = from->sample->n_steps ? from->sample->step_of[process] : NULL;
	wl_ns start = wl_nvtx_start(t)[row];
	wl_ns end = start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
	struct wl_step_event e = { .group = fold,
				   .step = WL_FP_STEPS,
				   .process = process,
				   .start = start,
				   .ns = end - start };
	uint32_t iter = WL_NONE;

	if (!from->run->scope->process_on[process])
		return;
	if (of)
		iter = range_iteration(&from->iterations->process[process], start, end);
	if (iter != WL_NONE && of[iter] != WL_NONE)
		e.step = of[iter];
	e.in_window = wl_host_clip(t, from->run->scope, thread, &start, &end);
	e.window_ns = e.in_window ? end - start : 0;
	fn(ctx, &e);
}

void wl_range_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx)
{
	const struct wl_forest *f = from->forest;

	for (size_t i = 0; f && i < f->n; i++)
		range_event(from, f->row[i], from->folds.of_node[i], fn, ctx);
	for (size_t i = 0; f && i < f->n_spans; i++)
		range_event(from, f->span[i], from->folds.of_span[i], fn, ctx);
}

struct launching {
	const struct wl_event_source *from;
	wl_step_event_fn *fn;
	void *ctx;
	size_t *last; /* by fold: the number of the last operation that it got */
	size_t op;    /* number of the operation at hand, from 1 */
};

/* A path on one thread may be called like one on the anchor thread: they are one fold. */
static void launched_in(struct launching *l, uint32_t node, struct wl_step_event *e)
{
	e->group = l->from->folds.of_node[node];
	if (l->last[e->group] == l->op)
		return;
	l->last[e->group] = l->op;
	l->fn(l->ctx, e);
}

static void launched_by(struct launching *l, uint32_t call, struct wl_step_event *e)
{
	const struct wl_trace *t = l->from->run->trace;
	const struct wl_forest *f = l->from->forest;
	wl_ns at = wl_api_start(t)[call];
	wl_ns end = at + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;

	l->op++;
	for (uint32_t i = f->of_call[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_around_next(f, i, end))
		launched_in(l, i, e);
	n = 0;
	for (uint32_t i = f->above[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_open_next(f, i, at))
		launched_in(l, i, e);
}

bool wl_launched_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx,
			struct wl_arena *arena)
{
	struct launching l = { from, fn, ctx, WL_NEW(arena, size_t, from->folds.n), 0 };

	for (size_t k = 0; l.last && from->forest && k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(from->run->trace, wl_op_families[k]);
		struct wl_step_event e;

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(from->links, (enum wl_op_kind)k, i);

			if (call != WL_NONE && op_event(from, (enum wl_op_kind)k, &ops, i, &e))
				launched_by(&l, call, &e);
		}
	}
	return l.last != NULL;
}

bool wl_launch_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx,
		      struct wl_arena *arena)
{
	bool *seen = WL_NEW(arena, bool, from->run->trace->family[WL_F_API].n);

	for (size_t k = 0; seen && k < WL_N_OP_FAMILIES; k++) {
		const struct wl_ops ops = wl_trace_ops(from->run->trace, wl_op_families[k]);
		struct wl_step_event e;

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(from->links, (enum wl_op_kind)k, i);

			if ((call != WL_NONE && seen[call]) ||
			    !op_event(from, (enum wl_op_kind)k, &ops, i, &e))
				continue;
			if (call != WL_NONE)
				seen[call] = true;
			fn(ctx, &e);
		}
	}
	return seen != NULL;
}

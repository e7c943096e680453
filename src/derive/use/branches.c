/* SPDX-License-Identifier: MIT */
/*
 * As in range_use.c, the operations of a device come in order of start and each walks up the ranges
 * it is in, so that a union needs only its end so far. What an operation adds to the union of
 * communication is exposed unless the device's compute covers it.
 */
#include "derive/use/branches.h"

#include "derive/derived.h"
#include "derive/kinds/activity.h"
#include "derive/nvtx/spans.h"
#include "derive/rows/ops.h"

/* A branch while it is counted. */
struct tally {
	uint64_t last; /* number of the operation counted last, from 1 */
	wl_ns until, own_until, comm_until;
	struct wl_branch_use use;
};

struct counting {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_branch_spec *spec;
	const struct wl_links *links;
	const struct wl_classes *classes;
	struct wl_spans spans;
	struct wl_intervals compute; /* of the current device */
	struct tally *of;            /* by branch, then one for all and one for outside */
	size_t n;
	size_t n_iterations;
	wl_ns *busy_at;
	uint64_t device_first; /* number of the first operation of the device */
};

/* The current operation. */
struct visited {
	uint64_t number;
	wl_ns start, end;
	bool is_comm;
	uint32_t iteration;
};

/* The part that [start, end) adds to a union that ends at *until. */
static struct wl_interval add(wl_ns *until, wl_ns start, wl_ns end)
{
	struct wl_interval fresh = { start > *until ? start : *until, end };

	if (fresh.begin >= fresh.end)
		fresh.begin = fresh.end;
	if (*until < end)
		*until = end;
	return fresh;
}

static void count(const struct counting *c, size_t branch, const struct visited *v, bool is_own)
{
	struct tally *t = &c->of[branch];
	struct wl_branch_use *u = &t->use;
	struct wl_interval fresh;

	/* An operation may be in several ranges of one fold. */
	if (t->last == v->number)
		return;
	/*
	 * The first operation of this branch on the device: unions of different devices are
	 * separate.
	 */
	if (t->last < c->device_first)
		t->until = t->own_until = t->comm_until = INT64_MIN;
	t->last = v->number;
	fresh = add(&t->until, v->start, v->end);
	u->gpu.ops++;
	u->gpu.sum = wl_add_up(u->gpu.sum, v->end - v->start);
	u->gpu.busy = wl_add_up(u->gpu.busy, fresh.end - fresh.begin);
	if (c->busy_at && v->iteration != WL_NONE && branch < c->n) {
		wl_ns *at = &c->busy_at[branch * c->n_iterations + v->iteration];

		*at = wl_add_up(*at, fresh.end - fresh.begin);
	}
	if (is_own) {
		fresh = add(&t->own_until, v->start, v->end);
		u->own = wl_add_up(u->own, fresh.end - fresh.begin);
	}
	if (v->is_comm) {
		wl_ns length;

		fresh = add(&t->comm_until, v->start, v->end);
		length = fresh.end - fresh.begin;
		u->comm = wl_add_up(u->comm, length);
		if (length)
			length -= wl_intervals_covered(&c->compute, fresh.begin, fresh.end);
		u->exposed = wl_add_up(u->exposed, length);
	}
}

static size_t branch_of_node(const struct wl_branch_spec *s, uint32_t node)
{
	return s->folds ? s->folds->of_node[node] : node;
}

static size_t branch_of_span(const struct wl_branch_spec *s, uint32_t index)
{
	return s->folds ? s->folds->of_span[index] : s->forest->n + index;
}

static void count_in_spans(const struct counting *c, uint32_t call, const struct visited *v)
{
	const struct wl_trace *t = c->trace;
	wl_ns from = wl_api_start(t)[call];
	wl_ns to = from + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;

	for (uint32_t s = wl_spans_around(&c->spans, wl_api_thread(t)[call], from, to);
	     s != WL_NONE && n++ < WL_MAX_AROUND; s = wl_spans_next(&c->spans, s, to))
		count(c, branch_of_span(c->spec, c->spans.index[s]), v, true);
}

static void count_in_ranges(const struct counting *c, uint32_t call, const struct visited *v)
{
	const struct wl_forest *f = c->spec->forest;
	const struct wl_trace *t = c->trace;
	uint32_t own = call == WL_NONE ? WL_NONE : f->of_call[call];
	wl_ns end = 0;
	unsigned n = 0;

	/* Branch n stands for all operations, n + 1 for those outside all ranges. */
	count(c, c->n, v, true);
	if (own == WL_NONE)
		count(c, c->n + 1, v, true);
	else
		end = wl_api_start(t)[call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	for (uint32_t i = own; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_around_next(f, i, end))
		count(c, branch_of_node(c->spec, i), v, i == own);
	if (call != WL_NONE && c->spans.n)
		count_in_spans(c, call, v);
}

static uint32_t iteration_of(const struct counting *c, const struct wl_op *op, wl_ns start,
			     uint32_t call)
{
	uint32_t process = c->trace->places[op->place].process;

	if (!c->busy_at)
		return WL_NONE;
	return wl_iteration_of(c->trace, &c->spec->iterations->process[process], start, call);
}

static void count_device(struct counting *c, uint32_t device, uint64_t *number)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(c->trace, device, &cursor);
	c->device_first = *number + 1;
	while (wl_ops_next(&cursor, &op)) {
		wl_ns whole_start = op.start;
		struct visited v;
		uint32_t call;

		if (!c->scope->place_on[op.place] ||
		    !wl_clip(c->scope, c->scope->device[device], &op.start, &op.end))
			continue;
		call = wl_link_of(c->links, op.kind, op.row);
		v = (struct visited){
			.number = ++*number,
			.start = op.start,
			.end = op.end,
			.is_comm = wl_class_of(c->trace, c->classes, op.family, op.row) == WL_COMM,
			.iteration = iteration_of(c, &op, whole_start, call),
		};
		count_in_ranges(c, call, &v);
	}
}

/* False when memory is exhausted. */
static bool count_all(struct counting *c, struct wl_arena *scratch)
{
	uint64_t number = 0;

	if (!wl_spans_find(c->trace, c->spec->forest, scratch, &c->spans))
		return false;
	for (uint32_t i = 0; i < c->trace->n_devices; i++) {
		struct wl_activity activity;
		struct wl_arena own;
		bool ok;

		wl_arena_init_child(&own, scratch);
		ok = wl_activity_of_device(c->trace, NULL, c->classes, i, &own, &activity) &&
		     wl_activity_intervals(&activity, WL_ON_COMPUTE, NULL, &own, &c->compute);
		if (ok)
			count_device(c, i, &number);
		wl_arena_release(&own);
		if (!ok)
			return false;
	}
	return true;
}

/* The largest number of iterations of a selected process. */
static size_t most_iterations(const struct counting *c)
{
	size_t most = 0;

	for (size_t i = 0; c->spec->iterations && i < c->trace->n_processes; i++) {
		size_t n = c->spec->iterations->process[i].n;

		if (c->scope->process_on[i] && n > most)
			most = n;
	}
	return most;
}

static bool make(struct counting *c, struct wl_arena *arena, struct wl_arena *scratch,
		 struct wl_branch_uses *ret)
{
	struct wl_branch_use *use = WL_NEW(arena, struct wl_branch_use, c->n);
	size_t n = most_iterations(c);

	c->of = WL_NEW(scratch, struct tally, c->n + 2);
	/*
	 * Divide, because the product may overflow. Beyond the limit there is no table by
	 * iteration.
	 */
	if (n && c->n <= WL_MAX_BRANCH_CELLS / n) {
		c->n_iterations = n;
		c->busy_at = WL_NEW(arena, wl_ns, c->n * n);
		if (!c->busy_at)
			return false;
	}
	if (!use || !c->of || !c->links || !c->classes || !count_all(c, scratch))
		return false;
	for (size_t i = 0; i < c->n; i++)
		use[i] = c->of[i].use;
	*ret = (struct wl_branch_uses){
		.n = c->n,
		.of = use,
		.all = c->of[c->n].use,
		.outside = c->of[c->n + 1].use,
		.n_iterations = c->n_iterations,
		.busy_at = c->busy_at,
	};
	return true;
}

bool wl_branch_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 const struct wl_branch_spec *spec, struct wl_arena *arena,
			 struct wl_branch_uses *ret)
{
	struct counting c = {
		.trace = derived->trace,
		.scope = scope,
		.spec = spec,
		.links = derived->links,
		.classes = derived->classes,
		.n = spec->folds ? spec->folds->n : spec->forest->n + spec->forest->n_spans,
	};
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	ok = make(&c, arena, &scratch, ret);
	wl_arena_release(&scratch);
	return ok;
}

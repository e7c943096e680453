/* SPDX-License-Identifier: MIT */
/*
 * The operations of a device are visited in order of start, and each walks up the ranges it is in.
 * The union of what a fold owns therefore needs only its end so far, and "already counted" only the
 * number of the operation counted last.
 */
#include "derive/use/range_use.h"

#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "derive/use/range_work.h"

/* The operations of a fold while they are counted. */
struct tally {
	uint64_t last; /* number of the operation counted last, from 1 */
	wl_ns until;   /* end of the union so far, on the device of that operation */
	struct wl_gpu_use use;
};

/* The part of a range that the ranges inside it cover so far. */
struct cover {
	wl_ns sum, until;
};

struct counting {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_forest *forest;
	const struct wl_folds *folds;
	const struct wl_links *links;
	struct wl_range_works works;
	struct tally *direct, *bridged; /* by fold */
	struct cover *covered;          /* by node */
	uint64_t op;                    /* the number of the current operation */
	uint64_t device_first;          /* the number of the first operation of its device */
	struct wl_range_uses *uses;
};

static void count_op(const struct counting *c, struct tally *t, wl_ns start, wl_ns end)
{
	/* A union starts over on each device. */
	wl_ns until = t->last < c->device_first ? INT64_MIN : t->until;

	if (t->last == c->op)
		return;
	t->last = c->op;
	t->until = until > end ? until : end;
	t->use.ops++;
	t->use.sum = wl_add_up(t->use.sum, end - start);
	if (until < end)
		t->use.busy = wl_add_up(t->use.busy, end - (until > start ? until : start));
}

static void count_in_spans(const struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = c->trace;
	const struct wl_spans *spans = &c->works.spans;
	wl_ns from = wl_api_start(t)[call];
	wl_ns to = from + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;

	for (uint32_t s = wl_spans_around(spans, wl_api_thread(t)[call], from, to);
	     s != WL_NONE && n++ < WL_MAX_AROUND; s = wl_spans_next(spans, s, to))
		count_op(c, &c->direct[c->folds->of_span[spans->index[s]]], start, end);
}

/* The ranges around the call on its thread, whether or not they contain each other. */
static void count_around(const struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = c->trace;
	const struct wl_forest *f = c->forest;
	wl_ns until = wl_api_start(t)[call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	uint32_t i = f->of_call[call];
	unsigned n = 0;

	for (; i != WL_NONE && n++ < WL_MAX_AROUND; i = wl_forest_around_next(f, i, until))
		count_op(c, &c->direct[c->folds->of_node[i]], start, end);
	c->uses->cut += i != WL_NONE;
}

/* Count the part [start, end) of the current operation, which the call launched. */
static void count_in_ranges(struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_forest *f = c->forest;
	wl_ns at = wl_api_start(c->trace)[call];
	unsigned n = 0;

	wl_range_works_add(&c->works, call, start, end);
	count_around(c, call, start, end);
	for (uint32_t i = f->above[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_open_next(f, i, at))
		count_op(c, &c->bridged[c->folds->of_node[i]], start, end);
	if (c->works.spans.n)
		count_in_spans(c, call, start, end);
}

static void cover_kernel(const struct counting *c, uint32_t call, wl_ns dur)
{
	struct wl_range_uses *u = c->uses;
	bool in = call != WL_NONE && c->forest->of_call[call] != WL_NONE;
	bool bridged = in || (call != WL_NONE && c->forest->above[call] != WL_NONE);

	u->kernels = wl_add_up(u->kernels, dur);
	u->kernels_in = wl_add_up(u->kernels_in, in ? dur : 0);
	u->kernels_bridged = wl_add_up(u->kernels_bridged, bridged ? dur : 0);
}

static void count_device(struct counting *c, uint32_t device)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(c->trace, device, &cursor);
	c->device_first = c->op + 1;
	while (wl_ops_next(&cursor, &op)) {
		uint32_t call;

		if (!c->scope->place_on[op.place] ||
		    !wl_clip(c->scope, c->scope->device[device], &op.start, &op.end))
			continue;
		c->op++;
		call = wl_link_of(c->links, op.kind, op.row);
		if (op.kind == WL_OP_KERNEL)
			cover_kernel(c, call, op.end - op.start);
		if (call != WL_NONE)
			count_in_ranges(c, call, op.start, op.end);
	}
}

static void add_projected(struct wl_range_use *use, const struct wl_range_work *w)
{
	if (w->ops)
		use->projected = wl_add_up(use->projected, w->last - w->first);
}

static void add_works(struct counting *c, struct wl_range_use *use)
{
	const struct wl_forest *f = c->forest;

	wl_range_works_end(&c->works);
	for (size_t i = 0; i < f->n; i++)
		add_projected(&use[c->folds->of_node[i]], &c->works.node[i]);
	for (size_t i = 0; i < f->n_spans; i++)
		add_projected(&use[c->folds->of_span[i]], &c->works.span[i]);
}

/* The part of a range that the scope admits. */
static bool clip_range(const struct counting *c, uint32_t row, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = c->trace;
	uint32_t process = t->threads[wl_nvtx_thread(t)[row]].process;

	*start = wl_nvtx_start(t)[row];
	*end = *start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
	return c->scope->process_on[process] &&
	       wl_clip(c->scope, c->scope->process[process], start, end);
}

/* Nodes first, then spans. */
static enum wl_visit visit_host(void *ctx, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
	const struct counting *c = ctx;
	const struct wl_forest *f = c->forest;
	bool is_span = i >= f->n;
	size_t at = is_span ? i - f->n : i;
	wl_ns start, end;

	if (!clip_range(c, is_span ? f->span[at] : f->row[at], &start, &end))
		return WL_VISIT_SKIP;
	*ret_group = is_span ? c->folds->of_span[at] : c->folds->of_node[at];
	*ret_value = end - start;
	return WL_VISIT_TAKE;
}

static bool add_host(struct counting *c, struct wl_arena *arena, struct wl_range_use *use)
{
	size_t n;
	const struct wl_stats *host =
		wl_stats_by_group(c->forest->n + c->forest->n_spans, visit_host, c, arena, &n);

	for (size_t i = 0; host && i < n; i++)
		use[i].host = host[i];
	return host != NULL;
}

/* Children come in order of start, so the part of their parent that they cover also needs only its
 * end so far. */
static void add_self(const struct counting *c, struct wl_range_use *use)
{
	const struct wl_forest *f = c->forest;
	struct cover *covered = c->covered;
	wl_ns start, end;

	for (size_t i = 0; i < f->n; i++)
		covered[i].until = INT64_MIN;
	for (size_t i = 0; i < f->n; i++) {
		struct cover *x = f->parent[i] == WL_NONE ? NULL : &covered[f->parent[i]];

		if (!x || !clip_range(c, f->row[i], &start, &end) || end <= x->until)
			continue;
		x->sum += end - (start > x->until ? start : x->until);
		x->until = end;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct wl_range_use *u = &use[c->folds->of_node[i]];

		if (clip_range(c, f->row[i], &start, &end))
			u->self = wl_add_up(u->self, end - start - covered[i].sum);
	}
	for (size_t i = 0; i < f->n_spans; i++) {
		struct wl_range_use *u = &use[c->folds->of_span[i]];

		if (clip_range(c, f->span[i], &start, &end))
			u->self = wl_add_up(u->self, end - start);
	}
}

static bool prepare(struct counting *c, struct wl_arena *arena)
{
	c->direct = WL_NEW(arena, struct tally, c->folds->n);
	c->bridged = WL_NEW(arena, struct tally, c->folds->n);
	c->covered = WL_NEW(arena, struct cover, c->forest->n);
	return c->links && c->direct && c->bridged && c->covered &&
	       wl_range_works_begin(c->trace, c->forest, arena, &c->works);
}

static bool count_all(struct counting *c, struct wl_arena *scratch, struct wl_range_use *use)
{
	if (!prepare(c, scratch))
		return false;
	for (uint32_t i = 0; i < c->trace->n_devices; i++)
		count_device(c, i);
	if (!add_host(c, scratch, use))
		return false;
	for (size_t i = 0; i < c->folds->n; i++) {
		use[i].gpu = c->direct[i].use;
		use[i].bridged = c->bridged[i].use;
	}
	add_works(c, use);
	add_self(c, use);
	return true;
}

bool wl_range_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			const struct wl_forest *forest, const struct wl_folds *folds,
			struct wl_arena *arena, struct wl_range_uses *ret)
{
	struct wl_range_use *use = WL_NEW(arena, struct wl_range_use, folds->n);
	struct counting c = { .trace = derived->trace,
			      .scope = scope,
			      .forest = forest,
			      .folds = folds,
			      .links = derived->links,
			      .uses = ret };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_range_uses){ .of = use };
	if (!use)
		return false;
	wl_arena_init_child(&scratch, arena);
	ok = count_all(&c, &scratch, use);
	wl_arena_release(&scratch);
	return ok;
}

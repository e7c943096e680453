/* SPDX-License-Identifier: MIT */
/*
 * The operations of a device are visited in order of start, and each walks up the
 * ranges it is in. So the union of what a fold owns is a running end, and
 * "already counted" is the number of the operation that was counted last. A range
 * itself keeps the first start and last end of the operations that it is the
 * innermost range of, or that only a range which crosses it leads to; those go up to its
 * parents afterwards, by walking the nodes backwards.
 */
#include "derive/use/range_use.h"

#include "derive/derived.h"
#include "derive/nvtx/spans.h"
#include "derive/rows/ops.h"

/* Operations of a fold, while they are counted. */
struct tally {
	uint64_t last; /* the operation counted last, from 1 */
	wl_ns until;   /* end of the union so far, on the device of that operation */
	struct wl_gpu_use use;
};

/* First start and last end of a range's operations; first > last for none. */
struct extent {
	wl_ns first, last;
};

static const struct extent no_extent = { INT64_MAX, INT64_MIN };

struct counting {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_forest *forest;
	const struct wl_folds *folds;
	const struct wl_links *links;
	struct wl_spans spans;
	struct tally *direct, *bridged;           /* by fold */
	struct extent *node_extent, *span_extent; /* by node, by index of forest->span */
	uint64_t op;                              /* the number of the operation at hand */
	uint64_t device_first;                    /* of the first one of its device */
	struct wl_range_uses *uses;
};

static void count_op(const struct counting *c, struct tally *t, wl_ns start, wl_ns end)
{
	/* A union begins anew on each device. */
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

static void stretch(struct extent *x, wl_ns first, wl_ns last)
{
	x->first = first < x->first ? first : x->first;
	x->last = last > x->last ? last : x->last;
}

static void count_in_spans(const struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = c->trace;
	wl_ns from = wl_api_start(t)[call];
	wl_ns to = from + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned n = 0;

	for (uint32_t s = wl_spans_around(&c->spans, wl_api_thread(t)[call], from, to);
	     s != WL_NONE && n++ < WL_MAX_AROUND; s = wl_spans_next(&c->spans, s, to)) {
		uint32_t index = c->spans.index[s];

		count_op(c, &c->direct[c->folds->of_span[index]], start, end);
		stretch(&c->span_extent[index], start, end);
	}
}

/* The ranges around the call on its thread, whether or not they contain each other. */
static void count_around(const struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = c->trace;
	const struct wl_forest *f = c->forest;
	wl_ns until = wl_api_start(t)[call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	uint32_t parent = WL_NONE, i = f->of_call[call];
	unsigned n = 0;

	for (; i != WL_NONE && n++ < WL_MAX_AROUND; i = wl_forest_around_next(f, i, until)) {
		/*
		 * What the range below has passes on to its parent afterwards; only a range that is
		 * no ancestor needs it now.
		 */
		if (i != parent)
			stretch(&c->node_extent[i], start, end);
		count_op(c, &c->direct[c->folds->of_node[i]], start, end);
		parent = f->parent[i];
	}
	c->uses->cut += i != WL_NONE;
}

/* Count the part [start, end) of the operation at hand, which the call launched. */
static void count_in_ranges(const struct counting *c, uint32_t call, wl_ns start, wl_ns end)
{
	const struct wl_forest *f = c->forest;
	wl_ns at = wl_api_start(c->trace)[call];
	unsigned n = 0;

	count_around(c, call, start, end);
	for (uint32_t i = f->above[call]; i != WL_NONE && n++ < WL_MAX_AROUND;
	     i = wl_forest_open_next(f, i, at))
		count_op(c, &c->bridged[c->folds->of_node[i]], start, end);
	if (c->spans.n)
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

static void add_extent(struct wl_range_use *use, const struct extent *x)
{
	if (x->first <= x->last)
		use->projected = wl_add_up(use->projected, x->last - x->first);
}

static void add_extents(const struct counting *c, struct wl_range_use *use)
{
	const struct wl_forest *f = c->forest;

	/* Parents have smaller numbers, so a node is complete when it is reached. */
	for (size_t i = f->n; i-- > 0;) {
		struct extent *x = &c->node_extent[i];

		add_extent(&use[c->folds->of_node[i]], x);
		if (f->parent[i] != WL_NONE)
			stretch(&c->node_extent[f->parent[i]], x->first, x->last);
	}
	for (size_t i = 0; i < f->n_spans; i++)
		add_extent(&use[c->folds->of_span[i]], &c->span_extent[i]);
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

/*
 * Children come in order of start, so what they cover of their parent is a sum and
 * a running end too; both are kept where the extents were.
 */
static void add_self(const struct counting *c, struct wl_range_use *use)
{
	const struct wl_forest *f = c->forest;
	struct extent *covered = c->node_extent;
	wl_ns start, end;

	for (size_t i = 0; i < f->n; i++)
		covered[i] = (struct extent){ 0, INT64_MIN };
	for (size_t i = 0; i < f->n; i++) {
		struct extent *x = f->parent[i] == WL_NONE ? NULL : &covered[f->parent[i]];

		if (!x || !clip_range(c, f->row[i], &start, &end) || end <= x->last)
			continue;
		x->first += end - (start > x->last ? start : x->last);
		x->last = end;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct wl_range_use *u = &use[c->folds->of_node[i]];

		if (clip_range(c, f->row[i], &start, &end))
			u->self = wl_add_up(u->self, end - start - covered[i].first);
	}
	for (size_t i = 0; i < f->n_spans; i++) {
		struct wl_range_use *u = &use[c->folds->of_span[i]];

		if (clip_range(c, f->span[i], &start, &end))
			u->self = wl_add_up(u->self, end - start);
	}
}

static bool prepare(struct counting *c, struct wl_arena *arena)
{
	const struct wl_forest *f = c->forest;

	c->direct = WL_NEW(arena, struct tally, c->folds->n);
	c->bridged = WL_NEW(arena, struct tally, c->folds->n);
	c->node_extent = WL_NEW(arena, struct extent, f->n);
	c->span_extent = WL_NEW(arena, struct extent, f->n_spans);
	if (!c->links || !c->direct || !c->bridged || !c->node_extent || !c->span_extent)
		return false;
	for (size_t i = 0; i < f->n; i++)
		c->node_extent[i] = no_extent;
	for (size_t i = 0; i < f->n_spans; i++)
		c->span_extent[i] = no_extent;
	return wl_spans_find(c->trace, f, arena, &c->spans);
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
	add_extents(c, use);
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

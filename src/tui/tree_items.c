/*
 * tree_items.c - the tree in order of time: ranges one by one, and what they launched.
 *
 * What is found once are two lists, of ranges by the range around them and of operations
 * by the innermost range around their launch; nodes are made of them as they are opened.
 */
#include <string.h>

#include "base/sort.h"
#include "derive/derived.h"
#include "derive/ops.h"
#include "tui/tree_parts.h"

/* Items are the nodes of the forest, then its spans. Place 0 is of what has none around it. */
struct wl_tree_items {
	size_t n;
	uint32_t *first_child; /* by place: where its items begin in child */
	uint32_t *child;
	uint32_t *first_op; /* by place: where its operations begin in op */
	uint32_t *op;
	struct wl_branch_uses uses;
	struct wl_scope scope; /* a copy: that of the run ends with it */
};

static void *copy(struct wl_arena *arena, const void *from, size_t n, size_t size)
{
	void *to = wl_arena_calloc(arena, n ? n : 1, size);

	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

static bool copy_scope(struct wl_scope *to, const struct wl_scope *from, const struct wl_trace *t,
		       struct wl_arena *arena)
{
	*to = (struct wl_scope){
		.whole = from->whole,
		.device = copy(arena, from->device, t->n_devices, sizeof(*from->device)),
		.device_on = copy(arena, from->device_on, t->n_devices, sizeof(bool)),
		.place_on = copy(arena, from->place_on, t->n_places, sizeof(bool)),
		.process = copy(arena, from->process, t->n_processes, sizeof(*from->process)),
		.process_on = copy(arena, from->process_on, t->n_processes, sizeof(bool)),
	};
	return to->device && to->device_on && to->place_on && to->process && to->process_on;
}

static uint32_t item_row(const struct wl_forest *f, uint32_t item)
{
	return item < f->n ? f->row[item] : f->span[item - f->n];
}

/* The item's range, and whether a part of it is in the window; that is what is left of it. */
static bool item_clip(const struct wl_tree_model *m, uint32_t item, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = m->trace;
	uint32_t row = item_row(m->forest, item);

	*start = wl_nvtx_start(t)[row];
	*end = *start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
	return wl_host_clip(t, &m->items->scope, wl_nvtx_thread(t)[row], start, end);
}

/* The place of the range around it. */
static uint32_t place_of(const struct wl_tree_model *m, uint32_t item)
{
	const struct wl_forest *f = m->forest;
	const struct wl_trace *t = m->trace;
	uint32_t row = item_row(f, item), around;
	wl_ns start;

	if (item < f->n)
		return f->parent[item] == WL_NONE ? 0 : f->parent[item] + 1;
	if (!wl_span_is_on_one_thread(t, row))
		return 0;
	start = wl_nvtx_start(t)[row];
	around = wl_forest_around(f, wl_nvtx_thread(t)[row], start,
				  start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row));
	return around == WL_NONE ? 0 : around + 1;
}

static bool earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_tree_model *m = ctx;
	const wl_ns *start = wl_nvtx_start(m->trace);

	return start[item_row(m->forest, a)] < start[item_row(m->forest, b)];
}

/* Counts by place become where each begins; fill then advances them to where each ends. */
static void lay_out(uint32_t *first, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t count = first[i];

		first[i] = sum;
		sum += count;
	}
}

/* After filling, each stands where the next began. */
static void step_back(uint32_t *first, size_t n)
{
	memmove(first + 1, first, (n - 1) * sizeof(*first));
	first[0] = 0;
}

/* Of one thread the nodes below another are in order by themselves. */
static bool list_items(struct wl_tree_model *m, struct wl_arena *scratch)
{
	struct wl_tree_items *x = m->items;
	uint32_t *place = WL_NEW(scratch, uint32_t, x->n), *tmp = WL_NEW(scratch, uint32_t, x->n);
	wl_ns start, end;

	x->first_child = WL_NEW(&m->arena, uint32_t, x->n + 2);
	x->child = WL_NEW(&m->arena, uint32_t, x->n);
	if (!place || !tmp || !x->first_child || !x->child)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		bool is_in = item_clip(m, i, &start, &end) || x->uses.of[i].gpu.ops;

		place[i] = is_in ? place_of(m, i) : WL_NONE;
		if (is_in)
			x->first_child[place[i]]++;
	}
	lay_out(x->first_child, x->n + 2);
	for (uint32_t i = 0; i < x->n; i++) {
		if (place[i] != WL_NONE)
			x->child[x->first_child[place[i]]++] = i;
	}
	step_back(x->first_child, x->n + 2);
	for (size_t i = 0; i < (m->forest->n_spans ? x->n + 1 : 1); i++)
		wl_sort_index(x->child + x->first_child[i],
			      x->first_child[i + 1] - x->first_child[i], tmp, earlier, m);
	return true;
}

struct placing {
	struct wl_tree_model *m;
	const struct wl_links *links;
	bool counts; /* else places */
};

static void cover(struct wl_tree_model *m, uint32_t call, wl_ns dur)
{
	bool in = call != WL_NONE && m->forest->of_call[call] != WL_NONE;
	bool bridged = in || (call != WL_NONE && m->forest->above[call] != WL_NONE);

	m->kernels = wl_add_up(m->kernels, dur);
	m->kernels_in = wl_add_up(m->kernels_in, in ? dur : 0);
	m->kernels_bridged = wl_add_up(m->kernels_bridged, bridged ? dur : 0);
}

static void place_ops(const struct placing *p)
{
	struct wl_tree_model *m = p->m;
	struct wl_tree_items *x = m->items;

	for (uint32_t d = 0; d < m->trace->n_devices; d++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		wl_ops_begin(m->trace, d, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			uint32_t call, node, *at;

			if (!x->scope.place_on[op.place] ||
			    !wl_clip(&x->scope, x->scope.device[d], &op.start, &op.end))
				continue;
			call = wl_link_of(p->links, op.kind, op.row);
			node = call == WL_NONE ? WL_NONE : m->forest->of_call[call];
			at = &x->first_op[node == WL_NONE ? 0 : node + 1];
			if (p->counts && op.kind == WL_OP_KERNEL)
				cover(m, call, op.end - op.start);
			if (!p->counts)
				x->op[*at] = wl_tree_op_number(m->trace, op.kind, op.row);
			++*at;
		}
	}
}

static bool list_ops(struct wl_tree_model *m, const struct wl_links *links)
{
	struct wl_tree_items *x = m->items;
	struct placing p = { .m = m, .links = links, .counts = true };
	size_t n = 0;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		n += m->trace->family[wl_op_families[i]].n;
	x->first_op = WL_NEW(&m->arena, uint32_t, x->n + 2);
	x->op = n < WL_NONE ? WL_NEW(&m->arena, uint32_t, n) : NULL;
	if (!links || !x->first_op || !x->op)
		return false;
	place_ops(&p);
	lay_out(x->first_op, x->n + 2);
	p.counts = false;
	place_ops(&p);
	step_back(x->first_op, x->n + 2);
	return true;
}

static void sum_up(struct wl_tree_model *m)
{
	const struct wl_tree_items *x = m->items;
	wl_ns start, end;

	wl_tree_take_branch(&x->uses.all, &m->all);
	for (uint32_t i = x->first_child[0]; i < x->first_child[1]; i++) {
		if (item_clip(m, x->child[i], &start, &end))
			m->all.wall = wl_add_up(m->all.wall, end - start);
	}
	m->n_paths = x->first_child[x->n + 1];
}

bool wl_tree_items_make(struct wl_tree_model *m, const struct wl_run *run)
{
	const struct wl_branch_spec spec = { .forest = m->forest };
	struct wl_tree_items *x = WL_NEW(&m->arena, struct wl_tree_items, 1);
	struct wl_arena scratch;
	bool ok;

	if (!x || m->forest->n + m->forest->n_spans >= WL_NONE)
		return false;
	m->items = x;
	x->n = m->forest->n + m->forest->n_spans;
	wl_arena_init_on(&scratch, wl_arena_budget(&m->arena));
	ok = copy_scope(&x->scope, run->scope, run->trace, &m->arena) &&
	     wl_branch_uses_find(run->derived, run->scope, &spec, &m->arena, &x->uses) &&
	     list_items(m, &scratch) && list_ops(m, wl_derived_links(run->derived));
	wl_arena_release(&scratch);
	if (!ok)
		return false;
	sum_up(m);
	wl_tree_list(m, WL_NONE);
	return true;
}

static size_t n_children(const struct wl_tree_items *x, uint32_t place)
{
	return x->first_child[place + 1] - x->first_child[place] +
	       (place ? x->first_op[place + 1] - x->first_op[place] : x->first_op[1] > 0);
}

static struct wl_tree_node item_node(const struct wl_tree_model *m, uint32_t item)
{
	const struct wl_tree_items *x = m->items;
	const char *name = wl_range_name_of(m->folds.names, item_row(m->forest, item))->exact;
	struct wl_tree_node node = { .id = item,
				     .n_names = 1,
				     .kind = item < m->forest->n ? WL_TREE_RANGE : WL_TREE_SPAN,
				     .has_children = n_children(x, item + 1) > 0,
				     .label = name,
				     .name = name };
	wl_ns end;

	wl_tree_take_branch(&x->uses.of[item], &node.is);
	if (item_clip(m, item, &node.start, &end)) {
		node.is.wall = node.is.p50 = node.is.p99 = end - node.start;
		node.is.calls = 1;
	}
	return node;
}

static struct wl_tree_node op_node(const struct wl_tree_model *m, uint32_t number)
{
	size_t row;
	enum wl_op_kind kind = wl_tree_op_of(m->trace, number, &row);
	struct wl_ops ops = wl_trace_ops(m->trace, wl_op_families[kind]);
	const char *name = wl_op_name(m->trace, wl_op_families[kind], row);
	struct wl_tree_node node = {
		.id = number, .n_names = 1, .kind = WL_TREE_OP, .label = name, .name = name
	};
	wl_ns end;

	if (wl_op_clip(m->trace, &m->items->scope, &ops, row, &node.start, &end))
		node.is.gpu = node.is.own = node.is.p50 = node.is.p99 = end - node.start;
	node.is.calls = node.is.ops = 1;
	return node;
}

static struct wl_tree_node outside_node(const struct wl_tree_model *m)
{
	struct wl_tree_node node = { .id = WL_NONE,
				     .n_names = 1,
				     .kind = WL_TREE_OUTSIDE,
				     .has_children = true,
				     .label = "(no NVTX)",
				     .name = "(no NVTX)",
				     .start = WL_NO_TIME };

	wl_tree_take_branch(&m->items->uses.outside, &node.is);
	return node;
}

/* The i-th child of what stands at a place, or of OUTSIDE: ranges first, then operations. */
static struct wl_tree_node child_node(const struct wl_tree_model *m, uint32_t place,
				      bool is_outside, size_t i)
{
	const struct wl_tree_items *x = m->items;
	size_t n = is_outside ? 0 : x->first_child[place + 1] - x->first_child[place];

	if (i < n)
		return item_node(m, x->child[x->first_child[place] + i]);
	if (place == 0 && !is_outside)
		return outside_node(m);
	return op_node(m, x->op[x->first_op[place] + i - n]);
}

/* Make children from the i-th on; the first of them at a node that is there, unless WL_NONE. */
static void make_children(struct wl_tree_model *m, uint32_t parent, size_t i, uint32_t at)
{
	bool is_outside = parent != WL_NONE && wl_tree_get(m, parent)->kind == WL_TREE_OUTSIDE;
	uint32_t place = parent == WL_NONE || is_outside ? 0 : wl_tree_get(m, parent)->id + 1;
	size_t n = is_outside ? m->items->first_op[1] : n_children(m->items, place);
	size_t end = n - i > WL_TREE_CHUNK ? i + WL_TREE_CHUNK : n;

	for (; i < end; i++) {
		struct wl_tree_node node = child_node(m, place, is_outside, i);

		node.parent = parent;
		if (at != WL_NONE) {
			struct wl_tree_node *old = wl_tree_get(m, at);

			node.first = node.last = WL_NONE;
			node.next = old->next;
			node.depth = old->depth;
			*old = node;
			at = WL_NONE;
		} else if (wl_tree_add(m, &node) == WL_NONE) {
			return;
		}
	}
	if (end < n)
		(void)wl_tree_add(m, &(struct wl_tree_node){ .parent = parent,
							     .id = (uint32_t)end,
							     .n_names = (uint32_t)(n - end),
							     .kind = WL_TREE_MORE,
							     .label = "",
							     .name = "",
							     .start = WL_NO_TIME });
}

void wl_tree_list(struct wl_tree_model *m, uint32_t node)
{
	if (m->mode != WL_TREE_CHRONOLOGICAL)
		return;
	if (node == WL_NONE
		    ? m->first_root != WL_NONE
		    : wl_tree_get(m, node)->first != WL_NONE || !wl_tree_get(m, node)->has_children)
		return;
	make_children(m, node, 0, WL_NONE);
}

void wl_tree_list_more(struct wl_tree_model *m, uint32_t more)
{
	const struct wl_tree_node *node = wl_tree_get(m, more);

	if (node->kind == WL_TREE_MORE)
		make_children(m, node->parent, node->id, more);
}

/* The nodes below a node follow it, and their operations follow its own. */
const uint32_t *wl_tree_ops_below(const struct wl_tree_model *m, uint32_t node, size_t *ret_n)
{
	const struct wl_tree_node *x = wl_tree_get(m, node);
	const uint32_t *first = m->items->first_op, *depth = m->forest->up.depth;
	uint32_t begin = 0, end = 1;

	*ret_n = 0;
	if (x->kind == WL_TREE_RANGE) {
		begin = x->id + 1;
		for (end = x->id + 1; end < m->forest->n && depth[end] > depth[x->id]; end++)
			;
		end++;
	} else if (x->kind != WL_TREE_OUTSIDE) {
		return m->items->op;
	}
	*ret_n = first[end] - first[begin];
	return m->items->op + first[begin];
}

/* The i-th child of a node, WL_NONE: a root, made if need be; WL_NONE where it is too far. */
static uint32_t nth_child(struct wl_tree_model *m, uint32_t node, size_t i)
{
	uint32_t at;

	if (i >= WL_TREE_FURTHEST)
		return WL_NONE;
	wl_tree_list(m, node);
	at = node == WL_NONE ? m->first_root : wl_tree_get(m, node)->first;
	for (; at != WL_NONE; at = wl_tree_get(m, at)->next) {
		if (wl_tree_get(m, at)->kind == WL_TREE_MORE)
			wl_tree_list_more(m, at);
		if (i-- == 0)
			return at;
	}
	return WL_NONE;
}

uint32_t wl_tree_of_item(struct wl_tree_model *m, uint32_t item)
{
	const struct wl_tree_items *x = m->items;
	uint32_t chain[WL_PATH_SHOWN], node = WL_NONE;
	size_t n = 0;

	for (uint32_t i = item; n < WL_PATH_SHOWN; i = place_of(m, i) - 1) {
		chain[n++] = i;
		if (place_of(m, i) == 0)
			break;
	}
	if (place_of(m, chain[n - 1]) != 0)
		return WL_NONE;
	while (n-- > 0) {
		uint32_t place = place_of(m, chain[n]);
		uint32_t i = x->first_child[place];

		while (i < x->first_child[place + 1] && x->child[i] != chain[n])
			i++;
		if (i == x->first_child[place + 1])
			return WL_NONE;
		node = nth_child(m, node, i - x->first_child[place]);
		if (node == WL_NONE)
			return WL_NONE;
	}
	return node;
}

size_t wl_tree_n_items(const struct wl_tree_model *m)
{
	return m->items ? m->items->n : 0;
}

const char *wl_tree_item_name(const struct wl_tree_model *m, uint32_t item)
{
	return wl_range_name_of(m->folds.names, item_row(m->forest, item))->exact;
}

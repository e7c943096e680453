/* SPDX-License-Identifier: MIT */
#include "derive/use/graph_use.h"

#include <string.h>

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "known/calls/calls.h"

/* The key of a group. No padding. */
struct key {
	uint64_t graph;
	uint32_t process, device;
};

/* A launch call or correlation id of a group; distinct ones are counted. */
struct mark {
	uint32_t group, value;
};

struct using
{
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_links *links;
	const bool *launches_graph; /* by string: names of calls */
	struct wl_intern keys;
	struct wl_vec uses;         /* struct wl_graph_use, by key */
	struct wl_vec until;        /* wl_ns, by key: end of the busy time so far */
	struct wl_vec calls, corrs; /* struct mark */
};

static const bool *find_graph_calls(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *seen = WL_NEW(arena, uint8_t, t->strings.n);
	bool *is = WL_NEW(arena, bool, t->strings.n);

	if (!seen || !is)
		return NULL;
	for (size_t i = 0; i < t->family[WL_F_API].n; i++) {
		uint32_t name = wl_api_name(t)[i];

		if (name == WL_NONE || seen[name])
			continue;
		seen[name] = 1;
		is[name] = wl_call_launches_graph(wl_str(t, name));
	}
	return is;
}

static bool is_graph_call(const struct using *u, uint32_t call)
{
	uint32_t name = wl_api_name(u->trace)[call];

	return name != WL_NONE && u->launches_graph[name];
}

/* The graph of an operation; false when it belongs to none. */
static bool find_graph(const struct using *u, const struct wl_op *op, uint64_t *ret)
{
	const struct wl_trace *t = u->trace;
	const uint64_t *const node[] = { wl_kernels_node(t), wl_memcpys_node(t),
					 wl_memsets_node(t) };
	uint32_t call = wl_link_of(u->links, op->kind, op->row);
	uint64_t id;

	*ret = WL_NO_U64;
	if (op->kind == WL_OP_GRAPH) {
		uint32_t graph = wl_graphs_graph(t) ? wl_graphs_graph(t)[op->row] : WL_NONE;

		*ret = graph == WL_NONE ? WL_NO_U64 : graph;
		return true;
	}
	id = node[op->kind] ? node[op->kind][op->row] : WL_NO_U64;
	/*
	 * 0 is a row outside graphs in exports that have the column. Without it, the launching call
	 * decides.
	 */
	if (id != 0 && id != WL_NO_U64) {
		*ret = id >> 32;
		return true;
	}
	return call != WL_NONE && is_graph_call(u, call);
}

/* The nodes of a replay mostly follow each other: a repeat of the last mark is not recorded. */
static void mark(struct wl_vec *marks, uint32_t group, uint32_t value)
{
	const struct mark *last =
		marks->n ? (const struct mark *)marks->data + (marks->n - 1) : NULL;

	if (!last || last->group != group || last->value != value)
		wl_vec_push(marks, &(struct mark){ group, value });
}

static uint32_t group_of(struct using *u, const struct key *key)
{
	uint32_t group = wl_intern_put(&u->keys, key);

	if (group == u->uses.n) {
		wl_vec_push(&u->uses, &(struct wl_graph_use){ .process = key->process,
							      .device = key->device,
							      .graph = key->graph });
		wl_vec_push(&u->until, &(wl_ns){ INT64_MIN });
	}
	return u->uses.failed || u->until.failed ? WL_NONE : group;
}

/* Count an operation, clipped to the window; operations come in order of start. */
static bool count_operation(struct using *u, const struct wl_op *op, uint64_t graph)
{
	const struct wl_place *place = &u->trace->places[op->place];
	uint32_t call = wl_link_of(u->links, op->kind, op->row);
	struct wl_ops ops = wl_trace_ops(u->trace, op->family);
	uint32_t group = group_of(u, &(struct key){ graph, place->process, place->device });
	struct wl_graph_use *use;
	wl_ns *until;

	if (group == WL_NONE)
		return false;
	use = (struct wl_graph_use *)u->uses.data + group;
	until = (wl_ns *)u->until.data + group;
	if (call != WL_NONE)
		mark(&u->calls, group, call);
	if (op->kind == WL_OP_GRAPH) {
		use->replays++;
	} else {
		use->nodes++;
		/* Nodes of one replay share its correlation id, so distinct ids are replays. */
		mark(&u->corrs, group, ops.corr ? ops.corr[op->row] : WL_NONE);
	}
	if (op->end > *until) {
		use->busy += op->end - (op->start > *until ? op->start : *until);
		*until = op->end;
	}
	return true;
}

static bool take_device(struct using *u, uint32_t device, struct wl_graph_uses *ret)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(u->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint64_t graph;

		if (!find_graph(u, &op, &graph))
			continue;
		ret->any_whole = ret->any_whole || op.kind == WL_OP_GRAPH;
		ret->any_node = ret->any_node || op.kind != WL_OP_GRAPH;
		if (u->scope->place_on[op.place] &&
		    wl_clip(u->scope, u->scope->device[device], &op.start, &op.end) &&
		    !count_operation(u, &op, graph))
			return false;
	}
	return true;
}

static bool mark_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct mark *marks = ctx;

	if (marks[a].group != marks[b].group)
		return marks[a].group < marks[b].group;
	return marks[a].value < marks[b].value;
}

static bool is_new(const struct mark *marks, const uint32_t *order, size_t i)
{
	/* Sorted: the previous one is never greater, so not equal means less. */
	return i == 0 || mark_less(marks, order[i - 1], order[i]);
}

/* Distinct calls are launches, distinct correlation ids are replays. */
static bool count_marks(struct using *u, const struct wl_vec *marks, bool are_calls,
			struct wl_arena *arena)
{
	const struct mark *mark = marks->data;
	struct wl_graph_use *use = u->uses.data;
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * marks->n);

	if (!order || marks->failed)
		return false;
	wl_sort_all(order, marks->n, mark_less, mark);
	for (size_t i = 0; i < marks->n; i++) {
		if (is_new(mark, order, i)) {
			use[mark[order[i]].group].launches += are_calls;
			use[mark[order[i]].group].replays += !are_calls;
		}
	}
	return true;
}

/* Ids of the calls that launched graphs with recorded operations, by process. No padding. */
struct traced {
	uint32_t process, corr;
};

static uint32_t process_of_call(const struct wl_trace *t, size_t call)
{
	return t->threads[wl_api_thread(t)[call]].process;
}

static bool find_traced(const struct using *u, struct wl_intern *traced)
{
	const struct wl_trace *t = u->trace;

	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		size_t n = t->family[wl_op_families[kind]].n;

		for (size_t i = 0; i < n; i++) {
			uint32_t call = wl_link_of(u->links, (enum wl_op_kind)kind, i);

			if (call == WL_NONE || !is_graph_call(u, call))
				continue;
			if (wl_intern_put(traced, &(struct traced){ process_of_call(t, call),
								    wl_api_corr(t)[call] }) ==
			    WL_NONE)
				return false;
		}
	}
	return true;
}

/*
 * Count calls whose graph left nothing in the trace. A driver call inside a runtime call has the
 * same id, and is traced if that one is.
 */
static bool take_untraced(struct using *u, const struct wl_intern *traced)
{
	const struct wl_trace *t = u->trace;

	for (uint32_t i = 0; i < t->family[WL_F_API].n; i++) {
		struct traced id = { process_of_call(t, i), wl_api_corr(t)[i] };
		wl_ns start = wl_api_start(t)[i];
		wl_ns end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), i);
		uint32_t group;

		if (!is_graph_call(u, i) || !u->scope->process_on[id.process] ||
		    !wl_clip(u->scope, u->scope->process[id.process], &start, &end) ||
		    (id.corr != WL_NONE && wl_intern_find(traced, &id) != WL_NONE))
			continue;
		group = group_of(u, &(struct key){ WL_NO_U64, id.process, WL_NONE });
		if (group == WL_NONE)
			return false;
		((struct wl_graph_use *)u->uses.data)[group].launches++;
	}
	return true;
}

static bool use_all(struct using *u, struct wl_arena *arena, struct wl_graph_uses *ret)
{
	struct wl_intern traced;
	bool ok = true;

	for (uint32_t d = 0; ok && d < u->trace->n_devices; d++)
		ok = take_device(u, d, ret);
	ok = ok && count_marks(u, &u->calls, true, arena) &&
	     count_marks(u, &u->corrs, false, arena);
	wl_intern_init(&traced, sizeof(struct traced), wl_arena_budget(arena));
	ok = ok && find_traced(u, &traced) && take_untraced(u, &traced);
	wl_intern_release(&traced);
	if (!ok)
		return false;
	ret->n = u->uses.n;
	ret->use = WL_NEW(arena, struct wl_graph_use, ret->n);
	if (ret->use && ret->n)
		memcpy(ret->use, u->uses.data, ret->n * sizeof(*ret->use));
	return ret->use != NULL;
}

/* 0 is a row outside graphs. */
static bool has_nodes(const uint64_t *node, size_t n)
{
	for (size_t i = 0; node && i < n; i++) {
		if (node[i] != 0 && node[i] != WL_NO_U64)
			return true;
	}
	return false;
}

/* Also true if out of memory, which then fails elsewhere, too. */
static bool has_graph_calls(const struct wl_trace *t, struct wl_arena *arena)
{
	const bool *is = find_graph_calls(t, arena);

	for (size_t i = 0; is && i < t->strings.n; i++) {
		if (is[i])
			return true;
	}
	return !is;
}

bool wl_has_graphs(const struct wl_derived *derived, struct wl_arena *arena)
{
	const struct wl_trace *t = derived->trace;

	return t->family[WL_F_GRAPHS].n ||
	       has_nodes(wl_kernels_node(t), t->family[WL_F_KERNELS].n) ||
	       has_nodes(wl_memcpys_node(t), t->family[WL_F_MEMCPYS].n) ||
	       has_nodes(wl_memsets_node(t), t->family[WL_F_MEMSETS].n) ||
	       has_graph_calls(t, arena);
}

bool wl_graph_uses_find(const struct wl_derived *derived, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_graph_uses *ret)
{
	const struct wl_trace *t = derived->trace;
	struct wl_budget *budget = wl_arena_budget(arena);
	struct using u = { .trace = t, .scope = scope, .links = derived->links };
	bool ok;

	*ret = (struct wl_graph_uses){ .n = 0 };
	u.launches_graph = find_graph_calls(t, arena);
	wl_intern_init(&u.keys, sizeof(struct key), budget);
	wl_vec_init(&u.uses, sizeof(struct wl_graph_use), budget);
	wl_vec_init(&u.until, sizeof(wl_ns), budget);
	wl_vec_init(&u.calls, sizeof(struct mark), budget);
	wl_vec_init(&u.corrs, sizeof(struct mark), budget);
	ok = u.launches_graph && use_all(&u, arena, ret);
	wl_vec_release(&u.corrs);
	wl_vec_release(&u.calls);
	wl_vec_release(&u.until);
	wl_vec_release(&u.uses);
	wl_intern_release(&u.keys);
	return ok;
}

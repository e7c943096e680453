/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/positions.h"

#include <string.h>

#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "derive/graph/step_lists.h"
#include "derive/kinds/classes.h"
#include "derive/rows/ops.h"
#include "derive/rows/slices.h"

/* Size of a cache of recent keys, a power of two. A step has few keys, so most are found here
 * without hashing. */
enum { N_SEEN = 512 };

struct finding {
	const struct wl_compared_by *by;
	const struct wl_derived *given;
	const struct wl_graph *g;
	struct wl_arena *arena, *scratch;
	struct wl_intern keys;    /* step, role, name */
	struct wl_vec activities; /* uint32_t, of the current member, by start */
	struct wl_vec numbers;    /* uint32_t: their keys */
	size_t *end;              /* by requested member: where its activities end in both */
	struct seen {
		uint32_t key[3], number;
	} seen[N_SEEN]; /* recently added keys */
};

static uint32_t number_of(struct finding *f, const uint32_t key[3])
{
	struct seen *seen = &f->seen[(key[2] + 37 * key[1] + (key[1] >> 24)) % N_SEEN];

	if (seen->number == WL_NONE || memcmp(seen->key, key, sizeof(seen->key)) != 0) {
		memcpy(seen->key, key, sizeof(seen->key));
		seen->number = wl_intern_put(&f->keys, key);
	}
	return seen->number;
}

static void put(struct finding *f, uint32_t activity, uint32_t role, uint32_t name)
{
	const uint32_t key[3] = { f->by->cells->is_whole
					  ? 0
					  : wl_step_of(f->given, f->by->bounds, activity),
				  role, name };
	uint32_t number = number_of(f, key);

	f->numbers.failed = f->numbers.failed || number == WL_NONE;
	wl_vec_push(&f->activities, &activity);
	wl_vec_push(&f->numbers, &number);
}

/* What runs on a stream; this makes its class copy, comm or compute. */
enum { HAS_KERNEL = 1, HAS_COMPUTE = 2, HAS_ANY = 4 };

static bool comes_from(const struct finding *f, const struct wl_op *op,
		       const struct wl_member *member)
{
	return f->g->trace->places[op->place].process == member->process;
}

/* The role of each lane of the member. Lanes are in the order of contexts and streams. */
static uint32_t *find_roles(struct finding *f, const struct wl_member *member)
{
	const struct wl_trace *t = f->g->trace;
	uint32_t *role = WL_NEW(f->scratch, uint32_t, f->g->n_lanes), n[HAS_ANY] = { 0 };
	uint8_t *has = WL_NEW(f->scratch, uint8_t, f->g->n_lanes);
	struct wl_op_cursor cursor;
	struct wl_op op;

	if (!role || !has)
		return NULL;
	wl_ops_begin(t, member->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint8_t *of = &has[f->g->lane[op.place]];

		if (!comes_from(f, &op, member))
			continue;
		*of |= HAS_ANY;
		if (op.kind != WL_OP_KERNEL && op.kind != WL_OP_GRAPH)
			continue;
		*of |= HAS_KERNEL;
		if (wl_class_of(t, f->given->classes, op.family, op.row) == WL_COMPUTE)
			*of |= HAS_COMPUTE;
	}
	for (size_t i = 0; i < f->g->n_lanes; i++) {
		uint32_t class = has[i] & (HAS_KERNEL | HAS_COMPUTE);

		if (has[i])
			role[i] = class << 24 | n[class]++;
	}
	return role;
}

/* A number for the operation's name; copies and sets are numbered after kernel names. */
static uint32_t name_of(const struct wl_trace *t, const struct wl_op *op)
{
	enum { SET = 256, GRAPH = 257 };
	uint32_t base = (uint32_t)t->n_kernel_names;

	if (op->kind == WL_OP_KERNEL)
		return wl_kernels_name(t)[op->row];
	if (op->kind == WL_OP_MEMCPY)
		return base + (wl_memcpys_kind(t) ? wl_memcpys_kind(t)[op->row] : 0);
	return base + (op->kind == WL_OP_MEMSET ? (uint32_t)SET : (uint32_t)GRAPH);
}

static bool list_ops(struct finding *f, const struct wl_member *member)
{
	const struct wl_trace *t = f->g->trace;
	const uint32_t *role = find_roles(f, member);
	struct wl_op_cursor cursor;
	struct wl_op op;

	if (!role)
		return false;
	wl_ops_begin(t, member->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		uint32_t number = f->g->first[op.kind] + (uint32_t)op.row;

		if (!comes_from(f, &op, member) ||
		    wl_class_of(t, f->given->classes, op.family, op.row) == WL_COMM)
			continue;
		put(f, number, role[f->g->lane[op.place]], name_of(t, &op));
	}
	return true;
}

struct threads {
	const struct wl_trace *trace;
	const uint32_t *first; /* by thread: its first outermost call; WL_NONE */
};

static bool thread_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct threads *t = ctx;
	const wl_ns *start = wl_api_start(t->trace);
	wl_ns sa = t->first[a] == WL_NONE ? INT64_MAX : start[t->first[a]];
	wl_ns sb = t->first[b] == WL_NONE ? INT64_MAX : start[t->first[b]];

	return sa != sb ? sa < sb : a < b;
}

/* Number the threads of each process by their first call. */
static uint32_t *number_threads(struct finding *f)
{
	const struct wl_trace *t = f->g->trace;
	size_t n = t->n_threads;
	uint32_t *first = WL_NEW(f->scratch, uint32_t, n), *of = WL_NEW(f->scratch, uint32_t, n);
	uint32_t *order = WL_NEW(f->scratch, uint32_t, 2 * n);
	uint32_t *count = WL_NEW(f->scratch, uint32_t, t->n_processes);

	if (!first || !of || !order || !count)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		first[i] = WL_NONE;
		order[i] = i;
	}
	for (uint32_t i = f->g->first_call[1]; i-- > 0;)
		first[wl_api_thread(t)[i]] = i;
	wl_sort_index(order, n, order + n, thread_less, &(struct threads){ t, first });
	for (size_t i = 0; i < n; i++)
		of[order[i]] = count[t->threads[order[i]].process]++;
	return of;
}

/* The calls of a family. */
struct family_calls {
	uint32_t first;              /* number of its first call */
	const uint32_t *name;        /* by row */
	const struct wl_slice *rows; /* by thread */
};

/* The calls of a thread are in order of start; families share no names. */
static void list_thread(struct finding *f, const struct family_calls *of, uint32_t thread,
			uint32_t role)
{
	for (size_t i = of->rows[thread].lo; i < of->rows[thread].hi; i++) {
		uint32_t call = of->first + (uint32_t)i;

		if (f->g->outer[call] == call)
			put(f, wl_graph_call(f->g, call), role, of->name[i]);
	}
}

static void list_calls(struct finding *f, uint32_t process, const struct family_calls *of,
		       const uint32_t *role)
{
	const struct wl_trace *t = f->g->trace;

	for (uint32_t i = 0; i < t->n_threads; i++) {
		for (unsigned k = 0; t->threads[i].process == process && k < WL_N_CALL_FAMILIES;
		     k++) {
			if (of[k].name)
				list_thread(f, &of[k], i, role[i]);
		}
	}
}

/* Names are NULL if a family has no calls. */
static bool find_families(const struct finding *f, struct family_calls *of)
{
	const struct wl_trace *t = f->g->trace;
	const uint32_t *name[WL_N_CALL_FAMILIES] = { wl_api_name(t), wl_mpi_colls_name(t),
						     wl_mpi_others_name(t) };

	for (unsigned i = 0; i < WL_N_CALL_FAMILIES; i++) {
		of[i] = (struct family_calls){ .first = f->g->first_call[i] };
		if (f->g->calls[i].n == 0)
			continue;
		of[i].name = name[i];
		of[i].rows = wl_slices_find(t, wl_call_families[i], f->scratch);
		if (!of[i].rows)
			return false;
	}
	return true;
}

/* Counting sort of one member's activities by key. */
static bool deal(struct finding *f, size_t lo, size_t hi, struct wl_positions_of *ret)
{
	size_t n_keys = f->keys.items.n;
	uint32_t *first = WL_NEW(f->arena, uint32_t, n_keys + 2);
	uint32_t *activity = WL_NEW(f->arena, uint32_t, hi - lo);
	const uint32_t *from = f->activities.data, *number = f->numbers.data;

	if (!first || !activity)
		return false;
	for (size_t i = lo; i < hi; i++)
		first[number[i] + 2]++;
	for (size_t i = 0; i < n_keys; i++)
		first[i + 2] += first[i + 1];
	for (size_t i = lo; i < hi; i++)
		activity[first[number[i] + 1]++] = from[i];
	*ret = (struct wl_positions_of){ first, activity };
	return true;
}

static void begin(struct finding *f, struct wl_arena *scratch)
{
	struct wl_budget *budget = wl_arena_budget(f->arena);

	wl_arena_init_child(scratch, f->arena);
	f->scratch = scratch;
	for (size_t i = 0; i < N_SEEN; i++)
		f->seen[i].number = WL_NONE;
	wl_intern_init(&f->keys, 3 * sizeof(uint32_t), budget);
	wl_vec_init(&f->activities, sizeof(uint32_t), budget);
	wl_vec_init(&f->numbers, sizeof(uint32_t), budget);
}

/* Sort the listed activities by key and release the scratch memory. */
static bool finish(struct finding *f, const struct wl_peers *who, bool ok, struct wl_positions *ret)
{
	const uint32_t *key = f->keys.items.data;
	uint32_t *step = WL_NEW(f->arena, uint32_t, f->keys.items.n);
	struct wl_positions_of *of =
		WL_NEW(f->arena, struct wl_positions_of, f->given->matches->n_members);

	*ret = (struct wl_positions){ .step = step, .n_keys = f->keys.items.n, .of = of };
	ok = ok && step && of && !f->activities.failed && !f->numbers.failed;
	for (size_t i = 0; ok && i < ret->n_keys; i++)
		step[i] = key[3 * i];
	for (size_t i = 0; ok && i < who->n; i++)
		ok = deal(f, i ? f->end[i - 1] : 0, f->end[i], &of[who->member[i]]);
	wl_vec_release(&f->numbers);
	wl_vec_release(&f->activities);
	wl_intern_release(&f->keys);
	wl_arena_release(f->scratch);
	return ok;
}

bool wl_op_positions(const struct wl_compared_by *by, const struct wl_peers *who,
		     struct wl_arena *arena, struct wl_positions *ret)
{
	struct finding f = { .by = by, .given = by->given, .g = by->graph, .arena = arena };
	struct wl_arena scratch;
	bool ok;

	begin(&f, &scratch);
	f.end = WL_NEW(&scratch, size_t, who->n);
	ok = f.end != NULL;
	for (size_t i = 0; ok && i < who->n; i++) {
		ok = list_ops(&f, &f.given->matches->member[who->member[i]]);
		f.end[i] = f.activities.n;
	}
	return finish(&f, who, ok, ret);
}

bool wl_call_positions(const struct wl_compared_by *by, const struct wl_peers *who,
		       struct wl_arena *arena, struct wl_positions *ret)
{
	struct finding f = { .by = by, .given = by->given, .g = by->graph, .arena = arena };
	struct family_calls of[WL_N_CALL_FAMILIES];
	struct wl_arena scratch;
	const uint32_t *role;
	bool ok;

	begin(&f, &scratch);
	f.end = WL_NEW(&scratch, size_t, who->n);
	role = number_threads(&f);
	ok = f.end && role && find_families(&f, of);
	for (size_t i = 0; ok && i < who->n; i++) {
		list_calls(&f, f.given->matches->member[who->member[i]].process, of, role);
		f.end[i] = f.activities.n;
	}
	return finish(&f, who, ok, ret);
}

/* SPDX-License-Identifier: MIT */
#include "derive/use/stack_sums.h"

#include <string.h>

#include "derive/calls/feeding.h"

void wl_stack_want(struct wl_wanted *wanted, const struct wl_stack_choice *choice)
{
	static const enum wl_column_id columns[] = { WL_OP_STARTS, WL_N_COLUMNS };

	wl_want(wanted, WL_FROM(THREAD_STACKS), columns);
	if (choice->causes)
		wl_want(wanted, WL_FROM(IDLE), NULL);
	else if (choice->is_busy)
		wl_want(wanted, WL_FROM(LINKS), NULL);
}

struct visiting {
	const struct wl_derived *derived;
	const struct wl_scope *scope;
	const struct wl_stack_choice *choice;
	struct wl_interval window;
	uint32_t device, thread; /* the device and thread being visited */
	wl_stack_time_fn *take;
	void *ctx;
	struct wl_stack_sums *sums; /* for time that belongs to no thread; NULL: not wanted */
	wl_ns begin, end;           /* busy time of the thread that is not visited yet */
};

static bool is_chosen(const struct visiting *v, uint32_t thread)
{
	return v->choice->tid < 0 ||
	       v->derived->trace->threads[thread].tid == (uint64_t)v->choice->tid;
}

/* Clip to the window; false if nothing is left. */
static bool clip(const struct visiting *v, wl_ns *begin, wl_ns *end)
{
	*begin = *begin > v->window.begin ? *begin : v->window.begin;
	*end = *end < v->window.end ? *end : v->window.end;
	return *begin < *end;
}

static void take_piece(void *ctx, const struct wl_stack_piece *piece)
{
	const struct visiting *v = ctx;

	v->take(v->ctx, v->device, v->thread, piece);
}

static void add(struct visiting *v, wl_ns begin, wl_ns end)
{
	if (is_chosen(v, v->thread) && clip(v, &begin, &end))
		wl_thread_stacks_visit(v->derived->thread_stacks, v->thread, begin, end, take_piece,
				       v);
}

/* Add idle time that is in no account. That of a gap without a launch belongs to no thread. */
static void add_outside(const struct visiting *v, const struct wl_gap *gap)
{
	if (gap->call == WL_NONE ? v->choice->tid >= 0 : !is_chosen(v, v->thread))
		return;
	for (size_t i = 0; i < gap->n_parts; i++) {
		wl_ns begin = gap->part[i].begin, end = gap->part[i].end;

		if (!(WL_STACK_CAUSES >> gap->part[i].cause & 1) && clip(v, &begin, &end))
			v->sums->outside[gap->part[i].cause] += end - begin;
	}
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct visiting *v = ctx;

	if (gap->begin >= v->window.end || gap->end <= v->window.begin)
		return;
	v->thread = gap->call == WL_NONE ? WL_NONE : wl_api_thread(v->derived->trace)[gap->call];
	if (v->sums)
		add_outside(v, gap);
	for (size_t i = 0; v->thread != WL_NONE && i < gap->n_parts; i++) {
		if (v->choice->causes >> gap->part[i].cause & 1)
			add(v, gap->part[i].begin, gap->part[i].end);
	}
}

static bool add_gaps(struct visiting *v, struct wl_arena *arena)
{
	bool ok = true;

	for (uint32_t d = 0; ok && d < v->derived->trace->n_devices; d++) {
		if (!v->scope->device_on[d])
			continue;
		v->window = v->scope->device[d];
		v->device = d;
		ok = wl_idle_visit(v->derived->idle, v->scope, d, arena,
				   &(struct wl_gap_visitor){ .take = take_gap, .ctx = v });
	}
	return ok;
}

/* Visit the busy time joined so far, and start over. */
static void flush_busy(struct visiting *v)
{
	wl_ns begin = v->begin, end = v->end;

	if (v->thread != WL_NONE)
		add(v, begin, end);
	else if (v->sums && v->choice->tid < 0 && clip(v, &begin, &end))
		v->sums->unlinked += end - begin;
	v->begin = v->end;
}

/* Most neighbours belong to one thread: a single look at its stacks covers them all. */
static void take_busy(void *ctx, uint32_t call, wl_ns begin, wl_ns end)
{
	struct visiting *v = ctx;
	uint32_t thread = call == WL_NONE ? WL_NONE : wl_api_thread(v->derived->trace)[call];

	if (begin != v->end || thread != v->thread) {
		flush_busy(v);
		v->begin = begin;
		v->thread = thread;
	}
	v->end = end;
}

static void add_busy(struct visiting *v)
{
	for (uint32_t d = 0; d < v->derived->trace->n_devices; d++) {
		if (!v->scope->device_on[d])
			continue;
		v->window = v->scope->device[d];
		v->device = d;
		v->thread = WL_NONE;
		v->begin = v->end = 0;
		wl_feeding_visit(v->derived->trace, v->derived->links, v->scope, d, take_busy, v);
		flush_busy(v);
	}
}

static void add_threads(struct visiting *v)
{
	const struct wl_thread_stacks *stacks = v->derived->thread_stacks;

	v->device = WL_NONE;
	for (uint32_t i = 0; i < stacks->n_threads; i++) {
		wl_ns begin = stacks->extent[i].begin, end = stacks->extent[i].end;

		if (begin == end)
			continue;
		v->thread = i;
		v->window = (struct wl_interval){ begin, end };
		if (wl_host_clip(v->derived->trace, v->scope, i, &begin, &end))
			add(v, begin, end);
	}
}

static bool visit(struct visiting *v, struct wl_arena *arena)
{
	if (v->choice->causes)
		return add_gaps(v, arena);
	if (v->choice->is_busy)
		add_busy(v);
	else
		add_threads(v);
	return true;
}

bool wl_stack_time_visit(const struct wl_derived *derived, const struct wl_scope *scope,
			 const struct wl_stack_choice *choice, struct wl_arena *arena,
			 wl_stack_time_fn *take, void *ctx)
{
	return visit(&(struct visiting){ derived, scope, choice, .take = take, .ctx = ctx }, arena);
}

/* ---- Sums ---- */

static void sum(struct wl_stack_sums *sums, uint32_t thread, const struct wl_stack_piece *piece)
{
	wl_ns length = piece->end - piece->begin;

	sums->total.all += length;
	sums->thread[thread].all += length;
	if (piece->stack != WL_NONE) {
		sums->self[piece->stack] += length;
		return;
	}
	sums->total.without[piece->state] += length;
	sums->thread[thread].without[piece->state] += length;
}

static void sum_visited(void *ctx, uint32_t device, uint32_t thread,
			const struct wl_stack_piece *piece)
{
	(void)device;
	sum(ctx, thread, piece);
}

bool wl_stack_sums_init(const struct wl_trace *t, struct wl_arena *arena, struct wl_stack_sums *ret)
{
	*ret = (struct wl_stack_sums){
		.self = WL_NEW(arena, wl_ns, t->n_stacks + 1),
		.thread = WL_NEW(arena, struct wl_stack_time, t->n_threads + 1),
	};
	return ret->self && ret->thread;
}

bool wl_stack_sums_find(const struct wl_derived *derived, const struct wl_scope *scope,
			const struct wl_stack_choice *choice, struct wl_arena *arena,
			struct wl_stack_sums *ret)
{
	struct visiting v = {
		derived, scope, choice, .take = sum_visited, .ctx = ret, .sums = ret
	};

	return wl_stack_sums_init(derived->trace, arena, ret) && visit(&v, arena);
}

struct adding {
	struct wl_stack_sums *sums;
	uint32_t thread;
};

static void add_piece(void *ctx, const struct wl_stack_piece *piece)
{
	const struct adding *a = ctx;

	sum(a->sums, a->thread, piece);
}

void wl_stack_sums_add(struct wl_stack_sums *sums, const struct wl_thread_stacks *stacks,
		       uint32_t thread, wl_ns begin, wl_ns end)
{
	wl_thread_stacks_visit(stacks, thread, begin, end, add_piece,
			       &(struct adding){ sums, thread });
}

/* ---- Words ---- */

const char *const wl_stack_durings[] = { "idle",  "host", "os",   "api", "sync", "mpi",
					 "alloc", "load", "busy", "all", NULL };

struct wl_stack_choice wl_stack_during(size_t word)
{
	static const unsigned causes[WL_N_STACK_DURINGS] = {
		WL_STACK_CAUSES,     1u << WL_CAUSE_HOST, 1u << WL_CAUSE_OS,    1u << WL_CAUSE_API,
		1u << WL_CAUSE_SYNC, 1u << WL_CAUSE_MPI,  1u << WL_CAUSE_ALLOC, 1u << WL_CAUSE_LOAD,
	};

	return (struct wl_stack_choice){ .causes = causes[word],
					 .is_busy = word == WL_STACK_DURING_BUSY,
					 .tid = -1 };
}

const char *const wl_stack_without[] = {
	[WL_STACK_OF_NONE] = "[no sample]",
	[WL_STACK_OF_RUNNABLE] = "[off CPU: runnable]",
	[WL_STACK_OF_BLOCKED] = "[off CPU: blocked]",
	[WL_STACK_OF_OFF] = "[off CPU]",
};

const char *wl_stack_folded(const struct wl_trace *t, uint32_t stack, struct wl_arena *arena)
{
	size_t size = 1;
	char *text, *at;

	for (uint32_t s = stack; s != WL_NONE; s = t->stacks[s].caller) {
		const char *name = wl_frame_name(t, &t->frames[t->stacks[s].frame], arena);

		if (!name)
			return NULL;
		size += strlen(name) + 1;
	}
	text = wl_arena_calloc(arena, size, 1);
	if (!text)
		return NULL;
	at = text + size - 1;
	for (uint32_t s = stack; s != WL_NONE; s = t->stacks[s].caller) {
		const char *name = wl_frame_name(t, &t->frames[t->stacks[s].frame], arena);
		size_t n = name ? strlen(name) : 0;

		if (s != stack)
			*--at = ';';
		at -= n;
		for (size_t i = 0; i < n; i++)
			at[i] = (char)(name[i] == ';' ? ':' : name[i]);
	}
	return at;
}

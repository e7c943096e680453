/* SPDX-License-Identifier: MIT */
#include "derive/use/memory_use.h"

#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/rows/stats.h"

enum { ALLOCATES = 0, FREES = 1 };

/* The key of a pool. */
struct key {
	uint32_t device, process, ordinal, kind;
};

/* A process's device ordinal, as operations have it. */
struct seat {
	uint32_t process, ordinal;
};

struct finder {
	const struct wl_trace *trace;
	bool by_process;
	struct wl_intern seats; /* struct seat */
	uint32_t *device;       /* by seat */
	struct wl_intern keys;  /* struct key */
	uint32_t *pool;         /* by row: its key; WL_NONE for rows that do not count */
	uint32_t *order;        /* by key: its place in the order of pools */
};

static bool find_seats(struct finder *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->trace;

	f->device = WL_NEW(arena, uint32_t, t->n_places + 1);
	for (size_t i = 0; f->device && i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];
		const struct seat seat = { p->process, p->ordinal };
		uint32_t n;

		if (p->device == WL_NONE)
			continue;
		n = wl_intern_put(&f->seats, &seat);
		if (n == WL_NONE)
			return false;
		f->device[n] = p->device;
	}
	return f->device != NULL;
}

static uint32_t pool_of(struct finder *f, size_t row)
{
	const struct wl_trace *t = f->trace;
	const struct seat seat = { t->places[wl_mem_events_place(t)[row]].process,
				   wl_mem_events_ordinal(t)[row] };
	uint32_t n = wl_intern_find(&f->seats, &seat);
	struct key key = { WL_NONE, seat.process, seat.ordinal, wl_mem_events_kind(t)[row] };

	if (n != WL_NONE) {
		key.device = f->device[n];
		key.process = f->by_process ? seat.process : WL_NONE;
		key.ordinal = WL_NONE;
	}
	return wl_intern_put(&f->keys, &key);
}

static bool counts(const struct wl_trace *t, size_t row)
{
	return wl_mem_events_time(t)[row] != WL_NO_TIME && wl_mem_events_op(t)[row] <= FREES;
}

static bool key_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct key *x = (const struct key *)ctx + a, *y = (const struct key *)ctx + b;

	if (x->device != y->device)
		return x->device < y->device;
	if (x->process != y->process)
		return x->process < y->process;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal;
	return x->kind < y->kind;
}

static bool event_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct finder *f = ctx;
	const wl_ns *time = wl_mem_events_time(f->trace);
	uint32_t x = f->order[f->pool[a]], y = f->order[f->pool[b]];

	return x != y ? x < y : time[a] < time[b];
}

/* What is freed beyond the current level was in use from the start. */
static int64_t level_at_first(const struct wl_trace *t, const uint32_t *row,
			      const struct wl_memory_pool *p)
{
	int64_t level = 0, missing = 0;

	for (size_t i = p->lo; i < p->hi; i++) {
		int64_t bytes = wl_mem_events_bytes(t)[row[i]];

		if (wl_mem_events_op(t)[row[i]] == ALLOCATES) {
			level = wl_add_up(level, bytes);
		} else if (bytes <= level) {
			level -= bytes;
		} else {
			missing = wl_add_up(missing, bytes - level);
			level = 0;
		}
	}
	return missing;
}

/* Sort the rows that count by pool and time. */
static uint32_t *sort_events(struct finder *f, size_t n_rows, struct wl_arena *arena, size_t *ret_n)
{
	size_t n_keys = f->keys.items.n, n = 0;
	uint32_t *row = WL_NEW(arena, uint32_t, n_rows + 1);
	uint32_t *tmp = WL_NEW(arena, uint32_t, n_rows + 1);
	uint32_t *keys = WL_NEW(arena, uint32_t, 2 * n_keys + 1);

	f->order = WL_NEW(arena, uint32_t, n_keys + 1);
	if (!row || !tmp || !keys || !f->order)
		return NULL;
	wl_sort_all(keys, n_keys, key_less, f->keys.items.data);
	for (uint32_t i = 0; i < n_keys; i++)
		f->order[keys[i]] = i;
	for (uint32_t i = 0; i < n_rows; i++) {
		if (f->pool[i] != WL_NONE)
			row[n++] = i;
	}
	wl_sort_index(row, n, tmp, event_less, f);
	*ret_n = n;
	return row;
}

static bool find(struct finder *f, struct wl_arena *arena, struct wl_memory_use *ret)
{
	const struct wl_trace *t = f->trace;
	size_t n = wl_mem_events_time(t) ? t->family[WL_F_MEM_EVENTS].n : 0;
	struct wl_memory_pool *pool;
	uint32_t *row;

	f->pool = WL_NEW(arena, uint32_t, n + 1);
	if (!f->pool || !find_seats(f, arena))
		return false;
	for (size_t i = 0; i < n; i++) {
		f->pool[i] = counts(t, i) ? pool_of(f, i) : WL_NONE;
		if (f->pool[i] == WL_NONE && counts(t, i))
			return false;
	}
	row = sort_events(f, n, arena, &n);
	pool = WL_NEW(arena, struct wl_memory_pool, f->keys.items.n + 1);
	if (!row || !pool)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct wl_memory_pool *p = &pool[f->order[f->pool[row[i]]]];
		const struct key *k = (const struct key *)f->keys.items.data + f->pool[row[i]];

		if (p->hi == 0)
			*p = (struct wl_memory_pool){ k->device, k->process, k->ordinal, k->kind,
						      i,         i,          0 };
		p->hi = i + 1;
	}
	for (size_t i = 0; i < f->keys.items.n; i++)
		pool[i].at_first = level_at_first(t, row, &pool[i]);
	*ret = (struct wl_memory_use){ pool, f->keys.items.n, row };
	return true;
}

bool wl_memory_use_find(const struct wl_trace *trace, bool by_process, struct wl_arena *arena,
			struct wl_memory_use *ret)
{
	struct finder f = { .trace = trace, .by_process = by_process };
	bool ok;

	wl_intern_init(&f.seats, sizeof(struct seat), wl_arena_budget(arena));
	wl_intern_init(&f.keys, sizeof(struct key), wl_arena_budget(arena));
	ok = find(&f, arena, ret);
	wl_intern_release(&f.keys);
	wl_intern_release(&f.seats);
	return ok;
}

bool wl_memory_window(const struct wl_scope *scope, const struct wl_memory_pool *pool,
		      struct wl_interval *ret)
{
	if ((pool->device != WL_NONE && !scope->device_on[pool->device]) ||
	    (pool->process != WL_NONE && !scope->process_on[pool->process]))
		return false;
	if (scope->whole)
		*ret = (struct wl_interval){ INT64_MIN, INT64_MAX };
	else
		*ret = pool->device != WL_NONE ? scope->device[pool->device]
					       : scope->process[pool->process];
	return ret->begin < ret->end;
}

static void count_event(struct wl_memory_walk *w, bool frees, int64_t bytes)
{
	if (!frees)
		w->level = wl_add_up(w->level, bytes);
	else
		w->level = bytes < w->level ? w->level - bytes : 0;
}

/* A CUDA memory pool keeps freed memory: how full the pool is after an event. */
static void see_pool(const struct wl_trace *t, uint32_t row, struct wl_memory_sum *s)
{
	uint64_t size, used;

	if (!wl_mem_events_pool_size(t) || wl_mem_events_pool(t)[row] == WL_NO_U64)
		return;
	size = wl_mem_events_pool_size(t)[row];
	used = wl_mem_events_pool_used(t)[row];
	if (size > INT64_MAX || used > size || (int64_t)size <= s->pool_size)
		return;
	s->pool_size = (int64_t)size;
	s->pool_used = (int64_t)used;
}

struct wl_memory_sum wl_memory_measure(const struct wl_trace *trace,
				       const struct wl_memory_use *use,
				       const struct wl_memory_pool *pool,
				       struct wl_memory_walk *walk, struct wl_interval at)
{
	const wl_ns *time = wl_mem_events_time(trace);
	const int64_t *size = wl_mem_events_bytes(trace);
	const uint8_t *op = wl_mem_events_op(trace);
	struct wl_memory_sum s = { .peak_at = WL_NO_TIME, .pool_size = -1, .pool_used = -1 };

	for (; walk->next < pool->hi && time[use->row[walk->next]] < at.begin; walk->next++)
		count_event(walk, op[use->row[walk->next]] == FREES, size[use->row[walk->next]]);
	s.before = s.peak = walk->level;
	for (; walk->next < pool->hi && time[use->row[walk->next]] < at.end; walk->next++) {
		uint32_t row = use->row[walk->next];

		count_event(walk, op[row] == FREES, size[row]);
		see_pool(trace, row, &s);
		if (op[row] == FREES) {
			s.frees++;
			s.freed = wl_add_up(s.freed, size[row]);
			continue;
		}
		s.allocs++;
		s.allocated = wl_add_up(s.allocated, size[row]);
		s.largest = size[row] > s.largest ? size[row] : s.largest;
		if (walk->level > s.peak) {
			s.peak = walk->level;
			s.peak_at = time[row];
		}
	}
	s.after = walk->level;
	return s;
}

wl_ns wl_memory_step(const struct wl_process_iters *iters, size_t i, uint32_t *ret_iter)
{
	*ret_iter = iters->by_marker ? iters->by_marker[i] : (uint32_t)i;
	return iters->by_marker ? iters->at[*ret_iter].host.begin : iters->at[*ret_iter].tile.begin;
}

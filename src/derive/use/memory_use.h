/* SPDX-License-Identifier: MIT */
/*
 * memory_use.h - memory that CUDA allocated and freed, by GPU and kind, in order of time.
 *
 * Defined in docs/definitions/memory.md: what is freed and was never seen allocated was in use from
 * the start.
 */
#ifndef WL_DERIVE_MEMORY_USE_H
#define WL_DERIVE_MEMORY_USE_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"
#include "derive/rows/scope.h"

/* Memory of one kind on one GPU. */
struct wl_memory_pool {
	uint32_t device;  /* WL_NONE: the process ran nothing there */
	uint32_t process; /* WL_NONE: all of the device */
	uint32_t ordinal; /* of the process, where there is no device; else WL_NONE */
	uint32_t kind;
	size_t lo, hi;    /* its events */
	int64_t at_first; /* bytes in use before the first of them */
};

struct wl_memory_use {
	const struct wl_memory_pool *pool; /* by device, process, ordinal and kind */
	size_t n;
	const uint32_t *row; /* by event: row of the mem_events family */
};

/*
 * Each process has pools of its own, or those of a device share one. Sorts events that are not in
 * order, else linear. Owned by the arena; false when that is exhausted.
 */
bool wl_memory_use_find(const struct wl_trace *trace, bool by_process, struct wl_arena *arena,
			struct wl_memory_use *ret) WL_MUST_CHECK;

/* Where the scope looks at a pool; false where it does not. */
bool wl_memory_window(const struct wl_scope *scope, const struct wl_memory_pool *pool,
		      struct wl_interval *ret);

/* A pool in some time. */
struct wl_memory_sum {
	size_t allocs, frees;
	int64_t allocated, freed; /* bytes */
	int64_t before, after;    /* bytes in use at the begin, and at the end */
	int64_t peak, largest;    /* largest: the largest allocation */
	wl_ns peak_at;            /* WL_NO_TIME: at the begin */
	/* Of the event that found most in a CUDA memory pool; -1: none was in one. */
	int64_t pool_size, pool_used;
};

/* A walk along a pool: times must not go back. */
struct wl_memory_walk {
	size_t next;
	int64_t level;
};

static inline struct wl_memory_walk wl_memory_begin(const struct wl_memory_pool *pool)
{
	return (struct wl_memory_walk){ pool->lo, pool->at_first };
}

/* The pool in [begin, end). All steps of a walk together are linear in its events. */
struct wl_memory_sum wl_memory_measure(const struct wl_trace *trace,
				       const struct wl_memory_use *use,
				       const struct wl_memory_pool *pool,
				       struct wl_memory_walk *walk, struct wl_interval at);

/* When the host begins step i in its order: of step ret_iter, an index of iters->at. */
wl_ns wl_memory_step(const struct wl_process_iters *iters, size_t i, uint32_t *ret_iter);

#endif

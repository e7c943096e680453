/* SPDX-License-Identifier: MIT */
/*
 * memory_use.h - memory that CUDA allocated and freed, by GPU and kind, in order of time.
 *
 * Defined in docs/definitions/memory.md: memory that is freed but was never seen allocated was in
 * use from the start.
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
	uint32_t ordinal; /* of the process, if there is no device; else WL_NONE */
	uint32_t kind;
	size_t lo, hi;    /* its events */
	int64_t at_first; /* bytes in use before the first event */
};

struct wl_memory_use {
	const struct wl_memory_pool *pool; /* by device, process, ordinal and kind */
	size_t n;
	const uint32_t *row; /* by event: row of the mem_events family */
};

/*
 * by_process: each process has its own pools; otherwise the processes of a device share one.
 * Linear, but sorts events that are out of order. Owned by the arena; false when that is exhausted.
 */
bool wl_memory_use_find(const struct wl_trace *trace, bool by_process, struct wl_arena *arena,
			struct wl_memory_use *ret) WL_MUST_CHECK;

/* The time of a pool that the scope covers; false if it covers none. */
bool wl_memory_window(const struct wl_scope *scope, const struct wl_memory_pool *pool,
		      struct wl_interval *ret);

/* A pool over some time. */
struct wl_memory_sum {
	size_t allocs, frees;
	int64_t allocated, freed; /* bytes */
	int64_t before, after;    /* bytes in use at the beginning and at the end */
	int64_t peak, largest;    /* largest: the largest allocation */
	wl_ns peak_at;            /* WL_NO_TIME: at the beginning */
	/* From the event that found most in a CUDA memory pool; -1: no event was in one. */
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

/* Measure the pool in [begin, end). All steps of a walk together are linear in the pool's
 * events. */
struct wl_memory_sum wl_memory_measure(const struct wl_trace *trace,
				       const struct wl_memory_use *use,
				       const struct wl_memory_pool *pool,
				       struct wl_memory_walk *walk, struct wl_interval at);

/* When the host begins the i-th step in its order. *ret_iter is the step's index in iters->at. */
wl_ns wl_memory_step(const struct wl_process_iters *iters, size_t i, uint32_t *ret_iter);

#endif

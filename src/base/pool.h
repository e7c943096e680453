/*
 * pool.h - the only threads: independent tasks over data that nobody changes.
 *
 * Results do not depend on the number of threads: a task sees its index and
 * nothing of the others, and what tasks allocate is joined in the order of their
 * indexes.
 */
#ifndef WL_BASE_POOL_H
#define WL_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attr.h"

struct wl_pool;

/*
 * A pool of n_threads >= 1, the caller counted: with one, tasks run in line. NULL
 * when the system gives no threads or memory.
 */
struct wl_pool *wl_pool_new(unsigned n_threads);

/* Accepts NULL. No map may be under way. */
void wl_pool_free(struct wl_pool *pool);

unsigned wl_pool_threads(const struct wl_pool *pool); /* 1 for NULL */

/* One task. What it takes from the arena outlives it. False when it could not finish. */
typedef bool wl_task(void *ctx, size_t i, struct wl_arena *arena);

/*
 * Run task(ctx, i, ...) for each i in [0, n) and wait for all. A NULL pool, and a
 * call from inside a task, run them in line. Every task has an arena of its own;
 * all are charged to the given one and become part of it. False when some task
 * returned false; the others may then not have run.
 */
bool wl_pool_map(struct wl_pool *pool, size_t n, wl_task *task, void *ctx,
		 struct wl_arena *arena) WL_MUST_CHECK;

#endif

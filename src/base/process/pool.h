/* SPDX-License-Identifier: MIT */
/*
 * pool.h - a thread pool: independent tasks over constant data, and a background thread
 * for the one that talks to the user.
 *
 * Results do not depend on the number of threads: a task sees its index and
 * nothing of the others, and what tasks allocate is joined in the order of their
 * indexes. Only whether a budget suffices may depend on it, because tasks that
 * run at once have their scratch at once.
 */
#ifndef WL_BASE_POOL_H
#define WL_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/memory/arena.h"

struct wl_pool;

/*
 * A pool of n_threads >= 1, the caller counted: with one, tasks run in line. NULL
 * when there is no memory. Threads start when a map first has tasks for them, and
 * where the system does not give that many, those there are do all the work.
 */
struct wl_pool *wl_pool_new(unsigned n_threads) WL_MUST_CHECK;

/* Accepts NULL. No map may be under way. */
void wl_pool_free(struct wl_pool *pool);

unsigned wl_pool_threads(const struct wl_pool *pool); /* as asked for; 1 for NULL */

/*
 * One task. Its arena is used by no other, and what it takes from there outlives
 * it. It may change what ctx keeps for its index, and must not wait for another
 * task. False when it could not finish.
 */
typedef bool wl_task(void *ctx, size_t i, struct wl_arena *arena);

/*
 * Run task(ctx, i, ...) for each i in [0, n) and wait for all. They run in line,
 * in order, where there is no pool and while another map has the threads, such as
 * one that the caller is a task of. All arenas are charged to the given one and
 * become part of it.
 *
 * False when some task returned false. No further ones are then begun, but those
 * before it have run. So the first of the tasks that fail is the same one each
 * time, and the reason to report is that of the lowest index. False also when the work
 * must end (stop.h): then no task may have a reason.
 */
bool wl_pool_map(struct wl_pool *pool, size_t n, wl_task *task, void *ctx,
		 struct wl_arena *arena) WL_MUST_CHECK;

/*
 * A job: one function on a thread of its own, while the caller goes on and
 * looks now and then. It may use a pool, whose maps run in line while another thread has it.
 */
struct wl_job;
typedef void wl_job_fn(void *ctx);

/* NULL when the system gives no thread or memory; then fn was not called. */
struct wl_job *wl_job_start(wl_job_fn *fn, void *ctx) WL_MUST_CHECK;

/* The function has returned, and the caller sees what it has done. Does not wait. */
bool wl_job_is_done(struct wl_job *job);

/* Wait for its end and free it. Accepts NULL. */
void wl_job_join(struct wl_job *job);

#endif

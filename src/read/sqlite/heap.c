/* SPDX-License-Identifier: MIT */
/* heap.c - SQLite's allocator: malloc, with accounting while a limit is set. */
#include "read/sqlite/heap.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <sqlite3.h>

static _Atomic int64_t heap_limit; /* 0: none */
static atomic_int n_inside;        /* users of the limit */
static _Atomic int64_t heap_used;  /* since the limit was set; frees of older blocks reduce it */

static int64_t limit_now(void)
{
	return atomic_load_explicit(&heap_limit, memory_order_relaxed);
}

static void count(int64_t bytes)
{
	if (limit_now())
		atomic_fetch_add_explicit(&heap_used, bytes, memory_order_relaxed);
}

static int has_room(int64_t bytes)
{
	int64_t limit = limit_now();

	return !limit || atomic_load_explicit(&heap_used, memory_order_relaxed) + bytes <= limit;
}

static void *allocate(int n)
{
	void *p = has_room(n) ? malloc((size_t)n) : NULL;

	if (p)
		count((int64_t)malloc_usable_size(p));
	return p;
}

static void give(void *p)
{
	if (p)
		count(-(int64_t)malloc_usable_size(p));
	free(p);
}

static int size_of(void *p)
{
	return p ? (int)malloc_usable_size(p) : 0;
}

static void *resize(void *p, int n)
{
	int64_t before = (int64_t)malloc_usable_size(p);
	void *q = has_room(n - before) ? realloc(p, (size_t)n) : NULL;

	if (q)
		count((int64_t)malloc_usable_size(q) - before);
	return q;
}

static int round_up(int n)
{
	return (n + 7) & ~7;
}

static int begin(void *ctx)
{
	(void)ctx;
	return SQLITE_OK;
}

static void end(void *ctx)
{
	(void)ctx;
}

void wl_sqlite_heap_configure(void)
{
	static const sqlite3_mem_methods methods = { .xMalloc = allocate,
						     .xFree = give,
						     .xRealloc = resize,
						     .xSize = size_of,
						     .xRoundup = round_up,
						     .xInit = begin,
						     .xShutdown = end };

	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	(void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

void wl_sqlite_heap_enter(size_t bytes)
{
	int64_t limit = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;

	if (atomic_fetch_add(&n_inside, 1) == 0)
		atomic_store(&heap_used, 0);
	if (limit > limit_now())
		atomic_store(&heap_limit, limit);
}

void wl_sqlite_heap_leave(void)
{
	if (atomic_fetch_sub(&n_inside, 1) == 1)
		atomic_store(&heap_limit, 0);
}

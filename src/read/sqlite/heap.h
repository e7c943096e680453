/* SPDX-License-Identifier: MIT */
/*
 * heap.h - a limit of the memory that SQLite takes.
 *
 * SQLite's own limit counts under a lock that all connections share, which reading on several
 * threads cannot afford. Here nothing is counted until a limit is set.
 */
#ifndef WL_READ_SQLITE_HEAP_H
#define WL_READ_SQLITE_HEAP_H

#include <stddef.h>

/* Make it SQLite's allocator: before anything opens a database, and before there are threads. */
void wl_sqlite_heap_configure(void);

/*
 * Until leave SQLite may take so many bytes more, in all connections together; beyond them
 * statements fail with SQLITE_NOMEM. Who enters while others are in may raise the limit, and does
 * not lower it; it ends when the last one leaves.
 */
void wl_sqlite_heap_enter(size_t bytes);
void wl_sqlite_heap_leave(void);

#endif

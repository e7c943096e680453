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
 * From now on SQLite may take so many bytes more, in all connections together; beyond them
 * statements fail with SQLITE_NOMEM. 0 ends the limit. It is the program's: the last call counts.
 */
void wl_sqlite_heap_limit(size_t bytes);

#endif

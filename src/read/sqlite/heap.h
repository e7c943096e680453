/* SPDX-License-Identifier: MIT */
/*
 * heap.h - limits the memory that SQLite uses.
 *
 * SQLite's own limit counts under a lock shared by all connections, which is too slow for reading
 * on several threads. This one counts nothing until a limit is set.
 */
#ifndef WL_READ_SQLITE_HEAP_H
#define WL_READ_SQLITE_HEAP_H

#include <stddef.h>

/* Install it as SQLite's allocator. Call this before any database is opened and any thread is
 * started. */
void wl_sqlite_heap_configure(void);

/*
 * Until wl_sqlite_heap_leave(), SQLite may allocate this many more bytes in all connections
 * together; beyond that, statements fail with SQLITE_NOMEM. Entering while others are inside may
 * raise the limit but never lowers it; the limit ends when the last one leaves.
 */
void wl_sqlite_heap_enter(size_t bytes);
void wl_sqlite_heap_leave(void);

#endif

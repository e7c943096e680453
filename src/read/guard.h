/* SPDX-License-Identifier: MIT */
/*
 * guard.h - checks that a file can be read safely and has not changed since.
 *
 * Both readers access the file's bytes without a lock. That is correct only while no program writes
 * to it: there is no live journal next to the file, its size agrees with its header, and neither
 * changes while we read.
 */
#ifndef WL_READ_GUARD_H
#define WL_READ_GUARD_H

#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_guard {
	int64_t size;
	int64_t data; /* bytes that are not holes: a bound on the file's contents */
	uint64_t device, inode;
	struct timespec modified;
	uint32_t change_counter;
};

/*
 * Check the file. Refuses, with a message that says what to do, anything that is not a regular file
 * or not a database, an empty file, a file shorter than its header says, and a file with rows
 * pending in a -wal or -journal next to it.
 */
int wl_guard_take(const char *path, struct wl_guard *ret_guard,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_IO if the file has changed since. */
int wl_guard_check(const char *path, const struct wl_guard *guard,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * guard.h - checks that a file can be read safely and did not change meanwhile.
 *
 * Both readers look at the bytes of the file without taking a lock. That is
 * right only while no program writes: there is no live journal next to the file, its
 * size agrees with its header, and neither changes under us.
 */
#ifndef WL_READ_GUARD_H
#define WL_READ_GUARD_H

#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_guard {
	int64_t size;
	int64_t data; /* bytes of it that are no holes: they bound all that the file holds */
	uint64_t device, inode;
	struct timespec modified;
	uint32_t change_counter;
};

/*
 * Look at the file. Refused, with a message that says what to do: what is not a
 * regular file or not a database, an empty file, one shorter than its header
 * says, and one with rows waiting in a -wal or -journal beside it.
 */
int wl_guard_take(const char *path, struct wl_guard *ret_guard,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* WL_E_IO when the file is no longer what it was. */
int wl_guard_check(const char *path, const struct wl_guard *guard,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * identity.h - the identity of a trace: a few numbers that change when the file does.
 *
 * A trace that is copied together with its index stays the same one where the copy
 * keeps the time of the last change (cp -a, rsync -t). Its name is part of it, because
 * the rank of a process may come from the name of the file alone.
 */
#ifndef WL_INDEX_IDENTITY_H
#define WL_INDEX_IDENTITY_H

#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* Plain numbers without padding: it is written and compared as bytes. */
struct wl_trace_identity {
	int64_t size;
	int64_t modified_s, modified_ns;
	uint64_t change_counter; /* of SQLite, which counts what was written */
	uint64_t name;           /* checksum of the file's name, without directories */
	uint64_t head;           /* checksum of its first 64 KiB: the schema and more */
};

/* WL_E_IO when the file cannot be read or is no regular file. */
int wl_trace_identify(const char *path, struct wl_trace_identity *ret,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif

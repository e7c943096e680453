/* SPDX-License-Identifier: MIT */
/*
 * pack.h - packs small records into bytes and parses them back from untrusted bytes.
 *
 * Numbers take 8 bytes in the byte order of the machine; a text is its length, its
 * bytes and a NUL. Errors of both sides are sticky: many puts or gets, one check.
 */
#ifndef WL_BASE_PACK_H
#define WL_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/vec.h"

/* bytes is a vector of char that the caller made; its failed says whether all was put. */
void wl_pack_u64(struct wl_vec *bytes, uint64_t v);
void wl_pack_str(struct wl_vec *bytes, const char *s); /* NULL stays NULL */

struct wl_unpack {
	const char *at; /* what is still to be read */
	size_t left;
	bool failed;
};

/* 0 after a failure. */
uint64_t wl_unpack_u64(struct wl_unpack *u);

/* A number in [0, max]; another one is a failure. */
uint64_t wl_unpack_upto(struct wl_unpack *u, uint64_t max);

/* A text, which points into the bytes and is valid UTF-8; NULL where that was put, or failed. */
const char *wl_unpack_str(struct wl_unpack *u);

/* True when nothing failed and nothing is left. */
bool wl_unpack_done(const struct wl_unpack *u);

#endif

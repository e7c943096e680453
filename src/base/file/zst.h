/* SPDX-License-Identifier: MIT */
/*
 * zst.h - blocks of bytes compressed with zstd, and back from untrusted bytes.
 *
 * The same bytes and level give the same result with one version of the library.
 */
#ifndef WL_BASE_ZST_H
#define WL_BASE_ZST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/memory/vec.h"

/*
 * Append n bytes to a vector of bytes, compressed as one frame. False without memory, or where the
 * work of the vector's budget must stop.
 */
bool wl_zst_pack(const void *bytes, size_t n, int level, struct wl_vec *out) WL_MUST_CHECK;

/*
 * Unpack one frame of n bytes that must become exactly size bytes, into to. False for anything
 * else: nothing is written past size, whatever the frame says of itself.
 */
bool wl_zst_unpack(const void *frame, size_t n, void *to, size_t size) WL_MUST_CHECK;

#endif

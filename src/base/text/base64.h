/* SPDX-License-Identifier: MIT */
/* base64.h - Base64 (RFC 4648, with padding), for files that hold text only. */
#ifndef WL_BASE_BASE64_H
#define WL_BASE_BASE64_H

#include <stddef.h>

/* How many characters n bytes become: a multiple of four. */
static inline size_t wl_base64_size(size_t n)
{
	return (n + 2) / 3 * 4;
}

/*
 * Write wl_base64_size(n) characters, without a terminator. Pieces of a multiple of three bytes
 * can be written one after the other; only the last one has padding.
 */
void wl_base64_write(const void *bytes, size_t n, char *buf);

#endif

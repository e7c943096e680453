/* SPDX-License-Identifier: MIT */
/*
 * put.h - unlocked writes to a file that one thread writes to; a few bytes take no
 * call. Code that writes millions of small cells spends most of its time there.
 */
#ifndef WL_BASE_PUT_H
#define WL_BASE_PUT_H

#include <stdio.h>

enum { WL_PUT_FEW = 24 }; /* up to here a loop is faster than a call */

static inline void wl_put_byte(FILE *out, char c)
{
	(void)putc_unlocked(c, out);
}

static inline void wl_put_bytes(FILE *out, const char *s, size_t n)
{
	if (n > WL_PUT_FEW) {
		(void)fwrite_unlocked(s, 1, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		(void)putc_unlocked(s[i], out);
}

/* For short texts, such as numbers and words. */
static inline void wl_put_chars(FILE *out, const char *s)
{
	while (*s)
		(void)putc_unlocked(*s++, out);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * shown.h - a trace in memory with rows of every kind, as a page shows it; and the data of a
 * page, taken apart again by other code than the program's.
 */
#ifndef WL_TESTS_SHOWN_H
#define WL_TESTS_SHOWN_H

#include "serve/page/pack.h"
#include "support/viewed.h"

/* Random: devices, streams that overlap themselves, calls, nested ranges with numbers, waits. */
void shown_make(struct viewed *v, uint64_t seed, unsigned n_calls);

enum { SHOWN_CALLS = 120 }; /* enough for rows of every kind */

/* The bytes of a pack before compression, in memory of the test. */
unsigned char *shown_inflate(const struct wl_pack *pack);

/* The values of a column in memory of the test; fails where there is none, or where it is not
   as long as it says. */
uint64_t *shown_column(const struct wl_pack *pack, const unsigned char *bytes, const char *key,
		       int64_t of, size_t *ret_n);

int64_t shown_unzigzag(uint64_t v);

#endif

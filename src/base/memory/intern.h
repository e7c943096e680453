/* SPDX-License-Identifier: MIT */
/*
 * intern.h - numbers distinct tuples densely.
 *
 * Tuples are plain structs of a fixed size without padding, compared by their
 * bytes. Numbers are dense and given in order of first sight.
 */
#ifndef WL_BASE_INTERN_H
#define WL_BASE_INTERN_H

#include <stdint.h>

#include "base/memory/hash.h"
#include "base/memory/vec.h"

#define WL_NONE UINT32_MAX /* no such thing: of interned numbers, strings, rows */

struct wl_intern {
	struct wl_vec items; /* the tuples, indexed by their number */
	struct wl_vec slots; /* hash table of numbers + 1; 0 is free */
	struct wl_hash_key key;
	uint32_t last; /* most rows repeat the tuple of the row before */
};

void wl_intern_init(struct wl_intern *in, size_t size, struct wl_budget *budget);
void wl_intern_release(struct wl_intern *in);

/* The tuple's number, added if new; WL_NONE when memory or numbers run out. */
uint32_t wl_intern_put(struct wl_intern *in, const void *tuple) WL_MUST_CHECK;

/* The tuple's number, or WL_NONE when it was never put. */
uint32_t wl_intern_find(const struct wl_intern *in, const void *tuple);

#endif

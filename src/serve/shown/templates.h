/* SPDX-License-Identifier: MIT */
/*
 * templates.h - names that differ only in numbers, as one text and integers.
 *
 * A template is a name in which every number that only counts (derive/nvtx/range_names.h) is
 * replaced by #. So that the name comes back to the byte, only numbers that are written as
 * programs write them leave it: decimal, without leading zeros, below 2^52; addresses stay.
 * A name that holds # keeps its numbers, and each of its # is doubled: two numbers never
 * touch, so ## is always one of the name's own.
 */
#ifndef WL_SERVE_TEMPLATES_H
#define WL_SERVE_TEMPLATES_H

#include "serve/shown/names.h"

struct wl_templates {
	size_t n;
	const char *const *text; /* in the order of the first names that have them */
	const uint32_t *of_name; /* by name */
	size_t n_integers;       /* of all names */
};

/* Owned by the arena; false without memory. Sorts the distinct names. */
bool wl_templates_find(const struct wl_names *names, struct wl_arena *arena,
		       struct wl_templates *ret) WL_MUST_CHECK;

/* Write a name's template, with the terminator; at most twice as long as the name. */
void wl_template_write(const char *name, char *buf);

/*
 * The next integer of a name, from byte *at on; false when there is none. *at is moved behind
 * it. In the order of the # of its template.
 */
bool wl_template_integer(const char *name, size_t *at, uint64_t *ret);

#endif

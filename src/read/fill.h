/* SPDX-License-Identifier: MIT */
/* fill.h - reads a table of the file into a column family, on several threads. */
#ifndef WL_READ_FILL_H
#define WL_READ_FILL_H

#include "read/make.h"

struct wl_pool;

struct wl_fill {
	struct wl_probe *probe;
	struct wl_strings_map *strings;      /* loaded, if a wanted column needs them */
	const struct wl_raw_map *chains;     /* loaded, if a wanted column has stacks */
	const struct wl_family_table *table; /* NULL if the family is empty */
	const struct wl_columns *want;
	wl_ns trace_end;                       /* where unclosed ranges end */
	struct wl_pool *pool;                  /* NULL: in line */
	const atomic_int *cancel;              /* may be NULL */
	void (*tell)(void *ctx, int64_t rows); /* rows read since the last call; any thread */
	void *ctx;
};

/*
 * Read the family again. Which rows of the table become rows of the family depends on the table
 * alone, never on the wanted columns, so columns filled by different calls align.
 */
int wl_fill_family(const struct wl_fill *fill, enum wl_family_id family,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * pack.h - a finished table as bytes, and back.
 *
 * The columns are not part of it: they come from the analysis, and so does the shape
 * of what is read back. Bytes may come from anywhere.
 */
#ifndef WL_TABLE_PACK_H
#define WL_TABLE_PACK_H

#include "base/attr.h"
#include "base/file/pack.h"
#include "table/table.h"

/* Append; the vector's failed says whether there was room. */
void wl_table_pack(const struct wl_table *t, struct wl_vec *bytes);

/*
 * The table, with texts that point into the bytes. False when it does not fit the
 * columns, or without memory; *out must then not be used.
 */
bool wl_table_unpack(struct wl_unpack *from, const struct wl_col *cols, size_t n_cols,
		     struct wl_arena *arena, struct wl_table *out) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * coding.h - encodes columns of facts as bytes, and decodes them from untrusted bytes.
 *
 * An encoded column is a mode and a varint per row: the values, or their differences from the row
 * before, whichever takes fewer bytes.
 */
#ifndef WL_FACTS_CODING_H
#define WL_FACTS_CODING_H

#include "facts/facts.h"

/* Append a number (base/file/varint.h); without memory, sets the vector's failed. */
void wl_facts_put_varint(struct wl_vec *bytes, uint64_t value);

/* Append the column. False without memory; the vector's failed is then set as well. */
bool wl_facts_encode_column(const struct wl_facts *facts, enum wl_facts_column_id column,
			    struct wl_vec *bytes) WL_MUST_CHECK;

struct wl_facts_source {
	const unsigned char *at, *end;
};

/* Read the n rows of a column into its vector, which must be empty. False if they are missing. */
bool wl_facts_decode_column(struct wl_facts *facts, enum wl_facts_column_id column, size_t n,
			    struct wl_facts_source *from) WL_MUST_CHECK;

#endif

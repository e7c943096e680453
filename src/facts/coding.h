/* SPDX-License-Identifier: MIT */
/*
 * coding.h - columns of facts as bytes, and back from untrusted bytes.
 *
 * A column is a mode and a varint per row: the value, or its difference to the row before,
 * whichever takes fewer bytes.
 */
#ifndef WL_FACTS_CODING_H
#define WL_FACTS_CODING_H

#include "facts/facts.h"

/* Append a number (base/file/varint.h); the vector's failed says whether there was room. */
void wl_facts_put_varint(struct wl_vec *bytes, uint64_t value);

/* Append the column. The vector's failed says whether there was room; false as well then. */
bool wl_facts_encode_column(const struct wl_facts *facts, enum wl_facts_column_id column,
			    struct wl_vec *bytes) WL_MUST_CHECK;

struct wl_facts_source {
	const unsigned char *at, *end;
};

/* Read the n rows of a column to its vector, which is empty. False if they are not there. */
bool wl_facts_decode_column(struct wl_facts *facts, enum wl_facts_column_id column, size_t n,
			    struct wl_facts_source *from) WL_MUST_CHECK;

#endif

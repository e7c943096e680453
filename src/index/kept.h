/* SPDX-License-Identifier: MIT */
/*
 * kept.h - shared results (derive/derived.h), kept in an index.
 *
 * Kept is what takes longer to find than to check: links of operations to calls, names
 * of ranges, iterations. All are of the whole trace with ranges named as it tells by
 * itself. Each is copied, compared with its sum and checked before it is used, as columns
 * are.
 *
 * To keep another thing, write put_X and get_X in kept.c.
 */
#ifndef WL_INDEX_KEPT_H
#define WL_INDEX_KEPT_H

#include "derive/derivations.h"
#include "index/index.h"

/* What is kept. */
extern const uint64_t wl_kept_from;

/* Write it, as a view of a trace that is loaded whole has it. */
void wl_kept_put(const struct wl_derived *derived, struct wl_index_writer *w);

/*
 * What gets it from an index, which must outlive it. A thing is there when all columns
 * that it is made of are loaded: without them it would not be found as it is kept.
 * The columns must have been checked.
 */
struct wl_derived_source wl_kept_source(const struct wl_index *index);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * compare_readers.h - one file, both readers, the same cells.
 *
 * SQLite is the oracle. The readers list all tables, and hand over their columns
 * in several ways: as numbers, as text, as presence and mixed, in one part and in
 * many, read in order, backwards and by threads. Every cell must be the same.
 */
#ifndef WL_TESTS_COMPARE_READERS_H
#define WL_TESTS_COMPARE_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct comparer; /* buffers and threads, for one caller at a time */

/*
 * SOME: each table in a few ways that the seed chooses. ALL: in every way.
 * DAMAGED: as SOME, without threads. Either reader may refuse the file, a table or its
 * rows, which ends the comparison; what both read before must be the same.
 */
enum compare_how { COMPARE_SOME, COMPARE_ALL, COMPARE_DAMAGED };

/* What was compared so far, over all files. */
struct compared {
	uint64_t tables, scans, rows, cells;
	uint64_t parts;   /* beyond the first of each scan */
	uint64_t retries; /* tables that were begun again */
	uint64_t refused; /* files that both readers refuse, and tables */
};

struct comparer *comparer_new(void) WL_MUST_CHECK; /* aborts without memory */
void comparer_free(struct comparer *comparer);

/* NULL when the readers agree, or else what differs, until the next call. */
const char *comparer_run(struct comparer *comparer, const char *path, uint64_t seed,
			 enum compare_how how) WL_MUST_CHECK;

struct compared comparer_total(const struct comparer *comparer);

#endif

/* SPDX-License-Identifier: MIT */
/* fuzz_db.h - bytes as a database file: load all of it, and hold the model to its word. */
#ifndef WL_TESTS_FUZZ_DB_H
#define WL_TESTS_FUZZ_DB_H

#include "model/trace.h"

enum { FUZZ_DB_MEMORY = 256 << 20 };

/*
 * Load the columns of first, then all. Aborts when a promise of the model is
 * broken; a file that is refused, or needs more memory than it may, is fine.
 */
void fuzz_db_check(const void *bytes, size_t size, size_t memory, const struct wl_columns *first);

#endif

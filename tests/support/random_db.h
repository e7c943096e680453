/* SPDX-License-Identifier: MIT */
/*
 * random_db.h - databases that SQLite makes of random statements.
 *
 * Everything that changes how rows lie in the file: page sizes, reserved bytes,
 * vacuum modes, encodings, keys, types, widths of integers, long texts, rows that
 * grew and shrank, columns that were added later. The same seed makes the same file.
 */
#ifndef WL_TESTS_RANDOM_DB_H
#define WL_TESTS_RANDOM_DB_H

#include <sqlite3.h>
#include <stdint.h>

/* Statements that SQLite took, and those it refused, over all databases. */
struct random_db_count {
	uint64_t done, refused;
};

/*
 * Write the database of this seed to path, which is replaced. Aborts when the system
 * fails. With trace, each statement is printed to stderr.
 */
void random_db_make(const char *path, uint64_t seed, int trace, struct random_db_count *count);

/* Bind one random value; kind chooses what most of them are like, and may be anything. */
void random_value_bind(sqlite3_stmt *stmt, int at, uint64_t *random, unsigned kind);

#endif

/* fuzz_db.h - bytes as a database file: load all of it, and hold the model to its word. */
#ifndef WL_TESTS_FUZZ_DB_H
#define WL_TESTS_FUZZ_DB_H

#include <stddef.h>

/* Aborts when a promise of the model is broken; a file that is refused is fine. */
void fuzz_db_check(const void *bytes, size_t size);

#endif

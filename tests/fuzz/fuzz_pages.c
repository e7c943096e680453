/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pages.c - the bytes are a database file for the reader of pages.
 *
 * It must not read outside the file (the map faults there), must not take longer
 * than a file of this size explains, and must keep the promises of reader.h. Where
 * SQLite reads the same table, the cells must be the same.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/hash.h"
#include "fuzz/fuzz.h"
#include "support/compare_readers.h"

enum { MAX_SECONDS = 5 };

static struct {
	char path[64];
	int fd;
	struct comparer *comparer;
} scratch = { "/dev/shm/warplens-fuzz-XXXXXX", -1, NULL };

static void fail(const char *what)
{
	(void)fprintf(stderr, "%s\n", what);
	abort();
}

static void remove_scratch(void)
{
	(void)unlink(scratch.path);
	comparer_free(scratch.comparer);
}

/* Most of the time goes into SQLite's memory, of which nothing is to be learnt here. */
static void prepare(void)
{
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	(void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 1200, 400);
	scratch.fd = mkstemp(scratch.path);
	scratch.comparer = comparer_new();
	if (scratch.fd < 0 || atexit(remove_scratch) != 0)
		fail("no scratch file in /dev/shm");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wl_hash_key key = { 1, 0x9e3779b97f4a7c15 };
	clock_t begin = clock();
	const char *why;

	if (scratch.fd < 0)
		prepare();
	if (ftruncate(scratch.fd, 0) != 0 || pwrite(scratch.fd, data, size, 0) != (ssize_t)size)
		fail("cannot write the scratch file");
	why = comparer_run(scratch.comparer, scratch.path, wl_hash(&key, data, size),
			   COMPARE_DAMAGED);
	if (why)
		fail(why);
	if (clock() - begin > (clock_t)MAX_SECONDS * CLOCKS_PER_SEC)
		fail("takes longer than its size explains");
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Both readers give the same cells of any database that SQLite writes.
 *
 * READER_SEEDS is the number of databases, READER_BASE the first seed; a seed that
 * fails is named, and its file stays. READER_SQL=1 prints the statements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/compare_readers.h"
#include "support/random_db.h"
#include "support/test_main.h"

enum { SEEDS = 3000 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static int compare_all(struct comparer *comparer, const char *path)
{
	uint64_t base = from_environment("READER_BASE", 1);
	uint64_t n = from_environment("READER_SEEDS", SEEDS);
	int trace = (int)from_environment("READER_SQL", 0);
	struct random_db_count count = { 0 };
	struct compared total;

	for (uint64_t seed = base; seed < base + n; seed++) {
		const char *why;

		random_db_make(path, seed, trace, &count);
		why = comparer_run(comparer, path, seed, COMPARE_SOME);
		if (why) {
			(void)fprintf(stderr, "seed %llu, file %s: %s\n", (unsigned long long)seed,
				      path, why);
			return 1;
		}
	}
	total = comparer_total(comparer);
	(void)printf("%llu databases (%llu statements, %llu more refused): %llu tables, %llu scans,"
		     " %llu rows, %llu cells, %llu more parts, %llu begun again, %llu refused\n",
		     (unsigned long long)n, (unsigned long long)count.done,
		     (unsigned long long)count.refused, (unsigned long long)total.tables,
		     (unsigned long long)total.scans, (unsigned long long)total.rows,
		     (unsigned long long)total.cells, (unsigned long long)total.parts,
		     (unsigned long long)total.retries, (unsigned long long)total.refused);
	return 0;
}

TEST_MAIN(readers)
{
	const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 16];
	struct comparer *comparer;
	int r;

	if (wl_tmpdir_open(parent, &dir, NULL) < 0)
		return 2;
	(void)snprintf(path, sizeof(path), "%s/db", dir.path);
	comparer = comparer_new();
	r = compare_all(comparer, path);
	comparer_free(comparer);
	if (r == 0)
		wl_tmpdir_close(&dir);
	return r;
}

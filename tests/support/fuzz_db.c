/* SPDX-License-Identifier: MIT */
#include "support/fuzz_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "read/input.h"
#include "support/invariants.h"

/*
 * One file in memory for all runs. Not a memfd: SQLite resolves the link
 * /proc/self/fd/N itself, to a name that does not exist.
 */
static struct {
	char path[64];
	int fd;
} scratch = { "/dev/shm/warplens-fuzz-XXXXXX", -1 };

static void remove_scratch(void)
{
	(void)unlink(scratch.path);
}

static void fail(const char *what)
{
	(void)fprintf(stderr, "%s\n", what);
	abort();
}

static void write_scratch(const void *bytes, size_t size)
{
	if (scratch.fd < 0) {
		scratch.fd = mkstemp(scratch.path);
		if (scratch.fd < 0 || atexit(remove_scratch) != 0)
			fail("no scratch file in /dev/shm");
	}
	if (ftruncate(scratch.fd, 0) != 0 || pwrite(scratch.fd, bytes, size, 0) != (ssize_t)size)
		fail("cannot write the scratch file");
}

/* Load more columns; false when that is refused. */
static bool load(struct wl_input *in, const struct wl_columns *want)
{
	struct wl_err err = { .code = WL_OK };
	const char *broken;

	if (wl_input_load(in, want, &err) < 0)
		return false;
	broken = broken_invariant(wl_input_trace(in));
	if (broken)
		fail(broken);
	return true;
}

void fuzz_db_check(const void *bytes, size_t size, size_t memory, const struct wl_columns *first)
{
	struct wl_budget budget = { .limit = memory };
	const struct wl_input_opts opts = { .budget = &budget };
	const struct wl_columns none = { { 0 } }, all = all_columns();
	struct wl_input *in = NULL;
	struct wl_err err = { .code = WL_OK };

	write_scratch(bytes, size);
	if (wl_input_open(scratch.path, &opts, &in, &err) < 0)
		return;
	/* What is no export is refused with a message, and can be read all the same. */
	if (wl_input_admit(in, &err) < 0 && (err.code != WL_E_FORMAT || !*err.msg))
		fail("refused without a reason");
	if (load(in, &none) && load(in, first))
		(void)load(in, &all);
	wl_input_close(in);
}

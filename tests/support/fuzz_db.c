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

void fuzz_db_check(const void *bytes, size_t size)
{
	const struct wl_input_opts opts = { .memory = (size_t)256 << 20 };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;
	struct wl_err err = { .code = WL_OK };
	const char *broken = NULL;

	write_scratch(bytes, size);
	if (wl_input_open(scratch.path, &opts, &in, &err) < 0)
		return;
	broken = broken_invariant(wl_input_trace(in));
	if (!broken && wl_input_load(in, &all, &err) == WL_OK)
		broken = broken_invariant(wl_input_trace(in));
	if (broken)
		fail(broken);
	wl_input_close(in);
}

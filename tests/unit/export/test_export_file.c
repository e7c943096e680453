/* SPDX-License-Identifier: MIT */
#include "export/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/file.h"
#include "support/mem.h"
#include "support/unit.h"

enum { ENOUGH = 1 << 24 };

/* A trace with a few rows, and a directory for what is written of it. */
struct scene {
	struct wl_tmpdir dir;
	struct mem m;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_tracks tracks;
	struct wl_export_opts opts;
	struct wl_export_plan plan;
};

static int setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	const struct wl_trace *trace;

	*state = s;
	if (!s || wl_tmpdir_open(getenv("TMPDIR"), &s->dir, NULL))
		return 1;
	wl_arena_init(&s->arena, ENOUGH);
	mem_init(&s->m);
	for (unsigned i = 0; i < 100; i++) {
		wl_ns t = 1000 * (wl_ns)i - 50000; /* begins before 0 */

		MEM_API(&s->m, .start = t, .end = t + 5, .corr = i + 1);
		MEM_OP(&s->m, WL_F_KERNELS, .start = t + 100, .end = t + 900, .corr = i + 1);
	}
	trace = mem_seal(&s->m);
	mem_scope_whole(&s->scope, trace);
	s->opts.scope = &s->scope.scope;
	if (!wl_tracks_find(&s->m.derived, &s->scope.scope, &s->arena, &s->tracks))
		return 1;
	wl_export_plan(&s->tracks, &s->opts, &s->plan);
	return 0;
}

static int teardown(void **state)
{
	struct scene *s = *state;

	wl_arena_release(&s->arena);
	mem_release(&s->m);
	wl_tmpdir_close(&s->dir);
	free(s);
	return 0;
}

static const char *path_in(const struct scene *s, const char *name)
{
	static char path[2][WL_PATH_CAP + 64];
	static unsigned next;
	char *p = path[next++ % 2];

	(void)snprintf(p, sizeof(path[0]), "%s/%s", s->dir.path, name);
	return p;
}

struct bytes {
	char *data;
	size_t n;
};

static struct bytes content(const char *path)
{
	struct bytes b;

	assert_int_equal(wl_file_read(path, ENOUGH, &b.data, &b.n, NULL), WL_OK);
	return b;
}

static int write_to(const struct scene *s, const char *path, size_t limit, uint64_t *ret_bytes)
{
	struct wl_budget budget = { .limit = limit };
	struct wl_export_opts opts = s->opts;
	const struct wl_export_target target = { .format = wl_export_of_file(path, NULL),
						 .path = path };
	const struct wl_export_source source = { .tracks = &s->tracks, .plan = &s->plan };
	struct wl_export_done done = { .slices = 0 };
	struct wl_err err = { .code = WL_OK };
	int rc;

	assert_non_null(target.format);
	opts.budget = &budget;
	rc = wl_export_file(&source, &opts, &target, &done, &err);
	*ret_bytes = done.bytes;
	assert_int_equal(rc, err.code);
	assert_int_equal(budget.used, 0);
	assert_true(rc != WL_OK || done.slices >= 200);
	return rc;
}

/* Written, as large as was told. */
static struct bytes written(const struct scene *s, const char *name)
{
	const char *path = path_in(s, name);
	uint64_t n = 0;
	struct bytes b;

	assert_int_equal(write_to(s, path, 0, &n), WL_OK);
	b = content(path);
	assert_int_equal(b.n, n);
	return b;
}

static void assert_same(struct bytes a, struct bytes b)
{
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.data, b.data, a.n);
}

TEST(the_same_trace_gives_the_same_bytes)
{
	struct bytes a = written(*state, "a.pftrace"), b = written(*state, "b.perfetto-trace");
	struct bytes c = written(*state, "a.pftrace.gz"), d = written(*state, "b.pftrace.gz");

	assert_same(a, b);
	assert_same(c, d);
	free(a.data);
	free(b.data);
	free(c.data);
	free(d.data);
}

static void assert_is_compressed(struct bytes plain, struct bytes small)
{
	struct bytes back = { malloc(plain.n + 1), plain.n };
	z_stream z = { .next_in = (unsigned char *)small.data, .avail_in = (uInt)small.n };

	assert_non_null(back.data);
	z.next_out = (unsigned char *)back.data;
	z.avail_out = (uInt)plain.n + 1;
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	back.n = z.total_out;
	assert_int_equal(inflateEnd(&z), Z_OK);
	assert_same(plain, back);
	assert_true(small.n < plain.n / 2);
	free(plain.data);
	free(small.data);
	free(back.data);
}

TEST(compressed_it_is_the_same_file)
{
	assert_is_compressed(written(*state, "a.pftrace"), written(*state, "a.pftrace.gz"));
	assert_is_compressed(written(*state, "a.trace.json"), written(*state, "a.trace.json.gz"));
}

TEST(each_format_begins_as_its_own)
{
	struct bytes json = written(*state, "a.trace.json"), pb = written(*state, "a.pftrace");

	assert_int_equal(json.data[0], '{');
	assert_int_equal(pb.data[0], 0x0a);
	free(json.data);
	free(pb.data);
}

TEST(a_failure_leaves_what_was_there)
{
	const char *path = path_in(*state, "old.pftrace");
	FILE *f = fopen(path, "we");
	struct bytes b;
	uint64_t n;

	assert_non_null(f);
	assert_int_equal(fputs("old", f), 1);
	assert_int_equal(fclose(f), 0);
	for (size_t limit = 1; limit < 70000; limit += 6000)
		assert_int_equal(write_to(*state, path, limit, &n), WL_E_NOMEM);
	b = content(path);
	assert_int_equal(b.n, 3);
	free(b.data);
	assert_int_equal(write_to(*state, path, 0, &n), WL_OK);
	b = content(path);
	assert_int_equal(b.n, n);
	free(b.data);
}

TEST(who_stops_it_gets_no_file)
{
	struct scene *s = *state;
	struct wl_budget budget = { .limit = 0 };
	atomic_int stop = 1;
	const struct wl_export_target target = { .format = &wl_export_perfetto,
						 .path = path_in(s, "x.pftrace") };
	const struct wl_export_source source = { .tracks = &s->tracks };
	struct wl_export_opts opts = s->opts;
	struct wl_export_done done;

	opts.budget = &budget;
	opts.stop = &stop;
	assert_int_equal(wl_export_file(&source, &opts, &target, &done, NULL), WL_E_CANCELED);
	assert_int_equal(access(target.path, F_OK), -1);
	assert_int_equal(budget.used, 0);
}

TEST(what_cannot_be_written_is_told)
{
	uint64_t n;

	assert_int_equal(write_to(*state, "/dev/null/such.pftrace", 0, &n), WL_E_OUTPUT);
}

TEST_GROUP(setup, teardown)

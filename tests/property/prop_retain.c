/* SPDX-License-Identifier: MIT */
/*
 * prop_retain.c - whatever runs there are, retention loses no byte and touches nothing else.
 *
 * Directories with random runs, strangers and damage are retained several times, also after a cut
 * in any place; each file is then there as it was or as a .gz that gunzip turns into it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/file.h"
#include "capture/runs/retain.h"
#include "capture/runs/surroundings.h"
#include "support/unit.h"

enum { RUNS = 6, FILES = 4, ROUNDS = 25, MOST = 200000 };

static const char *const names[FILES] = { "nsys/a.sqlite", "nsys/b.nsys-rep", "ncu/c.ncu-rep",
					  "report/d/e.html" };

struct world {
	struct wl_tmpdir dir;
	size_t bytes[RUNS][FILES]; /* 0: there is no such file */
	unsigned seed;
};

static unsigned draw(struct world *w, unsigned n)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % n;
}

static char byte_at(size_t run, size_t file, size_t i)
{
	return (char)((i * (run + 3) + i / 97 * file) >> 2);
}

static const char *path_of(const struct world *w, size_t run, const char *name, char *buf)
{
	(void)snprintf(buf, WL_PATH_CAP, "%.3000s/run-%zu/%s", w->dir.path, run, name);
	return buf;
}

/* The directories of a file are there before it. */
static void make_folders(const char *path)
{
	char folder[WL_PATH_CAP];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(folder, sizeof(folder), "%.*s", (int)(at - path), path);
		(void)mkdir(folder, 0700);
	}
}

static void write_file(const char *path, size_t run, size_t file, size_t n)
{
	struct wl_file out;

	make_folders(path);
	assert_int_equal(wl_file_begin(path, &out, NULL), WL_OK);
	for (size_t i = 0; i < n; i++)
		(void)putc(byte_at(run, file, i), out.stream);
	assert_int_equal(wl_file_commit(&out, NULL), WL_OK);
}

static void make_run(struct world *w, size_t run, struct wl_arena *arena)
{
	static const char *const argv[] = { "p", NULL };
	char path[WL_PATH_CAP], id[32];
	struct wl_manifest m;

	for (size_t f = 0; f < FILES; f++) {
		w->bytes[run][f] = draw(w, 4) ? 1 + draw(w, MOST) : 0;
		if (w->bytes[run][f])
			write_file(path_of(w, run, names[f], path), run, f, w->bytes[run][f]);
	}
	wl_manifest_init(&m);
	(void)snprintf(id, sizeof(id), "run-%zu", run);
	m.id = id;
	m.argv = argv;
	m.n_argv = 1;
	m.begin_ms = (int64_t)(1000 + run);
	(void)path_of(w, run, "", path);
	assert_int_equal(wl_dir_make(path, NULL), WL_OK);
	path[strlen(path) - 1] = '\0';
	assert_int_equal(wl_manifest_hash_outputs(&m, path, NULL, arena, NULL), WL_OK);
	assert_int_equal(wl_manifest_write(&m, path, NULL), WL_OK);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* zlib reads plain files as they are and gzip files as what they hold. */
static void expect_bytes(const char *path, size_t run, size_t file, size_t n)
{
	gzFile in = gzopen(path, "rb");

	assert_non_null(in);
	for (size_t i = 0; i < n; i++)
		if (gzgetc(in) != (int)(unsigned char)byte_at(run, file, i))
			fail_msg("%s: byte %zu", path, i);
	assert_int_equal(gzgetc(in), -1);
	assert_int_equal(gzclose(in), Z_OK);
}

/* One form at least of each file is whole; after a retention exactly one. */
static void check_run(struct world *w, size_t run, bool is_old, bool is_settled)
{
	char plain[WL_PATH_CAP], gz[WL_PATH_CAP + 8];

	for (size_t f = 0; f < FILES; f++) {
		size_t n = w->bytes[run][f];
		bool has_plain, has_gz;

		(void)path_of(w, run, names[f], plain);
		(void)snprintf(gz, sizeof(gz), "%s.gz", plain);
		has_plain = is_there(plain);
		has_gz = is_there(gz);
		if (n == 0) {
			assert_false(has_plain || has_gz);
			continue;
		}
		assert_true(has_plain || has_gz);
		if (is_settled)
			assert_int_equal(has_gz, is_old && n >= WL_RETAIN_LARGE &&
							 !wl_run_is_report(names[f]));
		if (is_settled)
			assert_int_equal(has_plain, !has_gz);
		if (has_plain)
			expect_bytes(plain, run, f, n);
		if (has_gz && !has_plain)
			expect_bytes(gz, run, f, n);
	}
}

/* The manifest has the sums of what is on the disk. */
static void check_manifest(struct world *w, size_t run, struct wl_arena *arena)
{
	char path[WL_PATH_CAP], file[2 * WL_PATH_CAP], sum[WL_SHA256_HEX];
	struct wl_manifest m;
	int64_t bytes;

	(void)path_of(w, run, "", path);
	path[strlen(path) - 1] = '\0';
	assert_int_equal(wl_manifest_read(path, arena, &m, NULL), WL_OK);
	for (size_t i = 0; i < m.n_outputs; i++) {
		const struct wl_run_file *f = &m.output[i];
		int fd;

		(void)snprintf(file, sizeof(file), "%s/%s%s", path, f->path,
			       f->gz_sha256[0] ? ".gz" : "");
		fd = open(file, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(wl_sha256_fd(fd, NULL, sum, &bytes), 0);
		(void)close(fd);
		assert_string_equal(sum, f->gz_sha256[0] ? f->gz_sha256 : f->sha256);
		assert_int_equal(bytes, f->gz_sha256[0] ? f->gz_bytes : f->bytes);
	}
}

/* What a cut may leave: a .gz without a word in the manifest, a half one, a file that came back. */
static void disturb(struct world *w)
{
	size_t run = draw(w, RUNS), file = draw(w, FILES);
	char plain[WL_PATH_CAP], gz[WL_PATH_CAP + 8];

	(void)path_of(w, run, names[file], plain);
	(void)snprintf(gz, sizeof(gz), "%s.gz", plain);
	if (w->bytes[run][file] < WL_RETAIN_LARGE || wl_run_is_report(names[file]))
		return;
	if (!is_there(gz))
		write_file(gz, run, file, 1 + draw(w, 100));
	else if (draw(w, 2))
		write_file(plain, run, file, w->bytes[run][file]);
}

static void drop_strays(struct world *w, size_t keep)
{
	/* A stray .gz of a run that is kept is nobody's: it is left alone, so take it away here. */
	char gz[WL_PATH_CAP + 8], plain[WL_PATH_CAP];

	for (size_t run = RUNS - keep; run < RUNS; run++)
		for (size_t f = 0; f < FILES; f++) {
			(void)snprintf(gz, sizeof(gz), "%s.gz", path_of(w, run, names[f], plain));
			if (is_there(gz) && is_there(plain))
				(void)unlink(gz);
		}
}

static void one_round(unsigned seed)
{
	struct world w = { .seed = seed };
	struct wl_arena arena;
	size_t keep = RUNS;

	wl_arena_init(&arena, (size_t)256 << 20);
	assert_int_equal(wl_tmpdir_open(NULL, &w.dir, NULL), WL_OK);
	for (size_t run = 0; run < RUNS; run++)
		make_run(&w, run, &arena);
	for (int turn = 0; turn < 3; turn++) {
		struct wl_retained told;
		struct wl_err err;

		keep -= draw(&w, (unsigned)keep + 1) / 2;
		disturb(&w);
		if (wl_runs_retain(w.dir.path, keep, NULL, &arena, &told, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(told.n_changed, 0);
		drop_strays(&w, keep);
		for (size_t run = 0; run < RUNS; run++) {
			check_run(&w, run, run < RUNS - keep, run < RUNS - keep);
			check_manifest(&w, run, &arena);
		}
	}
	wl_tmpdir_close(&w.dir);
	wl_arena_release(&arena);
}

static void no_byte_is_lost(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++)
		one_round(i * 7919 + 1);
}

/* A changed file, a link, a stranger, a bad manifest, a link instead of a directory. */
static void what_is_not_the_runs_own_is_left_alone(void **state)
{
	struct world w = { .seed = 5 };
	char path[WL_PATH_CAP], other[WL_PATH_CAP], gz[WL_PATH_CAP + 8];
	struct wl_retained told;
	struct wl_arena arena;

	(void)state;
	wl_arena_init(&arena, (size_t)256 << 20);
	assert_int_equal(wl_tmpdir_open(NULL, &w.dir, NULL), WL_OK);
	for (size_t run = 0; run < 4; run++)
		make_run(&w, run, &arena);
	/* 0: same size, other bytes. 1: the file is a link. 2: nsys is a link. 3: no manifest. */
	for (size_t run = 0; run < 4; run++) {
		write_file(path_of(&w, run, names[0], path), run, 0, MOST);
		w.bytes[run][0] = MOST;
		make_run(&w, run, &arena);
		write_file(path_of(&w, run, names[0], path), run, 0, MOST);
	}
	for (size_t run = 0; run < 4; run++) {
		struct wl_manifest m;

		wl_manifest_init(&m);
		(void)path_of(&w, run, "", path);
		path[strlen(path) - 1] = '\0';
		assert_int_equal(wl_manifest_read(path, &arena, &m, NULL), WL_OK);
		assert_int_equal(wl_manifest_hash_outputs(&m, path, NULL, &arena, NULL), WL_OK);
		assert_int_equal(wl_manifest_write(&m, path, NULL), WL_OK);
	}
	write_file(path_of(&w, 0, names[0], path), 99, 0, MOST);
	(void)snprintf(other, sizeof(other), "%.3000s/elsewhere", w.dir.path);
	assert_int_equal(mkdir(other, 0700), 0);
	(void)snprintf(other, sizeof(other), "%.3000s/elsewhere/a.sqlite", w.dir.path);
	write_file(other, 1, 0, MOST);
	(void)path_of(&w, 1, names[0], path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	(void)path_of(&w, 2, "nsys", path);
	assert_int_equal(wl_tree_remove(path, NULL), WL_OK);
	(void)snprintf(other, sizeof(other), "%.3000s/elsewhere", w.dir.path);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(unlink(path_of(&w, 3, WL_MANIFEST_NAME, path)), 0);

	assert_int_equal(wl_runs_retain(w.dir.path, 0, NULL, &arena, &told, NULL), WL_OK);
	assert_int_equal(told.n_changed, 1);
	expect_bytes(path_of(&w, 0, names[0], path), 99, 0, MOST);
	(void)snprintf(gz, sizeof(gz), "%s.gz", path);
	assert_false(is_there(gz));
	(void)snprintf(other, sizeof(other), "%.3000s/elsewhere/a.sqlite", w.dir.path);
	expect_bytes(other, 1, 0, MOST);
	(void)snprintf(gz, sizeof(gz), "%s.gz", other);
	assert_false(is_there(gz));
	expect_bytes(path_of(&w, 3, names[0], path), 3, 0, MOST);
	(void)snprintf(gz, sizeof(gz), "%s.gz", path);
	assert_false(is_there(gz));
	wl_tmpdir_close(&w.dir);
	wl_arena_release(&arena);
}

TEST_MAIN(retain)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_byte_is_lost),
		cmocka_unit_test(what_is_not_the_runs_own_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Files that must not be read, or not while someone writes them. */
#include "read/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/db.h"
#include "support/invariants.h"
#include "support/limit.h"
#include "support/unit.h"

/* Whatever hangs at work ends the program. */
static int setup(void **state)
{
	limit_cpu();
	return db_setup(state);
}

/* Open and load all of a file; *ret_kernels is written on success. */
static int load(const char *path, size_t *ret_kernels, struct wl_err *reterr)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;
	int r = wl_input_open(path, &opts, &in, reterr);

	if (r == WL_OK)
		r = wl_input_load(in, &all, reterr);
	if (r == WL_OK)
		*ret_kernels = wl_input_trace(in)->family[WL_F_KERNELS].n;
	wl_input_close(in);
	return r;
}

/* The file is refused with this status, in words that hold this one. */
static void expect_refusal(const char *path, enum wl_status status, const char *word)
{
	struct wl_err err = { .code = WL_OK };
	size_t n = 0;

	assert_int_equal(load(path, &n, &err), status);
	if (!strstr(err.msg, word))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, word);
}

static void expect_kernels(const char *path, size_t n_kernels)
{
	struct wl_err err = { .code = WL_OK };
	size_t n = 0;

	if (load(path, &n, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(n, n_kernels);
}

static void put_kernels(struct db *db, int n)
{
	for (int i = 0; i < n; i++)
		DB_KERNEL(db, .start = i, .end = i + 1);
}

/* A small database with this many kernels. */
static const char *make(void **state, const char *name, int n_kernels)
{
	struct db *db = db_open(state, name);

	db_run(db, "COMMIT; PRAGMA page_size = 512; BEGIN");
	db_make_tables(db, DB_3_7_2);
	put_kernels(db, n_kernels);
	return db_close(db);
}

struct path {
	char s[WL_PATH_CAP + 512];
};

static struct path beside(const char *path, const char *suffix)
{
	struct path p;
	int n = snprintf(p.s, sizeof(p.s), "%s%s", path, suffix);

	assert_in_range(n, 1, sizeof(p.s) - 1);
	return p;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : -1;
}

TEST_WITH(a_file_that_does_not_exist_is_named, setup, db_teardown)
{
	const struct db *db = *state;

	expect_refusal(beside(db->dir.path, "/none").s, WL_E_IO, "/none: No such file");
}

TEST_WITH(a_directory_is_refused, setup, db_teardown)
{
	const struct db *db = *state;

	expect_refusal(db->dir.path, WL_E_IO, "a directory");
}

TEST_WITH(a_fifo_is_refused_and_does_not_hang, setup, db_teardown)
{
	const struct db *db = *state;
	const struct path p = beside(db->dir.path, "/fifo");

	assert_int_equal(mkfifo(p.s, 0600), 0);
	expect_refusal(p.s, WL_E_IO, "not a regular file");
}

TEST_WITH(an_empty_file_is_refused, setup, db_teardown)
{
	const struct db *db = *state;
	const struct path p = beside(db->dir.path, "/empty");

	write_file(p.s, "", 0);
	expect_refusal(p.s, WL_E_FORMAT, "empty");
}

/* In a child that is nobody, because root may read everything. */
TEST_WITH(a_file_without_permission_is_refused, setup, db_teardown)
{
	const struct db *db = *state;
	const char *path = make(state, "secret", 1);
	int status = -1;
	pid_t pid;

	assert_int_equal(chmod(db->dir.path, 0711), 0);
	assert_int_equal(chmod(path, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct wl_err err = { .code = WL_OK };
		size_t n;

		if (geteuid() == 0)
			(void)!seteuid(65534);
		if (eaccess(path, R_OK) == 0)
			_exit(2);
		_exit(load(path, &n, &err) != WL_E_IO || !strstr(err.msg, "Permission denied"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(status, 0);
}

TEST_WITH(what_is_not_a_database_is_refused, setup, db_teardown)
{
	const struct db *db = *state;
	const struct path p = beside(db->dir.path, "/text");
	char bytes[4096];

	memset(bytes, 'x', sizeof(bytes));
	write_file(p.s, bytes, sizeof(bytes));
	expect_refusal(p.s, WL_E_FORMAT, "not an SQLite database");
	write_file(p.s, "SQLite format 3", 16);
	expect_refusal(p.s, WL_E_FORMAT, "not an SQLite database");
	/* The magic alone does not make a database. */
	memcpy(bytes, "SQLite format 3", 16);
	write_file(p.s, bytes, sizeof(bytes));
	expect_refusal(p.s, WL_E_FORMAT, p.s);
}

/* No cut may pass as a shorter trace. */
TEST_WITH(a_file_cut_anywhere_is_refused, setup, db_teardown)
{
	const char *path = make(state, "whole", 60);
	off_t size = size_of(path);
	unsigned random = 1;

	expect_kernels(path, 60);
	assert_true(size % 512 == 0 && size > 2048);
	while (size > 0) {
		struct wl_err err = { .code = WL_OK };
		size_t n = 0;

		/* Between the page boundary below and the one above, then the boundary itself. */
		random = random * 1103515245 + 12345;
		for (int i = 0; i < 2; i++) {
			off_t cut = i ? size - 512 : size - 1 - (off_t)(random >> 16) % 510;

			assert_int_equal(truncate(path, cut), 0);
			assert_int_equal(load(path, &n, &err), WL_E_FORMAT);
		}
		size -= 512;
	}
}

/* Leave a -wal with rows behind, as a writer does that was killed. */
static const char *make_wal(void **state, const char *name)
{
	struct db *db = *state;
	const char *path = make(state, name, 3);
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (sqlite3_open(path, &db->sql) == SQLITE_OK)
			(void)sqlite3_exec(db->sql,
					   "PRAGMA journal_mode = WAL;"
					   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL"
					   " (start, end, deviceId) VALUES (50, 60, 0)",
					   NULL, NULL, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(size_of(beside(path, "-wal").s) > 0);
	return path;
}

TEST_WITH(rows_in_a_wal_are_never_dropped, setup, db_teardown)
{
	const char *path = make_wal(state, "t");
	struct db *db = *state;

	expect_refusal(path, WL_E_IO, "-wal");
	/* What the message says to do helps. */
	assert_int_equal(sqlite3_open(path, &db->sql), SQLITE_OK);
	db_run(db, "PRAGMA wal_checkpoint(truncate)");
	assert_int_equal(size_of(beside(path, "-wal").s), 0);
	expect_kernels(path, 4);
	assert_int_equal(sqlite3_close(db->sql), SQLITE_OK);
	db->sql = NULL;
	expect_kernels(path, 4);
}

TEST_WITH(a_wal_beside_the_target_of_a_link_counts, setup, db_teardown)
{
	const char *path = make_wal(state, "t");
	const struct path link = beside(path, ".link");

	assert_int_equal(symlink(path, link.s), 0);
	expect_refusal(link.s, WL_E_IO, "-wal");
}

TEST_WITH(a_wal_that_cannot_be_read_counts, setup, db_teardown)
{
	const char *path = make_wal(state, "t");

	assert_int_equal(chmod(beside(path, "-wal").s, 0), 0);
	expect_refusal(path, WL_E_IO, "-wal");
}

TEST_WITH(an_empty_wal_is_no_obstacle, setup, db_teardown)
{
	const char *path = make(state, "t", 3);

	write_file(beside(path, "-wal").s, "", 0);
	expect_kernels(path, 3);
}

/* Leave a journal behind after pages of the database were overwritten. */
static const char *make_hot(void **state)
{
	struct db *db = *state;
	const char *path = make(state, "t", 300);
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (sqlite3_open(path, &db->sql) == SQLITE_OK)
			(void)sqlite3_exec(
				db->sql,
				"PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN;"
				"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 1",
				NULL, NULL, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return path;
}

TEST_WITH(a_hot_journal_is_refused, setup, db_teardown)
{
	const char *path = make_hot(state);
	struct db *db = *state;

	expect_refusal(path, WL_E_IO, "-journal");
	assert_int_equal(sqlite3_open(path, &db->sql), SQLITE_OK);
	db_run(db, "SELECT * FROM StringIds");
	assert_int_equal(sqlite3_close(db->sql), SQLITE_OK);
	db->sql = NULL;
	expect_kernels(path, 300);
}

TEST_WITH(a_journal_that_was_zeroed_is_no_obstacle, setup, db_teardown)
{
	const char *path = make(state, "t", 3);
	struct db *db = *state;

	assert_int_equal(sqlite3_open(path, &db->sql), SQLITE_OK);
	db_run(db, "PRAGMA journal_mode = PERSIST;"
		   "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 0");
	assert_int_equal(sqlite3_close(db->sql), SQLITE_OK);
	db->sql = NULL;
	assert_true(size_of(beside(path, "-journal").s) > 0);
	expect_kernels(path, 2);
}

/* What happens to the file while its rows are read. */
struct change {
	struct path path, other;
	void (*apply)(const struct change *change);
	int n;
};

static void on_progress(void *ctx, int64_t rows, int64_t total)
{
	struct change *c = ctx;

	assert_true(rows > 0 && total >= 0);
	if (c->n++ == 0)
		c->apply(c);
}

static void insert_row(const struct change *c)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(c->path.s, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "INSERT INTO StringIds VALUES (5, 'new')", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void replace_file(const struct change *c)
{
	assert_int_equal(rename(c->other.s, c->path.s), 0);
}

static void cut_file(const struct change *c)
{
	assert_int_equal(truncate(c->path.s, 2048), 0);
}

static void remove_file(const struct change *c)
{
	assert_int_equal(unlink(c->path.s), 0);
}

TEST_WITH(a_file_that_changes_while_it_is_read_is_refused, setup, db_teardown)
{
	static void (*const changes[])(const struct change *) = { insert_row, replace_file,
								  cut_file, remove_file };

	for (size_t i = 0; i < WL_COUNT(changes); i++) {
		struct change c = { .other = beside(make(state, "other", 2000), ""),
				    .apply = changes[i] };
		const struct wl_input_opts opts = { .progress = on_progress, .progress_ctx = &c };
		struct wl_columns all = all_columns();
		struct wl_input *in = NULL;

		c.path = beside(make(state, "t", 2000), "");
		assert_int_equal(wl_input_open(c.path.s, &opts, &in, NULL), WL_OK);
		assert_in_range(-wl_input_load(in, &all, NULL), -WL_E_FORMAT, -WL_E_IO);
		assert_true(c.n > 0);
		wl_input_close(in);
		(void)unlink(c.path.s);
		(void)unlink(c.other.s);
	}
}

/* A writer in another process: writes one byte when it is ready, ends its work when it gets one. */
static pid_t start_writer(struct db *db, const char *path, int ready, int go)
{
	pid_t pid = fork();
	char byte = 0;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	if (sqlite3_open(path, &db->sql) == SQLITE_OK &&
	    sqlite3_exec(db->sql,
			 "BEGIN IMMEDIATE; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start < 5",
			 NULL, NULL, NULL) == SQLITE_OK &&
	    write(ready, &byte, 1) == 1 && read(go, &byte, 1) == 1 &&
	    sqlite3_exec(db->sql, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
		_exit(0);
	_exit(1);
}

TEST_WITH(a_transaction_under_way_is_not_seen_in_part, setup, db_teardown)
{
	const char *path = make(state, "t", 20);
	int ready[2], go[2], status = -1;
	struct wl_err err = { .code = WL_OK };
	size_t n = 0;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = start_writer(*state, path, ready[1], go[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (load(path, &n, &err) == WL_OK)
		assert_int_equal(n, 20);
	else
		assert_int_equal(err.code, WL_E_IO);
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_kernels(path, 15);
	for (int i = 0; i < 2; i++) {
		(void)close(ready[i]);
		(void)close(go[i]);
	}
}

TEST_WITH(any_character_may_be_in_a_path, setup, db_teardown)
{
	static const char *const names[] = {
		"what?.sqlite",
		"100%25.sqlite",
		"%",
		"a#b",
		"a b\t\nc",
		"\xc3\xbc\xe4\xbd\xa0",
		"x?mode=rwc&immutable=0",
		"quote'\"`",
		"\xff\xfe",
		"-",
		"a:b",
		"back\\slash",
		"~+;",
	};
	const struct db *db = *state;
	FREED char *here = getcwd(NULL, 0);

	assert_non_null(here);
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		struct path absolute = beside(db->dir.path, "/");

		(void)make(state, "made", (int)i + 1);
		(void)strncat(absolute.s, names[i], 64);
		assert_int_equal(rename(db->path, absolute.s), 0);
		expect_kernels(absolute.s, i + 1);
		assert_int_equal(chdir(db->dir.path), 0);
		expect_kernels(names[i], i + 1);
		assert_int_equal(chdir(here), 0);
		write_file(beside(absolute.s, "-wal").s, "rows", 4);
		expect_refusal(absolute.s, WL_E_IO, "-wal");
	}
}

TEST_WITH(nothing_is_made_beside_the_file, setup, db_teardown)
{
	const char *path = make(state, "t", 3);
	const struct db *db = *state;
	struct stat before, after;
	const struct dirent *entry;
	DIR *dir;
	int n = 0;

	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(stat(path, &before), 0);
	expect_kernels(path, 3);
	assert_int_equal(stat(path, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	dir = opendir(db->dir.path);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) /* NOLINT(concurrency-mt-unsafe) */
		n += entry->d_name[0] != '.';
	(void)closedir(dir);
	assert_int_equal(n, 1);
}

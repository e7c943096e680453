/* SPDX-License-Identifier: MIT */
#include "cli/shell/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/unit.h"

/* What the shell reads of a file at most. */
enum { LIMIT = 16 << 20 };

struct seen {
	size_t n;
	char first[64], last[64];
};

static void see(void *ctx, const char *line)
{
	struct seen *s = ctx;

	if (s->n++ == 0)
		(void)snprintf(s->first, sizeof(s->first), "%s", line);
	(void)snprintf(s->last, sizeof(s->last), "%s", line);
}

/* Statements 0 to n - 1, each of this many bytes with its newline. */
static void put_statements(const char *path, size_t n, int width)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(fprintf(f, "SELECT %-*zu;\n", width - 9, i), width);
	assert_int_equal(fclose(f), 0);
}

static void expect_loaded(const char *path, size_t first, size_t n)
{
	struct seen s = { .n = 0 };
	char want[64];

	wl_history_load(path, see, &s);
	assert_int_equal(s.n, n);
	(void)snprintf(want, sizeof(want), "SELECT %zu ", first);
	assert_memory_equal(s.first, want, strlen(want));
	(void)snprintf(want, sizeof(want), "SELECT %zu ", first + n - 1);
	assert_memory_equal(s.last, want, strlen(want));
}

static void expect_size(const char *path, long size)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, size);
}

TEST(the_newest_lines_of_a_file_are_kept)
{
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 16];

	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &dir, NULL), WL_OK);
	(void)snprintf(path, sizeof(path), "%s/history", dir.path);
	put_statements(path, 1500, 20);
	expect_loaded(path, 500, 1000);
	expect_size(path, 1500L * 20);
	put_statements(path, 2500, 20);
	expect_loaded(path, 1500, 1000);
	expect_size(path, 1000L * 20);
	wl_tmpdir_close(&dir);
}

/* Also of one that is longer than what is read, and of one where less than the kept lines fit. */
TEST(the_newest_lines_of_a_long_file_are_kept)
{
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 16];
	const int width = 40001;
	const size_t n = 600, whole = LIMIT / 40001;

	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &dir, NULL), WL_OK);
	(void)snprintf(path, sizeof(path), "%s/history", dir.path);
	put_statements(path, LIMIT / 20 + 5000, 20);
	expect_loaded(path, LIMIT / 20 + 4000, 1000);
	expect_size(path, 1000L * 20);
	put_statements(path, n, width);
	expect_loaded(path, n - whole, whole);
	expect_size(path, (long)whole * width);
	expect_loaded(path, n - whole, whole);
	wl_tmpdir_close(&dir);
}

TEST(a_line_without_its_end_is_left_out)
{
	struct seen s = { .n = 0 };
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 16];
	FILE *f;

	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &dir, NULL), WL_OK);
	(void)snprintf(path, sizeof(path), "%s/history", dir.path);
	wl_history_load(path, see, &s);
	assert_int_equal(s.n, 0);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs("SELECT 1;\n\nSELECT 2;\nSELECT", f) >= 0);
	assert_int_equal(fclose(f), 0);
	wl_history_load(path, see, &s);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.last, "SELECT 2;");
	wl_tmpdir_close(&dir);
}

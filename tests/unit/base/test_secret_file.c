/* SPDX-License-Identifier: MIT */
#include "base/file/secret_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/unit.h"

static struct wl_tmpdir dir;

static const char *write_file(const char *text, size_t n, mode_t mode)
{
	static char path[WL_PATH_CAP + 8];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/secret", dir.path);
	(void)unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static int read_text(const char *text, mode_t mode, char ret[8])
{
	struct wl_err err;

	return wl_secret_read(write_file(text, strlen(text), mode), ret, 8, &err);
}

TEST(the_first_line_counts)
{
	char got[8];

	assert_int_equal(read_text("abc", 0600, got), WL_OK);
	assert_string_equal(got, "abc");
	assert_int_equal(read_text("abc\r\nmore than fits", 0400, got), WL_OK);
	assert_string_equal(got, "abc");
	assert_int_equal(read_text("1234567\n", 0600, got), WL_OK);
	assert_string_equal(got, "1234567");
}

TEST(what_is_no_secret_is_refused)
{
	struct wl_err err;
	char got[8], path[WL_PATH_CAP + 8];

	assert_int_equal(read_text("", 0600, got), WL_E_USAGE);
	assert_int_equal(read_text("\nabc", 0600, got), WL_E_USAGE);
	assert_int_equal(read_text("12345678\n", 0600, got), WL_E_USAGE);
	assert_int_equal(read_text("a\tb\n", 0600, got), WL_E_USAGE);
	assert_int_equal(wl_secret_read(write_file("a\0b\n", 4, 0600), got, 8, &err), WL_E_USAGE);
	assert_int_equal(read_text("abc", 0640, got), WL_E_USAGE);
	assert_int_equal(read_text("abc", 0602, got), WL_E_USAGE);
	assert_int_equal(wl_secret_read(dir.path, got, 8, &err), WL_E_USAGE);
	(void)snprintf(path, sizeof(path), "%s/pipe", dir.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(wl_secret_read(path, got, 8, &err), WL_E_USAGE);
	(void)snprintf(path, sizeof(path), "%s/none", dir.path);
	assert_int_equal(wl_secret_read(path, got, 8, &err), WL_E_IO);
}

static int open_dir(void **state)
{
	struct wl_err err;

	(void)state;
	return wl_tmpdir_open(NULL, &dir, &err);
}

static int close_dir(void **state)
{
	(void)state;
	wl_tmpdir_close(&dir);
	return 0;
}

TEST_GROUP(open_dir, close_dir)

/* SPDX-License-Identifier: MIT */
#include "capture/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/unit.h"

#define MIB      ((size_t)1024 * 1024)
#define OLD_HEAD "NVIDIA Tegra Profiler Report 1.\n\vLocal (CLI)\x12\x04"

/* Each test gets a scratch directory of its own as *state. */
static int make_scratch(void **state)
{
	struct wl_tmpdir *dir = calloc(1, sizeof(*dir));

	*state = dir;
	return !dir || wl_tmpdir_open(getenv("TMPDIR"), dir, NULL);
}

static int remove_scratch(void **state)
{
	struct wl_tmpdir *dir = *state;
	int rc = wl_tree_remove(dir->path, NULL);

	free(dir);
	return rc;
}

struct path {
	char s[WL_PATH_CAP + 32];
};

static struct path in(void **state, const char *name)
{
	const struct wl_tmpdir *dir = *state;
	struct path p;

	(void)snprintf(p.s, sizeof(p.s), "%s/%s", dir->path, name);
	return p;
}

static struct wl_report identify(const char *path)
{
	struct wl_report r = { 0 };
	struct wl_err err = { 0 };

	if (wl_report_identify(path, &r, &err) != WL_OK)
		fail_msg("%s", err.msg);
	return r;
}

/* What a file of these bytes is. */
static struct wl_report identify_bytes(void **state, const void *bytes, size_t n)
{
	const struct path p = in(state, "file");
	FILE *f = fopen(p.s, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return identify(p.s);
}

/* A report of the old kind with holes, and some text in them. */
static struct wl_report identify_old(void **state, size_t size, size_t at, const char *text)
{
	const struct path p = in(state, "old");
	FILE *f = fopen(p.s, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(OLD_HEAD, 1, sizeof(OLD_HEAD), f), sizeof(OLD_HEAD));
	assert_int_equal(ftruncate(fileno(f), (off_t)size), 0);
	assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
	return identify(p.s);
}

TEST_WITH(kinds_are_told_by_the_first_bytes, make_scratch, remove_scratch)
{
	static const char sqlite[] = "SQLite format 3\0\x10\x00";
	static const char ncu[] = "NVR\0\x05\x00\x00\x00";
	struct wl_report r;

	assert_int_equal(identify_bytes(state, "", 0).kind, WL_REPORT_EMPTY);
	assert_int_equal(identify_bytes(state, sqlite, sizeof(sqlite)).kind, WL_REPORT_SQLITE);
	assert_int_equal(identify_bytes(state, sqlite, 16).kind, WL_REPORT_SQLITE);
	assert_int_equal(identify_bytes(state, sqlite, 15).kind, WL_REPORT_OTHER);
	assert_int_equal(identify_bytes(state, ncu, sizeof(ncu)).kind, WL_REPORT_NCU);
	assert_int_equal(identify_bytes(state, "NVRx", 4).kind, WL_REPORT_OTHER);
	assert_int_equal(identify_bytes(state, "NVIDIA Tegra Profiler Report", 28).kind,
			 WL_REPORT_OTHER);
	r = identify_bytes(state, "hello\n", 6);
	assert_int_equal(r.kind, WL_REPORT_OTHER);
	assert_int_equal(r.size, 6);
	assert_string_equal(r.version, "");
}

TEST_WITH(a_header_tells_the_version, make_scratch, remove_scratch)
{
	static const struct {
		const char *bytes, *version;
	} cases[] = {
		{ "2023@3@1@92-233133147223v0.\n\vLocal", "2023.3.1.92" },
		{ "2025@5@1@121-255136380782v0.", "2025.5.1.121" },
		{ "2026@1@2@63-261237296639v0.", "2026.1.2.63" },
		{ "2025@5@1", "" },
		{ "2025@5@", "" },
		{ "2025@@1@121-2.", "" },
		{ "2025@5@1@1212121-2.", "" },
		{ "", "" },
		{ "1.", "" },
		{ "@@@@@@@@@@", "" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		char bytes[128];
		struct wl_report r;
		int n = snprintf(bytes, sizeof(bytes), "NVIDIA Tegra Profiler Report %s",
				 cases[i].bytes);

		r = identify_bytes(state, bytes, (size_t)n);
		assert_int_equal(r.kind, WL_REPORT_NSYS);
		assert_string_equal(r.version, cases[i].version);
	}
}

TEST_WITH(a_stream_is_no_report, make_scratch, remove_scratch)
{
	static const char bytes[] = "U3w[END]NVIDIA Nsight Systems Stream 2022.4.2.1-df9881f!\n";
	struct wl_report r = identify_bytes(state, bytes, sizeof(bytes) - 1);
	struct wl_err err = { 0 };

	assert_int_equal(r.kind, WL_REPORT_STREAM);
	assert_string_equal(r.version, "2022.4.2.1");
	assert_int_equal(wl_report_refuse("x.qdstrm", &r, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "x.qdstrm"));
	assert_non_null(strstr(err.msg, "QdstrmImporter"));
	assert_non_null(strstr(err.msg, "2022.4.2.1"));
}

TEST_WITH(an_old_report_tells_its_version_anywhere, make_scratch, remove_scratch)
{
	static const char text[] = "\"2022.4.2.1-df9881f\"";
	const size_t last = 3 * MIB - (sizeof(text) - 1);

	assert_string_equal(identify_old(state, 3 * MIB, last, text).version, "2022.4.2.1");
	assert_string_equal(identify_old(state, 3 * MIB, 100, text).version, "2022.4.2.1");
	assert_string_equal(identify_old(state, 3 * MIB, MIB + MIB / 2, text).version,
			    "2022.4.2.1");
	assert_string_equal(identify_old(state, 200, 60, text).version, "2022.4.2.1");
	/* Every place around the border of the last two chunks. */
	for (size_t at = 2 * MIB - 100; at < 2 * MIB + 100; at++)
		assert_string_equal(identify_old(state, 3 * MIB, at, text).version, "2022.4.2.1");
}

TEST_WITH(the_search_is_bounded_and_sees_both_ends, make_scratch, remove_scratch)
{
	const size_t size = 200 * MIB;
	const char *text = "2019.6.1.85-1548171";

	assert_string_equal(identify_old(state, size, size - 100, text).version, "2019.6.1.85");
	assert_string_equal(identify_old(state, size, size - 60 * MIB, text).version,
			    "2019.6.1.85");
	assert_string_equal(identify_old(state, size, MIB / 2, text).version, "2019.6.1.85");
	assert_string_equal(identify_old(state, size, 100 * MIB, text).version, "");
}

TEST_WITH(the_last_version_of_an_old_report_counts, make_scratch, remove_scratch)
{
	assert_string_equal(
		identify_old(state, MIB, 500, "2099.1.1.1-aaaaaaa 2021.3.2.4-027534f").version,
		"2021.3.2.4");
}

TEST_WITH(what_only_looks_like_a_version_is_none, make_scratch, remove_scratch)
{
	static const char *const texts[] = {
		"2022.4.2.1-df988",
		"2022.4.2-df9881f",
		"2022.4.2.1.df9881f",
		"2022.4.2.1-DF9881F",
		"1922.4.2.1-df9881f",
		"20x2.4.2.1-df9881f",
		"2022..2.1-df9881f",
		"202.4.2.1-df9881f",
		"2022.4.2.",
		"2022.4.2.1234567-df9881f",
		"20224.4.2.1-df9881f",
		"2",
		"20",
		"2022",
		"2022.",
	};

	for (size_t i = 0; i < WL_COUNT(texts); i++) {
		const size_t at = 1000 - strlen(texts[i]);

		assert_string_equal(identify_old(state, 2000, 500, texts[i]).version, "");
		assert_string_equal(identify_old(state, 1000, at, texts[i]).version, "");
	}
}

static void assert_refused(const char *path, const char *reason)
{
	struct wl_report r = { .size = -7 };
	struct wl_err err = { 0 };

	assert_int_equal(wl_report_identify(path, &r, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.msg, reason));
	assert_int_equal(r.size, -7);
}

TEST_WITH(what_is_no_regular_file_is_refused_without_waiting, make_scratch, remove_scratch)
{
	const struct path fifo = in(state, "fifo"), link = in(state, "link");

	assert_int_equal(mkfifo(fifo.s, 0600), 0);
	assert_int_equal(symlink("fifo", link.s), 0);
	assert_refused(fifo.s, "is a pipe");
	assert_refused(link.s, "is a pipe");
	assert_refused(in(state, "").s, "is a directory");
	assert_refused("/dev/null", "is a device");
	assert_refused(in(state, "missing").s, "No such file or directory");
}

TEST_WITH(a_forbidden_file_is_refused, make_scratch, remove_scratch)
{
	const struct wl_tmpdir *dir = *state;
	const struct path p = in(state, "secret");
	const uid_t me = geteuid();

	(void)identify_bytes(state, "x", 1);
	assert_int_equal(rename(in(state, "file").s, p.s), 0);
	assert_int_equal(chmod(p.s, 0), 0);
	assert_int_equal(chmod(dir->path, 0755), 0);
	if (me == 0 && seteuid(65534) != 0)
		skip();
	assert_refused(p.s, "Permission denied");
	if (me == 0)
		assert_int_equal(seteuid(0), 0);
}

TEST_WITH(what_is_no_trace_is_named, make_scratch, remove_scratch)
{
	static const struct {
		enum wl_report_kind kind;
		const char *text;
	} cases[] = {
		{ WL_REPORT_EMPTY, "x is empty" },
		{ WL_REPORT_NCU, "x is an Nsight Compute report" },
		{ WL_REPORT_OTHER, "x is neither an Nsight Systems report" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_report r = { .kind = cases[i].kind };
		struct wl_err err = { 0 };

		assert_int_equal(wl_report_refuse("x", &r, &err), WL_E_FORMAT);
		assert_int_equal(strncmp(err.msg, cases[i].text, strlen(cases[i].text)), 0);
	}
}

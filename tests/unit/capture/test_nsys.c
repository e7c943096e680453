/* SPDX-License-Identifier: MIT */
#include "capture/nsys.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/unit.h"

#define R "\xef\xbf\xbd" /* U+FFFD */

#define MS INT64_C(1000000)

#define WRITE_SQLITE "printf 'SQLite format 3\\000more' > \"$out\"\n"

/* A directory with a script that plays nsys, and a temporary directory for its output. */
struct stage {
	struct wl_tmpdir home, work;
	char nsys[WL_PATH_CAP + 16];
};

static int make_stage(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	*state = s;
	if (!s || wl_tmpdir_open(getenv("TMPDIR"), &s->home, NULL) ||
	    wl_tmpdir_open(s->home.path, &s->work, NULL))
		return -1;
	(void)snprintf(s->nsys, sizeof(s->nsys), "%s/nsys", s->home.path);
	return 0;
}

static int remove_stage(void **state)
{
	struct stage *s = *state;
	int rc;

	wl_tmpdir_close(&s->work);
	rc = wl_tree_remove(s->home.path, NULL);
	free(s);
	return rc;
}

/* body sees the output path in $out and the report in $in. */
static void play(const struct stage *s, const char *body)
{
	FILE *f = fopen(s->nsys, "we");

	assert_non_null(f);
	assert_true(fprintf(f,
			    "#!/bin/sh\n"
			    "if [ \"$1\" = --version ]; then\n"
			    "	echo 'NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0'\n"
			    "	exit 0\n"
			    "fi\n"
			    "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
			    "in=$1\n"
			    "%s",
			    body) > 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(s->nsys, 0755), 0);
}

static const struct wl_report report_2023 = { .kind = WL_REPORT_NSYS, .version = "2023.4.4.54" };
static const struct wl_report report_2025 = { .kind = WL_REPORT_NSYS, .version = "2025.5.1.121" };
static const struct wl_report report_of_old = { .kind = WL_REPORT_NSYS, .version = "" };

static struct wl_nsys_export export_of(const struct stage *s, const char *report)
{
	return (struct wl_nsys_export){ .nsys = s->nsys, .report = report, .dir = s->work.path };
}

/* One printable line that came whole. */
static void assert_one_line(const char *msg)
{
	assert_true(msg[0] != '\0');
	assert_true(strlen(msg) < sizeof(((struct wl_err *)0)->msg) - 1);
	for (const char *c = msg; *c != '\0'; c++)
		assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void assert_says(const struct wl_err *err, const char *text)
{
	assert_one_line(err->msg);
	if (!strstr(err->msg, text))
		fail_msg("\"%s\" lacks \"%s\"", err->msg, text);
}

static struct wl_err export_fails(struct wl_nsys_export e, const struct wl_report *report, int code)
{
	char path[WL_PATH_CAP] = "untouched";
	struct wl_err err = { 0 };
	int rc = wl_nsys_export(&e, report, path, &err);

	if (rc != code)
		fail_msg("status %d, not %d: %s", rc, code, err.msg);
	assert_int_equal(err.code, code);
	assert_string_equal(path, "untouched");
	return err;
}

TEST(the_plan_is_the_documented_command)
{
	static const char *const expected[] = {
		"nsys", "export", "--type", "sqlite",           "-q",          "true",
		"-f",   "true",   "-o",     "/t/export.sqlite", "a b.nsys-rep"
	};
	struct wl_nsys_plan plan;
	const struct wl_nsys_export e = { .report = "a b.nsys-rep", .dir = "/t" };

	assert_int_equal(wl_nsys_plan(&e, &plan, NULL), WL_OK);
	for (size_t i = 0; i < WL_COUNT(expected); i++)
		assert_string_equal(plan.argv[i], expected[i]);
	assert_null(plan.argv[WL_COUNT(expected)]);
}

TEST(a_path_is_never_an_option)
{
	const struct wl_nsys_export e = { .nsys = "/x/nsys", .report = "-f.nsys-rep", .dir = "-t" };
	struct wl_nsys_plan plan;

	assert_int_equal(wl_nsys_plan(&e, &plan, NULL), WL_OK);
	assert_string_equal(plan.argv[0], "/x/nsys");
	assert_string_equal(plan.argv[9], "./-t/export.sqlite");
	assert_string_equal(plan.argv[10], "./-f.nsys-rep");
}

TEST(a_path_that_is_too_long_is_refused)
{
	static char longer[WL_PATH_CAP + 1];
	struct wl_nsys_plan plan;
	struct wl_err err = { 0 };

	memset(longer, 'x', WL_PATH_CAP);
	assert_int_equal(wl_nsys_plan(&(struct wl_nsys_export){ .report = longer, .dir = "/t" },
				      &plan, &err),
			 WL_E_IO);
	assert_says(&err, "too long");
	assert_int_equal(
		wl_nsys_plan(&(struct wl_nsys_export){ .report = "x", .dir = longer }, &plan, &err),
		WL_E_IO);
}

TEST(versions_compare_by_number)
{
	static const struct {
		const char *a, *b;
		int order;
	} cases[] = {
		{ "2023.4.4.54", "2023.4.4.54", 0 },
		{ "2023.4.4.9", "2023.4.4.54", -1 },
		{ "2023.10.1.1", "2023.9.9.9", 1 },
		{ "2025.5.1.121", "2023.4.4.54", 1 },
		{ "2023.4", "2023.4.0.0", 0 },
		{ "2023.4", "2023.4.4.54", -1 },
		{ "", "2023.4.4.54", -1 },
		{ "", "", 0 },
		{ "2023.4.4.54-234", "2023.4.4.54", 0 },
		{ "x", "y", 0 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		assert_int_equal(wl_nsys_version_cmp(cases[i].a, cases[i].b), cases[i].order);
		assert_int_equal(wl_nsys_version_cmp(cases[i].b, cases[i].a), -cases[i].order);
	}
}

TEST_WITH(nsys_tells_its_version, make_stage, remove_stage)
{
	const struct stage *s = *state;
	char version[WL_REPORT_VERSION_CAP] = "";

	play(s, "");
	assert_int_equal(wl_nsys_version(s->nsys, NULL, version, NULL), WL_OK);
	assert_string_equal(version, "2023.4.4.54");
}

TEST_WITH(a_version_may_not_be_had, make_stage, remove_stage)
{
	const atomic_int canceled = 1;
	const struct stage *s = *state;
	char version[WL_REPORT_VERSION_CAP] = "";
	struct wl_err err = { 0 };

	assert_int_equal(wl_nsys_version(s->nsys, NULL, version, &err), WL_E_IO);
	assert_says(&err, "does not exist");
	assert_int_equal(wl_nsys_version("warplens-no-nsys", NULL, version, &err), WL_E_IO);
	assert_says(&err, "warplens-no-nsys is not on PATH");
	assert_int_equal(wl_nsys_version("true", NULL, version, &err), WL_E_IO);
	assert_says(&err, "prints no version");
	assert_int_equal(wl_nsys_version("/etc/passwd", NULL, version, &err), WL_E_IO);
	play(s, "");
	assert_int_equal(wl_nsys_version(s->nsys, &canceled, version, &err), WL_E_CANCELED);
	assert_string_equal(version, "");
}

TEST_WITH(a_good_export_is_a_path, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "some report.nsys-rep");
	char path[WL_PATH_CAP] = "", expected[WL_PATH_CAP + 16];
	struct wl_report out = { 0 };

	play(s, "[ \"$in\" = 'some report.nsys-rep' ] || exit 9\n" WRITE_SQLITE);
	assert_int_equal(wl_nsys_export(&e, &report_2023, path, NULL), WL_OK);
	(void)snprintf(expected, sizeof(expected), "%s/export.sqlite", s->work.path);
	assert_string_equal(path, expected);
	assert_int_equal(wl_report_identify(path, &out, NULL), WL_OK);
	assert_int_equal(out.kind, WL_REPORT_SQLITE);
}

TEST_WITH(a_newer_report_that_exports_is_welcome, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	char path[WL_PATH_CAP];

	play(s, WRITE_SQLITE);
	assert_int_equal(wl_nsys_export(&e, &report_2025, path, NULL), WL_OK);
}

TEST_WITH(a_missing_nsys_comes_with_the_command_to_run, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "dir/x.nsys-rep");
	struct wl_err err;

	e.nsys = "warplens-no-nsys";
	err = export_fails(e, &report_2025, WL_E_IO);
	assert_string_equal(err.msg,
			    "warplens-no-nsys is not on PATH; run `nsys export --type sqlite -o "
			    "dir/x.sqlite dir/x.nsys-rep` where nsys >= 2025.5.1.121 is installed, "
			    "or give --nsys PATH");
	e.nsys = "/no/such/nsys";
	err = export_fails(e, &report_of_old, WL_E_IO);
	assert_says(&err, "/no/such/nsys does not exist; run `nsys export");
	assert_says(&err, "where nsys is installed");
}

TEST_WITH(the_command_to_run_is_quoted_for_the_shell, make_stage, remove_stage)
{
	static const struct {
		const char *report, *command;
	} cases[] = {
		{ "a b.qdrep", "-o 'a b.sqlite' 'a b.qdrep'`" },
		{ "it's.nsys-rep", "-o 'it'\\''s.sqlite' 'it'\\''s.nsys-rep'`" },
		{ "-x.nsys-rep", "-o ./-x.sqlite ./-x.nsys-rep`" },
		{ "a\x1b[31mb\n.nsys-rep",
		  "-o 'a" R "[31mb" R ".sqlite' 'a" R "[31mb" R ".nsys-rep'`" },
		{ "\xc3\xa9\xff\xc2\x9b.qdrep",
		  "-o '\xc3\xa9" R R ".sqlite' '\xc3\xa9" R R ".qdrep'`" },
	};
	const struct stage *s = *state;

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_nsys_export e = export_of(s, cases[i].report);
		struct wl_err err;

		e.nsys = "/no/such/nsys";
		err = export_fails(e, &report_2023, WL_E_IO);
		assert_says(&err, cases[i].command);
	}
}

TEST_WITH(a_name_that_is_none_of_a_report_starts_nothing, make_stage, remove_stage)
{
	static const char *const names[] = { "noext", ".nsys-rep", "trace.sqlite",
					     "x.nsys-rep.db" };
	const struct stage *s = *state;

	play(s, WRITE_SQLITE);
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		struct wl_err err = export_fails(export_of(s, names[i]), &report_2023, WL_E_FORMAT);

		assert_says(&err, "call it .nsys-rep");
	}
}

TEST_WITH(long_paths_leave_room_for_the_remedy, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e;
	struct wl_err err;
	char report[600], nsys[300];

	memset(nsys, 'n', sizeof(nsys));
	nsys[0] = nsys[150] = '/';
	nsys[sizeof(nsys) - 1] = '\0';
	memset(report, '\'', sizeof(report));
	memcpy(report + sizeof(report) - sizeof(".nsys-rep"), ".nsys-rep", sizeof(".nsys-rep"));
	report[400] = '/';
	e = export_of(s, report);
	e.nsys = nsys;
	err = export_fails(e, &report_2025, WL_E_IO);
	assert_says(&err, "or give --nsys PATH");
	e = export_of(s, report);
	play(s, "echo 'Exportation error: no.' >&2; exit 1\n");
	err = export_fails(e, &report_2025, WL_E_FORMAT);
	assert_says(&err, "or give --nsys PATH");
	e.limit_ns = 200 * MS;
	play(s, "sleep 1000\n");
	err = export_fails(e, &report_2025, WL_E_TIMEOUT);
	assert_says(&err, "and give its output");
	play(s, "head -c 3000 /dev/zero | tr '\\0' x >&2; exit 1\n");
	err = export_fails(e, &report_2023, WL_E_FORMAT);
	assert_says(&err, "capture it again");
}

TEST_WITH(a_report_from_the_future_names_both_versions, make_stage, remove_stage)
{
	static const char *const texts[] = {
		"Exportation error: Report was created in Nsight Systems version "
		"(2025.5.1.121-2v0), "
		"newer than your current version (2023.4.4.54-2v0).\n"
		"Please update your Nsight Systems to the latest version to view this report.",
		"Exportation error: Version number is invalid: 2025@5@1@121-255136380782v0",
	};
	const struct stage *s = *state;

	for (size_t i = 0; i < WL_COUNT(texts); i++) {
		char body[512];
		struct wl_err err;

		(void)snprintf(body, sizeof(body), "echo '%s' >&2; exit 1\n", texts[i]);
		play(s, body);
		err = export_fails(export_of(s, "x.nsys-rep"), &report_2025, WL_E_FORMAT);
		assert_string_equal(err.msg,
				    "x.nsys-rep was made by nsys 2025.5.1.121, newer than the "
				    "installed 2023.4.4.54; run `nsys export --type sqlite -o "
				    "x.sqlite x.nsys-rep` with a newer nsys, or give --nsys PATH");
	}
}

TEST_WITH(a_damaged_report_quotes_nsys, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_err err;

	play(s, "echo 'Exportation error: Section Table Reference magic number mismatch.' >&2\n"
		"exit 1\n");
	err = export_fails(export_of(s, "x.nsys-rep"), &report_2023, WL_E_FORMAT);
	assert_says(&err,
		    "nsys 2023.4.4.54 cannot export x.nsys-rep: Section Table Reference magic "
		    "number mismatch; the");
	play(s, "printf 'first\\nlast \\033[31mred\\007\\302\\233\\377 \\303\\251\\n\\n' >&2; exit "
		"1\n");
	err = export_fails(export_of(s, "x.nsys-rep"), &report_2023, WL_E_FORMAT);
	assert_says(&err, ": last " R "[31mred" R R R " \xc3\xa9; the report may be damaged");
	play(s, "exit 1\n");
	err = export_fails(export_of(s, "x.nsys-rep"), &report_of_old, WL_E_FORMAT);
	assert_says(&err, ": no message;");
}

TEST_WITH(an_nsys_that_does_not_work_is_not_the_report_s_fault, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	struct wl_err err;

	play(s, "echo 'nsys: error while loading shared libraries: libelf.so.1' >&2; exit 127\n");
	err = export_fails(e, &report_2023, WL_E_IO);
	assert_says(&err, "does not work, exit status 127: nsys: error while loading");
	e.nsys = "false";
	err = export_fails(e, &report_2023, WL_E_IO);
	assert_says(&err, "false does not work, exit status 1");
	e.nsys = "/etc/passwd";
	err = export_fails(e, &report_2023, WL_E_IO);
	assert_says(&err, "Permission denied");
	play(s, "kill -SEGV $$\n");
	err = export_fails(export_of(s, "x.nsys-rep"), &report_2023, WL_E_IO);
	assert_says(&err, "killed by signal 11 while it exported x.nsys-rep");
	play(s, "kill -KILL $$\n");
	err = export_fails(export_of(s, "x.nsys-rep"), &report_2023, WL_E_IO);
	assert_says(&err, "out of memory");
}

TEST_WITH(success_without_a_database_is_a_failure, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	struct wl_err err;

	play(s, "exit 0\n");
	err = export_fails(e, &report_2023, WL_E_IO);
	assert_says(&err, "reported success and wrote no SQLite file");
	play(s, "echo text > \"$out\"\n");
	(void)export_fails(e, &report_2023, WL_E_IO);
	play(s, ": > \"$out\"\n");
	(void)export_fails(e, &report_2023, WL_E_IO);
	play(s, "rm -f \"$out\"; mkdir \"$out\"\n");
	(void)export_fails(e, &report_2023, WL_E_IO);
}

TEST_WITH(a_full_disk_is_told_whatever_the_status, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	struct wl_err err;

	play(s,
	     ": > \"$out\"; echo '[QuadDCommon::tag_message*] = database or disk is full' >&2\n");
	err = export_fails(e, &report_2023, WL_E_OUTPUT);
	assert_says(&err, "no room in ");
	assert_says(&err, "set TMPDIR");
	play(s, "echo 'write: No space left on device' >&2; exit 1\n");
	(void)export_fails(e, &report_2023, WL_E_OUTPUT);
}

/* Read the pid that a script left in the work directory. */
static long left_pid(const struct stage *s)
{
	char path[WL_PATH_CAP + 16], line[32] = "";
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/pid", s->work.path);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	(void)fclose(f);
	return strtol(line, NULL, 10);
}

/* Whether the script has come to where it hangs. */
static bool hangs(const struct stage *s)
{
	char path[WL_PATH_CAP + 16];

	(void)snprintf(path, sizeof(path), "%s/pid", s->work.path);
	return access(path, F_OK) == 0;
}

static bool is_running(long pid)
{
	char path[64], line[512] = "";
	const char *state;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	(void)fclose(f);
	state = strrchr(line, ')');
	return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

static void assert_dies(long pid)
{
	assert_true(pid > 1);
	while (is_running(pid)) /* for ever: ctest ends it */
		(void)nanosleep(&(struct timespec){ .tv_nsec = 10 * MS }, NULL);
}

#define HANG                                                                                       \
	"sleep 1000 & echo $! > \"${out%/*}/p\"; echo partial > \"$out\"\n"                        \
	"mv \"${out%/*}/p\" \"${out%/*}/pid\"; wait\n"

TEST_WITH(a_hanging_nsys_is_killed_with_its_children, make_stage, remove_stage)
{
	struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	char work[WL_PATH_CAP];
	struct wl_err err;
	struct stat st;

	play(s, HANG);
	/* A busy machine may need longer until nsys hangs. */
	for (e.limit_ns = 500 * MS; !hangs(s); e.limit_ns *= 2) {
		err = export_fails(e, &report_2023, WL_E_TIMEOUT);
		assert_says(&err, "nsys did not export x.nsys-rep within ");
		assert_says(&err, "; allow more with --nsys-timeout");
		if (e.limit_ns == 500 * MS)
			assert_says(&err, " within 500 ms; ");
	}
	assert_dies(left_pid(s));
	memcpy(work, s->work.path, sizeof(work));
	wl_tmpdir_close(&s->work);
	assert_int_equal(stat(work, &st), -1);
	assert_int_equal(errno, ENOENT);
}

struct watched_stage {
	const struct stage *stage;
	atomic_int flag;
};

static void cancel_the_hanging(void *ctx, int64_t elapsed_ns)
{
	struct watched_stage *w = ctx;

	(void)elapsed_ns;
	w->flag = hangs(w->stage);
}

TEST_WITH(an_interrupted_export_ends_at_once, make_stage, remove_stage)
{
	const struct stage *s = *state;
	struct wl_nsys_export e = export_of(s, "x.nsys-rep");
	struct watched_stage w = { .stage = s };
	struct wl_err err;

	play(s, HANG);
	e.cancel = &w.flag;
	e.tick = cancel_the_hanging;
	e.ctx = &w;
	err = export_fails(e, &report_2023, WL_E_CANCELED);
	assert_says(&err, "the export of x.nsys-rep was interrupted");
	assert_dies(left_pid(s));
}

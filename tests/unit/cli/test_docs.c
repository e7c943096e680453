/* SPDX-License-Identifier: MIT */
#include "cli/docs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "support/unit.h"

static const struct wl_param params[] = {
	{ .key = "min", .type = WL_P_NS, .def = "1ns" },
	{ .key = "phase-map", .type = WL_P_DOC },
	{ .key = "rules", .type = WL_P_DOC },
};

static const struct wl_analysis phases = { .name = "phases", .params = params, .n_params = 3 };

struct scratch {
	struct wl_tmpdir dir;
	char path[WL_PATH_CAP + 64]; /* a file in it */
};

static int make_scratch(void **state)
{
	struct scratch *s = calloc(1, sizeof(*s));

	*state = s;
	return !s || wl_tmpdir_open(getenv("TMPDIR"), &s->dir, NULL);
}

static int remove_scratch(void **state)
{
	struct scratch *s = *state;

	wl_tmpdir_close(&s->dir);
	free(s);
	return 0;
}

static const char *put_at(struct scratch *s, const char *name, const char *text, size_t n)
{
	FILE *f;

	(void)snprintf(s->path, sizeof(s->path), "%s/%s", s->dir.path, name);
	f = fopen(s->path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return s->path;
}

static const char *put(struct scratch *s, const char *text, size_t n)
{
	return put_at(s, "map.json", text, n);
}

static void expect_refusal(const char *path, enum wl_status code, const char *words)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	assert_int_equal(wl_doc_read(path, &doc, &err), code);
	assert_null(doc);
	if (!strstr(err.msg, path) || !strstr(err.msg, words))
		fail_msg("\"%s\" does not say \"%s\" of %s", err.msg, words, path);
}

TEST_WITH(documents_are_read_by_parameter, make_scratch, remove_scratch)
{
	const char *path = put(*state, "{\"a\": 1}", 8);
	const char *const text[] = { "5ns", path, NULL };
	const struct wl_invocation inv = { .verb = { .analysis = &phases } };
	const struct wl_invocation none = { .n_operands = 0 };
	struct wl_docs docs;

	assert_int_equal(wl_docs_init(&docs, &inv, text, NULL), WL_OK);
	assert_null(docs.param[0]);
	assert_int_equal(wl_json_size(docs.param[1]), 1);
	assert_null(docs.param[2]);
	assert_null(docs.conventions);
	wl_docs_release(&docs);
	assert_int_equal(wl_docs_init(&docs, &none, NULL, NULL), WL_OK); /* not an analysis */
	wl_docs_release(&docs);
}

TEST_WITH(the_first_is_freed_when_the_second_fails, make_scratch, remove_scratch)
{
	const char *path = put(*state, "{\"a\": 1}", 8);
	const char *const text[] = { NULL, path, "/nowhere.json" };
	const struct wl_invocation inv = { .verb = { .analysis = &phases } };
	struct wl_docs docs;
	struct wl_err err;

	assert_int_equal(wl_docs_init(&docs, &inv, text, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "/nowhere.json"));
	wl_docs_release(&docs);
}

TEST_WITH(malformed_is_usage_and_unreadable_is_input, make_scratch, remove_scratch)
{
	struct scratch *s = *state;

	expect_refusal(put(s, "{", 1), WL_E_USAGE, "line 1");
	expect_refusal(put(s, "", 0), WL_E_USAGE, "not valid JSON");
	expect_refusal(s->dir.path, WL_E_IO, "Is a directory");
	expect_refusal("/nowhere.json", WL_E_IO, "No such file");
}

TEST_WITH(a_large_file_is_refused_not_cut, make_scratch, remove_scratch)
{
	size_t n = WL_JSON_MAX_BYTES + 1;
	char *text = malloc(n);

	assert_non_null(text);
	memset(text, ' ', n);
	text[0] = '1';
	expect_refusal(put(*state, text, n), WL_E_USAGE, "larger than 4 MiB");
	free(text);
	expect_refusal("/dev/zero", WL_E_USAGE, "larger than 4 MiB");
}

TEST_WITH(a_pipe_will_do, make_scratch, remove_scratch)
{
	struct wl_json *doc;
	char path[64];
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "[1,2]", 5), 5);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	assert_int_equal(wl_doc_read(path, &doc, NULL), WL_OK);
	assert_int_equal(wl_json_size(doc), 2);
	wl_json_free(doc);
	assert_int_equal(close(fd[0]), 0);
}

/* --- by name --------------------------------------------------------------------------------- */

static void make_dir(const struct scratch *s, const char *name)
{
	char path[WL_PATH_CAP + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", s->dir.path, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* The configuration is in the scratch directory, which is also the current one. */
static int enter_scratch(void **state)
{
	struct scratch *s;
	int r = make_scratch(state);

	s = *state;
	if (r || chdir(s->dir.path) < 0 || setenv("HOME", "/nowhere", 1) < 0 ||
	    setenv("XDG_CONFIG_HOME", s->dir.path, 1) < 0)
		return -1;
	make_dir(s, "warplens");
	make_dir(s, "warplens/rules");
	return 0;
}

static int leave_scratch(void **state)
{
	return chdir("/") < 0 ? -1 : remove_scratch(state);
}

/* What the name means: the path that was read, or NULL where only a built-in can be meant. */
static void expect_found(const char *name, const char *want)
{
	struct wl_json *doc = NULL;
	char path[WL_PATH_CAP];
	struct wl_err err;

	if (wl_doc_find("rules", name, path, &doc, &err) < 0)
		fail_msg("%s: %s", name, err.msg);
	assert_int_equal(doc != NULL, want != NULL);
	if (want)
		assert_string_equal(path, want);
	wl_json_free(doc);
}

static void expect_not_found(const char *name, enum wl_status code)
{
	struct wl_json *doc = NULL;
	char path[WL_PATH_CAP];

	assert_int_equal(wl_doc_find("rules", name, path, &doc, NULL), code);
	assert_null(doc);
}

TEST_WITH(a_name_may_be_a_path, enter_scratch, leave_scratch)
{
	(void)put_at(*state, "mine.json", "{}", 2);
	(void)put_at(*state, "mine", "{}", 2);
	expect_found("mine.json", "mine.json");
	expect_found("./mine.json", "./mine.json");
	expect_found("mine", "mine");
	expect_not_found("other.json", WL_E_IO);
	expect_not_found("./mine2", WL_E_IO);
	expect_not_found("rules/none", WL_E_IO);
}

TEST_WITH(a_name_may_be_in_the_configuration, enter_scratch, leave_scratch)
{
	struct scratch *s = *state;
	char want[WL_PATH_CAP + 64];

	(void)snprintf(want, sizeof(want), "%s", put_at(s, "warplens/rules/mine.json", "{}", 2));
	expect_found("mine", want);
	expect_found("builtin", NULL);
	expect_found("", NULL);
	(void)put_at(s, "mine", "{}", 2);
	expect_found("mine", "mine"); /* the nearer one */
}

TEST_WITH(a_directory_is_not_meant, enter_scratch, leave_scratch)
{
	make_dir(*state, "pithtrain");
	make_dir(*state, "warplens/rules/mine.json");
	expect_found("pithtrain", NULL);
	expect_found("mine", NULL);
}

TEST_WITH(home_is_the_default, enter_scratch, leave_scratch)
{
	struct scratch *s = *state;
	char want[WL_PATH_CAP + 64];

	make_dir(s, ".config");
	make_dir(s, ".config/warplens");
	make_dir(s, ".config/warplens/rules");
	(void)snprintf(want, sizeof(want), "%s",
		       put_at(s, ".config/warplens/rules/mine.json", "{}", 2));
	assert_int_equal(setenv("HOME", s->dir.path, 1), 0);
	expect_found("mine", NULL); /* XDG_CONFIG_HOME is set */
	assert_int_equal(setenv("XDG_CONFIG_HOME", "", 1), 0);
	expect_found("mine", want);
	assert_int_equal(setenv("XDG_CONFIG_HOME", ".config", 1), 0); /* relative: ignored */
	expect_found("mine", want);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	expect_found("mine", want);
	assert_int_equal(unsetenv("HOME"), 0);
	expect_found("mine", NULL);
}

TEST_WITH(a_document_that_is_found_must_be_one, enter_scratch, leave_scratch)
{
	(void)put_at(*state, "warplens/rules/mine.json", "{", 1);
	expect_not_found("mine", WL_E_USAGE);
}

TEST_WITH(long_names_are_no_files, enter_scratch, leave_scratch)
{
	char name[2 * WL_PATH_CAP];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect_found(name, NULL);
	name[0] = '/';
	expect_not_found(name, WL_E_IO);
}

TEST_WITH(conventions_are_read_or_left_to_be_found, enter_scratch, leave_scratch)
{
	static const char *const text[WL_MAX_PARAMS] = { NULL };
	struct wl_invocation inv = { .opt = { .conventions = "generic" } };
	struct wl_docs docs;

	assert_int_equal(wl_docs_init(&docs, &inv, text, NULL), WL_OK);
	assert_null(docs.conventions);
	wl_docs_release(&docs);
	(void)put_at(*state, "generic", "{}", 2);
	assert_int_equal(wl_docs_init(&docs, &inv, text, NULL), WL_OK);
	assert_non_null(docs.conventions);
	assert_string_equal(docs.conventions_path, "generic");
	wl_docs_release(&docs);
}

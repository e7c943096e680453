#include "cli/docs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
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

static const char *put(struct scratch *s, const char *text, size_t n)
{
	FILE *f;

	(void)snprintf(s->path, sizeof(s->path), "%s/map.json", s->dir.path);
	f = fopen(s->path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return s->path;
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

static void documents_are_read_by_parameter(void **state)
{
	const char *path = put(*state, "{\"a\": 1}", 8);
	const char *const text[] = { "5ns", path, NULL };
	struct wl_docs docs;

	assert_int_equal(wl_docs_init(&docs, &phases, text, NULL), WL_OK);
	assert_null(docs.param[0]);
	assert_int_equal(wl_json_size(docs.param[1]), 1);
	assert_null(docs.param[2]);
	wl_docs_release(&docs);
	assert_int_equal(wl_docs_init(&docs, NULL, NULL, NULL), WL_OK); /* not an analysis */
	wl_docs_release(&docs);
}

static void the_first_is_freed_when_the_second_fails(void **state)
{
	const char *path = put(*state, "{\"a\": 1}", 8);
	const char *const text[] = { NULL, path, "/nowhere.json" };
	struct wl_docs docs;
	struct wl_err err;

	assert_int_equal(wl_docs_init(&docs, &phases, text, &err), WL_E_IO);
	assert_non_null(strstr(err.msg, "/nowhere.json"));
	wl_docs_release(&docs);
}

static void malformed_is_usage_and_unreadable_is_input(void **state)
{
	struct scratch *s = *state;

	expect_refusal(put(s, "{", 1), WL_E_USAGE, "line 1");
	expect_refusal(put(s, "", 0), WL_E_USAGE, "not valid JSON");
	expect_refusal(s->dir.path, WL_E_IO, "Is a directory");
	expect_refusal("/nowhere.json", WL_E_IO, "No such file");
}

static void a_large_file_is_refused_not_cut(void **state)
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

static void a_pipe_will_do(void **state)
{
	struct wl_json *doc;
	char path[64];
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "[1,2]", 5), 5);
	assert_int_equal(close(fd[1]), 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
	assert_int_equal(wl_doc_read(path, &doc, NULL), WL_OK);
	assert_int_equal(wl_json_size(doc), 2);
	wl_json_free(doc);
	assert_int_equal(close(fd[0]), 0);
}

#define SCRATCH_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(documents_are_read_by_parameter),
		SCRATCH_TEST(the_first_is_freed_when_the_second_fails),
		SCRATCH_TEST(malformed_is_usage_and_unreadable_is_input),
		SCRATCH_TEST(a_large_file_is_refused_not_cut),
		SCRATCH_TEST(a_pipe_will_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

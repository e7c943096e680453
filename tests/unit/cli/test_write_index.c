/* SPDX-License-Identifier: MIT */
/* A session with an index: it serves, answers stay the same, and damage is survived. */
#include "session/answer/write_index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registered.h"
#include "render/render.h"
#include "support/db.h"
#include "support/unit.h"

static const struct wl_index_opts index_opts = { .program = "test" };
static const struct wl_input_opts input_opts = { .budget = NULL };

static void put_trace(struct db *db)
{
	db_make_tables(db, DB_3_25_0);
	db_string(db, 1, "cudaLaunchKernel");
	db_string(db, 2, "gemm");
	db_string(db, 3, "relu");
	for (unsigned i = 0; i < 8; i++) {
		DB_KERNEL(db, .start = 1000 * (int64_t)i + 500, .end = 1000 * (int64_t)i + 900 + i,
			  .corr = i + 1, .stream = 7 + i % 2, .name = i % 2 ? 2 : 3);
		DB_API(db, .start = 1000 * (int64_t)i, .end = 1000 * (int64_t)i + 100, .tid = 1,
		       .corr = i + 1, .name = 1);
		DB_NVTX(db, .start = 1000 * (int64_t)i, .end = 1000 * (int64_t)i + 950, .tid = 1,
			.text = "step");
	}
}

/* The bytes of an answer, or why there is none; *ret_reader says where it is from. Free it. */
static char *ask(const char *path, const struct wl_index_opts *index,
		 const struct wl_request *request, const char **ret_reader)
{
	const struct wl_render_opts how = { .width = 80 };
	struct wl_session *session = NULL;
	struct wl_err err = { .code = WL_OK };
	struct wl_document doc;
	struct wl_arena arena;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	wl_arena_init(&arena, 1 << 26);
	assert_int_equal(wl_session_open_indexed(path, &input_opts, index, &session, &err), WL_OK);
	if (wl_session_run(session, request, &arena, &doc, &err) == WL_OK)
		wl_format_find("json")->render(&doc, &how, out);
	else
		(void)fputs(err.msg, out);
	*ret_reader = wl_session_trace(session)->reader;
	/* Who reads the file although there is an index says why. */
	assert_int_equal(index != NULL && strcmp(*ret_reader, "index") != 0,
			 wl_session_index_note(session) != NULL);
	wl_session_close(session);
	wl_arena_release(&arena);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* What is stored as a whole, and what needs the columns. */
static const char *const by_stream[WL_MAX_PARAMS] = { NULL, "stream" };

static const struct wl_request *requests(size_t i)
{
	static struct wl_request all[3];

	all[0] = (struct wl_request){ .document = wl_document_find("summary") };
	all[1] = (struct wl_request){ .analysis = &wl_analysis_kernels, .args = by_stream };
	all[2] = (struct wl_request){ .analysis = &wl_analysis_nvtx,
				      .selection = { .window = "..5us" } };
	return &all[i];
}

enum { N_REQUESTS = 3 };

static const char *make(void **state, char *index, size_t size)
{
	struct db *db = db_open(state, "t.sqlite");
	struct wl_err err = { .code = WL_OK };
	const char *path;

	put_trace(db);
	path = db_close(db);
	if (wl_write_index(path, &input_opts, &index_opts, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	(void)snprintf(index, size, "%s.wlidx", path);
	return path;
}

TEST_WITH(answers_are_the_same_and_from_the_index, db_setup, db_teardown)
{
	char index[WL_PATH_CAP + 300];
	const char *path = make(state, index, sizeof(index)), *reader;

	for (size_t i = 0; i < N_REQUESTS; i++) {
		char *without = ask(path, NULL, requests(i), &reader);
		char *with = ask(path, &index_opts, requests(i), &reader);

		assert_string_equal(with, without);
		assert_string_equal(reader, "index");
		free(with);
		free(without);
	}
}

/* A prime stride reaches every part of the file and every bit. */
TEST_WITH(damage_is_survived, db_setup, db_teardown)
{
	enum { STRIDE = 37 };
	char index[WL_PATH_CAP + 300], *want[N_REQUESTS];
	const char *path = make(state, index, sizeof(index)), *reader;
	size_t n_read = 0;
	struct stat st;
	int fd = open(index, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (size_t i = 0; i < N_REQUESTS; i++)
		want[i] = ask(path, NULL, requests(i), &reader);
	for (off_t at = 0; at < st.st_size; at += STRIDE) {
		size_t q = (size_t)at / STRIDE % N_REQUESTS;
		unsigned char byte, other;
		char *have;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		other = byte ^ (unsigned char)(1 << at % 8);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		have = ask(path, &index_opts, requests(q), &reader);
		assert_string_equal(have, want[q]);
		n_read += strcmp(reader, "index") != 0;
		free(have);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(n_read > 0);
	for (off_t n = st.st_size - 1; n >= 0; n -= STRIDE) {
		size_t q = (size_t)n / STRIDE % N_REQUESTS;
		char *have;

		assert_int_equal(ftruncate(fd, n), 0);
		have = ask(path, &index_opts, requests(q), &reader);
		assert_string_equal(have, want[q]);
		free(have);
	}
	(void)close(fd);
	for (size_t i = 0; i < N_REQUESTS; i++)
		free(want[i]);
}

/* One session, one question after the other: also where the index goes in between. */
TEST_WITH(a_session_goes_on_without_its_index, db_setup, db_teardown)
{
	char index[WL_PATH_CAP + 300], junk[4096];
	const char *path = make(state, index, sizeof(index));
	struct wl_session *session;
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err;
	struct stat st;
	int fd = open(index, O_RDWR | O_CLOEXEC);

	wl_arena_init(&arena, 1 << 26);
	assert_int_equal(wl_session_open_indexed(path, &input_opts, &index_opts, &session, &err),
			 WL_OK);
	assert_int_equal(wl_session_run(session, requests(0), &arena, &doc, &err), WL_OK);
	assert_null(wl_session_index_note(session));
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	memset(junk, 0x55, sizeof(junk));
	for (off_t at = 512; at + (off_t)sizeof(junk) < st.st_size; at += (off_t)sizeof(junk))
		assert_int_equal(pwrite(fd, junk, sizeof(junk), at), sizeof(junk));
	assert_int_equal(wl_session_run(session, requests(1), &arena, &doc, &err), WL_OK);
	assert_non_null(wl_session_index_note(session));
	assert_int_equal(doc.sections[0].view.n_rows, 2);
	assert_int_equal(wl_session_run(session, requests(2), &arena, &doc, &err), WL_OK);
	wl_session_close(session);
	wl_arena_release(&arena);
	(void)close(fd);
}

/* How much was repaired depends on what is read, so an index cannot tell it. */
TEST_WITH(counts_of_the_reader_are_told_by_the_reader, db_setup, db_teardown)
{
	const struct wl_request info = { .document = wl_document_find("info") };
	struct db *db = db_open(state, "t.sqlite");
	const char *path, *reader;
	char *with, *without;
	struct wl_err err;

	put_trace(db);
	db_run(db, "INSERT INTO StringIds VALUES (99, CAST(x'61ff62' AS TEXT))");
	path = db_close(db);
	assert_int_equal(wl_write_index(path, &input_opts, &index_opts, NULL, &err), WL_OK);
	without = ask(path, NULL, &info, &reader);
	{
		struct wl_session *session;
		struct wl_document doc;
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 26);
		assert_int_equal(
			wl_session_open_indexed(path, &input_opts, &index_opts, &session, &err),
			WL_OK);
		assert_int_equal(wl_session_run(session, &info, &arena, &doc, &err), WL_OK);
		assert_string_not_equal(wl_session_trace(session)->reader, "index");
		assert_null(wl_session_index_note(session));
		wl_session_close(session);
		wl_arena_release(&arena);
	}
	with = ask(path, &index_opts, requests(0), &reader);
	assert_string_equal(reader, "index");
	free(with);
	free(without);
}

TEST_WITH(what_cannot_be_written_leaves_nothing, db_setup, db_teardown)
{
	const struct wl_index_opts nowhere = { .dir = "/no/such/directory", .program = "test" };
	struct db *db = db_open(state, "t.sqlite");
	struct wl_err err;
	const char *path;

	put_trace(db);
	path = db_close(db);
	assert_int_equal(wl_write_index(path, &input_opts, &nowhere, NULL, &err), WL_E_OUTPUT);
	assert_int_equal(wl_write_index("/no/such/trace", &input_opts, &index_opts, NULL, &err),
			 WL_E_IO);
}

/* Whatever the limit is: an index, or a complaint; and what did not fit is found later. */
TEST_WITH(the_limit_of_memory_holds_for_answers, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t.sqlite");
	struct wl_budget budget = { .limit = 0 };
	const struct wl_input_opts opts = { .budget = &budget };
	struct wl_err err;
	const char *path, *reader;
	size_t most, n_written = 0;

	put_trace(db);
	path = db_close(db);
	assert_int_equal(wl_write_index(path, &opts, &index_opts, NULL, &err), WL_OK);
	most = budget.peak;
	for (size_t part = 1; part <= 16; part++) {
		char *with, *without;

		budget = (struct wl_budget){ .limit = most * part / 16 };
		if (wl_write_index(path, &opts, &index_opts, NULL, &err) == WL_OK)
			n_written++;
		else
			assert_int_equal(err.code, WL_E_NOMEM);
		assert_true(budget.peak <= budget.limit);
		assert_int_equal(budget.used, 0);
		with = ask(path, &index_opts, requests(0), &reader);
		without = ask(path, NULL, requests(0), &reader);
		assert_string_equal(with, without);
		free(with);
		free(without);
	}
	assert_true(n_written > 1 && n_written < 16);
}

/* SPDX-License-Identifier: MIT */
/*
 * An index made with intent: sums fit, but values are any. Each is refused, or every
 * verb answers something; nothing is read outside of it, nothing ends the program.
 *
 *   property hostile_index [ROUNDS [SEED]]    of the traces of $WARPLENS_FIXTURES
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registered.h"
#include "index/image.h"
#include "session/answer/write_index.h"
#include "session/open/session.h"
#include "support/random.h"
#include "support/test_main.h"

enum { ROUNDS = 12, ARENA_BUDGET = 1 << 28 };

static const struct wl_index_opts beside = { .program = "test" };
static const struct wl_input_opts input_opts = { .budget = NULL };

struct hostile {
	struct wl_tmpdir scratch;
	struct wl_index_opts index;
	const char *path;
	struct wl_trace_identity identity;
	uint64_t seed;
	size_t n_files, n_refused, n_answers, n_failed;
};

static uint64_t next(struct hostile *h)
{
	return random_next(&h->seed);
}

/* A value that is near some limit, or any. */
static uint64_t value(struct hostile *h, uint64_t n)
{
	const uint64_t some[] = { 0,
				  1,
				  n - 1,
				  n,
				  n + 1,
				  UINT32_MAX,
				  UINT32_MAX - 1,
				  UINT64_MAX,
				  1 << 20,
				  INT64_MAX,
				  UINT64_C(1) << 63,
				  next(h) };

	return some[next(h) % WL_COUNT(some)];
}

static void change(struct hostile *h, char *data, const struct wl_index_section *s)
{
	uint64_t v = value(h, s->n);
	size_t size = s->size < 8 ? (size_t)s->size : (size_t)4 << next(h) % 2;
	size_t at = (size_t)(next(h) % s->n * s->size);

	at += s->size > 8 ? (size_t)(next(h) % (s->size / size) * size) : 0;
	memcpy(data + at, &v, size);
}

/* The same file with few values changed, and mostly without the answers in it. */
static bool make(struct hostile *h, const struct wl_index_file *good, const char *path)
{
	const struct wl_index_section *sections = good->section.data;
	bool with_answers = next(h) % 4 == 0;
	struct wl_index_writer w;
	struct wl_err err;
	size_t picked = (size_t)next(h);

	if (wl_index_writer_begin(&w, path, wl_image_layout(beside.program), &h->identity, &err) <
	    0)
		return false;
	for (size_t i = 0; i < good->section.n; i++) {
		const struct wl_index_section *s = &sections[i];
		size_t bytes = (size_t)(s->n * s->size);
		char *data = malloc(bytes + 1);

		if (!data || !wl_index_section_copy(good, s, data)) {
			free(data);
			return false;
		}
		if (s->n > 0 && (i == picked % good->section.n || next(h) % 60 == 0))
			change(h, data, s);
		if (with_answers || strncmp(s->name, "answer.", 7) != 0)
			wl_index_put(&w, s->name, data, (size_t)s->n, (size_t)s->size);
		free(data);
	}
	return wl_index_writer_commit(&w, &err) == WL_OK;
}

static void ask(struct hostile *h, const struct wl_analysis *a, const char *window)
{
	struct wl_request request = { .analysis = a, .selection = { .window = window } };
	const char *args[WL_MAX_PARAMS] = { NULL };
	struct wl_session *session = NULL;
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err;

	for (size_t i = 0; i < a->n_params; i++)
		args[i] = a->params[i].operand ? "." : NULL;
	request.args = args;
	wl_arena_init(&arena, ARENA_BUDGET);
	if (wl_session_open_indexed(h->path, &input_opts, &h->index, &session, &err) < 0) {
		h->n_failed++;
		(void)printf("FAIL %s: %s\n", h->path, err.msg);
	} else {
		int r = wl_session_run(session, &request, &arena, &doc, &err);

		h->n_answers++;
		h->n_refused += wl_session_index_note(session) != NULL;
		if (r != WL_OK && r != WL_E_NODATA && r != WL_E_USAGE && r != WL_E_NOMEM) {
			h->n_failed++;
			(void)printf("FAIL %s %s: %s\n", h->path, a->name, err.msg);
		}
	}
	wl_session_close(session);
	wl_arena_release(&arena);
}

static void try_trace(struct hostile *h, const char *path, size_t rounds)
{
	struct wl_index_opts good_opts = h->index;
	char good_dir[WL_PATH_CAP + 8], bad[WL_PATH_CAP];
	struct wl_index *good = NULL;
	struct wl_err err;

	(void)snprintf(good_dir, sizeof(good_dir), "%s/..", h->scratch.path);
	good_opts.dir = good_dir;
	h->path = path;
	if (wl_write_index(path, &input_opts, &good_opts, NULL, &err) < 0 ||
	    wl_trace_identify(path, &h->identity, &err) < 0 ||
	    wl_index_open(path, &good_opts, NULL, &good, &err) < 0 ||
	    wl_index_path(path, &h->index, bad, &err) < 0) {
		(void)printf("FAIL %s: %s\n", path, err.msg);
		h->n_failed++;
		return;
	}
	for (size_t round = 0; round < rounds; round++) {
		h->n_failed += !make(h, wl_index_get_file(good), bad);
		h->n_files++;
		for (size_t i = 0; i < wl_n_analyses; i++) {
			if (wl_analyses[i] != &wl_analysis_phases)
				ask(h, wl_analyses[i], NULL);
		}
		ask(h, &wl_analysis_overlap, "iter:1");
		ask(h, &wl_analysis_idle, "steady");
	}
	wl_index_close(good);
	(void)remove(wl_index_path(path, &good_opts, bad, &err) == WL_OK ? bad : "");
}

TEST_MAIN(hostile_index)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : (size_t)random_cases(ROUNDS);
	struct hostile h = { .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, .index = beside };
	const char *dir = getenv("WARPLENS_FIXTURES");
	char pattern[WL_PATH_CAP], sub[WL_PATH_CAP + 8];
	struct wl_tmpdir outer;
	struct wl_err err;
	glob_t found;

	if (!dir || wl_tmpdir_open(getenv("TMPDIR"), &outer, &err) < 0 ||
	    wl_tmpdir_open(outer.path, &h.scratch, &err) < 0)
		return 77;
	(void)snprintf(sub, sizeof(sub), "%s", h.scratch.path);
	h.index.dir = sub;
	(void)snprintf(pattern, sizeof(pattern), "%s/*.sqlite", dir);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 77;
	for (size_t i = 0; i < found.gl_pathc; i++)
		try_trace(&h, found.gl_pathv[i], rounds);
	globfree(&found);
	wl_tmpdir_close(&h.scratch);
	wl_tmpdir_close(&outer);
	(void)printf("%zu files, %zu answers, %zu of them refused the index, %zu failed\n",
		     h.n_files, h.n_answers, h.n_refused, h.n_failed);
	return h.n_failed != 0;
}

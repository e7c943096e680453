/* SPDX-License-Identifier: MIT */
/*
 * Every verb and document gives the same bytes with an index as without, with every
 * choice of its options, in windows and of selections; and the index serves all of them. Each
 * question is asked of a session of its own, because what one has loaded before may hide what
 * another forgot to ask for.
 *
 *   property index      the traces of $WARPLENS_FIXTURES; of options, windows and selections one in
 *                       $PROPERTY_PART, of each trace others
 *   property index all  those of $WARPLENS_SHARED/corpus, too; takes many minutes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registered.h"
#include "base/file/file.h"
#include "base/text/json_read.h"
#include "render/render.h"
#include "session/answer/write_index.h"
#include "session/open/session.h"
#include "support/random.h"
#include "support/test_main.h"
#include "support/traces.h"

enum { SKIPPED = 77, MAX_SHOWN = 20, ARENA_BUDGET = 1 << 30, NAME_CAP = 512 };

struct matrix {
	struct wl_tmpdir scratch;
	struct wl_index_opts index;
	struct wl_json *map;      /* what parameters that are documents get */
	const char *path, *trace; /* the file, and its short name */
	size_t n_traces, n_answers, n_failed, n_read;
	size_t turn;
};

struct question {
	char name[NAME_CAP];
	struct wl_request request;
	const struct wl_format *format;
	const char *args[WL_MAX_PARAMS];
	struct wl_json *docs[WL_MAX_PARAMS];
};

static void complain(struct matrix *m, const char *what, const char *why)
{
	m->n_failed++;
	if (m->n_failed <= MAX_SHOWN)
		(void)printf("FAIL %s %s: %s\n", m->trace, what, why);
}

static void ask(const struct matrix *m, struct question *q, const struct wl_analysis *a,
		const struct wl_document_info *d, const char *format)
{
	*q = (struct question){ .request = { .analysis = a, .document = d },
				.format = wl_format_find(format) };
	(void)snprintf(q->name, sizeof(q->name), "%s -f %s",
		       a   ? a->name
		       : d ? d->name
			   : "",
		       format);
	for (size_t i = 0; a && i < a->n_params; i++) {
		q->args[i] = a->params[i].operand ? "." : NULL;
		q->docs[i] = a == &wl_analysis_phases ? m->map : NULL;
	}
	q->request.args = q->args;
	q->request.docs = q->docs;
	q->request.view.limit = q->format->default_limit;
	q->request.no_limits = q->format->default_limit == 0;
	q->request.section = d && !q->format->whole ? d->sections[0].analysis : NULL;
}

/* What is printed, or why nothing is. Free it. */
static char *answer(struct matrix *m, const struct question *q, const struct wl_index_opts *index)
{
	const struct wl_input_opts opts = { .budget = NULL };
	const struct wl_render_opts how = { .width = 80 };
	struct wl_session *session = NULL;
	struct wl_err err = { .code = WL_OK };
	struct wl_document doc;
	struct wl_arena arena;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int r = wl_session_open_indexed(m->path, &opts, index, &session, &err);

	wl_arena_init(&arena, ARENA_BUDGET);
	if (r == WL_OK)
		r = wl_session_run(session, &q->request, &arena, &doc, &err);
	if (r == WL_OK) {
		q->format->render(&doc, &how, out);
		wl_render_frame(&doc, &how, out);
	} else {
		(void)fprintf(out, "%d %s\n", r, err.msg);
	}
	(void)fclose(out);
	if (index && session && wl_session_index_note(session))
		complain(m, q->name, wl_session_index_note(session));
	if (index && session && strcmp(wl_session_trace(session)->reader, "index") != 0)
		m->n_read++;
	wl_arena_release(&arena);
	wl_session_close(session);
	return text;
}

/* Whether it is the turn of the next question, of which one in so many is asked. */
static bool is_turn(struct matrix *m)
{
	enum { MOST = 1 << 20 };
	size_t part = MOST / (size_t)random_cases(MOST);

	return (m->turn++ + m->n_traces) % part == 0;
}

static void compare(struct matrix *m, const struct question *q)
{
	char *with = answer(m, q, &m->index), *without = answer(m, q, NULL);

	m->n_answers++;
	if (strcmp(with, without) != 0) {
		complain(m, q->name, "differs");
		if (getenv("PROP_INDEX_SHOW"))
			(void)printf("--- with\n%s--- without\n%s", with, without);
	}
	free(with);
	free(without);
}

static void compare_in_turn(struct matrix *m, const struct question *q)
{
	if (is_turn(m))
		compare(m, q);
}

static void compare_options(struct matrix *m, const struct wl_analysis *a)
{
	static const struct wl_selection selections[] = {
		{ .window = "..1s" }, { .window = "+10us..+10ms" },
		{ .window = "all" },  { .window = "iter:0" },
		{ .gpu = "0" },       { .rank = "0" },
	};
	struct question q;

	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		for (size_t c = 0; p->choices && p->choices[c]; c++) {
			ask(m, &q, a, NULL, "json");
			q.args[i] = p->choices[c];
			(void)snprintf(q.name, sizeof(q.name), "%s --%s %s", a->name, p->key,
				       p->choices[c]);
			compare_in_turn(m, &q);
		}
	}
	for (size_t i = 0; i < WL_COUNT(selections); i++) {
		ask(m, &q, a, NULL, "json");
		q.request.selection = selections[i];
		(void)snprintf(q.name, sizeof(q.name), "%s selection %zu", a->name, i);
		compare_in_turn(m, &q);
	}
	ask(m, &q, a, NULL, "json");
	q.request.marker = "re:step|forward";
	compare_in_turn(m, &q);
	ask(m, &q, a, NULL, "json");
	q.request.conventions.name = "generic";
	compare_in_turn(m, &q);
	ask(m, &q, a, NULL, "csv");
	q.request.view.limit = 1;
	q.request.limit_given = true;
	compare_in_turn(m, &q);
}

static void compare_all(struct matrix *m)
{
	/* For people and for programs: the others are made of the same rows. */
	static const char *const formats[] = { "table", "json" };
	struct question q;

	for (size_t f = 0; f < WL_COUNT(formats); f++) {
		for (size_t i = 0; i < wl_n_documents; i++) {
			ask(m, &q, NULL, wl_documents[i], formats[f]);
			compare(m, &q);
		}
		for (size_t i = 0; i < wl_n_analyses; i++) {
			ask(m, &q, wl_analyses[i], NULL, formats[f]);
			compare(m, &q);
		}
	}
	for (size_t d = 0; d < wl_n_documents; d++) {
		for (size_t i = 0; i < wl_documents[d]->n_sections; i++) {
			ask(m, &q, NULL, wl_documents[d], "json");
			q.request.section = wl_documents[d]->sections[i].analysis;
			(void)snprintf(q.name, sizeof(q.name), "%s --section %s",
				       wl_documents[d]->name, q.request.section);
			compare(m, &q);
		}
	}
	for (size_t i = 0; i < wl_n_analyses; i++)
		compare_options(m, wl_analyses[i]);
}

static void try_trace(void *ctx, const struct test_trace *trace)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct wl_err err = { .code = WL_OK };
	struct matrix *m = ctx;

	m->path = trace->path;
	m->trace = trace->name;
	if (wl_write_index(trace->path, &opts, &m->index, NULL, &err) < 0) {
		if (!trace->damaged || err.code != WL_E_FORMAT)
			complain(m, "index", err.msg);
		return;
	}
	m->n_traces++;
	m->turn = 0;
	compare_all(m);
}

TEST_MAIN(index)
{
	static const char map[] = "{\"forward\": [\"forward\", \"fwd\"], \"rest\": [\"re:.\"]}";
	bool all = argc > 1 && strcmp(argv[1], "all") == 0;
	struct matrix m = { .index = { .program = "test" } };
	struct wl_err err = { .code = WL_OK };
	struct test_traces seen;

	if (wl_json_parse(map, strlen(map), "map", &m.map, &err) < 0 ||
	    wl_tmpdir_open(getenv("TMPDIR"), &m.scratch, &err) < 0) {
		(void)printf("%s\n", err.msg);
		return 1;
	}
	m.index.dir = m.scratch.path;
	seen = all ? for_each_trace(try_trace, &m) : for_each_fixture(try_trace, &m);
	wl_tmpdir_close(&m.scratch);
	wl_json_free(m.map);
	(void)printf("%zu traces, %zu answers, %zu of them not from the index, %zu failed\n",
		     m.n_traces, m.n_answers, m.n_read, m.n_failed);
	if (m.n_failed || seen.n_failed || m.n_traces == 0)
		return 1;
	return all && !seen.n_real ? SKIPPED : 0;
}

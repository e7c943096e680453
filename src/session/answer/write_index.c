/* SPDX-License-Identifier: MIT */
#include "session/answer/write_index.h"

#include <assert.h>
#include <string.h>

#include "analysis/empty.h"
#include "index/kept.h"
#include "session/document/answers.h"

/* An index being written. */
struct writing {
	struct wl_session *session;
	struct wl_index_writer writer;
	struct wl_answer_sink answers; /* to it */
	const struct wl_input_opts *opts;
	struct wl_pool *pool;
};

static_assert((int)WL_ANSWER_NAME <= (int)WL_SECTION_NAME, "names of answers are names of arrays");

static void put_array(void *ctx, const char *name, const void *bytes, size_t n)
{
	wl_index_put(ctx, name, bytes, n, 1);
}

static int check_cancel(const struct writing *w, struct wl_err *reterr)
{
	if (w->opts->cancel && *w->opts->cancel)
		return wl_fail(reterr, WL_E_CANCELED, "%s: stopped",
			       wl_session_trace(w->session)->path);
	return WL_OK;
}

/* Whether it can be asked without anything but a trace. */
static bool needs_no_arguments(const struct wl_analysis *a)
{
	for (size_t i = 0; i < a->n_params; i++) {
		if (a->params[i].operand)
			return false;
	}
	return true;
}

static bool is_default(const struct wl_section_info *section)
{
	const struct wl_analysis *a = wl_analysis_get(section->analysis);

	for (size_t i = 0; i < a->n_params; i++) {
		const char *def = a->params[i].def;

		if (section->args[i] && !(def && strcmp(section->args[i], def) == 0))
			return false;
	}
	return true;
}

/* The system refused memory, not --memory: what does not fit that limit is computed again later. */
static int fail_without_memory(const struct writing *w, struct wl_err *reterr)
{
	const struct wl_budget *limit = w->opts->budget ? wl_budget_root(w->opts->budget) : NULL;

	return limit && limit->is_hit
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for its index",
				 wl_session_trace(w->session)->path);
}

/*
 * No data is an answer, too. Without memory there is no index; anything else that goes wrong is
 * reported when the verb is run.
 */
static int put_answer(struct writing *w, const struct wl_section_info *section,
		      struct wl_err *reterr)
{
	const struct wl_request request = { .analysis = wl_analysis_get(section->analysis),
					    .args = section->args,
					    .pool = w->pool };
	struct wl_arena arena;
	struct wl_document doc;
	struct wl_err why;
	int r = check_cancel(w, reterr), status;
	bool ok = true;

	if (r < 0)
		return r;
	wl_arena_init_on(&arena, w->opts->budget);
	status = wl_session_ask(w->session, &request, &arena, &doc, &why);
	if (status == WL_OK)
		ok = wl_answer_put(&w->answers, section, NULL, &doc,
				   doc.sections[0].missing ? NULL : doc.sections[0].view.table,
				   doc.sections[0].missing);
	else if (status == WL_E_NODATA)
		ok = wl_answer_put(&w->answers, section, NULL, NULL, NULL, why.msg);
	wl_arena_release(&arena);
	return ok && status != WL_E_NOMEM ? WL_OK : fail_without_memory(w, reterr);
}

static int put_verbs(struct writing *w, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < wl_n_analyses; i++) {
		const struct wl_section_info section = { .analysis = wl_analyses[i]->name };

		/*
		 * The answers that are asked for most are those without options, and they are all
		 * that an index keeps. Rows that were picked do not answer another filter.
		 */
		if (needs_no_arguments(wl_analyses[i]) && !wl_analyses[i]->picks_rows)
			r = put_answer(w, &section, reterr);
	}
	return r;
}

/* Whether an earlier document, or a verb, has the section already. */
static bool was_put(size_t document, const struct wl_section_info *section)
{
	if (!is_default(section))
		return false; /* no two documents ask the same with arguments of their own */
	for (size_t i = 0; i < wl_n_analyses; i++) {
		if (strcmp(wl_analyses[i]->name, section->analysis) == 0)
			return true;
	}
	for (size_t d = 0; d < document; d++) {
		for (size_t i = 0; i < wl_documents[d]->n_sections; i++) {
			const struct wl_section_info *other = &wl_documents[d]->sections[i];

			if (strcmp(other->analysis, section->analysis) == 0 && is_default(other))
				return true;
		}
	}
	return false;
}

static int put_frame(struct writing *w, const struct wl_document_info *info, struct wl_err *reterr)
{
	const struct wl_request request = { .document = info, .pool = w->pool };
	struct wl_document doc;
	struct wl_arena arena;
	bool ok = true;
	int status;

	wl_arena_init_on(&arena, w->opts->budget);
	status = wl_session_run(w->session, &request, &arena, &doc, NULL);
	if (status == WL_OK)
		ok = wl_frame_store(&w->answers, NULL, &doc);
	wl_arena_release(&arena);
	return ok && status != WL_E_NOMEM ? WL_OK : fail_without_memory(w, reterr);
}

static int put_documents(struct writing *w, struct wl_err *reterr)
{
	const bool has_operations = wl_has_operations(wl_session_trace(w->session));
	int r = WL_OK;

	for (size_t d = 0; r == WL_OK && d < wl_n_documents; d++) {
		for (size_t i = 0; r == WL_OK && i < wl_documents[d]->n_sections; i++) {
			const struct wl_section_info *s = &wl_documents[d]->sections[i];

			if (!was_put(d, s) && (s->of != WL_OF_HOST || !has_operations))
				r = put_answer(w, s, reterr);
		}
		if (r == WL_OK)
			r = put_frame(w, wl_documents[d], reterr);
	}
	return r;
}

/*
 * The trace must be what it was before the first byte was read. Checked last: a trace that
 * changes during the writing would get an index that looks fresh and mixes two states.
 */
static int check_same(const char *path, const struct wl_trace_identity *before,
		      struct wl_err *reterr)
{
	struct wl_trace_identity now;
	int r = wl_trace_identify(path, &now, reterr);

	if (r == WL_OK && memcmp(&now, before, sizeof(now)) != 0)
		r = wl_fail(reterr, WL_E_IO,
			    "%s: changed while it was read; wait until it is written", path);
	return r;
}

static int write_all(struct writing *w, const char *path, const struct wl_index_opts *index,
		     const struct wl_trace_identity *identity, struct wl_err *reterr)
{
	const struct wl_trace *t = wl_session_trace(w->session);
	/*
	 * Opening has read the catalogue, so any difference comes from the columns, of which
	 * another run may read fewer.
	 */
	size_t counts = t->n_repaired + t->n_mistyped;
	const struct wl_index_opts begin = { .dir = index->dir,
					     .program = index->program,
					     .budget = w->opts->budget };
	struct wl_derived derived;
	int r = wl_session_load_all(w->session, reterr);

	if (r == WL_OK)
		r = wl_index_begin(t, identity, &begin, &w->writer, reterr);
	if (r < 0)
		return r;
	if (t->n_repaired + t->n_mistyped != counts)
		wl_index_put(&w->writer, wl_counts_vary, NULL, 0, 1);
	if (w->writer.failure.code != WL_OK) /* the disk is full: answers would be for nothing */
		return wl_index_writer_commit(&w->writer, reterr);
	r = put_verbs(w, reterr);
	if (r == WL_OK)
		r = put_documents(w, reterr);
	if (r == WL_OK && wl_session_derive(w->session, wl_kept_from, w->pool, &derived))
		wl_kept_put(&derived, &w->writer);
	else if (r == WL_OK)
		r = fail_without_memory(w, reterr);
	if (r == WL_OK)
		r = check_cancel(w, reterr);
	if (r == WL_OK)
		r = check_same(path, identity, reterr);
	if (r < 0) {
		wl_index_writer_abort(&w->writer);
		return r;
	}
	return wl_index_writer_commit(&w->writer, reterr);
}

int wl_write_index(const char *path, const struct wl_input_opts *opts,
		   const struct wl_index_opts *index, struct wl_pool *pool, struct wl_err *reterr)
{
	struct writing w = { .opts = opts,
			     .pool = pool,
			     .answers = { .put = put_array, .ctx = &w.writer } };
	struct wl_trace_identity identity;
	int r = wl_trace_identify(path, &identity, reterr);

	/* A folder that cannot be written to is found before minutes of reading. */
	if (r == WL_OK)
		r = wl_index_check_place(path, index, reterr);
	if (r == WL_OK)
		r = wl_session_open(path, opts, &w.session, reterr);
	/* Commands of stored answers keep the word: the trace may be moved (commands.h). */
	if (r == WL_OK)
		wl_session_set_label(w.session, "TRACE");
	if (r < 0)
		return r;
	r = write_all(&w, path, index, &identity, reterr);
	wl_session_close(w.session);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "session/open/session.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/empty.h"
#include "facts/gather.h"
#include "read/guard.h"
#include "session/document/answers.h"
#include "session/facts/facts_proof.h"
#include "session/job/job_clocks.h"
#include "session/job/job_files.h"
#include "session/open/session_parts.h"

static void drop_derived(struct wl_session *s)
{
	/*
	 * The index holds what follows from the names in the trace alone; other naming is derived
	 * again.
	 */
	bool is_kept = s->index && !s->conventions && !s->marker;
	const struct wl_derived_opts opts = { .conventions = s->conventions, .marker = s->marker };

	wl_derivations_release(&s->derived);
	wl_derivations_init(&s->derived, wl_session_trace(s), &opts, is_kept ? &s->kept : NULL,
			    s->opts.budget);
	s->generation++;
}

/*
 * What the guard refuses is reported by the reader, which asks it too. The budget is that of the
 * opener: an index that a stop keeps from memory would be taken for a damaged one.
 */
static void try_index(struct wl_session *s, const struct wl_index_opts *opts)
{
	struct wl_guard guard;

	if (opts && wl_guard_take(s->path, &guard, NULL) == WL_OK &&
	    wl_index_open(s->path, opts, s->budget.of, &s->index, &s->index_problem) < 0)
		s->index = NULL;
	if (s->index)
		s->kept = wl_kept_source(s->index);
}

/* Open the trace itself, if it is one. */
static int open_input(struct wl_session *s, struct wl_err *reterr)
{
	int r = wl_input_open(s->path, &s->opts, &s->input, reterr);

	return r < 0 ? r : wl_input_admit(s->input, reterr);
}

/* A load that is stopped leaves a trace that cannot be used: begin with the file again. */
static int reopen(struct wl_session *s, struct wl_err *reterr)
{
	struct wl_job_trace *job = NULL;
	struct wl_input *input = NULL;
	int r = s->job ? wl_job_trace_open(s->path, &s->opts, s->may_index ? &s->index_opts : NULL,
					   &job, reterr)
		       : wl_input_open(s->path, &s->opts, &input, reterr);

	if (r < 0)
		return r;
	wl_derivations_release(&s->derived);
	wl_job_trace_close(s->job);
	wl_input_close(s->input);
	s->job = job;
	s->input = input;
	s->is_cut = s->has_clocks = false;
	drop_derived(s);
	return WL_OK;
}

int wl_session_leave_index(struct wl_session *s, struct wl_err *reterr)
{
	int r;

	wl_derivations_release(&s->derived);
	wl_index_close(s->index);
	s->index = NULL;
	r = open_input(s, reterr);
	if (r == WL_OK)
		drop_derived(s);
	return r;
}

/* A session without a trace; NULL when memory is exhausted. */
static struct wl_session *make(const char *path, const struct wl_input_opts *opts)
{
	struct wl_session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->stop.flag = opts->cancel;
	s->budget.of = opts->budget;
	s->budget.stop = &s->stop;
	s->opts = *opts;
	s->opts.budget = &s->budget;
	s->path = strdup(path);
	if (s->path)
		return s;
	free(s);
	return NULL;
}

int wl_session_open_some(const char *dir, const char *const *name, size_t n,
			 const struct wl_input_opts *opts, struct wl_session **ret_session,
			 struct wl_err *reterr)
{
	struct wl_session *s = make(dir, opts);
	int r;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", dir);
	r = wl_job_trace_open_some(dir, name, n, &s->opts, &s->job, reterr);
	if (r < 0) {
		wl_session_close(s);
		return r;
	}
	s->has_clocks = true;
	drop_derived(s);
	*ret_session = s;
	return WL_OK;
}

int wl_session_open_indexed(const char *path, const struct wl_input_opts *opts,
			    const struct wl_index_opts *index, struct wl_session **ret_session,
			    struct wl_err *reterr)
{
	struct wl_session *s = make(path, opts);
	int r = WL_OK;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	s->may_index = index != NULL;
	if (index)
		s->index_opts = *index;
	if (wl_facts_are_at(path))
		r = wl_facts_trace_open(path, &s->budget, &s->facts, reterr);
	else if (wl_is_job(path))
		r = wl_job_trace_open(path, &s->opts, index, &s->job, reterr);
	else
		try_index(s, index);
	if (!s->index && !s->job && !s->facts && r == WL_OK)
		r = open_input(s, reterr);
	if (r < 0) {
		wl_session_close(s);
		return r;
	}
	drop_derived(s);
	*ret_session = s;
	return WL_OK;
}

int wl_session_open(const char *path, const struct wl_input_opts *opts,
		    struct wl_session **ret_session, struct wl_err *reterr)
{
	return wl_session_open_indexed(path, opts, NULL, ret_session, reterr);
}

void wl_session_close(struct wl_session *session)
{
	if (!session)
		return;
	wl_derivations_release(&session->derived);
	wl_conventions_free(session->conventions);
	free(session->conventions_name);
	free(session->marker);
	wl_index_close(session->index);
	wl_input_close(session->input);
	wl_job_trace_close(session->job);
	wl_facts_trace_close(session->facts);
	free(session->path);
	free(session);
}

int wl_session_prove_job(struct wl_session *session, size_t n, struct wl_err *reterr)
{
	const char *why;
	int r;

	if (session->facts) {
		why = wl_facts_job_doubt(session->facts, n);
		return why ? wl_fail(reterr, WL_E_USAGE, "%s", why) : WL_OK;
	}
	r = wl_job_trace_prove(session->job, reterr);
	drop_derived(session);
	return r;
}

int wl_session_set_clocks(struct wl_session *session, const struct wl_trace_file *clock,
			  struct wl_err *reterr)
{
	int r = wl_job_trace_set_clocks(session->job, clock, reterr);

	drop_derived(session);
	return r;
}

bool wl_session_is_facts(const struct wl_session *session)
{
	return session->facts != NULL;
}

bool wl_session_answers(const struct wl_session *session, const struct wl_analysis *analysis)
{
	const struct wl_request q = { .analysis = analysis };

	return !session->facts || wl_facts_answer(session->facts, &q);
}

const struct wl_trace *wl_session_trace(const struct wl_session *session)
{
	if (session->job)
		return wl_job_trace_get(session->job);
	if (session->facts)
		return &session->facts->job.trace;
	return session->index ? wl_index_trace(session->index) : wl_input_trace(session->input);
}

uint64_t wl_session_generation(const struct wl_session *session)
{
	return session->generation;
}

bool wl_session_derive(struct wl_session *session, uint64_t from, struct wl_pool *pool,
		       struct wl_derived *ret)
{
	if (!wl_derivations_find(&session->derived, from, pool))
		return false;
	*ret = wl_derivations_view(&session->derived, from, pool);
	return true;
}

const char *wl_session_index_note(const struct wl_session *session)
{
	return session->index_problem.code == WL_OK ? NULL : session->index_problem.msg;
}

void wl_session_set_label(struct wl_session *session, const char *label)
{
	session->label = label;
	if (session->facts && session->facts->is_job)
		session->facts->job.trace.path = label;
}

void wl_session_set_files(struct wl_session *session, const char *const *files, size_t n,
			  const char *directory)
{
	session->files = files;
	session->n_files = n;
	session->directory = directory;
}

void wl_session_set_note(struct wl_session *session, const char *note)
{
	session->note = note;
}

void wl_session_keep_scopes(struct wl_session *session, bool is_on)
{
	session->keeps_scopes = is_on;
	if (!is_on)
		wl_derivations_forget_scopes(&session->derived);
}

void wl_session_hold(struct wl_session *session)
{
	session->is_held = true;
}

static int refuse(const struct wl_session *s, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s: it is being looked at, so nothing can be loaded", s->path);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* How ranges are named decides what is derived from them. */
static int set_naming(struct wl_session *s, const struct wl_request *request, struct wl_err *reterr)
{
	const struct wl_named_doc *named = &request->conventions;
	struct wl_conventions *conventions;
	char *marker, *name;
	int r;

	if (same_text(s->marker, request->marker) && s->conventions_doc == named->doc &&
	    same_text(s->conventions_name, named->name))
		return WL_OK;
	if (s->is_held)
		return refuse(s, reterr);
	/* Everything that can fail comes before the session is changed. */
	r = wl_request_conventions(named, &conventions, reterr);
	if (r < 0)
		return r;
	marker = request->marker ? strdup(request->marker) : NULL;
	name = named->name ? strdup(named->name) : NULL;
	if ((request->marker && !marker) || (named->name && !name)) {
		wl_conventions_free(conventions);
		free(marker);
		free(name);
		return wl_fail(reterr, WL_E_NOMEM, "no memory for --marker and --conventions");
	}
	wl_derivations_release(&s->derived);
	wl_conventions_free(s->conventions);
	free(s->marker);
	free(s->conventions_name);
	s->conventions = conventions;
	s->marker = marker;
	s->conventions_name = name;
	s->conventions_doc = named->doc;
	drop_derived(s);
	return WL_OK;
}

/* How much was repaired while reading depends on what was read, so an index does not have it. */
static bool index_knows(const struct wl_session *s, const struct wl_plan *plan)
{
	if (!wl_index_section_find(wl_index_get_file(s->index), wl_counts_vary, 1))
		return true;
	for (size_t i = 0; i < plan->n; i++) {
		if (wl_analysis_get(plan->section[i].analysis)->on_reading)
			return false;
	}
	return true;
}

static bool is_loaded(const struct wl_trace *trace, const struct wl_columns *want)
{
	for (size_t i = 0; i < WL_COUNT(want->bits); i++) {
		if (want->bits[i] & ~trace->loaded.bits[i])
			return false;
	}
	return true;
}

/* Where nothing ran on a GPU, most answers are why: what the profiler said. */
static struct wl_columns with_reasons(const struct wl_trace *t, const struct wl_columns *want)
{
	struct wl_columns all = *want;

	for (const enum wl_column_id *c = wl_empty_columns;
	     *c != WL_N_COLUMNS && !wl_has_operations(t); c++)
		wl_columns_add(&all, *c);
	return all;
}

/* Columns of a job stand for times on one clock, so that is found with the first of them. */
static int fit_clocks(struct wl_session *s, struct wl_err *reterr)
{
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns columns;
	struct wl_trace_file *file = NULL;
	struct wl_derived derived;
	struct wl_arena arena;
	int r;

	s->has_clocks = true;
	if (!wl_job_clocks_want(wl_session_trace(s), &wanted))
		return WL_OK;
	columns = wl_wanted_columns(&wanted);
	r = wl_job_trace_load(s->job, &columns, reterr);
	if (r < 0)
		return r;
	drop_derived(s);
	wl_arena_init_on(&arena, s->opts.budget);
	if (wl_session_derive(s, wanted.from, s->opts.pool, &derived))
		file = wl_job_clocks_fit(&derived, &arena);
	r = file ? wl_session_set_clocks(s, file, reterr)
		 : wl_fail(reterr, WL_E_NOMEM, "%s: no memory to fit the clocks", s->path);
	wl_arena_release(&arena);
	return r;
}

static int load_job(struct wl_session *s, const struct wl_columns *want, struct wl_err *reterr)
{
	int r = s->has_clocks ? WL_OK : fit_clocks(s, reterr);

	return r == WL_OK ? wl_job_trace_load(s->job, want, reterr) : r;
}

static int load_columns(struct wl_session *s, const struct wl_columns *asked, struct wl_err *reterr)
{
	const struct wl_columns all = with_reasons(wl_session_trace(s), asked);
	/*
	 * A held session must answer from what it has: the reasons for missing rows are not worth a
	 * refusal.
	 */
	const struct wl_columns *want = s->is_held ? asked : &all;
	struct wl_columns before = wl_session_trace(s)->loaded;
	int r = WL_OK;

	if (s->is_held)
		return is_loaded(wl_session_trace(s), want) ? WL_OK : refuse(s, reterr);
	if (s->job)
		r = load_job(s, want, reterr);
	else if (s->index)
		wl_index_load(s->index, want);
	else
		r = wl_input_load(s->input, want, reterr);
	s->is_cut = r < 0 && !s->index && (r == WL_E_CANCELED || wl_stop_is_due(&s->stop));
	/* Loading moves columns, so results that were derived from them are void. */
	if (memcmp(&before, &wl_session_trace(s)->loaded, sizeof(before)) != 0)
		drop_derived(s);
	return r;
}

static int facts_have_no_rows(const struct wl_session *s, const char *traces, struct wl_err *reterr)
{
	char found[WL_PATH_CAP];
	const char *trace = wl_facts_trace_find(s->facts, traces, found) ? found : s->facts->trace;

	if (s->facts->is_job)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.200s: facts have no single events; open the traces that they are "
			       "of",
			       s->facts->job.trace.path);
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s: facts have no single events; open the trace itself%s%.160s",
		       s->path, trace ? ": " : "", trace ? trace : "");
}

int wl_session_load_all(struct wl_session *session, struct wl_err *reterr)
{
	struct wl_columns all = { { 0 } };

	if (session->facts)
		return facts_have_no_rows(session, NULL, reterr);
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_columns_add(&all, (enum wl_column_id)c);
	return load_columns(session, &all, reterr);
}

/*
 * Whether what is loaded suffices for the selection. Columns of an index are looked at only
 * when they are checked; one that is damaged is let go of by the run.
 */
static bool is_judged(struct wl_session *s, const struct wl_request *request)
{
	if (s->is_held || (!request->selection.pid && !request->selection.window))
		return true;
	if (s->index && wl_index_check(s->index, request->pool, &s->index_problem) < 0)
		return true;
	return wl_selection_is_judged(&request->selection, wl_session_trace(s));
}

int wl_session_load_asked(struct wl_session *session, const struct wl_request *request,
			  struct wl_err *reterr)
{
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns columns;
	struct wl_plan plan;
	int r = wl_request_check(request, reterr);

	if (r == WL_OK && session->is_cut)
		r = reopen(session, reterr);
	/* Whether they have the answer is seen when it is asked for. */
	if (r == WL_OK && session->facts)
		return request->visitor && !wl_facts_answer(session->facts, request)
			       ? facts_have_no_rows(session, request->traces, reterr)
			       : WL_OK;
	if (r == WL_OK)
		r = wl_plan_make(request, &plan, reterr);
	if (r == WL_OK)
		wl_plan_fit(&plan, wl_session_trace(session));
	if (r == WL_OK)
		r = wl_plan_want(request, &plan, &wanted, reterr);
	if (r == WL_OK && session->index && !index_knows(session, &plan)) {
		if (session->is_held)
			return refuse(session, reterr);
		r = wl_session_leave_index(session, reterr);
	}
	if (r == WL_OK)
		r = set_naming(session, request, reterr);
	if (r < 0)
		return r;
	columns = wl_wanted_columns(&wanted);
	r = load_columns(session, &columns, reterr);
	/*
	 * A pid or a window that matches nothing in the loaded rows may match rows of other tables.
	 * Reading those is rare, so they come in a second pass.
	 */
	if (r == WL_OK && !is_judged(session, request)) {
		wl_selection_rest(&columns);
		r = load_columns(session, &columns, reterr);
	}
	return r;
}

void wl_session_begin(struct wl_session *s, const struct wl_request *request)
{
	s->stop.also = request->stop;
}

int wl_session_end(struct wl_session *s, int r, struct wl_err *reterr)
{
	if (wl_stop_is_due(&s->stop))
		r = wl_stop_fail(&s->stop, s->label ? s->label : s->path, reterr);
	s->stop.also = NULL;
	return r;
}

int wl_session_load(struct wl_session *session, const struct wl_request *request,
		    struct wl_err *reterr)
{
	wl_session_begin(session, request);
	return wl_session_end(session, wl_session_load_asked(session, request, reterr), reterr);
}

/* SPDX-License-Identifier: MIT */
/* answering_facts.c - an answer from facts: what they keep of one trace, or what they hold of a
 * job. */
#include <string.h>

#include "session/answer/answering_parts.h"
#include "session/answer/facts_path.h"
#include "session/document/answers.h"
#include "session/facts/facts_accounts.h"
#include "session/facts/facts_findings.h"
#include "session/open/session_parts.h"
#include "session/select/window.h"

bool wl_answering_is_of_job(const struct wl_answering *a)
{
	return a->session->facts && wl_facts_trace_job(a->session->facts);
}

/* The findings of all traces, as the answer to a section. */
static int find_in_facts(struct wl_answering *a, const struct wl_section_info *info,
			 struct wl_stored_answer **ret, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get(info->analysis);
	struct wl_stored_answer *answer = WL_NEW(a->arena, struct wl_stored_answer, 1);
	struct wl_args args;
	int r = wl_plan_args(&args, a->request, info, reterr);

	if (r == WL_OK)
		r = wl_facts_trace_explain(a->session->facts, reterr);
	if (r == WL_OK && answer) {
		const struct wl_run run = { .trace = wl_session_trace(a->session),
					    .scope = &a->scope,
					    .arg = args.value,
					    .derived = &a->all,
					    .arena = a->arena };

		wl_table_init(&answer->table, a->arena, asked->cols, asked->n_cols);
		answer->status = WL_OK;
		if (!wl_facts_find(wl_facts_trace_facts(a->session->facts), &run, &answer->table))
			answer = NULL;
	}
	wl_args_release(&args);
	*ret = answer;
	return r < 0 || answer ? r : wl_no_memory(asked, reterr);
}

/* Everything, or a window of steps: facts know no other times. */
static int find_job_scope(struct wl_answering *a, const struct wl_facts_job *job, bool is_single,
			  struct wl_err *reterr)
{
	const char *spec = wl_facts_window(a->request->selection.window);
	struct wl_window window;
	int r;

	a->scope = job->scope;
	a->all = job->derived;
	if (!spec)
		return WL_OK;
	r = wl_window_parse(spec, &window, reterr);
	if (r < 0)
		return r;
	if (!wl_window_is_iterations(&window))
		return wl_facts_trace_refuse(a->session->facts, a->request, reterr);
	r = wl_selection_resolve(&a->request->selection, &job->derived, a->arena, &a->scope,
				 &a->notes, reterr);
	a->is_of_part = is_single;
	a->steps = job->derived.iterations;
	if (r == WL_OK && !wl_facts_job_narrow(job, &a->scope, a->arena, &a->all))
		r = wl_fail(reterr, WL_E_NOMEM, "--window: no memory to select steps");
	return r;
}

/* A section of which facts of several traces hold nothing: a document says so. */
static int leave_out(struct wl_answering *a, const struct wl_plan *plan,
		     struct wl_stored_answer **ret, struct wl_err *reterr)
{
	struct wl_stored_answer *none = WL_NEW(a->arena, struct wl_stored_answer, 1);

	if (plan->single || !none)
		return wl_facts_trace_refuse(a->session->facts, a->request, reterr);
	*none = (struct wl_stored_answer){ .status = WL_E_NODATA, .message = wl_not_in_job_facts };
	*ret = none;
	return WL_OK;
}

/*
 * Prepare a section: what facts of several traces have in common with a job of them. The frame
 * says what a step is where a section speaks of steps, as that of traces does.
 */
static int take_section(struct wl_answering *a, const struct wl_plan *plan, size_t i,
			uint64_t *from, struct wl_err *reterr)
{
	const struct wl_section_info *info = &plan->section[i];
	const struct wl_analysis *asked = wl_analysis_get(info->analysis);
	struct wl_wanted wanted = { .from = 0 };
	int r = wl_section_want(a->request, info, &wanted, reterr);

	if (r < 0)
		return r;
	wanted.from = wl_from_closure(wanted.from);
	*from |= wanted.from;
	if (wanted.from & WL_FROM(ITERATIONS))
		a->steps = a->all.iterations;
	if (asked->facts == WL_FACTS_RUN && (wanted.from & WL_FROM(EXPOSED_STREAMS)))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s: facts of several traces hold no operations of streams and "
			       "stages; ask the facts of a rank or the traces themselves",
			       asked->name);
	if (asked->facts == WL_FACTS_RUN && (asked->from & WL_FROM(STRAGGLERS)))
		return wl_facts_trace_explain(a->session->facts, reterr);
	if (asked->facts == WL_FACTS_RUN)
		return WL_OK;
	if (asked->facts == WL_FACTS_FIND && a->scope.whole)
		return find_in_facts(a, info, &a->stored[i], reterr);
	if (asked->facts == WL_FACTS_FIND && plan->single)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.300s: findings of several facts are over everything: rules claim "
			       "the time of a window by its single events; ask the facts of a rank "
			       "(--window steady) or the traces themselves",
			       a->session->path);
	return leave_out(a, plan, &a->stored[i], reterr);
}

/* The critical path, on the traces that it visits, as the answer to a section. */
static int follow_in_facts(struct wl_answering *a, const struct wl_plan *plan,
			   struct wl_document *doc, struct wl_err *reterr)
{
	const struct wl_analysis *asked = a->request->analysis;
	const struct wl_facts_job *job = wl_facts_trace_job(a->session->facts);
	struct wl_stored_answer *answer = WL_NEW(a->arena, struct wl_stored_answer, 1);
	struct wl_args args;
	struct wl_err why;
	int r = find_job_scope(a, job, true, reterr);

	if (r < 0)
		return r;
	r = wl_plan_args(&args, a->request, &plan->section[0], reterr);
	/* What the whole run would save is not known. */
	for (size_t i = 0; r == WL_OK && i < asked->n_params; i++) {
		if (strcmp(asked->params[i].key, "savings") == 0)
			args.value[i].i64 = 0;
	}
	if (r == WL_OK && answer) {
		const struct wl_facts_path path = { .facts = a->session->facts,
						    .opts = &a->session->opts,
						    .request = a->request,
						    .arg = args.value,
						    .scope = &a->scope };

		r = wl_facts_path_find(&path, a->arena, &answer->table, &why);
		if (r < 0 && r != WL_E_NODATA)
			(void)wl_fail(reterr, why.code, "%s", why.msg);
	}
	wl_args_release(&args);
	a->stored[0] = answer;
	if (!answer || (r < 0 && r != WL_E_NODATA))
		return r < 0 ? r : wl_no_memory(asked, reterr);
	answer->status = r;
	answer->message = r < 0 ? wl_arena_strdup(a->arena, why.msg) : NULL;
	if (r < 0 && !answer->message)
		return wl_no_memory(asked, reterr);
	return wl_answering_put_frame(a, plan, doc) ? WL_OK : wl_no_memory(asked, reterr);
}

static int take_job(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc,
		    struct wl_err *reterr)
{
	const struct wl_facts_job *job = wl_facts_trace_job(a->session->facts);
	uint64_t from = 0;
	int r = find_job_scope(a, job, plan->single, reterr);

	for (size_t i = 0; r == WL_OK && i < plan->n; i++)
		r = take_section(a, plan, i, &from, reterr);
	if (r == WL_OK && !wl_facts_account(job, &a->scope, from, a->arena, &a->all))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	if (r == WL_OK && !wl_answering_put_frame(a, plan, doc))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return r;
}

int wl_answering_take_facts(struct wl_answering *a, const struct wl_plan *plan,
			    struct wl_document *doc, struct wl_err *reterr)
{
	const struct wl_facts_trace *facts = a->session->facts;
	const struct wl_answer_source source = wl_facts_trace_answers(facts);
	const char *window = wl_facts_window(a->request->selection.window);
	const struct wl_stored_frame *frame = NULL;
	struct wl_request whole = *a->request;

	whole.selection.window = NULL;
	if (wl_answering_is_of_job(a) && a->request->analysis &&
	    a->request->analysis->facts == WL_FACTS_FOLLOW && wl_answers_fit(&whole))
		return follow_in_facts(a, plan, doc, reterr);
	if (!wl_facts_answer(facts, a->request) || !wl_answers_fit(&whole))
		return wl_facts_trace_refuse(facts, a->request, reterr);
	if (wl_facts_trace_job(facts))
		return take_job(a, plan, doc, reterr);
	for (size_t i = 0; i < plan->n; i++) {
		a->stored[i] = wl_answer_find(&source, &plan->section[i], window, a->arena);
		if (a->stored[i])
			continue;
		/* Without steps every window of them gets the same answer. */
		if (window && wl_facts_trace_facts(facts)->n[WL_FACTS_STEPS] == 0)
			a->stored[i] =
				wl_answer_find(&source, &plan->section[i], "steady", a->arena);
		if (a->stored[i])
			continue;
		a->stored[i] = WL_NEW(a->arena, struct wl_stored_answer, 1);
		if (plan->single || window || !a->stored[i])
			return wl_facts_trace_refuse(facts, a->request, reterr);
		*a->stored[i] = (struct wl_stored_answer){ .status = WL_E_NODATA,
							   .message = wl_not_in_facts };
	}
	frame = plan->single ? &a->stored[0]->frame
			     : wl_frame_find(&source, a->request->document->name, window, a->arena);
	if (!frame)
		return wl_facts_trace_refuse(facts, a->request, reterr);
	if (!wl_frame_take(frame, a->session->label, a->session->path, a->arena, doc))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return WL_OK;
}

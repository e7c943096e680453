/* SPDX-License-Identifier: MIT */
/* answering_facts.c - an answer from facts: what they keep of one trace, or what they hold of a
 * job. */
#include "session/answer/answering_parts.h"
#include "session/answer/facts_path.h"
#include "session/document/answers.h"
#include "session/facts/facts_accounts.h"
#include "session/facts/facts_findings.h"
#include "session/select/window.h"

bool wl_answering_is_of_job(const struct wl_answering *a)
{
	return a->session->facts && a->session->facts->is_job;
}

/* The findings of all traces. */
static int find_in_facts(struct wl_answering *a, const union wl_arg *arg, struct wl_table *ret,
			 struct wl_err *reterr)
{
	const struct wl_run run = { .trace = wl_session_trace(a->session),
				    .scope = &a->scope,
				    .arg = arg,
				    .derived = &a->all,
				    .arena = a->arena };
	int r = wl_facts_trace_explain(a->session->facts, a->session->files, a->session->n_files,
				       reterr);

	if (r < 0)
		return r;
	return wl_facts_find(&a->session->facts->facts, &run, ret)
		       ? WL_OK
		       : wl_fail(reterr, WL_E_NOMEM, "no memory for the findings of these facts");
}

/* The critical path, on the traces that it visits. */
static int follow_in_facts(struct wl_answering *a, const struct wl_analysis *asked,
			   union wl_arg *arg, struct wl_table *ret, struct wl_err *reterr)
{
	const struct wl_facts_path path = { .facts = a->session->facts,
					    .file = a->session->n_files ? a->session->files[0]
									: NULL,
					    .opts = &a->session->opts,
					    .request = a->request,
					    .arg = arg,
					    .scope = &a->scope };

	/* What people get beyond the default is replayed, and that of the whole run is not known.
	 */
	for (size_t i = 0; i < asked->n_params; i++) {
		if (asked->params[i].people_def)
			arg[i].i64 = 0;
	}
	return wl_facts_path_find(&path, a->arena, ret, reterr);
}

/* A section that facts answer themselves: its analysis looks at events. */
static int find_section(struct wl_answering *a, const struct wl_section_info *info,
			struct wl_stored_answer **ret, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get(info->analysis);
	struct wl_stored_answer *answer = WL_NEW(a->arena, struct wl_stored_answer, 1);
	struct wl_args args;
	struct wl_err why;
	int r = wl_plan_args(&args, a->request, info, &why);

	if (answer && r == WL_OK) {
		wl_table_init(&answer->table, a->arena, asked->cols, asked->n_cols);
		r = asked->facts == WL_FACTS_FIND
			    ? find_in_facts(a, args.value, &answer->table, &why)
			    : follow_in_facts(a, asked, args.value, &answer->table, &why);
	}
	wl_args_release(&args);
	if (!answer)
		return wl_no_memory(asked, reterr);
	if (r < 0 && r != WL_E_NODATA)
		return wl_fail(reterr, why.code, "%s", why.msg);
	answer->status = r;
	answer->message = r < 0 ? wl_arena_strdup(a->arena, why.msg) : NULL;
	*ret = answer;
	return r < 0 && !answer->message ? wl_no_memory(asked, reterr) : WL_OK;
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

/* A section of which facts hold nothing: a document says so. */
static int leave_out(struct wl_answering *a, const struct wl_plan *plan, size_t i,
		     struct wl_err *reterr)
{
	struct wl_stored_answer *none = WL_NEW(a->arena, struct wl_stored_answer, 1);

	if (plan->single || !none)
		return wl_facts_trace_refuse(a->session->facts, a->request, reterr);
	none->status = WL_E_NODATA;
	none->message = a->session->facts->is_job ? wl_not_in_job_facts : wl_not_in_facts;
	a->stored[i] = none;
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
	int r;

	if (asked->facts == WL_FACTS_FOLLOW && a->request->analysis)
		return find_section(a, info, &a->stored[i], reterr);
	r = wl_section_want(a->request, info, &wanted, reterr);
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
		return wl_facts_trace_explain(a->session->facts, a->session->files,
					      a->session->n_files, reterr);
	if (asked->facts == WL_FACTS_RUN)
		return WL_OK;
	if (asked->facts == WL_FACTS_FIND && a->scope.whole)
		return find_section(a, info, &a->stored[i], reterr);
	if (asked->facts == WL_FACTS_FIND && plan->single)
		return wl_fail(reterr, WL_E_USAGE,
			       "%.300s: findings of several facts are over everything: rules claim "
			       "the time of a window by its single events; ask the facts of a rank "
			       "(--window steady) or the traces themselves",
			       a->session->facts->job.trace.path);
	return leave_out(a, plan, i, reterr);
}

static int take_job(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc,
		    struct wl_err *reterr)
{
	const struct wl_facts_job *job = &a->session->facts->job;
	uint64_t from = 0;
	int r = find_job_scope(a, job, plan->single, reterr);

	if (a->session->note)
		wl_scope_note(&a->notes, a->arena, "%s", a->session->note);
	for (size_t i = 0; r == WL_OK && i < plan->n; i++)
		r = take_section(a, plan, i, &from, reterr);
	if (r == WL_OK && (!wl_facts_account(job, &a->scope, from, a->arena, &a->all) ||
			   !wl_answering_put_frame(a, plan, doc)))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return r;
}

/* What was kept of one trace: a document says of the rest that it is not there. */
static int take_kept(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc,
		     struct wl_err *reterr)
{
	const struct wl_facts_trace *facts = a->session->facts;
	const struct wl_answer_source source = wl_facts_trace_answers(facts);
	const char *window = wl_facts_window(a->request->selection.window);
	const struct wl_stored_frame *frame;
	int r = WL_OK;

	/* Without steps the answer is the same for every window of them. */
	if (window && facts->facts.n[WL_FACTS_STEPS] == 0)
		window = "steady";
	frame = wl_answering_find_kept(a, plan, &source, window);
	for (size_t i = 0; r == WL_OK && i < plan->n; i++)
		r = a->stored[i] ? WL_OK : leave_out(a, plan, i, reterr);
	if (r < 0)
		return r;
	if (!frame)
		return wl_facts_trace_refuse(facts, a->request, reterr);
	if (!wl_frame_take(frame, a->session->label, a->session->path, a->arena, doc))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return WL_OK;
}

int wl_answering_take_facts(struct wl_answering *a, const struct wl_plan *plan,
			    struct wl_document *doc, struct wl_err *reterr)
{
	const struct wl_facts_trace *facts = a->session->facts;
	struct wl_request whole = *a->request;
	bool is_followed = wl_answering_is_of_job(a) && a->request->analysis &&
			   a->request->analysis->facts == WL_FACTS_FOLLOW;

	whole.selection.window = NULL;
	if (!wl_answers_fit(&whole) || (!is_followed && !wl_facts_answer(facts, a->request)))
		return wl_facts_trace_refuse(facts, a->request, reterr);
	return facts->is_job ? take_job(a, plan, doc, reterr) : take_kept(a, plan, doc, reterr);
}

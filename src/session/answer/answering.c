/* SPDX-License-Identifier: MIT */
/* answering.c - one answer: stored or computed tables, views of them, and the frame around. */
#include <string.h>

#include "analysis/empty.h"
#include "derive/nvtx/ranks.h"
#include "session/answer/answering_parts.h"
#include "session/document/answers.h"
#include "session/document/doc_frame.h"
#include "session/document/method.h"
#include "session/open/commands.h"
#include "session/open/session_parts.h"
#include "session/select/selectable.h"
#include "table/heat.h"

/* Why a filter keeps all rows out. Ranks are asked for most, and their GPUs are there. */
static void note_none(const struct wl_answering *a, const struct wl_view *v, struct wl_table *table)
{
	const struct wl_trace *t = wl_session_trace(a->session);

	if (v->unset && strcmp(v->unset->key, "rank") == 0 && a->all.ranks &&
	    !wl_ranks_any(a->all.ranks, t))
		wl_table_note(table,
			      "0 rows match: no process of the trace has a rank; %s (device)",
			      wl_selectable_say(t, a->all.ranks, WL_SELECT_GPU, a->arena));
	else
		wl_view_note_none(v, table);
}

static int make_view(const struct wl_answering *a, const struct wl_section_info *info,
		     struct wl_table *table, struct wl_view *ret, struct wl_err *reterr)
{
	struct wl_view_opts opts = { .limit = 0 };
	int r;

	/* Of several traces each gives all rows: the view applies to the joined table (join.c). */
	if (!a->request->several)
		opts = a->request->view;
	/* The pages of a report are sorted when they are made. */
	if (!opts.sort && a->request->document && !a->request->document->explains)
		opts.sort = info->sort;
	if (info->limit && !a->request->limit_given && !a->request->no_limits &&
	    !a->request->in_full)
		opts.limit = info->limit;
	r = wl_view_make(table, &opts, a->arena, ret, reterr);
	if (r == WL_OK)
		note_none(a, ret, table);
	return r;
}

/* Notes about the window, unless the analysis has the same one. */
static void put_notes(const struct wl_scope_notes *notes, struct wl_table *table)
{
	for (size_t i = 0; i < notes->n; i++) {
		const char *const steps[] = { notes->text[i], NULL };

		if (notes->is_of_steps[i])
			wl_table_say_steps(table, false, steps);
		else
			wl_table_copy_note(
				table, &(struct wl_note){ .text = notes->text[i],
							  .is_of_window = notes->is_of_window[i] });
	}
}

/* A section of several has the window of the document, which the document says. */
static void drop_window_notes(struct wl_table *table)
{
	struct wl_note **at = &table->notes;

	table->last_note = NULL;
	while (*at) {
		if ((*at)->is_of_window) {
			*at = (*at)->next;
			table->n_notes--;
		} else {
			table->last_note = *at;
			at = &(*at)->next;
		}
	}
}

/* An empty table of a part of the trace says so: what it lists may well be elsewhere. */
static void note_empty(const struct wl_selection *s, struct wl_table *table)
{
	bool is_window = s->window && strcmp(s->window, "all") != 0;

	if (table->n_rows == 0 && (is_window || s->gpu || s->pid || s->rank || s->stream))
		wl_table_note(table, "no rows in the %s", is_window ? "window" : "selection");
}

/*
 * For people to paste: with the path, which no table that is stored has. Facts have that of their
 * trace in found.
 */
static struct wl_commands commands_of(const struct wl_answering *a, char found[WL_PATH_CAP])
{
	const struct wl_session *s = a->session;
	const char *path = s->label ? s->label : s->path,
		   *trace = s->facts ? s->facts->trace : NULL;
	bool is_lost = s->facts && !wl_facts_trace_find(s->facts, a->request->traces, found);

	return (struct wl_commands){ .path = !s->facts  ? path
					     : !is_lost ? found
					     : trace    ? trace
							: WL_CMDLINE_TRACE,
				     .facts = s->facts ? path : NULL,
				     .is_lost = is_lost,
				     .files = s->files,
				     .n_files = s->n_files,
				     .directory = s->directory,
				     .request = a->request,
				     .scope = &a->scope,
				     .n_devices = wl_session_trace(s)->n_devices };
}

static bool fill_commands(const struct wl_answering *a, struct wl_table *table)
{
	char found[WL_PATH_CAP];
	const struct wl_commands commands = commands_of(a, found);

	return wl_commands_fill(&commands, table);
}

/* An analysis sees what it declared and nothing else. */
static struct wl_derived view_for(const struct wl_answering *a, const struct wl_analysis *analysis,
				  const union wl_arg *arg)
{
	struct wl_wanted wanted = { .from = 0 };

	wl_analysis_want(analysis, arg, &wanted);
	return wl_derived_only(&a->all, wanted.from);
}

/* The filter, where it is of the table of one trace: that of several has more columns. */
static const char *filter_of(const struct wl_request *q)
{
	return q->analysis && q->analysis->picks_rows && !q->several ? q->view.where : NULL;
}

static int run_analysis(struct wl_answering *a, const struct wl_section_info *info,
			struct wl_table *table, struct wl_err *reterr)
{
	struct wl_analysis analysis = *wl_analysis_get(info->analysis);
	bool of_job = wl_answering_is_of_job(a) && analysis.facts == WL_FACTS_RUN;
	struct wl_args args;
	int r = wl_plan_args(&args, a->request, info, reterr);

	if (of_job && analysis.run_on_facts)
		analysis.run = analysis.run_on_facts;
	if (r == WL_OK) {
		const struct wl_derived derived =
			of_job ? a->all : view_for(a, &analysis, args.value);
		const struct wl_run run = { .trace = wl_session_trace(a->session),
					    .scope = &a->scope,
					    .arg = args.value,
					    .derived = &derived,
					    .arena = a->arena,
					    .where = filter_of(a->request),
					    .pool = a->request->pool };

		r = wl_analysis_run(&analysis, &run, table, reterr);
	}
	wl_args_release(&args);
	return r;
}

/* A list is of sentences, which facts of several traces do not have. */
static enum wl_look look_of(const struct wl_answering *a, const struct wl_analysis *analysis)
{
	return wl_answering_is_of_job(a) && analysis->look == WL_LOOK_LIST ? WL_LOOK_TABLE
									   : analysis->look;
}

static int run_section(struct wl_answering *a, const struct wl_section_info *info,
		       struct wl_stored_answer *stored, bool first, struct wl_section *ret,
		       struct wl_err *reterr)
{
	const struct wl_analysis *analysis = wl_analysis_get(info->analysis);
	struct wl_table *table = stored ? &stored->table : WL_NEW(a->arena, struct wl_table, 1);
	int r;

	if (!table)
		return wl_no_memory(analysis, reterr);
	/* A stored answer may be a failure, too: that the trace has no data is worth keeping. */
	if (!stored)
		r = run_analysis(a, info, table, reterr);
	else if (stored->status == WL_OK)
		r = WL_OK;
	else
		r = wl_fail(reterr, (enum wl_status)stored->status, "%s", stored->message);
	if (r < 0)
		return r;
	if (info->only_data && info->chart && info->chart->kind == WL_CHART_HEAT &&
	    !wl_heat_has(table, info->chart))
		return wl_fail(reterr, WL_E_NODATA, "no rank is late in a step");
	if (info->only_data && info->chart && info->chart->kind == WL_CHART_FLAME &&
	    !wl_table_is_nested(table))
		return wl_fail(reterr, WL_E_NODATA, "no call stacks");
	/*
	 * Notes about the window belong to the answer as a whole and appear once, at its first
	 * table.
	 */
	if (first)
		put_notes(&a->notes, table);
	if (a->is_of_part)
		note_empty(&a->request->selection, table);
	if (!fill_commands(a, table))
		return wl_no_memory(analysis, reterr);
	*ret = (struct wl_section){ .analysis = analysis->name,
				    .title = info->title,
				    .look = look_of(a, analysis),
				    .chart = info->chart,
				    .other = info->other,
				    .split = info->split };
	return make_view(a, info, table, &ret->view, reterr);
}

/* Also where the section is missing: a reader of the limit wants to know what it would say. */
static bool explain(struct wl_answering *a, const struct wl_section_info *info,
		    struct wl_section *s)
{
	if (!a->request->document || !a->request->document->explains)
		return true;
	s->chart = info->chart;
	s->other = info->other;
	s->about = wl_analysis_get(info->analysis)->about;
	s->from = wl_method_from(wl_session_trace(a->session), info->analysis, a->arena);
	return s->from != NULL;
}

/* What became of a section that failed: one without data says so in its place. */
static int settle(struct wl_answering *a, const struct wl_section_info *info,
		  const struct wl_err *err, struct wl_section *ret, struct wl_err *reterr)
{
	if (err->code != WL_E_NODATA)
		return wl_fail(reterr, err->code, "%s", err->msg);
	*ret = (struct wl_section){ .analysis = info->analysis,
				    .title = info->title,
				    .missing = wl_arena_strdup(a->arena, err->msg) };
	return ret->missing ? WL_OK : wl_no_memory(wl_analysis_get(info->analysis), reterr);
}

/* Whether nothing is left without the section, which has no data. */
static bool is_void(const struct wl_plan *plan, const struct wl_section *sections, size_t i)
{
	return sections[i].missing && (plan->single || plan->section[i].needed);
}

/* A document that is nothing without one of its sections says only why. */
static void leave_missing(const struct wl_plan *plan, struct wl_section *sections,
			  struct wl_document *doc)
{
	size_t i = 0;

	while (i < plan->n && !is_void(plan, sections, i))
		i++;
	if (i == plan->n)
		return;
	sections[0] =
		(struct wl_section){ .analysis = plan->single ? sections[i].analysis : doc->name,
				     .missing = sections[i].missing };
	doc->n_sections = 1;
	doc->single = true;
}

/* The window had no data when the answer was stored: that is not of the analysis. */
static bool is_of_scope(const struct wl_answering *a, const struct wl_plan *plan, size_t i)
{
	return plan->single && a->stored[i] && a->stored[i]->is_of_scope;
}

/* Of one of several that has rows; of a table alone the head is the window. */
static bool put_window(struct wl_answering *a, const struct wl_plan *plan, size_t i,
		       const struct wl_document *doc, struct wl_section *ret)
{
	return plan->single || ret->missing ||
	       wl_answering_put_window(a, &plan->section[i], a->stored[i], doc, ret);
}

static int run_sections(struct wl_answering *a, const struct wl_plan *plan,
			const struct wl_document *doc, struct wl_section *out,
			struct wl_err *reterr)
{
	bool first = true;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < plan->n; i++) {
		const struct wl_section_info *info = &plan->section[i];
		struct wl_err err;

		if (is_of_scope(a, plan, i))
			return wl_fail(reterr, WL_E_NODATA, "%s", a->stored[i]->message);

		if (a->stored[i] && a->stored[i]->status == WL_OK && plan->n > 1)
			drop_window_notes(&a->stored[i]->table);
		r = run_section(a, info, a->stored[i], first, &out[i], &err);
		/*
		 * A section without data has no table to carry the notes, so the next one is still
		 * the first.
		 */
		first = first && r < 0;
		if (r < 0)
			r = settle(a, info, &err, &out[i], reterr);
		if (r == WL_OK && is_void(plan, out, i))
			return WL_OK;
		if (r == WL_OK &&
		    (!explain(a, info, &out[i]) || !put_window(a, plan, i, doc, &out[i])))
			r = wl_no_memory(wl_analysis_get(info->analysis), reterr);
	}
	return r;
}

/* The document is read on its own: a report, a comparison. */
/* Sections that were stored know what a step is, and those that were run have found it. */
static bool put_step(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc)
{
	for (size_t i = 0; !doc->step && i < plan->n; i++)
		doc->step = a->stored[i] ? a->stored[i]->frame.step : NULL;
	return doc->step || !a->scope.process_on || !a->steps ||
	       wl_frame_put_step(wl_session_trace(a->session), a->steps, &a->scope, a->arena, doc);
}

/*
 * Take what the index has as a whole; true when that is everything, frame included, and
 * the columns need not be looked at.
 */
static bool take_stored(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc)
{
	const struct wl_index *index = a->session->index;
	const struct wl_answer_source source = wl_index_answers(index);
	const struct wl_stored_frame *frame = NULL;
	bool all = true;

	if (!index || a->request->visitor || !wl_answers_fit(a->request))
		return false;
	frame = wl_answering_find_kept(a, plan, &source, NULL);
	for (size_t i = 0; i < plan->n; i++)
		all = all && a->stored[i];
	return all && frame &&
	       wl_frame_take(frame, a->session->label, a->session->path, a->arena, doc);
}

/* A marker that matches nothing is a slip: the answer would speak of other steps. */
static int check_marker(const struct wl_answering *a, const struct wl_derived *derived,
			struct wl_err *reterr)
{
	if (!a->request->marker || !derived->iterations->problem)
		return WL_OK;
	if (!wl_has_operations(wl_session_trace(a->session)))
		return wl_fail_empty(wl_session_trace(a->session), WL_F_KERNELS, reterr);
	return wl_fail(reterr, WL_E_USAGE, "--marker %.200s: %s", a->request->marker,
		       derived->iterations->problem);
}

static int no_memory(const struct wl_plan *plan, const struct wl_document *doc,
		     struct wl_err *reterr)
{
	if (plan->single)
		return wl_no_memory(wl_analysis_get(plan->section[0].analysis), reterr);
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
}

/* What sections that are not stored, or a visitor, want. */
static int add_wanted(const struct wl_answering *a, const struct wl_plan *plan,
		      struct wl_wanted *wanted, struct wl_err *reterr)
{
	int r = WL_OK;

	if (a->request->visitor)
		wl_want_also(wanted, &a->request->visitor->wanted);
	for (size_t i = 0; r == WL_OK && i < plan->n; i++) {
		if (!a->stored[i])
			r = wl_section_want(a->request, &plan->section[i], wanted, reterr);
	}
	return r;
}

/*
 * Everything is found before the first section runs, so that a run changes nothing, but for what is
 * declared to be asked for later (wl_derived_with).
 */
static int find_shared(struct wl_answering *a, const struct wl_plan *plan,
		       const struct wl_document *doc, struct wl_err *reterr)
{
	struct wl_wanted wanted = { .from = 0 };
	int r = add_wanted(a, plan, &wanted, reterr);

	if (r < 0)
		return r;
	if (!wl_session_derive(a->session, wanted.from, a->request->pool, &a->all) ||
	    !wl_derivations_scope(&a->session->derived, &a->all, &a->scope, wanted.from,
				  a->session->keeps_scopes ? NULL : a->arena))
		return no_memory(plan, doc, reterr);
	if (a->all.iterations)
		a->steps = a->all.iterations;
	return WL_OK;
}

static int find_scope(struct wl_answering *a, const struct wl_plan *plan, struct wl_document *doc,
		      struct wl_err *reterr)
{
	struct wl_session *s = a->session;
	struct wl_wanted wanted = { .from = 0 };
	struct wl_derived derived;
	int r = WL_OK;

	/*
	 * Answers that are stored whole have a checksum of their own. From here on columns are
	 * used, so all of them are checked first.
	 */
	if (s->index)
		r = wl_index_check(s->index, a->request->pool, &s->index_problem);
	if (r < 0)
		return r;
	wl_scope_want(a->request, &wanted);
	if (!wl_session_derive(s, wanted.from, a->request->pool, &derived))
		return no_memory(plan, doc, reterr);
	/*
	 * Steps that the selection found are kept for the frame even if no section asks for them.
	 */
	a->steps = derived.iterations;
	r = check_marker(a, &derived, reterr);
	if (r < 0)
		return r;
	r = wl_selection_resolve(&a->request->selection, &derived, a->arena, &a->scope, &a->notes,
				 reterr);
	if (s->note)
		wl_scope_note(&a->notes, a->arena, "%s", s->note);
	a->is_of_part = plan->single && !wl_frame_is_of_whole(plan);
	if (r == WL_OK && !wl_answering_put_frame(a, plan, doc))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return r < 0 ? r : find_shared(a, plan, doc, reterr);
}

/* A visitor is the only reader of its request, so all that was found is what it declared. */
static int run_visitor(struct wl_answering *a, struct wl_err *reterr)
{
	const struct wl_visitor *v = a->request->visitor;
	const struct wl_run run = { .trace = wl_session_trace(a->session),
				    .scope = &a->scope,
				    .derived = &a->all,
				    .arena = a->arena,
				    .pool = a->request->pool };

	return v->visit(v->ctx, &run, &a->notes, reterr);
}

static const char *name_of(const struct wl_request *q)
{
	if (q->visitor)
		return q->visitor->name;
	return q->analysis ? q->analysis->name : q->document->name;
}

/* What to type after a screen of the document. False without memory. */
static bool put_next(const struct wl_answering *a, struct wl_document *doc)
{
	const struct wl_document_info *info = a->request->document;
	char found[WL_PATH_CAP];
	const struct wl_commands commands = commands_of(a, found);
	bool is_host = info->next_of_host && !wl_has_operations(wl_session_trace(a->session));

	doc->more =
		wl_commands_line(&commands, is_host ? info->next_of_host : info->next, a->arena);
	return doc->more != NULL;
}

static bool is_brief(const struct wl_request *q, const struct wl_plan *plan)
{
	return q->document && q->document->next && !plan->single && !q->in_full && !q->limit_given;
}

/*
 * One answer, of what is loaded now and what the request adds. Where the index turns out to be
 * damaged, its problem is set, and the answer is void whatever is returned.
 */
static int answer(struct wl_session *session, const struct wl_request *request,
		  struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	struct wl_answering a = { .session = session, .request = request, .arena = arena };
	struct wl_section *sections;
	struct wl_document doc;
	struct wl_plan plan;
	int r = wl_session_load_asked(session, request, reterr);

	if (r == WL_OK)
		r = wl_plan_make(request, &plan, reterr);
	if (r == WL_OK)
		wl_plan_fit(&plan, wl_session_trace(session));
	if (r != WL_OK)
		return r;
	sections = WL_NEW(arena, struct wl_section, plan.n);
	doc = (struct wl_document){ .name = name_of(request),
				    .window_spec = request->selection.window
							   ? request->selection.window
							   : "all",
				    .n_devices = -1,
				    .sections = sections,
				    .n_sections = plan.n,
				    .single = plan.single,
				    .brief = is_brief(request, &plan) };
	if (!sections)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc.name);
	/* The scope is resolved only where something must be computed. */
	if (session->facts)
		r = wl_answering_take_facts(&a, &plan, &doc, reterr);
	else if (!take_stored(&a, &plan, &doc))
		r = find_scope(&a, &plan, &doc, reterr);
	if (r == WL_OK)
		r = request->visitor ? run_visitor(&a, reterr)
				     : run_sections(&a, &plan, &doc, sections, reterr);
	if (r == WL_OK && (!put_step(&a, &plan, &doc) || (doc.brief && !put_next(&a, &doc))))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc.name);
	if (r == WL_OK && !request->visitor)
		leave_missing(&plan, sections, &doc);
	if (r == WL_OK)
		*ret_document = doc;
	return r;
}

static int run(struct wl_session *session, const struct wl_request *request, struct wl_arena *arena,
	       struct wl_document *ret_document, struct wl_err *reterr)
{
	int r = answer(session, request, arena, ret_document, reterr);

	if (!session->index)
		return r;
	if (session->index_problem.code == WL_OK)
		return r;
	if (session->is_held)
		return wl_fail(reterr, WL_E_IO, "%s", session->index_problem.msg);
	/* The answer, or its failure, came from damaged columns: the trace itself answers. */
	r = wl_session_leave_index(session, reterr);
	return r < 0 ? r : answer(session, request, arena, ret_document, reterr);
}

int wl_session_ask(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	wl_session_begin(session, request);
	return wl_session_end(session, run(session, request, arena, ret_document, reterr), reterr);
}

const char *wl_document_missing(const struct wl_document *doc)
{
	return doc->single && doc->n_sections == 1 ? doc->sections[0].missing : NULL;
}

int wl_session_run(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	int r = wl_session_ask(session, request, arena, ret_document, reterr);

	if (r < 0 || request->visitor || !wl_document_missing(ret_document))
		return r;
	return wl_fail(reterr, WL_E_NODATA, "%s: %s", ret_document->sections[0].analysis,
		       ret_document->sections[0].missing);
}

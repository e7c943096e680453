#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "index/kept.h"
#include "read/guard.h"
#include "session/answers.h"
#include "session/doc_frame.h"
#include "session/plan.h"

struct wl_session {
	char *path;
	struct wl_input_opts opts;
	/* One of the two serves, and the other is NULL. */
	struct wl_index *index;
	struct wl_input *input;
	struct wl_derived_source kept; /* in the index, for ranges named as the trace tells */
	struct wl_err index_problem;   /* why an index does not serve; code WL_OK: there is none */
	struct wl_derived derived;     /* of the columns that are loaded, and as named below */
	const char *label;
	char *marker;                       /* owned, as in the last request */
	struct wl_conventions *conventions; /* likewise; NULL: by the names in the trace */
	char *conventions_name;             /* owned; NULL where there are none */
	const struct wl_json *conventions_doc;
};

static void drop_derived(struct wl_session *s)
{
	bool is_kept = s->index && !s->conventions && !s->marker;
	const struct wl_derived_opts opts = { .conventions = s->conventions,
					      .marker = s->marker,
					      .source = is_kept ? &s->kept : NULL };

	wl_derived_release(&s->derived);
	wl_derived_init(&s->derived, wl_session_trace(s), &opts, s->opts.budget);
}

/* What the guard refuses is told by the reader, which asks it too. */
static void try_index(struct wl_session *s, const struct wl_index_opts *opts)
{
	struct wl_guard guard;

	if (opts && wl_guard_take(s->path, &guard, NULL) == WL_OK &&
	    wl_index_open(s->path, opts, &s->index, &s->index_problem) < 0)
		s->index = NULL;
	if (s->index)
		s->kept = wl_kept_source(s->index);
}

/* The index cannot serve: the file does. What was derived and answered from it is void. */
static int leave_index(struct wl_session *s, struct wl_err *reterr)
{
	wl_derived_release(&s->derived);
	wl_index_close(s->index);
	s->index = NULL;
	return wl_input_open(s->path, &s->opts, &s->input, reterr);
}

int wl_session_open_indexed(const char *path, const struct wl_input_opts *opts,
			    const struct wl_index_opts *index, struct wl_session **ret_session,
			    struct wl_err *reterr)
{
	struct wl_session *s = calloc(1, sizeof(*s));
	int r = WL_OK;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	s->opts = *opts;
	s->path = strdup(path);
	if (!s->path) {
		free(s);
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	}
	try_index(s, index);
	if (!s->index)
		r = wl_input_open(path, opts, &s->input, reterr);
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
	wl_derived_release(&session->derived);
	wl_conventions_free(session->conventions);
	free(session->conventions_name);
	free(session->marker);
	wl_index_close(session->index);
	wl_input_close(session->input);
	free(session->path);
	free(session);
}

const struct wl_trace *wl_session_trace(const struct wl_session *session)
{
	return session->index ? wl_index_trace(session->index) : wl_input_trace(session->input);
}

struct wl_derived *wl_session_derived(struct wl_session *session)
{
	return &session->derived;
}

const char *wl_session_index_note(const struct wl_session *session)
{
	return session->index_problem.code == WL_OK ? NULL : session->index_problem.msg;
}

void wl_session_set_label(struct wl_session *session, const char *label)
{
	session->label = label;
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
	wl_derived_release(&s->derived);
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

/* How much was repaired while reading depends on what was read, so a file cannot tell it. */
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

static int load_columns(struct wl_session *s, const struct wl_columns *want, struct wl_err *reterr)
{
	struct wl_columns before = wl_session_trace(s)->loaded;
	int r = WL_OK;

	if (s->index)
		wl_index_load(s->index, want);
	else
		r = wl_input_load(s->input, want, reterr);
	if (memcmp(&before, &wl_session_trace(s)->loaded, sizeof(before)) != 0)
		drop_derived(s);
	return r;
}

int wl_session_load_all(struct wl_session *session, struct wl_err *reterr)
{
	struct wl_columns all = { { 0 } };

	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_columns_add(&all, (enum wl_column_id)c);
	return load_columns(session, &all, reterr);
}

int wl_session_load(struct wl_session *session, const struct wl_request *request,
		    struct wl_err *reterr)
{
	struct wl_columns want = { { 0 } };
	struct wl_plan plan;
	int r = wl_request_check(request, reterr);

	if (r == WL_OK)
		r = wl_plan_make(request, &plan, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; r == WL_OK && i < plan.n; i++) {
		const struct wl_analysis *a = wl_analysis_get(plan.section[i].analysis);
		struct wl_args args;

		r = wl_plan_args(&args, request, &plan.section[i], reterr);
		if (r == WL_OK)
			wl_analysis_columns(a, args.value, &want);
		wl_args_release(&args);
	}
	if (r == WL_OK && session->index && !index_knows(session, &plan)) {
		r = leave_index(session, reterr);
		if (r == WL_OK)
			drop_derived(session);
	}
	if (r < 0)
		return r;
	r = set_naming(session, request, reterr);
	if (r < 0)
		return r;
	wl_selection_columns(&request->selection, &want);
	return load_columns(session, &want, reterr);
}

/* One answer under construction. */
struct answering {
	struct wl_session *session;
	const struct wl_request *request;
	struct wl_arena *arena;
	struct wl_scope scope;
	struct wl_scope_notes notes;
	struct wl_stored_answer *stored[WL_MAX_SECTIONS]; /* by section; NULL: is to be found */
};

static int make_view(const struct answering *a, const struct wl_section_info *info,
		     const struct wl_table *table, struct wl_view *ret, struct wl_err *reterr)
{
	struct wl_view_opts opts = { .limit = 0 };

	if (!a->request->several)
		opts = a->request->view;
	if (info->limit && !a->request->limit_given && !a->request->no_limits)
		opts.limit = info->limit;
	return wl_view_make(table, &opts, a->arena, ret, reterr);
}

/* What the window tells, unless the analysis says the same of itself. */
static void put_notes(const struct wl_scope_notes *notes, struct wl_table *table)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct wl_note *said = table->notes;

		while (said && strcmp(said->text, notes->text[i]) != 0)
			said = said->next;
		if (!said)
			wl_table_note(table, "%s", notes->text[i]);
	}
}

static int run_analysis(struct answering *a, const struct wl_section_info *info,
			struct wl_table *table, struct wl_err *reterr)
{
	const struct wl_analysis *analysis = wl_analysis_get(info->analysis);
	struct wl_args args;
	int r = wl_plan_args(&args, a->request, info, reterr);

	if (r == WL_OK) {
		const struct wl_run run = { .trace = wl_session_trace(a->session),
					    .scope = &a->scope,
					    .arg = args.value,
					    .derived = &a->session->derived,
					    .arena = a->arena,
					    .pool = a->request->pool };

		r = wl_analysis_run(analysis, &run, table, reterr);
	}
	wl_args_release(&args);
	return r;
}

static int run_section(struct answering *a, const struct wl_section_info *info,
		       struct wl_stored_answer *stored, bool first, struct wl_section *ret,
		       struct wl_err *reterr)
{
	const struct wl_analysis *analysis = wl_analysis_get(info->analysis);
	struct wl_table *table = stored ? &stored->table : WL_NEW(a->arena, struct wl_table, 1);
	int r;

	if (!table)
		return wl_no_memory(analysis, reterr);
	if (!stored)
		r = run_analysis(a, info, table, reterr);
	else if (stored->status == WL_OK)
		r = WL_OK;
	else
		r = wl_fail(reterr, (enum wl_status)stored->status, "%s", stored->message);
	if (r < 0)
		return r;
	if (first)
		put_notes(&a->notes, table);
	*ret = (struct wl_section){ .analysis = analysis->name, .title = info->title };
	return make_view(a, info, table, &ret->view, reterr);
}

const char *wl_without_name(const char *msg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(msg, name, n) == 0 && strncmp(msg + n, ": ", 2) == 0 ? msg + n + 2 : msg;
}

/* A section without data says so in its place, unless the document is nothing without it. */
static int run_sections(struct answering *a, const struct wl_plan *plan, struct wl_section *out,
			struct wl_err *reterr)
{
	bool first = true;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < plan->n; i++) {
		const struct wl_section_info *info = &plan->section[i];
		const char *why;
		struct wl_err err;

		r = run_section(a, info, a->stored[i], first, &out[i], &err);
		first = first && r < 0;
		if (r == WL_OK)
			continue;
		why = wl_without_name(err.msg, info->analysis);
		if (r == WL_E_NODATA && !plan->single && !info->needed) {
			out[i] = (struct wl_section){ .analysis = info->analysis,
						      .title = info->title,
						      .missing = wl_arena_strdup(a->arena, why) };
			r = out[i].missing ? WL_OK
					   : wl_no_memory(wl_analysis_get(info->analysis), reterr);
		} else if (r == WL_E_NODATA && !plan->single) {
			r = wl_fail(reterr, r, "%s: %s", a->request->document->name, why);
		} else {
			r = wl_fail(reterr, r, "%s", err.msg);
		}
	}
	return r;
}

static bool put_frame(struct answering *a, const struct wl_plan *plan, struct wl_document *doc)
{
	const struct wl_framing framing = { .trace = wl_session_trace(a->session),
					    .label = a->session->label,
					    .selection = &a->request->selection,
					    .scope = &a->scope,
					    .plan = plan };

	return wl_frame_put(&framing, a->arena, &a->notes, doc);
}

/*
 * Take what the index has as a whole; true when that is everything, frame included, and
 * the columns need not be looked at.
 */
static bool take_stored(struct answering *a, const struct wl_plan *plan, struct wl_document *doc)
{
	const struct wl_index *index = a->session->index;
	const struct wl_stored_frame *frame = NULL;
	bool all = true;

	if (!index || !wl_answers_fit(a->request))
		return false;
	for (size_t i = 0; i < plan->n; i++) {
		a->stored[i] = wl_answer_find(index, &plan->section[i], a->arena);
		all = all && a->stored[i];
	}
	if (!plan->single)
		frame = wl_frame_find(index, a->request->document->name, a->arena);
	else if (a->stored[0])
		frame = &a->stored[0]->frame;
	return all && frame &&
	       wl_frame_take(frame, a->session->label, a->session->path, a->arena, doc);
}

static int find_scope(struct answering *a, const struct wl_plan *plan, struct wl_document *doc,
		      struct wl_err *reterr)
{
	struct wl_session *s = a->session;
	int r = WL_OK;

	if (s->index)
		r = wl_index_check(s->index, a->request->pool, &s->index_problem);
	if (r < 0)
		return r;
	s->derived.opts.pool = a->request->pool;
	r = wl_selection_resolve(&a->request->selection, &s->derived, a->arena, &a->scope,
				 &a->notes, reterr);
	if (r == WL_OK && !put_frame(a, plan, doc))
		r = wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc->name);
	return r;
}

static int answer(struct wl_session *session, const struct wl_request *request,
		  struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	struct answering a = { .session = session, .request = request, .arena = arena };
	struct wl_section *sections;
	struct wl_document doc;
	struct wl_plan plan;
	int r = wl_session_load(session, request, reterr);

	if (r == WL_OK)
		r = wl_plan_make(request, &plan, reterr);
	if (r < 0)
		return r;
	sections = WL_NEW(arena, struct wl_section, plan.n);
	doc = (struct wl_document){
		.name = request->analysis ? request->analysis->name : request->document->name,
		.window_spec = request->selection.window ? request->selection.window : "all",
		.n_devices = -1,
		.sections = sections,
		.n_sections = plan.n,
		.single = plan.single
	};
	if (!sections)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc.name);
	if (!take_stored(&a, &plan, &doc))
		r = find_scope(&a, &plan, &doc, reterr);
	if (r == WL_OK)
		r = run_sections(&a, &plan, sections, reterr);
	if (r == WL_OK)
		*ret_document = doc;
	return r;
}

int wl_session_run(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	int r = answer(session, request, arena, ret_document, reterr);

	if (!session->index)
		return r;
	if (!wl_index_is_whole(session->index))
		(void)wl_fail(&session->index_problem, WL_E_IO, "%.300s was cut while it was used",
			      wl_index_name(session->index));
	if (session->index_problem.code == WL_OK)
		return r;
	r = leave_index(session, reterr);
	if (r == WL_OK) {
		drop_derived(session);
		r = answer(session, request, arena, ret_document, reterr);
	}
	return r;
}

#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "base/pattern.h"
#include "derive/conventions.h"
#include "derive/derived.h"
#include "facts/codes.h"
#include "session/window.h"
#include "table/concat.h"

enum { CHECK_BUDGET = 1 << 20 };

struct wl_session {
	struct wl_input *input;
	struct wl_derived derived; /* of the columns that are loaded, and as named below */
	const char *label;
	char *marker;                       /* owned, as in the last request */
	struct wl_conventions *conventions; /* likewise; NULL: by the names in the trace */
	char *conventions_name;             /* owned; NULL where there are none */
	const struct wl_json *conventions_doc;
};

static void drop_derived(struct wl_session *s)
{
	const struct wl_derived_opts opts = { .conventions = s->conventions, .marker = s->marker };

	wl_derived_release(&s->derived);
	wl_derived_init(&s->derived, wl_input_trace(s->input), &opts, SIZE_MAX / 2);
}

int wl_session_open(const char *path, const struct wl_input_opts *opts,
		    struct wl_session **ret_session, struct wl_err *reterr)
{
	struct wl_session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	r = wl_input_open(path, opts, &s->input, reterr);
	if (r < 0) {
		free(s);
		return r;
	}
	drop_derived(s);
	*ret_session = s;
	return WL_OK;
}

void wl_session_close(struct wl_session *session)
{
	if (!session)
		return;
	wl_derived_release(&session->derived);
	wl_conventions_free(session->conventions);
	free(session->conventions_name);
	free(session->marker);
	wl_input_close(session->input);
	free(session);
}

const struct wl_trace *wl_session_trace(const struct wl_session *session)
{
	return wl_input_trace(session->input);
}

void wl_session_set_label(struct wl_session *session, const char *label)
{
	session->label = label;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static int make_conventions(const struct wl_named_doc *named, struct wl_conventions **ret,
			    struct wl_err *reterr)
{
	*ret = NULL;
	if (!named->name)
		return WL_OK;
	if (named->doc)
		return wl_conventions_new(named->doc, named->name, ret, reterr);
	return wl_conventions_builtin(named->name, ret, reterr);
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
	r = make_conventions(named, &conventions, reterr);
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

/* What a request shows: one analysis, or the sections of a document, all or one. */
struct plan {
	struct wl_section_info section[WL_MAX_SECTIONS];
	size_t n;
	bool single;
	bool on_host; /* no section speaks of devices */
};

static int unknown_section(const struct wl_request *request, struct wl_err *reterr)
{
	char all[256] = "";

	for (size_t i = 0; i < request->document->n_sections; i++) {
		if (i)
			(void)strncat(all, ", ", sizeof(all) - strlen(all) - 1);
		(void)strncat(all, request->document->sections[i].analysis,
			      sizeof(all) - strlen(all) - 1);
	}
	return wl_fail(reterr, WL_E_USAGE, "--section %.60s: %s has %s", request->section,
		       request->document->name, all);
}

static int make_plan(const struct wl_request *request, struct plan *p, struct wl_err *reterr)
{
	*p = (struct plan){ .single = true, .on_host = true };
	if (request->analysis) {
		p->section[0] = (struct wl_section_info){ .analysis = request->analysis->name,
							  .needed = true };
		for (size_t i = 0; request->args && i < request->analysis->n_params; i++)
			p->section[0].args[i] = request->args[i];
		p->n = 1;
	} else {
		for (size_t i = 0; i < request->document->n_sections; i++) {
			const struct wl_section_info *s = &request->document->sections[i];

			if (!request->section || strcmp(s->analysis, request->section) == 0)
				p->section[p->n++] = *s;
		}
		if (p->n == 0)
			return unknown_section(request, reterr);
		p->single = request->section != NULL;
	}
	if (!p->single && (request->view.where || request->view.sort || request->view.columns))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s shows several tables; --where, --sort and --columns need "
			       "--section NAME",
			       request->document->name);
	if (request->analysis && request->section)
		return wl_fail(reterr, WL_E_USAGE, "%s has no sections", request->analysis->name);
	for (size_t i = 0; i < p->n; i++)
		p->on_host = p->on_host && wl_analysis_get(p->section[i].analysis)->on_host;
	return WL_OK;
}

/* Documents that the user gave are for the one analysis that was asked for. */
static int init_args(struct wl_args *args, const struct wl_request *request,
		     const struct wl_section_info *section, struct wl_err *reterr)
{
	return wl_args_init(args, wl_analysis_get(section->analysis), section->args,
			    request->analysis ? request->docs : NULL, reterr);
}

/* The columns of a table are known before it is: an empty one stands for it. */
static int check_view(const struct wl_request *request, const struct wl_analysis *a,
		      const union wl_arg *arg, struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_table empty, joined;
	const struct wl_concat_part part = { .label = "", .table = &empty };
	struct wl_view view;

	wl_analysis_table(a, arg, arena, &empty);
	if (!request->several)
		return wl_view_make(&empty, &request->view, arena, &view, reterr);
	wl_concat(&part, 1, arena, &joined);
	return wl_table_ok(&joined) ? wl_view_make(&joined, &request->view, arena, &view, reterr)
				    : wl_no_memory(a, reterr);
}

static int check_naming(const struct wl_request *request, struct wl_err *reterr)
{
	struct wl_conventions *conventions = NULL;
	struct wl_pattern marker = { .part = NULL };
	struct wl_err why;
	int r = WL_OK;

	if (request->marker && wl_pattern_init(&marker, request->marker, &why) < 0)
		r = wl_fail(reterr, why.code, "--marker %.100s: %s", request->marker, why.msg);
	wl_pattern_release(&marker);
	if (r == WL_OK && make_conventions(&request->conventions, &conventions, &why) < 0)
		r = wl_fail(reterr, why.code, "--conventions: %s", why.msg);
	wl_conventions_free(conventions);
	return r;
}

int wl_request_check(const struct wl_request *request, struct wl_err *reterr)
{
	struct wl_arena arena;
	struct wl_args args;
	struct plan plan;
	int r = make_plan(request, &plan, reterr);

	if (r < 0)
		return r;
	wl_arena_init(&arena, CHECK_BUDGET);
	r = wl_selection_check(&request->selection, &arena, reterr);
	if (r == WL_OK)
		r = check_naming(request, reterr);
	for (size_t i = 0; r == WL_OK && i < plan.n; i++) {
		const struct wl_analysis *a = wl_analysis_get(plan.section[i].analysis);

		r = init_args(&args, request, &plan.section[i], reterr);
		if (r == WL_OK && plan.single)
			r = check_view(request, a, args.value, &arena, reterr);
		wl_args_release(&args);
	}
	wl_arena_release(&arena);
	return r;
}

int wl_session_load(struct wl_session *session, const struct wl_request *request,
		    struct wl_err *reterr)
{
	struct wl_columns want = { { 0 } }, before;
	struct plan plan;
	int r = wl_request_check(request, reterr);

	if (r == WL_OK)
		r = make_plan(request, &plan, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; r == WL_OK && i < plan.n; i++) {
		const struct wl_analysis *a = wl_analysis_get(plan.section[i].analysis);
		struct wl_args args;

		r = init_args(&args, request, &plan.section[i], reterr);
		if (r == WL_OK)
			wl_analysis_columns(a, args.value, &want);
		wl_args_release(&args);
	}
	if (r < 0)
		return r;
	r = set_naming(session, request, reterr);
	if (r < 0)
		return r;
	wl_selection_columns(&request->selection, &want);
	before = wl_session_trace(session)->loaded;
	r = wl_input_load(session->input, &want, reterr);
	if (memcmp(&before, &wl_session_trace(session)->loaded, sizeof(before)) != 0)
		drop_derived(session);
	return r;
}

/* One answer under construction. */
struct answering {
	struct wl_session *session;
	const struct wl_request *request;
	struct wl_arena *arena;
	struct wl_scope scope;
	struct wl_scope_notes notes;
	struct wl_doc_window *windows; /* of the document, while it is made */
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

static int run_section(struct answering *a, const struct wl_section_info *info, bool first,
		       struct wl_section *ret, struct wl_err *reterr)
{
	const struct wl_analysis *analysis = wl_analysis_get(info->analysis);
	struct wl_table *table = WL_NEW(a->arena, struct wl_table, 1);
	struct wl_args args;
	int r;

	if (!table)
		return wl_no_memory(analysis, reterr);
	r = init_args(&args, a->request, info, reterr);
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
static int run_sections(struct answering *a, const struct plan *plan, struct wl_section *out,
			struct wl_err *reterr)
{
	bool first = true;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < plan->n; i++) {
		const struct wl_section_info *info = &plan->section[i];
		const char *why;
		struct wl_err err;

		r = run_section(a, info, first, &out[i], &err);
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

static const struct wl_fact *make_facts(const struct answering *a, size_t *ret_n)
{
	const struct wl_trace *t = wl_session_trace(a->session);
	const char *nsys = wl_trace_meta(t, "EXPORT_PRODUCT_VERSION");
	const char *schema = wl_trace_meta(t, "EXPORT_SCHEMA_VERSION");
	struct wl_fact *f = WL_NEW(a->arena, struct wl_fact, 4);
	size_t n = 0;

	if (!f)
		return NULL;
	f[n++] = (struct wl_fact){ "path", a->session->label ? a->session->label : t->path, 0 };
	if (nsys)
		f[n++] = (struct wl_fact){ "nsys", nsys, 0 };
	if (schema)
		f[n++] = (struct wl_fact){ "schema", schema, 0 };
	*ret_n = n;
	return f;
}

static bool same_windows(const struct wl_trace *t, const struct wl_scope *s)
{
	const struct wl_interval *first = NULL;

	for (size_t i = 0; i < t->n_devices; i++) {
		if (!s->device_on[i])
			continue;
		if (first && (first->begin != s->device[i].begin || first->end != s->device[i].end))
			return false;
		first = &s->device[i];
	}
	return true;
}

/* The windows of the devices, or one for all where they agree. */
static bool put_windows(struct answering *a, struct wl_document *doc)
{
	const struct wl_trace *t = wl_session_trace(a->session);
	bool same = same_windows(t, &a->scope);
	struct wl_doc_window *w = WL_NEW(a->arena, struct wl_doc_window, t->n_devices);
	size_t n = 0;

	doc->n_devices = 0;
	for (size_t i = 0; w && i < t->n_devices; i++) {
		if (!a->scope.device_on[i])
			continue;
		doc->n_devices++;
		if (!same || n == 0)
			w[n++] = (struct wl_doc_window){ same ? -1 : (int64_t)i,
							 a->scope.device[i].begin,
							 a->scope.device[i].end };
	}
	a->windows = w;
	doc->windows = w;
	doc->n_windows = n;
	return w != NULL;
}

/* The family of host rows that the plan speaks of, or WL_N_FAMILIES. */
static enum wl_family_id host_family(const struct plan *plan)
{
	const struct wl_analysis *a = wl_analysis_get(plan->section[0].analysis);

	if (!plan->on_host || !a->needs ||
	    wl_family_infos[wl_column_infos[a->needs[0]].family].order != WL_BY_THREAD)
		return WL_N_FAMILIES;
	return wl_column_infos[a->needs[0]].family;
}

/* First start and last end of the selected processes' rows; false if there are none. */
static bool host_extent(const struct answering *a, enum wl_family_id family,
			struct wl_interval *ret)
{
	const struct wl_trace *t = wl_session_trace(a->session);
	const struct wl_family *f = &t->family[family];
	const struct wl_key_columns c = wl_family_keys(family);
	const wl_ns *start = t->column[c.start];
	const uint32_t *dur = c.dur < WL_N_COLUMNS ? t->column[c.dur] : NULL;
	const uint32_t *thread = t->column[c.owner];
	const uint8_t *kind = family == WL_F_NVTX ? wl_nvtx_kind(t) : NULL;
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		wl_ns end = start[i] + (dur ? wl_dur(f, dur, i) : 0);

		/* Rows that only name a domain or thread stand at any time, often before the
		 * capture. */
		if (!a->scope.process_on[t->threads[thread[i]].process] ||
		    (kind && kind[i] != WL_NVTX_MARK && !wl_nvtx_is_range(kind[i])))
			continue;
		ret->begin = any && ret->begin < start[i] ? ret->begin : start[i];
		ret->end = any && ret->end > end ? ret->end : end;
		any = true;
	}
	return any;
}

/* The window of host rows: as asked for, and where it is open the extent of the rows. */
static bool put_host_window(const struct answering *a, enum wl_family_id family,
			    struct wl_document *doc)
{
	const struct wl_trace *t = wl_session_trace(a->session);
	struct wl_doc_window *w = WL_NEW(a->arena, struct wl_doc_window, 1);
	struct wl_interval extent = { 0, 0 }, hull = { WL_TIME_MAX, -WL_TIME_MAX };

	if (!w)
		return false;
	if (!host_extent(a, family, &extent))
		return true; /* no process is selected: there is nothing to speak of */
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_interval *p = &a->scope.process[i];

		if (!a->scope.process_on[i] || p->begin == p->end)
			continue;
		hull.begin = p->begin < hull.begin ? p->begin : hull.begin;
		hull.end = p->end > hull.end ? p->end : hull.end;
	}
	if (hull.end < hull.begin)
		hull = (struct wl_interval){ 0, 0 };
	*w = (struct wl_doc_window){ -1, hull.begin <= -WL_TIME_MAX ? extent.begin : hull.begin,
				     hull.end >= WL_TIME_MAX ? extent.end : hull.end };
	if (w->end < w->begin) /* as asked for, it lies beside all rows */
		w->end = w->begin;
	doc->windows = w;
	doc->n_windows = 1;
	return true;
}

/* An answer over the whole trace that also counts host rows speaks of their time, too. */
static void widen_by_host(const struct answering *a, const struct plan *plan,
			  struct wl_doc_window *w)
{
	const enum wl_column_id *list = wl_analysis_get(plan->section[0].analysis)->needs_any;
	const struct wl_trace *t = wl_session_trace(a->session);

	for (; list && *list != WL_N_COLUMNS; list++) {
		enum wl_family_id family = wl_column_infos[*list].family;
		struct wl_interval extent;

		if (wl_family_infos[family].order != WL_BY_THREAD || t->family[family].n == 0 ||
		    !host_extent(a, family, &extent))
			continue;
		w->begin = extent.begin < w->begin ? extent.begin : w->begin;
		w->end = extent.end > w->end ? extent.end : w->end;
	}
}

/* The selection as it was written. */
static bool put_selection(const struct answering *a, struct wl_document *doc)
{
	const struct wl_selection *s = &a->request->selection;
	const struct wl_fact given[] = { { "gpu", s->gpu, 0 },
					 { "pid", s->pid, 0 },
					 { "rank", s->rank, 0 },
					 { "stream", s->stream, 0 } };
	struct wl_fact *facts = WL_NEW(a->arena, struct wl_fact, WL_COUNT(given));

	for (size_t i = 0; facts && i < WL_COUNT(given); i++) {
		if (given[i].str)
			facts[doc->n_selection++] = given[i];
	}
	doc->selection = facts;
	return facts != NULL;
}

static bool put_frame(struct answering *a, const struct plan *plan, struct wl_document *doc)
{
	const struct wl_selection *s = &a->request->selection;
	enum wl_family_id family = host_family(plan);

	doc->trace = make_facts(a, &doc->n_trace);
	if (!doc->trace)
		return false;
	if (plan->on_host && family == WL_N_FAMILIES) {
		if (s->gpu || s->pid || s->rank || s->stream || s->window)
			wl_scope_note(&a->notes, a->arena,
				      "this speaks of the whole trace: --gpu, --pid, --rank, "
				      "--stream and --window do not apply");
		return true;
	}
	if (!put_selection(a, doc))
		return false;
	if (plan->on_host)
		return put_host_window(a, family, doc);
	if (!put_windows(a, doc))
		return false;
	if (a->scope.whole && doc->n_windows == 1)
		widen_by_host(a, plan, a->windows);
	return true;
}

int wl_session_run(struct wl_session *session, const struct wl_request *request,
		   struct wl_arena *arena, struct wl_document *ret_document, struct wl_err *reterr)
{
	struct answering a = { .session = session, .request = request, .arena = arena };
	struct wl_section *sections;
	struct wl_document doc;
	struct plan plan;
	int r = wl_session_load(session, request, reterr);

	if (r == WL_OK)
		r = make_plan(request, &plan, reterr);
	session->derived.opts.pool = request->pool;
	if (r == WL_OK)
		r = wl_selection_resolve(&request->selection, &session->derived, arena, &a.scope,
					 &a.notes, reterr);
	if (r != WL_OK)
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
	if (!sections || !put_frame(&a, &plan, &doc))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc.name);
	r = run_sections(&a, &plan, sections, reterr);
	if (r == WL_OK)
		*ret_document = doc;
	return r;
}

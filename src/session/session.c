#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"

struct wl_session {
	struct wl_input *input;
	const char *label;
};

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
	*ret_session = s;
	return WL_OK;
}

void wl_session_close(struct wl_session *session)
{
	if (!session)
		return;
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

/* What a request shows: one analysis, or the sections of a document, all or one. */
struct plan {
	struct wl_section_info section[WL_MAX_SECTIONS];
	size_t n;
	bool single;
	bool on_host; /* no section speaks of devices */
};

static int unknown_section(const struct wl_request *q, struct wl_err *reterr)
{
	char all[256] = "";

	for (size_t i = 0; i < q->document->n_sections; i++) {
		if (i)
			(void)strncat(all, ", ", sizeof(all) - strlen(all) - 1);
		(void)strncat(all, q->document->sections[i].analysis,
			      sizeof(all) - strlen(all) - 1);
	}
	return wl_fail(reterr, WL_E_USAGE, "--section %.60s: %s has %s", q->section,
		       q->document->name, all);
}

static int make_plan(const struct wl_request *q, struct plan *p, struct wl_err *reterr)
{
	*p = (struct plan){ .single = true, .on_host = true };
	if (q->analysis) {
		p->section[0] = (struct wl_section_info){ NULL, q->analysis->name, true, 0 };
		p->n = 1;
	} else {
		for (size_t i = 0; i < q->document->n_sections; i++) {
			const struct wl_section_info *s = &q->document->sections[i];

			if (!q->section || strcmp(s->analysis, q->section) == 0)
				p->section[p->n++] = *s;
		}
		if (p->n == 0)
			return unknown_section(q, reterr);
		p->single = q->section != NULL;
	}
	if (!p->single && (q->view.where || q->view.sort || q->view.columns))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s shows several tables; --where, --sort and --columns need "
			       "--section NAME",
			       q->document->name);
	if (q->analysis && q->section)
		return wl_fail(reterr, WL_E_USAGE, "%s has no sections", q->analysis->name);
	for (size_t i = 0; i < p->n; i++)
		p->on_host = p->on_host && wl_analysis_get(p->section[i].analysis)->on_host;
	return WL_OK;
}

int wl_session_load(struct wl_session *session, const struct wl_request *q, struct wl_err *reterr)
{
	struct wl_columns want = { { 0 } };
	struct plan plan;
	int r = make_plan(q, &plan, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; r == WL_OK && i < plan.n; i++) {
		const struct wl_analysis *a = wl_analysis_get(plan.section[i].analysis);
		struct wl_args args;

		r = wl_args_init(&args, a, q->analysis ? q->args : NULL, reterr);
		if (r == WL_OK)
			wl_analysis_columns(a, args.value, &want);
		wl_args_release(&args);
	}
	if (r < 0)
		return r;
	wl_selection_columns(&q->selection, &want);
	return wl_input_load(session->input, &want, reterr);
}

/* One answer under construction. */
struct answering {
	struct wl_session *session;
	const struct wl_request *request;
	struct wl_arena *arena;
	struct wl_scope scope;
	struct wl_scope_notes notes;
};

static int make_view(const struct answering *a, const struct wl_section_info *info,
		     const struct wl_table *table, struct wl_view *ret, struct wl_err *reterr)
{
	struct wl_view_opts opts = a->request->view;

	if (info->limit && !a->request->limit_given && !a->request->no_limits)
		opts.limit = info->limit;
	return wl_view_make(table, &opts, a->arena, ret, reterr);
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
	r = wl_args_init(&args, analysis, a->request->analysis ? a->request->args : NULL, reterr);
	if (r == WL_OK) {
		const struct wl_run run = { wl_session_trace(a->session), &a->scope, args.value,
					    a->arena };

		r = wl_analysis_run(analysis, &run, table, reterr);
	}
	wl_args_release(&args);
	if (r < 0)
		return r;
	for (size_t i = 0; first && i < a->notes.n; i++)
		wl_table_note(table, "%s", a->notes.text[i]);
	*ret = (struct wl_section){ .analysis = analysis->name, .title = info->title };
	return make_view(a, info, table, &ret->view, reterr);
}

/* Under its title a reason need not begin with the name of the analysis. */
static const char *without_name(const char *msg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(msg, name, n) == 0 && strncmp(msg + n, ": ", 2) == 0 ? msg + n + 2 : msg;
}

/* A section without data says so in its place, unless the document is nothing without it. */
static int run_sections(struct answering *a, const struct plan *plan, struct wl_section *out,
			struct wl_err *reterr)
{
	bool first = true;

	for (size_t i = 0; i < plan->n; i++) {
		struct wl_err err;
		int r = run_section(a, &plan->section[i], first, &out[i], &err);

		if (r == WL_E_NODATA && !plan->single && !plan->section[i].needed) {
			const char *why = without_name(err.msg, plan->section[i].analysis);

			out[i] = (struct wl_section){ .analysis = plan->section[i].analysis,
						      .title = plan->section[i].title,
						      .missing = wl_arena_strdup(a->arena, why) };
			continue;
		}
		if (r < 0) {
			*reterr = err;
			return r;
		}
		first = false;
	}
	return WL_OK;
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
static bool put_windows(const struct answering *a, struct wl_document *doc)
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

/* Of host rows the window is what was asked for, clipped to what there is. */
static bool put_host_window(const struct answering *a, enum wl_family_id family,
			    struct wl_document *doc)
{
	const struct wl_trace *t = wl_session_trace(a->session);
	const struct wl_family *f = &t->family[family];
	size_t first = wl_family_infos[family].first_column;
	const wl_ns *start = t->column[first];
	const uint32_t *dur = t->column[first + 1], *thread = t->column[first + 2];
	struct wl_doc_window *w = WL_NEW(a->arena, struct wl_doc_window, 1);
	bool any = false;

	if (!w)
		return false;
	w->device = -1;
	for (size_t i = 0; i < f->n; i++) {
		uint32_t process = t->threads[thread[i]].process;
		wl_ns from = start[i], to = from + wl_dur(f, dur, i);

		if (!a->scope.process_on[process] ||
		    !wl_clip(&a->scope, a->scope.process[process], &from, &to))
			continue;
		w->begin = any && w->begin < from ? w->begin : from;
		w->end = any && w->end > to ? w->end : to;
		any = true;
	}
	doc->windows = w;
	doc->n_windows = 1;
	return true;
}

static bool put_frame(const struct answering *a, const struct plan *plan, struct wl_document *doc)
{
	enum wl_family_id family = host_family(plan);

	doc->trace = make_facts(a, &doc->n_trace);
	if (!doc->trace)
		return false;
	if (!plan->on_host)
		return put_windows(a, doc);
	return family == WL_N_FAMILIES || put_host_window(a, family, doc);
}

int wl_session_run(struct wl_session *session, const struct wl_request *q, struct wl_arena *arena,
		   struct wl_document *ret_document, struct wl_err *reterr)
{
	struct answering a = { .session = session, .request = q, .arena = arena };
	struct wl_section *sections;
	struct wl_document doc;
	struct plan plan;
	int r = wl_session_load(session, q, reterr);

	if (r == WL_OK)
		r = make_plan(q, &plan, reterr);
	if (r == WL_OK)
		r = wl_selection_resolve(&q->selection, wl_session_trace(session), arena, &a.scope,
					 &a.notes, reterr);
	if (r < 0)
		return r;
	sections = WL_NEW(arena, struct wl_section, plan.n);
	doc = (struct wl_document){ .name = q->analysis ? q->analysis->name : q->document->name,
				    .window_spec =
					    q->selection.window ? q->selection.window : "all",
				    .n_devices = -1,
				    .sections = sections,
				    .n_sections = plan.n,
				    .single = plan.single };
	if (!sections || !put_frame(&a, &plan, &doc))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", doc.name);
	r = run_sections(&a, &plan, sections, reterr);
	if (r == WL_OK)
		*ret_document = doc;
	return r;
}

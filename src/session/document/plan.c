/* SPDX-License-Identifier: MIT */
#include "session/document/plan.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/empty.h"
#include "base/text/pattern.h"
#include "derive/iters/iters.h"
#include "table/concat.h"

/* Bytes for parsed lists and an empty table, which have the size of a command line. */
enum { CHECK_BUDGET = 1 << 20 };

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

static void add_section(const struct wl_request *request, const struct wl_section_info *info,
			struct wl_plan *plan)
{
	const struct wl_analysis *a = wl_analysis_get(info->analysis);
	struct wl_section_info *s = &plan->section[plan->n++];

	*s = *info;
	for (size_t i = 0; request->in_full && s->full && i < a->n_params; i++) {
		if (strcmp(a->params[i].key, s->full) == 0)
			s->args[i] = "true";
	}
}

/* Whether the request shows the section. */
static bool is_shown(const struct wl_request *request, const struct wl_section_info *s)
{
	if (request->section)
		return strcmp(s->analysis, request->section) == 0;
	return (request->in_full || !s->only_in_full) && (request->ncu || !s->only_with_ncu);
}

static bool has_host_sections(const struct wl_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->section[i].of != WL_OF_GPU)
			return true;
	}
	return false;
}

void wl_plan_fit(struct wl_plan *plan, const struct wl_trace *trace)
{
	const bool is_of_host = has_host_sections(plan) && !wl_has_operations(trace);
	const enum wl_section_of other = is_of_host ? WL_OF_GPU : WL_OF_HOST;
	size_t n = 0;

	if (plan->single)
		return;
	for (size_t i = 0; i < plan->n; i++) {
		const struct wl_section_info *s = &plan->section[i];

		if ((trace->n_files || !s->only_in_job) && s->of != other)
			plan->section[n++] = *s;
	}
	plan->n = n;
	plan->on_host = plan->on_host || is_of_host;
}

int wl_plan_make(const struct wl_request *request, struct wl_plan *ret, struct wl_err *reterr)
{
	*ret = (struct wl_plan){ .single = true, .on_host = true };
	if (request->visitor) {
		*ret = (struct wl_plan){ .n = 0 };
		return WL_OK;
	}
	if (request->analysis) {
		ret->section[0] = (struct wl_section_info){ .analysis = request->analysis->name,
							    .chart = request->analysis->chart,
							    .needed = true };
		for (size_t i = 0; request->args && i < request->analysis->n_params; i++)
			ret->section[0].args[i] = request->args[i];
		ret->n = 1;
	} else {
		for (size_t i = 0; i < request->document->n_sections; i++) {
			const struct wl_section_info *s = &request->document->sections[i];

			if (is_shown(request, s))
				add_section(request, s, ret);
		}
		if (ret->n == 0)
			return unknown_section(request, reterr);
		ret->single = request->section != NULL;
	}
	/* Of several traces, the document becomes one table. */
	if (!ret->single && !request->several &&
	    (request->view.where || request->view.sort || request->view.columns))
		return wl_fail(reterr, WL_E_USAGE,
			       "%s shows several tables; --where, --sort and --columns need "
			       "--section NAME",
			       request->document->name);
	if (request->analysis && request->section)
		return wl_fail(reterr, WL_E_USAGE, "%s has no sections", request->analysis->name);
	/* One section about operations makes the frame speak of GPU windows. */
	for (size_t i = 0; i < ret->n; i++)
		ret->on_host = ret->on_host && wl_analysis_get(ret->section[i].analysis)->on_host;
	return WL_OK;
}

int wl_plan_args(struct wl_args *args, const struct wl_request *request,
		 const struct wl_section_info *section, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get(section->analysis);
	struct wl_json *const *own = request->analysis ? request->docs : section->docs;
	struct wl_json *docs[WL_MAX_PARAMS] = { NULL };

	for (size_t i = 0; i < a->n_params; i++) {
		docs[i] = own ? own[i] : NULL;
		if (!docs[i] && a->params[i].is_ncu)
			docs[i] = request->ncu;
	}
	return wl_args_init(args, a, section->args, docs, reterr);
}

int wl_section_want(const struct wl_request *request, const struct wl_section_info *section,
		    struct wl_wanted *wanted, struct wl_err *reterr)
{
	struct wl_args args;
	int r = wl_plan_args(&args, request, section, reterr);

	if (r == WL_OK)
		wl_analysis_want(wl_analysis_get(section->analysis), args.value, wanted);
	wl_args_release(&args);
	return r;
}

void wl_scope_want(const struct wl_request *request, struct wl_wanted *wanted)
{
	wl_selection_want(&request->selection, wanted);
	/* A marker that names nothing is refused by every verb. */
	if (request->marker)
		wl_want(wanted, WL_FROM(ITERATIONS), NULL);
}

int wl_plan_want(const struct wl_request *request, const struct wl_plan *plan,
		 struct wl_wanted *wanted, struct wl_err *reterr)
{
	int r = WL_OK;

	wl_scope_want(request, wanted);
	if (request->visitor)
		wl_want_also(wanted, &request->visitor->wanted);
	for (size_t i = 0; r == WL_OK && i < plan->n; i++)
		r = wl_section_want(request, &plan->section[i], wanted, reterr);
	return r;
}

int wl_request_conventions(const struct wl_named_doc *named, struct wl_conventions **ret,
			   struct wl_err *reterr)
{
	*ret = NULL;
	if (!named->name)
		return WL_OK;
	if (named->doc)
		return wl_conventions_new(named->doc, named->name, ret, reterr);
	return wl_conventions_builtin(named->name, ret, reterr);
}

/*
 * The columns of a table are known before it is: an empty one stands for it. So a wrong column
 * name is refused before minutes of reading.
 */
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

	if (request->marker &&
	    wl_pattern_init(&marker, wl_marker_pattern(request->marker), &why) < 0)
		r = wl_fail(reterr, why.code, "--marker %.100s: %s", request->marker, why.msg);
	wl_pattern_release(&marker);
	if (r == WL_OK && wl_request_conventions(&request->conventions, &conventions, &why) < 0)
		r = wl_fail(reterr, why.code, "--conventions: %s", why.msg);
	wl_conventions_free(conventions);
	return r;
}

/* A mistyped directory would look like one without the traces. */
static int check_traces(const char *dir, struct wl_err *reterr)
{
	struct stat st;

	if (!dir)
		return WL_OK;
	if (stat(dir, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "--traces %.200s: %s", dir, strerror(errno));
	return S_ISDIR(st.st_mode)
		       ? WL_OK
		       : wl_fail(reterr, WL_E_IO, "--traces %.200s: it is no directory", dir);
}

int wl_request_check(const struct wl_request *request, struct wl_err *reterr)
{
	struct wl_arena arena;
	struct wl_args args;
	struct wl_plan plan;
	int r = wl_plan_make(request, &plan, reterr);

	if (r < 0)
		return r;
	wl_arena_init(&arena, CHECK_BUDGET);
	r = wl_selection_check(&request->selection, &arena, reterr);
	if (r == WL_OK)
		r = check_naming(request, reterr);
	if (r == WL_OK)
		r = check_traces(request->traces, reterr);
	for (size_t i = 0; r == WL_OK && i < plan.n; i++) {
		const struct wl_analysis *a = wl_analysis_get(plan.section[i].analysis);

		r = wl_plan_args(&args, request, &plan.section[i], reterr);
		if (r == WL_OK && a->check)
			r = a->check(args.value, reterr);
		/*
		 * Views of documents have no --where, --sort or --columns: the plan has refused
		 * them.
		 */
		if (r == WL_OK && plan.single)
			r = check_view(request, a, args.value, &arena, reterr);
		wl_args_release(&args);
	}
	wl_arena_release(&arena);
	return r;
}

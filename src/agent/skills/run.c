/* SPDX-License-Identifier: MIT */
#include "agent/skills/run.h"

#include <stdio.h>
#include <string.h>

#include "agent/skills/judge.h"
#include "agent/skills/request.h"
#include "agent/skills/sql_step.h"
#include "base/text/shell.h"

enum { MAX_SECTIONS = WL_MAX_SECTIONS + WL_SKILL_STEPS + 1 };

/* A table of the answer, with the skill's own view options. */
struct shown {
	struct wl_section section;
	struct wl_view_opts own;
	bool own_limit; /* the skill or a document limits its rows */
};

struct running {
	const struct wl_skill *skill;
	struct wl_skill_values *values;
	const struct wl_skill_asked *asked;
	struct wl_arena *arena;
	struct wl_skill_answer *answer;
	struct shown shown[MAX_SECTIONS];
	size_t n_shown;
	struct wl_skill_tables tables;
	bool has_frame;
	size_t n_missing; /* steps without data */
	struct wl_err missing;
};

static int no_memory(const struct running *r, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", r->skill->name);
}

/* ---- Steps ---- */

static int add_section(struct running *r, const struct wl_section *section,
		       const struct wl_view_opts *own, bool own_limit, struct wl_err *reterr)
{
	if (r->n_shown == MAX_SECTIONS)
		return wl_fail(reterr, WL_E_USAGE, "%s: more than %d tables", r->skill->name,
			       MAX_SECTIONS);
	r->shown[r->n_shown++] = (struct shown){ *section, *own, own_limit };
	return WL_OK;
}

/* The first verb's answer sets the trace and window of the whole answer. */
static void take_frame(struct running *r, const struct wl_document *doc, bool is_sql)
{
	if (r->has_frame)
		return;
	r->has_frame = !is_sql;
	r->answer->document = *doc;
}

/* subject: what was asked, if the reason does not name it; else NULL. */
static int add_missing(struct running *r, const struct wl_skill_step *step, const char *subject,
		       const char *why, struct wl_err *reterr)
{
	const struct wl_view_opts none = { .limit = 0 };
	struct wl_section section = { .analysis = step->name, .title = step->title };

	section.missing = wl_arena_strdup(r->arena, why);
	if (!section.missing)
		return no_memory(r, reterr);
	if (!section.title)
		section.title = step->name;
	if (r->n_missing++ == 0)
		(void)wl_fail(&r->missing, WL_E_NODATA, "%s%s%s", subject ? subject : "",
			      subject ? ": " : "", why);
	return add_section(r, &section, &none, true, reterr);
}

/* A step with another window, or one for host rows, says so; the head has the first step's. */
static bool put_window(struct running *r, const struct wl_document *doc, struct wl_section *ret)
{
	struct wl_doc_window window, *kept;

	if (ret->window || !wl_document_differs(&r->answer->document, doc, &window))
		return true;
	kept = WL_NEW(r->arena, struct wl_doc_window, 1);
	if (kept)
		*kept = window;
	ret->window = kept;
	return kept != NULL;
}

static int add_document(struct running *r, size_t i, const struct wl_document *doc,
			const struct wl_verb_call *request, struct wl_err *reterr)
{
	const struct wl_skill_step *step = &r->skill->steps[i];
	bool is_one = request->is.analysis != NULL;
	int status = WL_OK;

	take_frame(r, doc, false);
	for (size_t k = 0; status == WL_OK && k < doc->n_sections; k++) {
		struct wl_section section = doc->sections[k];

		if (!put_window(r, doc, &section))
			return no_memory(r, reterr);
		if (is_one) {
			section.analysis = step->name;
			section.title = step->title ? step->title : request->is.analysis->help;
		}
		status = add_section(r, &section, &request->is.view,
				     !is_one || request->is.limit_given, reterr);
	}
	return status;
}

static int run_verb(struct running *r, size_t i, struct wl_err *reterr)
{
	const struct wl_skill_step *step = &r->skill->steps[i];
	struct wl_verb_call request = { .is = r->asked->selection };
	struct wl_document doc;
	struct wl_err why;
	int status = wl_skill_request_make(step, r->values, r->asked->for_people, &request, reterr);

	/* Sections that a document does not limit get the default limit of tables. */
	if (request.is.document && r->asked->for_people && !request.is.limit_given)
		request.is.view.limit = r->asked->view.limit;
	if (status == WL_OK)
		status = wl_request_check(&request.is, reterr);
	if (status < 0)
		return status;
	status = wl_session_ask(r->asked->session, &request.is, r->arena, &doc, &why);
	if (status == WL_OK && wl_document_missing(&doc))
		return add_missing(r, step, doc.sections[0].analysis, doc.sections[0].missing,
				   reterr);
	if (status == WL_E_NODATA)
		return add_missing(r, step, NULL, why.msg, reterr);
	if (status < 0)
		return wl_fail(reterr, why.code, "%s", why.msg);
	return add_document(r, i, &doc, &request, reterr);
}

static int run_sql(struct running *r, size_t i, struct wl_err *reterr)
{
	const struct wl_view_opts none = { .limit = 0 };
	const struct wl_skill_step *step = &r->skill->steps[i];
	struct wl_document doc;
	struct wl_section section;
	struct wl_err why;
	int status = wl_skill_sql_run(step, r->values, r->asked, &r->answer->sql, &doc, &why);

	if (status == WL_E_NODATA)
		return add_missing(r, step, NULL, why.msg, reterr);
	if (status < 0)
		return wl_fail(reterr, why.code, "%.200s: %.280s", step->where, why.msg);
	take_frame(r, &doc, true);
	section = doc.sections[0];
	section.analysis = step->name;
	section.title = step->title ? step->title : r->skill->title;
	return add_section(r, &section, &none, false, reterr);
}

static int run_steps(struct running *r, struct wl_err *reterr)
{
	int status = WL_OK;

	for (size_t i = 0; status == WL_OK && i < r->skill->n_steps; i++) {
		size_t at = r->n_shown;

		status = r->skill->steps[i].sql ? run_sql(r, i, reterr) : run_verb(r, i, reterr);
		if (status == WL_OK && at < r->n_shown && !r->shown[at].section.missing)
			r->tables.view[i] = &r->shown[at].section.view;
	}
	return status;
}

/* ---- Checks before and after the steps ---- */

/* Conditions on the file's tables need an SQL connection: only SQL reads them by name. */
static int check_before(struct running *r, struct wl_err *reterr)
{
	for (size_t i = 0; i < r->skill->n_abstentions; i++) {
		const struct wl_skill_abstention *a = &r->skill->abstentions[i];
		bool lacks = a->condition == WL_SKILL_ALWAYS;
		int status = WL_OK;

		if (a->condition == WL_SKILL_WITHOUT)
			status = wl_skill_sql_lacks(a->what, r->asked, r->arena, &r->answer->sql,
						    &lacks, reterr);
		if (status < 0)
			return status;
		if (lacks)
			return wl_skill_abstain(&r->tables, a, reterr);
	}
	return WL_OK;
}

static int add_findings(struct running *r, struct wl_err *reterr)
{
	const struct wl_view_opts all = { .limit = 0 };
	struct wl_section section = { .analysis = "findings", .title = "Findings" };
	struct wl_table *table = WL_NEW(r->arena, struct wl_table, 1);
	int status;

	if (!table)
		return no_memory(r, reterr);
	wl_table_init(table, r->arena, wl_skill_finding_cols, wl_skill_n_finding_cols);
	status = wl_skill_judge(&r->tables, table, reterr);
	if (status == WL_OK)
		status = wl_view_make(table, &all, r->arena, &section.view, reterr);
	if (status < 0)
		return status;
	/* Without rows, a list would say what is true only of the verb findings. */
	section.look = table->n_rows ? WL_LOOK_LIST : WL_LOOK_TABLE;
	r->answer->n_findings = table->n_rows;
	return add_section(r, &section, &all, true, reterr);
}

/* ---- Presentation ---- */

/* A filter for rows that pass both the skill's and the user's. */
static const char *both_filters(struct running *r, const char *own, const char *users)
{
	size_t size;
	char *text;

	if (!own || !users)
		return own ? own : users;
	size = strlen(own) + strlen(users) + 16;
	text = wl_arena_calloc(r->arena, size, 1);
	if (text)
		(void)snprintf(text, size, "(%s) and (%s)", own, users);
	return text;
}

static int show_section(struct running *r, struct shown *s, struct wl_err *reterr)
{
	const struct wl_skill_asked *asked = r->asked;
	struct wl_view_opts opts = asked->view;

	if (s->section.missing)
		return WL_OK;
	if (!opts.where && !opts.sort && !opts.columns && !asked->limit_given && s->own_limit)
		return WL_OK;
	opts.where = both_filters(r, s->own.where, opts.where);
	opts.sort = opts.sort ? opts.sort : s->own.sort;
	opts.usual_sort = s->own.usual_sort;
	opts.columns = opts.columns ? opts.columns : s->own.columns;
	if (!asked->limit_given && s->own_limit)
		opts.limit = s->own.limit;
	return wl_view_make(s->section.view.table, &opts, r->arena, &s->section.view, reterr);
}

static int refuse_section(const struct running *r, struct wl_err *reterr)
{
	char all[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < r->n_shown && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 r->shown[i].section.analysis);
	return wl_fail(reterr, WL_E_USAGE, "--section %.60s: %s has %s", r->asked->section,
		       r->skill->name, all);
}

/* Pick the requested tables into a new list. */
static int pick(struct running *r, struct wl_section **ret, size_t *ret_n, struct wl_err *reterr)
{
	const char *only = r->asked->section;
	bool has_view = r->asked->view.where || r->asked->view.sort || r->asked->view.columns;
	struct wl_section *list = WL_NEW(r->arena, struct wl_section, r->n_shown + 1);
	int status = WL_OK;
	size_t n = 0;

	if (!list)
		return no_memory(r, reterr);
	if (has_view && !only && r->n_shown > 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s has several tables; --where, --sort and --columns need "
			       "--section NAME",
			       r->skill->name);
	for (size_t i = 0; status == WL_OK && i < r->n_shown; i++) {
		if (only && strcmp(only, r->shown[i].section.analysis) != 0)
			continue;
		status = show_section(r, &r->shown[i], reterr);
		list[n++] = r->shown[i].section;
	}
	if (status == WL_OK && n == 0)
		return refuse_section(r, reterr);
	*ret = list;
	*ret_n = n;
	return status;
}

static int finish(struct running *r, struct wl_err *reterr)
{
	struct wl_document *doc = &r->answer->document;
	struct wl_section *sections = NULL;
	size_t n = 0;
	int status = pick(r, &sections, &n, reterr);

	if (status < 0)
		return status;
	doc->sections = sections;
	doc->n_sections = n;
	doc->single = n == 1 && (r->n_shown == 1 || r->asked->section);
	/* A verb keeps its own appearance: the summary fits on one screen. */
	if (r->skill->origin != WL_SKILL_VERB) {
		doc->name = "skill";
		doc->title = NULL;
		doc->brief = false;
		doc->gist = NULL;
		doc->more = doc->lead = doc->reason = NULL;
	}
	if (doc->single)
		sections[0].title = NULL;
	return WL_OK;
}

int wl_skill_run(const struct wl_skill *skill, struct wl_skill_values *values,
		 const struct wl_skill_asked *asked, struct wl_arena *arena,
		 struct wl_skill_answer *ret, struct wl_err *reterr)
{
	struct running *r = WL_NEW(arena, struct running, 1);
	int status;

	*ret = (struct wl_skill_answer){ .n_findings = 0 };
	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the answer", skill->name);
	*r = (struct running){ .skill = skill,
			       .values = values,
			       .asked = asked,
			       .arena = arena,
			       .answer = ret,
			       .tables = { .skill = skill, .values = values, .arena = arena } };
	values->trace = wl_shell_word(asked->label ? asked->label : asked->database, arena);
	status = check_before(r, reterr);
	if (status == WL_OK)
		status = run_steps(r, reterr);
	if (status == WL_OK)
		status = wl_skill_may_answer(&r->tables, reterr);
	if (status == WL_OK && r->n_missing == skill->n_steps)
		return wl_fail(reterr, WL_E_NODATA, "%s", r->missing.msg);
	if (status == WL_OK && skill->n_rules)
		status = add_findings(r, reterr);
	return status < 0 ? status : finish(r, reterr);
}

void wl_skill_answer_release(struct wl_skill_answer *answer)
{
	wl_sql_close(answer->sql);
	answer->sql = NULL;
}

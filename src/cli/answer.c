/* SPDX-License-Identifier: MIT */
#include "cli/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/process/pool.h"
#include "cli/costs.h"
#include "cli/docs.h"
#include "cli/line/traces.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "model/trace_readers.h"
#include "session/open/join.h"
#include "session/open/several.h"
#include "table/chart.h"

/* What an answer is made of; all of it lives until it is printed. */
struct answering {
	const struct wl_invocation *inv;
	struct wl_traces traces;
	struct wl_docs docs;
	struct wl_printing printing;
	struct wl_request request;
	struct wl_opened *opened; /* by trace, in the arena; NULL before the first is opened */
	struct wl_pool *pool;
	struct wl_budget budget; /* of traces, what is derived from them, and answers */
	struct wl_arena arena;
	struct wl_costs stats;
	const struct wl_result *result;    /* whose answer is asked; NULL for the command line's */
	size_t n_unmatched;                /* traces that have nothing of what the request names */
	const struct wl_answer_look *look; /* NULL for none */
};

/*
 * Of several traces, columns that the name of the verb implies begin with the trace. Without it,
 * rows of a table that is cut to those columns would look alike.
 */
static void name_traces(struct answering *a)
{
	static const char trace[] = "trace,";
	const char *columns = a->request.view.usual_columns;
	size_t size = columns ? strlen(columns) + sizeof(trace) : 0;
	char *with = size && a->request.several ? WL_NEW(&a->arena, char, size) : NULL;

	if (!with)
		return;
	(void)snprintf(with, size, "%s%s", trace, columns);
	a->request.view.usual_columns = with;
}

static void make_request(struct answering *a)
{
	const struct wl_invocation *inv = a->inv;
	struct wl_request *q = &a->request;

	*q = wl_opened_request(inv, &a->docs, a->pool);
	q->analysis = inv->verb.analysis;
	q->several = a->traces.n > 1;
	q->document = inv->verb.document;
	if (q->document && q->several)
		q->document = q->document->several;
	q->args = a->traces.trace[0].args;
	q->docs = a->docs.param;
	q->section = inv->opt.section;
	q->in_full = inv->opt.verbose;
	q->view = wl_printing_view(&a->printing);
	name_traces(a);
	/* Programs get the order of the table, whatever people see. */
	if (q->analysis && !q->several && a->printing.format->for_people)
		q->view.usual_sort = q->analysis->sort;
	q->limit_given = inv->given[WL_OPT_LIMIT] != NULL;
	q->no_limits = a->printing.format->default_limit == 0;
	/* A format that prints one table takes the first of a document unless told otherwise. */
	if (q->document && !q->several && !q->section && !a->printing.format->whole)
		q->section = q->document->sections[0].analysis;
}

/* What one of the traces is asked. */
static struct wl_request request_of(const struct answering *a, size_t i)
{
	struct wl_request q = a->request;

	q.args = a->traces.trace[i].args;
	if (a->result)
		q.view = (struct wl_view_opts){ .limit = 0 };
	return q;
}

/* The argument that the file asks for, of every trace. */
static void set_option(struct answering *a, const struct wl_implied *option)
{
	const struct wl_analysis *analysis = a->inv->verb.analysis;

	for (size_t k = 0; option->key && k < analysis->n_params; k++) {
		for (size_t i = 0;
		     strcmp(analysis->params[k].key, option->key) == 0 && i < a->traces.n; i++)
			a->traces.trace[i].args[k] = option->value;
	}
}

static int check_trace(struct answering *a, size_t i, struct wl_err *reterr)
{
	const struct wl_named_trace *trace = &a->traces.trace[i];
	const struct wl_request q = request_of(a, i);
	struct wl_err why = { .code = WL_OK };
	int r = wl_request_check(&q, &why);

	if (r < 0)
		return trace->given ? wl_fail(reterr, why.code, "--%s %.200s: %s",
					      a->traces.option->key, trace->given, why.msg)
				    : wl_fail(reterr, why.code, "%s", why.msg);
	return wl_printing_spares(&a->printing, trace->path, reterr);
}

/* Options that are not given take what suits people where people read. */
static void take_defaults(struct answering *a)
{
	const struct wl_analysis *of = a->inv->verb.analysis;

	for (size_t p = 0; of && a->printing.format->for_people && p < of->n_params; p++) {
		for (size_t i = 0; i < a->traces.n; i++) {
			const char **arg = &a->traces.trace[i].args[p];

			*arg = *arg ? *arg : of->params[p].people_def;
		}
	}
}

/*
 * Whatever is wrong with the request is said before the trace is looked at. Documents of options
 * are read before signals are caught: one can be a pipe, and Ctrl-C must end the wait for it.
 */
static int prepare(struct answering *a, struct wl_err *reterr)
{
	const struct wl_invocation *inv = a->inv;
	int r = wl_traces_take(inv, &a->arena, &a->traces, reterr);

	if (r == WL_OK)
		r = wl_printing_init(&a->printing, inv, reterr);
	if (r == WL_OK && a->printing.page && a->traces.n > 1)
		r = wl_fail(reterr, WL_E_USAGE, "%s: a page is of one trace; give one",
			    wl_verb_name(&inv->verb));
	if (r == WL_OK)
		r = wl_docs_init(&a->docs, inv,
				 inv->verb.analysis ? a->traces.trace[0].args : inv->param, reterr);
	for (size_t i = 0; r == WL_OK && inv->verb.analysis && i < a->traces.n; i++)
		r = wl_docs_add_beside(&a->docs, &inv->verb, a->traces.trace[i].path,
				       a->traces.trace[i].args, reterr);
	if (r < 0)
		return r;
	a->pool = wl_pool_option(inv);
	take_defaults(a);
	make_request(a);
	for (size_t i = 0; r == WL_OK && i < a->traces.n; i++)
		r = check_trace(a, i, reterr);
	return r;
}

static int load(struct answering *a, size_t i, struct wl_err *reterr)
{
	const struct wl_opening how = { a->inv, a->pool, &a->budget, &a->stats };
	const struct wl_request q = request_of(a, i);
	int r = wl_opened_load(&a->opened[i], a->traces.trace[i].path, &how, &q, reterr);

	if (r == WL_OK)
		wl_trace_readers_add(&a->printing.readers, wl_session_trace(a->opened[i].session),
				     a->traces.trace[i].path);
	if (r == WL_OK && a->look && a->look->settle && a->traces.n == 1)
		a->look->settle(a->look->ctx, a->opened[i].session, &a->request);
	return r;
}

/* Of several traces, some may have no data for the question, or nothing that is selected. */
static int run(struct answering *a, size_t i, struct wl_document *ret, struct wl_err *reterr)
{
	const struct wl_request q = request_of(a, i);
	const char *path = a->traces.trace[i].path;
	struct wl_err why;
	int r;

	wl_costs_begin(&a->stats);
	r = a->traces.n == 1 ? wl_session_run(a->opened[i].session, &q, &a->arena, ret, &why)
			     : wl_session_ask(a->opened[i].session, &q, &a->arena, ret, &why);
	wl_costs_end(&a->stats, WL_COSTS_COMPUTE);
	wl_progress_end(&a->opened[i].progress);
	wl_opened_note_index(&a->opened[i]);
	if (r == WL_OK && wl_document_missing(ret))
		return wl_join_missing(&a->request, path, wl_document_missing(ret), &a->arena, ret,
				       reterr);
	if (r == WL_OK) { /* the reader, after an index that turned out to be damaged */
		a->stats.reader = wl_session_trace(a->opened[i].session)->reader;
		return WL_OK;
	}
	if (a->traces.n == 1)
		return wl_fail(reterr, r, "%s", why.msg);
	/*
	 * Some traces may lack a rank or a GPU that others have. A selection that none has is a
	 * slip of the command line, and status 2 as for one trace: an empty answer with status 0
	 * passes for a result in scripts.
	 */
	a->n_unmatched += r == WL_E_NOMATCH;
	if (r == WL_E_NODATA || (r == WL_E_NOMATCH && a->n_unmatched < a->traces.n))
		return wl_join_missing(&a->request, path, why.msg, &a->arena, ret, reterr);
	return wl_fail(reterr, r, "%.200s: %s", path, why.msg);
}

/* The parameter of the verb with this key, which it has. */
static size_t param_called(const struct wl_analysis *of, const char *key)
{
	size_t k = 0;

	while (k < of->n_params && strcmp(of->params[k].key, key) != 0)
		k++;
	return k;
}

/*
 * The answers that the chart of several traces asks for besides; NULL for none. It costs a pass
 * over the operations of each trace and none over its file, which stays loaded.
 */
static int run_members(struct answering *a, struct wl_document **ret, struct wl_err *reterr)
{
	const struct wl_chart *chart = a->request.analysis->joined_chart;
	const struct wl_chart_members *members = chart ? chart->members : NULL;
	const struct wl_view_opts view = a->request.view;
	struct wl_document *docs;
	size_t k;
	int r = WL_OK;

	*ret = NULL;
	if (!members)
		return WL_OK;
	k = param_called(a->request.analysis, members->option);
	docs = WL_NEW(&a->arena, struct wl_document, a->traces.n);
	if (!docs)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the answer");
	a->n_unmatched = 0;
	a->request.view = (struct wl_view_opts){ .where = NULL }; /* it is of other columns */
	for (size_t i = 0; r == WL_OK && i < a->traces.n; i++) {
		const char *given = a->traces.trace[i].args[k];

		a->traces.trace[i].args[k] = members->value;
		r = run(a, i, &docs[i], reterr);
		a->traces.trace[i].args[k] = given;
	}
	a->request.view = view;
	*ret = docs;
	return r;
}

static int join_all(struct answering *a, const struct wl_document *docs, struct wl_document *ret,
		    struct wl_err *reterr)
{
	struct wl_document *members;
	int r;

	if (a->request.document)
		return wl_several_join(&a->request, docs, a->traces.n, &a->arena, ret, reterr);
	r = run_members(a, &members, reterr);
	return r < 0 ? r : wl_join(&a->request, docs, members, a->traces.n, &a->arena, ret, reterr);
}

/* One trace after the other; what is joined borrows from all of them. */
static int run_all(struct answering *a, struct wl_document *ret, struct wl_err *reterr)
{
	struct wl_document *docs = WL_NEW(&a->arena, struct wl_document, a->traces.n);
	bool is_open = a->opened != NULL;
	int r = WL_OK;

	if (!is_open)
		a->opened = WL_NEW(&a->arena, struct wl_opened, a->traces.n);
	if (!docs || !a->opened)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the answer");
	a->n_unmatched = 0;
	for (size_t i = 0; r == WL_OK && i < a->traces.n; i++) {
		if (!is_open)
			r = load(a, i, reterr);
		if (r == WL_OK)
			r = run(a, i, &docs[i], reterr);
	}
	if (r == WL_OK && a->traces.n > 1)
		return join_all(a, docs, ret, reterr);
	if (r == WL_OK)
		*ret = docs[0];
	return r;
}

/* The answer of each file; those that ask for an option have all rows and columns. */
static int write_results(struct answering *a, struct wl_err *reterr)
{
	const struct wl_result *all = a->inv->verb.analysis->results;
	struct wl_document doc;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && all[i].file; i++) {
		const struct wl_implied back = { all[i].option.key, NULL };

		a->result = all[i].option.key ? &all[i] : NULL;
		set_option(a, &all[i].option);
		r = run_all(a, &doc, reterr);
		set_option(a, &back);
		if (r == WL_OK)
			r = wl_print_result(&a->printing, all[i].file, &doc, reterr);
		if (r == WL_OK && i == 0 && !a->printing.shows_too && !a->inv->opt.quiet)
			wl_render_frame(&doc, &a->printing.opts, stderr);
	}
	a->result = NULL;
	return r;
}

static int answer(struct answering *a, struct wl_err *reterr)
{
	bool to_dir;
	struct wl_document doc;
	int r = prepare(a, reterr);

	if (r < 0)
		return r;
	to_dir = a->printing.dir != NULL;
	if (!to_dir || a->printing.shows_too)
		r = run_all(a, &doc, reterr);
	if (r < 0)
		return r;
	if (a->look && (!to_dir || a->printing.shows_too))
		a->look->look(a->look->ctx, &doc, &a->arena);
	wl_costs_begin(&a->stats);
	if (!to_dir || a->printing.shows_too)
		r = wl_print(&a->printing, &doc, reterr);
	if (r == WL_OK && to_dir)
		r = write_results(a, reterr);
	wl_costs_end(&a->stats, WL_COSTS_PRINT);
	if (r == WL_OK)
		wl_costs_print(&a->stats, stderr);
	return r;
}

/* Files that are one job in one answer, or each of them: wl_opened_either(). */
static int answer_as(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
		     struct wl_err *reterr)
{
	struct answering a = { .inv = inv,
			       .look = ctx,
			       .budget = { .limit = inv->opt.memory },
			       .stats = { .on = inv->opt.stats } };
	int r;

	wl_arena_init_on(&a.arena, &a.budget);
	r = answer(&a, reterr);
	/* Only the table of several traces may have what is asked, such as its column "trace". */
	if (r == WL_E_USAGE && !a.opened && inv->may_separate)
		r = WL_E_NOJOB;
	if (r == WL_E_NOJOB && a.opened && inv->may_separate)
		wl_opened_keep(&a.opened[0], ret_exports);
	for (size_t i = 0; a.opened && i < a.traces.n; i++)
		wl_opened_release(&a.opened[i]);
	wl_arena_release(&a.arena);
	wl_pool_free(a.pool);
	wl_docs_release(&a.docs);
	return r;
}

int wl_answer_looked_at(const struct wl_invocation *inv, const struct wl_answer_look *look)
{
	struct wl_answer_look copy = look ? *look : (struct wl_answer_look){ .look = NULL };
	struct wl_err err;
	int r = wl_opened_either(inv, answer_as, look ? &copy : NULL, &err);

	if (r < 0 && look && look->failed && look->failed(look->ctx, &err))
		return 0;
	return r < 0 ? wl_report_failure(&err) : 0;
}

int wl_answer(const struct wl_invocation *inv)
{
	return wl_answer_looked_at(inv, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/ncu_trace.h"

#include <stdio.h>

#include "base/process/pool.h"
#include "cli/docs.h"
#include "cli/ncu_doc.h"
#include "cli/open.h"
#include "cli/print.h"

struct joining {
	const struct wl_invocation *inv;
	const char *trace;
	struct wl_docs docs; /* of the first parameter of the analysis */
	struct wl_printing print;
	struct wl_request request;
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_costs costs;
};

/* Whatever is wrong is said before the trace is looked at. */
static int prepare(struct joining *j, const char *by, struct wl_err *reterr)
{
	const struct wl_invocation *inv = j->inv;
	int r = WL_OK;

	if (inv->n_operands != 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "ncu takes one report, but %zu were given; usage: warplens ncu FILE "
			       "--trace TRACE",
			       inv->n_operands);
	if (by || inv->opt.section)
		return wl_fail(reterr, WL_E_USAGE, "--%s: not with --trace, which has one table",
			       by ? "by" : "section");
	r = wl_printing_init(&j->print, inv, reterr);
	if (r == WL_OK)
		r = wl_printing_spares(&j->print, inv->operand[0], reterr);
	if (r == WL_OK)
		r = wl_printing_spares(&j->print, j->trace, reterr);
	if (r == WL_OK)
		r = wl_ncu_doc_read(inv->operand[0], &j->docs.param[0], reterr);
	if (r < 0)
		return r;
	j->pool = wl_pool_option(inv);
	j->request = wl_opened_request(inv, &j->docs, j->pool);
	j->request.analysis = wl_analysis_get("joined");
	j->request.docs = j->docs.param;
	j->request.args = NULL;
	j->request.view = wl_printing_view(&j->print);
	return wl_request_check(&j->request, reterr);
}

static int show(struct joining *j, const char *by, struct wl_err *reterr)
{
	const struct wl_opening how = { j->inv, j->pool, &j->budget, &j->costs };
	struct wl_document doc;
	int r = prepare(j, by, reterr);

	if (r == WL_OK)
		r = wl_opened_load(&j->opened, j->trace, &how, &j->request, reterr);
	if (r < 0)
		return r;
	wl_costs_begin(&j->costs);
	r = wl_session_run(j->opened.session, &j->request, &j->arena, &doc, reterr);
	wl_costs_end(&j->costs, WL_COSTS_COMPUTE);
	wl_progress_end(&j->opened.progress);
	wl_opened_note_index(&j->opened);
	if (r == WL_OK)
		r = wl_print(&j->print, &doc, reterr);
	if (r == WL_OK)
		wl_costs_print(&j->costs, stderr);
	return r;
}

int wl_ncu_join_show(const struct wl_invocation *inv, const char *trace, const char *by,
		     struct wl_err *reterr)
{
	struct joining j = { .inv = inv,
			     .trace = trace,
			     .budget = { .limit = inv->opt.memory },
			     .costs = { .on = inv->opt.stats } };
	int r;

	wl_arena_init_on(&j.arena, &j.budget);
	r = show(&j, by, reterr);
	wl_opened_release(&j.opened);
	wl_arena_release(&j.arena);
	wl_pool_free(j.pool);
	wl_docs_release(&j.docs);
	return r;
}

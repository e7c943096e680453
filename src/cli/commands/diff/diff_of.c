/* SPDX-License-Identifier: MIT */
#include "cli/commands/diff/diff_of.h"

#include "cli/open.h"
#include "compare/diff/beside.h"
#include "table/chart.h"

enum { N_TRACES = 2 };

/* Drawn where the tables have its columns: of call stacks. */
static const struct wl_chart stacks = {
	.kind = WL_CHART_FLAME,
	.title = "Flame graph of both runs",
	.shows = "A box per function, as wide as its time in both runs together, below its caller. "
		 "Colours say which run has more.",
	.label = "function",
	.group = "module",
	.parts = { "total_before", "self_before", "total_after", "self_after" },
	.wide = true,
};

struct asking {
	struct wl_siding *siding;
	const struct wl_printing *print;
	struct wl_request request;
	const char *args[WL_MAX_PARAMS];
	struct wl_opened opened[N_TRACES]; /* open until the answer, which borrows, is printed */
	struct wl_document doc[N_TRACES];
};

/*
 * An analysis that needs no more than a trace, and what an alias of it implies. Arguments of the
 * verb cannot be given beside those of diff.
 */
static int choose(struct asking *a, const char *name, struct wl_err *reterr)
{
	struct wl_verb verb;

	if (!wl_verb_find(name, &verb) || !verb.analysis) {
		const char *nearest = wl_verb_nearest(name);

		return wl_fail(reterr, WL_E_USAGE, "--of %.60s: no verb with a table%s%s", name,
			       nearest ? "; did you mean " : "", nearest ? nearest : "");
	}
	for (size_t i = 0; i < verb.analysis->n_params; i++) {
		if (verb.analysis->params[i].operand)
			return wl_fail(reterr, WL_E_USAGE, "--of %.60s: this verb needs %s", name,
				       verb.analysis->params[i].key);
		a->args[i] = wl_alias_value(verb.alias, verb.analysis->params[i].key);
	}
	a->request = wl_opened_request(a->siding->inv, &a->siding->docs, a->siding->pool);
	a->request.analysis = verb.analysis;
	a->request.args = a->args;
	return wl_request_check(&a->request, reterr);
}

static int ask(struct asking *a, size_t i, struct wl_err *reterr)
{
	const char *path = wl_side_operand(a->siding->inv, i);
	struct wl_request side = wl_side_request(a->siding, i);
	struct wl_err why;
	int r;

	a->request.selection = side.selection;
	a->request.marker = side.marker;
	r = wl_side_open(a->siding, path, &a->request, &a->opened[i], reterr);

	if (r < 0)
		return r;
	r = wl_session_run(a->opened[i].session, &a->request, &a->siding->arena, &a->doc[i], &why);
	wl_progress_end(&a->opened[i].progress);
	wl_opened_note_index(&a->opened[i]);
	return r < 0 ? wl_fail(reterr, r, "%.200s: %s", path, why.msg) : WL_OK;
}

static int print(struct asking *a, struct wl_err *reterr)
{
	const struct wl_view_opts opts = wl_printing_view(a->print);
	struct wl_section section = { .analysis = a->request.analysis->name, .chart = &stacks };
	struct wl_document doc = a->doc[0];
	struct wl_table table;
	int r = wl_tables_beside(a->doc[0].sections[0].view.table, a->doc[1].sections[0].view.table,
				 &a->siding->arena, &table, reterr);

	if (r == WL_OK)
		r = wl_view_make(&table, &opts, &a->siding->arena, &section.view, reterr);
	if (r < 0)
		return r;
	doc.name = "diff";
	doc.sections = &section;
	doc.traces = a->doc;
	doc.n_traces = N_TRACES;
	return wl_print(a->print, &doc, reterr);
}

int wl_diff_of(struct wl_siding *siding, const struct wl_printing *printing, const char *verb,
	       struct wl_err *reterr)
{
	struct asking a = { .siding = siding, .print = printing };
	int r = choose(&a, verb, reterr);

	for (size_t i = 0; r == WL_OK && i < N_TRACES; i++)
		r = ask(&a, i, reterr);
	if (r == WL_OK)
		r = print(&a, reterr);
	for (size_t i = 0; i < N_TRACES; i++)
		wl_opened_release(&a.opened[i]);
	return r;
}

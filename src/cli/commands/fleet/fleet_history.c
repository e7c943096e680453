/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_history.h"

#include <string.h>

#include "base/clock.h"
#include "cli/commands/fleet/fleet_verdict.h"
#include "fleet/past/acks.h"
#include "fleet/past/page.h"

void wl_fleet_history_init(struct wl_fleet_history *h, struct wl_arena *arena)
{
	*h = (struct wl_fleet_history){ .arena = arena };
	for (size_t i = 0; i < WL_N_PAST_TABLES; i++)
		wl_table_init(&h->table[i], arena, wl_past_tables[i].cols,
			      wl_past_tables[i].n_cols);
}

static int make_section(struct wl_fleet_history *h, enum wl_past_table which,
			struct wl_section *ret, struct wl_err *reterr)
{
	struct wl_view_opts opts = wl_printing_view(&h->print);
	int r;

	/* Programs get all columns. */
	if (h->columns && !opts.columns && h->print.format->for_people &&
	    (which == WL_PAST_NEWEST || which == WL_PAST_CHANGES))
		opts.columns = h->columns;
	if (!wl_table_ok(&h->table[which]))
		return wl_fail(reterr, WL_E_NOMEM, "fleet: no memory for the answer");
	*ret = (struct wl_section){ .analysis = wl_past_tables[which].name };
	if (which >= WL_PAST_SERIES)
		ret->chart = wl_page_chart((enum wl_page_table)(which - WL_PAST_SERIES));
	r = wl_view_make(&h->table[which], &opts, h->arena, &ret->view, reterr);
	if (r == WL_OK)
		wl_view_note_none(&ret->view, &h->table[which]);
	return r;
}

int wl_fleet_print(struct wl_fleet_history *h, const enum wl_past_table *which, size_t n,
		   const char *lead, struct wl_err *reterr)
{
	const char *only = h->section;
	struct wl_section section[WL_N_PAST_TABLES];
	struct wl_document doc = {
		.name = "fleet", .n_devices = -1, .sections = section, .lead = lead
	};
	int r = WL_OK;

	if (!only && n > 1 && wl_printing_has_view(&h->print))
		return wl_fail(reterr, WL_E_USAGE,
			       "this answer has several tables; --where, --sort and --columns need "
			       "--section NAME");
	if (!only && !h->print.format->whole)
		only = wl_past_tables[which[0]].name;
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		if (only && strcmp(only, wl_past_tables[which[i]].name) != 0)
			continue;
		r = make_section(h, which[i], &section[doc.n_sections], reterr);
		section[doc.n_sections++].title =
			only || n == 1 ? NULL : wl_past_tables[which[i]].title;
	}
	if (r == WL_OK && doc.n_sections == 0)
		return wl_fail(reterr, WL_E_USAGE, "--section %.60s: the first table here is %s",
			       only, wl_past_tables[which[0]].name);
	doc.single = doc.n_sections == 1;
	return r < 0 ? r : wl_print(&h->print, &doc, reterr);
}

static struct wl_past_judging judging(struct wl_fleet_history *h)
{
	return (struct wl_past_judging){
		.store = h->store,
		.opts = h->opts,
		.n_movers = h->n_movers,
		.arena = h->arena,
		.newest = &h->table[WL_PAST_NEWEST],
		.verdicts = &h->verdicts,
	};
}

/*
 * Verdicts of the usual options are stored. A user who may only read gets the answer all the same.
 * With --branch a run is compared with other runs before it, and a stored verdict is the same for
 * all users.
 */
static void store_verdicts(struct wl_fleet_history *h, const struct wl_past_judging *j,
			   const struct wl_past *past)
{
	struct wl_err err;

	if (!h->filter.branch && wl_fleet_is_usual(&j->opts) &&
	    wl_past_verdicts_store(j->store, past, j->verdicts, j->arena, &err) < 0)
		wl_table_note(j->newest, "the verdicts are not stored: %.300s", err.msg);
}

int wl_fleet_read(struct wl_fleet_history *h, struct wl_past *ret, struct wl_err *reterr)
{
	const struct wl_past_filter *f = &h->filter;
	int r = wl_past_read(h->store, f, h->arena, ret, reterr);

	if (r < 0 || ret->n)
		return r;
	if (f->project || f->config || f->branch || f->id)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "no run of database %s matches; see \"warplens fleet list\"",
			       h->store->database);
	return WL_OK;
}

int wl_fleet_list(struct wl_fleet_history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_RUNS };
	struct wl_past past;
	int r = wl_fleet_read(h, &past, reterr);

	if (r < 0)
		return r;
	wl_past_put_runs(&h->table[WL_PAST_RUNS], &past);
	return wl_fleet_print(h, which, WL_COUNT(which), NULL, reterr);
}

int wl_fleet_judge(struct wl_fleet_history *h, const struct wl_past *past,
		   struct wl_past_judging *ret, struct wl_err *reterr)
{
	int r;

	*ret = judging(h);
	ret->changes = &h->table[WL_PAST_CHANGES];
	ret->movers = &h->table[WL_PAST_MOVERS];
	r = wl_past_judge(ret, past, reterr);
	if (r == WL_OK)
		store_verdicts(h, ret, past);
	return r;
}

int wl_fleet_regressions(struct wl_fleet_history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_CHANGES, WL_PAST_MOVERS,
						    WL_PAST_NEWEST };
	struct wl_past_judging j;
	struct wl_past past;
	int r = wl_fleet_read(h, &past, reterr);

	if (r == WL_OK)
		r = wl_fleet_judge(h, &past, &j, reterr);
	return r < 0 ? r : wl_fleet_print(h, which, WL_COUNT(which), NULL, reterr);
}

/* The run whose id begins so, among all of its series. */
static int find_run(struct wl_fleet_history *h, const char *id, struct wl_past *past, size_t *ret,
		    struct wl_err *reterr)
{
	size_t n = 0;
	int r = wl_fleet_read(h, past, reterr);

	for (size_t i = 0; r == WL_OK && i < past->n; i++)
		if (strncmp(past->run[i].id, id, strlen(id)) == 0) {
			*ret = i;
			n++;
		}
	if (r == WL_OK && n != 1)
		return wl_fail(reterr, WL_E_NOMATCH,
			       n ? "%zu runs begin with %.40s; give more of the id"
				 : "%zu runs begin with %.40s; see \"warplens fleet list\"",
			       n, id);
	return r;
}

int wl_fleet_show(struct wl_fleet_history *h, const char *id, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_RUNS, WL_PAST_NEWEST, WL_PAST_MOVERS };
	struct wl_past_judging j = judging(h);
	struct wl_past past, one;
	size_t run = 0;
	int r = find_run(h, id, &past, &run, reterr);

	if (r < 0)
		return r;
	j.movers = &h->table[WL_PAST_MOVERS];
	one = (struct wl_past){ .run = &past.run[run], .n = 1 };
	wl_past_put_runs(&h->table[WL_PAST_RUNS], &one);
	r = wl_past_judge_run(&j, &past, run, reterr);
	if (r == WL_E_NODATA) /* without steps it is shown all the same */
		r = WL_OK;
	return r < 0 ? r : wl_fleet_print(h, which, WL_COUNT(which), NULL, reterr);
}

/* What the gate says, and what to do where a change is open. */
static void say_gate(struct wl_fleet_history *h, const struct wl_past_judging *j)
{
	if (j->n_slower)
		wl_table_note(j->newest,
			      "a series that became slower stays so until its runs are "
			      "back, or \"warplens fleet ack RUN\" accepts the new level");
	else
		wl_table_note(j->newest,
			      "gate %s: of %zu newest run%s %zu %s slower, %zu not certain",
			      j->n_unsure ? "inconclusive" : "passed", j->n_series,
			      j->n_series == 1 ? "" : "s", j->n_slower,
			      j->n_slower == 1 ? "is" : "are", j->n_unsure);
	h->status = j->n_slower ? 1 : j->n_unsure ? 4 : 0;
}

int wl_fleet_ack(struct wl_fleet_history *h, const char *id, const char *who, const char *why,
		 struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_RUNS };
	struct wl_past past, one;
	struct wl_past_run *run;
	size_t i = 0;
	int r = find_run(h, id, &past, &i, reterr);

	if (r < 0)
		return r;
	run = &past.run[i];
	one = (struct wl_past){ .run = run, .n = 1 };
	if (run->acked_ms && strcmp(run->acked_by, who) == 0 && strcmp(run->acked_why, why) == 0) {
		wl_table_note(&h->table[WL_PAST_RUNS], "it was acknowledged before");
	} else {
		run->acked_by = who;
		run->acked_why = why;
		run->acked_ms = wl_clock_utc_ms();
		r = wl_past_ack_store(h->store, run, reterr);
	}
	wl_past_put_runs(&h->table[WL_PAST_RUNS], &one);
	return r < 0 ? r : wl_fleet_print(h, which, WL_COUNT(which), NULL, reterr);
}

int wl_fleet_gate(struct wl_fleet_history *h, const char *id, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_NEWEST, WL_PAST_MOVERS };
	struct wl_past_judging j = judging(h);
	struct wl_past past;
	size_t run = 0;
	int r = id ? find_run(h, id, &past, &run, reterr) : wl_fleet_read(h, &past, reterr);

	if (r == WL_OK && id) {
		j.movers = &h->table[WL_PAST_MOVERS];
		r = wl_past_judge_run(&j, &past, run, reterr);
	} else if (r == WL_OK) {
		r = wl_past_judge(&j, &past, reterr);
	}
	if (r == WL_OK && j.n_series == 0)
		return wl_fail(reterr, WL_E_NODATA, "no run with steps to judge");
	if (r == WL_OK)
		store_verdicts(h, &j, &past);
	if (r == WL_OK)
		say_gate(h, &j);
	return r < 0 ? r : wl_fleet_print(h, which, id ? 2 : 1, NULL, reterr);
}

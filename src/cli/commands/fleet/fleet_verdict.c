/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/units.h"

bool wl_fleet_is_usual(const struct wl_hist_opts *opts)
{
	return opts->baseline == WL_HIST_BASELINE && fabs(opts->threshold - 0.01) < 1e-9;
}

/* Ids come from facts and servers. */
static void put_run(const char *id)
{
	(void)fputs("run ", stdout);
	wl_put_clean_part(stdout, id, 12);
	(void)fputs(": ", stdout);
}

/* "run 4a71c3d20b9e: slower, 55.1 ms (+10.2%) after 50 ms of 10 runs" */
static void print_line(const char *id, const char *name, const struct wl_hist_verdict *v)
{
	char before[WL_UNITS_BUF], after[WL_UNITS_BUF], ratio[WL_UNITS_BUF];
	const struct wl_judgement *j = &v->judged;

	put_run(id);
	(void)fputs(name, stdout);
	if (v->is_sufficient && j->before > 0)
		(void)printf(
			", %s (%s%s) against %s of %zu runs",
			wl_fmt_ns(after, j->after, WL_UNIT_AUTO), j->after >= j->before ? "+" : "",
			wl_fmt_ratio(ratio, (double)(j->after - j->before) / (double)j->before),
			wl_fmt_ns(before, j->before, WL_UNIT_AUTO), v->at - v->from);
	(void)putchar('\n');
}

/* Judge a run of past. A run without steps has no verdict. */
static int judge(struct wl_past_judging *j, const struct wl_past *past, size_t run,
		 struct wl_err *reterr)
{
	int r = wl_past_judge_run(j, past, run, reterr);

	if (r == WL_E_NODATA) {
		put_run(past->run[run].id);
		(void)puts("no steps");
		return WL_OK;
	}
	if (r < 0)
		return r;
	print_line(past->run[run].id, j->verdicts->first->name, &j->verdicts->first->judged);
	if (!wl_fleet_is_usual(&j->opts))
		return WL_OK;
	return wl_past_verdicts_store(j->store, past, j->verdicts, j->arena, reterr);
}

int wl_fleet_judge_pushed(const struct wl_store *store, const struct wl_facts *facts,
			  const struct wl_hist_opts *opts, struct wl_budget *budget,
			  struct wl_err *reterr)
{
	const struct wl_past_filter filter = {
		.project = wl_facts_str(facts, WL_FACTS_RUNS_PROJECT, 0),
		.config = wl_facts_str(facts, WL_FACTS_RUNS_CONFIG, 0),
		.gpu = wl_facts_str(facts, WL_FACTS_RUNS_GPU, 0),
	};
	const char *id = wl_facts_str(facts, WL_FACTS_RUNS_RUN_ID, 0);
	struct wl_past_verdicts verdicts = { 0 };
	struct wl_arena arena;
	struct wl_past past;
	int r;

	wl_arena_init_on(&arena, budget);
	r = wl_past_read(store, &filter, &arena, &past, reterr);
	for (size_t i = 0; r == WL_OK && i < past.n; i++) {
		struct wl_past_judging j = {
			.store = store, .opts = *opts, .arena = &arena, .verdicts = &verdicts
		};

		if (strcmp(past.run[i].id, id) == 0)
			r = judge(&j, &past, i, reterr);
	}
	wl_arena_release(&arena);
	return r;
}

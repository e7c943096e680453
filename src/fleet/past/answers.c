/* SPDX-License-Identifier: MIT */
#include "fleet/past/answers.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/history/newest.h"
#include "fleet/past/page.h"

enum { RUN, BEGIN, PROJECT, CONFIG, GPU, WORLD, RUN_ID, N_SERIES_COLS };
enum { BRANCH = N_SERIES_COLS, SHA, RANKS, STEPS, STEP, JOB, ACKED, N_RUN_COLS };
enum {
	VERDICT = N_SERIES_COLS,
	BEFORE,
	AFTER,
	CHANGE,
	RATIO,
	LOW,
	HIGH,
	NOISE,
	N_BEFORE,
	N_AFTER,
	CONFIRMED,
	CHANGE_SHA,
	STATE,
	SINCE,
	CHANGE_ACKED,
	N_CHANGE_COLS
};
enum {
	MOVER_RUN,
	MOVER_BY,
	MOVER_NAME,
	MOVER_BEFORE,
	MOVER_AFTER,
	MOVER_CHANGE,
	MOVER_COUNT,
	MOVER_DURATION,
	N_MOVER_COLS
};

#define RUN_COL(help)                                                                              \
	[RUN] = { "run", "Run", WL_T_STR, WL_KEY, help }, /* */                                    \
		[BEGIN] = { "begin", "Begin", WL_T_STR, WL_PLAIN,                                  \
			    "When the capture of its first rank began, in UTC." }
#define SERIES_COLS                                                                                \
	[PROJECT] = { "project", "Project", WL_T_STR, WL_PLAIN, "Project." },                      \
	[CONFIG] = { "config", "Config", WL_T_STR, WL_MINOR, "Configuration." },                   \
	[GPU] = { "gpu", "GPU", WL_T_STR, WL_MINOR, "The model of the first GPU." },               \
	[WORLD] = { "world", "World", WL_T_COUNT, WL_MINOR, "Ranks of the job." },                 \
	[RUN_ID] = { "run_id", "Id", WL_T_STR, WL_MINOR, "The whole id of the run." }
#define ACKED_COL(help) "acknowledged", "Acknowledged", WL_T_STR, WL_MINOR, help
#define SHA_COL                                                                                    \
	{                                                                                          \
		"sha", "Commit", WL_T_STR, WL_PLAIN, "Commit of the run."                          \
	}

static const struct wl_col run_cols[N_RUN_COLS] = {
	RUN_COL("The run: how its id begins."),
	SERIES_COLS,
	[BRANCH] = { "branch", "Branch", WL_T_STR, WL_MINOR, "Branch." },
	[SHA] = SHA_COL,
	[RANKS] = { "ranks", "Ranks", WL_T_COUNT, WL_PLAIN, "Ranks that have facts." },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_MINOR, "Steps of the rank that has most." },
	[STEP] = { "step", "Step", WL_T_NS, WL_PLAIN,
		   "Median over steps of the longest period of any rank." },
	[JOB] = { "job", "Job", WL_T_STR, WL_MINOR, "Job, as the scheduler names it." },
	[ACKED] = { ACKED_COL(
		"When the level from this run on was accepted, who did it, and why.") },
};

#define CHANGE_COLS                                                                                \
	SERIES_COLS,                                                                               \
		[VERDICT] = { "verdict", "Verdict", WL_T_ENUM, WL_PLAIN,                           \
			      "slower, faster, same, inconclusive; insufficient: fewer than 5 "    \
			      "runs before; acknowledged: the level from this run on was "         \
			      "accepted." },                                                       \
		[BEFORE] = { "before", "Before", WL_T_NS, WL_PLAIN,                                \
			     "Median of the runs before." },                                       \
		[AFTER] = { "after", "After", WL_T_NS, WL_PLAIN,                                   \
			    "Median of the runs from here on." },                                  \
		[CHANGE] = { "change", "Change", WL_T_NS, WL_CHANGE, "after - before." },          \
		[RATIO] = { "change_ratio", "Change %", WL_T_RATIO, WL_CHANGE,                     \
			    "The change relative to before." },                                    \
		[LOW] = { "low", "Low", WL_T_NS, WL_MINOR | WL_CHANGE,                             \
			  "Lower end of the 95% interval of the change." },                        \
		[HIGH] = { "high", "High", WL_T_NS, WL_MINOR | WL_CHANGE,                          \
			   "Upper end of that interval." },                                        \
		[NOISE] = { "noise", "Noise", WL_T_RATIO, WL_MINOR,                                \
			    "Standard deviation of run values, relative to before." },             \
		[N_BEFORE] = { "n_before", "Runs", WL_T_COUNT, WL_MINOR, "Runs before." },         \
		[N_AFTER] = { "n_after", "Runs after", WL_T_COUNT, WL_MINOR,                       \
			      "Runs from here on." },                                              \
		[CONFIRMED] = { "confirmed", "Confirmed", WL_T_STR, WL_MINOR,                      \
				"The run with which the change was certain." },                    \
		[CHANGE_SHA] = SHA_COL,                                                            \
		[STATE] = { "state", "State", WL_T_ENUM, WL_PLAIN,                                 \
			    "open: slower until it is acknowledged or over; acknowledged; over: "  \
			    "later runs are back, or it is faster." },                             \
		[SINCE] = { "since", "Since", WL_T_STR, WL_MINOR,                                  \
			    "The first run of the open change that the run belongs to." },         \
		[CHANGE_ACKED] = { ACKED_COL(                                                      \
			"When the change was acknowledged, who did it, and why.") }

static const struct wl_col change_cols[N_CHANGE_COLS] = {
	RUN_COL("The first run of the change."),
	CHANGE_COLS,
};

static const struct wl_col newest_cols[N_CHANGE_COLS] = {
	RUN_COL("The newest run of its series, or the one that was asked for."),
	CHANGE_COLS,
};

static const struct wl_col mover_cols[N_MOVER_COLS] = {
	[MOVER_RUN] = { "run", "Run", WL_T_STR, WL_KEY, "The run that is judged." },
	[MOVER_BY] = { "by", "By", WL_T_ENUM, WL_KEY, "operation, rank or host." },
	[MOVER_NAME] = { "name", "Name", WL_T_STR, WL_KEY, "The operation, rank or host." },
	[MOVER_BEFORE] = { "before", "Before", WL_T_NS, WL_PLAIN,
			   "Per step, mean over the runs before." },
	[MOVER_AFTER] = { "after", "After", WL_T_NS, WL_PLAIN,
			  "Per step, mean over the runs from there on." },
	[MOVER_CHANGE] = { "change", "Change", WL_T_NS, WL_CHANGE, "after - before." },
	[MOVER_COUNT] = { "count_effect", "By count", WL_T_NS, WL_CHANGE | WL_MINOR,
			  "Because it runs more or less often." },
	[MOVER_DURATION] = { "duration_effect", "By duration", WL_T_NS, WL_CHANGE | WL_MINOR,
			     "Because each takes longer or shorter." },
};

const struct wl_table_info wl_past_tables[WL_N_PAST_TABLES + 1] = {
	[WL_PAST_RUNS] = { "runs", "Runs", run_cols, N_RUN_COLS },
	[WL_PAST_CHANGES] = { "changes", "Changes of the step time", change_cols, N_CHANGE_COLS },
	[WL_PAST_NEWEST] = { "newest", "Newest runs", newest_cols, N_CHANGE_COLS },
	[WL_PAST_MOVERS] = { "movers", "What changed", mover_cols, N_MOVER_COLS },
	[WL_PAST_SERIES] = { "series", "Step time by run", wl_page_series_cols,
			     WL_PAGE_SERIES_COLS },
	[WL_PAST_LATE] = { "late", "Slow ranks and hosts", wl_page_late_cols, WL_PAGE_LATE_COLS },
	[WL_PAST_COVERAGE] = { "coverage", "Coverage", wl_page_coverage_cols,
			       WL_PAGE_COVERAGE_COLS },
};

static const char *or_none(const char *text)
{
	return text[0] ? text : NULL;
}

/* As many digits as a line has room for and no two runs share. */
static void put_id(struct wl_table *out, size_t col, const struct wl_past_run *run)
{
	char begin[13];

	(void)snprintf(begin, sizeof(begin), "%s", run->id);
	wl_put_copy(out, col, begin);
	wl_table_show_whole(out, col); /* people copy it */
}

static void put_series(struct wl_table *out, const struct wl_past_run *run)
{
	char date[32];

	wl_table_row(out);
	put_id(out, RUN, run);
	wl_put_str(out, RUN_ID, run->id);
	if (run->t_ms > 0 && wl_clock_date(run->t_ms, date)) {
		date[strlen("2026-10-21 07:28")] = '\0';
		wl_put_copy(out, BEGIN, date);
		wl_table_show_whole(out, BEGIN);
	}
	wl_put_str(out, PROJECT, or_none(run->project));
	wl_put_str(out, CONFIG, or_none(run->config));
	wl_put_str(out, GPU, or_none(run->gpu));
	wl_put_i64(out, WORLD, run->world);
}

/* "2026-10-21 07:28 ana: another data set" */
static void put_ack(struct wl_table *out, size_t col, const struct wl_past_run *run)
{
	char date[32], text[400];

	if (!run->acked_ms || !wl_clock_date(run->acked_ms, date))
		return;
	date[strlen("2026-10-21 07:28")] = '\0';
	(void)snprintf(text, sizeof(text), "%s%s%.100s%s%.200s", date, *run->acked_by ? " " : "",
		       run->acked_by, *run->acked_why ? ": " : "", run->acked_why);
	wl_put_copy(out, col, text);
}

/* Ids order such runs, and ids are no time: which one is the newest is chance. */
static void note_ties(struct wl_table *out, const struct wl_past *past)
{
	size_t n = 0, first = 0;

	for (size_t i = 1; i < past->n; i++) {
		if (past->run[i].t_ms != past->run[i - 1].t_ms ||
		    wl_past_series_end(past, i - 1) == i)
			continue;
		first = n++ ? first : i - 1;
	}
	if (n)
		wl_table_note(out,
			      "%zu run%s began in the same millisecond as another of the series, "
			      "such as %.12s and %.12s: their order is that of their ids",
			      n, n == 1 ? "" : "s", past->run[first].id, past->run[first + 1].id);
}

void wl_past_put_runs(struct wl_table *out, const struct wl_past *past)
{
	for (size_t i = 0; i < past->n; i++) {
		const struct wl_past_run *run = &past->run[i];

		put_series(out, run);
		wl_put_str(out, BRANCH, or_none(run->branch));
		wl_put_str(out, SHA, or_none(run->sha));
		wl_put_i64(out, RANKS, run->ranks);
		wl_put_i64(out, STEPS, run->steps);
		if (run->step > 0)
			wl_put_i64(out, STEP, run->step);
		wl_put_str(out, JOB, or_none(run->job));
		put_ack(out, ACKED, run);
	}
	note_ties(out, past);
	if (past->n_open)
		wl_table_note(
			out, "%zu run%s not complete: a push was interrupted; push the facts again",
			past->n_open, past->n_open == 1 ? " is" : "s are");
}

/* The runs of a series that have steps, and their values. */
struct series {
	struct wl_past_run *run;
	int64_t *value;
	bool *is_acked;
	size_t n;
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for the history of runs");
}

static int take_series(const struct wl_past *past, size_t begin, size_t end, struct wl_arena *arena,
		       struct series *ret, struct wl_err *reterr)
{
	*ret = (struct series){ WL_NEW(arena, struct wl_past_run, end - begin),
				WL_NEW(arena, int64_t, end - begin),
				WL_NEW(arena, bool, end - begin), 0 };
	if (!ret->run || !ret->value || !ret->is_acked)
		return no_memory(reterr);
	for (size_t i = begin; i < end; i++) {
		/* More than 104 days are no step. */
		if (past->run[i].step <= 0 || past->run[i].step >= INT64_C(1) << 53)
			continue;
		ret->value[ret->n] = past->run[i].step;
		ret->is_acked[ret->n] = past->run[i].acked_ms != 0;
		ret->run[ret->n++] = past->run[i];
	}
	return WL_OK;
}

static void put_verdict(struct wl_table *out, const struct series *s,
			const struct wl_hist_verdict *v, const char *name)
{
	const struct wl_judgement *judged = &v->judged;

	put_series(out, &s->run[v->at]);
	wl_put_str(out, VERDICT, name);
	wl_put_i64(out, N_BEFORE, (int64_t)(v->at - v->from));
	wl_put_i64(out, N_AFTER, (int64_t)(v->end - v->at));
	wl_put_str(out, CHANGE_SHA, or_none(s->run[v->at].sha));
	if (!v->is_sufficient) {
		wl_put_i64(out, AFTER, s->value[v->at]);
		return;
	}
	wl_put_i64(out, BEFORE, judged->before);
	wl_put_i64(out, AFTER, judged->after);
	wl_put_i64(out, CHANGE, judged->after - judged->before);
	wl_put_ratio(out, RATIO, judged->after - judged->before, judged->before);
	wl_put_i64(out, LOW, judged->change.low);
	wl_put_i64(out, HIGH, judged->change.high);
	wl_put_ratio(out, NOISE, v->noise, judged->before);
}

static int put_part(struct wl_past_judging *j, const struct series *s,
		    const struct wl_hist_verdict *v, enum wl_past_part part, struct wl_err *reterr)
{
	static const char *const by[] = { "operation", "rank", "host" };
	/* Cells are numbered from the first run that is asked for. */
	const struct wl_hist_verdict groups = { .at = v->at - v->from, .end = v->end - v->from };
	struct wl_past_cells cells;
	struct wl_hist_mover *mover;
	size_t n;
	int r = wl_past_read_cells(j->store, s->run + v->from, v->end - v->from, part, j->arena,
				   &cells, reterr);

	if (r < 0)
		return r;
	if (!wl_hist_movers(cells.cell, cells.n, cells.n_names, &groups,
			    part == WL_PAST_OPS ? WL_HIST_IS_ZERO : WL_HIST_IS_OTHER, j->arena,
			    &mover, &n))
		return no_memory(reterr);
	if (part == WL_PAST_OPS && n == 0)
		wl_table_note(
			j->movers,
			"no operations of run %.12s and those before are stored; servers remove "
			"them after %u days",
			s->run[v->at].id, wl_store_days(WL_FACTS_OP_STEP));
	for (size_t i = 0; i < n && (!j->n_movers || i < j->n_movers); i++) {
		const struct wl_hist_mover *m = &mover[i];

		wl_table_row(j->movers);
		put_id(j->movers, MOVER_RUN, &s->run[v->at]);
		wl_put_str(j->movers, MOVER_BY, by[part]);
		wl_put_str(j->movers, MOVER_NAME, cells.name[m->what]);
		wl_put_i64(j->movers, MOVER_BEFORE, m->before);
		wl_put_i64(j->movers, MOVER_AFTER, m->after);
		wl_put_i64(j->movers, MOVER_CHANGE, m->change);
		if (part == WL_PAST_OPS) {
			wl_put_i64(j->movers, MOVER_COUNT, m->by_count);
			wl_put_i64(j->movers, MOVER_DURATION, m->by_duration);
		}
	}
	return WL_OK;
}

static int put_movers(struct wl_past_judging *j, const struct series *s,
		      const struct wl_hist_verdict *v, struct wl_err *reterr)
{
	int r = WL_OK;

	for (int part = 0; j->movers && v->is_sufficient && r == WL_OK && part < WL_PAST_N_PARTS;
	     part++)
		r = put_part(j, s, v, (enum wl_past_part)part, reterr);
	return r;
}

static void count(struct wl_past_judging *j, const struct wl_hist_newest *newest)
{
	int status = wl_hist_newest_status(newest);

	j->n_series++;
	j->n_slower += status == 1;
	j->n_unsure += status == 4;
}

static int keep(struct wl_past_judging *j, const struct series *s, const struct wl_hist_verdict *v,
		const char *name, bool is_change, struct wl_err *reterr)
{
	const struct wl_past_verdict one = {
		.runs = s->run, .judged = *v, .name = name, .is_change = is_change
	};

	if (!j->verdicts || wl_past_verdicts_add(j->verdicts, &one, j->arena))
		return WL_OK;
	return no_memory(reterr);
}

/* The newest run below those that it is compared with, which need not be next to each other. */
static int put_newest(struct wl_past_judging *j, const struct series *s,
		      const struct wl_hist_newest *newest, struct series *ret_groups,
		      struct wl_err *reterr)
{
	const struct wl_hist_verdict *v = &newest->verdict;
	struct series *g = ret_groups;

	*g = (struct series){ .run = WL_NEW(j->arena, struct wl_past_run, v->end),
			      .value = WL_NEW(j->arena, int64_t, v->end),
			      .n = v->end };
	if (!g->run || !g->value)
		return no_memory(reterr);
	for (size_t i = 0; i < g->n; i++) {
		g->run[i] = s->run[newest->run[i]];
		g->value[i] = s->value[newest->run[i]];
	}
	count(j, newest);
	if (j->newest) {
		put_verdict(j->newest, g, v, wl_hist_newest_name(newest));
		put_ack(j->newest, CHANGE_ACKED, &g->run[v->at]);
	}
	if (j->newest && newest->open < newest->changes.n) {
		wl_put_str(j->newest, STATE, wl_hist_state_name(WL_HIST_OPEN));
		wl_put_str(j->newest, SINCE,
			   s->run[newest->changes.change[newest->open].verdict.at].id);
	}
	return keep(j, g, v, wl_hist_newest_name(newest), false, reterr);
}

static void put_change(struct wl_table *out, const struct series *s,
		       const struct wl_hist_newest *newest, size_t i)
{
	const struct wl_hist_change *c = &newest->changes.change[i];
	size_t next = i + 1 < newest->changes.n ? newest->changes.change[i + 1].verdict.at : s->n;

	put_verdict(out, s, &c->verdict, wl_hist_verdict_name(&c->verdict));
	if (c->confirmed < s->n)
		wl_put_str(out, CONFIRMED, s->run[c->confirmed].id);
	wl_put_str(out, STATE, wl_hist_state_name(newest->state[i]));
	/* Where it was first seen, or any run since then. */
	for (size_t run = c->verdict.at > 2 ? c->verdict.at - 2 : 0; run < next; run++) {
		if (newest->state[i] == WL_HIST_ACKED && s->is_acked[run]) {
			put_ack(out, CHANGE_ACKED, &s->run[run]);
			break;
		}
	}
}

/* The changes of a series; of its newest run the verdict. */
static int judge_series(struct wl_past_judging *j, const struct series *s, struct wl_err *reterr)
{
	const struct wl_hist_runs runs = { s->value, s->is_acked, s->n };
	struct wl_hist_newest newest;
	struct series groups;
	int r = WL_OK;

	if (!wl_hist_newest(&runs, &j->opts, j->arena, &newest))
		return no_memory(reterr);
	for (size_t i = 0; r == WL_OK && i < newest.changes.n; i++) {
		const struct wl_hist_verdict *v = &newest.changes.change[i].verdict;

		if (j->changes)
			put_change(j->changes, s, &newest, i);
		r = put_movers(j, s, v, reterr);
		if (r == WL_OK)
			r = keep(j, s, v, wl_hist_verdict_name(v), true, reterr);
	}
	return r < 0 ? r : put_newest(j, s, &newest, &groups, reterr);
}

int wl_past_judge(struct wl_past_judging *j, const struct wl_past *past, struct wl_err *reterr)
{
	int r = WL_OK;

	if (j->verdicts)
		j->verdicts->has_all_changes = true;
	for (size_t begin = 0, end; r == WL_OK && begin < past->n; begin = end) {
		struct series s;

		end = wl_past_series_end(past, begin);
		r = take_series(past, begin, end, j->arena, &s, reterr);
		if (r == WL_OK && s.n)
			r = judge_series(j, &s, reterr);
	}
	/* The newest run, which the verdict is about, is one of them by chance. */
	if (r == WL_OK && j->newest)
		note_ties(j->newest, past);
	return r;
}

int wl_past_judge_run(struct wl_past_judging *j, const struct wl_past *past, size_t run,
		      struct wl_err *reterr)
{
	struct wl_hist_newest newest;
	struct series s, groups;
	size_t begin = 0;
	int r;

	while (wl_past_series_end(past, begin) <= run)
		begin = wl_past_series_end(past, begin);
	/* The runs of its series up to the run, which is the last. */
	r = take_series(past, begin, run + 1, j->arena, &s, reterr);
	if (r < 0)
		return r;
	if (!s.n || s.run[s.n - 1].id != past->run[run].id)
		return wl_fail(reterr, WL_E_NODATA, "run %.40s has no steps to judge",
			       past->run[run].id);
	if (!wl_hist_newest(&(struct wl_hist_runs){ s.value, s.is_acked, s.n }, &j->opts, j->arena,
			    &newest))
		return no_memory(reterr);
	r = put_newest(j, &s, &newest, &groups, reterr);
	return r < 0 ? r : put_movers(j, &groups, &newest.verdict, reterr);
}

/* SPDX-License-Identifier: MIT */
#include "fleet/past/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/past/ask.h"

enum { SERIES, NUMBER, RUN, BEGIN, STEP, VERDICT, CHANGED, DELTA, SHA };
enum { LATE_SERIES, LATE_RUN, RANK, HOST, CAUSED, LATENESS, WAIT, TRANSFER, CLOCK };
enum { COVER_SERIES, COVER_RUN, NAME, HAVE, OF, SHARE };

#define SERIES_COL                                                                                 \
	{                                                                                          \
		"series", "Series", WL_T_STR, WL_KEY,                                              \
			"Project, configuration, GPU and number of ranks."                         \
	}
#define RUN_COL                                                                                    \
	{                                                                                          \
		"run", "Run", WL_T_STR, WL_KEY, "The run: how its id begins."                      \
	}

const struct wl_col wl_page_series_cols[WL_PAGE_SERIES_COLS] = {
	[SERIES] = SERIES_COL,
	[NUMBER] = { "number", "No.", WL_T_COUNT, WL_NUMBER,
		     "Place of the run in its series, counted from 1." },
	[RUN] = RUN_COL,
	[BEGIN] = { "begin", "Begin", WL_T_STR, WL_PLAIN,
		    "When the capture of its first rank began, in UTC." },
	[STEP] = { "step", "Step", WL_T_NS, WL_PLAIN,
		   "Median over steps of the longest period of any rank." },
	[VERDICT] = { "verdict", "Verdict", WL_T_ENUM, WL_PLAIN,
		      "The verdict on this run alone, as it was stored." },
	[CHANGED] = { "changed", "Change", WL_T_BOOL, WL_PLAIN,
		      "From this run on the step time is another." },
	[DELTA] = { "delta", "By", WL_T_NS, WL_CHANGE,
		    "Of a change: median of the runs from here on without that of those before." },
	[SHA] = { "sha", "Commit", WL_T_STR, WL_PLAIN, "Commit of the run." },
};

const struct wl_col wl_page_late_cols[WL_PAGE_LATE_COLS] = {
	[LATE_SERIES] = SERIES_COL,
	[LATE_RUN] = RUN_COL,
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, "Rank." },
	[HOST] = { "host", "Host", WL_T_STR, WL_PLAIN, "Its host." },
	[CAUSED] = { "caused", "Caused", WL_T_NS, WL_PLAIN,
		     "Waiting of all ranks at collectives where this one arrived last." },
	[LATENESS] = { "lateness", "Lateness", WL_T_NS, WL_PLAIN,
		       "Later than the median member, over all matched collectives." },
	[WAIT] = { "wait", "Wait", WL_T_NS, WL_PLAIN,
		   "Exposed communication in which it waits for others." },
	[TRANSFER] = { "transfer", "Transfer", WL_T_NS, WL_MINOR,
		       "The rest of its exposed communication." },
	[CLOCK] = { "clock_error", "Clock error", WL_T_NS, WL_PLAIN,
		    "99th percentile of what the fit of its host's clock leaves." },
};

const struct wl_col wl_page_coverage_cols[WL_PAGE_COVERAGE_COLS] = {
	[COVER_SERIES] = SERIES_COL,
	[COVER_RUN] = RUN_COL,
	[NAME] = { "name", "Counted", WL_T_STR, WL_KEY, "What is counted." },
	[HAVE] = { "have", "Used", WL_T_COUNT, WL_MINOR, "How much could be used." },
	[OF] = { "of", "All", WL_T_COUNT, WL_MINOR, "Of how much." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "have / of." },
};

const struct wl_chart *wl_page_chart(enum wl_page_table table)
{
	static const struct wl_chart steps = {
		.kind = WL_CHART_COLUMNS,
		.title = "Step time by run",
		.shows = "A column is a run, in the order of time; a panel is a series. Marked is "
			 "the first run of a change.",
		.label = "number",
		.group = "series",
		.flag = "changed",
		.parts = { "step" },
		.wide = true,
	};
	static const struct wl_chart blame = {
		.kind = WL_CHART_BARS,
		.title = "Waiting by the host that arrived last",
		.shows = "Of the newest run of each series: how long all ranks waited at "
			 "collectives "
			 "for ranks of this host.",
		.label = "host",
		.parts = { "caused" },
		.ranked = true,
	};

	return table == WL_PAGE_SERIES ? &steps : table == WL_PAGE_LATE ? &blame : NULL;
}

/* "llm nightly, 8 x NVIDIA H100" */
static const char *series_name(const struct wl_past_run *run, struct wl_arena *arena)
{
	struct wl_text text = { 0 };
	const char *name;

	wl_text_printf(&text, "%.100s%s%.100s%s%u x %.100s",
		       run->project[0] ? run->project : "(no project)", run->config[0] ? " " : "",
		       run->config, ", ", run->world, run->gpu[0] ? run->gpu : "GPU");
	name = text.failed ? NULL : wl_arena_strdup(arena, wl_text_get(&text));
	wl_text_release(&text);
	return name;
}

static void put_run(struct wl_table *out, size_t col, const struct wl_past_run *run)
{
	char begin[13];

	(void)snprintf(begin, sizeof(begin), "%s", run->id);
	wl_put_copy(out, col, begin);
	wl_table_show_whole(out, col);
}

static void put_number(struct wl_table *out, size_t col, const char *cell)
{
	if (cell[0])
		wl_put_i64(out, col, strtoll(cell, NULL, 10));
}

/* What is stored of runs: id, kind, verdict and change, by id and kind. */
struct judged {
	char *(*row)[4];
	size_t n;
};

static int read_judged(const struct wl_store *store, struct wl_arena *arena, struct judged *ret,
		       struct wl_err *reterr)
{
	struct wl_text question = { 0 };
	struct wl_tsv answer;
	int r;

	*ret = (struct judged){ 0 };
	wl_text_printf(&question,
		       "SELECT run_id, kind, verdict, delta FROM %s.verdicts WHERE metric = "
		       "'step_p50' ORDER BY run_id, kind FORMAT TabSeparated",
		       store->database);
	r = wl_past_ask(store, &question, arena, &answer, reterr);
	wl_text_release(&question);
	if (r < 0)
		return r;
	ret->row = wl_arena_calloc(arena, wl_past_count_rows(answer.at), sizeof(*ret->row));
	if (!ret->row)
		return wl_past_no_memory(reterr);
	while (wl_tsv_row(&answer, ret->row[ret->n], 4))
		ret->n++;
	return answer.is_broken ? wl_past_broken(store, reterr) : WL_OK;
}

/* The rows of a run begin here. */
static size_t find_judged(const struct judged *j, const char *id)
{
	size_t lo = 0, hi = j->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(j->row[mid][0], id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void put_judged(struct wl_table *out, const struct judged *j, const char *id)
{
	bool changed = false;

	for (size_t i = find_judged(j, id); i < j->n && strcmp(j->row[i][0], id) == 0; i++) {
		const char *verdict = j->row[i][2];

		if (strcmp(j->row[i][1], "run") == 0) {
			wl_put_str(out, VERDICT, verdict);
		} else if (strcmp(verdict, "withdrawn") != 0) {
			changed = true;
			put_number(out, DELTA, j->row[i][3]);
		}
	}
	wl_put_i64(out, CHANGED, changed);
}

static bool put_series(struct wl_table *out, const struct wl_past *past, size_t begin, size_t end,
		       const struct judged *j, struct wl_arena *arena)
{
	const char *name = series_name(&past->run[begin], arena);

	for (size_t i = begin; name && i < end; i++) {
		const struct wl_past_run *run = &past->run[i];
		char date[32];

		wl_table_row(out);
		wl_put_str(out, SERIES, name);
		wl_put_i64(out, NUMBER, (int64_t)(i - begin) + 1);
		put_run(out, RUN, run);
		if (run->t_ms > 0 && wl_clock_date(run->t_ms, date)) {
			date[strlen("2026-10-21 07:28")] = '\0';
			wl_put_copy(out, BEGIN, date);
			wl_table_show_whole(out, BEGIN);
		}
		if (run->step > 0)
			wl_put_i64(out, STEP, run->step);
		put_judged(out, j, run->id);
		wl_put_str(out, SHA, run->sha[0] ? run->sha : NULL);
	}
	return name != NULL;
}

/* Questions about one run: rows of the views with its id. */
static int ask_of_run(const struct wl_store *store, const char *question,
		      const struct wl_past_run *run, struct wl_arena *arena, struct wl_tsv *ret,
		      struct wl_err *reterr)
{
	struct wl_text text = { 0 };
	int r;

	for (const char *at = question; *at;) {
		size_t n = strcspn(at, "@?");

		wl_text_put(&text, at, n);
		at += n;
		if (*at == '@')
			wl_text_printf(&text, "%s.", store->database);
		else if (*at == '?')
			wl_store_quote(&text, run->id);
		at += *at != '\0';
	}
	wl_text_puts(&text, " FORMAT TabSeparated");
	r = wl_past_ask(store, &text, arena, ret, reterr);
	wl_text_release(&text);
	return r;
}

static int put_late(const struct wl_store *store, const struct wl_past_run *run, size_t n_ranks,
		    struct wl_arena *arena, struct wl_table *out, struct wl_err *reterr)
{
	static const char question[] =
		"SELECT rank, host, caused, lateness, wait, transfer, "
		"residual_p99 FROM (SELECT run_id, "
		"rank, caused, lateness, wait, transfer, residual_p99 FROM "
		"@waits WHERE run_id = ? AND "
		"caused > 0) AS a GLOBAL ANY LEFT JOIN (SELECT run_id, "
		"rank, host FROM @ranks WHERE "
		"run_id = ?) AS b USING (run_id, rank) ORDER BY caused DESC, rank";
	const char *name = series_name(run, arena);
	struct wl_tsv answer;
	char *cell[7];
	int r = ask_of_run(store, question, run, arena, &answer, reterr);

	if (r < 0 || !name)
		return r < 0 ? r : wl_past_no_memory(reterr);
	for (size_t i = 0; (!n_ranks || i < n_ranks) && wl_tsv_row(&answer, cell, 7); i++) {
		wl_table_row(out);
		wl_put_str(out, LATE_SERIES, name);
		put_run(out, LATE_RUN, run);
		wl_put_i64(out, RANK, strtoll(cell[0], NULL, 10));
		wl_put_str(out, HOST, cell[1][0] ? cell[1] : NULL);
		for (size_t k = 2; k < 7; k++)
			put_number(out, CAUSED + k - 2, cell[k]);
	}
	return answer.is_broken ? wl_past_broken(store, reterr) : WL_OK;
}

static int put_coverage(const struct wl_store *store, const struct wl_past_run *run,
			struct wl_arena *arena, struct wl_table *out, struct wl_err *reterr)
{
	static const char question[] =
		"SELECT name, sum(have), sum(of) FROM @coverage WHERE run_id "
		"= ? AND of > 0 GROUP BY name ORDER BY name";
	const char *name = series_name(run, arena);
	struct wl_tsv answer;
	char *cell[3];
	int r = ask_of_run(store, question, run, arena, &answer, reterr);

	if (r < 0 || !name)
		return r < 0 ? r : wl_past_no_memory(reterr);
	while (wl_tsv_row(&answer, cell, 3)) {
		int64_t have = strtoll(cell[1], NULL, 10), of = strtoll(cell[2], NULL, 10);

		wl_table_row(out);
		wl_put_str(out, COVER_SERIES, name);
		put_run(out, COVER_RUN, run);
		wl_put_str(out, NAME, cell[0]);
		wl_put_i64(out, HAVE, have);
		wl_put_i64(out, OF, of);
		if (of > 0)
			wl_put_ratio(out, SHARE, have, of);
	}
	return answer.is_broken ? wl_past_broken(store, reterr) : WL_OK;
}

int wl_page_fill(const struct wl_store *store, const struct wl_past *past, size_t n_ranks,
		 struct wl_arena *arena, struct wl_table *const table[WL_N_PAGE_TABLES],
		 struct wl_err *reterr)
{
	struct judged judged;
	int r = read_judged(store, arena, &judged, reterr);

	for (size_t begin = 0, end; r == WL_OK && begin < past->n; begin = end) {
		const struct wl_past_run *newest;

		end = wl_past_series_end(past, begin);
		newest = &past->run[end - 1];
		if (!put_series(table[WL_PAGE_SERIES], past, begin, end, &judged, arena))
			return wl_past_no_memory(reterr);
		r = put_late(store, newest, n_ranks, arena, table[WL_PAGE_LATE], reterr);
		if (r == WL_OK)
			r = put_coverage(store, newest, arena, table[WL_PAGE_COVERAGE], reterr);
	}
	return r;
}

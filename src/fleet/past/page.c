/* SPDX-License-Identifier: MIT */
#include "fleet/past/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/past/verdicts.h"

enum { SERIES, NUMBER, RUN, BEGIN, STEP, VERDICT, CHANGED, DELTA, SHA };
enum { OF_SERIES, OF_RUN, N_OF_RUN };
enum { RANK = N_OF_RUN, HOST, CAUSED, LATENESS, WAIT, TRANSFER, CLOCK };
enum { NAME = N_OF_RUN, HAVE, OF, SHARE };

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
	[OF_SERIES] = SERIES_COL,
	[OF_RUN] = RUN_COL,
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
	[OF_SERIES] = SERIES_COL,
	[OF_RUN] = RUN_COL,
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

static void put_judged(struct wl_table *out, const struct wl_past_rows *stored, const char *id)
{
	bool changed = false;

	for (size_t i = wl_past_verdicts_first(stored, id); i < stored->n; i++) {
		char **cell = wl_past_row(stored, i);

		if (strcmp(cell[WL_STORED_RUN], id) != 0)
			break;
		if (strcmp(cell[WL_STORED_KIND], "run") == 0) {
			wl_put_str(out, VERDICT, cell[WL_STORED_NAME]);
		} else if (strcmp(cell[WL_STORED_NAME], "withdrawn") != 0) {
			changed = true;
			put_number(out, DELTA, cell[WL_STORED_DELTA]);
		}
	}
	wl_put_i64(out, CHANGED, changed);
}

static void put_series(struct wl_table *out, const struct wl_past *past, size_t begin, size_t end,
		       const struct wl_past_rows *stored, const char *name)
{
	for (size_t i = begin; i < end; i++) {
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
		put_judged(out, stored, run->id);
		wl_put_str(out, SHA, run->sha[0] ? run->sha : NULL);
	}
}

/* The newest run of a series, and the tables about it. */
struct newest {
	const struct wl_store *store;
	const struct wl_past_run *run;
	const char *series;
	struct wl_arena *arena;
	struct wl_err *reterr;
};

/* Rows of the views: @ stands for the database, ? for the id of the run. */
static int ask_of_run(const struct newest *of, const char *question, size_t width,
		      struct wl_past_rows *ret)
{
	struct wl_text text = { 0 };
	int r;

	for (const char *at = question; *at;) {
		size_t n = strcspn(at, "@?");

		wl_text_put(&text, at, n);
		at += n;
		if (*at == '@')
			wl_text_printf(&text, "%s.", of->store->database);
		else if (*at == '?')
			wl_store_quote(&text, of->run->id);
		at += *at != '\0';
	}
	wl_text_puts(&text, " FORMAT TabSeparated");
	r = wl_past_ask(of->store, &text, width, of->arena, ret, of->reterr);
	wl_text_release(&text);
	return r;
}

/* A row about the run; the tables begin with the same columns. */
static void begin_row(const struct newest *of, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, OF_SERIES, of->series);
	put_run(out, OF_RUN, of->run);
}

static int put_late(const struct newest *of, size_t n_ranks, struct wl_table *out)
{
	static const char question[] =
		"SELECT rank, host, caused, lateness, wait, transfer, residual_p99 FROM (SELECT "
		"run_id, rank, caused, lateness, wait, transfer, residual_p99 FROM @waits WHERE "
		"run_id = ? AND caused > 0) AS a GLOBAL ANY LEFT JOIN (SELECT run_id, rank, host "
		"FROM @ranks WHERE run_id = ?) AS b USING (run_id, rank) ORDER BY caused DESC, "
		"rank";
	enum { WIDTH = 7 };
	struct wl_past_rows rows;
	int r = ask_of_run(of, question, WIDTH, &rows);

	for (size_t i = 0; r == WL_OK && i < rows.n && (!n_ranks || i < n_ranks); i++) {
		char **cell = wl_past_row(&rows, i);

		begin_row(of, out);
		wl_put_i64(out, RANK, strtoll(cell[0], NULL, 10));
		wl_put_str(out, HOST, cell[1][0] ? cell[1] : NULL);
		for (size_t k = 2; k < WIDTH; k++)
			put_number(out, CAUSED + k - 2, cell[k]);
	}
	return r;
}

static int put_coverage(const struct newest *of, struct wl_table *out)
{
	static const char question[] =
		"SELECT name, sum(have), sum(of) FROM @coverage WHERE run_id = ? AND of > 0 GROUP "
		"BY name ORDER BY name";
	struct wl_past_rows rows;
	int r = ask_of_run(of, question, 3, &rows);

	for (size_t i = 0; r == WL_OK && i < rows.n; i++) {
		char **cell = wl_past_row(&rows, i);
		int64_t have = strtoll(cell[1], NULL, 10), all = strtoll(cell[2], NULL, 10);

		begin_row(of, out);
		wl_put_str(out, NAME, cell[0]);
		wl_put_i64(out, HAVE, have);
		wl_put_i64(out, OF, all);
		if (all > 0)
			wl_put_ratio(out, SHARE, have, all);
	}
	return r;
}

int wl_page_fill(const struct wl_store *store, const struct wl_past *past, size_t n_ranks,
		 struct wl_arena *arena, struct wl_table *const table[WL_N_PAGE_TABLES],
		 struct wl_err *reterr)
{
	struct wl_past_rows stored;
	int r = wl_past_verdicts_read(store, NULL, arena, &stored, reterr);

	for (size_t begin = 0, end; r == WL_OK && begin < past->n; begin = end) {
		struct newest of = { .store = store, .arena = arena, .reterr = reterr };

		end = wl_past_series_end(past, begin);
		of.run = &past->run[end - 1];
		of.series = series_name(of.run, arena);
		if (!of.series)
			return wl_past_no_memory(reterr);
		put_series(table[WL_PAGE_SERIES], past, begin, end, &stored, of.series);
		r = put_late(&of, n_ranks, table[WL_PAGE_LATE]);
		if (r == WL_OK)
			r = put_coverage(&of, table[WL_PAGE_COVERAGE]);
	}
	return r;
}

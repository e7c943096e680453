/* SPDX-License-Identifier: MIT */
/* fleet.c - the command that keeps the history of runs in ClickHouse. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/commands/fleet_facts.h"
#include "cli/commands/fleet_scatter.h"
#include "cli/commands/fleet_server.h"
#include "cli/commands/fleet_verdict.h"
#include "cli/commands/fleet_watch.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "cli/wrap.h"
#include "fleet/past/answers.h"
#include "fleet/past/page.h"
#include "fleet/store/dashboard.h"
#include "fleet/store/push.h"

enum {
	SERVER,
	DATABASE,
	CLUSTER,
	CREDENTIALS,
	PROJECT,
	CONFIG,
	BRANCH,
	BASELINE,
	THRESHOLD,
	TOP,
	EVERY,
	ONCE,
	KEY,
	JOBS,
	LIMIT,
	SCRIPT,
	NODES
};

static const struct wl_param params[] = {
	[SERVER] = { .key = "server",
		     .type = WL_P_STR,
		     .argument = "URL[,URL]",
		     .help = "ClickHouse over HTTP; of a cluster each shard, or one of them that "
			     "passes statements on. Without it $WARPLENS_FLEET_SERVER." },
	[DATABASE] = { .key = "database",
		       .type = WL_P_STR,
		       .argument = "NAME",
		       .def = "warplens",
		       .help = "Database with the tables." },
	[CLUSTER] = { .key = "cluster",
		      .type = WL_P_STR,
		      .argument = "NAME",
		      .help = "Cluster of the server's configuration; runs are spread over its "
			      "shards." },
	[CREDENTIALS] = { .key = "credentials",
			  .type = WL_P_STR,
			  .argument = "FILE",
			  .help = "File with USER:PASSWORD that only you can open. Without it "
				  "$WARPLENS_FLEET_USER and $WARPLENS_FLEET_PASSWORD." },
	[PROJECT] = { .key = "project",
		      .type = WL_P_STR,
		      .argument = "NAME",
		      .help = "Only runs of this project." },
	[CONFIG] = { .key = "config",
		     .type = WL_P_STR,
		     .argument = "NAME",
		     .help = "Only runs of this configuration." },
	[BRANCH] = { .key = "branch",
		     .type = WL_P_STR,
		     .argument = "NAME",
		     .help = "Only runs of this branch." },
	[BASELINE] = { .key = "baseline",
		       .type = WL_P_COUNT,
		       .argument = "RUNS",
		       .def = "10",
		       .help = "Runs before a run or a change that it is compared with." },
	[THRESHOLD] = { .key = "threshold",
			.type = WL_P_RATIO,
			.def = "1%",
			.help = "Changes below this count as same." },
	[TOP] = { .key = "top",
		  .type = WL_P_COUNT,
		  .def = "3",
		  .help = "Operations, ranks and hosts to list for each change; 0 for all." },
	[EVERY] = { .key = "every",
		    .type = WL_P_SECONDS,
		    .def = "10",
		    .help = "How often watch looks for new facts." },
	[ONCE] = { .key = "once", .type = WL_P_BOOL, .help = "watch looks once and ends." },
	[KEY] = { .key = "key",
		  .type = WL_P_STR,
		  .argument = "NAME=VALUE",
		  .many = true,
		  .help = "scatter passes it to facts: project, branch, sha, config or job." },
	[JOBS] = { .key = "jobs",
		   .type = WL_P_COUNT,
		   .def = "1",
		   .help = "Traces that scatter reads at once, each in a process of its own." },
	[LIMIT] = { .key = "limit",
		    .type = WL_P_SECONDS,
		    .def = "0",
		    .help = "Time that scatter gives a trace; 0 for any." },
	[SCRIPT] = { .key = "script",
		     .type = WL_P_BOOL,
		     .help = "scatter prints a job script for sbatch instead." },
	[NODES] = { .key = "nodes",
		    .type = WL_P_COUNT,
		    .def = "1",
		    .help = "Nodes that the script asks for, with one task each." },
};

struct history {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_printing print;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_fleet_server server;
	struct wl_past_filter filter;
	struct wl_table table[WL_N_PAST_TABLES];
	struct wl_past_verdicts verdicts;
	bool is_report;
	int status; /* of a gate */
};

/* A page has no room for ids and intervals of verdicts. */
static const char report_columns[] = "run,begin,project,config,gpu,world,verdict,before,after,"
				     "change,change_ratio,noise,n_before,sha";

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "fleet: no memory for the answer");
}

static int make_section(struct history *h, enum wl_past_table which, struct wl_section *ret,
			struct wl_err *reterr)
{
	struct wl_view_opts opts = wl_printing_view(&h->print);
	int r;

	if (h->is_report && !opts.columns && h->print.format->for_people &&
	    (which == WL_PAST_NEWEST || which == WL_PAST_CHANGES))
		opts.columns = report_columns;
	if (!wl_table_ok(&h->table[which]))
		return no_memory(reterr);
	*ret = (struct wl_section){ .analysis = wl_past_tables[which].name };
	if (which >= WL_PAST_SERIES)
		ret->chart = wl_page_chart((enum wl_page_table)(which - WL_PAST_SERIES));
	r = wl_view_make(&h->table[which], &opts, &h->arena, &ret->view, reterr);
	if (r == WL_OK)
		wl_view_note_case(&ret->view, &h->table[which]);
	return r;
}

/* Those tables, or the one that --section or the format chooses. */
static int print_tables(struct history *h, const enum wl_past_table *which, size_t n,
			const char *lead, struct wl_err *reterr)
{
	const char *only = h->inv->opt.section;
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

static int init(struct history *h, struct wl_err *reterr)
{
	const struct wl_store *store = &h->server.store;
	size_t n_changes;
	int r = wl_store_init(store, &n_changes, reterr);

	if (r < 0)
		return r;
	if (n_changes)
		(void)printf("database %s: added %zu columns; it has version %d now\n",
			     store->database, n_changes, WL_STORE_SCHEMA);
	else
		(void)printf("database %s has all tables\n", store->database);
	return wl_check_stdout(reterr);
}

static struct wl_past_judging judging(struct history *h)
{
	return (struct wl_past_judging){
		.store = &h->server.store,
		.opts = { .baseline = (size_t)h->args.value[BASELINE].i64,
			  .threshold = h->args.value[THRESHOLD].f64 },
		.n_movers = (size_t)h->args.value[TOP].i64,
		.arena = &h->arena,
		.newest = &h->table[WL_PAST_NEWEST],
		.verdicts = &h->verdicts,
	};
}

/* Verdicts of the usual options are stored. A user who may only read gets the answer all the same.
 */
static void store_verdicts(struct history *h, const struct wl_past_judging *j,
			   const struct wl_past *past)
{
	struct wl_err err;

	if (!h->filter.branch && wl_fleet_is_usual(&j->opts) &&
	    wl_past_verdicts_store(j->store, past, j->verdicts, j->arena, &err) < 0)
		wl_table_note(j->newest, "the verdicts are not stored: %.300s", err.msg);
}

static int push(struct history *h, struct wl_err *reterr)
{
	char bytes[WL_UNITS_BUF];
	struct wl_pushed pushed;
	struct wl_facts facts;
	int r = wl_fleet_load(h->inv->operand + 1, h->inv->n_operands - 1, &h->budget, &facts,
			      reterr);

	if (r < 0)
		return r;
	r = wl_store_push(&h->server.store, &facts, &pushed, reterr);
	if (r == WL_OK && pushed.was_there)
		(void)printf("run %.12s is there already\n",
			     wl_facts_str(&facts, WL_FACTS_RUNS_RUN_ID, 0));
	else if (r == WL_OK)
		(void)printf("run %.12s: %zu ranks, %zu rows, %s\n",
			     wl_facts_str(&facts, WL_FACTS_RUNS_RUN_ID, 0), facts.n[WL_FACTS_RANKS],
			     pushed.n_rows, wl_fmt_bytes(bytes, (int64_t)pushed.n_bytes));
	if (r == WL_OK) {
		const struct wl_hist_opts opts = judging(h).opts;

		r = wl_fleet_judge_pushed(&h->server.store, &facts, &opts, &h->budget, reterr);
	}
	wl_facts_release(&facts);
	return r < 0 ? r : wl_check_stdout(reterr);
}

/* What the filters leave; nothing is a mistake of theirs, or an empty database. */
static int read_past(struct history *h, struct wl_past *ret, struct wl_err *reterr)
{
	const struct wl_past_filter *f = &h->filter;
	int r = wl_past_read(&h->server.store, f, &h->arena, ret, reterr);

	if (r < 0 || ret->n)
		return r;
	if (f->project || f->config || f->branch || f->id)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "no run of database %s matches; see \"warplens fleet list\"",
			       h->server.store.database);
	return WL_OK;
}

static int list(struct history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_RUNS };
	struct wl_past past;
	int r = read_past(h, &past, reterr);

	if (r < 0)
		return r;
	wl_past_put_runs(&h->table[WL_PAST_RUNS], &past);
	return print_tables(h, which, WL_COUNT(which), NULL, reterr);
}

static int regressions(struct history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_CHANGES, WL_PAST_MOVERS,
						    WL_PAST_NEWEST };
	struct wl_past_judging j = judging(h);
	struct wl_past past;
	int r = read_past(h, &past, reterr);

	j.changes = &h->table[WL_PAST_CHANGES];
	j.movers = &h->table[WL_PAST_MOVERS];
	if (r == WL_OK)
		r = wl_past_judge(&j, &past, reterr);
	if (r == WL_OK)
		store_verdicts(h, &j, &past);
	return r < 0 ? r : print_tables(h, which, WL_COUNT(which), NULL, reterr);
}

/* All of it as one document, for a page that needs no server. */
static int report(struct history *h, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = {
		WL_PAST_SERIES, WL_PAST_NEWEST, WL_PAST_CHANGES,
		WL_PAST_MOVERS, WL_PAST_LATE,   WL_PAST_COVERAGE
	};
	struct wl_table *const pages[] = { &h->table[WL_PAST_SERIES], &h->table[WL_PAST_LATE],
					   &h->table[WL_PAST_COVERAGE] };
	struct wl_past_judging j = judging(h);
	char lead[160];
	struct wl_past past;
	int r = read_past(h, &past, reterr);

	h->is_report = true;
	j.changes = &h->table[WL_PAST_CHANGES];
	j.movers = &h->table[WL_PAST_MOVERS];
	if (r == WL_OK)
		r = wl_past_judge(&j, &past, reterr);
	if (r < 0)
		return r;
	store_verdicts(h, &j, &past);
	r = wl_page_fill(j.store, &past, j.n_movers, j.arena, pages, reterr);
	if (r < 0)
		return r;
	(void)snprintf(lead, sizeof(lead),
		       "%zu run%s in %zu series: %zu newest run%s slower than those before, %zu "
		       "%s not certain.",
		       past.n, past.n == 1 ? "" : "s", j.n_series, j.n_slower,
		       j.n_slower == 1 ? " is" : "s are", j.n_unsure,
		       j.n_unsure == 1 ? "is" : "are");
	h->print.title = h->print.title ? h->print.title : "History of runs";
	return print_tables(h, which, WL_COUNT(which), lead, reterr);
}

/* The run whose id begins so, among all of its series. */
static int find_run(struct history *h, const char *id, struct wl_past *past, size_t *ret,
		    struct wl_err *reterr)
{
	size_t n = 0;
	int r = read_past(h, past, reterr);

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

static int show(struct history *h, const char *id, struct wl_err *reterr)
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
	return r < 0 ? r : print_tables(h, which, WL_COUNT(which), NULL, reterr);
}

/* Newest runs, or one run: slower fails, what is not certain is inconclusive. */
static int gate(struct history *h, const char *id, struct wl_err *reterr)
{
	static const enum wl_past_table which[] = { WL_PAST_NEWEST, WL_PAST_MOVERS };
	struct wl_past_judging j = judging(h);
	struct wl_past past;
	size_t run = 0;
	int r = id ? find_run(h, id, &past, &run, reterr) : read_past(h, &past, reterr);

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
	h->status = j.n_slower ? 1 : j.n_unsure ? 4 : 0;
	return r < 0 ? r : print_tables(h, which, id ? 2 : 1, NULL, reterr);
}

/* To the file of -o, as a whole or not at all, or the output. */
static int dashboard(struct history *h, struct wl_err *reterr)
{
	const char *path = h->inv->opt.output;
	struct wl_file file;
	int r = path ? wl_file_begin(path, &file, reterr) : WL_OK;

	if (r < 0)
		return r;
	if (!wl_store_put_dashboard(&h->server.store, path ? file.stream : stdout)) {
		if (path)
			wl_file_abort(&file);
		return no_memory(reterr);
	}
	return path ? wl_file_commit(&file, reterr) : wl_check_stdout(reterr);
}

static int watch(struct history *h, struct wl_err *reterr)
{
	const struct wl_fleet_watch w = { .store = &h->server.store,
					  .dir = h->inv->operand[1],
					  .every_ns = h->args.value[EVERY].i64,
					  .is_once = h->args.value[ONCE].flag,
					  .opts = judging(h).opts,
					  .budget = &h->budget };

	return wl_fleet_watch(&w, reterr);
}

static int dispatch(struct history *h, struct wl_err *reterr)
{
	const char *const *word = h->inv->operand;
	size_t n = h->inv->n_operands;
	bool is_init = n == 1 && strcmp(word[0], "init") == 0;
	int r = wl_store_connect(&h->server.store, reterr);

	if (r == WL_OK && !is_init)
		r = wl_store_check(&h->server.store, reterr);
	if (r < 0)
		return r;
	if (is_init)
		return init(h, reterr);
	if (strcmp(word[0], "push") == 0)
		return push(h, reterr);
	if (strcmp(word[0], "list") == 0)
		return list(h, reterr);
	if (strcmp(word[0], "show") == 0)
		return show(h, word[1], reterr);
	if (strcmp(word[0], "gate") == 0)
		return gate(h, n > 1 ? word[1] : NULL, reterr);
	if (strcmp(word[0], "report") == 0)
		return report(h, reterr);
	if (strcmp(word[0], "dashboard") == 0)
		return dashboard(h, reterr);
	if (strcmp(word[0], "watch") == 0)
		return watch(h, reterr);
	return regressions(h, reterr);
}

/* Without a database. */
static int scatter(struct history *h, struct wl_err *reterr)
{
	const struct wl_fleet_scatter s = { .trace = h->inv->operand + 1,
					    .n = h->inv->n_operands - 1,
					    .dir = h->inv->opt.output,
					    .key = h->inv->many,
					    .n_keys = h->inv->n_many,
					    .jobs = h->args.value[JOBS].i64,
					    .limit_ns = h->args.value[LIMIT].i64,
					    .nodes = h->args.value[NODES].i64 };

	if (!s.dir)
		return wl_fail(reterr, WL_E_USAGE, "fleet scatter: give -o DIR for the facts");
	for (size_t i = 0; i < s.n; i++) {
		struct stat st;

		if (stat(s.trace[i], &st) == 0 && S_ISDIR(st.st_mode))
			return wl_fail(
				reterr, WL_E_USAGE,
				"%.200s is a directory; give its traces, as in %.200s/*.sqlite",
				s.trace[i], s.trace[i]);
	}
	return h->args.value[SCRIPT].flag ? wl_fleet_scatter_script(&s, reterr)
					  : wl_fleet_scatter(&s, reterr);
}

/* Operands after each word: at least, at most. */
static const struct {
	const char *word;
	size_t least, most;
} words[] = {
	{ "init", 0, 0 },           { "push", 1, SIZE_MAX }, { "list", 0, 0 },
	{ "show", 1, 1 },           { "regressions", 0, 0 }, { "gate", 0, 1 },
	{ "report", 0, 0 },         { "dashboard", 0, 0 },   { "watch", 1, 1 },
	{ "scatter", 1, SIZE_MAX },
};

static int check_words(const struct wl_invocation *inv, struct wl_err *reterr)
{
	for (size_t i = 0; inv->n_operands && i < WL_COUNT(words); i++)
		if (strcmp(inv->operand[0], words[i].word) == 0 &&
		    inv->n_operands - 1 >= words[i].least && inv->n_operands - 1 <= words[i].most)
			return WL_OK;
	return wl_fail(
		reterr, WL_E_USAGE,
		"usage: warplens fleet init, push FACTS..., list, show RUN, regressions, gate "
		"[RUN], report, dashboard, watch DIR or scatter TRACE... -o DIR");
}

static int open_history(struct history *h, struct wl_err *reterr)
{
	int r = wl_printing_init(&h->print, h->inv, reterr);

	if (r < 0)
		return r;
	h->filter = (struct wl_past_filter){ .project = h->args.value[PROJECT].str,
					     .config = h->args.value[CONFIG].str,
					     .branch = h->args.value[BRANCH].str };
	return wl_fleet_server_open(
		&(struct wl_fleet_wish){ .server = h->args.value[SERVER].str,
					 .database = h->args.value[DATABASE].str,
					 .cluster = h->args.value[CLUSTER].str,
					 .credentials = h->args.value[CREDENTIALS].str },
		wl_signals_catch(), &h->server, reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct history h = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_err err;
	int r;

	wl_arena_init_on(&h.arena, &h.budget);
	for (size_t i = 0; i < WL_N_PAST_TABLES; i++)
		wl_table_init(&h.table[i], &h.arena, wl_past_tables[i].cols,
			      wl_past_tables[i].n_cols);
	r = wl_command_args(&h.args, inv, NULL, &err);
	if (r == WL_OK)
		r = check_words(inv, &err);
	if (r == WL_OK && strcmp(inv->operand[0], "scatter") == 0) {
		r = scatter(&h, &err);
	} else if (r == WL_OK) {
		r = open_history(&h, &err);
		if (r == WL_OK)
			r = dispatch(&h, &err);
	}
	wl_fleet_server_close(&h.server);
	wl_args_release(&h.args);
	wl_arena_release(&h.arena);
	wl_signals_release();
	return r < 0 ? wl_report_failure(&err) : h.status;
}

static const struct wl_example examples[] = {
	{ "warplens fleet init --server http://127.0.0.1:8123", "Makes the tables." },
	{ "warplens fleet push facts/", "Stores the facts of one run." },
	{ "warplens fleet regressions --project llm", "When step time changed, and what did." },
	{ "warplens fleet gate", "Exit 1 if a newest run is slower than those before." },
	{ "warplens fleet report -o history.html", "All series as one page." },
	{ "warplens fleet dashboard -o grafana.json", "A dashboard to import into Grafana." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	return i < WL_COUNT(words) ? words[i].word : NULL;
}

const struct wl_command wl_command_fleet = {
	.name = "fleet",
	.topic = WL_TOPIC_OTHER,
	.help = "Keep the history of runs in ClickHouse, and find regressions",
	.about = "COMMAND is init, push FACTS..., list, show RUN, regressions, gate "
		 "[RUN], report, dashboard or watch DIR. A run is the facts of all its "
		 "ranks. \"push\" stores them so that each is there once, however "
		 "often it is repeated or interrupted: the row in the table runs, "
		 "which completes a run, is written last. \"regressions\" compares "
		 "runs of the same project, configuration, GPU and number of ranks; "
		 "the unit is a run, and noise is how much runs differ. A change is "
		 "confirmed by two further runs and decomposed by operation, rank and "
		 "host. \"gate\" judges the newest run of each series, or RUN: exit 0 "
		 "if none is slower, 1 if one is, 4 if that is not certain. \"report\" "
		 "shows all series, with -o PAGE.html as a page. \"dashboard\" prints "
		 "a dashboard for Grafana. \"watch\" pushes what appears in DIR, where "
		 "each facts file and each directory of them is a run. \"scatter\" "
		 "writes the facts of many traces, in processes of their own; under "
		 "Slurm each task takes its share. The password is never printed, and "
		 "http is for servers on this machine only.",
	.operands = "COMMAND [FACTS|RUN|DIR]",
	.word = word_at,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BITS_OF_TRACES,
	.instead = "fleet reads facts and the database, not traces; --where selects rows",
	.tables = wl_past_tables,
	.run = run,
};

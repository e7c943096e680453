/* SPDX-License-Identifier: MIT */
/* fleet.c - the command that keeps the history of runs in ClickHouse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/clean.h"
#include "base/text/units.h"
#include "cli/commands/fleet/fleet_facts.h"
#include "cli/commands/fleet/fleet_report.h"
#include "cli/commands/fleet/fleet_scatter.h"
#include "cli/commands/fleet/fleet_server.h"
#include "cli/commands/fleet/fleet_verdict.h"
#include "cli/commands/fleet/fleet_watch.h"
#include "cli/open.h"
#include "cli/status.h"
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
	LOCAL,
	NODES,
	WHO,
	WHY
};

static const struct wl_param params[] = {
	[SERVER] = { .key = "server",
		     .type = WL_P_STR,
		     .help = "ClickHouse over HTTP; of a cluster each shard, or one of them that "
			     "passes statements on. Without it $WARPLENS_FLEET_SERVER." },
	[DATABASE] = { .key = "database",
		       .type = WL_P_STR,
		       .def = "warplens",
		       .help = "Database with the tables." },
	[CLUSTER] = { .key = "cluster",
		      .type = WL_P_STR,
		      .help = "Cluster of the server's configuration; runs are spread over its "
			      "shards." },
	[CREDENTIALS] = { .key = "credentials",
			  .type = WL_P_STR,
			  .help = "File with USER:PASSWORD that only you can open. Without it "
				  "$WARPLENS_FLEET_USER and $WARPLENS_FLEET_PASSWORD." },
	[PROJECT] = { .key = "project", .type = WL_P_STR, .help = "Only runs of this project." },
	[CONFIG] = { .key = "config",
		     .type = WL_P_STR,
		     .help = "Only runs of this configuration." },
	[BRANCH] = { .key = "branch", .type = WL_P_STR, .help = "Only runs of this branch." },
	[BASELINE] = { .key = "baseline",
		       .type = WL_P_COUNT,
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
		  .many = true,
		  .help = "scatter passes it to facts: project, branch, sha, config or job." },
	[JOBS] = { .key = "jobs",
		   .type = WL_P_COUNT,
		   .def = "1",
		   .help = "Traces to process in parallel." },
	[LIMIT] = { .key = "limit",
		    .type = WL_P_SECONDS,
		    .def = "0",
		    .help = "Time that scatter gives a trace; 0 for any." },
	[SCRIPT] = { .key = "script",
		     .type = WL_P_BOOL,
		     .help = "scatter prints a job script for sbatch instead." },
	[LOCAL] = { .key = "local",
		    .type = WL_P_BOOL,
		    .help = "Traces of scatter are on disks of the nodes: the tasks of each host "
			    "share those it has." },
	[NODES] = { .key = "nodes",
		    .type = WL_P_COUNT,
		    .def = "1",
		    .help = "Nodes that the script asks for, with one task each." },
	[WHO] = { .key = "who",
		  .type = WL_P_STR,
		  .help = "Who acknowledges, for ack. Without it $USER." },
	[WHY] = { .key = "why",
		  .type = WL_P_STR,
		  .help = "Why the new level is accepted, for ack." },
};

struct fleet {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_budget budget;
	struct wl_fleet_server server;
	struct wl_fleet_history history;
};

static int init(struct fleet *f, struct wl_err *reterr)
{
	const struct wl_store *store = &f->server.store;
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

static int push(struct fleet *f, struct wl_err *reterr)
{
	char bytes[WL_UNITS_BUF];
	struct wl_pushed pushed;
	struct wl_facts facts;
	int r = wl_fleet_load(f->inv->operand + 1, f->inv->n_operands - 1, &f->budget, &facts,
			      reterr);

	if (r < 0)
		return r;
	r = wl_store_push(&f->server.store, &facts, &pushed, reterr);
	if (r == WL_OK) {
		(void)fputs("run ", stdout);
		wl_put_clean_part(stdout, wl_facts_str(&facts, WL_FACTS_RUNS_RUN_ID, 0), 12);
	}
	if (r == WL_OK && pushed.was_there)
		(void)puts(" is there already");
	else if (r == WL_OK)
		(void)printf(": %zu ranks, %zu rows, %s\n", facts.n[WL_FACTS_RANKS], pushed.n_rows,
			     wl_fmt_bytes(bytes, (int64_t)pushed.n_bytes));
	if (r == WL_OK)
		r = wl_fleet_judge_pushed(&f->server.store, &facts, &f->history.opts, &f->budget,
					  reterr);
	wl_facts_release(&facts);
	return r < 0 ? r : wl_check_stdout(reterr);
}

static int watch(struct fleet *f, struct wl_err *reterr)
{
	const struct wl_fleet_watch w = { .store = &f->server.store,
					  .dir = f->inv->operand[1],
					  .every_ns = f->args.value[EVERY].i64,
					  .is_once = f->args.value[ONCE].flag,
					  .opts = f->history.opts,
					  .budget = &f->budget };

	return wl_fleet_watch(&w, reterr);
}

static int ack(struct fleet *f, struct wl_err *reterr)
{
	const char *who = f->args.value[WHO].str, *why = f->args.value[WHY].str;
	const char *user = getenv("USER");

	return wl_fleet_ack(&f->history, f->inv->operand[1],
			    who    ? who
			    : user ? user
				   : "",
			    why ? why : "", reterr);
}

static int dispatch(struct fleet *f, struct wl_err *reterr)
{
	const char *const *word = f->inv->operand;
	size_t n = f->inv->n_operands;
	bool is_init = n == 1 && strcmp(word[0], "init") == 0;
	int r = wl_store_connect(&f->server.store, reterr);

	if (r == WL_OK && !is_init)
		r = wl_store_check(&f->server.store, reterr);
	if (r < 0)
		return r;
	if (is_init)
		return init(f, reterr);
	if (strcmp(word[0], "push") == 0)
		return push(f, reterr);
	if (strcmp(word[0], "list") == 0)
		return wl_fleet_list(&f->history, reterr);
	if (strcmp(word[0], "show") == 0)
		return wl_fleet_show(&f->history, word[1], reterr);
	if (strcmp(word[0], "ack") == 0)
		return ack(f, reterr);
	if (strcmp(word[0], "gate") == 0)
		return wl_fleet_gate(&f->history, n > 1 ? word[1] : NULL, reterr);
	if (strcmp(word[0], "report") == 0)
		return wl_fleet_report(&f->history, reterr);
	if (strcmp(word[0], "dashboard") == 0)
		return wl_fleet_dashboard(&f->server.store, f->inv->opt.output, reterr);
	if (strcmp(word[0], "watch") == 0)
		return watch(f, reterr);
	return wl_fleet_regressions(&f->history, reterr);
}

/* Without a database. */
static int scatter(struct fleet *f, struct wl_err *reterr)
{
	const struct wl_fleet_scatter s = { .trace = f->inv->operand + 1,
					    .n = f->inv->n_operands - 1,
					    .dir = f->inv->opt.output,
					    .key = f->inv->many,
					    .n_keys = f->inv->n_many,
					    .jobs = f->args.value[JOBS].i64,
					    .limit_ns = f->args.value[LIMIT].i64,
					    .nodes = f->args.value[NODES].i64,
					    .is_local = f->args.value[LOCAL].flag };

	if (!s.dir)
		return wl_fail(reterr, WL_E_USAGE, "fleet scatter: give -o DIR for the facts");
	/* A directory would be one job, reduced by one process. */
	for (size_t i = 0; i < s.n; i++) {
		struct stat st;

		if (stat(s.trace[i], &st) == 0 && S_ISDIR(st.st_mode))
			return wl_fail(
				reterr, WL_E_USAGE,
				"%.200s is a directory; give its traces, as in %.200s/*.sqlite",
				s.trace[i], s.trace[i]);
	}
	return f->args.value[SCRIPT].flag ? wl_fleet_scatter_script(&s, reterr)
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
	{ "scatter", 1, SIZE_MAX }, { "ack", 1, 1 },
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
		"[RUN], ack RUN, report, dashboard, watch DIR or scatter TRACE... -o DIR");
}

static int open_history(struct fleet *f, struct wl_err *reterr)
{
	const union wl_arg *value = f->args.value;
	struct wl_fleet_history *h = &f->history;
	int r = wl_printing_init(&h->print, f->inv, reterr);

	if (r < 0)
		return r;
	h->store = &f->server.store;
	h->section = f->inv->opt.section;
	h->filter = (struct wl_past_filter){ .project = value[PROJECT].str,
					     .config = value[CONFIG].str,
					     .branch = value[BRANCH].str };
	h->opts = (struct wl_hist_opts){ .baseline = (size_t)value[BASELINE].i64,
					 .threshold = value[THRESHOLD].f64 };
	h->n_movers = (size_t)value[TOP].i64;
	return wl_fleet_server_open(
		&(struct wl_fleet_wish){ .server = value[SERVER].str,
					 .database = value[DATABASE].str,
					 .cluster = value[CLUSTER].str,
					 .credentials = value[CREDENTIALS].str },
		wl_signals_catch(), &f->server, reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct fleet f = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_arena arena;
	struct wl_err err;
	int r;

	wl_arena_init_on(&arena, &f.budget);
	wl_fleet_history_init(&f.history, &arena);
	r = wl_command_args(&f.args, inv, NULL, &err);
	if (r == WL_OK)
		r = check_words(inv, &err);
	if (r == WL_OK && strcmp(inv->operand[0], "scatter") == 0) {
		r = scatter(&f, &err);
	} else if (r == WL_OK) {
		r = open_history(&f, &err);
		if (r == WL_OK)
			r = dispatch(&f, &err);
	}
	wl_fleet_server_close(&f.server);
	wl_args_release(&f.args);
	wl_arena_release(&arena);
	wl_signals_release();
	return r < 0 ? wl_report_failure(&err) : f.history.status;
}

static const struct wl_example examples[] = {
	{ "warplens fleet init --server http://127.0.0.1:8123", "Makes the tables." },
	{ "warplens fleet push facts/", "Stores the facts of one run." },
	{ "warplens fleet regressions --project llm", "When step time changed, and what did." },
	{ "warplens fleet gate", "Exit 1 if a newest run is slower than those before." },
	{ "warplens fleet ack 4a71c3d20b9e --why 'twice the context length'",
	  "Accept the level from that run on." },
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
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Keep the history of runs in ClickHouse, and find regressions",
	.about = "COMMAND is init, push FACTS..., list, show RUN, regressions, gate "
		 "[RUN], ack RUN, report, dashboard, watch DIR or scatter TRACES. A run is the "
		 "facts of all its "
		 "ranks. \"push\" stores them so that each is there once, however "
		 "often it is repeated or interrupted: the row in the table runs, "
		 "which completes a run, is written last. \"regressions\" compares "
		 "runs of the same project, configuration, GPU and number of ranks; "
		 "the unit is a run, and noise is how much runs differ. A change is "
		 "confirmed by two further runs and decomposed by operation, rank and "
		 "host. \"gate\" judges the newest run of each series, or RUN: exit 0 "
		 "if none is slower, 1 if one is, 4 if that is not certain. A series that became "
		 "slower "
		 "fails until its runs are back, or \"ack RUN\" accepts the level from "
		 "that run on. \"report\" "
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

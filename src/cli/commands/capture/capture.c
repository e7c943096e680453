/* SPDX-License-Identifier: MIT */
/* capture.c - the command that records a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/plan/nsys_words.h"
#include "capture/runs/refuse_secrets.h"
#include "cli/commands/capture/capture_one.h"
#include "cli/open.h"
#include "cli/status.h"

/* The runs of the sweep; a secret in any of them is refused before the first. */
static int plan_runs(struct wl_capturing *c, struct wl_err *reterr)
{
	size_t n_allowed, n = 0;
	const char *const *sweep = wl_many_of(c->inv, WL_CAPTURE_SWEEP, c->arena, &n);
	int r;

	c->allowed = wl_many_of(c->inv, WL_CAPTURE_ALLOW_SECRET, c->arena, &n_allowed);
	if (!sweep || !c->allowed)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the options");
	r = wl_sweep_make(sweep, n, c->wishes.program, c->arena, &c->sweep, reterr);
	for (size_t i = 0; r == WL_OK && i < c->sweep.n_runs; i++)
		r = wl_refuse_secrets(c->sweep.run[i].argv, (const char *const *)environ,
				      c->allowed, reterr);
	return r < 0 ? r : wl_sweep_refuse_secrets(&c->sweep, c->wishes.program, c->arena, reterr);
}

static void take_run(struct wl_capturing *c, size_t i)
{
	char line[256];

	c->now = &c->sweep.run[i];
	c->wishes.program = c->now->argv;
	if (c->sweep.n_runs > 1)
		wl_capture_say(NULL, wl_sweep_title(&c->sweep, i, line, sizeof(line)));
}

/*
 * Each run has an arena of its own, since a sweep may be long. It ends with a signal of ours, and
 * with a run that could not begin: the next one would not either. The first bad status counts.
 */
static int capture_all(struct wl_capturing *c, struct wl_err *reterr)
{
	const char **path = WL_NEW(c->arena, const char *, c->sweep.n_runs);
	struct wl_arena *whole = c->arena, own;
	size_t n = 0;
	int status = 0, one;

	if (!path)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the runs");
	for (size_t i = 0; i < c->sweep.n_runs; i++) {
		wl_arena_init_child(&own, whole);
		c->arena = &own;
		c->done = (struct wl_captured){ .has_run = false };
		take_run(c, i);
		one = wl_capture_one(c);
		c->arena = whole;
		wl_arena_release(&own);
		status = status ? status : one;
		if (!c->done.has_run)
			break;
		path[n] = wl_arena_strdup(whole, c->run.path);
		n += path[n] != NULL;
		if (c->done.watched.signal)
			break;
	}
	if (c->sweep.n_runs > 1 && n > 0) {
		one = wl_sweep_print(c->inv, path, n, whole, reterr);
		status = one < 0 && !status ? one : status;
	}
	return status;
}

static int print_plans(struct wl_capturing *c, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < c->sweep.n_runs; i++) {
		take_run(c, i);
		r = wl_capture_print_plan(c, reterr);
	}
	return r;
}

/* The options of nsys, typed as nsys has them or behind --nsys-option. */
static struct wl_nsys_setting *settings_of(const struct wl_capturing *c, size_t *ret_n)
{
	const struct wl_invocation *inv = c->inv;
	struct wl_nsys_setting *set = WL_NEW(c->arena, struct wl_nsys_setting, inv->n_many + 1);

	*ret_n = 0;
	for (size_t i = 0; set && i < inv->n_many; i++) {
		const struct wl_many *m = &inv->many[i];
		char *name = m->foreign ? NULL : wl_arena_strdup(c->arena, m->text);
		char *value = name ? strchr(name, '=') : NULL;

		if (m->param != WL_CAPTURE_NSYS_OPTION)
			continue;
		if (value)
			*value++ = '\0';
		set[*ret_n].name = m->foreign ? m->foreign : name;
		set[(*ret_n)++].value = m->foreign ? m->text : value;
	}
	return set;
}

/* Reports of nsys hold its own command line as well. */
static int check_settings(const struct wl_capturing *c, const struct wl_nsys_setting *set, size_t n,
			  struct wl_err *reterr)
{
	const char **word = WL_NEW(c->arena, const char *, 2 * n + 1);
	size_t n_allowed;
	const char *const *allowed =
		wl_many_of(c->inv, WL_CAPTURE_ALLOW_SECRET, c->arena, &n_allowed);

	for (size_t i = 0; word && i < n; i++) {
		if (!set[i].name || strncmp(set[i].name, "--", 2) != 0 || !set[i].value)
			return wl_fail(reterr, WL_E_USAGE,
				       "--nsys-option: write it as nsys takes it, such as "
				       "--nsys-option=--osrt-threshold=500");
		word[2 * i] = set[i].name;
		word[2 * i + 1] = set[i].value;
	}
	if (!word || !allowed)
		return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the options");
	return wl_refuse_secrets(word, NULL, allowed, reterr);
}

static void say_settings(const struct wl_nsys_words *words)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "options of nsys: %s%s%s%s%s%s%s",
			 *words->ours ? "taken as" : "", words->ours, *words->ours ? "; " : "",
			 *words->passed ? "for nsys:" : "", words->passed,
			 *words->passed ? "; " : "", *words->unneeded ? "not needed: " : "");

	if (n > 0 && (size_t)n < sizeof(line))
		(void)snprintf(line + n, sizeof(line) - (size_t)n, "%s", words->unneeded);
	n = (int)strlen(line);
	while (n > 0 && strchr("; ", line[n - 1]))
		line[--n] = '\0';
	wl_capture_say(NULL, line);
}

/* One thing said twice, in two languages. */
static int check_pairs(const struct wl_capturing *c, const struct wl_nsys_setting *set, size_t n,
		       struct wl_err *reterr)
{
	static const struct {
		enum wl_wish wish;
		const char *name;
	} pairs[] = { { WL_WISH_GRAPHS, "--cuda-graph-trace" },
		      { WL_WISH_FORKS, "--trace-fork-before-exec" } };

	for (size_t i = 0; i < WL_COUNT(pairs); i++) {
		for (size_t k = 0; k < n; k++) {
			if (c->inv->param[pairs[i].wish] && strcmp(set[k].name, pairs[i].name) == 0)
				return wl_fail(reterr, WL_E_USAGE,
					       "--%s and %s mean the same: give one of them",
					       wl_capture_params[pairs[i].wish].key, set[k].name);
		}
	}
	return WL_OK;
}

/*
 * nsys expands %q{NAME} in the name of its output. Only src/cli looks at the environment
 * (tools/check-layers), so the plan is handed a function.
 */
static const char *variable(const char *name)
{
	return getenv(name);
}

static int take_settings(struct wl_capturing *c, struct wl_err *reterr)
{
	struct wl_nsys_words words;
	size_t n;
	const struct wl_nsys_setting *set = settings_of(c, &n);
	int r = set ? check_settings(c, set, n, reterr)
		    : wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the options");

	c->dir = c->arg[WL_CAPTURE_DIR].str;
	if (r < 0 || n == 0)
		return r;
	r = check_pairs(c, set, n, reterr);
	if (r == WL_OK)
		r = wl_nsys_words_take(set, n, c->inv->param[WL_WISH_GATE] != NULL, variable,
				       c->arena, &c->wishes, &words, reterr);
	if (r == WL_OK && words.dir && c->inv->param[WL_CAPTURE_DIR])
		r = wl_fail(reterr, WL_E_USAGE, "--dir and --output: runs go to one directory");
	if (r < 0)
		return r;
	c->dir = words.dir ? words.dir : c->dir;
	say_settings(&words);
	return WL_OK;
}

static int capture(struct wl_capturing *c)
{
	struct wl_err err = { 0 };
	int r = wl_wishes_take(c->inv, c->arg, c->arena, &c->wishes, &err);

	if (r == WL_OK)
		r = take_settings(c, &err);
	if (r == WL_OK && c->wishes.goal == WL_GOAL_NCU)
		r = wl_fail(&err, WL_E_USAGE,
			    "capture records with nsys; \"warplens plan --for ncu\" prints lines "
			    "for ncu");
	if (r == WL_OK)
		r = plan_runs(c, &err);
	if (r == WL_OK)
		r = c->arg[WL_CAPTURE_DRY_RUN].flag ? print_plans(c, &err) : capture_all(c, &err);
	return r < 0 ? wl_report_failure(&err) : r;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_capturing c = { .inv = inv };
	struct wl_args args = { 0 };
	struct wl_arena arena;
	struct wl_err err;
	int r;

	wl_arena_init(&arena, (size_t)64 << 20);
	c.arena = &arena;
	c.arg = args.value;
	r = wl_command_args(&args, inv, NULL, &err);
	r = r < 0 ? wl_report_failure(&err) : capture(&c);
	wl_args_release(&args);
	wl_arena_release(&arena);
	return r;
}

static const struct wl_alias aliases[] = {
	{ .name = "profile" },
	{ .name = NULL },
};

static const struct wl_option_hint hints[] = {
	{ "", "--nsys-option=--NAME=VALUE passes an option of nsys on" },
	{ NULL, NULL },
};

static const struct wl_example examples[] = {
	{ "warplens capture -- python train.py", "Records a run and prints its summary." },
	{ "warplens capture --dry-run --gate nvtx:decode@LLM -- ./serve",
	  "Prints how to record while the first NVTX range of this name lasts." },
	{ "warplens capture --dry-run --sweep lr=1,2 -- python train.py --lr {lr}",
	  "Prints the runs of a sweep." },
	{ "warplens capture --gate steps:2,delay:60,duration:5 -- ./serve",
	  "Records a server twice for 5 s; it goes on running." },
	{ NULL, NULL },
};

const struct wl_command wl_command_capture = {
	.name = "capture",
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Record a program with nsys",
		    .all = "Record a program with nsys; capture list shows recorded runs" },
	.help = "Record a program with nsys and check the report",
	.about = "Runs a program under nsys as \"warplens plan\" plans it, exports the report, "
		 "checks it and prints its summary. The report is in a directory of its own "
		 "below --dir. The output of the program is passed on, and its exit status is "
		 "that of warplens; messages go to standard error. A signal such as Ctrl-C goes "
		 "to the program first; nsys then writes the report. If the program does not "
		 "end, nsys is asked to stop it, and what does not end at all is killed; each "
		 "further signal goes one step on at once. A gate that never opens, a report "
		 "that is not whole, fewer reports than ranks, and a program that uses CUDA "
		 "without kernels in its report are failures, each with its reason. Keep reports "
		 "below 2 GB: record a few dozen steps with --gate, and compress older runs with "
		 "--keep.",
	.operands = "-- PROGRAM...",
	.aliases = aliases,
	.examples = examples,
	.params = wl_capture_params,
	.n_params = WL_N_CAPTURE_PARAMS,
	.common = true,
	.runs_program = true,
	.foreign = wl_capture_foreign,
	.foreign_param = WL_CAPTURE_NSYS_OPTION,
	.hints = hints,
	.without = ~(WL_OPT_BIT(NSYS) | WL_OPT_BIT(NSYS_TIMEOUT) | WL_OPT_BIT(HELP) |
		     WL_OPT_BIT(VERSION) | WL_OPT_BIT(INTROSPECT)),
	.instead = "it is for questions to a trace",
	.run = run,
};

/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet/fleet_scatter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "base/process/pool.h"
#include "base/process/proc.h"
#include "base/text/clean.h"
#include "base/text/shell.h"
#include "base/text/units.h"
#include "cli/status.h"
#include "facts/file.h"

/* Of a program that is replaced while it runs, the one that runs. */
static const char self[] = "/proc/self/exe";

enum { SAID = 300, WORDS = 8 + 2 * WL_MAX_MANY };

struct outcome {
	bool is_there, is_old; /* it has facts now; it had before */
	char said[SAID];       /* why not */
};

struct scattering {
	const struct wl_fleet_scatter *s;
	const atomic_int *cancel;
	size_t first, every; /* the share of this task */
	struct outcome *outcome;
};

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long v = text ? strtol(text, &end, 10) : otherwise;

	return text && *text && *end == '\0' && v >= 0 ? v : otherwise;
}

/* Of "2(x3),1", where each of three nodes has two tasks and the fourth one; 0 if it says nothing.
 */
static long tasks_of_node(const char *list, long node)
{
	while (list && *list >= '0' && *list <= '9') {
		char *end;
		long n = strtol(list, &end, 10), times = 1;

		if (strncmp(end, "(x", 2) == 0)
			times = strtol(end + 2, &end, 10);
		if (node < times)
			return n;
		node -= times;
		end += strcspn(end, ",");
		list = *end ? end + 1 : end;
	}
	return 0;
}

/* Open MPI; Intel MPI and MPICH. */
static const struct {
	const char *size, *rank;
} local_tasks[] = {
	{ "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
	{ "MPI_LOCALNRANKS", "MPI_LOCALRANKID" },
};

/* Of the tasks on this host only: what one of them sees, those of other hosts do not. */
static int find_local_share(struct scattering *w, struct wl_err *reterr)
{
	long n = 0, i = 0;

	for (size_t k = 0; n == 0 && k < WL_COUNT(local_tasks); k++) {
		n = number_of(local_tasks[k].size, 0);
		i = number_of(local_tasks[k].rank, 0);
	}
	if (n == 0 && number_of("SLURM_STEP_NUM_TASKS", 1) > 1) {
		n = tasks_of_node(getenv("SLURM_STEP_TASKS_PER_NODE"),
				  number_of("SLURM_NODEID", 0));
		i = number_of("SLURM_LOCALID", n);
		if (i >= n)
			return wl_fail(
				reterr, WL_E_USAGE,
				"fleet scatter --local: SLURM_STEP_TASKS_PER_NODE, "
				"SLURM_NODEID and SLURM_LOCALID do not say which task of its "
				"host this one is; unset SLURM_STEP_NUM_TASKS in one task "
				"per node");
	}
	w->every = n > 0 ? (size_t)n : 1;
	w->first = i < n ? (size_t)i : 0;
	return WL_OK;
}

/* A step of several tasks has numbers of its own; so has an array, whose tasks have steps of one.
 */
static int find_share(struct scattering *w)
{
	long n = number_of("SLURM_STEP_NUM_TASKS", 1), i = number_of("SLURM_PROCID", 0);

	if (n <= 1 && getenv("SLURM_ARRAY_TASK_ID")) {
		n = number_of("SLURM_ARRAY_TASK_COUNT", 1);
		i = number_of("SLURM_ARRAY_TASK_ID", 0) - number_of("SLURM_ARRAY_TASK_MIN", 0);
	}
	w->every = n > 0 ? (size_t)n : 1;
	w->first = i >= 0 && (size_t)i < w->every ? (size_t)i : 0;
	return WL_OK;
}

/*
 * DIR/run.wlfacts of any/run.sqlite, as facts names it. Those that are older than the trace are
 * made again: the trace was replaced since.
 */
static bool has_facts(const struct wl_fleet_scatter *s, const char *trace)
{
	const char *name = wl_path_name(trace), *dot = strrchr(name, '.');
	int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
	char path[WL_PATH_CAP];
	struct stat facts, source;

	if (snprintf(path, sizeof(path), "%s/%.*s" WL_FACTS_SUFFIX, s->dir, n, name) >=
		    (int)sizeof(path) ||
	    stat(path, &facts) < 0 || stat(trace, &source) < 0)
		return false;
	if (facts.st_mtim.tv_sec != source.st_mtim.tv_sec)
		return facts.st_mtim.tv_sec > source.st_mtim.tv_sec;
	return facts.st_mtim.tv_nsec >= source.st_mtim.tv_nsec;
}

/* The last line of what the child printed. */
static void take_last_line(const struct wl_proc_result *r, char said[SAID])
{
	size_t n = r->n_tail, begin;

	while (n && strchr("\r\n", r->tail[n - 1]))
		n--;
	begin = n;
	while (begin && r->tail[begin - 1] != '\n')
		begin--;
	(void)snprintf(said, SAID, "%.*s", (int)(n - begin), r->tail + begin);
}

static void explain(const struct wl_fleet_scatter *s, const char *trace,
		    const struct wl_proc_result *r, char said[SAID])
{
	char limit[WL_UNITS_BUF];

	switch (r->end) {
	case WL_PROC_TIMED_OUT:
		(void)snprintf(said, SAID, "%.150s: not done after %s; raise --limit", trace,
			       wl_fmt_ns(limit, s->limit_ns, WL_UNIT_AUTO));
		break;
	case WL_PROC_SIGNALED:
		(void)snprintf(said, SAID, "%.150s: ended by signal %d", trace, r->code);
		break;
	case WL_PROC_CANCELED:
		(void)snprintf(said, SAID, "%.150s: stopped", trace);
		break;
	case WL_PROC_NOT_FOUND:
	case WL_PROC_EXITED:
		take_last_line(r, said);
		break;
	}
}

/*
 * A process of its own, so that a trace that is damaged, too large for the memory or over its limit
 * of time does not end the others.
 */
static bool run_one(void *context, size_t i, struct wl_arena *arena)
{
	struct scattering *w = context;
	const struct wl_fleet_scatter *s = w->s;
	const char *trace = s->trace[w->first + i * w->every];
	const char *argv[WORDS] = { self, "facts", trace, "-o", s->dir };
	struct outcome *o = &w->outcome[i];
	struct wl_proc_result *result = WL_NEW(arena, struct wl_proc_result, 1);
	size_t n = 5;
	struct wl_err err;

	o->is_there = o->is_old = has_facts(s, trace);
	if (o->is_there)
		return true;
	if (!result)
		return false;
	for (size_t k = 0; k < s->n_keys && n + 2 < WORDS; k++) {
		argv[n++] = "--key";
		argv[n++] = s->key[k].text;
	}
	if (wl_proc_run(
		    &(struct wl_proc){ .argv = argv, .limit_ns = s->limit_ns, .cancel = w->cancel },
		    result, &err) < 0)
		(void)snprintf(o->said, SAID, "%.290s", err.msg);
	else if (result->end == WL_PROC_EXITED && result->code == 0)
		o->is_there = true;
	else
		explain(s, trace, result, o->said);
	return true;
}

static int report(const struct scattering *w, size_t n, struct wl_err *reterr)
{
	size_t n_there = 0, n_old = 0;

	for (size_t i = 0; i < n; i++) {
		n_there += w->outcome[i].is_there;
		n_old += w->outcome[i].is_old;
		if (w->outcome[i].is_there)
			continue;
		wl_put_clean(stderr, w->outcome[i].said);
		(void)fputc('\n', stderr);
	}
	(void)printf("%zu of %zu traces have facts in ", n_there, n);
	wl_put_clean(stdout, w->s->dir);
	if (n_old)
		(void)printf(", %zu of them from before", n_old);
	if (w->every > 1)
		(void)printf("; task %zu of %zu%s takes every one in %zu of the %zu named",
			     w->first + 1, w->every, w->s->is_local ? " on this host" : "",
			     w->every, w->s->n);
	(void)putchar('\n');
	if (n_there < n)
		return wl_fail(reterr, WL_E_OUTPUT,
			       "%zu trace%s no facts; repeat the command once the reasons are gone",
			       n - n_there, n - n_there == 1 ? " has" : "s have");
	return wl_check_stdout(reterr);
}

static int write_share(struct scattering *w, struct wl_err *reterr)
{
	const struct wl_fleet_scatter *s = w->s;
	size_t n = s->n > w->first ? (s->n - w->first + w->every - 1) / w->every : 0;
	struct wl_arena arena;
	struct wl_pool *pool;
	int r;

	wl_arena_init(&arena, SIZE_MAX / 2);
	w->outcome = WL_NEW(&arena, struct outcome, n + 1);
	pool = wl_pool_new((unsigned)(s->jobs < 1 ? 1 : s->jobs > 256 ? 256 : s->jobs));
	if (!w->outcome || !pool || !wl_pool_map(pool, n, run_one, w, &arena))
		r = wl_fail(reterr, WL_E_NOMEM, "fleet: no memory for %zu traces", n);
	else
		r = report(w, n, reterr);
	wl_pool_free(pool);
	wl_arena_release(&arena);
	return r;
}

int wl_fleet_scatter(const struct wl_fleet_scatter *s, struct wl_err *reterr)
{
	struct scattering w = { .s = s };
	int r = s->is_local ? find_local_share(&w, reterr) : find_share(&w);

	if (r < 0)
		return r;
	w.cancel = wl_signals_catch();
	r = write_share(&w, reterr);
	wl_signals_release();
	return r;
}

static int put_word(const char *word, struct wl_arena *arena, struct wl_err *reterr)
{
	const char *quoted = wl_shell_word(word, arena);

	if (!quoted)
		return wl_fail(reterr, WL_E_NOMEM, "fleet: no memory for the script");
	(void)printf(" %s", quoted);
	return WL_OK;
}

int wl_fleet_scatter_script(const struct wl_fleet_scatter *s, struct wl_err *reterr)
{
	struct wl_arena arena;
	int r = WL_OK;

	wl_arena_init(&arena, SIZE_MAX / 2);
	(void)printf(
		"#!/bin/sh\n"
		"#SBATCH --job-name=warplens-facts\n"
		"#SBATCH --nodes=%lld\n"
		"#SBATCH --ntasks-per-node=1\n"
		"# One task per node; each takes its share of the traces. A task that fails does "
		"not end the others.\n"
		"srun --kill-on-bad-exit=0 --no-kill warplens fleet scatter%s --jobs %lld",
		(long long)s->nodes, s->is_local ? " --local" : "", (long long)s->jobs);
	for (size_t i = 0; r == WL_OK && i < s->n_keys; i++) {
		(void)fputs(" --key", stdout);
		r = put_word(s->key[i].text, &arena, reterr);
	}
	(void)fputs(" -o", stdout);
	if (r == WL_OK)
		r = put_word(s->dir, &arena, reterr);
	for (size_t i = 0; r == WL_OK && i < s->n; i++)
		r = put_word(s->trace[i], &arena, reterr);
	(void)putchar('\n');
	wl_arena_release(&arena);
	return r < 0 ? r : wl_check_stdout(reterr);
}

/* SPDX-License-Identifier: MIT */
/* index.c - the command that writes and removes the index of a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/budget.h"
#include "base/process/pool.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "capture/report.h"
#include "cli/open.h"
#include "cli/progress.h"
#include "cli/status.h"
#include "session/answer/write_index.h"
#include "session/job/job_files.h"

enum { REMOVE };

static const struct wl_param params[] = {
	[REMOVE] = { .key = "remove", .type = WL_P_BOOL, .help = "Remove the index." },
};

/* "FILE (12.3 MB)" */
static void print_wrote(const char *what, const char *file)
{
	char size[WL_UNITS_BUF];
	struct stat st;

	(void)fputs(what, stdout);
	wl_put_clean(stdout, file);
	if (stat(file, &st) == 0)
		(void)printf(" (%s)", wl_fmt_bytes(size, st.st_size));
	(void)putchar('\n');
}

static int remove_index(const char *path, const struct wl_index_opts *opts, struct wl_err *reterr)
{
	char file[WL_PATH_CAP];
	bool was_there;
	int r = wl_index_path(path, opts, file, reterr);

	if (r == WL_OK)
		r = wl_index_remove(path, opts, &was_there, reterr);
	if (r == WL_OK)
		print_wrote(was_there ? "removed " : "there is no ", file);
	return r;
}

/* Only a database stays what it is: the export of a report is another file each time. */
static int check_kind(const char *path, struct wl_err *reterr)
{
	struct wl_report report;
	int r = wl_report_identify(path, &report, reterr);

	if (r < 0 || report.kind == WL_REPORT_SQLITE)
		return r;
	if (report.kind != WL_REPORT_NSYS)
		return wl_report_refuse(path, &report, reterr);
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s is a report, and an index is of a database; keep its export with "
		       "\"warplens REPORT --keep-export FILE.sqlite\" and index that",
		       path);
}

/* Signals are caught, so that the unfinished file does not stay behind. */
static int write_index(const char *path, const struct wl_index_opts *opts, struct wl_pool *pool,
		       struct wl_budget *budget, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	const struct wl_stop stop = { .flag = cancel };
	struct wl_progress progress;
	const struct wl_input_opts input = { .budget = budget,
					     .cancel = cancel,
					     .progress = wl_progress_rows,
					     .progress_ctx = &progress,
					     .pool = pool };
	const char *term = getenv("TERM");
	char file[WL_PATH_CAP];
	struct wl_err why;
	int r = check_kind(path, reterr);

	budget->stop = &stop; /* answers are computed with it, too */
	wl_progress_init(&progress, path, !term || strcmp(term, "dumb") == 0);
	if (r == WL_OK)
		r = wl_index_path(path, opts, file, reterr);
	if (r == WL_OK) {
		r = wl_write_index(path, &input, opts, pool, &why);
		if (r == WL_E_OUTPUT && !opts->dir)
			r = wl_fail(reterr, why.code, "%.400s; --index-dir DIR writes elsewhere",
				    why.msg);
		else if (r < 0)
			r = wl_fail(reterr, why.code, "%s", why.msg);
	}
	wl_progress_end(&progress);
	wl_signals_release();
	budget->stop = NULL;
	if (r == WL_OK)
		print_wrote("wrote ", file);
	return r;
}

/* Write or remove the index of one file. */
static int run_file(const struct wl_invocation *inv, const char *path, struct wl_pool *pool,
		    struct wl_err *reterr)
{
	const struct wl_index_opts opts = wl_index_options(inv);
	struct wl_budget budget = { .limit = inv->opt.memory };

	return inv->param[REMOVE] ? remove_index(path, &opts, reterr)
				  : write_index(path, &opts, pool, &budget, reterr);
}

/* Each file of a job has its own. */
static int run_job(const struct wl_invocation *inv, const char *dir, struct wl_pool *pool,
		   struct wl_err *reterr)
{
	struct wl_job_files files;
	int r = wl_job_files_list(dir, &files, reterr);

	for (size_t i = 0; r == WL_OK && i < files.n; i++)
		r = run_file(inv, files.file[i].path, pool, reterr);
	wl_job_files_release(&files);
	return r;
}

static int run_all(const struct wl_invocation *inv, struct wl_pool *pool, struct wl_err *reterr)
{
	int r = WL_OK;

	if (inv->n_operands == 0)
		r = wl_fail(reterr, WL_E_USAGE,
			    "index: no trace given; usage: warplens index [--remove] TRACE...");
	for (size_t i = 0; r == WL_OK && i < inv->n_operands; i++)
		r = wl_is_job(inv->operand[i]) ? run_job(inv, inv->operand[i], pool, reterr)
					       : run_file(inv, inv->operand[i], pool, reterr);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_pool *pool = wl_pool_option(inv);
	struct wl_err err;
	int r = run_all(inv, pool, &err);

	wl_pool_free(pool);
	return r < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens index run.sqlite", "Writes run.sqlite.wlidx; verbs then open instantly." },
	{ "warplens index --remove run.sqlite", "Removes it." },
	{ NULL, NULL },
};

const struct wl_command wl_command_index = {
	.name = "index",
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_SECOND },
	.help = "Build an index so that later commands open instantly",
	.about = "Writes everything that warplens reads from a trace, and the answers of most "
		 "verbs, to one file next to it, TRACE.wlidx. As long as the trace does not "
		 "change, every verb reads this file and gives the same answers instantly. After a "
		 "change of the trace the file is not used, and a note gives the reason. No other "
		 "verb writes it. Of a directory, each file gets its own. --index-dir DIR, or "
		 "$WARPLENS_INDEX_DIR, keeps indexes in "
		 "another directory; give it to the other verbs, too. --no-index makes a verb read "
		 "the trace.",
	.operands = "TRACE...",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = ~(WL_OPT_BIT(INDEX_DIR) | WL_OPT_BIT(MEMORY) | WL_OPT_BIT(THREADS) |
		     WL_OPT_BIT(QUIET) | WL_OPT_BIT(HELP) | WL_OPT_BIT(VERSION) |
		     WL_OPT_BIT(INTROSPECT)),
	.instead = "an index holds the whole trace",
	.run = run,
};

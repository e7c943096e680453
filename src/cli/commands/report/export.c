/* SPDX-License-Identifier: MIT */
/* export.c - the command that writes a trace for other tools. */
#include <stdio.h>

#include "analysis/args.h"
#include "base/process/pool.h"
#include "cli/commands/report/export_split.h"
#include "cli/print.h"
#include "cli/status.h"
#include "export/ops_rows.h"

enum { MIN_DUR, FLOWS, ARGS, SPLIT, DURING };

static const char *const details[] = { "auto", "all", "none", NULL };
static const char *const splits[] = { "none", "rank", "gpu", NULL };

enum { SPLIT_NONE, SPLIT_RANK, SPLIT_GPU };

static const struct wl_param params[] = {
	[MIN_DUR] = { .key = "min-dur",
		      .type = WL_P_NS,
		      .def = "0ns",
		      .help = "Leave out what is shorter." },
	[FLOWS] = { .key = "flows",
		    .type = WL_P_ENUM,
		    .def = "auto",
		    .choices = details,
		    .help = "Arrows from a call to what it launched; auto: while the file stays "
			    "below 32 MB." },
	[ARGS] = { .key = "args",
		   .type = WL_P_ENUM,
		   .def = "auto",
		   .choices = details,
		   .help = "Grid, block, registers, bytes and correlation of each operation." },
	[SPLIT] = { .key = "split",
		    .type = WL_P_ENUM,
		    .def = "none",
		    .choices = splits,
		    .help = "Write a file per rank, x.rank0.pftrace, x.rank1.pftrace, ..., or per "
			    "GPU; -o DIR/ implies gpu." },
	[DURING] = { .key = "during",
		     .type = WL_P_ENUM,
		     .def = "idle",
		     .choices = wl_stack_durings,
		     .help = "Time that call stacks count, as in stacks." },
};

/* What is exported, and how; all of it lives until the last file is written. */
struct exporting {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_export_job job;
	bool to_dir; /* -o names a directory */
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_costs costs;
};

/* ---- What is asked ---- */

static int refuse_file(const char *file, struct wl_err *reterr)
{
	char all[WL_EXPORT_LIST_BUF];

	return wl_fail(reterr, WL_E_USAGE,
		       "-o %.200s: the ending chooses the format: %s; or give -f FORMAT", file,
		       wl_export_list_suffixes(all, WL_EXPORT_ALL, ", "));
}

static int choose_format(struct exporting *x, struct wl_err *reterr)
{
	const char *file = x->inv->opt.output;
	char all[WL_EXPORT_LIST_BUF];

	x->to_dir = file && wl_path_is_dir(file);
	x->job.format = x->inv->opt.format.export;
	if (!x->job.format && !file)
		return wl_fail(reterr, WL_E_USAGE,
			       "export: no output given; usage: warplens export TRACE -o "
			       "run.pftrace, or -f %s -o FILE",
			       wl_export_list_names(all, WL_EXPORT_ALL, "|", "|"));
	if (!x->job.format && x->to_dir)
		x->job.format = &wl_export_chrome; /* which every viewer of timelines opens */
	if (!x->job.format)
		x->job.format = wl_export_of_file(file, NULL);
	return x->job.format ? WL_OK : refuse_file(file, reterr);
}

static int check_rows(const struct exporting *x, const char *file, struct wl_err *reterr)
{
	char all[WL_EXPORT_LIST_BUF];
	const char *timelines = wl_export_list_names(all, WL_EXPORT_TIMELINES, ", ", " and ");

	if (x->inv->param[FLOWS] || x->inv->param[ARGS])
		return wl_fail(reterr, WL_E_USAGE, "export: --flows and --args are for %s",
			       timelines);
	if (file && wl_path_ends_in(file, ".gz"))
		return wl_fail(reterr, WL_E_USAGE,
			       "-o %.200s: only %s are compressed; write to a pipe of gzip instead",
			       file, timelines);
	return WL_OK;
}

/* Of call stacks, and of formats that hold none. */
static int check_stacks(const struct exporting *x, struct wl_err *reterr)
{
	if (x->job.format->stacks && x->inv->param[MIN_DUR])
		return wl_fail(reterr, WL_E_USAGE,
			       "export: --min-dur does not apply to call stacks; --window narrows "
			       "them");
	if (!x->job.format->stacks && x->inv->param[DURING])
		return wl_fail(reterr, WL_E_USAGE, "export: --during is for %s and %s",
			       wl_export_folded.name, wl_export_speedscope.name);
	return WL_OK;
}

static int check_options(const struct exporting *x, struct wl_err *reterr)
{
	const struct wl_invocation *inv = x->inv;
	const struct wl_export_format *format = x->job.format;
	const char *file = inv->opt.output;
	int r = WL_OK;

	if (inv->n_operands != 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "export: give one trace; usage: warplens export TRACE -o x.pftrace");
	if (wl_export_is_timeline(format) && !file)
		return wl_fail(
			reterr, WL_E_USAGE,
			"export: no output file; usage: warplens export TRACE -f %s -o run%s",
			format->name, format->suffix[0]);
	if (!wl_export_is_timeline(format))
		r = check_rows(x, file, reterr);
	if (r == WL_OK)
		r = check_stacks(x, reterr);
	if (r < 0)
		return r;
	if (x->args.value[SPLIT].i64 != SPLIT_NONE && !file)
		return wl_fail(reterr, WL_E_USAGE, "--split: give the files' name with -o");
	if (x->args.value[SPLIT].i64 == SPLIT_RANK && inv->opt.rank)
		return wl_fail(reterr, WL_E_USAGE,
			       "--split rank: writes all ranks; leave out --rank");
	return wl_spare_trace(file, inv->operand[0], "--output", reterr);
}

static void make_job(struct exporting *x)
{
	struct wl_export_job *job = &x->job;

	job->request = wl_opened_request(x->inv, &x->docs, x->pool);
	job->opened = &x->opened;
	job->budget = &x->budget;
	job->path = x->inv->opt.output;
	job->trace = x->inv->operand[0];
	job->min_dur = x->args.value[MIN_DUR].i64;
	job->flows = (enum wl_export_detail)x->args.value[FLOWS].i64;
	job->details = (enum wl_export_detail)x->args.value[ARGS].i64;
	job->stacks = wl_stack_during((size_t)x->args.value[DURING].i64);
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct exporting *x, struct wl_err *reterr)
{
	const struct wl_invocation *inv = x->inv;
	int r = choose_format(x, reterr);

	if (r == WL_OK)
		r = wl_command_args(&x->args, inv, NULL, reterr);
	if (r == WL_OK)
		r = check_options(x, reterr);
	if (r == WL_OK)
		r = wl_docs_init(&x->docs, inv, NULL, reterr);
	if (r < 0)
		return r;
	x->pool = wl_pool_option(inv);
	make_job(x);
	return wl_opened_check(inv, &x->job.request, reterr);
}

/* ---- All ---- */

static int write_files(const struct exporting *x, struct wl_err *reterr)
{
	const struct wl_export_split split = { &x->job, x->inv->operand[0], x->to_dir };

	if (x->args.value[SPLIT].i64 == SPLIT_RANK)
		return wl_export_ranks(&split, reterr);
	if (x->args.value[SPLIT].i64 == SPLIT_GPU || x->to_dir)
		return wl_export_gpus(&split, reterr);
	return wl_export_write(&x->job, reterr);
}

static int export_trace(struct exporting *x, struct wl_err *reterr)
{
	const struct wl_opening how = { x->inv, x->pool, &x->budget, &x->costs };
	int r = wl_export_load(&x->job, x->inv->operand[0], &how, reterr);

	if (r < 0)
		return r;
	wl_costs_begin(&x->costs);
	r = write_files(x, reterr);
	wl_costs_end(&x->costs, WL_COSTS_PRINT);
	wl_opened_note_index(&x->opened);
	if (r == WL_OK)
		wl_costs_print(&x->costs, stderr);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct exporting x = { .inv = inv,
			       .budget = { .limit = inv->opt.memory },
			       .costs = { .on = inv->opt.stats } };
	struct wl_err err;
	int r = prepare(&x, &err);

	if (r == WL_OK)
		r = export_trace(&x, &err);
	wl_opened_release(&x.opened);
	wl_pool_free(x.pool);
	wl_docs_release(&x.docs);
	wl_args_release(&x.args);
	return r < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static const struct wl_alias aliases[] = {
	{ "export-csv", { { "format", "csv" } } },
	{ "export-json", { { "format", "json" } } },
	{ "perfetto", { { "format", "perfetto" } } },
	{ .name = NULL },
};

#define KEEP                                                                                       \
	"\"warplens info REPORT --keep-export FILE\" keeps the SQLite database of a report of "    \
	"nsys"

static const struct wl_option_hint hints[] = {
	{ "sqlite", KEEP },
	{ "type", KEEP "; -f chooses other formats" },
	{ NULL, NULL },
};

static const struct wl_example examples[] = {
	{ "warplens export run.sqlite -o run.pftrace.gz",
	  "For ui.perfetto.dev, all of the trace." },
	{ "warplens export run.sqlite -o part.pftrace --window steady --gpu 0",
	  "One iteration of one GPU." },
	{ "warplens export run.sqlite -o traces/", "Chrome JSON, a file per GPU." },
	{ "warplens export run.sqlite -f csv -o ops.csv", "A row per GPU operation." },
	{ NULL, NULL },
};

static const struct wl_table_info tables[] = {
	{ "operations", "Operations, one row each", wl_ops_cols, WL_N_OPS_COLS },
	{ NULL, NULL, NULL, 0 },
};

const struct wl_command wl_command_export = {
	.name = "export",
	.compared = true,
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Convert: Perfetto, Chrome JSON, CSV, JSON, facts" },
	.help = "Write the trace for other tools: Perfetto, Chrome JSON, CSV",
	.about =
		"perfetto and chrome are timelines with the rows of \"warplens timeline\": per GPU "
		"busy and exposed shares, iterations, NVTX where its work lies, streams with their "
		"role, copies, gaps by cause; per process its threads with CUDA calls, NVTX and OS "
		"calls; findings. Events that overlap get additional rows. folded and "
		"speedscope have the call stacks that \"warplens stacks\" counts, for flame "
		"graphs: "
		"weights are in nanoseconds and add up to its time. The other "
		"formats have a row per GPU operation with its launch, queue, grid, bytes, NVTX "
		"path and iteration. An event with a part in the window is exported whole. Times "
		"are "
		"those of the trace, to the nanosecond. The number of slices or operations, and "
		"the size of a Perfetto file, are printed first. The same trace and options give "
		"the same bytes.",
	.operands = "TRACE",
	.aliases = aliases,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(COLOR) | WL_OPT_BIT(SECTION) |
		   WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |
		   WL_OPT_BIT(COLUMNS),
	.instead = "--window, --gpu, --rank and --min-dur narrow an export",
	.hints = hints,
	.tables = tables,
	.formats = wl_export_names,
	.several = WL_SEVERAL_JOB,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* ncu.c - the command that shows the kernels of an Nsight Compute report. */
#include "ncu/ncu_tables.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "cli/commands/capture/ncu_trace.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "ncu/read.h"

enum { BY, TRACE };

enum { BY_KERNEL, BY_LAUNCH };

static const char *const bys[] = { "kernel", "launch", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "kernel",
		 .choices = bys,
		 .help = "A row for launches of one kernel with the same grid and block, or for "
			 "each launch." },
	[TRACE] = { .key = "trace",
		    .type = WL_P_STR,
		    .help = "Join the kernels to those of this trace, by name, grid, block and "
			    "shared memory." },
};

struct showing {
	const struct wl_invocation *inv;
	struct wl_printing print;
	struct wl_args args;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_ncu ncu;
	enum wl_ncu_section section;
	struct wl_table table;
};

/* What selects a part of a trace, or says how one is read. */
static const enum wl_option_id of_traces[] = {
	WL_OPT_WINDOW,      WL_OPT_TRIM,         WL_OPT_GPU,         WL_OPT_PID,
	WL_OPT_RANK,        WL_OPT_STREAM,       WL_OPT_MARKER,      WL_OPT_NSYS,
	WL_OPT_KEEP_EXPORT, WL_OPT_NSYS_TIMEOUT, WL_OPT_INDEX_DIR,   WL_OPT_NO_INDEX,
	WL_OPT_READER,      WL_OPT_THREADS,      WL_OPT_CONVENTIONS, WL_OPT_STATS,
};

static int refuse_trace_options(const struct wl_invocation *inv, struct wl_err *reterr)
{
	for (size_t i = 0; i < WL_COUNT(of_traces); i++) {
		if (inv->given[of_traces[i]])
			return wl_fail(reterr, WL_E_USAGE,
				       "--%s: ncu reads a report of Nsight Compute, not a trace; "
				       "--where selects rows, --trace joins a trace",
				       wl_options[of_traces[i]].long_name);
	}
	return WL_OK;
}

static int choose_section(struct showing *s, struct wl_err *reterr)
{
	const char *name = s->inv->opt.section;

	s->section = WL_NCU_KERNELS;
	while (name && s->section < WL_NCU_N_SECTIONS &&
	       strcmp(wl_ncu_tables[s->section].name, name) != 0)
		s->section++;
	if (s->section == WL_NCU_N_SECTIONS)
		return wl_fail(reterr, WL_E_USAGE, "--section %.60s: ncu has kernels, metrics",
			       name);
	return WL_OK;
}

/* Columns are known before the file is read: a mistake is reported first. */
static int prepare(struct showing *s, struct wl_err *reterr)
{
	struct wl_view_opts opts;
	struct wl_view view;
	int r = WL_OK;

	if (s->inv->n_operands != 1)
		r = wl_fail(reterr, WL_E_USAGE,
			    "ncu takes one report, but %zu were given; usage: warplens ncu "
			    "[OPTIONS] FILE",
			    s->inv->n_operands);
	if (r == WL_OK)
		r = wl_printing_init(&s->print, s->inv, reterr);
	if (r == WL_OK)
		r = wl_printing_spares(&s->print, s->inv->operand[0], reterr);
	if (r == WL_OK)
		r = wl_command_args(&s->args, s->inv, NULL, reterr);
	if (r == WL_OK && !s->args.value[TRACE].str)
		r = refuse_trace_options(s->inv, reterr);
	if (r == WL_OK)
		r = choose_section(s, reterr);
	if (r < 0)
		return r;
	opts = wl_printing_view(&s->print);
	wl_ncu_table_init(s->section, s->args.value[BY].i64 == BY_LAUNCH, &s->arena, &s->table);
	return wl_view_make(&s->table, &opts, &s->arena, &view, reterr);
}

static int print(struct showing *s, struct wl_err *reterr)
{
	const struct wl_fact facts[] = { { "path", s->inv->operand[0], 0 } };
	const struct wl_view_opts opts = wl_printing_view(&s->print);
	struct wl_section section = { .analysis = wl_ncu_tables[s->section].name };
	const struct wl_document doc = { .name = "ncu",
					 .trace = facts,
					 .n_trace = WL_COUNT(facts),
					 .n_devices = -1,
					 .sections = &section,
					 .n_sections = 1,
					 .single = true };
	int r = wl_view_make(&s->table, &opts, &s->arena, &section.view, reterr);

	if (r == WL_OK)
		wl_view_note_none(&section.view, &s->table);
	return r == WL_OK ? wl_print(&s->print, &doc, reterr) : r;
}

static int show(struct showing *s, struct wl_err *reterr)
{
	const char *trace = s->inv->param[TRACE];
	struct wl_err why;
	int r = trace ? WL_OK : prepare(s, reterr);

	if (trace)
		return wl_ncu_join_show(s->inv, trace, s->inv->param[BY], reterr);

	if (r == WL_OK)
		r = wl_ncu_read(s->inv->operand[0], &s->arena, &s->ncu, reterr);
	if (r < 0)
		return r;
	r = wl_ncu_table_fill(&s->ncu, s->section, s->args.value[BY].i64 == BY_LAUNCH, &s->table,
			      &why);
	return r < 0 ? wl_fail(reterr, r, "%.200s: %s", s->inv->operand[0], why.msg)
		     : print(s, reterr);
}

static int run(const struct wl_invocation *inv)
{
	struct showing s = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_err err;
	int r;

	wl_arena_init_on(&s.arena, &s.budget);
	r = show(&s, &err);
	wl_ncu_release(&s.ncu);
	wl_arena_release(&s.arena);
	wl_args_release(&s.args);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens ncu run.ncu-rep", "What holds each kernel up." },
	{ "warplens ncu run.ncu-rep --where 'bound = DRAM'", "Kernels at the memory roof." },
	{ "warplens ncu run.ncu-rep --by launch --columns launch,kernel,sm", "Every launch." },
	{ "warplens ncu run.ncu-rep --section metrics --where 'metric ~ dram__'",
	  "Metrics as they are recorded." },
	{ "warplens ncu run.ncu-rep --trace run.sqlite", "With their time in a trace." },
	{ NULL, NULL },
};

const struct wl_command wl_command_ncu = {
	.name = "ncu",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Nsight Compute reports: what limits each kernel; --roofline" },
	.help = "Show what limits the kernels of an Nsight Compute report",
	.about = "Reads a report of Nsight Compute (.ncu-rep), without ncu, or its raw page as CSV "
		 "(ncu --import FILE --page raw --csv). Launches of one kernel with the same grid "
		 "and block are one row; shares are means weighted by duration. The class of a "
		 "kernel follows the rule of ncu: below 60% of the peaks of both SMs and memory it "
		 "waits for latency, or its grid is too small; within 10 points it is balanced; "
		 "else it is bound by what is used more. The limiter of occupancy is what allows "
		 "the fewest blocks per SM. --section metrics lists all metrics. --trace joins the "
		 "kernels to those of a trace by name, grid, block and shared memory, with their "
		 "time there, and lists those that only one of the files has. Options that select "
		 "a part of a trace need --trace.",
	.operands = "FILE",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(JOB),
	.instead = "ncu reads a report of Nsight Compute, not a trace; --where selects rows",
	.tables = wl_ncu_tables,
	.run = run,
};

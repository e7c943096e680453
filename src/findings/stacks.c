/* SPDX-License-Identifier: MIT */
/* stacks.c - the code that threads ran while their GPU was idle, by call stack. */
#include <stdio.h>
#include <string.h>

#include "analysis/empty.h"
#include "analysis/time/gap_list.h"
#include "analysis/time/stack_rows.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "findings/codes.h"
#include "findings/finding_stacks.h"
#include "table/cols.h"

WL_DECLARE_ANALYSIS(stacks);

static const struct wl_col cols[] = {
	[WL_STACKS_STACK] = { "stack", "Stack", WL_T_STR, WL_KEY,
			      "Its functions from the outermost inwards, with ; between them." },
	[WL_STACKS_FUNCTION] = { "function", "Function", WL_T_STR, WL_KEY,
				 "Function; (module) where its addresses have no names." },
	[WL_STACKS_MODULE] = { "module", "Module", WL_T_STR, WL_KEY,
			       "Library or program of the function." },
	[WL_STACKS_PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process." },
	[WL_STACKS_TID] = { "tid", "TID", WL_T_COUNT, WL_KEY, "Thread." },
	[WL_STACKS_THREAD] = { "thread", "Thread", WL_T_STR, WL_PLAIN, "Name of the thread." },
	[WL_STACKS_TOTAL] = { "total", "Total", WL_T_NS, WL_PLAIN,
			      "Time with the function on the stack; of a thread all its time." },
	[WL_STACKS_SELF] = { "self", "Self", WL_T_NS, WL_SUM,
			     "Time with the function innermost; of a thread that with a stack." },
	[WL_STACKS_SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
			      "total by all time counted, with a stack or without." },
	[WL_STACKS_OFF] = { "off_cpu", "Off CPU", WL_T_NS, WL_SUM,
			    "Time off the CPU without a stack." },
	[WL_STACKS_NONE] = { "no_sample", "No sample", WL_T_NS, WL_SUM,
			     "Time of which nothing is known." },
};

enum { DURING, BY, THREAD, MIN, GAP };

static const char *const facets[] = { "stack", "function", "module", "thread", "folded", NULL };

static const struct wl_param params[] = {
	[DURING] = { .key = "during",
		     .type = WL_P_STR,
		     .def = "idle",
		     .choices = wl_stack_durings,
		     .help = "Time to count: of launching threads while their GPU is idle (the "
			     "part of it with one cause, of gap:K or of finding:N, by their "
			     "numbers in gaps and findings, or of finding:CODE, the first of that "
			     "code) or busy, or all time of all threads." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "stack",
		 .choices = facets,
		 .help = "What to group by; stack is a tree of callers, folded has a row per "
			 "stack, as flame graph tools read it." },
	[THREAD] = { .key = "thread",
		     .type = WL_P_COUNT,
		     .help = "Count only threads with this TID." },
	[MIN] = { .key = "min",
		  .type = WL_P_RATIO,
		  .def = "0",
		  .people_def = "1%",
		  .help = "Hide rows whose share is smaller." },
	[GAP] = { .key = "gap",
		  .type = WL_P_COUNT,
		  .help = "Count only the gap with this number in the list of gaps; 1 is the "
			  "longest." },
};

static const enum wl_column_id needs_any[] = { WL_SAMPLES_START, WL_OSRT_STACK, WL_API_STACK,
					       WL_N_COLUMNS };
static const enum wl_column_id uses[] = { WL_SAMPLES_START, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens stacks run.sqlite", "What the launching threads ran while GPUs were idle." },
	{ "warplens stacks run.sqlite --by function -n 10", "The functions with the most time." },
	{ "warplens stacks run.sqlite --by folded -f tsv", "A line per stack, for flame graphs." },
	{ "warplens stacks run.sqlite --during os",
	  "Where OS calls came from that held a GPU up." },
	{ "warplens stacks run.sqlite --during gap:1", "What the host ran in the longest gap." },
	{ "warplens stacks run.sqlite --during busy",
	  "What the launching threads ran while their GPU was busy." },
	{ NULL, NULL },
};

/* What --during, --gap and --thread say. */
struct asked {
	bool is_known;
	struct wl_stack_choice choice;
	int64_t gap, finding; /* -1: none */
	const char *code;     /* of a finding; NULL: none */
};

static bool is_of_finding(const struct asked *asked)
{
	return asked->finding >= 0 || asked->code;
}

/* The number after a word and a colon; -1 where the text is not of that form. */
static int64_t number_after(const char *text, const char *word)
{
	size_t n = strlen(word);
	struct wl_err err;
	int64_t number;

	return strncmp(text, word, n) == 0 && text[n] == ':' &&
			       wl_parse_count(text + n + 1, &number, &err) == WL_OK
		       ? number
		       : -1;
}

/* As the registry has it; NULL where the text is not "finding:CODE". */
static const char *code_after(const char *text)
{
	static const char lead[] = "finding:";

	for (size_t i = 0; strncmp(text, lead, strlen(lead)) == 0 && wl_finding_code(i); i++) {
		if (strcmp(wl_finding_code(i), text + strlen(lead)) == 0)
			return wl_finding_code(i);
	}
	return NULL;
}

static struct asked read_during(const char *text)
{
	struct asked asked = { .gap = number_after(text, "gap"),
			       .finding = number_after(text, "finding"),
			       .code = code_after(text) };
	size_t word = 0;

	if (asked.gap < 0 && !is_of_finding(&asked)) {
		while (word < WL_N_STACK_DURINGS &&
		       !wl_words_same(wl_stack_durings[word], text, strlen(text)))
			word++;
	}
	asked.is_known = word < WL_N_STACK_DURINGS;
	if (asked.is_known)
		asked.choice = wl_stack_during(word);
	return asked;
}

static struct asked read_args(const union wl_arg *arg)
{
	struct asked asked = read_during(arg[DURING].str);

	asked.choice.tid = arg[THREAD].i64;
	asked.gap = arg[GAP].i64 >= 0 ? arg[GAP].i64 : asked.gap;
	return asked;
}

static int check(const union wl_arg *arg, struct wl_err *reterr)
{
	const struct asked during = read_during(arg[DURING].str);

	if (!during.is_known)
		return wl_fail(reterr, WL_E_USAGE,
			       "--during %.100s: use idle, a cause of it (host, os, api, sync, "
			       "mpi, alloc or load), gap:K, finding:N, finding:CODE, busy or all",
			       arg[DURING].str);
	if (arg[GAP].i64 >= 0 &&
	    (during.gap >= 0 || is_of_finding(&during) || !during.choice.causes))
		return wl_fail(reterr, WL_E_USAGE,
			       "--gap counts idle time: leave --during %.100s out",
			       arg[DURING].str);
	return WL_OK;
}

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	const struct asked asked = read_args(arg);

	if (is_of_finding(&asked))
		wl_finding_stacks_want(wanted);
	else
		wl_stack_want(wanted, &asked.choice);
}

static uint64_t hidden(const union wl_arg *arg)
{
	const uint64_t thread = UINT64_C(1) << WL_STACKS_PID | UINT64_C(1) << WL_STACKS_TID |
				UINT64_C(1) << WL_STACKS_THREAD | UINT64_C(1) << WL_STACKS_OFF |
				UINT64_C(1) << WL_STACKS_NONE;
	const uint64_t stack = UINT64_C(1) << WL_STACKS_STACK;
	const uint64_t function = UINT64_C(1) << WL_STACKS_FUNCTION;
	const uint64_t module = UINT64_C(1) << WL_STACKS_MODULE;

	switch ((enum wl_stacks_by)arg[BY].i64) {
	case WL_STACKS_BY_THREAD:
		return stack | function | module;
	case WL_STACKS_BY_MODULE:
		return stack | thread | function;
	case WL_STACKS_BY_FOLDED:
		return thread | function | module | UINT64_C(1) << WL_STACKS_TOTAL;
	case WL_STACKS_BY_STACK:
	case WL_STACKS_BY_FUNCTION:
		break;
	}
	return stack | thread;
}

/* How far samples are apart, about: in the process of the thread that counts most. */
static wl_ns sample_distance(const struct wl_run *r, const struct wl_stack_sums *sums)
{
	size_t most = 0;

	for (size_t i = 0; i < r->trace->n_threads; i++)
		most = sums->thread[i].all > sums->thread[most].all ? i : most;
	return r->derived->thread_stacks->reach[r->trace->threads[most].process] * 2 / 3;
}

/* Idle time that no row has, by cause, the largest first. */
static void note_outside(const struct wl_stack_sums *sums, struct wl_table *out)
{
	enum { ROOM = 16 + WL_UNITS_BUF };
	char causes[WL_N_CAUSES * ROOM], text[WL_UNITS_BUF];
	bool was_said[WL_N_CAUSES] = { false };
	wl_ns all = 0;
	size_t used = 0;

	for (size_t i = 0; i < WL_N_CAUSES; i++)
		all += sums->outside[i];
	for (wl_ns left = all; left > 0;) {
		size_t most = 0;

		for (size_t i = 1; i < WL_N_CAUSES; i++) {
			if (!was_said[i] &&
			    (was_said[most] || sums->outside[i] > sums->outside[most]))
				most = i;
		}
		was_said[most] = true;
		left -= sums->outside[most];
		used += (size_t)snprintf(causes + used, ROOM, "%s%s %s", used ? ", " : "",
					 wl_cause_name((enum wl_cause)most),
					 wl_fmt_ns(text, sums->outside[most], WL_UNIT_AUTO));
	}
	if (all > 0)
		wl_table_note(out, "%s%s of idle time has causes that are not counted here: %s",
			      wl_fmt_ns(text, all, WL_UNIT_AUTO), sums->total.all ? " more" : "",
			      causes);
}

/* GPUs were idle, and nothing says why: whether threads held them up cannot be told. */
static int check_known(const struct asked *asked, const struct wl_stack_sums *sums,
		       struct wl_err *reterr)
{
	wl_ns unknown = sums->outside[WL_CAUSE_UNKNOWN];
	char text[WL_UNITS_BUF];

	for (size_t i = 0; i < WL_N_CAUSES; i++) {
		if (i != WL_CAUSE_UNKNOWN && sums->outside[i] > 0)
			return WL_OK;
	}
	if (!asked->choice.causes || sums->total.all > 0 || unknown == 0)
		return WL_OK;
	return wl_fail(
		reterr, WL_E_NODATA,
		"the cause of all idle time of GPUs (%s) is unknown (\"warplens idle TRACE\" "
		"says why); stacks --during all counts all time of all threads",
		wl_fmt_ns(text, unknown, WL_UNIT_AUTO));
}

/* Why no time counts. */
static const char *say_none(const struct asked *asked)
{
	if (asked->choice.causes)
		return "no GPU idle time has a cause that counts here (--during all counts all "
		       "time of all threads)";
	return asked->choice.is_busy ? "no GPU was busy here with work whose launch is known"
				     : "no thread has samples or stacks of calls here";
}

static void note(const struct wl_run *r, const struct asked *asked,
		 const struct wl_stack_sums *sums, struct wl_table *out)
{
	wl_ns with = sums->total.all, none = sums->total.without[WL_STACK_OF_NONE];
	wl_ns every;
	char text[WL_UNITS_BUF];

	for (size_t i = 0; i < WL_N_STACK_STATES; i++)
		with -= sums->total.without[i];
	if (sums->total.all == 0) {
		wl_table_note(out, "%s", say_none(asked));
	} else {
		every = sample_distance(r, sums);
		wl_table_cover_ns(out, "time with a stack", with, sums->total.all);
		if (none > 0 && every > 0)
			wl_table_note(out,
				      "samples are %s apart: shorter pieces of code may have none",
				      wl_fmt_ns(text, every, WL_UNIT_AUTO));
	}
	if (asked->choice.causes == WL_STACK_CAUSES)
		note_outside(sums, out);
	if (sums->unlinked > 0)
		wl_table_note(out,
			      "%s more of busy time is not counted: it is not known which thread "
			      "launched the work",
			      wl_fmt_ns(text, sums->unlinked, WL_UNIT_AUTO));
}

/* Let only one gap of the scope count, and say which. */
static int narrow(const struct wl_run *r, int64_t number, struct wl_scope *scope,
		  struct wl_table *out, struct wl_err *reterr)
{
	struct wl_interval *device = WL_NEW(r->arena, struct wl_interval, r->trace->n_devices);
	bool *device_on = WL_NEW(r->arena, bool, r->trace->n_devices);
	struct wl_gap_place gap;
	char text[WL_UNITS_BUF];
	int status;

	if (!device || !device_on || !r->derived->idle)
		return wl_no_memory(&wl_analysis_stacks, reterr);
	status = wl_gap_by_number(r, &wl_analysis_stacks, number, &gap, reterr);
	if (status != WL_OK)
		return status;
	device[gap.device] = (struct wl_interval){ gap.start, gap.start + gap.duration };
	device_on[gap.device] = true;
	scope->device = device;
	scope->device_on = device_on;
	wl_table_note(out, "of one gap: %s on GPU %u", wl_fmt_ns(text, gap.duration, WL_UNIT_AUTO),
		      (unsigned)gap.device);
	return WL_OK;
}

static int find_sums(const struct wl_run *r, const struct asked *asked, struct wl_table *out,
		     struct wl_stack_sums *ret, struct wl_err *reterr)
{
	struct wl_scope scope = *r->scope;
	int status = WL_OK;

	if (!r->derived->thread_stacks)
		return wl_no_memory(&wl_analysis_stacks, reterr);
	if (is_of_finding(asked))
		return wl_finding_stacks_find(r, &wl_analysis_stacks,
					      &(struct wl_finding_choice){ asked->code,
									   asked->finding,
									   asked->choice.tid },
					      out, ret, reterr);
	if (asked->gap >= 0)
		status = narrow(r, asked->gap, &scope, out, reterr);
	if (status != WL_OK)
		return status;
	return wl_stack_sums_find(r->derived, &scope, &asked->choice, r->arena, ret)
		       ? WL_OK
		       : wl_no_memory(&wl_analysis_stacks, reterr);
}

/* Calls alone are no reason to answer: all of them can lack a stack. */
static const char *lacks(const struct wl_run *r)
{
	const struct asked asked = read_during(r->arg[DURING].str);

	if (!r->trace->n_stacks && !r->trace->family[WL_F_SAMPLES].n)
		return "the trace has no CPU samples and no stacks of calls; record with nsys "
		       "profile --sample=process-tree";
	return asked.is_known && asked.choice.causes && !wl_has_operations(r->trace)
		       ? "no GPU is idle, because the trace has no GPU work; stacks --during all "
			 "counts all time of all threads"
		       : NULL;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct asked asked = read_args(r->arg);
	struct wl_stack_rows rows = { .run = r, .out = out, .min = r->arg[MIN].f64 };
	int status;

	status = find_sums(r, &asked, out, &rows.sums, reterr);
	if (status == WL_OK)
		status = check_known(&asked, &rows.sums, reterr);
	if (status != WL_OK)
		return status;
	if (!wl_stack_rows_put(&rows, (enum wl_stacks_by)r->arg[BY].i64))
		return wl_no_memory(&wl_analysis_stacks, reterr);
	note(r, &asked, &rows.sums, out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "stack" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_stacks = {
	.name = "stacks",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "Show what threads ran while their GPU was idle, by call stack",
	.about =
		"Of each idle gap with cause host, os, api, sync, mpi, alloc or load, the call "
		"stacks of the thread whose launch ends the gap, weighted by time. Stacks are "
		"those of "
		"long CUDA and OS calls, and of CPU samples: a sample stands for the time to the "
		"next sample of its thread, at most for 1.5 sampling periods. Time without a stack "
		"is in rows of its own, off CPU or without a sample, so that all rows add up to "
		"the idle time. Busy time (--during busy) belongs to the thread that launches what "
		"its GPU runs next. Frames without names are shown as their module. A thread that "
		"launches "
		"for several idle GPUs counts once for each. The tree shows callers above what "
		"they call, the largest total first.",
	.is_tree = true,
	.needs_any = needs_any,
	.uses = uses,
	.want = want,
	.check = check,
	.hidden = hidden,
	.lacks = lacks,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};

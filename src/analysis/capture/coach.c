/* SPDX-License-Identifier: MIT */
/* coach.c - the questions that people ask about a trace, and what the trace lacks to answer
 * them. */
#include "analysis/capture/coach.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/capture/coach_facts.h"
#include "base/text/units.h"

WL_DECLARE_ANALYSIS(coach);

/* The goals after CAPTURE match wl_coach_goals; the questions of CAPTURE are always asked. */
enum goal { CAPTURE, LAUNCH, NCCL, HOST, MEMORY, COUNTERS };

static const struct wl_param params[WL_N_COACH_PARAMS] = { WL_COACH_PARAMS };

enum state { NO, PARTLY, ANSWERED };
static const char *const states[] = { "no", "partly", "answered" };

enum { SAID = 200 };

struct verdict {
	enum state state;
	uint32_t lacks;  /* bits of enum wl_lack */
	char said[SAID]; /* what is missing, or what was found */
};

#define LACK(ID) (UINT32_C(1) << WL_LACK_##ID)

static void say(struct verdict *v, const char *what)
{
	size_t used = strlen(v->said);

	(void)snprintf(v->said + used, sizeof(v->said) - used, "%s%s", used ? ", " : "", what);
}

/* Record a lack, which limits the answer to this state. */
static void lower(struct verdict *v, enum state to, enum wl_lack lack, const char *what)
{
	v->state = v->state < to ? v->state : to;
	v->lacks |= UINT32_C(1) << lack;
	say(v, what);
}

static bool has(const struct wl_coach_facts *f, enum wl_family_id family)
{
	return f->trace->family[family].present;
}

static bool has_gpu_rows(const struct wl_coach_facts *f)
{
	return has(f, WL_F_KERNELS) || has(f, WL_F_GRAPHS);
}

static void judge_idle(const struct wl_coach_facts *f, struct verdict *v)
{
	char share[WL_UNITS_BUF], text[80];

	if (!has_gpu_rows(f) || !has(f, WL_F_API))
		lower(v, NO, WL_LACK_CUDA, has_gpu_rows(f) ? "no CUDA API calls" : "no kernels");
	else if (f->n_ops && (double)f->n_linked < 0.9 * (double)f->n_ops) {
		(void)snprintf(text, sizeof(text), "%s of GPU work not linked",
			       wl_fmt_ratio(share, 1 - (double)f->n_linked / (double)f->n_ops));
		lower(v, PARTLY, WL_LACK_LAUNCHES, text);
	}
	/* Without OS calls, waits in the OS count as host time. */
	if (!has(f, WL_F_OSRT))
		lower(v, PARTLY, WL_LACK_OSRT, "no OS calls");
}

static void judge_graphs(const struct wl_coach_facts *f, struct verdict *v)
{
	if (has(f, WL_F_GRAPHS))
		lower(v, NO, WL_LACK_NODES, "graph replays, no kernels in them");
	else if (!has(f, WL_F_KERNELS))
		lower(v, NO, WL_LACK_CUDA, "no kernels");
}

/*
 * Synchronisation and event rows prove which stream waits for which; without events the order is
 * inferred (docs/definitions/replay.md).
 */
static void judge_streams(const struct wl_coach_facts *f, struct verdict *v)
{
	if (!has_gpu_rows(f))
		lower(v, NO, WL_LACK_CUDA, "no kernels");
	else if (!has(f, WL_F_SYNCS))
		lower(v, PARTLY, WL_LACK_CUDA, "no syncs");
	if (has_gpu_rows(f) && !has(f, WL_F_EVENTS))
		lower(v, PARTLY, WL_LACK_EVENTS, "no event records");
}

static void judge_ranks(const struct wl_coach_facts *f, struct verdict *v)
{
	char text[80];

	/* If no GPU work was recorded, communication is unknown, which is not "none". */
	if (!f->communicates && !has_gpu_rows(f)) {
		lower(v, NO, WL_LACK_CUDA, "no kernels");
		return;
	}
	if (!f->communicates) {
		say(v, "no communication");
		return;
	}
	if (f->world > (int64_t)f->n_ranks)
		(void)snprintf(text, sizeof(text), "%zu of %" PRId64 " ranks", f->n_ranks,
			       f->world);
	else
		(void)snprintf(text, sizeof(text), "one rank, which communicates");
	if (f->world > (int64_t)f->n_ranks || f->n_ranks < 2)
		lower(v, f->n_ranks < 2 ? NO : PARTLY, WL_LACK_RANKS, text);
}

static void judge_sizes(const struct wl_coach_facts *f, struct verdict *v)
{
	if (!f->uses_nccl && !has_gpu_rows(f)) {
		lower(v, NO, WL_LACK_CUDA, "no kernels");
		return;
	}
	if (!f->uses_nccl) {
		say(v, "no NCCL kernels");
		return;
	}
	if (has(f, WL_F_NCCL_CALLS) || has(f, WL_F_NCCL_OPS))
		return;
	/* Payloads belong to NVTX ranges: both have to be recorded. */
	if (!has(f, WL_F_NVTX))
		lower(v, NO, WL_LACK_NVTX, "no NVTX ranges");
	lower(v, NO, WL_LACK_PAYLOADS, "no NCCL payloads");
}

static void judge_host(const struct wl_coach_facts *f, struct verdict *v)
{
	static const struct {
		enum wl_family_id family;
		enum wl_lack lack;
		const char *what;
	} parts[] = { { WL_F_NVTX, WL_LACK_NVTX, "NVTX" },
		      { WL_F_OSRT, WL_LACK_OSRT, "OS calls" },
		      { WL_F_SCHED, WL_LACK_SCHED, "scheduling" } };
	char text[40];
	bool any = false;

	for (size_t i = 0; i < WL_COUNT(parts); i++)
		any = any || has(f, parts[i].family);
	for (size_t i = 0; i < WL_COUNT(parts); i++) {
		if (has(f, parts[i].family))
			continue;
		(void)snprintf(text, sizeof(text), "%s%s", v->lacks ? "" : "no ", parts[i].what);
		lower(v, any ? PARTLY : NO, parts[i].lack, text);
	}
}

static void judge_samples(const struct wl_coach_facts *f, struct verdict *v)
{
	if (!f->has_samples)
		lower(v, NO, WL_LACK_SAMPLES, "no call stacks");
}

static void judge_copies(const struct wl_coach_facts *f, struct verdict *v)
{
	if (!has_gpu_rows(f) && !has(f, WL_F_MEMCPYS))
		lower(v, NO, WL_LACK_CUDA, "no GPU operations");
}

static void judge_memory(const struct wl_coach_facts *f, struct verdict *v)
{
	if (!has(f, WL_F_MEM_EVENTS))
		lower(v, NO, WL_LACK_MEMORY, "no allocations");
}

/* Metrics of an idle GPU would not help. */
static void judge_roof(const struct wl_coach_facts *f, struct verdict *v)
{
	if (f->has_metrics) {
		lower(v, PARTLY, WL_LACK_COUNTERS, "GPU metrics, but none per kernel");
	} else if (has_gpu_rows(f)) {
		lower(v, NO, WL_LACK_COUNTERS, "no GPU metrics or kernel counters");
		v->lacks |= LACK(METRICS);
	} else {
		lower(v, NO, WL_LACK_COUNTERS, "nsys has no kernel counters");
	}
}

static void judge_ranges(const struct wl_coach_facts *f, struct verdict *v)
{
	char share[WL_UNITS_BUF], text[80];
	double outside = f->kernel_ns > 0 ? 1 - (double)f->ranged_ns / (double)f->kernel_ns : 0;

	if (!has_gpu_rows(f))
		lower(v, NO, WL_LACK_CUDA, "no kernels");
	if (!has(f, WL_F_NVTX))
		lower(v, NO, WL_LACK_NVTX, "no NVTX ranges");
	else if (outside > 0.3) { /* the threshold of the finding low-nvtx-coverage */
		(void)snprintf(text, sizeof(text), "%s of kernel time in no range",
			       wl_fmt_ratio(share, outside));
		lower(v, PARTLY, WL_LACK_RANGES, text);
	}
}

/* Steps needed for a steady-state median, besides warm-up and the cut steps at both ends. */
enum { ENOUGH_STEPS = 10 };

static void judge_steps(const struct wl_coach_facts *f, struct verdict *v)
{
	char time[WL_UNITS_BUF], text[80];

	if (!f->has_steps) {
		lower(v, NO, has(f, WL_F_NVTX) ? WL_LACK_RANGES : WL_LACK_NVTX, "no steps found");
		return;
	}
	(void)snprintf(text, sizeof(text), "%s%zu step%s %s",
		       f->steps.n < ENOUGH_STEPS ? "only " : "", f->steps.n,
		       f->steps.n == 1 ? " of" : "s, median",
		       wl_fmt_ns(time, f->steps.median, WL_UNIT_AUTO));
	if (f->steps.n < ENOUGH_STEPS)
		lower(v, PARTLY, WL_LACK_STEPS, text);
	else
		say(v, text);
	if (f->steps.example->is_guess)
		lower(v, PARTLY, has(f, WL_F_NVTX) ? WL_LACK_RANGES : WL_LACK_NVTX, "guessed");
}

static void judge_loss(const struct wl_coach_facts *f, struct verdict *v)
{
	if (f->lost)
		lower(v, NO, WL_LACK_EVERY, "the profiler lost events");
	else if (f->in_doubt)
		lower(v, PARTLY, has_gpu_rows(f) ? WL_LACK_EVERY : WL_LACK_CUDA,
		      "nsys: CUDA events may be missing");
}

static const struct {
	enum goal goal;
	const char *question, *verb;
	void (*judge)(const struct wl_coach_facts *f, struct verdict *v);
	const char *there; /* what answers it, if the judge names nothing */
} questions[] = {
	{ CAPTURE, "Is the recording complete?", "info", judge_loss, "nsys reports no loss" },
	{ CAPTURE, "Is the steady state in the window?", "iters", judge_steps, "steps" },
	{ CAPTURE, "Which step or layer ran a kernel?", "nvtx-kernels", judge_ranges,
	  "NVTX ranges" },
	{ LAUNCH, "Why does the GPU wait for the host?", "idle", judge_idle,
	  "kernels, CUDA and OS calls" },
	{ LAUNCH, "Which kernels run in CUDA graphs?", "graphs", judge_graphs,
	  "kernels, one by one" },
	{ LAUNCH, "Which stream waits for which?", "path", judge_streams, "syncs and events" },
	{ NCCL, "Which rank is late?", "ranks", judge_ranks, "all known ranks" },
	{ NCCL, "How large are the collectives?", "nccl", judge_sizes, "NCCL payloads" },
	{ HOST, "What does the host do meanwhile?", "threads", judge_host,
	  "NVTX, OS calls, scheduling" },
	{ HOST, "Which host functions are busy?", "stacks", judge_samples, "call stacks" },
	{ MEMORY, "Which copies are slow or blocking?", "transfers", judge_copies,
	  "GPU operations" },
	{ MEMORY, "How much GPU memory is in use?", "memory", judge_memory, "allocations" },
	{ COUNTERS, "How near to the roof is a kernel?", NULL, judge_roof, NULL },
};

/* "osrt,sched" */
static const char *join_keys(uint32_t lacks, struct wl_arena *arena)
{
	char buf[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < WL_N_LACKS && used < sizeof(buf); i++) {
		if (lacks >> i & 1)
			used += (size_t)snprintf(buf + used, sizeof(buf) - used, "%s%s",
						 used ? "," : "", wl_lack_key((enum wl_lack)i));
	}
	return wl_arena_strdup(arena, buf);
}

static bool put_row(const struct wl_run *r, size_t question, const struct verdict *v,
		    struct wl_table *out)
{
	const char *change = wl_lacks_change(v->lacks, r->arena);
	const char *keys = join_keys(v->lacks, r->arena);
	enum goal goal = questions[question].goal;

	if (!change || !keys)
		return false;
	wl_table_row(out);
	wl_put_str(out, WL_COACH_QUESTION, questions[question].question);
	wl_put_str(out, WL_COACH_FOR, goal == CAPTURE ? "capture" : wl_coach_goals[goal]);
	wl_put_str(out, WL_COACH_STATE, states[v->state]);
	wl_put_str(out, WL_COACH_VERB, questions[question].verb);
	wl_put_copy(out, WL_COACH_MISSING, *v->said ? v->said : questions[question].there);
	wl_put_str(out, WL_COACH_CHANGE, *change ? change : NULL);
	wl_put_str(out, WL_COACH_LACKS, *keys ? keys : NULL);
	return true;
}

/* Report what the ranges of a name hold, such as that "LLM@decode" has no kernels. */
static bool put_expected(const struct wl_run *r, const struct wl_expected *e, struct wl_table *out)
{
	struct verdict v = { .state = ANSWERED };
	const enum wl_lack lack =
		r->trace->family[WL_F_NVTX].present ? WL_LACK_RANGES : WL_LACK_NVTX;
	char question[SAID], text[80], count[WL_UNITS_BUF];
	const char *change;

	(void)snprintf(question, sizeof(question), "Are kernels in \"%.150s\"?", e->name);
	if (e->n_ranges == 0)
		lower(&v, NO, lack, "no such range");
	else if (e->n_ops == 0)
		lower(&v, NO, lack, "the range has no kernels");
	else {
		(void)snprintf(text, sizeof(text), "%s GPU operations",
			       wl_fmt_count(count, (int64_t)e->n_ops));
		say(&v, text);
	}
	change = wl_lacks_change(v.lacks, r->arena);
	if (!change)
		return false;
	wl_table_row(out);
	wl_put_copy(out, WL_COACH_QUESTION, question);
	wl_put_str(out, WL_COACH_FOR, "capture");
	wl_put_str(out, WL_COACH_STATE, states[v.state]);
	wl_put_str(out, WL_COACH_VERB, "nvtx");
	wl_put_copy(out, WL_COACH_MISSING, v.said);
	wl_put_str(out, WL_COACH_CHANGE, *change ? change : NULL);
	wl_put_str(out, WL_COACH_LACKS, v.lacks ? wl_lack_key(lack) : NULL);
	return true;
}

/* Show names whole if they fit a terminal. */
static void show_whole(const struct wl_coach_facts *f, struct wl_table *out)
{
	enum { FITS = 18 };

	for (size_t i = 0; i < f->n_expected; i++) {
		if (strlen(f->expected[i].name) > FITS)
			return;
	}
	wl_table_show_whole(out, WL_COACH_QUESTION);
	wl_table_show_whole(out, WL_COACH_MISSING);
}

/* In a shorter trace the size of an empty export outweighs the events. */
enum { SHORT_NS = 1000000 };

static void note_size(const struct wl_coach_facts *f, struct wl_table *out)
{
	char bytes[WL_UNITS_BUF], rate[WL_UNITS_BUF], length[WL_UNITS_BUF];
	wl_ns duration = f->trace->duration;

	if (duration == WL_NO_TIME || duration < SHORT_NS)
		return;
	wl_table_note(out, "expect about %s of SQLite for %s (%s), plus what the new options add",
		      wl_fmt_bytes(bytes, f->bytes), wl_fmt_ns(length, duration, WL_UNIT_AUTO),
		      wl_fmt_rate(rate, (double)f->bytes * 1e9 / (double)duration));
}

/* The figures were measured (see docs/capture.md); those of CUDA calls need a GPU. */
static void note_cost(const struct wl_coach_facts *f, struct wl_table *out)
{
	const wl_ns duration = f->trace->duration;
	char cost[WL_UNITS_BUF], share[32] = "";

	if (duration != WL_NO_TIME && duration > 0)
		(void)snprintf(share, sizeof(share), " (%.1f%% of the time)",
			       100 * (double)f->overhead_ns / (double)duration);
	if (f->overhead_ns > 0)
		wl_table_note(out, "profiler overhead: %s on thread %" PRIu32 "%s",
			      wl_fmt_ns(cost, f->overhead_ns, WL_UNIT_AUTO), f->overhead_tid,
			      share);
	wl_table_note(out, "recording costs about 0.4 us per NVTX range and 0.3 us per OS "
			   "call (CUDA calls: unknown); warplens capture --again measures "
			   "the total");
}

static void note_migrations(const struct wl_coach_facts *f, struct wl_table *out)
{
	char count[WL_UNITS_BUF];

	if (f->n_migrations)
		wl_table_note(out,
			      "%s managed-memory migrations were started by the driver, "
			      "without a launch call (record page faults with "
			      "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true)",
			      wl_fmt_count(count, (int64_t)f->n_migrations));
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	enum goal goal = (enum goal)r->arg[WL_COACH_GOAL].i64; /* 0: all */
	struct wl_coach_facts f;
	bool ok = wl_coach_facts_find(r, r->arg[WL_COACH_EXPECT].str, &f);

	for (size_t i = 0; ok && i < WL_COUNT(questions); i++) {
		struct verdict v = { .state = ANSWERED };

		if (goal && questions[i].goal != CAPTURE && questions[i].goal != goal)
			continue;
		questions[i].judge(&f, &v);
		ok = put_row(r, i, &v, out);
	}
	for (size_t i = 0; ok && i < f.n_expected; i++)
		ok = put_expected(r, &f.expected[i], out);
	if (ok) {
		show_whole(&f, out);
		note_size(&f, out);
		note_cost(&f, out);
		note_migrations(&f, out);
	}
	if (ok && f.lost)
		wl_table_note(out, "the profiler lost events: \"%.160s\"", f.lost);
	return ok ? WL_OK : wl_no_memory(&wl_analysis_coach, reterr);
}

static const enum wl_column_id uses[] = {
	WL_OP_STARTS,        WL_KERNELS_NAME,    WL_MEMCPYS_KIND, WL_DIAGNOSTICS_SEVERITY,
	WL_DIAGNOSTICS_TEXT, WL_TABLES_NAME,     WL_TABLES_ROWS,  WL_OVERHEAD_START,
	WL_OVERHEAD_DUR,     WL_OVERHEAD_THREAD, WL_N_COLUMNS
};

const struct wl_analysis wl_analysis_coach = {
	.name = "coach",
	.help = "Show what a trace cannot answer and how to record it",
	.on_host = true,
	.uses = uses,
	.from = WL_FROM(LINKS) | WL_FROM(CLASSES) | WL_FROM(COLLECTIVES) | WL_FROM(ITERATIONS) |
		WL_FROM(RANGE_USES),
	.cols = wl_coach_cols,
	.n_cols = WL_N_COACH_COLS,
	.params = params,
	.n_params = WL_N_COACH_PARAMS,
	.run = run,
};

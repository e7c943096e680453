/* SPDX-License-Identifier: MIT */
/* host.c - what was recorded on the host, by kind of event: the summary of a trace without GPU
 * work. */
#include <string.h>

#include "analysis/analysis.h"
#include "derive/rows/on_cpu.h"
#include "derive/rows/stats.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(host);

enum { WHAT, EVENTS, THREADS, SUM, LARGEST, SHARE, VERB };

static const struct wl_col cols[] = {
	[WHAT] = { "what", "Recorded", WL_T_ENUM, WL_KEY, "Kind of event." },
	[EVENTS] = { "events", "Events", WL_T_COUNT, WL_PLAIN, "Events in the window." },
	[THREADS] = { "threads", "Threads", WL_T_COUNT, WL_PLAIN, "Threads that have any." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_PLAIN,
		  "Sum of durations; of scheduling the time on a CPU. Nested calls and ranges "
		  "count "
		  "each." },
	[LARGEST] = { "largest", "Largest", WL_T_STR, WL_PLAIN,
		      "Function or range with the largest sum." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "Its share of sum." },
	[VERB] = { "verb", "Verb", WL_T_STR, WL_MINOR, "Verb that lists these events." },
};

/* The first one determines the reason given if nothing was recorded at all. */
static const enum wl_column_id needs_any[] = {
	WL_KERNELS_START,     WL_OSRT_START,      WL_OSRT_DUR,         WL_OSRT_THREAD,
	WL_OSRT_NAME,         WL_API_START,       WL_API_DUR,          WL_API_THREAD,
	WL_API_NAME,          WL_NVTX_START,      WL_NVTX_DUR,         WL_NVTX_THREAD,
	WL_NVTX_NAME,         WL_NVTX_KIND,       WL_MPI_COLLS_START,  WL_MPI_COLLS_DUR,
	WL_MPI_COLLS_THREAD,  WL_MPI_COLLS_NAME,  WL_MPI_P2P_START,    WL_MPI_P2P_DUR,
	WL_MPI_P2P_THREAD,    WL_MPI_P2P_NAME,    WL_MPI_OTHERS_START, WL_MPI_OTHERS_DUR,
	WL_MPI_OTHERS_THREAD, WL_MPI_OTHERS_NAME, WL_MPI_WAITS_START,  WL_MPI_WAITS_DUR,
	WL_MPI_WAITS_THREAD,  WL_MPI_WAITS_NAME,  WL_SAMPLES_START,    WL_SAMPLES_THREAD,
	WL_SCHED_START,       WL_SCHED_THREAD,    WL_SCHED_IN,         WL_N_COLUMNS
};

/* In the order of rows. A kind with several families has an entry for each. */
static const struct {
	const char *what;
	enum wl_family_id family;
	enum wl_column_id name; /* WL_N_COLUMNS: events without names */
	const char *verb;
} kinds[] = {
	{ "CPU samples", WL_F_SAMPLES, WL_N_COLUMNS, "stacks --during all" },
	{ "CPU scheduling", WL_F_SCHED, WL_N_COLUMNS, "threads" },
	{ "OS calls", WL_F_OSRT, WL_OSRT_NAME, "osrt" },
	{ "CUDA calls", WL_F_API, WL_API_NAME, "api" },
	{ "NVTX ranges", WL_F_NVTX, WL_NVTX_NAME, "nvtx" },
	{ "MPI calls", WL_F_MPI_COLLS, WL_MPI_COLLS_NAME, "mpi" },
	{ "MPI calls", WL_F_MPI_P2P, WL_MPI_P2P_NAME, "mpi" },
	{ "MPI calls", WL_F_MPI_WAITS, WL_MPI_WAITS_NAME, "mpi" },
	{ "MPI calls", WL_F_MPI_OTHERS, WL_MPI_OTHERS_NAME, "mpi" },
};

/* One kind being counted. */
struct counting {
	const struct wl_run *run;
	bool *has; /* by thread: whether it has an event of this kind */
	wl_ns *of; /* by string: sum of durations */
	int64_t n;
	wl_ns sum;
};

static void count_calls(struct counting *c, enum wl_family_id family, enum wl_column_id names)
{
	const struct wl_trace *t = c->run->trace;
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, family);
	const uint32_t *name = t->column[names];

	for (size_t i = 0; i < t->family[family].n; i++) {
		wl_ns start = rows.start[i], end = wl_thread_row_end(&rows, i);

		if ((family == WL_F_NVTX && !wl_nvtx_is_range(wl_nvtx_kind(t)[i])) ||
		    !wl_host_clip(t, c->run->scope, rows.thread[i], &start, &end))
			continue;
		c->n++;
		c->has[rows.thread[i]] = true;
		c->sum = wl_add_up(c->sum, end - start);
		if (name[i] != WL_NONE)
			c->of[name[i]] = wl_add_up(c->of[name[i]], end - start);
	}
}

/* Samples and scheduling rows are instants: those in the window count, with no duration. */
static void count_moments(struct counting *c, const wl_ns *start, const uint32_t *thread, size_t n)
{
	const struct wl_trace *t = c->run->trace;

	for (size_t i = 0; i < n; i++) {
		wl_ns at = start[i], end = at;

		if (!wl_host_clip(t, c->run->scope, thread[i], &at, &end))
			continue;
		c->n++;
		c->has[thread[i]] = true;
	}
}

static bool add_time_on_cpu(struct counting *c)
{
	const struct wl_trace *t = c->run->trace;
	const struct wl_slice *rows = wl_slices_find(t, WL_F_SCHED, c->run->arena);
	const wl_ns until = wl_on_cpu_until(t);
	struct wl_interval on;

	for (uint32_t i = 0; rows && i < t->n_threads; i++) {
		for (size_t at = rows[i].lo; wl_on_cpu_next(t, rows[i], until, &at, &on);) {
			if (wl_host_clip(t, c->run->scope, i, &on.begin, &on.end))
				c->sum = wl_add_up(c->sum, on.end - on.begin);
		}
	}
	return rows != NULL;
}

static bool count_kind(struct counting *c, size_t kind)
{
	const struct wl_trace *t = c->run->trace;
	const enum wl_family_id family = kinds[kind].family;

	if (t->family[family].n == 0)
		return true;
	if (family == WL_F_SAMPLES)
		count_moments(c, wl_samples_start(t), wl_samples_thread(t), t->family[family].n);
	else if (family == WL_F_SCHED)
		count_moments(c, wl_sched_start(t), wl_sched_thread(t), t->family[family].n);
	else
		count_calls(c, family, kinds[kind].name);
	return family != WL_F_SCHED || add_time_on_cpu(c);
}

/* The string with the largest sum, the first by name among equals; WL_NONE for none. */
static uint32_t find_largest(const struct counting *c)
{
	const struct wl_trace *t = c->run->trace;
	uint32_t best = WL_NONE;

	for (uint32_t i = 0; i < t->strings.n; i++) {
		if (c->of[i] > 0 &&
		    (best == WL_NONE || c->of[i] > c->of[best] ||
		     (c->of[i] == c->of[best] && strcmp(wl_str(t, i), wl_str(t, best)) < 0)))
			best = i;
	}
	return best;
}

static void add_row(const struct counting *c, size_t kind, struct wl_table *out)
{
	const struct wl_trace *t = c->run->trace;
	/* A sample stands for a number of CPU cycles, which do not convert to time. */
	const bool is_timed = kinds[kind].family != WL_F_SAMPLES;
	uint32_t largest = find_largest(c);
	int64_t n_threads = 0;

	for (size_t i = 0; i < t->n_threads; i++)
		n_threads += c->has[i];
	wl_table_row(out);
	wl_put_str(out, WHAT, kinds[kind].what);
	wl_put_i64(out, EVENTS, c->n);
	wl_put_i64(out, THREADS, n_threads);
	if (is_timed)
		wl_put_i64(out, SUM, c->sum);
	if (largest != WL_NONE) {
		wl_put_str(out, LARGEST, wl_str(t, largest));
		wl_put_ratio(out, SHARE, c->of[largest], c->sum);
	}
	wl_put_str(out, VERB, kinds[kind].verb);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	struct counting c = { .run = r,
			      .has = WL_NEW(r->arena, bool, t->n_threads),
			      .of = WL_NEW(r->arena, wl_ns, t->strings.n) };

	if (!c.has || !c.of)
		return wl_no_memory(&wl_analysis_host, reterr);
	for (size_t i = 0; i < WL_COUNT(kinds); i++) {
		if (!count_kind(&c, i))
			return wl_no_memory(&wl_analysis_host, reterr);
		/* Families of one kind add to the same row. */
		if (i + 1 < WL_COUNT(kinds) && strcmp(kinds[i].what, kinds[i + 1].what) == 0)
			continue;
		if (c.n)
			add_row(&c, i, out);
		memset(c.has, 0, t->n_threads * sizeof(*c.has));
		memset(c.of, 0, t->strings.n * sizeof(*c.of));
		c.n = 0;
		c.sum = 0;
	}
	return WL_OK;
}

const struct wl_analysis wl_analysis_host = {
	.name = "host",
	.help = "Show what was recorded on the host",
	.about = "Events of host threads by kind: how many, of how many threads, how long they "
		 "took together, and the function or range that took longest.",
	.on_host = true,
	.needs_any = needs_any,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.run = run,
};

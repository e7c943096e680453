/* SPDX-License-Identifier: MIT */
/* sync.c - calls in which the host waits for a GPU, and whether that GPU had work meanwhile. */
#include <string.h>

#include "analysis/hosts.h"
#include "analysis/stat_cols.h"
#include "base/memory/sort.h"
#include "derive/calls/skew.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"
#include "derive/rows/stats.h"
#include "derive/use/waits.h"

WL_DECLARE_ANALYSIS(sync);

enum { NAME, PID, HOST, TID, NVTX, CALLS, SUM, P50, MAX, GPU_IDLE, GPU_BUSY };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Function", WL_T_STR, WL_KEY, "The function." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process of the call." },
	[HOST] = WL_COL_HOST,
	[TID] = { "tid", "Thread", WL_T_COUNT, WL_KEY, "Thread of the call." },
	[NVTX] = { "nvtx", "Range", WL_T_STR, WL_KEY,
		   "Label of the innermost push/pop range of the thread around the calls." },
	[CALLS] = WL_COL_CALLS("Calls with a part in the window."),
	[SUM] = WL_COL_SUM,
	[P50] = WL_COL_P50,
	[MAX] = WL_COL_MAX(WL_MINOR),
	[GPU_IDLE] = { "gpu_idle", "GPU idle", WL_T_NS, WL_SUM,
		       "Part of the sum in which the device it waits for was idle." },
	[GPU_BUSY] = { "gpu_busy", "GPU busy", WL_T_NS, WL_SUM,
		       "Part of the sum in which that device was busy." },
};

enum { BY };
enum facet { BY_CALLER, BY_PID };
static const char *const facets[] = { "caller", "pid", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "caller",
		 .choices = facets,
		 .help = "Function, thread and range; pid merges threads and ranges." },
};

static const enum wl_column_id needs[] = { WL_API_START, WL_API_DUR, WL_API_THREAD, WL_API_NAME,
					   WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "sync_cost_analysis" },
	{ .name = "host_sync_parent_ranges" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens sync run.sqlite", "Which waits of the host leave a GPU idle." },
	{ "warplens sync run.sqlite --where 'gpu_idle > 100us'", "Only those that hurt." },
	{ NULL, NULL },
};

struct key {
	/* A string, a thread and a range name; by process, thread is the first thread that
	 * waits. */
	uint32_t name, thread, label;
};

/* A blocking call that overlaps the window. */
struct wait {
	wl_ns length, busy; /* busy is valid if is_known */
	uint32_t group;
	bool is_known;
};

struct figures {
	int64_t idle, busy;
	bool is_known;
};

struct syncs {
	const struct wl_run *run;
	const struct wl_waits *waits;
	const struct wl_forest *forest;
	const struct wl_range_names *names;
	const bool *skewed;    /* by process: its waits cannot be compared with GPU time */
	uint32_t *thread_of;   /* by process: its representative thread; NULL: per thread */
	struct wl_intern keys; /* struct key */
	struct wait *wait;
	size_t n;
	const struct wl_stats *stats;
	struct figures *figures;
	size_t n_known;
};

static uint32_t label_of_call(const struct syncs *s, uint32_t call)
{
	uint32_t node = s->forest->of_call[call];

	return node == WL_NONE ? WL_NONE : s->names->name[s->forest->name[node]].label;
}

/* The key that the call is grouped by. */
static struct key key_of(const struct syncs *s, uint32_t call)
{
	const struct wl_trace *t = s->run->trace;
	uint32_t thread = wl_api_thread(t)[call], process = t->threads[thread].process;

	if (!s->thread_of)
		return (struct key){ wl_api_name(t)[call], thread, label_of_call(s, call) };
	if (s->thread_of[process] == WL_NONE)
		s->thread_of[process] = thread;
	return (struct key){ wl_api_name(t)[call], s->thread_of[process], WL_NONE };
}

static bool take_waits(struct syncs *s)
{
	const struct wl_trace *t = s->run->trace;
	const struct wl_waits *w = s->waits;

	for (size_t i = 0; i < w->n; i++) {
		uint32_t call = w->call[i];
		const struct key key = key_of(s, call);
		struct wait *out = &s->wait[s->n];
		wl_ns start = wl_api_start(t)[call];
		wl_ns end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);

		if (!wl_host_clip(t, s->run->scope, wl_api_thread(t)[call], &start, &end))
			continue;
		out->group = wl_intern_put(&s->keys, &key);
		if (out->group == WL_NONE)
			return false;
		out->length = end - start;
		/* The busy part needs comparable host and GPU times. */
		out->is_known =
			w->device[i] != WL_NONE && !s->skewed[t->threads[key.thread].process];
		if (out->is_known)
			out->busy = wl_intervals_covered(&w->on[w->device[i]], start, end);
		/* The coverage is about devices. Skewed clocks have a separate note. */
		s->n_known += w->device[i] != WL_NONE;
		s->n++;
	}
	return true;
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct syncs *s = ctx;

	*ret_group = s->wait[row].group;
	*ret_value = s->wait[row].length;
	return WL_VISIT_TAKE;
}

static void add_figures(struct syncs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct wait *w = &s->wait[i];
		struct figures *f = &s->figures[w->group];

		if (!w->is_known)
			continue;
		f->is_known = true;
		f->busy = wl_add_up(f->busy, w->busy);
		f->idle = wl_add_up(f->idle, w->length - w->busy);
	}
}

/*
 * Waits that leave a GPU idle come first, because a long wait while the GPU works costs nothing;
 * then long waits; then by key.
 */
static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct syncs *s = ctx;
	const struct wl_trace *t = s->run->trace;
	const struct key *ka = (const struct key *)s->keys.items.data + a;
	const struct key *kb = (const struct key *)s->keys.items.data + b;
	int names;

	if (s->figures[a].idle != s->figures[b].idle)
		return s->figures[a].idle > s->figures[b].idle;
	if (s->stats[a].sum != s->stats[b].sum)
		return s->stats[a].sum > s->stats[b].sum;
	names = strcmp(wl_str(t, ka->name), wl_str(t, kb->name));
	if (names != 0)
		return names < 0;
	/*
	 * By thread id: the index of a thread depends on which columns were loaded, and in what
	 * order.
	 */
	if (ka->thread != kb->thread)
		return t->threads[ka->thread].global < t->threads[kb->thread].global;
	if (ka->label == WL_NONE || kb->label == WL_NONE)
		return ka->label == WL_NONE && kb->label != WL_NONE;
	return strcmp(s->names->name[ka->label].label_text, s->names->name[kb->label].label_text) <
	       0;
}

static void put_row(struct wl_table *out, const struct syncs *s, uint32_t group)
{
	const struct wl_trace *t = s->run->trace;
	const struct key *k = (const struct key *)s->keys.items.data + group;
	const struct wl_thread *thread = &t->threads[k->thread];
	const struct wl_stats *stats = &s->stats[group];

	wl_table_row(out);
	wl_put_str(out, NAME, wl_str(t, k->name));
	wl_put_i64(out, PID, t->processes[thread->process].pid);
	wl_hosts_put(out, HOST, t, &t->processes[thread->process]);
	if (!s->thread_of)
		wl_put_i64(out, TID, thread->tid);
	if (k->label != WL_NONE)
		wl_put_str(out, NVTX, s->names->name[k->label].label_text);
	wl_put_i64(out, CALLS, (int64_t)stats->n);
	wl_put_stats(out, SUM, WL_STAT_SUM | WL_STAT_P50 | WL_STAT_MAX, stats);
	if (!s->figures[group].is_known)
		return;
	wl_put_i64(out, GPU_IDLE, s->figures[group].idle);
	wl_put_i64(out, GPU_BUSY, s->figures[group].busy);
}

static bool find_threads(struct syncs *s)
{
	size_t n = s->run->trace->n_processes;

	s->thread_of = WL_NEW(s->run->arena, uint32_t, n);
	for (size_t i = 0; s->thread_of && i < n; i++)
		s->thread_of[i] = WL_NONE;
	return s->thread_of != NULL;
}

/* Name the host of a process if its pid is ambiguous; false if memory runs out. */
static bool hide_hosts(const struct syncs *s, size_t n, struct wl_table *out)
{
	const struct wl_trace *t = s->run->trace;
	const struct key *key = s->keys.items.data;
	bool *shown = WL_NEW(s->run->arena, bool, t->n_processes);

	for (size_t i = 0; shown && i < n; i++)
		shown[t->threads[key[i].thread].process] = true;
	return shown && wl_hosts_hide(s->run, shown, out, HOST);
}

static int put_rows(struct syncs *s, struct wl_table *out, struct wl_err *reterr)
{
	struct wl_arena *arena = s->run->arena;
	uint32_t *order;
	size_t n = 0;

	s->wait = WL_NEW(arena, struct wait, s->waits->n);
	if (s->run->arg[BY].i64 == BY_PID && !find_threads(s))
		return wl_no_memory(&wl_analysis_sync, reterr);
	if (!s->wait || !take_waits(s))
		return wl_no_memory(&wl_analysis_sync, reterr);
	s->stats = wl_stats_by_group(s->n, visit, s, arena, &n);
	s->figures = WL_NEW(arena, struct figures, n);
	order = WL_NEW(arena, uint32_t, 2 * n);
	if (!s->stats || !s->figures || !order || !hide_hosts(s, n, out))
		return wl_no_memory(&wl_analysis_sync, reterr);
	add_figures(s);
	wl_sort_all(order, n, rank_less, s);
	for (size_t i = 0; i < n; i++)
		put_row(out, s, order[i]);
	return WL_OK;
}

static void note_skew(const struct syncs *s, struct wl_table *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s->run->trace->n_processes; i++)
		n += s->run->scope->process_on[i] && s->skewed[i];
	if (n)
		wl_table_note(out,
			      "host and GPU clocks disagree in %zu of the processes: GPU busy and "
			      "idle time during their waits is unknown",
			      n);
}

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[BY].i64 == BY_PID ? UINT64_C(1) << TID | UINT64_C(1) << NVTX : 0;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_links *links = r->derived->links;
	struct syncs s = { .run = r,
			   .waits = r->derived->waits,
			   .forest = r->derived->forest,
			   .names = r->derived->range_names };
	int result;

	/* An empty table without a note would look like an answer. */
	if (s.waits && s.waits->n == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "no CUDA call that was recorded waits for a GPU; \"warplens api "
			       "TRACE\" lists the calls");
	s.skewed = links ? wl_skew_find(r->trace, links, r->arena) : NULL;
	if (!s.skewed)
		return wl_no_memory(&wl_analysis_sync, reterr);
	wl_intern_init(&s.keys, sizeof(struct key), wl_arena_budget(r->arena));
	result = put_rows(&s, out, reterr);
	wl_intern_release(&s.keys);
	if (result != WL_OK)
		return result;
	wl_table_cover(out, "waits_with_known_device", (int64_t)s.n_known, (int64_t)s.n);
	note_skew(&s, out);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "sync" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_sync = {
	.name = "sync",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.shows_idle = true,
	.help = "Rank the calls in which the host waits for a GPU",
	.about = "Calls that synchronise and copy calls that block (without Async in the name, or "
		 "to "
		 "pageable memory), by function, thread and innermost NVTX range. gpu_busy is the "
		 "part of the calls in which the device that they wait for was busy, gpu_idle the "
		 "rest. A long wait during which the GPU is busy is not a problem: rows are sorted "
		 "by gpu_idle, then by sum. The device is that of the call's synchronisation row, "
		 "else that of the operation that the call launched, else the only device of the "
		 "process. If the device is unknown, or the clocks of host and GPU disagree, the "
		 "call counts in neither.",
	.on_host = true,
	.needs = needs,
	.from = WL_FROM(LINKS) | WL_FROM(FOREST) | WL_FROM(RANGE_NAMES) | WL_FROM(WAITS),
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};

/* SPDX-License-Identifier: MIT */
/* io.c - file accesses by file and mode. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/kinds/intervals.h"
#include "derive/rows/stats.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(io);

enum { FILE_NAME, MODE, CALLS, BYTES, SUM, BANDWIDTH, MAX, GPU_IDLE, IDLE_SHARE };

static const struct wl_col cols[] = {
	[FILE_NAME] = { "file", "File", WL_T_STR, WL_KEY,
			"Path of the file; (unknown) where nsys did not record it." },
	[MODE] = { "mode", "Mode", WL_T_ENUM, WL_KEY,
		   "What the calls do: open, close, read, write, several, metadata, other." },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_SUM, "Calls with a part in the window." },
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_SUM,
		    "Bytes that these calls read or wrote, each call whole." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "Sum of durations in the window." },
	[BANDWIDTH] = { "bandwidth", "Rate", WL_T_RATE, WL_PLAIN,
			"Bytes over the whole durations of these calls." },
	[MAX] = { "max", "Max", WL_T_NS, WL_PLAIN, "Longest." },
	[GPU_IDLE] = { "gpu_idle", "GPU idle", WL_T_NS, WL_SUM,
		       "Part of sum in which no selected GPU was busy." },
	[IDLE_SHARE] = { "idle_share", "Idle share", WL_T_RATIO, WL_PLAIN, "gpu_idle by sum." },
};

static const enum wl_column_id needs[] = { WL_FILE_EVENTS_START, WL_FILE_EVENTS_END,
					   WL_FILE_EVENTS_FILE,  WL_FILE_EVENTS_KIND,
					   WL_FILE_EVENTS_BYTES, WL_N_COLUMNS };
static const enum wl_column_id uses[] = { WL_OPEN_FILES_ID, WL_OPEN_FILES_PID, WL_OPEN_FILES_PATH,
					  WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "files" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens io run.sqlite -n 5", "The files that took the most time." },
	{ "warplens io run.sqlite --where 'mode = read' --sort bandwidth",
	  "How fast each file was read." },
	{ NULL, NULL },
};

static const char unknown[] = "(unknown)";

/* An access that overlaps the window. */
struct access {
	const char *path;
	wl_ns length, whole, idle;
	int64_t bytes;
	uint8_t mode;
};

/* Accesses of one file and mode. */
struct sums {
	const struct access *first;
	int64_t calls, bytes;
	wl_ns length, whole, idle, max;
};

struct accesses {
	const struct wl_run *run;
	const uint32_t *file_order; /* rows of open files, sorted by number */
	struct wl_intervals busy;   /* busy time of all selected devices */
	struct access *access;
	size_t n;
	struct sums *sums;
};

WL_LESS(id_less, uint32_t)

/* The first row of the file with this number; WL_NONE if there is none. */
static uint32_t find_file(const struct accesses *a, uint32_t id)
{
	const struct wl_trace *t = a->run->trace;
	const uint32_t *ids = wl_open_files_id(t);
	size_t lo = 0, n = t->family[WL_F_OPEN_FILES].n, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ids[a->file_order[mid]] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && ids[a->file_order[lo]] == id ? a->file_order[lo] : WL_NONE;
}

/*
 * Clip the access to the window of the process that opened the file. For a process without other
 * rows, or an unknown file, use the window of the other processes if all of them are selected.
 */
static bool clip(const struct accesses *a, uint32_t file, wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = a->run->trace;
	const struct wl_scope *s = a->run->scope;

	for (size_t i = 0; i < t->n_processes; i++) {
		if (file != WL_NONE && t->processes[i].pid == wl_open_files_pid(t)[file])
			return s->process_on[i] && wl_clip(s, s->process[i], start, end);
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		if (!s->process_on[i])
			return false;
	}
	return s->whole || (t->n_processes && wl_clip(s, s->process[0], start, end));
}

/* nsys also numbers files whose paths it did not record. */
static const char *path_of(const struct wl_trace *t, uint32_t file)
{
	static const char numbered[] = "Unknown file #";
	const uint32_t path = file == WL_NONE ? WL_NONE : wl_open_files_path(t)[file];
	const char *text = path == WL_NONE ? "" : wl_str(t, path);

	return *text && strncmp(text, numbered, sizeof(numbered) - 1) != 0 ? text : unknown;
}

static void count_access(struct accesses *a, size_t row)
{
	const struct wl_trace *t = a->run->trace;
	const wl_ns begin = wl_file_events_start(t)[row], until = wl_file_events_end(t)[row];
	const uint32_t file = find_file(a, wl_file_events_file(t)[row]);
	wl_ns start = begin, end = until;

	if (begin == WL_NO_TIME || until == WL_NO_TIME || until < begin ||
	    !clip(a, file, &start, &end))
		return;
	a->access[a->n++] = (struct access){
		.path = path_of(t, file),
		.length = end - start,
		/*
		 * A window cuts the time of a call, but bytes are known only for whole calls: rates
		 * are computed from whole calls.
		 */
		.whole = until - begin,
		.idle = end - start - wl_intervals_covered(&a->busy, start, end),
		.bytes = wl_file_events_bytes(t)[row],
		.mode = wl_file_events_kind(t)[row],
	};
}

/*
 * Compares the path, not the file number: a path gets a new number each time it is opened.
 */
static bool access_less(const void *ctx, uint32_t x, uint32_t y)
{
	const struct access *a = ctx;
	const int order = strcmp(a[x].path, a[y].path);

	return order ? order < 0 : a[x].mode < a[y].mode;
}

static bool sums_less(const void *ctx, uint32_t x, uint32_t y)
{
	const struct sums *s = ctx;

	return s[x].length > s[y].length;
}

/* Busy time of every selected device, as one set. */
static bool find_busy(struct accesses *a)
{
	const struct wl_run *r = a->run;
	const size_t n = r->trace->n_devices;
	struct wl_intervals *on = WL_NEW(r->arena, struct wl_intervals, n);
	struct wl_interval *all;
	size_t n_all = 0;

	for (size_t i = 0; on && i < n; i++) {
		if (r->scope->device_on[i] &&
		    !wl_intervals_of_device(r->trace, NULL, (uint32_t)i, r->arena, &on[i]))
			return false;
		n_all += on[i].n;
	}
	all = on ? WL_NEW(r->arena, struct wl_interval, n_all) : NULL;
	if (!all)
		return false;
	n_all = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < on[i].n; k++)
			all[n_all++] = on[i].at[k];
	}
	return wl_intervals_unite(all, n_all, r->arena, &a->busy);
}

static bool order_files(struct accesses *a)
{
	const struct wl_trace *t = a->run->trace;
	const size_t n = t->family[WL_F_OPEN_FILES].n;
	uint32_t *order = WL_NEW(a->run->arena, uint32_t, 2 * n);

	if (!order)
		return false;
	wl_sort_all(order, n, id_less, wl_open_files_id(t));
	a->file_order = order;
	return true;
}

/* Group accesses by file and mode; returns the number of sums. order has room for 2 * n. */
static size_t add_up(struct accesses *a, uint32_t *order)
{
	size_t n = 0;

	wl_sort_all(order, a->n, access_less, a->access);
	for (size_t i = 0; i < a->n; i++) {
		const struct access *x = &a->access[order[i]];
		struct sums *s;

		if (n == 0 || strcmp(a->sums[n - 1].first->path, x->path) != 0 ||
		    a->sums[n - 1].first->mode != x->mode)
			a->sums[n++].first = x;
		s = &a->sums[n - 1];
		s->calls++;
		s->bytes = wl_add_up(s->bytes, x->bytes);
		s->length = wl_add_up(s->length, x->length);
		s->whole = wl_add_up(s->whole, x->whole);
		s->idle = wl_add_up(s->idle, x->idle);
		s->max = x->length > s->max ? x->length : s->max;
	}
	return n;
}

static void add_row(const struct accesses *a, const struct sums *s, struct wl_table *out)
{
	wl_table_row(out);
	wl_put_str(out, FILE_NAME, s->first->path);
	wl_put_str(out, MODE, wl_file_mode_name(s->first->mode));
	wl_put_i64(out, CALLS, s->calls);
	wl_put_i64(out, BYTES, s->bytes);
	wl_put_i64(out, SUM, s->length);
	if (s->bytes > 0 && s->whole > 0)
		wl_put_f64(out, BANDWIDTH, (double)s->bytes * 1e9 / (double)s->whole);
	wl_put_i64(out, MAX, s->max);
	/* If no GPU works, idle time is meaningless. */
	if (a->busy.n) {
		wl_put_i64(out, GPU_IDLE, s->idle);
		wl_put_ratio(out, IDLE_SHARE, s->idle, s->length);
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const size_t n = t->family[WL_F_FILE_EVENTS].n;
	struct accesses a = { .run = r,
			      .access = WL_NEW(r->arena, struct access, n),
			      .sums = WL_NEW(r->arena, struct sums, n) };
	uint32_t *order = WL_NEW(r->arena, uint32_t, 2 * n);
	size_t n_sums;

	/* File numbers restart in each file of a job. */
	if (t->n_files > 1)
		return wl_fail(reterr, WL_E_NODATA,
			       "a job's files number their accesses alike; ask for "
			       "one of its files");
	if (!a.access || !a.sums || !order || !order_files(&a) || !find_busy(&a))
		return wl_no_memory(&wl_analysis_io, reterr);
	for (size_t i = 0; i < n; i++)
		count_access(&a, i);
	n_sums = add_up(&a, order);
	wl_sort_all(order, n_sums, sums_less, a.sums);
	for (size_t i = 0; i < n_sums; i++)
		add_row(&a, &a.sums[order[i]], out);
	if (n_sums == 1 && strcmp(a.sums[0].first->path, unknown) == 0)
		wl_table_note(out, "paths and bytes were not recorded (record with nsys profile "
				   "--osrt-file-access=true)");
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("host", "by"), .value = "file" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_io = {
	.name = "io",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.shows_idle = true,
	.help = "Rank files by the time that calls on them take",
	.about = "Calls that open, read, write and close files, by file and mode: how many, how "
		 "many bytes, how long, how fast, and how much of it fell into time in which no "
		 "GPU was busy. nsys records them with --osrt-file-access=true. Calls of several "
		 "threads run at the same time: the sum is not wall time.",
	.needs = needs,
	.needs_any = needs, /* the rows that the window spans */
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};

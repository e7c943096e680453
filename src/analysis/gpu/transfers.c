/* SPDX-License-Identifier: MIT */
/* transfers.c - memory copies and sets by direction, memory kinds or size, and device. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/links.h"
#include "analysis/stat_cols.h"
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "derive/kinds/sweep.h"
#include "derive/rows/stats.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(transfers);

enum {
	KIND,
	SRC,
	DST,
	SIZE,
	DEVICE,
	OPS,
	BYTES,
	SUM,
	BANDWIDTH,
	EXPOSED,
	BUSY,
	AVG_SIZE,
	P50_SIZE,
	MIN_SIZE,
	MAX_SIZE,
	MIN,
	MAX,
	ASYNC_PAGEABLE,
	SMALL_BLOCKING,
	INSIDE_KERNELS,
	LINK_SHARE,
	COPIES
};

static const struct wl_col cols[] = {
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY, "Direction of a copy, or memset." },
	[SRC] = { "src", "From", WL_T_ENUM, WL_KEY, "Kind of the source memory." },
	[DST] = { "dst", "To", WL_T_ENUM, WL_KEY, "Kind of the destination memory." },
	[SIZE] = { "size", "Size", WL_T_ENUM, WL_KEY, "Class of sizes, by powers of ten." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[OPS] = { "ops", "Ops", WL_T_COUNT, WL_PLAIN, "Operations with a part in the window." },
	[BYTES] = { "bytes", "Bytes", WL_T_BYTES, WL_ANSWER,
		    "Bytes they moved; the window does not cut them." },
	[SUM] = WL_COL_SUM,
	[BANDWIDTH] = { "bandwidth", "Rate", WL_T_RATE, WL_MINOR,
			"Bytes over the time the whole copies took." },
	[EXPOSED] = { "exposed", "Exposed", WL_T_NS, WL_SUM | WL_ANSWER,
		      "Time in which one of them ran and neither compute nor communication did." },
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time in which at least one of them ran." },
	[AVG_SIZE] = { "avg_size", "Avg size", WL_T_BYTES, WL_MINOR, "Mean size." },
	[P50_SIZE] = { "p50_size", "P50 size", WL_T_BYTES, WL_MINOR, "Median size, nearest rank." },
	[MIN_SIZE] = { "min_size", "Min size", WL_T_BYTES, WL_MINOR, "Smallest." },
	[MAX_SIZE] = { "max_size", "Max size", WL_T_BYTES, WL_MINOR, "Largest." },
	[MIN] = WL_COL_MIN,
	[MAX] = WL_COL_MAX(WL_MINOR),
	[ASYNC_PAGEABLE] = { "async_pageable", "Async pageable", WL_T_COUNT, WL_MINOR,
			     "Copies of pageable memory issued as asynchronous: CUDA blocks on "
			     "them." },
	[SMALL_BLOCKING] = { "small_blocking", "Small blocking", WL_T_COUNT, WL_MINOR,
			     "Copies of at most --small bytes by a call that blocks." },
	[INSIDE_KERNELS] = { "inside_kernels", "Inside kernels", WL_T_NS, WL_SUM | WL_MINOR,
			     "Time in which managed memory migrated while a kernel ran on the "
			     "GPU." },
	[LINK_SHARE] = { "link_share", "Of link", WL_T_RATIO, WL_MINOR,
			 "Of copies between GPUs: their rate over what all NVLink links of the "
			 "source carry in one direction; empty where the trace does not show the "
			 "link." },
	[COPIES] = { "copies", "Copies", WL_T_COUNT, WL_SUM,
		     "Copies of these operations, of which one can be a batch; only where one is." },
};

enum { SMALL, BY, MANAGED };
enum facet { BY_KIND, BY_SIZE };
static const char *const facets[] = { "kind", "size", NULL };

static const struct wl_param params[] = {
	[SMALL] = { .key = "small",
		    .type = WL_P_BYTES,
		    .def = "64Ki",
		    .help = "Largest size at which a blocking copy counts as small." },
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "kind",
		 .choices = facets,
		 .help = "Kinds of memory, or powers of ten of the size." },
	[MANAGED] = { .key = "managed",
		      .type = WL_P_BOOL,
		      .help = "Count only migrations of managed memory." },
};

static const enum wl_column_id needs_any[] = {
	WL_MEMCPYS_START, WL_MEMCPYS_DUR,   WL_MEMCPYS_PLACE, WL_MEMCPYS_CORR,  WL_MEMCPYS_BYTES,
	WL_MEMCPYS_KIND,  WL_MEMCPYS_SRC,   WL_MEMCPYS_DST,   WL_MEMSETS_START, WL_MEMSETS_DUR,
	WL_MEMSETS_PLACE, WL_MEMSETS_BYTES, WL_MEMSETS_KIND,  WL_N_COLUMNS,
};

static const enum wl_column_id uses[] = { WL_MEMCPYS_COUNT, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "cuda_gpu_mem_time_sum" },
	{ .name = "cuda_gpu_mem_size_sum" },
	{ .name = "gpumemtimesum" },
	{ .name = "gpumemsizesum" },
	{ .name = "memory_transfers" },
	{ .name = "memory_bandwidth" },
	{ "um_sum", { { "managed", "true" } } },
	{ "um_total_sum", { { "managed", "true" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens transfers run.sqlite", "What is copied where, and how fast." },
	{ "warplens transfers run.sqlite --where 'src = pageable or dst = pageable'",
	  "Copies that pinned memory would speed up." },
	{ "warplens transfers run.sqlite --by size", "Many small copies, or few large ones." },
	{ NULL, NULL },
};

/* The key of a group. It is interned and compared by its bytes: no padding. */
struct key {
	uint32_t device;
	uint8_t size; /* size class; 0 if sizes do not matter */
	uint8_t is_set, kind, src, dst;
	uint8_t none[3]; /* 0 */
};

/* A copy or set, clipped to the scope. */
struct transfer {
	struct key key;
	wl_ns start, end;
	int64_t bytes;
};

/* By group, figures that the statistics lack. */
struct extra {
	wl_ns until; /* end of the union so far */
	wl_ns busy, covered;
	wl_ns in_kernels; /* for migrations: time covered by kernels */
	size_t local;     /* copies within a device, which count as compute */
	wl_ns whole;      /* sum of unclipped durations: bandwidth is of whole copies */
	int64_t copies;   /* more than the number of rows if some are batches */
	int64_t linked;   /* copies whose call is known */
	int64_t async_pageable, small_blocking;
	double link; /* link bandwidth in bytes per second; 0 if unknown */
};

struct grouping {
	const struct wl_run *run;
	size_t n_copies;
	bool sizes; /* visit() yields sizes instead of durations */
	struct wl_intern keys;
};

/* Sizes below the first limit are the first class; the last class has no limit. */
static const int64_t size_limits[] = {
	1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000
};
static const char *const size_names[] = {
	"below 1 kB", "1 to 10 kB",   "10 to 100 kB",   "100 kB to 1 MB",
	"1 to 10 MB", "10 to 100 MB", "100 MB to 1 GB", "1 GB and more",
};

static uint8_t size_class(int64_t bytes)
{
	uint8_t i = 0;

	while (i < WL_COUNT(size_limits) && bytes >= size_limits[i])
		i++;
	return i;
}

/* Numbers both families together: copies first, then sets. */
static bool row_of(const struct grouping *g, size_t i, struct transfer *ret)
{
	struct key *key = &ret->key;
	const struct wl_trace *t = g->run->trace;
	bool is_set = i >= g->n_copies;
	size_t row = is_set ? i - g->n_copies : i;
	struct wl_ops ops = wl_trace_ops(t, is_set ? WL_F_MEMSETS : WL_F_MEMCPYS);

	if (!wl_op_clip(t, g->run->scope, &ops, row, &ret->start, &ret->end))
		return false;
	*key = (struct key){ .device = t->places[ops.place[row]].device, .is_set = is_set };
	if (is_set) {
		key->src = WL_NO_U8;
		key->dst = wl_known_memory_kind(wl_memsets_kind(t)[row]);
		ret->bytes = wl_memsets_bytes(t)[row];
	} else {
		key->kind = wl_known_copy_kind(wl_memcpys_kind(t)[row]);
		key->src = wl_known_memory_kind(wl_memcpys_src(t)[row]);
		key->dst = wl_known_memory_kind(wl_memcpys_dst(t)[row]);
		ret->bytes = wl_memcpys_bytes(t)[row];
	}
	if (g->run->arg[MANAGED].flag && (is_set || !wl_copy_is_managed(key->kind)))
		return false;
	if (g->run->arg[BY].i64 == BY_SIZE) {
		key->size = size_class(ret->bytes);
		key->src = key->dst = 0;
	}
	return true;
}

/* The whole duration of the i-th copy or set. */
static wl_ns whole_dur(const struct grouping *g, size_t i)
{
	bool is_set = i >= g->n_copies;
	struct wl_ops ops = wl_trace_ops(g->run->trace, is_set ? WL_F_MEMSETS : WL_F_MEMCPYS);

	return wl_dur(ops.family, ops.dur, is_set ? i - g->n_copies : i);
}

static enum wl_visit visit(void *ctx, size_t i, uint32_t *ret_group, int64_t *ret_value)
{
	struct grouping *g = ctx;
	struct transfer row;

	if (!row_of(g, i, &row))
		return WL_VISIT_SKIP;
	*ret_group = wl_intern_put(&g->keys, &row.key);
	*ret_value = g->sizes ? row.bytes : row.end - row.start;
	return *ret_group == WL_NONE ? WL_VISIT_FAIL : WL_VISIT_TAKE;
}

/*
 * A part of a group's union. Operations come by device and start, so a running end per group yields
 * the parts. The covered time is queried at both ends of each part; the difference is the covered
 * time in it.
 */
struct question {
	wl_ns time;
	uint32_t group;
	bool is_end;
};

WL_COMPARE_BY(by_time, question, time)

/* The questions about a device, with space for the answers. */
struct inquiry {
	const struct wl_run *run;
	const struct wl_classes *classes;
	const struct key *key; /* by group */
	uint32_t device;
	struct question *question;
	size_t n;
	wl_ns *times, *answers;
};

/*
 * How much of each group's union is covered by compute or communication. One sweep of the device
 * answers for all groups, regardless of the number of kinds or sizes.
 */
static void ask_covered(struct inquiry *a, struct extra *extra)
{
	for (size_t i = 0; i < a->n; i++)
		a->times[i] = a->question[i].time;
	wl_sweep_covered(&a->run->derived->activity->device[a->device],
			 a->run->scope->device[a->device], WL_ON_COMPUTE | WL_ON_COMM, a->times,
			 a->n, a->answers);
	for (size_t i = 0; i < a->n; i++)
		extra[a->question[i].group].covered +=
			a->question[i].is_end ? a->answers[i] : -a->answers[i];
}

/* Finds how much of each migration group's union lies inside kernels. */
static void ask_kernels(struct inquiry *a, struct extra *extra)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (wl_copy_is_managed(a->key[a->question[i].group].kind)) {
			a->question[n] = a->question[i];
			a->times[n++] = a->question[i].time;
		}
	}
	if (n == 0)
		return;
	wl_sweep_covered(&a->run->derived->activity->device[a->device],
			 a->run->scope->device[a->device], WL_ON_KERNEL, a->times, n, a->answers);
	for (size_t i = 0; i < n; i++)
		extra[a->question[i].group].in_kernels +=
			a->question[i].is_end ? a->answers[i] : -a->answers[i];
}

/* Consumes the questions. */
static bool ask_device(struct inquiry *a, struct extra *extra)
{
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, a->run->arena);
	a->times = WL_NEW(&scratch, wl_ns, a->n);
	a->answers = WL_NEW(&scratch, wl_ns, a->n);
	ok = a->times && a->answers;
	if (ok && a->n) {
		qsort(a->question, a->n, sizeof(*a->question), by_time);
		ask_covered(a, extra);
		/* Must come last: it moves the questions of migrations to the front. */
		ask_kernels(a, extra);
	}
	wl_arena_release(&scratch);
	a->n = 0;
	return ok;
}

/* The number of copies in a row. */
static int64_t count_of(const struct wl_trace *t, size_t row)
{
	const uint32_t *count = wl_memcpys_count(t);

	return count && count[row] != WL_NONE && count[row] > 1 ? (int64_t)count[row] : 1;
}

/* Finds busy and exposed time of each group of copies. Rows come by device, then start. */
static bool measure_unions(struct grouping *g, const struct wl_classes *classes,
			   struct extra *extra)
{
	struct inquiry a = { .run = g->run,
			     .classes = classes,
			     .key = g->keys.items.data,
			     .device = WL_NONE,
			     .question = WL_NEW(g->run->arena, struct question, 2 * g->n_copies) };

	for (size_t i = 0; a.question && i < g->n_copies; i++) {
		struct transfer row;
		uint32_t group;
		wl_ns from;

		if (!row_of(g, i, &row))
			continue;
		if (a.device != WL_NONE && row.key.device != a.device && !ask_device(&a, extra))
			return false;
		a.device = row.key.device;
		group = wl_intern_find(&g->keys, &row.key);
		extra[group].whole = wl_add_up(extra[group].whole, whole_dur(g, i));
		extra[group].local += wl_class_of_copy(classes, i) == WL_COMPUTE;
		extra[group].copies += count_of(g->run->trace, i);
		from = row.start > extra[group].until ? row.start : extra[group].until;
		if (row.end <= from)
			continue;
		extra[group].until = row.end;
		extra[group].busy += row.end - from;
		a.question[a.n++] = (struct question){ from, group, false };
		a.question[a.n++] = (struct question){ row.end, group, true };
	}
	return a.question && (a.device == WL_NONE || ask_device(&a, extra));
}

static void measure_sets(struct grouping *g, struct extra *extra)
{
	for (size_t i = g->n_copies; i < g->n_copies + g->run->trace->family[WL_F_MEMSETS].n; i++) {
		struct transfer row;
		struct extra *e;
		wl_ns from;

		if (!row_of(g, i, &row))
			continue;
		e = &extra[wl_intern_find(&g->keys, &row.key)];
		e->whole = wl_add_up(e->whole, whole_dur(g, i));
		from = row.start > e->until ? row.start : e->until;
		if (row.end > from) {
			e->busy += row.end - from;
			e->until = row.end;
		}
	}
}

/* A call blocks if its name lacks Async or host memory is pageable. */
static void count_calls(struct grouping *g, struct extra *extra)
{
	const struct wl_trace *t = g->run->trace;
	const uint32_t *calls = g->run->derived->copy_calls->of;

	for (size_t i = 0; calls && i < g->n_copies; i++) {
		uint32_t call = calls[i];
		bool async, pageable;
		struct transfer row;
		struct extra *e;

		if (call == WL_NONE || !row_of(g, i, &row))
			continue;
		e = &extra[wl_intern_find(&g->keys, &row.key)];
		async = strstr(wl_str(t, wl_api_name(t)[call]), "Async") != NULL;
		pageable = wl_memcpys_src(t)[i] == WL_MEMORY_PAGEABLE ||
			   wl_memcpys_dst(t)[i] == WL_MEMORY_PAGEABLE;
		e->linked++;
		e->async_pageable += async && pageable;
		e->small_blocking += (!async || pageable) && row.bytes <= g->run->arg[SMALL].i64;
	}
}

/* The coverage of the counts by call: copies whose call is known. */
static void cover_calls(const struct grouping *g, const struct wl_stats *time,
			const struct extra *extra, size_t n, struct wl_table *out)
{
	const struct key *key = g->keys.items.data;
	int64_t have = 0, of = 0;

	for (size_t i = 0; i < n; i++) {
		have += extra[i].linked;
		of += key[i].is_set ? 0 : (int64_t)time[i].n;
	}
	if (of)
		wl_table_cover(out, "copies_with_launch", have, of);
}

struct ranking {
	const struct wl_stats *stats;
	const struct key *key;
	bool by_size;
};

static bool rank_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *r = ctx;

	if (r->by_size && r->key[a].size != r->key[b].size)
		return r->key[a].size < r->key[b].size;
	if (r->stats[a].sum != r->stats[b].sum)
		return r->stats[a].sum > r->stats[b].sum;
	if (r->key[a].device != r->key[b].device)
		return r->key[a].device < r->key[b].device;
	/* The remaining members are bytes: copies before sets, then kinds by code. */
	return memcmp(&r->key[a].is_set, &r->key[b].is_set,
		      sizeof(struct key) - offsetof(struct key, is_set)) < 0;
}

static void put_row(struct wl_table *out, const struct key *k, const struct wl_stats *time,
		    const struct wl_stats *size, const struct extra *e, bool by_size)
{
	double rate = (double)size->sum * 1e9 / (double)e->whole;

	wl_table_row(out);
	wl_put_str(out, KIND, k->is_set ? "memset" : wl_copy_kind_name(k->kind));
	if (by_size) {
		wl_put_str(out, SIZE, size_names[k->size]);
	} else {
		wl_put_str(out, SRC, wl_memory_kind_name(k->src));
		wl_put_str(out, DST, wl_memory_kind_name(k->dst));
	}
	wl_put_i64(out, DEVICE, k->device);
	wl_put_i64(out, OPS, (int64_t)time->n);
	wl_put_i64(out, BYTES, size->sum);
	wl_put_i64(out, SUM, time->sum);
	wl_put_f64(out, BANDWIDTH, rate);
	wl_put_i64(out, BUSY, e->busy);
	wl_put_stats(out, AVG_SIZE, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_MIN | WL_STAT_MAX, size);
	wl_put_stats(out, MIN, WL_STAT_MIN | WL_STAT_MAX, time);
	if (k->is_set)
		return; /* a memory set is compute: it covers copies and is not exposed */
	wl_put_i64(out, COPIES, e->copies);
	if (e->link > 0)
		wl_put_f64(out, LINK_SHARE, rate / e->link);
	if (e->local < time->n) /* so are copies within a device */
		wl_put_i64(out, EXPOSED, e->busy - e->covered);
	if (wl_copy_is_managed(k->kind))
		wl_put_i64(out, INSIDE_KERNELS, e->in_kernels);
	/* If no call is known, 0 would claim that no copy blocks. */
	if (e->linked) {
		wl_put_i64(out, ASYNC_PAGEABLE, e->async_pageable);
		wl_put_i64(out, SMALL_BLOCKING, e->small_blocking);
	}
}

/* A migration inside a kernel hides nothing when the kernel waits for its pages. */
static void note_migrations(const struct grouping *g, const struct extra *extra, size_t n,
			    struct wl_table *out)
{
	const struct key *key = g->keys.items.data;
	wl_ns in_kernels = 0, busy = 0;
	char inside[WL_UNITS_BUF], all[WL_UNITS_BUF];

	for (size_t i = 0; i < n; i++) {
		if (key[i].is_set || !wl_copy_is_managed(key[i].kind))
			continue;
		busy = wl_add_up(busy, extra[i].busy);
		in_kernels = wl_add_up(in_kernels, extra[i].in_kernels);
	}
	if (in_kernels)
		wl_table_note(out,
			      "kernels may stall on managed memory: %s of %s of migration time "
			      "is inside kernels (inside_kernels) and not counted as exposed",
			      wl_fmt_ns(inside, in_kernels, WL_UNIT_AUTO),
			      wl_fmt_ns(all, busy, WL_UNIT_AUTO));
}

/* Copies between GPUs are the only ones whose link the trace can show. */
static double link_of(const struct grouping *g, size_t group)
{
	const struct key *key = (const struct key *)g->keys.items.data + group;

	return key->kind == WL_COPY_P2P ? wl_device_nvlink(g->run->trace, key->device) : 0;
}

static int put_rows(const struct wl_run *r, struct grouping *g, struct wl_table *out,
		    struct wl_err *reterr)
{
	size_t n_rows = g->n_copies + r->trace->family[WL_F_MEMSETS].n, n = 0;
	const struct wl_stats *time = wl_stats_by_group(n_rows, visit, g, r->arena, &n), *size;
	struct extra *extra = time ? WL_NEW(r->arena, struct extra, n) : NULL;
	uint32_t *order = time ? WL_NEW(r->arena, uint32_t, 2 * n) : NULL;
	const struct wl_classes *classes = r->derived->classes;
	bool by_size = r->arg[BY].i64 == BY_SIZE, has_batch = false;

	/* All keys are known by now: statistics of sizes have the same groups. */
	g->sizes = true;
	size = extra && order ? wl_stats_by_group(n_rows, visit, g, r->arena, &n) : NULL;
	if (!size)
		return wl_no_memory(&wl_analysis_transfers, reterr);
	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		extra[i].until = -WL_TIME_MAX;
		extra[i].link = link_of(g, i);
	}
	if (!measure_unions(g, classes, extra))
		return wl_no_memory(&wl_analysis_transfers, reterr);
	count_calls(g, extra);
	measure_sets(g, extra);
	cover_calls(g, time, extra, n, out);
	note_migrations(g, extra, n, out);
	wl_sort_index(order, n, order + n, rank_less,
		      &(struct ranking){ time, g->keys.items.data, by_size });
	for (size_t i = 0; i < n; i++)
		put_row(out, &((struct key *)g->keys.items.data)[order[i]], &time[order[i]],
			&size[order[i]], &extra[order[i]], by_size);
	for (size_t i = 0; i < n; i++)
		has_batch |= extra[i].copies > (int64_t)time[i].n;
	if (!has_batch)
		wl_table_hide(out, COPIES);
	return WL_OK;
}

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[BY].i64 == BY_SIZE ? UINT64_C(1) << SRC | UINT64_C(1) << DST
				      : UINT64_C(1) << SIZE;
}

static const char *lacks(const struct wl_run *r)
{
	const uint8_t *kind = wl_memcpys_kind(r->trace);
	size_t n = r->trace->family[WL_F_MEMCPYS].n, i = 0;

	if (!r->arg[MANAGED].flag)
		return NULL;
	while (i < n && !wl_copy_is_managed(kind[i]))
		i++;
	return i < n ? NULL : "the trace has no migrations of managed memory";
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct grouping g = { .run = r, .n_copies = r->trace->family[WL_F_MEMCPYS].n };
	int result;

	wl_intern_init(&g.keys, sizeof(struct key), wl_arena_budget(r->arena));
	result = put_rows(r, &g, out, reterr);
	wl_intern_release(&g.keys);
	return result;
}

const struct wl_analysis wl_analysis_transfers = {
	.name = "transfers",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Memory copies by kind: size, bandwidth, exposed time" },
	.help = "Rank memory copies and sets by time, with sizes and bandwidth",
	.about = "Copies grouped by direction, kinds of memory and device; memory sets by kind of "
		 "memory. By size, powers of ten take the place of the kinds of memory. A copy "
		 "between two GPUs belongs to its source device. Memory sets and copies within one "
		 "GPU count as compute and have no exposed time. A kernel that touches "
		 "managed memory waits for its migration: inside_kernels is the time of migrations "
		 "while a kernel ran.",
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(CLASSES) | WL_FROM(COPY_CALLS) | WL_FROM(ACTIVITY),
	.hidden = hidden,
	.lacks = lacks,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};

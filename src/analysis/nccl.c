/* nccl.c - collectives by stream and kind, and who waits for whom. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "base/pool.h"
#include "base/sort.h"
#include "derive/derived.h"
#include "derive/exposure.h"
#include "derive/matches.h"
#include "derive/ranks.h"
#include "derive/stats.h"
#include "derive/streams.h"

enum {
	DEVICE,
	PID,
	RANK,
	CONTEXT,
	STREAM,
	TYPE,
	CALLS,
	SUM,
	EXPOSED,
	OVERLAP,
	BUSY,
	AVG,
	P50,
	P99,
	MAX,
	TRANSFER,
	WAIT,
	LAST
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process that communicates." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Its rank; empty if nothing tells." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream; empty if not told." },
	[TYPE] = { "type", "Type", WL_T_STR, WL_KEY, "Kind of collective, by name." },
	[CALLS] = { "calls", "Calls", WL_T_COUNT, WL_PLAIN,
		    "Operations with a part in the window." },
	[SUM] = { "sum", "Sum", WL_T_NS, WL_SUM, "Sum of their durations in the window." },
	[EXPOSED] = { "exposed", "Exposed", WL_T_NS, WL_SUM,
		      "Time with any of them under way and no compute on the GPU." },
	[OVERLAP] = { "overlap", "Overlap", WL_T_RATIO, WL_PLAIN,
		      "Part of the busy time that compute hides." },
	[BUSY] = { "busy", "Busy time", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time with any of them under way." },
	[AVG] = { "avg", "Avg", WL_T_NS, WL_MINOR, "Mean duration." },
	[P50] = { "p50", "P50", WL_T_NS, WL_MINOR, "Median duration, nearest rank." },
	[P99] = { "p99", "P99", WL_T_NS, WL_MINOR, "99th percentile, nearest rank." },
	[MAX] = { "max", "Max", WL_T_NS, WL_MINOR, "Longest duration." },
	[TRANSFER] = { "transfer", "Transfer", WL_T_NS, WL_MINOR,
		       "Sum of the shortest durations over all processes, of matched operations." },
	[WAIT] = { "wait", "Wait", WL_T_NS, WL_PLAIN,
		   "How much longer its own took: time it waited for others." },
	[LAST] = { "last", "Last", WL_T_COUNT, WL_MINOR,
		   "How often its own was the shortest: it arrived last." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_COLLECTIVE_COLUMNS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "nccl_breakdown" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens nccl run.sqlite", "What communication costs, and what of it is exposed." },
	{ "warplens nccl run.sqlite --where 'type = AllReduce' --sort -wait",
	  "Who waits longest in all-reduces." },
	{ NULL, NULL },
};

/* What matched operations of a group that the scope admits have. */
struct waits {
	wl_ns transfer, wait;
	size_t n, n_last;
};

/* A group is a stream and a kind, numbered stream by stream. */
struct finding {
	const struct wl_run *run;
	const struct wl_classes *classes;
	const struct wl_collectives *collectives;
	const struct wl_ranks *ranks;
	struct wl_streams streams;
	struct wl_matches matches;
	const struct wl_stats *stats; /* by group, the first n_stats of them */
	size_t n_stats;
	struct wl_exposure *exposure; /* by group */
	struct waits *waits;          /* by group */
};

static uint32_t group_number(const struct finding *f, uint32_t place, enum wl_collective type)
{
	return f->streams.of_place[place] * WL_N_COLLECTIVES + type;
}

static bool admits(const struct finding *f, const struct wl_match *m, wl_ns *start, wl_ns *end)
{
	const struct wl_scope *scope = f->run->scope;

	*start = m->start;
	*end = m->start + m->dur;
	return scope->place_on[m->place] &&
	       wl_clip(scope, scope->device[f->run->trace->places[m->place].device], start, end);
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct finding *f = ctx;
	const struct wl_match *m = &f->matches.at[row];
	wl_ns start, end;

	if (!admits(f, m, &start, &end))
		return WL_VISIT_SKIP;
	*ret_group = group_number(f, m->place, m->type);
	*ret_value = end - start;
	return WL_VISIT_TAKE;
}

static void add_waits(struct finding *f)
{
	for (size_t i = 0; i < f->matches.n; i++) {
		const struct wl_match *m = &f->matches.at[i];
		struct waits *w = &f->waits[group_number(f, m->place, m->type)];
		wl_ns start, end;

		if (!m->is_matched || !admits(f, m, &start, &end))
			continue;
		w->n++;
		w->n_last += m->dur == m->shortest;
		w->transfer = wl_add_up(w->transfer, m->shortest);
		w->wait = wl_add_up(w->wait, m->dur - m->shortest);
	}
}

struct on_device {
	const struct finding *finding;
	uint32_t first; /* group of the device's first stream */
};

static uint32_t group_of(void *ctx, const struct wl_op *op)
{
	const struct on_device *d = ctx;
	const struct finding *f = d->finding;

	if (wl_class_of(f->run->trace, f->classes, op->family, op->row) != WL_COMM)
		return WL_NO_GROUP;
	return group_number(f, op->place,
			    wl_collective_of(f->run->trace, f->collectives, op->family, op->row)) -
	       d->first;
}

static bool find_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct finding *f = ctx;
	const struct wl_run *r = f->run;
	size_t first = wl_streams_from_device(r->trace, &f->streams, (uint32_t)device);
	struct on_device d = { f, (uint32_t)first * WL_N_COLLECTIVES };
	struct wl_exposures e;

	if (!r->scope->device_on[device])
		return true;
	if (!wl_exposure_find(r->trace, r->scope, f->classes, (uint32_t)device, group_of, &d, arena,
			      &e))
		return false;
	for (size_t i = 0; i < e.n; i++)
		f->exposure[d.first + i] = e.group[i];
	return true;
}

static bool find(struct finding *f)
{
	const struct wl_run *r = f->run;
	size_t n_groups;

	f->classes = wl_derived_classes(r->derived);
	f->collectives = wl_derived_collectives(r->derived);
	f->ranks = wl_derived_ranks(r->derived);
	if (!f->classes || !f->collectives || !f->ranks ||
	    !wl_streams_find(r->trace, r->arena, &f->streams) ||
	    !wl_matches_find(r->derived, r->arena, &f->matches))
		return false;
	n_groups = f->streams.n * WL_N_COLLECTIVES;
	f->exposure = WL_NEW(r->arena, struct wl_exposure, n_groups);
	f->waits = WL_NEW(r->arena, struct waits, n_groups);
	f->stats = wl_stats_by_group(f->matches.n, visit, f, r->arena, &f->n_stats);
	if (!f->exposure || !f->waits || !f->stats ||
	    !wl_pool_map(r->pool, r->trace->n_devices, find_device, f, r->arena))
		return false;
	add_waits(f);
	return true;
}

static void put_row(struct wl_table *out, const struct finding *f, size_t group)
{
	const struct wl_trace *t = f->run->trace;
	const struct wl_place *p = &t->places[f->streams.place[group / WL_N_COLLECTIVES]];
	const struct wl_exposure *e = &f->exposure[group];
	const struct wl_stats *s = &f->stats[group];

	wl_table_row(out);
	wl_put_i64(out, DEVICE, p->device);
	wl_put_i64(out, PID, t->processes[p->process].pid);
	if (f->ranks->of[p->process] >= 0)
		wl_put_i64(out, RANK, f->ranks->of[p->process]);
	if (p->context != WL_NONE)
		wl_put_i64(out, CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, STREAM, p->stream);
	wl_put_str(out, TYPE, wl_collective_title((enum wl_collective)(group % WL_N_COLLECTIVES)));
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_i64(out, SUM, s->sum);
	wl_put_i64(out, EXPOSED, e->exposed);
	wl_put_ratio(out, OVERLAP, e->comm - e->exposed, e->comm);
	wl_put_i64(out, BUSY, e->comm);
	wl_put_i64(out, AVG, s->avg);
	wl_put_i64(out, P50, s->p50);
	wl_put_i64(out, P99, s->p99);
	wl_put_i64(out, MAX, s->max);
	if (f->waits[group].n == 0)
		return;
	wl_put_i64(out, TRANSFER, f->waits[group].transfer);
	wl_put_i64(out, WAIT, f->waits[group].wait);
	wl_put_i64(out, LAST, (int64_t)f->waits[group].n_last);
}

static bool group_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct finding *f = ctx;

	return f->stats[a].sum != f->stats[b].sum ? f->stats[a].sum > f->stats[b].sum : a < b;
}

static bool put_rows(struct wl_table *out, const struct finding *f)
{
	uint32_t *order = WL_NEW(f->run->arena, uint32_t, 2 * f->n_stats);
	size_t n = 0;

	for (uint32_t i = 0; order && i < f->n_stats; i++) {
		if (f->stats[i].n)
			order[n++] = i;
	}
	if (order)
		wl_sort_index(order, n, order + n, group_less, f);
	for (size_t i = 0; i < n; i++)
		put_row(out, f, order[i]);
	return order != NULL;
}

/* The operations of one process in one queue: how many are matched, how often it is last. */
struct share {
	uint32_t process;
	size_t n, n_last;
};

static bool is_straggler(const struct share *s)
{
	return s->n_last > s->n - s->n_last;
}

static void note_straggler(struct wl_table *out, const struct finding *f, const struct wl_match *m,
			   const struct share *s)
{
	int64_t rank = f->ranks->of[s->process];
	uint32_t stream = f->run->trace->places[m->place].stream;
	char where[32] = "";

	if (stream != WL_NONE)
		(void)snprintf(where, sizeof(where), " on stream %" PRIu32, stream);
	wl_table_note(out, "%s %" PRId64 " arrives last in %.0f %% of %s%s",
		      rank >= 0 ? "rank" : "process",
		      rank >= 0 ? rank : (int64_t)f->run->trace->processes[s->process].pid,
		      100.0 * (double)s->n_last / (double)s->n, wl_collective_title(m->type),
		      where);
}

static bool same_queue(const struct wl_trace *t, const struct wl_match *a, const struct wl_match *b)
{
	return a->type == b->type && t->places[a->place].stream == t->places[b->place].stream;
}

/* The processes of the queue that begins at lo, in turn; *hi is where it ends. */
static const struct wl_match *find_straggler(const struct finding *f, size_t lo, size_t *hi,
					     struct share *ret)
{
	const struct wl_trace *t = f->run->trace;
	const struct wl_match *at = f->matches.at;
	struct share now = { .process = WL_NONE };
	size_t n_found = 0, i = lo;

	for (; i <= f->matches.n; i++) {
		bool ends = i == f->matches.n || !same_queue(t, &at[lo], &at[i]);
		uint32_t process = ends ? WL_NONE : t->places[at[i].place].process;
		wl_ns start, end;

		if (process != now.process) {
			if (is_straggler(&now)) {
				*ret = now;
				n_found++;
			}
			now = (struct share){ .process = process };
		}
		if (ends)
			break;
		if (at[i].is_matched && admits(f, &at[i], &start, &end)) {
			now.n++;
			now.n_last += at[i].dur == at[i].shortest;
		}
	}
	*hi = i;
	/* Where several are the shortest together, nobody keeps the others waiting. */
	return n_found == 1 ? &at[lo] : NULL;
}

enum { MAX_STRAGGLERS = 8 };

static void note_stragglers(struct wl_table *out, const struct finding *f)
{
	size_t n = 0;

	for (size_t lo = 0, hi; lo < f->matches.n; lo = hi) {
		struct share share;
		const struct wl_match *m = find_straggler(f, lo, &hi, &share);

		if (m && n++ < MAX_STRAGGLERS)
			note_straggler(out, f, m, &share);
	}
	if (n > MAX_STRAGGLERS)
		wl_table_note(out, "%zu more streams have one process that arrives last",
			      n - MAX_STRAGGLERS);
}

static void note_matches(struct wl_table *out, const struct finding *f)
{
	size_t n_matched = 0, n_calls = 0;

	for (size_t i = 0; i < f->n_stats; i++) {
		n_calls += f->stats[i].n;
		n_matched += f->waits[i].n;
	}
	if (f->matches.n_processes < 2) {
		wl_table_note(out, "only one process communicates: waiting for others and transfer "
				   "cannot be told apart");
		return;
	}
	wl_table_cover(out, "operations_matched_across_processes", (int64_t)n_matched,
		       (int64_t)n_calls);
	note_stragglers(out, f);
}

/* Without communication the answer is none, unless replays may hide it. */
static int note_none(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	if (r->trace->family[WL_F_GRAPHS].n)
		return wl_fail(reterr, WL_E_NODATA,
			       "nccl: no communication outside of CUDA graph replays, which were "
			       "recorded whole; record with nsys profile --cuda-graph-trace=node");
	wl_table_note(out, "nothing in this trace communicates");
	return WL_OK;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct finding f = { .run = r };

	if (!find(&f) || !put_rows(out, &f))
		return wl_no_memory(&wl_analysis_nccl, reterr);
	if (f.matches.n == 0)
		return note_none(r, out, reterr);
	note_matches(out, &f);
	return WL_OK;
}

const struct wl_analysis wl_analysis_nccl = {
	.name = "nccl",
	.help = "Rank collectives by time, and tell who waits for whom",
	.about =
		"Communication by device, process, stream and kind of collective. exposed and "
		"overlap are against all compute of the device. Collectives of several processes "
		"of a trace are matched by kind, stream number and order, where all processes that "
		"communicate have as many: the shortest of a match is about the transfer, and "
		"its process arrived last. Matching is done on the whole trace; a match counts "
		"where its operation has a part in the window, with its whole duration. How many "
		"bytes were sent is not known without payloads, so there is no bandwidth. Devices "
		"with CUDA graph replays that were recorded whole may communicate more.",
	.needs_any = needs_any,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};

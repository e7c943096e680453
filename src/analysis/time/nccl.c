/* SPDX-License-Identifier: MIT */
/* nccl.c - collectives by stream and kind, and the ranks that others wait for. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/stat_cols.h"
#include "base/pool.h"
#include "base/sort.h"
#include "base/units.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/exposed/exposure.h"
#include "derive/nvtx/ranks.h"
#include "derive/rows/stats.h"

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
	LAST,
	LATE,
	CAUSED,
	ALONE,
	GROUP
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR, "Process that communicates." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process; empty if unknown." },
	[CONTEXT] = { "context", "Context", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "CUDA context; stream numbers are its own." },
	[STREAM] = { "stream", "Stream", WL_T_COUNT, WL_KEY, "CUDA stream; empty if unknown." },
	[TYPE] = { "type", "Type", WL_T_STR, WL_KEY, "Kind of collective, by name." },
	[CALLS] = WL_COL_CALLS("Operations with a part in the window."),
	[SUM] = WL_COL_SUM,
	[EXPOSED] = { "exposed", "Exposed", WL_T_NS, WL_SUM,
		      "Time with any of them under way and no compute on the GPU." },
	[OVERLAP] = { "overlap", "Overlap", WL_T_RATIO, WL_PLAIN,
		      "Part of the busy time that compute hides." },
	[BUSY] = { "busy", "Busy", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time in which any of the collectives runs." },
	[AVG] = WL_COL_AVG(WL_MINOR),
	[P50] = WL_COL_P50,
	[P99] = WL_COL_P99,
	[MAX] = WL_COL_MAX(WL_MINOR),
	[TRANSFER] = { "transfer", "Transfer", WL_T_NS, WL_MINOR,
		       "Sum of the shortest durations over all members, of matched operations." },
	[WAIT] = { "wait", "Wait", WL_T_NS, WL_PLAIN,
		   "How much longer its own took: time it waited for others." },
	[LAST] = { "last", "Last", WL_T_COUNT, WL_MINOR,
		   "Collectives at which the GPU arrived last." },
	[LATE] = { "late", "Late", WL_T_NS, WL_MINOR,
		   "Sum over matches of the time from its own arrival to the last one: the wait by "
		   "arrivals, which needs a common clock." },
	[CAUSED] = { "caused", "Caused", WL_T_NS, WL_MINOR,
		     "Sum of late over all members, of matches in which it arrived last." },
	[ALONE] = { "alone", "Alone", WL_T_NS, WL_MINOR,
		    "How much later than the last but one it arrived, over the same matches." },
	[GROUP] = { "group", "Group", WL_T_STR, WL_MINOR,
		    "GPUs whose collectives end together with its own, inferred; empty where no "
		    "other's do." },
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ .name = "nccl_breakdown" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens nccl run.sqlite", "Communication time, and its exposed part." },
	{ "warplens nccl run.sqlite --where 'type = AllReduce' --sort -caused",
	  "Which GPU makes the others wait in all-reduces." },
	{ NULL, NULL },
};

/* Of the matched operations of a cell that the scope admits. */
struct waits {
	wl_ns transfer, wait, late, caused, alone;
	size_t n, n_last;
	uint32_t set;
};

/* A cell is a stream and a kind, numbered stream by stream: a row of the table. */
struct finding {
	const struct wl_run *run;
	const struct wl_classes *classes;
	const struct wl_collectives *collectives;
	const struct wl_ranks *ranks;
	const struct wl_matches *matches;
	const struct wl_streams *streams;
	const struct wl_stats *stats; /* by cell, the first n_stats of them */
	size_t n_stats;
	struct wl_exposure *exposure; /* by cell */
	struct waits *waits;          /* by cell */
	const char **group;           /* by group of the matches: its name */
};

static uint32_t cell_number(const struct finding *f, uint32_t place, enum wl_collective type)
{
	return f->streams->of_place[place] * WL_N_COLLECTIVES + type;
}

static bool admits(const struct finding *f, const struct wl_comm_op *op, wl_ns *start, wl_ns *end)
{
	const struct wl_scope *scope = f->run->scope;

	*start = op->start;
	*end = wl_comm_end(op);
	return scope->place_on[op->place] &&
	       wl_clip(scope, scope->device[f->run->trace->places[op->place].device], start, end);
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct finding *f = ctx;
	const struct wl_comm_op *op = &f->matches->queues.op[row];
	wl_ns start, end;

	if (!admits(f, op, &start, &end))
		return WL_VISIT_SKIP;
	*ret_group = cell_number(f, op->place, (enum wl_collective)op->type);
	*ret_value = end - start;
	return WL_VISIT_TAKE;
}

static void add_wait(const struct finding *f, const struct wl_comm_op *op, uint32_t queue,
		     struct waits *w)
{
	const struct wl_match *match = &f->matches->at[op->match];

	w->n++;
	w->transfer = wl_add_up(w->transfer, match->shortest);
	w->wait = wl_add_up(w->wait, wl_match_wait(f->matches, op));
	w->late = wl_add_up(w->late, op->late);
	if (f->matches->set[match->set].queue[match->last] != queue)
		return;
	w->n_last++;
	w->caused = wl_add_up(w->caused, match->caused);
	w->alone = wl_add_up(w->alone, match->alone);
}

static void add_waits(struct finding *f)
{
	const struct wl_comm_queues *q = &f->matches->queues;

	for (size_t i = 0; i < q->n; i++) {
		struct waits *w =
			&f->waits[q->queue[i].stream * WL_N_COLLECTIVES + q->queue[i].type];

		w->set = f->matches->set_of[i];
		for (size_t k = q->queue[i].lo; w->set != WL_NONE && k < q->queue[i].hi; k++) {
			wl_ns start, end;

			if (q->op[k].match != WL_NONE && admits(f, &q->op[k], &start, &end))
				add_wait(f, &q->op[k], (uint32_t)i, w);
		}
	}
}

static bool name_groups(struct finding *f)
{
	const struct wl_matches *m = f->matches;
	bool ok;

	f->group = WL_NEW(f->run->arena, const char *, m->n_groups);
	ok = f->group != NULL;
	for (uint32_t i = 0; ok && i < m->n_groups; i++) {
		f->group[i] = wl_comm_group_name(m, i, f->run->arena);
		ok = f->group[i] != NULL;
	}
	return ok;
}

struct on_device {
	const struct finding *finding;
	uint32_t first; /* cell of the device's first stream */
};

static uint32_t group_of(void *ctx, const struct wl_op *op)
{
	const struct on_device *d = ctx;
	const struct finding *f = d->finding;

	if (wl_class_of(f->run->trace, f->classes, op->family, op->row) != WL_COMM)
		return WL_NO_GROUP;
	return cell_number(f, op->place,
			   wl_collective_of(f->run->trace, f->collectives, op->family, op->row)) -
	       d->first;
}

static bool find_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct finding *f = ctx;
	const struct wl_run *r = f->run;
	size_t first = wl_streams_from_device(r->trace, f->streams, (uint32_t)device);
	struct on_device d = { f, (uint32_t)first * WL_N_COLLECTIVES };
	struct wl_exposures e;

	if (!r->scope->device_on[device])
		return true;
	if (!wl_exposure_find(r->trace, r->scope, f->classes,
			      &r->derived->all_activity->device[device], group_of, &d, arena, &e))
		return false;
	for (size_t i = 0; i < e.n; i++)
		f->exposure[d.first + i] = e.group[i];
	return true;
}

static bool find(struct finding *f)
{
	const struct wl_run *r = f->run;
	size_t n_cells;

	f->classes = r->derived->classes;
	f->collectives = r->derived->collectives;
	f->ranks = r->derived->ranks;
	f->matches = r->derived->matches;
	if (!name_groups(f))
		return false;
	f->streams = &f->matches->queues.streams;
	n_cells = f->streams->n * WL_N_COLLECTIVES;
	f->exposure = WL_NEW(r->arena, struct wl_exposure, n_cells);
	f->waits = WL_NEW(r->arena, struct waits, n_cells);
	f->stats = wl_stats_by_group(f->matches->queues.n_ops, visit, f, r->arena, &f->n_stats);
	if (!f->exposure || !f->waits || !f->stats ||
	    !wl_pool_map(r->pool, r->trace->n_devices, find_device, f, r->arena))
		return false;
	add_waits(f);
	return true;
}

static void put_waits(struct wl_table *out, const struct finding *f, const struct waits *w)
{
	if (w->n == 0)
		return;
	wl_put_i64(out, TRANSFER, w->transfer);
	wl_put_i64(out, WAIT, w->wait);
	wl_put_i64(out, LAST, (int64_t)w->n_last);
	wl_put_i64(out, LATE, w->late);
	wl_put_i64(out, CAUSED, w->caused);
	wl_put_i64(out, ALONE, w->alone);
	wl_put_str(out, GROUP, f->group[f->matches->set[w->set].group]);
}

static void put_row(struct wl_table *out, const struct finding *f, size_t cell)
{
	const struct wl_trace *t = f->run->trace;
	const struct wl_place *p = &t->places[f->streams->place[cell / WL_N_COLLECTIVES]];
	const struct wl_exposure *e = &f->exposure[cell];
	const struct wl_stats *s = &f->stats[cell];

	wl_table_row(out);
	wl_put_i64(out, DEVICE, p->device);
	wl_put_i64(out, PID, t->processes[p->process].pid);
	if (f->ranks->of[p->process] >= 0)
		wl_put_i64(out, RANK, f->ranks->of[p->process]);
	if (p->context != WL_NONE)
		wl_put_i64(out, CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, STREAM, p->stream);
	wl_put_str(out, TYPE, wl_collective_title((enum wl_collective)(cell % WL_N_COLLECTIVES)));
	wl_put_i64(out, CALLS, (int64_t)s->n);
	wl_put_i64(out, SUM, s->sum);
	wl_put_i64(out, EXPOSED, e->exposed);
	wl_put_ratio(out, OVERLAP, e->comm - e->exposed, e->comm);
	wl_put_i64(out, BUSY, e->comm);
	wl_put_stats(out, AVG, WL_STAT_AVG | WL_STAT_P50 | WL_STAT_P99 | WL_STAT_MAX, s);
	put_waits(out, f, &f->waits[cell]);
}

static bool cell_less(const void *ctx, uint32_t a, uint32_t b)
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
		wl_sort_index(order, n, order + n, cell_less, f);
	for (size_t i = 0; i < n; i++)
		put_row(out, f, order[i]);
	return order != NULL;
}

/* What a member of a group causes, in matches of which the scope admits an operation. */
struct blame {
	wl_ns caused, alone;
};

/* By group, one after the other: its members. *ret_begin: by group, where they begin. */
static const struct blame *find_blame(const struct finding *f, const size_t **ret_begin)
{
	const struct wl_matches *m = f->matches;
	size_t n = 0, *begin = WL_NEW(f->run->arena, size_t, m->n_groups);
	bool *seen = WL_NEW(f->run->arena, bool, m->n);
	struct blame *all;

	for (size_t i = 0; begin && i < m->n_groups; n += m->group[i].n, i++)
		begin[i] = n;
	all = WL_NEW(f->run->arena, struct blame, n);
	for (size_t i = 0; begin && seen && all && i < m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		const struct wl_match *match = op->match == WL_NONE ? NULL : &m->at[op->match];
		struct blame *b;
		wl_ns start, end;

		if (!match || seen[op->match] || !admits(f, op, &start, &end))
			continue;
		seen[op->match] = true;
		b = &all[begin[m->set[match->set].group] + match->last];
		b->caused = wl_add_up(b->caused, match->caused);
		b->alone = wl_add_up(b->alone, match->alone);
	}
	*ret_begin = begin;
	return begin && seen ? all : NULL;
}

/* "rank 3 (GPU 1)", or "GPU 1". */
static void say_member(const struct finding *f, uint32_t member, char *to, size_t cap)
{
	const struct wl_member *m = &f->matches->member[member];

	if (f->ranks->of[m->process] >= 0)
		(void)snprintf(to, cap, "rank %" PRId64 " (GPU %" PRIu32 ")",
			       f->ranks->of[m->process], m->device);
	else
		(void)snprintf(to, cap, "GPU %" PRIu32, m->device);
}

/* The member that causes most, if that is more than half and it alone costs a hundredth. */
static const struct blame *find_straggler(const struct finding *f, uint32_t group,
					  const struct blame *of, uint32_t *ret_member)
{
	const struct wl_comm_group *g = &f->matches->group[group];
	const struct blame *most = of;
	const struct wl_interval *window;
	wl_ns all = 0;

	for (size_t i = 0; i < g->n; i++) {
		all = wl_add_up(all, of[i].caused);
		most = of[i].caused > most->caused ? &of[i] : most;
	}
	*ret_member = g->member[most - of];
	window = &f->run->scope->device[f->matches->member[*ret_member].device];
	return most->caused > all / 2 && most->alone >= (window->end - window->begin) / 100 &&
			       most->alone > 0
		       ? most
		       : NULL;
}

enum { MAX_NOTES = 8 };

static bool note_stragglers(struct wl_table *out, const struct finding *f)
{
	const size_t *begin;
	const struct blame *all = find_blame(f, &begin);
	size_t n = 0;

	for (uint32_t i = 0; all && i < f->matches->n_groups; i++) {
		char who[48], caused[WL_UNITS_BUF], alone[WL_UNITS_BUF];
		const struct blame *b;
		uint32_t member;

		b = find_straggler(f, i, all + begin[i], &member);
		if (!b || n++ >= MAX_NOTES)
			continue;
		say_member(f, member, who, sizeof(who));
		wl_table_note(out,
			      "%s makes the others of the group of GPUs %s wait: %s in all, of "
			      "which it alone costs each of them %s",
			      who, f->group[i], wl_fmt_ns(caused, b->caused, WL_UNIT_AUTO),
			      wl_fmt_ns(alone, b->alone, WL_UNIT_AUTO));
	}
	if (n > MAX_NOTES)
		wl_table_note(out, "%zu more groups have one GPU that makes the others wait",
			      n - MAX_NOTES);
	return all != NULL;
}

static void note_stops(struct wl_table *out, const struct finding *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->matches->n_sets; i++) {
		const struct wl_match_set *set = &f->matches->set[i];

		if (set->stopped == WL_NONE || n++ >= MAX_NOTES)
			continue;
		wl_table_note(out,
			      "%s of the group of GPUs %s is matched up to instance %" PRIu32
			      ": from there on the members do not overlap",
			      wl_collective_title(f->matches->queues.queue[set->queue[0]].type),
			      f->group[set->group], set->stopped);
	}
	if (n > MAX_NOTES)
		wl_table_note(out, "%zu more queues are matched in part", n - MAX_NOTES);
}

static bool note_matches(struct wl_table *out, const struct finding *f)
{
	size_t n_matched = 0, n_calls = 0;

	for (size_t i = 0; i < f->n_stats; i++) {
		n_calls += f->stats[i].n;
		n_matched += f->waits[i].n;
	}
	if (f->matches->n_members < 2) {
		wl_table_note(
			out,
			"only one GPU communicates: waiting and transfer cannot be distinguished");
		return true;
	}
	wl_table_cover(out, "operations_matched_across_processes", (int64_t)n_matched,
		       (int64_t)n_calls);
	if (n_calls > n_matched)
		wl_table_note(out,
			      "%zu of %zu collectives are not matched: no other GPU has one of the "
			      "same kind, stream role and order that ends together with it",
			      n_calls - n_matched, n_calls);
	if (f->matches->n_groups)
		wl_table_note(out, "groups are inferred from collectives that end together: the "
				   "trace names no communicators");
	note_stops(out, f);
	return note_stragglers(out, f);
}

/* Without communication the answer is none, unless replays may hide it. */
static int note_none(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	if (r->trace->family[WL_F_GRAPHS].n)
		return wl_fail(reterr, WL_E_NODATA,
			       "nccl: no communication outside of CUDA graph replays, which were "
			       "recorded whole; record with nsys profile --cuda-graph-trace=node");
	wl_table_note(out, "this trace has no collectives");
	return WL_OK;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct finding f = { .run = r };

	if (!find(&f) || !put_rows(out, &f))
		return wl_no_memory(&wl_analysis_nccl, reterr);
	if (f.matches->queues.n_ops == 0)
		return note_none(r, out, reterr);
	return note_matches(out, &f) ? WL_OK : wl_no_memory(&wl_analysis_nccl, reterr);
}

const struct wl_analysis wl_analysis_nccl = {
	.name = "nccl",
	.topic = WL_TOPIC_COMM,
	.across_ranks = true,
	.help = "Rank collectives by time, and name the GPU that others wait for",
	.about = "Communication by device, process, stream and kind of collective. exposed and "
		 "overlap are against all compute of the device. Collectives of several GPUs are "
		 "matched by kind, stream role (the stream's class and its order among the "
		 "process's streams of that class) and order, within groups of GPUs whose "
		 "collectives end together; if they do not, nothing is matched. The shortest "
		 "operation of a match is approximately the transfer; the excess of another one is "
		 "its wait; the GPU that arrives last makes the others wait. Matching is done on "
		 "the whole trace; a match counts where its operation has a part in the window, "
		 "with its whole duration. Bytes are not recorded without payloads: there is no "
		 "bandwidth. Devices with CUDA graph replays that were recorded whole can "
		 "communicate more.",
	.needs_any = needs_any,
	.from = WL_FROM(CLASSES) | WL_FROM(COLLECTIVES) | WL_FROM(RANKS) | WL_FROM(MATCHES) |
		WL_FROM(ALL_ACTIVITY),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};

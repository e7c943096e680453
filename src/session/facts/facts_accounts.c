/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_accounts.h"

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/exposed/device_accounts.h"
#include "derive/iters/iter_accounts.h"
#include "derive/ledger/ledger.h"
#include "derive/use/iter_use.h"

struct accounts {
	const struct wl_facts_job *job;
	const struct wl_scope *scope;
	struct wl_arena *arena;
	const struct wl_derived *view;
	uint64_t from;
	struct wl_device_account *device;
	struct wl_device_iters *iters;
	struct wl_iter_strip *strip;
	size_t n_strips;
	struct wl_account_notes notes;
};

/* A rank, and what communicates there. */
struct rank {
	const struct accounts *of;
	const struct wl_ledger_lane *lane; /* its number is that of device and process, too */
	const struct wl_interval *op;      /* in order of begin */
	size_t n_ops;
	struct wl_interval *part; /* room for as many */
	struct wl_intervals compute;
};

/*
 * Arrivals are by rank: those of one follow each other. *at moves on. MPI calls stand behind all.
 */
static bool take_ops(struct rank *r, size_t *at, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &r->of->view->matches->queues;
	size_t lo = *at, n = r->of->job->facts->n[WL_FACTS_ARRIVALS];
	struct wl_interval *list;

	while (*at < n && q->op[*at].place == r->lane->device)
		++*at;
	r->n_ops = *at - lo;
	list = WL_NEW(arena, struct wl_interval, r->n_ops);
	for (size_t i = 0; list && i < r->n_ops; i++)
		list[i] = (struct wl_interval){ q->op[lo + i].start, wl_comm_end(&q->op[lo + i]) };
	r->op = list ? wl_intervals_sort(list, r->n_ops, arena) : NULL;
	r->part = list;
	return r->op && wl_activity_intervals(&r->of->view->activity->device[r->lane->device],
					      WL_ON_COMPUTE, NULL, arena, &r->compute);
}

/* Add what communicates in a stretch; calls come in order of time, *lo moves on. */
static void add_comm(const struct rank *r, struct wl_interval in, size_t *lo, struct wl_account *to)
{
	struct wl_exposure e;
	size_t n = 0;

	while (*lo < r->n_ops && r->op[*lo].end <= in.begin)
		++*lo;
	for (size_t i = *lo; i < r->n_ops && r->op[i].begin < in.end; i++) {
		wl_ns begin = r->op[i].begin > in.begin ? r->op[i].begin : in.begin;
		wl_ns end = r->op[i].end < in.end ? r->op[i].end : in.end;

		if (begin < end)
			r->part[n++] = (struct wl_interval){ begin, end };
	}
	wl_exposure_of_comm(&r->compute, r->part, n, &e);
	to->comm += e.comm;
	to->n_comm += e.n_comm;
	wl_comm_parts_join(&to->parts, &e.parts);
}

/* What communicates in the rest of the window: before, between and after the steps. */
static void add_rest(const struct rank *r, struct wl_account *to)
{
	const struct wl_interval *window = &r->of->scope->device[r->lane->device];
	wl_ns at = window->begin;
	size_t lo = 0;

	for (size_t i = 0; i <= r->lane->n_tiles; i++) {
		const struct wl_tile *tile = i < r->lane->n_tiles ? &r->lane->tile[i] : NULL;
		wl_ns end = tile ? tile->begin : window->end;

		if (tile && tile->iter == WL_NONE)
			continue;
		if (at < end)
			add_comm(r, (struct wl_interval){ at, end }, &lo, to);
		if (tile && tile->end > at)
			at = tile->end;
	}
}

static size_t count_at(const struct wl_facts *f, enum wl_facts_column_id column, size_t row)
{
	uint32_t n = wl_facts_u32(f, column, row);

	return n == WL_NONE ? 0 : n;
}

/* What no step has of kernels and graphs. */
static void set_rest(const struct rank *r, struct wl_account *a)
{
	const struct wl_facts_job *job = r->of->job;
	size_t n = r->lane->n_tiles - 1, graphs = 0;

	a->kernel_busy = wl_facts_length(job->facts, WL_FACTS_RANKS_KERNEL_BUSY, r->lane->device);
	for (size_t i = 0; i < n; i++) {
		size_t row = wl_facts_job_step(job, r->lane, i);

		a->kernel_busy -= wl_facts_length(job->facts, WL_FACTS_STEPS_KERNEL_BUSY, row);
		graphs += count_at(job->facts, WL_FACTS_STEPS_GRAPHS, row);
	}
	/* One that reaches into two steps is counted in both: the rest has at most so many. */
	a->n_graphs = count_at(job->facts, WL_FACTS_RANKS_GRAPHS, r->lane->device);
	a->n_graphs -= graphs < a->n_graphs ? graphs : a->n_graphs;
}

/* A step or the rest, without what communicates. */
static struct wl_account tile_time(const struct rank *r, size_t i)
{
	const struct wl_facts_job *job = r->of->job;
	const struct wl_tile *tile = &r->lane->tile[i];
	struct wl_account a = { .length = tile->length,
				.compute = tile->compute,
				.exposed_comm = tile->loss[WL_LOSS_EXPOSED_COMM],
				.exposed_copy = tile->loss[WL_LOSS_EXPOSED_COPY],
				.copy = tile->copies };

	a.idle = a.length - a.compute - a.exposed_comm - a.exposed_copy;
	if (tile->iter != WL_NONE) {
		size_t row = wl_facts_job_step(job, r->lane, i);

		a.kernel_busy = wl_facts_length(job->facts, WL_FACTS_STEPS_KERNEL_BUSY, row);
		a.n_graphs = count_at(job->facts, WL_FACTS_STEPS_GRAPHS, row);
	} else if (r->of->scope->whole) {
		set_rest(r, &a);
	}
	return a;
}

/* Sums are on the clock of the rank, and the window is on that of the job. */
static void bound_idle(struct wl_account *a)
{
	a->idle = a->idle > 0 ? a->idle : 0;
}

/* With what communicates; tiles are asked in order, *lo moves on. */
static struct wl_account tile_account(const struct rank *r, size_t i, size_t *lo)
{
	const struct wl_tile *tile = &r->lane->tile[i];
	struct wl_account a = tile_time(r, i);

	if (tile->iter == WL_NONE)
		add_rest(r, &a);
	else
		add_comm(r, (struct wl_interval){ tile->begin, tile->end }, lo, &a);
	bound_idle(&a);
	return a;
}

static struct wl_account window_account(const struct rank *r)
{
	const struct wl_interval *window = &r->of->scope->device[r->lane->device];
	struct wl_account all = { .length = 0 };
	size_t lo = 0;

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct wl_account a = tile_time(r, i);

		wl_account_add(&all, &a);
	}
	all.length = window->end - window->begin;
	all.idle = all.length - all.compute - all.exposed_comm - all.exposed_copy;
	if (r->of->scope->whole) {
		struct wl_exposure e;

		wl_exposure_of_comm(&r->compute, r->op, r->n_ops, &e);
		all.comm = e.comm;
		all.n_comm = e.n_comm;
		all.parts = e.parts;
	} else {
		add_comm(r, *window, &lo, &all);
	}
	bound_idle(&all);
	return all;
}

/* An empty window has no rows. */
static bool put_tiles(const struct rank *r, struct wl_device_iters *ret)
{
	struct wl_iter_account *at = WL_NEW(r->of->arena, struct wl_iter_account, r->lane->n_tiles);
	size_t n = 0, lo = 0;

	for (size_t i = 0; at && i < r->lane->n_tiles; i++) {
		at[n] = (struct wl_iter_account){ r->lane->device, r->lane->tile[i].iter,
						  tile_account(r, i, &lo) };
		n += at[n].time.length != 0;
	}
	*ret = (struct wl_device_iters){ at, n };
	return at != NULL;
}

/* By iteration of a rank, also outside the window. */
static const wl_ns *idle_before(const struct rank *r)
{
	const struct wl_facts_job *job = r->of->job;
	size_t n = r->of->view->iterations->process[r->lane->device].n;
	wl_ns *before = WL_NEW(r->of->arena, wl_ns, n);

	for (size_t i = 0; before && i < n; i++) {
		size_t row = job->first_step[r->lane->device] + i;

		before[i] = WL_NO_TIME;
		if (wl_facts_i64(job->facts, WL_FACTS_STEPS_IDLE_BEFORE, row) != WL_FACTS_NONE)
			before[i] = wl_facts_length(job->facts, WL_FACTS_STEPS_IDLE_BEFORE, row);
	}
	return before;
}

static struct wl_iter_use use_of(const struct rank *r, size_t tile, size_t *lo)
{
	const struct wl_facts_job *job = r->of->job;
	const struct wl_account a = tile_account(r, tile, lo);

	return (struct wl_iter_use){
		.compute = a.compute,
		.exposed_comm = a.exposed_comm,
		.exposed_copy = a.exposed_copy,
		.idle = a.idle,
		.n_kernels = count_at(job->facts, WL_FACTS_STEPS_KERNELS,
				      wl_facts_job_step(job, r->lane, tile)),
		.n_graphs = a.n_graphs,
		.knows_comm = wl_account_knows_comm(&a),
	};
}

static bool put_strip(const struct rank *r, struct wl_iter_strip *ret)
{
	const struct wl_facts_job *job = r->of->job;
	uint32_t rank = r->lane->device;
	size_t n = r->lane->n_tiles, lo = 0;
	struct wl_iter_use *at;

	n -= n && r->lane->tile[n - 1].iter == WL_NONE;
	at = WL_NEW(r->of->arena, struct wl_iter_use, n);
	*ret = (struct wl_iter_strip){
		.process = rank, .device = rank, .n = n, .at = at, .idle_before = idle_before(r)
	};
	if (n)
		ret->first = (uint32_t)(wl_facts_job_step(job, r->lane, 0) - job->first_step[rank]);
	for (size_t i = 0; at && i < n; i++)
		at[i] = use_of(r, i, &lo);
	return at && ret->idle_before;
}

static bool put_rank(const struct rank *r, struct accounts *a)
{
	uint32_t device = r->lane->device;

	for (size_t i = 0; i < r->lane->n_tiles; i++)
		a->notes.n_graphs += tile_time(r, i).n_graphs;
	if (a->from & WL_FROM(DEVICE_ACCOUNTS))
		a->device[device] = (struct wl_device_account){ device, window_account(r) };
	return (!(a->from & WL_FROM(ITER_ACCOUNTS)) || put_tiles(r, &a->iters[device])) &&
	       (!(a->from & WL_FROM(ITER_USE)) || put_strip(r, &a->strip[a->n_strips++]));
}

static bool put_ranks(struct accounts *a)
{
	const struct wl_ledger *ledger = a->view->ledger;
	size_t at = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < ledger->n; i++) {
		struct wl_arena scratch;
		struct rank r = { .of = a, .lane = &ledger->lane[i] };

		wl_arena_init_child(&scratch, a->arena);
		ok = take_ops(&r, &at, &scratch) && put_rank(&r, a);
		wl_arena_release(&scratch);
	}
	return ok;
}

static bool find_accounts(const struct wl_facts_job *job, const struct wl_scope *scope,
			  uint64_t from, struct wl_arena *arena, struct wl_derived *view)
{
	size_t n = job->trace.n_devices;
	struct wl_device_accounts *devices = WL_NEW(arena, struct wl_device_accounts, 1);
	struct wl_iter_accounts *iters = WL_NEW(arena, struct wl_iter_accounts, 1);
	struct wl_iter_uses *uses = WL_NEW(arena, struct wl_iter_uses, 1);
	struct accounts a = { .job = job,
			      .scope = scope,
			      .arena = arena,
			      .view = view,
			      .from = from,
			      .device = WL_NEW(arena, struct wl_device_account, n),
			      .iters = WL_NEW(arena, struct wl_device_iters, n),
			      .strip = WL_NEW(arena, struct wl_iter_strip, n) };

	if (!devices || !iters || !uses || !a.device || !a.iters || !a.strip || !put_ranks(&a))
		return false;
	*devices = (struct wl_device_accounts){ a.device, a.notes };
	*iters = (struct wl_iter_accounts){ a.iters, a.notes };
	*uses = (struct wl_iter_uses){ a.strip, a.n_strips };
	view->device_accounts = devices;
	view->iter_accounts = iters;
	view->iter_use = uses;
	return true;
}

bool wl_facts_account(const struct wl_facts_job *job, const struct wl_scope *scope, uint64_t from,
		      struct wl_arena *arena, struct wl_derived *view)
{
	const uint64_t accounts =
		WL_FROM(DEVICE_ACCOUNTS) | WL_FROM(ITER_ACCOUNTS) | WL_FROM(ITER_USE);

	/* Most verbs want none, and a job has the arrivals of all its ranks. */
	return !(from & accounts) || find_accounts(job, scope, from, arena, view);
}

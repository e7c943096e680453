/* SPDX-License-Identifier: MIT */
#include "session/facts_time.h"

#include <string.h>

#include "analysis/axes.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/exposed/exposure.h"
#include "derive/ledger/ledger.h"
#include "derive/nvtx/ranks.h"

/* A rank, and what communicates there. */
struct rank {
	const struct wl_run *run;
	const struct wl_analysis *asked;
	const struct wl_ledger_lane *lane; /* its number is that of device and process, too */
	const struct wl_interval *op;      /* in order of begin */
	size_t n_ops;
	struct wl_interval *part; /* room for as many */
	struct wl_intervals compute;
};

/* Where a stretch of time went. */
struct account {
	wl_ns length, compute, exposed_comm, exposed_copy;
	struct wl_exposure comm;
};

/* Puts the rows of one rank. */
typedef void put_fn(const struct rank *r, struct wl_table *out);

/* Arrivals are by rank: those of one follow each other. *at moves on. */
static bool take_ops(struct rank *r, size_t *at, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &r->run->derived->matches->queues;
	size_t lo = *at;
	struct wl_interval *list;

	while (*at < q->n_ops && q->op[*at].place == r->lane->device)
		++*at;
	r->n_ops = *at - lo;
	list = WL_NEW(arena, struct wl_interval, r->n_ops);
	for (size_t i = 0; list && i < r->n_ops; i++)
		list[i] = (struct wl_interval){ q->op[lo + i].start, wl_comm_end(&q->op[lo + i]) };
	r->op = list ? wl_intervals_sort(list, r->n_ops, arena) : NULL;
	r->part = list;
	return r->op && wl_activity_intervals(&r->run->derived->activity->device[r->lane->device],
					      WL_ON_COMPUTE, NULL, arena, &r->compute);
}

/* Add what communicates in a stretch; calls come in order of time, *lo moves on. */
static void add_comm(const struct rank *r, struct wl_interval in, size_t *lo,
		     struct wl_exposure *to)
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
	to->exposed += e.exposed;
	to->n_comm += e.n_comm;
	wl_comm_parts_join(&to->parts, &e.parts);
}

/* What communicates in the rest of the window: before, between and after the steps. */
static void add_rest(const struct rank *r, struct wl_exposure *to)
{
	const struct wl_interval *window = &r->run->scope->device[r->lane->device];
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

static struct account account_of(const struct wl_tile *tile)
{
	return (struct account){ .length = tile->length,
				 .compute = tile->compute,
				 .exposed_comm = tile->loss[WL_LOSS_EXPOSED_COMM],
				 .exposed_copy = tile->loss[WL_LOSS_EXPOSED_COPY] };
}

static wl_ns idle_of(const struct account *a)
{
	wl_ns idle = a->length - a->compute - a->exposed_comm - a->exposed_copy;

	/* Sums are on the clock of the rank, and the window is on that of the job. */
	return idle > 0 ? idle : 0;
}

/* Graphs that were replayed as a whole, as compute, may hide communication where none is seen. */
static bool knows_comm(const struct rank *r, const struct account *a)
{
	return a->comm.n_comm || a->compute == 0 || !r->run->trace->family[WL_F_GRAPHS].n;
}

static void put_ns(struct wl_table *out, const char *key, wl_ns v)
{
	wl_put_i64(out, wl_col_index(out, key), v);
}

static void put_rank(const struct rank *r, bool with_pid, struct wl_table *out)
{
	uint32_t i = r->lane->device;
	const struct wl_process *process = &r->run->trace->processes[i];

	put_ns(out, "device", i);
	if (with_pid && process->pid != WL_NONE)
		put_ns(out, "pid", process->pid);
	if (r->run->derived->ranks->of[i] >= 0)
		put_ns(out, "rank", r->run->derived->ranks->of[i]);
	wl_put_axes(out, r->asked->axes->first, r->run, i);
}

/* The parts that both verbs have. */
static void put_parts(const struct rank *r, const struct account *a, struct wl_table *out)
{
	put_ns(out, "compute", a->compute);
	put_ns(out, "exposed_copy", a->exposed_copy);
	put_ns(out, "idle", idle_of(a));
	if (knows_comm(r, a))
		put_ns(out, "exposed_comm", a->exposed_comm);
}

static void put_use(const struct rank *r, const struct account *a, struct wl_table *out)
{
	const struct wl_exposure *c = &a->comm;
	wl_ns busy = a->length - idle_of(a);

	put_parts(r, a, out);
	put_ns(out, "window", a->length);
	put_ns(out, "busy", busy);
	wl_put_ratio(out, wl_col_index(out, "busy_share"), busy, a->length);
	if (!knows_comm(r, a))
		return;
	put_ns(out, "comm", c->comm);
	put_ns(out, "overlapped_comm", c->comm - c->exposed);
	wl_put_ratio(out, wl_col_index(out, "overlap"), c->comm - c->exposed, c->comm);
	put_ns(out, "exposed_sum", c->parts.exposed_sum);
	if (c->parts.has_overlap) {
		wl_put_f64(out, wl_col_index(out, "overlap_min"), c->parts.overlap_min);
		wl_put_f64(out, wl_col_index(out, "overlap_max"), c->parts.overlap_max);
	}
}

static void put_device(const struct rank *r, struct wl_table *out)
{
	const struct wl_interval *window = &r->run->scope->device[r->lane->device];
	uint32_t name = r->run->trace->devices[r->lane->device].name;
	struct account all = { .length = window->end - window->begin };

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct account a = account_of(&r->lane->tile[i]);

		all.compute += a.compute;
		all.exposed_comm += a.exposed_comm;
		all.exposed_copy += a.exposed_copy;
	}
	wl_exposure_of_comm(&r->compute, r->op, r->n_ops, &all.comm);
	wl_table_row(out);
	if (name != WL_NONE)
		wl_put_str(out, wl_col_index(out, "name"), wl_str(r->run->trace, name));
	put_rank(r, false, out);
	put_use(r, &all, out);
}

/* The account of a step or of the rest, with what communicates. */
static struct account tile_account(const struct rank *r, const struct wl_tile *tile, size_t *lo)
{
	struct account a = account_of(tile);

	if (tile->iter == WL_NONE)
		add_rest(r, &a.comm);
	else
		add_comm(r, (struct wl_interval){ tile->begin, tile->end }, lo, &a.comm);
	return a;
}

static void put_steps(const struct rank *r, struct wl_table *out)
{
	size_t lo = 0;

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct wl_tile *tile = &r->lane->tile[i];
		const struct account a = tile_account(r, tile, &lo);

		wl_table_row(out);
		put_rank(r, true, out);
		if (tile->iter != WL_NONE)
			put_ns(out, "iter", tile->iter);
		put_use(r, &a, out);
	}
}

static void put_iters(const struct rank *r, struct wl_table *out)
{
	enum wl_axis axis;
	bool by_axis = wl_axis_asked(r->asked, r->run->arg, &axis);
	size_t lo = 0;

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct wl_tile *tile = &r->lane->tile[i];
		struct account a;

		if (tile->iter == WL_NONE)
			continue;
		a = tile_account(r, tile, &lo);
		wl_table_row(out);
		put_rank(r, true, out);
		put_ns(out, "iter", tile->iter);
		put_ns(out, "start", tile->begin);
		/* The last one ends with its last operation, but has no longest span of ranks. */
		if (tile->is_whole)
			put_ns(out, "period", tile->length);
		else if (!by_axis)
			put_ns(out, "span", tile->length);
		put_ns(out, "end", tile->end);
		put_parts(r, &a, out);
	}
}

static bool put_ranks(const struct wl_run *run, const struct wl_analysis *asked, put_fn *put,
		      struct wl_table *out)
{
	const struct wl_ledger *ledger = run->derived->ledger;
	size_t at = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < ledger->n; i++) {
		struct rank r = { .run = run, .asked = asked, .lane = &ledger->lane[i] };
		struct wl_arena scratch;

		wl_arena_init_child(&scratch, run->arena);
		ok = take_ops(&r, &at, &scratch);
		if (ok)
			put(&r, out);
		wl_arena_release(&scratch);
	}
	return ok;
}

static int need_steps(const struct wl_run *run, const struct wl_analysis *asked,
		      struct wl_err *reterr)
{
	for (size_t i = 0; i < run->derived->ledger->n; i++) {
		if (run->derived->ledger->lane[i].process != WL_NONE)
			return WL_OK;
	}
	return wl_fail(reterr, WL_E_NODATA, "%s: %s", asked->name, wl_no_iterations);
}

static int run_overlap(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("overlap");
	int64_t choice = run->arg[asked->axes->by].i64;
	const char *by = asked->params[asked->axes->by].choices[choice];
	bool by_step = strcmp(by, "iteration") == 0;
	int r = by_step ? need_steps(run, asked, reterr) : WL_OK;

	if (strcmp(by, "stream") == 0 || strcmp(by, "stage") == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "overlap --by %s: facts of several traces hold no operations of "
			       "streams and stages; ask the facts of a rank or the traces "
			       "themselves",
			       by);
	if (r < 0)
		return r;
	if (!put_ranks(run, asked, by_step ? put_steps : put_device, out))
		return wl_no_memory(asked, reterr);
	wl_table_note(out, "facts hold no kernels and copies: kernel_busy, copy and "
			   "overlapped_copy are not known");
	return WL_OK;
}

static bool has_flag(const struct wl_run *run, const struct wl_analysis *asked, const char *key)
{
	for (size_t i = 0; i < asked->n_params; i++) {
		if (strcmp(asked->params[i].key, key) == 0)
			return run->arg[i].flag;
	}
	return false;
}

static int run_iters(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("iters");
	int r = need_steps(run, asked, reterr);

	if (r < 0)
		return r;
	if (has_flag(run, asked, "steady"))
		return wl_fail(reterr, WL_E_USAGE,
			       "iters --steady: facts of several traces do not name the steady "
			       "iteration; ask the facts of a rank or the traces themselves");
	if (!put_ranks(run, asked, put_iters, out))
		return wl_no_memory(asked, reterr);
	wl_table_note(out, "facts hold no kernels and no kinds of steps: kernels, span but of last "
			   "iterations, idle_before, kind and what is compared with the median of "
			   "a kind are not known; the facts of a rank have them");
	return WL_OK;
}

/* The analysis itself reads what facts have; but without anything it would speak of the traces. */
static int run_nccl(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("nccl");

	if (run->derived->matches->queues.n_ops || run->trace->family[WL_F_GRAPHS].n)
		return asked->run(run, out, reterr);
	wl_table_note(out, "these facts have no communication of GPUs; they hold no MPI calls");
	return WL_OK;
}

bool wl_facts_adapt(struct wl_analysis *analysis)
{
	if (strcmp(analysis->name, "overlap") == 0)
		analysis->run = run_overlap;
	else if (strcmp(analysis->name, "iters") == 0)
		analysis->run = run_iters;
	else if (strcmp(analysis->name, "nccl") == 0)
		analysis->run = run_nccl;
	else
		return strcmp(analysis->name, "ranks") == 0;
	return true;
}

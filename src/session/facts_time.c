/* SPDX-License-Identifier: MIT */
#include "session/facts_time.h"

#include <string.h>

#include "analysis/axes.h"
#include "analysis/time/iters_notes.h"
#include "derive/comm/matches.h"
#include "derive/derived.h"
#include "derive/exposed/exposure.h"
#include "derive/graph/straggler.h"
#include "derive/iters/outliers.h"
#include "derive/iters/step_change.h"
#include "derive/ledger/ledger.h"
#include "derive/nvtx/ranks.h"
#include "session/facts_info.h"
#include "session/facts_job.h"

/* A rank, and what communicates there. */
struct rank {
	const struct wl_run *run;
	const struct wl_analysis *asked;
	const struct wl_ledger_lane *lane; /* its number is that of device and process, too */
	const struct wl_interval *op;      /* in order of begin */
	size_t n_ops;
	struct wl_interval *part; /* room for as many */
	struct wl_intervals compute;
	struct wl_arena *scratch;
	struct wl_iters_told *told; /* of iters: what it says of all ranks */
};

/* Where a stretch of time went. */
struct account {
	wl_ns length, compute, exposed_comm, exposed_copy, copy;
	wl_ns kernel_busy;
	size_t n_graphs; /* replays that were recorded whole */
	struct wl_exposure comm;
};

/* Puts the rows of one rank; false when the arena is exhausted. */
typedef bool put_fn(const struct rank *r, struct wl_table *out);

/* Arrivals are by rank: those of one follow each other. *at moves on. MPI calls stand behind all.
 */
static bool take_ops(struct rank *r, size_t *at, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &r->run->derived->matches->queues;
	size_t lo = *at, n = wl_facts_job_of(r->run)->facts->n[WL_FACTS_ARRIVALS];
	struct wl_interval *list;

	while (*at < n && q->op[*at].place == r->lane->device)
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

static size_t count_at(const struct wl_facts *f, enum wl_facts_column_id column, size_t row)
{
	uint32_t n = wl_facts_u32(f, column, row);

	return n == WL_NONE ? 0 : n;
}

/* What no step has of kernels and graphs. */
static void set_rest(const struct rank *r, struct account *a)
{
	const struct wl_facts_job *job = wl_facts_job_of(r->run);
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

static struct account account_of(const struct rank *r, size_t i)
{
	const struct wl_facts_job *job = wl_facts_job_of(r->run);
	const struct wl_tile *tile = &r->lane->tile[i];
	struct account a = { .length = tile->length,
			     .compute = tile->compute,
			     .exposed_comm = tile->loss[WL_LOSS_EXPOSED_COMM],
			     .exposed_copy = tile->loss[WL_LOSS_EXPOSED_COPY],
			     .copy = tile->copies };

	if (tile->iter != WL_NONE) {
		size_t row = wl_facts_job_step(job, r->lane, i);

		a.kernel_busy = wl_facts_length(job->facts, WL_FACTS_STEPS_KERNEL_BUSY, row);
		a.n_graphs = count_at(job->facts, WL_FACTS_STEPS_GRAPHS, row);
	} else if (r->run->scope->whole) {
		set_rest(r, &a);
	}
	return a;
}

static wl_ns idle_of(const struct account *a)
{
	wl_ns idle = a->length - a->compute - a->exposed_comm - a->exposed_copy;

	/* Sums are on the clock of the rank, and the window is on that of the job. */
	return idle > 0 ? idle : 0;
}

/* Graphs that were replayed as a whole, as compute, may hide communication where none is seen. */
static bool knows_comm(const struct account *a)
{
	return a->comm.n_comm || a->n_graphs == 0;
}

static void put_ns(struct wl_table *out, const char *key, wl_ns v)
{
	wl_put_i64(out, wl_col_index(out, key), v);
}

static void put_rank(const struct rank *r, bool with_pid, struct wl_table *out)
{
	uint32_t i = r->lane->device;

	put_ns(out, "device", i);
	if (with_pid)
		wl_put_pid(out, wl_col_index(out, "pid"), r->run, i);
	if (r->run->derived->ranks->of[i] >= 0)
		put_ns(out, "rank", r->run->derived->ranks->of[i]);
	wl_put_axes(out, r->asked->axes->first, r->run, i);
}

/* The parts that both verbs have. */
static void put_parts(const struct account *a, struct wl_table *out)
{
	put_ns(out, "compute", a->compute);
	put_ns(out, "exposed_copy", a->exposed_copy);
	put_ns(out, "idle", idle_of(a));
	if (knows_comm(a))
		put_ns(out, "exposed_comm", a->exposed_comm);
}

static void put_use(const struct account *a, struct wl_table *out)
{
	const struct wl_exposure *c = &a->comm;
	wl_ns busy = a->length - idle_of(a);

	put_parts(a, out);
	put_ns(out, "window", a->length);
	put_ns(out, "busy", busy);
	wl_put_ratio(out, wl_col_index(out, "busy_share"), busy, a->length);
	put_ns(out, "kernel_busy", a->kernel_busy);
	put_ns(out, "copy", a->copy);
	put_ns(out, "overlapped_copy", a->copy - a->exposed_copy);
	if (!knows_comm(a))
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

static bool put_device(const struct rank *r, struct wl_table *out)
{
	const struct wl_interval *window = &r->run->scope->device[r->lane->device];
	uint32_t name = r->run->trace->devices[r->lane->device].name;
	struct account all = { .length = window->end - window->begin };
	size_t lo = 0;

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct account a = account_of(r, i);

		all.compute += a.compute;
		all.exposed_comm += a.exposed_comm;
		all.exposed_copy += a.exposed_copy;
		all.copy += a.copy;
		all.kernel_busy += a.kernel_busy;
		all.n_graphs += a.n_graphs;
	}
	if (r->run->scope->whole)
		wl_exposure_of_comm(&r->compute, r->op, r->n_ops, &all.comm);
	else
		add_comm(r, *window, &lo, &all.comm);
	wl_table_row(out);
	if (name != WL_NONE)
		wl_put_str(out, wl_col_index(out, "name"), wl_str(r->run->trace, name));
	put_rank(r, false, out);
	put_use(&all, out);
	return true;
}

/* The account of a step or of the rest, with what communicates. */
static struct account tile_account(const struct rank *r, size_t i, size_t *lo)
{
	const struct wl_tile *tile = &r->lane->tile[i];
	struct account a = account_of(r, i);

	if (tile->iter == WL_NONE)
		add_rest(r, &a.comm);
	else
		add_comm(r, (struct wl_interval){ tile->begin, tile->end }, lo, &a.comm);
	return a;
}

static bool put_steps(const struct rank *r, struct wl_table *out)
{
	size_t lo = 0;

	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		const struct wl_tile *tile = &r->lane->tile[i];
		const struct account a = tile_account(r, i, &lo);

		/* An empty window has no rows. */
		if (a.length == 0)
			continue;
		wl_table_row(out);
		put_rank(r, true, out);
		if (tile->iter != WL_NONE)
			put_ns(out, "iter", tile->iter);
		put_use(&a, out);
	}
	return true;
}

/* By iteration of a rank. */
struct found {
	const bool *outlier;
	const wl_ns *idle_before;
};

static bool find_iters(const struct rank *r, const struct wl_process_iters *p, struct found *ret)
{
	const struct wl_facts_job *job = wl_facts_job_of(r->run);
	wl_ns *before = WL_NEW(r->scratch, wl_ns, p->n);

	for (size_t i = 0; before && i < p->n; i++) {
		size_t row = job->first_step[r->lane->device] + i;

		before[i] = WL_NO_TIME;
		if (wl_facts_i64(job->facts, WL_FACTS_STEPS_IDLE_BEFORE, row) != WL_FACTS_NONE)
			before[i] = wl_facts_length(job->facts, WL_FACTS_STEPS_IDLE_BEFORE, row);
	}
	*ret = (struct found){ wl_outliers_find(p, r->scratch), before };
	return ret->outlier && before;
}

static void put_iteration(const struct wl_process_iters *p, size_t i, const struct found *f,
			  struct wl_table *out)
{
	const struct wl_iteration *it = &p->at[i];

	put_ns(out, "start", it->tile.begin);
	if (!it->is_last) {
		put_ns(out, "period", it->tile.end - it->tile.begin);
		wl_put_ratio(out, wl_col_index(out, "vs_median"), it->tile.end - it->tile.begin,
			     wl_usual_period(p, i));
	}
	put_ns(out, "span", it->last_end - it->tile.begin);
	put_ns(out, "outlier", f->outlier[i]);
	if (it->kind != WL_STEP_NONE)
		wl_put_str(out, wl_col_index(out, "kind"), wl_step_kind_name(it->kind));
	if (f->idle_before[i] != WL_NO_TIME)
		put_ns(out, "idle_before", f->idle_before[i]);
	put_ns(out, "end", it->is_last ? it->last_end : it->tile.end);
}

static void put_change(const struct wl_step_change *c, size_t process, size_t i,
		       struct wl_table *out)
{
	if (wl_step_is_tested(c, process, i))
		put_ns(out, "changed", wl_step_side_of(c, process, i) == WL_STEP_CHANGED);
}

/* Keep the longest time that was lost before an iteration, though a period before it has it. */
static void note_delay(struct wl_iters_told *told, const struct wl_process_iters *p,
		       const struct found *f, uint32_t i)
{
	struct wl_delayed d = wl_delayed_by(p, f->idle_before, i);

	if (d.is_before && d.idle > told->delayed.idle)
		told->delayed = d;
}

static bool put_iters(const struct rank *r, struct wl_table *out)
{
	const struct wl_facts_job *job = wl_facts_job_of(r->run);
	const struct wl_process_iters *p = &r->run->derived->iterations->process[r->lane->device];
	struct found f;
	size_t lo = 0;

	if (!find_iters(r, p, &f))
		return false;
	for (size_t i = 0; i < r->lane->n_tiles; i++) {
		uint32_t iter = r->lane->tile[i].iter, at;
		struct account a;
		size_t row;

		if (iter == WL_NONE)
			continue;
		row = wl_facts_job_step(job, r->lane, i);
		at = (uint32_t)(row - job->first_step[r->lane->device]);
		if (r->told->is_steady && at != p->steady)
			continue;
		a = tile_account(r, i, &lo);
		wl_table_row(out);
		put_rank(r, true, out);
		put_ns(out, "iter", iter);
		put_iteration(p, at, &f, out);
		put_change(r->run->derived->step_change, r->lane->device, at, out);
		put_parts(&a, out);
		put_ns(out, "kernels", (int64_t)count_at(job->facts, WL_FACTS_STEPS_KERNELS, row));
		r->told->n_graphs += a.n_graphs;
		if (f.outlier[at])
			note_delay(r->told, p, &f, at);
	}
	return true;
}

static bool put_ranks(const struct wl_run *run, const struct wl_analysis *asked, put_fn *put,
		      struct wl_iters_told *told, struct wl_table *out)
{
	const struct wl_ledger *ledger = run->derived->ledger;
	size_t at = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < ledger->n; i++) {
		struct wl_arena scratch;
		struct rank r = { .run = run,
				  .asked = asked,
				  .lane = &ledger->lane[i],
				  .scratch = &scratch,
				  .told = told };

		wl_arena_init_child(&scratch, run->arena);
		ok = take_ops(&r, &at, &scratch) && put(&r, out);
		wl_arena_release(&scratch);
	}
	return ok;
}

static bool note_steps(const struct wl_run *run, struct wl_table *out)
{
	const char *const *note = wl_iterations_notes(run->trace, run->derived->iterations,
						      run->scope->process_on, run->arena);

	wl_table_say_steps(out, false, note);
	return note != NULL;
}

static int run_overlap(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("overlap");
	int64_t choice = run->arg[asked->axes->by].i64;
	const char *by = asked->params[asked->axes->by].choices[choice];
	bool by_step = strcmp(by, "iteration") == 0;

	if (strcmp(by, "stream") == 0 || strncmp(by, "stage", 5) == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "overlap --by %s: facts of several traces hold no operations of "
			       "streams and stages; ask the facts of a rank or the traces "
			       "themselves",
			       by);
	if (by_step && run->derived->iterations->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	if (!put_ranks(run, asked, by_step ? put_steps : put_device, NULL, out) ||
	    (by_step && !note_steps(run, out)))
		return wl_no_memory(asked, reterr);
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
	struct wl_iters_told told = { .run = run,
				      .all = run->derived->iterations,
				      .is_steady = has_flag(run, asked, "steady") };

	if (told.all->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "%s", wl_no_iterations);
	if (!put_ranks(run, asked, put_iters, &told, out) || !wl_iters_put_notes(&told, out))
		return wl_no_memory(asked, reterr);
	return WL_OK;
}

/* The analysis reads what facts have; where MPI calls were not kept it would say that there are
 * none. */
static int run_nccl(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_analysis *asked = wl_analysis_get("nccl");
	enum wl_axis axis;

	if (run->derived->matches->queues.n_ops || run->trace->family[WL_F_GRAPHS].n ||
	    !run->derived->stragglers->no_mpi)
		return asked->run(run, out, reterr);
	wl_table_note(out, "%s", wl_no_mpi_in_facts);
	return wl_axis_asked(asked, run->arg, &axis) ? wl_axis_check(asked, axis, run, reterr)
						     : WL_OK;
}

struct way {
	const char *name;
	enum wl_facts_way way;
	/* NULL: it reads what facts have. */
	int (*run)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
};

static struct way find_way(const struct wl_analysis *analysis)
{
	static const struct way all[] = {
		{ "ranks", WL_FACTS_RUN, NULL },
		{ "budget", WL_FACTS_RUN, NULL },
		{ "clocks", WL_FACTS_RUN, NULL },
		{ "overlap", WL_FACTS_RUN, run_overlap },
		{ "iters", WL_FACTS_RUN, run_iters },
		{ "nccl", WL_FACTS_RUN, run_nccl },
		{ "files", WL_FACTS_RUN, wl_facts_files },
		{ "gpus", WL_FACTS_RUN, wl_facts_gpus },
		{ "processes", WL_FACTS_RUN, wl_facts_processes },
		{ "findings", WL_FACTS_FIND, NULL },
		{ "path", WL_FACTS_FOLLOW, NULL },
	};

	for (size_t i = 0; i < WL_COUNT(all); i++) {
		if (strcmp(analysis->name, all[i].name) == 0)
			return all[i];
	}
	return (struct way){ analysis->name, WL_FACTS_NO_WAY, NULL };
}

enum wl_facts_way wl_facts_way_of(const struct wl_analysis *analysis)
{
	return find_way(analysis).way;
}

enum wl_facts_way wl_facts_adapt(struct wl_analysis *analysis)
{
	const struct way way = find_way(analysis);

	if (way.run) {
		analysis->run = way.run;
		analysis->lacks = NULL; /* it asks what facts do not have */
	}
	return way.way;
}

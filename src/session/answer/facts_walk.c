/* SPDX-License-Identifier: MIT */
#include "session/answer/facts_walk.h"

#include <stdio.h>
#include <string.h>

#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/hosts.h"
#include "derive/comm/match/matches.h"
#include "derive/graph/late/straggler.h"
#include "derive/graph/path.h"
#include "derive/nvtx/ranks.h"

/* One visit: what the traces that are open have to do with the job. */
struct visit {
	struct wl_facts_following *of;
	const struct wl_run *run;
	uint32_t *rank_of;     /* by place: its rank in the job; WL_NONE */
	uint32_t *first_rank;  /* by process: the first of its ranks; WL_NONE */
	struct wl_comm_op *op; /* of the traces, with matches of the job */
	struct wl_matches matches;
	struct wl_ranks ranks;
	struct wl_graph graph;
	struct wl_derived derived;
	struct wl_path path;
};
/* ---- Places of the traces ---- */

/* How many other devices of its process come before that of a place. */
static size_t order_of(const struct wl_trace *t, const struct wl_place *place)
{
	uint32_t before = WL_NONE;
	size_t n = 0;

	/* The largest that is smaller, from there on down. */
	for (uint32_t below = place->device;; below = before, n++) {
		before = WL_NONE;
		for (size_t i = 0; i < t->n_places; i++) {
			const struct wl_place *p = &t->places[i];

			if (p->process == place->process && p->device < below &&
			    (before == WL_NONE || p->device > before))
				before = p->device;
		}
		if (before == WL_NONE)
			return n;
	}
}

/* Ranks of one process are in the order of devices. */
static uint32_t rank_at(const struct visit *v, const struct wl_place *place)
{
	const struct wl_trace *t = v->run->trace, *job = &v->of->job->trace;
	const struct wl_process *p = &t->processes[place->process];
	uint32_t file = wl_facts_path_file(v->of, wl_str(t, t->files[p->file].path));
	size_t order = order_of(t, place);

	for (uint32_t i = 0; file != WL_NONE && i < job->n_processes; i++) {
		if (job->processes[i].file == file && job->processes[i].pid == p->pid &&
		    order-- == 0)
			return i;
	}
	return WL_NONE;
}

static bool map_places(struct visit *v, struct wl_arena *arena)
{
	const struct wl_trace *t = v->run->trace;
	int64_t *of = WL_NEW(arena, int64_t, t->n_processes);

	v->rank_of = WL_NEW(arena, uint32_t, t->n_places);
	v->first_rank = WL_NEW(arena, uint32_t, t->n_processes);
	if (!of || !v->rank_of || !v->first_rank)
		return false;
	for (size_t i = 0; i < t->n_processes; i++) {
		of[i] = -1;
		v->first_rank[i] = WL_NONE;
	}
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		v->rank_of[i] = p->device == WL_NONE ? WL_NONE : rank_at(v, p);
		if (v->rank_of[i] == WL_NONE)
			continue;
		of[p->process] = v->of->job->derived.ranks->of[v->rank_of[i]];
		if (v->rank_of[i] < v->first_rank[p->process])
			v->first_rank[p->process] = v->rank_of[i];
	}
	v->ranks.of = of;
	return true;
}

/* ---- The walk ---- */

/* The matches of the job, with the operations that the traces have of them. */
static bool map_matches(struct visit *v, struct wl_arena *arena)
{
	const struct wl_comm_queues *q = &v->run->derived->matches->queues;
	const struct wl_comm_queues *all = &v->of->ops.matches->queues;
	uint32_t *of_trace = WL_NEW(arena, uint32_t, all->n_ops);

	v->op = WL_NEW(arena, struct wl_comm_op, q->n_ops);
	if (!v->op || !of_trace)
		return false;
	for (size_t i = 0; i < all->n_ops; i++)
		of_trace[i] = WL_NONE;
	for (uint32_t i = 0; i < q->n_ops; i++) {
		uint32_t rank = v->rank_of[q->op[i].place];
		uint32_t op =
			rank == WL_NONE ? WL_NONE : wl_facts_ops_find(&v->of->ops, rank, &q->op[i]);

		v->op[i] = q->op[i];
		v->op[i].match = op == WL_NONE ? WL_NONE : all->op[op].match;
		if (op != WL_NONE)
			of_trace[op] = i;
	}
	v->matches = *v->of->job->derived.matches;
	v->matches.queues = *q;
	v->matches.queues.op = v->op;
	return wl_facts_ops_messages(&v->of->ops, of_trace, q->n_ops, arena, &v->matches.messages);
}

static bool walk(struct visit *v, struct wl_arena *arena)
{
	v->derived = *v->run->derived;
	v->graph = *v->run->derived->graph;
	v->derived.matches = &v->matches;
	v->derived.ranks = &v->ranks;
	v->derived.graph = &v->graph;
	v->derived.host_clocks = v->of->job->derived.host_clocks;
	v->derived.path = &v->path;
	return wl_graph_meet(&v->derived, arena, &v->graph) &&
	       wl_path_find(&v->derived, arena, &v->path);
}

/* ---- What it should have visited ---- */

static bool is_same_host(const struct visit *v, uint32_t a, uint32_t b)
{
	const uint32_t *host = v->of->job->derived.hosts->of;

	return host[a] == host[b];
}

/* The last member to arrive at the collective that a segment is in, of all ranks; NULL. */
static const struct wl_comm_op *last_at(const struct visit *v, size_t segment)
{
	const struct wl_graph *g = &v->graph;
	uint32_t activity = v->path.activity[segment], slot = wl_graph_slot(g, activity);

	if (v->path.class[segment] != WL_PATH_TRANSFER || slot == WL_NONE)
		return NULL;
	return wl_facts_ops_last(&v->of->ops, g->slot[slot].meeting, wl_graph_end(g, activity));
}

static bool is_open(const struct visit *v, const struct wl_comm_op *op)
{
	return v->of->is_open[wl_facts_path_file_of(v->of, op->place)];
}

/* The file that a segment in a collective leads to and that is not open; WL_NONE. */
static uint32_t missing_at(const struct visit *v, size_t segment)
{
	const struct wl_comm_op *last = last_at(v, segment);
	const struct wl_graph *g = &v->graph;
	uint32_t activity = v->path.activity[segment], own;
	wl_ns late;

	if (!last || is_open(v, last))
		return WL_NONE;
	own = activity < g->n_ops ? v->rank_of[wl_graph_place(g, activity)]
				  : v->first_rank[wl_graph_process(g, activity)];
	late = last->start - wl_graph_start(g, activity);
	if (own == WL_NONE ||
	    late <= (is_same_host(v, own, last->place) ? 0 : v->derived.host_clocks->error))
		return WL_NONE;
	return wl_facts_path_file_of(v->of, last->place);
}

/*
 * The path stays on its rank where another arrives later by less than clocks of hosts can say. That
 * one need not be open, but slack is up to its arrival.
 */
static bool find_last(struct visit *v, struct wl_arena *arena)
{
	const struct wl_graph *g = &v->graph;
	wl_ns *last = WL_NEW(arena, wl_ns, v->path.n);

	for (size_t i = 0; last && i < v->path.n; i++) {
		const struct wl_comm_op *op = last_at(v, i);
		uint32_t slot = wl_graph_slot(g, v->path.activity[i]);

		if (slot != WL_NONE && g->slot[slot].released)
			last[i] = wl_graph_last_arrival(g, slot);
		if (op && !is_open(v, op) && op->start > last[i])
			last[i] = op->start;
	}
	v->path.last = last;
	return last != NULL;
}

/* From the end of the path on: what lies before a rank that is missing is another path. */
static uint32_t find_missing(const struct visit *v)
{
	uint32_t missing = WL_NONE;

	for (size_t i = v->path.n; i > 0 && missing == WL_NONE; i--)
		missing = missing_at(v, i - 1);
	return missing;
}

/* ---- The answer ---- */

/* The number of a device in the job. */
static int64_t device_of(const struct visit *v, int64_t device)
{
	const struct wl_trace *t = v->run->trace;

	for (size_t i = 0; i < t->n_places; i++) {
		if (t->places[i].device == device && v->rank_of[i] != WL_NONE)
			return v->rank_of[i];
	}
	return device;
}

static void copy_cell(const struct visit *v, const struct wl_table *from, size_t row, size_t col)
{
	const struct wl_cell cell = wl_table_at(from, row, col);
	const struct wl_col *c = &from->cols[col];
	struct wl_table *to = v->of->ret;

	/* What all GPUs of the job have on average is not known. */
	if (!cell.set || strcmp(c->key, "mean") == 0 || strcmp(c->key, "imbalance") == 0)
		return;
	if (wl_type_is_text(c->type))
		wl_put_copy(to, col, cell.str);
	else if (wl_type_is_real(c->type))
		wl_put_f64(to, col, cell.f64);
	else
		wl_put_i64(to, col,
			   strcmp(c->key, "device") == 0 ? device_of(v, cell.i64) : cell.i64);
}

static void note_opened(const struct wl_facts_following *w)
{
	char list[160] = "";
	size_t n = 0, named = 0;

	for (size_t i = 0; i < w->job->trace.n_files; i++) {
		if (!w->is_open[i] || named == 4)
			continue;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%.30s", named ? ", " : "",
				      w->name[i]);
		named++;
	}
	wl_table_note(w->ret,
		      "opened %zu of %zu traces, those that the critical path runs through: %s%s",
		      w->n_open, w->job->trace.n_files, list, named < w->n_open ? ", ..." : "");
	wl_table_note(w->ret,
		      "not known without the other traces: mean, imbalance, savings, and the "
		      "slack of their ranks");
}

/* The windows of the ranks of the job as those of the devices and processes of the traces. */
static bool narrow(const struct visit *v, struct wl_scope *ret)
{
	const struct wl_scope *all = v->of->asked->scope;
	const struct wl_trace *t = v->run->trace;
	struct wl_interval *device = WL_NEW(v->run->arena, struct wl_interval, t->n_devices);
	struct wl_interval *process = WL_NEW(v->run->arena, struct wl_interval, t->n_processes);
	bool *device_on = WL_NEW(v->run->arena, bool, t->n_devices);
	bool *process_on = WL_NEW(v->run->arena, bool, t->n_processes);
	bool *place_on = WL_NEW(v->run->arena, bool, t->n_places);

	*ret = (struct wl_scope){ false, device, device_on, place_on, process, process_on };
	if (!device || !process || !device_on || !process_on || !place_on)
		return false;
	for (size_t i = 0; i < t->n_places; i++) {
		uint32_t rank = v->rank_of[i], at = t->places[i].device;

		if (rank == WL_NONE)
			continue;
		place_on[i] = all->place_on[rank];
		device_on[at] = all->device_on[rank];
		device[at] = all->device[rank];
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		uint32_t rank = v->first_rank[i];

		if (rank == WL_NONE)
			continue;
		process_on[i] = all->process_on[rank];
		process[i] = all->process[rank];
	}
	return true;
}

static int answer(const struct visit *v, struct wl_err *reterr)
{
	const struct wl_facts_following *w = v->of;
	struct wl_analysis verb = *w->verb;
	struct wl_run run = *v->run;
	struct wl_scope scope;
	struct wl_table table;
	int r;

	/* That others are not open is said below; what clocks say is of these alone. */
	verb.across_ranks = false;
	run.derived = &v->derived;
	run.arg = w->asked->arg;
	if (!w->asked->scope->whole && !narrow(v, &scope))
		return wl_facts_path_no_memory(reterr);
	run.scope = w->asked->scope->whole ? v->run->scope : &scope;
	r = wl_analysis_run(&verb, &run, &table, reterr);
	if (r < 0)
		return r;
	wl_table_init(w->ret, w->arena, w->verb->cols, w->verb->n_cols);
	w->ret->hidden = table.hidden;
	for (size_t i = 0; i < table.n_rows; i++) {
		wl_table_row(w->ret);
		for (size_t c = 0; c < table.n_cols; c++)
			copy_cell(v, &table, i, c);
	}
	for (const struct wl_note *note = table.notes; note; note = note->next)
		wl_table_copy_note(w->ret, note);
	note_opened(w);
	return w->ret->failed ? wl_facts_path_no_memory(reterr) : WL_OK;
}

static bool has_mpi(const struct wl_comm_queues *q)
{
	for (size_t i = 0; i < q->n; i++) {
		if (wl_comm_is_mpi(&q->queue[i]))
			return true;
	}
	return false;
}

int wl_facts_path_visit(struct wl_facts_following *w, const struct wl_run *run,
			struct wl_err *reterr)
{
	struct visit v = { .of = w, .run = run };

	if (w->job->derived.stragglers->no_mpi && has_mpi(&run->derived->matches->queues))
		return wl_facts_path_ask_traces(
			w, "they do not hold all MPI calls, which ranks wait in", reterr);
	if (!map_places(&v, run->arena) || !map_matches(&v, run->arena) || !walk(&v, run->arena))
		return wl_facts_path_no_memory(reterr);
	w->missing = find_missing(&v);
	if (w->missing != WL_NONE)
		return WL_OK;
	return find_last(&v, run->arena) ? answer(&v, reterr) : wl_facts_path_no_memory(reterr);
}

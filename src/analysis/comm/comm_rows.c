/* SPDX-License-Identifier: MIT */
#include "analysis/comm/comm_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/links.h"
#include "base/process/pool.h"
#include "derive/comm/hosts.h"
#include "derive/comm/payloads.h"
#include "derive/derived.h"

static bool name_groups(struct wl_comm_rows *r)
{
	const struct wl_matches *m = r->matches;
	bool ok;

	r->group = WL_NEW(r->run->arena, const char *, m->n_groups);
	ok = r->group != NULL;
	for (uint32_t i = 0; ok && i < m->n_groups; i++) {
		r->group[i] = wl_comm_group_name(m, i, r->run->arena);
		ok = r->group[i] != NULL;
	}
	return ok;
}

static bool name_members(struct wl_comm_rows *r)
{
	enum { CAP = 32 }; /* room for "rank " and any number */
	const struct wl_matches *m = r->matches;
	char *text = WL_NEW(r->run->arena, char, CAP * m->n_members);

	r->member = WL_NEW(r->run->arena, const char *, m->n_members);
	for (size_t i = 0; text && r->member && i < m->n_members; i++) {
		int64_t rank = r->ranks->of[m->member[i].process];

		r->member[i] = text + i * CAP;
		if (rank >= 0)
			(void)snprintf(text + i * CAP, CAP, "rank %" PRId64, rank);
		else
			(void)snprintf(text + i * CAP, CAP, "GPU %" PRIu32, m->member[i].device);
	}
	return text && r->member;
}

bool wl_comm_rows_init(struct wl_comm_rows *r, const struct wl_run *run)
{
	*r = (struct wl_comm_rows){ .run = run,
				    .ranks = run->derived->ranks,
				    .matches = run->derived->matches };
	return name_groups(r) && name_members(r);
}

bool wl_comm_admits(const struct wl_comm_rows *r, const struct wl_comm_op *op, wl_ns *ret_start,
		    wl_ns *ret_end)
{
	const struct wl_scope *scope = r->run->scope;

	*ret_start = op->start;
	*ret_end = wl_comm_end(op);
	return scope->place_on[op->place] &&
	       wl_clip(scope, scope->device[r->run->trace->places[op->place].device], ret_start,
		       ret_end);
}

static enum wl_visit visit(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct wl_comm_rows *r = ctx;
	const struct wl_comm_op *op = &r->matches->queues.op[row];
	wl_ns start, end;

	if (!wl_comm_admits(r, op, &start, &end))
		return WL_VISIT_SKIP;
	*ret_group = op->queue;
	*ret_value = end - start;
	return WL_VISIT_TAKE;
}

/* How long a queue waited for each member, and which groups it is matched in. */
struct lateness {
	wl_ns *by;        /* by member */
	uint32_t *member; /* the members that it waited for */
	size_t n;
	size_t *in_group; /* by group: 1 + the last queue matched in it; 0: none yet */
};

static void add_lateness(struct lateness *late, uint32_t member, wl_ns by)
{
	if (by > 0 && late->by[member] == 0)
		late->member[late->n++] = member;
	late->by[member] = wl_add_up(late->by[member], by);
}

/* Pipeline neighbours communicate in several groups. */
static void add_group(struct lateness *late, size_t queue, uint32_t group, struct wl_comm_waits *w)
{
	if (late->in_group[group] == queue + 1)
		return;
	late->in_group[group] = queue + 1;
	if (w->n_groups < WL_COUNT(w->group))
		w->group[w->n_groups] = group;
	w->n_groups++;
}

/* Adds the wait of an operation of a queue. */
static void add_wait(const struct wl_matches *m, const struct wl_comm_op *op, struct lateness *late,
		     struct wl_comm_waits *w)
{
	const struct wl_match *match = &m->at[op->match];

	add_lateness(late, m->member_of[m->set[match->set].queue[match->last]], op->late);
	add_group(late, op->queue, m->set[match->set].group, w);
	w->n++;
	w->transfer = wl_add_up(w->transfer, match->shortest);
	w->wait = wl_add_up(w->wait, wl_match_wait(m, op));
	w->late = wl_add_up(w->late, op->late);
	/* A rate covers operations whose bytes are known: the others would add only time. */
	if (op->bytes >= 0) {
		w->n_sized++;
		w->bytes = wl_add_up(w->bytes, op->bytes);
		w->moving = wl_add_up(w->moving, match->shortest);
	}
	if (m->set[match->set].queue[match->last] != op->queue)
		return;
	w->n_last++;
	if (m->set[match->set].by_message)
		return;
	w->caused = wl_add_up(w->caused, match->caused);
	w->alone = wl_add_up(w->alone, match->alone);
}

/* Returns the member with the most lateness, the lowest rank among equals, and clears it all. */
static uint32_t take_longest(const struct wl_comm_rows *r, struct lateness *late)
{
	uint32_t best = WL_NONE;
	wl_ns most = 0;

	for (size_t i = 0; i < late->n; i++) {
		uint32_t member = late->member[i];

		if (late->by[member] > most ||
		    (late->by[member] == most &&
		     wl_member_is_before(r->matches, r->ranks, member, best))) {
			most = late->by[member];
			best = member;
		}
		/*
		 * Clear only what was set: the cost is linear in operations, not in queues times
		 * members.
		 */
		late->by[member] = 0;
	}
	late->n = 0;
	return best;
}

static bool add_waits(struct wl_comm_rows *r)
{
	const struct wl_matches *m = r->matches;
	const struct wl_comm_queues *q = &m->queues;
	struct lateness late = { .by = WL_NEW(r->run->arena, wl_ns, m->n_members),
				 .member = WL_NEW(r->run->arena, uint32_t, m->n_members),
				 .in_group = WL_NEW(r->run->arena, size_t, m->n_groups) };
	bool ok = late.by && late.member && late.in_group;

	for (size_t i = 0; ok && i < q->n; i++) {
		struct wl_comm_waits *w = &r->waits[i];

		for (size_t k = q->queue[i].lo; m->set_of[i] != WL_NONE && k < q->queue[i].hi;
		     k++) {
			wl_ns start, end;

			/*
			 * Durations are not clipped: at the edge of a window, the operations of one
			 * match would differ by the cut, not by the wait.
			 */
			if (q->op[k].match != WL_NONE && wl_comm_admits(r, &q->op[k], &start, &end))
				add_wait(m, &q->op[k], &late, w);
		}
		w->longest = take_longest(r, &late);
	}
	return ok;
}

/*
 * A call that waits for a message has its own match, in the set of the waiting queue. It waits for
 * the queue at the other end, which gets the blame here.
 */
static void add_blame(struct wl_comm_rows *r)
{
	const struct wl_matches *m = r->matches;

	for (size_t i = m->messages.first; i < m->messages.first + m->messages.n; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		const struct wl_match *match = op->match == WL_NONE ? NULL : &m->at[op->match];
		struct wl_comm_waits *w;
		wl_ns start, end;

		if (!match || !m->set[match->set].by_message ||
		    !wl_comm_admits(r, op, &start, &end))
			continue;
		w = &r->waits[m->set[match->set].queue[match->last]];
		w->caused = wl_add_up(w->caused, match->caused);
		w->alone = wl_add_up(w->alone, match->alone);
	}
}

struct on_device {
	const struct wl_comm_rows *rows;
	uint32_t first; /* queue of the device */
};

static uint32_t group_of(void *ctx, const struct wl_op *op)
{
	const struct on_device *d = ctx;
	const struct wl_run *run = d->rows->run;
	enum wl_collective type;
	uint64_t comm;

	if (wl_class_of(run->trace, run->derived->classes, op->family, op->row) != WL_COMM)
		return WL_NO_GROUP;
	type = wl_collective_of(run->trace, run->derived->collectives, op->family, op->row);
	comm = op->family == WL_F_KERNELS ? wl_payload_of(run->derived->payloads, op->row).comm
					  : WL_NO_U64;
	return wl_comm_queue_of(&d->rows->matches->queues, op->place, type, comm) - d->first;
}

static bool find_device(void *ctx, size_t device, struct wl_arena *arena)
{
	struct wl_comm_rows *r = ctx;
	const struct wl_comm_queues *q = &r->matches->queues;
	size_t stream = wl_streams_from_device(r->run->trace, &q->streams, (uint32_t)device);
	struct on_device d = { .rows = r };
	struct wl_exposures e;

	if (!r->run->scope->device_on[device] || stream == q->streams.n)
		return true;
	d.first = q->first[stream * WL_N_COLLECTIVES];
	if (!wl_exposure_find(r->run->trace, r->run->scope, r->run->derived->classes,
			      &r->run->derived->all_activity->device[device], group_of, &d, arena,
			      &e))
		return false;
	for (size_t i = 0; i < e.n; i++)
		r->exposure[d.first + i] = e.group[i];
	return true;
}

bool wl_comm_has_no_rows(const struct wl_comm_rows *r)
{
	return r->matches->queues.n && !r->matches->queues.first;
}

/* Finds the exposure of a queue without rows: its operations themselves say when they run. */
static bool find_queue(void *ctx, size_t i, struct wl_arena *arena)
{
	struct wl_comm_rows *r = ctx;
	const struct wl_comm_queue *q = &r->matches->queues.queue[i];
	const struct wl_activity *activity = &r->run->derived->all_activity->device[q->device];
	struct wl_interval *list;
	struct wl_intervals compute;
	struct wl_arena scratch;
	size_t n = 0;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	list = WL_NEW(&scratch, struct wl_interval, q->hi - q->lo);
	ok = list &&
	     wl_activity_intervals(activity, WL_ON_COMPUTE,
				   r->run->scope->whole ? NULL : &r->run->scope->device[q->device],
				   &scratch, &compute);
	for (size_t k = q->lo; ok && k < q->hi; k++)
		n += wl_comm_admits(r, &r->matches->queues.op[k], &list[n].begin, &list[n].end);
	list = ok ? wl_intervals_sort(list, n, &scratch) : NULL;
	ok = list != NULL;
	if (ok)
		wl_exposure_of_comm(&compute, list, n, &r->exposure[i]);
	wl_arena_release(&scratch);
	return ok;
}

static bool find_exposure(struct wl_comm_rows *r)
{
	const struct wl_run *run = r->run;

	if (wl_comm_has_no_rows(r))
		return wl_pool_map(run->pool, r->matches->queues.n, find_queue, r, run->arena);
	return wl_pool_map(run->pool, run->trace->n_devices, find_device, r, run->arena);
}

bool wl_comm_rows_find(struct wl_comm_rows *r)
{
	const struct wl_run *run = r->run;
	const struct wl_comm_queues *q = &r->matches->queues;

	r->exposure = WL_NEW(run->arena, struct wl_exposure, q->n);
	r->waits = WL_NEW(run->arena, struct wl_comm_waits, q->n);
	r->stats = wl_stats_by_group(q->n_ops, visit, r, run->arena, &r->n_stats);
	/*
	 * Statistics end with the last queue that has an operation in the window: n_stats may be
	 * less than the number of queues.
	 */
	if (!r->exposure || !r->waits || !r->stats || !find_exposure(r) || !add_waits(r))
		return false;
	add_blame(r);
	return true;
}

static void put_stream(struct wl_table *out, const struct wl_place *p)
{
	if (p->context != WL_NONE)
		wl_put_i64(out, WL_COMM_CONTEXT, p->context);
	if (p->stream != WL_NONE)
		wl_put_i64(out, WL_COMM_STREAM, p->stream);
}

static void put_communicator(struct wl_table *out, const struct wl_comm_queue *q)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%s0x%016" PRIx64, wl_comm_is_mpi(q) ? "MPI " : "",
		       q->comm);
	wl_put_copy(out, WL_COMM_COMMUNICATOR, text);
}

bool wl_comm_has_clock(const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_matches *m = r->matches;

	return !m->group[m->set[m->set_of[queue]].group].no_clock;
}

void wl_comm_put_queue(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_trace *t = r->run->trace;
	const struct wl_comm_queue *q = &r->matches->queues.queue[queue];

	wl_table_row(out);
	wl_put_i64(out, WL_COMM_DEVICE, q->device);
	wl_put_pid(out, WL_COMM_PID, r->run, q->process);
	if (r->ranks->of[q->process] >= 0)
		wl_put_i64(out, WL_COMM_RANK, r->ranks->of[q->process]);
	wl_put_axes(out, WL_COMM_AXES, r->run, q->process);
	if (!wl_comm_is_mpi(q) && !wl_comm_has_no_rows(r))
		put_stream(out, &t->places[r->matches->queues.streams.place[q->stream]]);
	if (q->comm != WL_NO_U64)
		put_communicator(out, q);
	wl_put_str(out, WL_COMM_TYPE,
		   wl_comm_is_mpi(q) ? wl_str(t, q->function) : wl_collective_title(q->type));
}

/*
 * The size recorded when it was created, or else the number of members found: too few if ranks are
 * missing or unmatched, which makes algbw and busbw wrong.
 */
static size_t size_of_comm(const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_comm_queue *q = &r->matches->queues.queue[queue];
	size_t n = wl_comm_is_mpi(q) ? 0 : wl_comm_ranks(r->run->derived->payloads, q->comm);

	return n ? n : r->matches->set[r->matches->set_of[queue]].n;
}

void wl_comm_put_group(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue,
		       uint32_t group)
{
	wl_put_str(out, WL_COMM_GROUP, r->group[group]);
	wl_put_i64(out, WL_COMM_SIZE, (int64_t)size_of_comm(r, queue));
}

void wl_comm_put_groups(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_comm_waits *w = &r->waits[queue];
	char text[256];
	size_t n = 0;

	if (w->n_groups < 2) {
		wl_comm_put_group(out, r, queue, r->matches->set[r->matches->set_of[queue]].group);
		return;
	}
	for (size_t i = 0; i < w->n_groups && i < WL_COUNT(w->group); i++) {
		int len = snprintf(text + n, sizeof(text) - n, "%s%s", i ? "; " : "",
				   r->group[w->group[i]]);

		n += len > 0 && (size_t)len < sizeof(text) - n ? (size_t)len : 0;
	}
	if (w->n_groups > WL_COUNT(w->group))
		(void)snprintf(text + n, sizeof(text) - n, " and %zu more",
			       w->n_groups - WL_COUNT(w->group));
	wl_put_copy(out, WL_COMM_GROUP, text);
	wl_put_i64(out, WL_COMM_SIZE, (int64_t)size_of_comm(r, queue));
}

/*
 * The NVLink bandwidth of the slowest member; 0 if members are on several hosts or missing, if one
 * has no NVLink, and for MPI calls, whose messages need not go from GPU to GPU.
 */
static double slowest_link(const struct wl_comm_rows *r, uint32_t queue)
{
	const struct wl_matches *m = r->matches;
	const struct wl_match_set *set = &m->set[m->set_of[queue]];
	const uint32_t *host = r->run->derived->hosts->of;
	const struct wl_comm_queue *own = &m->queues.queue[queue];
	double least = 0;

	if (wl_comm_is_mpi(own) || set->n < size_of_comm(r, queue))
		return 0;
	for (size_t k = 0; k < set->n; k++) {
		const struct wl_comm_queue *q = &m->queues.queue[set->queue[k]];
		double link = wl_device_nvlink(r->run->trace, q->device);

		if (link <= 0 || host[q->process] != host[own->process])
			return 0;
		least = k == 0 || link < least ? link : least;
	}
	return least;
}

void wl_comm_put_bytes(struct wl_table *out, const struct wl_comm_rows *r, uint32_t queue,
		       int64_t bytes, wl_ns moving)
{
	enum wl_collective type = r->matches->queues.queue[queue].type;
	size_t n = size_of_comm(r, queue);
	double rate, link;

	wl_put_i64(out, WL_COMM_BYTES, bytes);
	if (moving <= 0)
		return;
	rate = wl_collective_volume(type, bytes, n) * 1e9 / (double)moving;
	wl_put_f64(out, WL_COMM_ALGBW, rate);
	rate *= wl_collective_bus_factor(type, n);
	wl_put_f64(out, WL_COMM_BUSBW, rate);
	link = slowest_link(r, queue);
	if (link > 0)
		wl_put_f64(out, WL_COMM_LINK_SHARE, rate / link);
}

/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/mpi_queues.h"

#include <string.h>

#include "base/memory/sort.h"

/* A call that waits for other ranks. */
struct call {
	struct wl_comm_op op;
	uint32_t stream; /* the first stream of its process's member; it represents the member */
	uint32_t name;
	uint64_t comm;
};

struct listing {
	const struct wl_trace *trace;
	const struct wl_mpi_calls *calls;
	const uint32_t *stream; /* by process: its first stream; WL_NONE if it uses no GPU */
	const struct wl_streams *streams;
	struct call *call; /* NULL during the counting pass */
	size_t n;
};

static const uint32_t *find_streams(const struct wl_trace *t, const struct wl_streams *s,
				    struct wl_arena *scratch)
{
	uint32_t *first = WL_NEW(scratch, uint32_t, t->n_processes);

	for (size_t i = 0; first && i < t->n_processes; i++)
		first[i] = WL_NONE;
	for (uint32_t i = 0; first && i < s->n; i++) {
		const struct wl_place *p = &t->places[s->place[i]];

		if (p->device != WL_NONE && first[p->process] == WL_NONE)
			first[p->process] = i;
	}
	return first;
}

unsigned wl_mpi_queue_type(const char *function)
{
	if (wl_mpi_message_of(function) != WL_MPI_NO_MESSAGE)
		return WL_SEND_RECV;
	return wl_mpi_is_collective(function) ? wl_collective_named(function) : WL_N_COLLECTIVES;
}

/* List the calls of one source; comm is NULL if it was not recorded. */
static void list_source(struct listing *l, const struct wl_mpi_source *s, const uint64_t *comm)
{
	const struct wl_trace *t = l->trace;
	const struct wl_thread_rows rows = s->rows;
	unsigned type = WL_N_COLLECTIVES;
	uint32_t known = WL_NONE;

	for (size_t i = 0; i < rows.n; i++) {
		uint32_t stream = l->stream[t->threads[rows.thread[i]].process];

		if (!wl_mpi_counts(l->calls, s, i))
			continue;
		/* Consecutive rows often have the same function. */
		if (s->name[i] != known)
			type = s->name[i] == WL_NONE ? WL_N_COLLECTIVES
						     : wl_mpi_queue_type(wl_str(t, s->name[i]));
		known = s->name[i];
		if (type == WL_N_COLLECTIVES || stream == WL_NONE)
			continue;
		if (l->call)
			l->call[l->n] = (struct call){
				.op = { .start = rows.start[i],
					.dur = wl_dur(rows.family, rows.dur, i),
					.bytes = s->bytes ? s->bytes[i] : -1,
					.match = WL_NONE,
					.row = (uint32_t)i,
					.place = l->streams->place[stream],
					.type = (uint8_t)type,
					.family = (uint8_t)s->family },
				.stream = stream,
				.name = known,
				.comm = comm ? comm[i] : WL_NO_U64,
			};
		l->n++;
	}
}

static void list_all(struct listing *l)
{
	l->n = 0;
	for (size_t i = 0; i < WL_N_MPI_SOURCES; i++) {
		const struct wl_mpi_source *s = &l->calls->of[i];

		list_source(l, s,
			    s->family == WL_F_MPI_COLLS ? wl_mpi_colls_comm(l->trace)
			    : s->family == WL_F_MPI_P2P ? wl_mpi_p2p_comm(l->trace)
							: NULL);
	}
}

/* < 0 when a's queue comes first. Compares text, because name ids depend on what else the trace
 * contains. */
static int compare_queues(const struct wl_trace *t, const struct call *a, const struct call *b)
{
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->name != b->name)
		return strcmp(wl_str(t, a->name), wl_str(t, b->name));
	return a->comm == b->comm ? 0 : a->comm < b->comm ? -1 : 1;
}

static bool call_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct listing *l = ctx;
	const struct wl_comm_op *x = &l->call[a].op, *y = &l->call[b].op;
	int order = compare_queues(l->trace, &l->call[a], &l->call[b]);

	if (order != 0)
		return order < 0;
	return wl_comm_end(x) != wl_comm_end(y) ? wl_comm_end(x) < wl_comm_end(y)
						: x->start < y->start;
}

static void put_queue(const struct listing *l, const struct call *call, size_t lo,
		      struct wl_comm_queue *ret)
{
	const struct wl_place *p = &l->trace->places[call->op.place];

	*ret = (struct wl_comm_queue){ .lo = lo,
				       .hi = lo,
				       .process = p->process,
				       .device = p->device,
				       .stream = WL_NONE,
				       .type = (enum wl_collective)call->op.type,
				       .function = call->name,
				       .comm = call->comm };
}

static bool put_all(const struct listing *l, const uint32_t *order, struct wl_arena *arena,
		    struct wl_mpi_queues *ret)
{
	ret->op = WL_NEW(arena, struct wl_comm_op, l->n);
	ret->queue = WL_NEW(arena, struct wl_comm_queue, l->n);
	if (!ret->op || !ret->queue)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		const struct call *call = &l->call[order[i]];

		if (i == 0 || compare_queues(l->trace, &l->call[order[i - 1]], call) != 0)
			put_queue(l, call, i, &ret->queue[ret->n++]);
		ret->op[i] = call->op;
		ret->queue[ret->n - 1].hi = i + 1;
	}
	ret->n_ops = l->n;
	return true;
}

bool wl_mpi_queues_find(const struct wl_mpi_calls *calls, const struct wl_streams *streams,
			struct wl_arena *arena, struct wl_mpi_queues *ret)
{
	struct listing l = { .trace = calls->trace, .calls = calls, .streams = streams };
	struct wl_arena scratch;
	uint32_t *order = NULL;
	bool ok;

	*ret = (struct wl_mpi_queues){ .n = 0 };
	wl_arena_init_child(&scratch, arena);
	l.stream = find_streams(l.trace, streams, &scratch);
	if (l.stream)
		list_all(&l);
	l.call = WL_NEW(&scratch, struct call, l.n);
	order = WL_NEW(&scratch, uint32_t, 2 * l.n);
	ok = l.stream && l.call && order;
	if (ok) {
		list_all(&l);
		wl_sort_all(order, l.n, call_less, &l);
		ok = put_all(&l, order, arena, ret);
	}
	wl_arena_release(&scratch);
	return ok;
}

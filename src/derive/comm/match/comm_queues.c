/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/comm_queues.h"

#include <string.h>

#include "base/memory/sort.h"
#include "derive/comm/match/mpi_queues.h"
#include "derive/comm/payloads.h"
#include "derive/derived.h"

/* A cell is a stream and a kind, numbered stream by stream. */
struct listing {
	const struct wl_trace *trace;
	const struct wl_classes *classes;
	const struct wl_collectives *collectives;
	const struct wl_payloads *payloads;
	const struct wl_mpi_calls *mpi_calls;
	const struct wl_streams *streams;
	size_t *next;              /* by cell: how many, then where the next operation goes */
	struct wl_stream_use *use; /* by stream: only what decides its class */
	uint32_t *first;           /* by cell: its queue, or where that would be */
	struct wl_comm_op *op;     /* NULL while they are counted */
};

static void put_op(struct listing *l, const struct wl_ops *ops, enum wl_family_id family, size_t i)
{
	enum wl_collective type = wl_collective_of(l->trace, l->collectives, family, i);
	size_t cell = (size_t)l->streams->of_place[ops->place[i]] * WL_N_COLLECTIVES + type;

	if (l->op)
		l->op[l->next[cell]] = (struct wl_comm_op){
			.start = ops->start[i],
			.dur = wl_dur(ops->family, ops->dur, i),
			.bytes = family == WL_F_KERNELS ? wl_payload_of(l->payloads, i).bytes : -1,
			.match = WL_NONE,
			.row = (uint32_t)i,
			.place = ops->place[i],
			.type = (uint8_t)type,
			.is_copy = family == WL_F_MEMCPYS,
		};
	l->next[cell]++;
}

static void list_family(struct listing *l, enum wl_family_id family)
{
	struct wl_ops ops = wl_trace_ops(l->trace, family);

	for (size_t i = 0; i < ops.n; i++) {
		bool is_comm = wl_class_of(l->trace, l->classes, family, i) == WL_COMM;

		if (is_comm)
			put_op(l, &ops, family, i);
		if (!l->op && family == WL_F_KERNELS) {
			struct wl_stream_use *use = &l->use[l->streams->of_place[ops.place[i]]];

			use->n_kernels++;
			use->n_comm += is_comm;
		}
	}
}

static void count_all(struct listing *l)
{
	struct wl_ops graphs = wl_trace_ops(l->trace, WL_F_GRAPHS);

	list_family(l, WL_F_KERNELS);
	list_family(l, WL_F_MEMCPYS);
	for (size_t i = 0; i < graphs.n; i++)
		l->use[l->streams->of_place[graphs.place[i]]].n_graphs++;
}

struct ops {
	const struct wl_comm_op *at;
	const struct wl_payloads *payloads;
};

static uint64_t comm_of(const struct wl_payloads *payloads, const struct wl_comm_op *op)
{
	return op->is_copy ? WL_NO_U64 : wl_payload_of(payloads, op->row).comm;
}

/* By communicator, then end. */
static bool comes_before(const struct ops *ops, const struct wl_comm_op *a,
			 const struct wl_comm_op *b)
{
	uint64_t ca = comm_of(ops->payloads, a), cb = comm_of(ops->payloads, b);
	wl_ns ea = wl_comm_end(a), eb = wl_comm_end(b);

	if (ca != cb)
		return ca < cb;
	return ea != eb ? ea < eb : a->start < b->start;
}

static bool op_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ops *ops = ctx;

	return comes_before(ops, &ops->at[a], &ops->at[b]);
}

/*
 * A stream is serial and has one communicator as a rule, so its operations are in order already
 * unless the file is odd.
 */
static bool put_in_order(const struct listing *l, struct wl_comm_op *at, size_t n,
			 struct wl_arena *arena)
{
	const struct ops ops = { at, l->payloads };
	struct wl_arena scratch;
	struct wl_comm_op *copy;
	uint32_t *order;
	size_t i = 1;

	/* Checked first, so that a sound file costs one pass and no memory. */
	while (i < n && !comes_before(&ops, &at[i], &at[i - 1]))
		i++;
	if (i >= n)
		return true;
	wl_arena_init_child(&scratch, arena);
	order = WL_NEW(&scratch, uint32_t, 2 * n);
	copy = WL_NEW(&scratch, struct wl_comm_op, n);
	for (uint32_t k = 0; order && k < n; k++)
		order[k] = k;
	if (order && copy) {
		wl_sort_index(order, n, order + n, op_less, &ops);
		for (size_t k = 0; k < n; k++)
			copy[k] = at[order[k]];
		for (size_t k = 0; k < n; k++)
			at[k] = copy[k];
	}
	wl_arena_release(&scratch);
	return order && copy;
}

/* By stream: its order among those of its member and class, which stand side by side. */
static void number_streams(const struct listing *l, uint32_t *order)
{
	uint32_t n[WL_N_STREAM_CLASSES] = { 0 };

	for (size_t s = 0; s < l->streams->n; s++) {
		const struct wl_place *p = &l->trace->places[l->streams->place[s]];
		const struct wl_place *q = &l->trace->places[l->streams->place[s ? s - 1 : 0]];

		/*
		 * Streams are listed by device and process, so a change of either begins another
		 * member.
		 */
		if (p->device != q->device || p->process != q->process)
			memset(n, 0, sizeof(n));
		order[s] = n[wl_stream_class_of(&l->use[s])]++;
	}
}

/* Turns counts into where each cell begins; returns how many operations there are. */
static size_t begin_cells(struct listing *l, size_t n_cells)
{
	size_t at = 0;

	for (size_t i = 0; i < n_cells; i++) {
		size_t count = l->next[i];

		l->next[i] = at;
		at += count;
	}
	return at;
}

/* Brings each cell into order; *ret_n is how many queues they are. */
static bool order_cells(const struct listing *l, struct wl_arena *arena, size_t *ret_n)
{
	size_t n_cells = l->streams->n * WL_N_COLLECTIVES, lo = 0;

	*ret_n = 0;
	for (size_t i = 0; i < n_cells; lo = l->next[i], i++) {
		if (!put_in_order(l, l->op + lo, l->next[i] - lo, arena))
			return false;
		for (size_t k = lo; k < l->next[i]; k++)
			*ret_n += k == lo || comm_of(l->payloads, &l->op[k]) !=
						     comm_of(l->payloads, &l->op[k - 1]);
	}
	return true;
}

/* Queues that are being put, of streams and of MPI calls. */
struct putting {
	struct wl_comm_queues *to;
	struct wl_comm_queue *queue;
	const struct wl_mpi_queues *mpi;
	size_t next; /* of the queues of MPI calls */
};

static void put_queue(struct putting *p, const struct wl_comm_queue *queue)
{
	for (size_t k = queue->lo; k < queue->hi; k++)
		p->to->op[k].queue = (uint32_t)p->to->n;
	p->queue[p->to->n++] = *queue;
}

/* Those of the members before this one; all of them for NULL. */
static void put_mpi_before(struct putting *p, const struct wl_place *place, size_t n_gpu_ops)
{
	for (; p->next < p->mpi->n; p->next++) {
		struct wl_comm_queue q = p->mpi->queue[p->next];

		if (place && (q.device > place->device ||
			      (q.device == place->device && q.process >= place->process)))
			break;
		q.lo += n_gpu_ops;
		q.hi += n_gpu_ops;
		put_queue(p, &q);
	}
}

/* The queues of a cell, whose operations are in order: one per communicator. */
static void put_cell(const struct listing *l, struct putting *put, struct wl_comm_queue queue,
		     size_t end)
{
	for (size_t lo = queue.lo, hi; lo < end; lo = hi) {
		queue.comm = comm_of(l->payloads, &l->op[lo]);
		for (hi = lo + 1; hi < end && comm_of(l->payloads, &l->op[hi]) == queue.comm;)
			hi++;
		queue.lo = lo;
		queue.hi = hi;
		put_queue(put, &queue);
	}
}

static void put_queues(struct listing *l, const uint32_t *order, struct putting *put)
{
	size_t n_cells = l->streams->n * WL_N_COLLECTIVES, lo = 0;
	size_t n_gpu_ops = put->to->n_ops - put->mpi->n_ops;

	for (size_t i = 0; i < n_cells; lo = l->next[i], i++) {
		size_t s = i / WL_N_COLLECTIVES;
		const struct wl_place *p = &l->trace->places[l->streams->place[s]];
		const struct wl_comm_queue queue = { .lo = lo,
						     .process = p->process,
						     .device = p->device,
						     .stream = (uint32_t)s,
						     .function = WL_NONE,
						     .type = (enum wl_collective)(i %
										  WL_N_COLLECTIVES),
						     .class = wl_stream_class_of(&l->use[s]),
						     .order = order[s] };

		put_mpi_before(put, p, n_gpu_ops);
		l->first[i] = (uint32_t)put->to->n;
		put_cell(l, put, queue, l->next[i]);
	}
	put_mpi_before(put, NULL, n_gpu_ops);
}

static bool put_all(struct listing *l, const uint32_t *order, struct wl_arena *arena,
		    struct putting *put)
{
	struct wl_comm_queues *ret = put->to;
	size_t n_gpu_ops = ret->n_ops, n_queues;

	ret->n_ops += put->mpi->n_ops;
	ret->op = l->op = WL_NEW(arena, struct wl_comm_op, ret->n_ops);
	ret->first = l->first = WL_NEW(arena, uint32_t, l->streams->n * WL_N_COLLECTIVES);
	if (!ret->op || !ret->first)
		return false;
	list_family(l, WL_F_KERNELS);
	list_family(l, WL_F_MEMCPYS);
	for (size_t i = 0; i < put->mpi->n_ops; i++)
		ret->op[n_gpu_ops + i] = put->mpi->op[i];
	if (!order_cells(l, arena, &n_queues))
		return false;
	ret->queue = put->queue = WL_NEW(arena, struct wl_comm_queue, n_queues + put->mpi->n);
	if (!ret->queue)
		return false;
	put_queues(l, order, put);
	return true;
}

static bool find(struct listing *l, struct wl_arena *arena, struct wl_arena *scratch,
		 struct wl_comm_queues *ret)
{
	size_t n_cells = l->streams->n * WL_N_COLLECTIVES;
	uint32_t *order = WL_NEW(scratch, uint32_t, l->streams->n);
	struct wl_mpi_queues mpi;

	l->next = WL_NEW(scratch, size_t, n_cells);
	l->use = WL_NEW(scratch, struct wl_stream_use, l->streams->n);
	if (!order || !l->next || !l->use ||
	    !wl_mpi_queues_find(l->mpi_calls, l->streams, scratch, &mpi))
		return false;
	count_all(l);
	number_streams(l, order);
	ret->n_ops = begin_cells(l, n_cells);
	return put_all(l, order, arena, &(struct putting){ .to = ret, .mpi = &mpi });
}

bool wl_comm_queues_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_comm_queues *ret)
{
	struct listing l = { .trace = derived->trace,
			     .classes = derived->classes,
			     .collectives = derived->collectives,
			     .payloads = derived->payloads,
			     .mpi_calls = derived->mpi_calls,
			     .streams = &ret->streams };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_comm_queues){ .n = 0 };
	if (!wl_streams_find(l.trace, arena, &ret->streams))
		return false;
	wl_arena_init_child(&scratch, arena);
	ok = find(&l, arena, &scratch, ret);
	wl_arena_release(&scratch);
	return ok;
}

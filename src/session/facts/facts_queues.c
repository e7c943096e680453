/* SPDX-License-Identifier: MIT */
/* facts_queues.c - arrivals and MPI calls of facts as queues of what communicates. */
#include <string.h>

#include "derive/comm/match/comm_queues.h"
#include "derive/comm/match/mpi_queues.h"
#include "session/facts/facts_calls.h"
#include "session/facts/facts_job_parts.h"

enum { NO_CODE = UINT8_MAX };

/* What the texts of kinds and classes of streams stand for. */
static bool make_codes(struct wl_facts_making *m)
{
	size_t n = m->f->texts.at.n + 1;

	m->type = WL_NEW(m->arena, uint8_t, n);
	m->class = WL_NEW(m->arena, uint8_t, n);
	for (uint32_t i = 0; m->type && m->class && i < n; i++) {
		const char *text = wl_facts_text(&m->f->texts, i);

		m->type[i] = m->class[i] = NO_CODE;
		for (unsigned k = 0; k < WL_N_COLLECTIVES; k++) {
			if (strcmp(text, wl_collective_key((enum wl_collective)k)) == 0)
				m->type[i] = (uint8_t)k;
		}
		for (unsigned k = 0; k < WL_N_STREAM_CLASSES; k++) {
			if (strcmp(text, wl_stream_class_name((enum wl_stream_class)k)) == 0)
				m->class[i] = (uint8_t)k;
		}
	}
	return m->type && m->class;
}

/* Two rows of arrivals are of one queue. */
static bool is_same_queue(const struct wl_facts *f, size_t a, size_t b)
{
	return wl_facts_u32(f, WL_FACTS_ARRIVALS_RANK, a) ==
		       wl_facts_u32(f, WL_FACTS_ARRIVALS_RANK, b) &&
	       wl_facts_u64(f, WL_FACTS_ARRIVALS_COMM, a) ==
		       wl_facts_u64(f, WL_FACTS_ARRIVALS_COMM, b) &&
	       wl_facts_u32(f, WL_FACTS_ARRIVALS_ROLE, a) ==
		       wl_facts_u32(f, WL_FACTS_ARRIVALS_ROLE, b) &&
	       wl_facts_u32(f, WL_FACTS_ARRIVALS_STREAM, a) ==
		       wl_facts_u32(f, WL_FACTS_ARRIVALS_STREAM, b) &&
	       wl_facts_u32(f, WL_FACTS_ARRIVALS_TYPE, a) ==
		       wl_facts_u32(f, WL_FACTS_ARRIVALS_TYPE, b);
}

static struct wl_comm_queue queue_at(const struct wl_facts_making *m, size_t row)
{
	uint32_t rank = wl_facts_u32(m->f, WL_FACTS_ARRIVALS_RANK, row);
	uint8_t type = m->type[wl_facts_u32(m->f, WL_FACTS_ARRIVALS_TYPE, row)];
	uint8_t class = m->class[wl_facts_u32(m->f, WL_FACTS_ARRIVALS_ROLE, row)];

	return (struct wl_comm_queue){
		.process = rank,
		.device = rank,
		.function = WL_NONE,
		.comm = wl_facts_u64(m->f, WL_FACTS_ARRIVALS_COMM, row),
		.type = type == NO_CODE ? WL_OTHER : (enum wl_collective)type,
		.class = class == NO_CODE ? 0 : (enum wl_stream_class) class,
		.order = wl_facts_u32(m->f, WL_FACTS_ARRIVALS_STREAM, row),
	};
}

/* Two rows of MPI calls are of one queue. */
static bool is_same_call(const struct wl_facts *f, size_t a, size_t b)
{
	return wl_facts_u32(f, WL_FACTS_MPI_CALLS_RANK, a) ==
		       wl_facts_u32(f, WL_FACTS_MPI_CALLS_RANK, b) &&
	       wl_facts_u32(f, WL_FACTS_MPI_CALLS_FUNCTION, a) ==
		       wl_facts_u32(f, WL_FACTS_MPI_CALLS_FUNCTION, b) &&
	       wl_facts_u64(f, WL_FACTS_MPI_CALLS_COMM, a) ==
		       wl_facts_u64(f, WL_FACTS_MPI_CALLS_COMM, b);
}

static struct wl_comm_queue call_queue_at(const struct wl_facts_making *m, size_t row)
{
	uint32_t rank = wl_facts_u32(m->f, WL_FACTS_MPI_CALLS_RANK, row);
	uint32_t function = wl_facts_u32(m->f, WL_FACTS_MPI_CALLS_FUNCTION, row);
	unsigned type = wl_mpi_queue_type(wl_facts_text(&m->f->texts, function));

	return (struct wl_comm_queue){
		.process = rank,
		.device = rank,
		.stream = WL_NONE,
		.function = function,
		.comm = wl_facts_u64(m->f, WL_FACTS_MPI_CALLS_COMM, row),
		.type = type == WL_N_COLLECTIVES ? WL_OTHER : (enum wl_collective)type,
	};
}

/* Queues under construction, and the next row of each of the two tables. */
struct listing {
	struct wl_facts_making *m;
	struct wl_comm_queue *queue; /* NULL while they are counted */
	size_t n, arrival, call;
};

static void put_op(const struct listing *l, size_t op, wl_ns start, wl_ns dur, int64_t bytes)
{
	const struct wl_comm_queue *queue = &l->queue[l->n - 1];

	l->m->start[op] = start;
	l->m->dur[op] = dur;
	l->m->op[op] = (struct wl_comm_op){
		.bytes = bytes >= 0 ? bytes : -1,
		.row = (uint32_t)op,
		.place = queue->device,
		.queue = (uint32_t)(l->n - 1),
		.type = (uint8_t)queue->type,
	};
}

static void list_arrivals(struct listing *l, uint32_t rank)
{
	const struct wl_facts_making *m = l->m;
	size_t first = l->arrival;

	for (; l->arrival < m->f->n[WL_FACTS_ARRIVALS] &&
	       wl_facts_u32(m->f, WL_FACTS_ARRIVALS_RANK, l->arrival) == rank;
	     l->arrival++) {
		size_t i = l->arrival;
		bool is_new = i == first || !is_same_queue(m->f, i - 1, i);

		l->n += is_new;
		if (!l->queue)
			continue;
		if (is_new) {
			l->queue[l->n - 1] = queue_at(m, i);
			l->queue[l->n - 1].lo = i;
		}
		l->queue[l->n - 1].hi = i + 1;
		put_op(l, i, wl_facts_time_at(m, WL_FACTS_ARRIVALS_BEGIN, i),
		       wl_facts_length_at(m, WL_FACTS_ARRIVALS_DUR, i),
		       wl_facts_i64(m->f, WL_FACTS_ARRIVALS_BYTES, i));
	}
}

/* Calls stand behind all operations of GPUs; their rows are those of the table. */
static void list_calls(struct listing *l, uint32_t rank)
{
	const struct wl_facts_making *m = l->m;
	size_t first = l->call, behind = m->f->n[WL_FACTS_ARRIVALS];

	for (; l->call < m->f->n[WL_FACTS_MPI_CALLS] &&
	       wl_facts_u32(m->f, WL_FACTS_MPI_CALLS_RANK, l->call) == rank;
	     l->call++) {
		size_t i = l->call;
		bool is_new = i == first || !is_same_call(m->f, i - 1, i);

		l->n += is_new;
		if (!l->queue)
			continue;
		if (is_new) {
			l->queue[l->n - 1] = call_queue_at(m, i);
			l->queue[l->n - 1].lo = behind + i;
		}
		l->queue[l->n - 1].hi = behind + i + 1;
		put_op(l, behind + i, wl_facts_time_at(m, WL_FACTS_MPI_CALLS_BEGIN, i),
		       wl_facts_length_at(m, WL_FACTS_MPI_CALLS_DUR, i),
		       wl_facts_i64(m->f, WL_FACTS_MPI_CALLS_BYTES, i));
		m->op[behind + i].row = (uint32_t)i;
		m->op[behind + i].family = (uint8_t)wl_facts_call_family(
			wl_facts_str(m->f, WL_FACTS_MPI_CALLS_KIND, i));
	}
}

/* Both tables are by rank, then by what makes a queue, then by their sequence. */
static void list_all(struct listing *l)
{
	l->n = l->arrival = l->call = 0;
	for (uint32_t i = 0; i < l->m->n; i++) {
		list_arrivals(l, i);
		list_calls(l, i);
	}
}

/* What matches of messages read of a trace: columns of the table. */
static void make_columns(struct wl_facts_making *m)
{
	const void **column = m->to->trace.column;

	column[WL_MPI_P2P_COMM] = wl_facts_column(m->f, WL_FACTS_MPI_CALLS_COMM);
	column[WL_MPI_P2P_TAG] = wl_facts_column(m->f, WL_FACTS_MPI_CALLS_TAG);
	column[WL_MPI_P2P_REMOTE] = wl_facts_column(m->f, WL_FACTS_MPI_CALLS_REMOTE);
}

bool wl_facts_make_queues(struct wl_facts_making *m, struct wl_comm_queues *ret)
{
	size_t n = m->f->n[WL_FACTS_ARRIVALS] + m->f->n[WL_FACTS_MPI_CALLS];
	struct listing l = { .m = m };

	if (!make_codes(m))
		return false;
	list_all(&l);
	l.queue = WL_NEW(m->arena, struct wl_comm_queue, l.n);
	m->op = WL_NEW(m->arena, struct wl_comm_op, n);
	m->start = WL_NEW(m->arena, wl_ns, n);
	m->dur = WL_NEW(m->arena, wl_ns, n);
	if (!l.queue || !m->op || !m->start || !m->dur)
		return false;
	list_all(&l);
	make_columns(m);
	*ret = (struct wl_comm_queues){ .op = m->op, .n_ops = n, .queue = l.queue, .n = l.n };
	return true;
}

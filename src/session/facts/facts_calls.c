/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_calls.h"

#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/comm/mpi_calls.h"

/*
 * Calls that facts of a rank have room for: they take 6 to 11 bytes each, of 60 kB and 1 kB for
 * each step.
 */
enum { CALLS_PER_RANK = 3000, CALLS_PER_STEP = 50 };

static const enum wl_family_id families[WL_N_MPI_KINDS] = { [WL_MPI_COLLECTIVE] = WL_F_MPI_COLLS,
							    [WL_MPI_P2P] = WL_F_MPI_P2P,
							    [WL_MPI_WAIT] = WL_F_MPI_WAITS,
							    [WL_MPI_OTHER] = WL_F_MPI_OTHERS };

enum wl_family_id wl_facts_call_family(const char *kind)
{
	for (unsigned i = 0; i < WL_N_MPI_KINDS; i++) {
		if (strcmp(kind, wl_mpi_kind_name((enum wl_mpi_kind)i)) == 0)
			return families[i];
	}
	return WL_F_MPI_OTHERS;
}

static const char *kind_of(const struct wl_comm_op *op)
{
	unsigned i = 0;

	while (i + 1 < WL_N_MPI_KINDS && families[i] != (enum wl_family_id)op->family)
		i++;
	return wl_mpi_kind_name((enum wl_mpi_kind)i);
}

void wl_facts_calls_want(struct wl_wanted *wanted)
{
	wl_columns_add(&wanted->columns, WL_MPI_P2P_TAG);
	wl_columns_add(&wanted->columns, WL_MPI_P2P_REMOTE);
}

/* What is known of the calls of a rank before they are put. */
struct calls {
	size_t n, most;
	uint32_t process;
	bool is_shared; /* by several processes */
};

static void count(const struct wl_comm_queues *q, const uint32_t *rank_of, struct calls *of)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct wl_comm_queue *queue = &q->queue[i];
		uint32_t rank = rank_of[queue->device];

		if (!wl_comm_is_mpi(queue) || rank == WL_NONE)
			continue;
		of[rank].is_shared |= of[rank].n && of[rank].process != queue->process;
		of[rank].process = queue->process;
		of[rank].n += queue->hi - queue->lo;
	}
}

static void put_call(const struct wl_run *run, const struct wl_comm_op *op, struct wl_facts *to)
{
	const uint64_t *tag = wl_mpi_p2p_tag(run->trace), *remote = wl_mpi_p2p_remote(run->trace);
	bool is_message = op->family == WL_F_MPI_P2P;

	wl_facts_put(to, WL_FACTS_MPI_CALLS_BEGIN, op->start);
	wl_facts_put(to, WL_FACTS_MPI_CALLS_DUR, op->dur);
	if (op->bytes >= 0)
		wl_facts_put(to, WL_FACTS_MPI_CALLS_BYTES, op->bytes);
	wl_facts_put_str(to, WL_FACTS_MPI_CALLS_KIND, kind_of(op));
	if (is_message && tag)
		wl_facts_put_u64(to, WL_FACTS_MPI_CALLS_TAG, tag[op->row]);
	if (is_message && remote)
		wl_facts_put_u64(to, WL_FACTS_MPI_CALLS_REMOTE, remote[op->row]);
}

static void put_queue(const struct wl_run *run, const struct wl_comm_queue *queue, uint32_t rank,
		      struct wl_facts *to)
{
	const struct wl_comm_op *op = run->derived->matches->queues.op;

	for (size_t i = queue->lo; i < queue->hi; i++) {
		wl_facts_row(to, WL_FACTS_MPI_CALLS);
		wl_facts_put(to, WL_FACTS_MPI_CALLS_RANK, rank);
		wl_facts_put_str(to, WL_FACTS_MPI_CALLS_FUNCTION,
				 wl_str(run->trace, queue->function));
		wl_facts_put_u64(to, WL_FACTS_MPI_CALLS_COMM, queue->comm);
		wl_facts_put(to, WL_FACTS_MPI_CALLS_SEQ, (int64_t)(i - queue->lo));
		put_call(run, &op[i], to);
	}
}

bool wl_facts_put_calls(const struct wl_run *run, const uint32_t *rank_of, struct wl_arena *scratch,
			struct wl_facts *to)
{
	const struct wl_comm_queues *q = &run->derived->matches->queues;
	size_t n = to->n[WL_FACTS_RANKS];
	struct calls *of = WL_NEW(scratch, struct calls, n);

	if (!of || to->failed)
		return false;
	for (size_t i = 0; i < n; i++)
		of[i].most = CALLS_PER_RANK;
	for (size_t i = 0; i < to->n[WL_FACTS_STEPS]; i++)
		of[wl_facts_u32(to, WL_FACTS_STEPS_RANK, i)].most += CALLS_PER_STEP;
	count(q, rank_of, of);
	for (size_t i = 0; i < n; i++)
		((uint32_t *)to->column[WL_FACTS_RANKS_MPI].data)[i] = (uint32_t)of[i].n;
	for (size_t i = 0; i < q->n; i++) {
		uint32_t rank = rank_of[q->queue[i].device];

		if (wl_comm_is_mpi(&q->queue[i]) && rank != WL_NONE && !of[rank].is_shared &&
		    of[rank].n <= of[rank].most)
			put_queue(run, &q->queue[i], rank, to);
	}
	return !to->failed;
}

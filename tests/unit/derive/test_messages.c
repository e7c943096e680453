/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/messages.h"

#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;
static const wl_ns step = 1000000;

/* Processes 1 to n have the ranks from 0 on, and a GPU each. */
static void ranks(struct mem *m, unsigned n)
{
	static const char *const name[] = { "rank=0", "rank=1", "rank=2", "rank=3" };

	mem_init(m);
	for (unsigned i = 0; i < n; i++) {
		MEM_OP(m, WL_F_KERNELS, .start = 0, .end = us, .pid = i + 1);
		MEM_NVTX(m, .start = 0, .end = 9, .pid = i + 1, .tid = 9, .name = name[i]);
	}
}

static void call(struct mem *m, unsigned rank, const char *name, wl_ns start, wl_ns end,
		 struct mem_p2p p)
{
	mem_mpi_p2p(m,
		    &(struct mem_call){ .start = start,
					.end = end,
					.pid = rank + 1,
					.tid = rank + 1,
					.name = name },
		    &p);
}

static const struct wl_matches *seal(struct mem *m)
{
	(void)mem_seal(m);
	return m->derived.matches;
}

/* The n-th call of a function of a rank, by end. */
static uint32_t find(const struct mem *m, unsigned rank, const char *function, size_t n)
{
	const struct wl_comm_queues *q = &m->derived.matches->queues;

	for (size_t i = 0; i < q->n; i++) {
		if (q->queue[i].device == rank && wl_comm_is_mpi(&q->queue[i]) &&
		    strcmp(wl_str(m->derived.trace, q->queue[i].function), function) == 0) {
			assert_true(q->queue[i].lo + n < q->queue[i].hi);
			return (uint32_t)(q->queue[i].lo + n);
		}
	}
	fail_msg("rank %u has no %s", rank, function);
	return WL_NONE;
}

static struct wl_partners partners(const struct mem *m, uint32_t op)
{
	return wl_partners_of(&m->derived.matches->messages, op);
}

static uint32_t last_member(const struct wl_matches *f, uint32_t op)
{
	const struct wl_match *match = &f->at[f->queues.op[op].match];

	return f->group[f->set[match->set].group].member[match->last];
}

/* A receive waits for the send of its tag that is as many in the order. */
TEST(a_receive_waits_for_its_send)
{
	WITH(struct mem, m, mem_release, ranks(&m, 2));
	const struct wl_matches *f;

	for (int i = 1; i <= 10; i++) {
		wl_ns at = i * step;

		call(&m, 0, "MPI_Send", at + 30 * us, at + 41 * us, (struct mem_p2p){ 7, 5, 1 });
		call(&m, 0, "MPI_Send", at + 50 * us, at + 51 * us, (struct mem_p2p){ 7, 6, 1 });
		call(&m, 1, "MPI_Recv", at, at + 40 * us, (struct mem_p2p){ 7, 5, 0 });
		call(&m, 1, "MPI_Recv", at + 60 * us, at + 62 * us, (struct mem_p2p){ 7, 6, 0 });
	}
	f = seal(&m);
	assert_int_equal(f->n, 40);
	for (size_t i = 0; i < 20; i++) {
		uint32_t send = find(&m, 0, "MPI_Send", i), receive = find(&m, 1, "MPI_Recv", i);
		const struct wl_comm_op *op = f->queues.op;

		assert_int_equal(partners(&m, send).to, receive);
		assert_int_equal(partners(&m, receive).from, send);
		/* A message that was sent before it is asked for is there. */
		assert_int_equal(op[receive].late, i % 2 ? 0 : 30 * us);
		assert_int_equal(op[send].late, 0);
		assert_int_equal(last_member(f, receive), i % 2);
		assert_int_equal(f->at[op[receive].match].alone, i % 2 ? 0 : 30 * us);
		assert_int_equal(wl_match_wait(f, &op[receive]), i % 2 ? us : 29 * us);
	}
}

/* Each sends to the next and then to the one before, with one tag; rank 2 arrives 50 us late. */
static void ring(struct mem *m, unsigned n, int n_steps, uint64_t comm)
{
	for (int i = 1; i <= n_steps; i++) {
		for (unsigned r = 0; r < n; r++) {
			wl_ns at = i * step, late = r == 2 ? 50 * us : 0;
			bool waits = r >= 1 && r <= 3;
			struct mem_p2p up = { comm ? comm : r + 1, 0, (r + 1) % n };
			struct mem_p2p down = { comm ? comm : r + 1, 0, (r + n - 1) % n };

			call(m, r, "MPI_Sendrecv", at + late, at + (waits ? 60 : 10) * us, up);
			call(m, r, "MPI_Sendrecv", at + 100 * us, at + 110 * us, down);
		}
	}
}

static void check_ring(const struct mem *m, unsigned n, int n_steps)
{
	const struct wl_matches *f = m->derived.matches;

	for (size_t i = 0; i < 2 * (size_t)n_steps; i++) {
		for (unsigned r = 0; r < n; r++) {
			uint32_t op = find(m, r, "MPI_Sendrecv", i);
			uint32_t next = find(m, (r + 1) % n, "MPI_Sendrecv", i);
			uint32_t before = find(m, (r + n - 1) % n, "MPI_Sendrecv", i);
			bool is_victim = i % 2 == 0 && (r == 1 || r == 3);

			assert_int_equal(partners(m, op).to, i % 2 ? before : next);
			assert_int_equal(partners(m, op).from, i % 2 ? next : before);
			assert_int_equal(f->queues.op[op].late, is_victim ? 50 * us : 0);
			if (is_victim)
				assert_int_equal(last_member(f, op), 2);
		}
	}
}

TEST(an_exchange_has_two_other_ends)
{
	WITH(struct mem, m, mem_release, ranks(&m, 4));
	const struct wl_matches *f;

	ring(&m, 4, 12, 7);
	f = seal(&m);
	assert_int_equal(f->n, 96);
	assert_int_equal(f->n_sets, 4);
	assert_int_equal(f->n_groups, 4);
	for (size_t i = 0; i < f->n_groups; i++)
		assert_int_equal(f->group[i].n, 3);
	check_ring(&m, 4, 12);
}

/* Handles are a process's own; where each has one, it is the same communicator. */
TEST(handles_may_differ)
{
	WITH(struct mem, m, mem_release, ranks(&m, 4));

	ring(&m, 4, 12, 0);
	assert_int_equal(seal(&m)->n, 96);
	check_ring(&m, 4, 12);
}

/* Rank 1 was recorded 3 steps later. */
TEST(cut_captures_are_shifted)
{
	WITH(struct mem, m, mem_release, ranks(&m, 2));
	const struct wl_matches *f;

	for (int i = 1; i <= 20; i++) {
		wl_ns at = i * step;

		call(&m, 0, "MPI_Sendrecv", at + 30 * us, at + 41 * us,
		     (struct mem_p2p){ 7, 0, 1 });
		call(&m, 0, "MPI_Send", at + 60 * us, at + 61 * us, (struct mem_p2p){ 7, 1, 1 });
		if (i <= 3)
			continue;
		call(&m, 1, "MPI_Sendrecv", at, at + 40 * us, (struct mem_p2p){ 7, 0, 0 });
		call(&m, 1, "MPI_Recv", at + 50 * us, at + 62 * us, (struct mem_p2p){ 7, 1, 0 });
	}
	f = seal(&m);
	assert_int_equal(f->n, 4 * 17);
	for (size_t i = 0; i < 17; i++) {
		uint32_t op = find(&m, 1, "MPI_Sendrecv", i);

		assert_int_equal(partners(&m, op).from, find(&m, 0, "MPI_Sendrecv", i + 3));
		assert_int_equal(f->queues.op[op].late, 30 * us);
	}
}

/* At the edge of a grid MPI_PROC_NULL is sent to, and nothing is received. */
TEST(an_edge_has_one_end)
{
	WITH(struct mem, m, mem_release, ranks(&m, 3));
	const struct wl_matches *f;

	for (int i = 1; i <= 10; i++) {
		for (int r = 0; r < 3; r++)
			call(&m, (unsigned)r, "MPI_Sendrecv", i * step, i * step + 10 * us,
			     (struct mem_p2p){ 7, 0, r < 2 ? r + 1 : -2 });
	}
	f = seal(&m);
	assert_int_equal(f->n, 30);
	assert_int_equal(partners(&m, find(&m, 0, "MPI_Sendrecv", 4)).from, WL_NONE);
	assert_int_equal(partners(&m, find(&m, 2, "MPI_Sendrecv", 4)).to, WL_NONE);
	assert_int_equal(partners(&m, find(&m, 2, "MPI_Sendrecv", 4)).from,
			 find(&m, 1, "MPI_Sendrecv", 4));
}

/* Ranks 2 and 3 are 0 and 1 of their own communicator: nobody can say whose messages these are. */
TEST(numbers_of_another_communicator_are_no_ranks)
{
	WITH(struct mem, m, mem_release, ranks(&m, 4));
	const struct wl_matches *f;

	for (int i = 1; i <= 10; i++) {
		for (unsigned r = 0; r < 4; r++)
			call(&m, r, "MPI_Sendrecv", i * step, i * step + 10 * us,
			     (struct mem_p2p){ 7, 0, r % 2 ? 0 : 1 });
	}
	f = seal(&m);
	assert_int_equal(f->n, 20);
	for (size_t i = 0; i < 10; i++) {
		assert_false(partners(&m, find(&m, 2, "MPI_Sendrecv", i)).is_all);
		assert_false(partners(&m, find(&m, 3, "MPI_Sendrecv", i)).is_all);
	}
}

/* What comes from any source, waits for requests and calls without arguments stay alone. */
TEST(what_names_nobody_is_not_matched)
{
	WITH(struct mem, m, mem_release, ranks(&m, 2));
	const struct wl_matches *f;
	size_t n = 0;

	for (unsigned r = 0; r < 2; r++) {
		for (int i = 1; i <= 10; i++) {
			struct mem_call c = { .start = i * step,
					      .end = i * step + 10 * us,
					      .pid = r + 1,
					      .tid = r + 1,
					      .name = "MPI_Sendrecv" };

			mem_mpi_other(&m, &c);
			c.name = "MPI_Waitall";
			mem_mpi_wait(&m, &c);
			c.name = "MPI_Start";
			mem_mpi_wait(&m, &c);
			call(&m, r, "MPI_Isend", c.start, c.end, (struct mem_p2p){ 7, 0, 1 - r });
			call(&m, r, r ? "MPI_Recv" : "MPI_Send", c.start, c.end,
			     (struct mem_p2p){ 7, 0, r ? -1 : 1 });
		}
	}
	f = seal(&m);
	for (size_t i = 0; i < f->queues.n_ops; i++)
		n += f->queues.op[i].dur == 10 * us;
	assert_int_equal(n, 60);
	assert_int_equal(f->queues.n_ops, 60);
	assert_int_equal(f->n, 0);
}

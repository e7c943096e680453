/* SPDX-License-Identifier: MIT */
#include "derive/comm/match/matches.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

static const char all_reduce[] = "ncclDevKernel_AllReduce_x";
static const char send_recv[] = "ncclDevKernel_SendRecv_x";

static const wl_ns us = 1000;

struct matched {
	struct mem mem;
	const struct wl_matches *found;
};

static void comm(struct matched *m, unsigned pid, unsigned stream, wl_ns start, wl_ns end,
		 const char *name)
{
	MEM_OP(&m->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .stream = stream,
	       .name = name);
}

static const struct wl_matches *find(struct matched *m)
{
	(void)mem_seal(&m->mem);
	m->found = m->mem.derived.matches;
	assert_non_null(m->found);
	return m->found;
}

static size_t count_matched(const struct wl_matches *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->queues.n_ops; i++)
		n += m->queues.op[i].match != WL_NONE;
	return n;
}

static void expect_group(const struct wl_matches *m, uint32_t group, const char *name)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 12));

	assert_string_equal(wl_comm_group_name(m, group, &arena), name);
}

/* Three processes arrive at 0, 4 and 10 us; all leave at 30 us. */
TEST(who_arrives_last_makes_the_others_wait)
{
	const wl_ns arrival[] = { 0, 4 * us, 10 * us };
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned p = 0; p < 3; p++) {
		comm(&m, p + 1, 20, 100 * us + arrival[p], 130 * us, all_reduce);
		comm(&m, p + 1, 20, arrival[p], 30 * us, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_members, 3);
	assert_int_equal(f->n_groups, 1);
	expect_group(f, 0, "0-2");
	assert_int_equal(f->n, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(f->at[i].shortest, 20 * us);
		assert_int_equal(f->at[i].caused, 16 * us);
		assert_int_equal(f->at[i].alone, 6 * us);
		assert_int_equal(f->at[i].last, 2);
	}
	assert_int_equal(f->queues.op[0].late, 10 * us);
	assert_int_equal(wl_match_wait(f, &f->queues.op[0]), 10 * us);
	assert_int_equal(f->queues.op[2].late, 6 * us);
	assert_int_equal(f->queues.op[4].late, 0);
	mem_release(&m.mem);
}

/* Of those that arrive last together the first counts, and nobody alone. */
TEST(a_tie_goes_to_the_first_and_costs_nothing_alone)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	comm(&m, 1, 20, 0, 30 * us, all_reduce);
	comm(&m, 2, 20, 5 * us, 30 * us, all_reduce);
	comm(&m, 3, 20, 5 * us, 30 * us, all_reduce);
	f = find(&m);
	assert_int_equal(f->at[0].last, 1);
	assert_int_equal(f->at[0].alone, 0);
	assert_int_equal(f->at[0].caused, 5 * us);
	mem_release(&m.mem);
}

/* Processes 1 and 2 exchange 20 us, 3 and 4 200 us, and all begin at the same times. */
TEST(communicators_are_told_apart_by_their_ends)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned pid = 1; pid <= 4; pid++) {
		wl_ns transfer = (pid > 2 ? 200 : 20) * us;

		for (wl_ns k = 0; k < 12; k++)
			comm(&m, pid, 20, 1000 * us * k + (pid % 2 ? 0 : 10 * us),
			     1000 * us * k + 10 * us + transfer, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_groups, 2);
	expect_group(f, 0, "0-1");
	expect_group(f, 1, "2-3");
	assert_int_equal(f->n, 24);
	for (size_t i = 0; i < f->n; i++) {
		assert_int_equal(f->at[i].last, 1);
		assert_int_equal(f->at[i].alone, 10 * us);
		assert_int_equal(f->at[i].caused, 10 * us);
	}
	mem_release(&m.mem);
}

/* Stream 7 of one process and 15 of the other are the only ones with both kinds of kernels. */
TEST(the_role_of_a_stream_counts_and_not_its_number)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned pid = 1; pid <= 2; pid++) {
		unsigned stream = pid == 1 ? 7 : 15;

		comm(&m, pid, stream, 0, 5 * us, "gemm");
		comm(&m, pid, stream, 10 * us, 90 * us, all_reduce);
		/* These communicate only, and the first of one is the second of none. */
		comm(&m, pid, stream + 1, 200 * us, 230 * us, all_reduce);
		comm(&m, pid, stream + 2, 400 * us, 430 * us, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_sets, 3);
	assert_int_equal(f->n_groups, 1);
	assert_int_equal(count_matched(f), 6);
	mem_release(&m.mem);
}

TEST(what_does_not_overlap_is_no_match)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 10; k++) {
		comm(&m, 1, 20, 100 * us * k, 100 * us * k + 2 * us, all_reduce);
		comm(&m, 2, 20, 100 * us * k + 3 * us, 100 * us * k + 5 * us, all_reduce);
		comm(&m, 3, 20, 100 * us * k + 50 * us, 100 * us * k + 60 * us, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_members, 3);
	assert_int_equal(f->n_sets, 0);
	assert_int_equal(count_matched(f), 0);
	mem_release(&m.mem);
}

/* Both begin at once: whether they exchange or run in step, nobody can tell. */
TEST(ranks_in_step_are_matched_and_counted)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 33; k++) {
		comm(&m, 1, 7, 1000 * us * k, 1000 * us * k + 90 * us, send_recv);
		comm(&m, 2, 15, 1000 * us * k, 1000 * us * k + (90 + (k % 4) * 9) * us, send_recv);
	}
	f = find(&m);
	assert_int_equal(f->n_sets, 1);
	assert_int_equal(f->set[0].n_undecided, 1);
	assert_int_equal(wl_matches_in_step(f), 1);
	assert_int_equal(count_matched(f), 66);
	mem_release(&m.mem);
}

/*
 * Processes 1 and 2, and 3 and 4 leave together to 0.1 us; both pairs run the same program, within
 * 3 us. Any two processes agree better in their ends than in their durations; the pairs do not.
 */
TEST(groups_in_step_are_told_apart_as_sets)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned pid = 1; pid <= 4; pid++) {
		for (wl_ns k = 0; k < 50; k++) {
			wl_ns last = 1000 * us * k + 100 * us + (pid > 2 ? k * k % 7 * us / 2 : 0);
			/* One of the pair is last, now this one, now that one. */
			wl_ns early = (pid + (unsigned)k) % 2 ? 0 : (k * k * (pid + 3) % 31) * us;

			comm(&m, pid, 20, last - early, last + 40 * us + (wl_ns)pid % 2 * 100,
			     all_reduce);
		}
	}
	f = find(&m);
	assert_int_equal(f->n_groups, 2);
	expect_group(f, 0, "0-1");
	expect_group(f, 1, "2-3");
	assert_int_equal(f->n, 100);
	assert_int_equal(wl_matches_in_step(f), 0);
	mem_release(&m.mem);
}

/* The middle of a pipeline exchanges with both neighbours on one stream. */
TEST(a_stage_exchanges_with_both_neighbours)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 10; k++) {
		wl_ns t = 1000 * us * k;

		comm(&m, 1, 20, t + k % 3 * us, t + 30 * us, send_recv);
		comm(&m, 2, 20, t, t + 30 * us, send_recv);
		comm(&m, 2, 20, t + 500 * us, t + 550 * us, send_recv);
		comm(&m, 3, 20, t + (520 + k % 3) * us, t + 550 * us, send_recv);
	}
	f = find(&m);
	assert_int_equal(f->n_groups, 2);
	expect_group(f, 0, "0-1");
	expect_group(f, 1, "1-2");
	assert_int_equal(f->n, 20);
	assert_int_equal(count_matched(f), 40);
	mem_release(&m.mem);
}

/* Two pairs of operations prove no pair of ranks. */
TEST(two_exchanges_are_too_few)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 3; k++) {
		comm(&m, 1, 20, 1000 * us * k, 1000 * us * k + 30 * us, send_recv);
		if (k)
			comm(&m, 2, 20, 1000 * us * k, 1000 * us * k + 30 * us, send_recv);
	}
	f = find(&m);
	assert_int_equal(count_matched(f), 0);
	mem_release(&m.mem);
}

/* Of more than 64 members not all are compared with each other. */
TEST(many_members_are_grouped)
{
	enum { MEMBERS = 100, GROUP = 25 };
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned pid = 0; pid < MEMBERS; pid++) {
		for (wl_ns k = 0; k < 12; k++) {
			wl_ns end = 1000 * us * k + pid / GROUP * 100 * us + pid % 3 * 100;

			comm(&m, pid + 1, 20, end - 50 * us - (k * (pid + 7)) % 41 * us, end,
			     all_reduce);
		}
	}
	f = find(&m);
	assert_int_equal(f->n_members, MEMBERS);
	assert_int_equal(f->n_groups, MEMBERS / GROUP);
	assert_int_equal(f->n, 12 * MEMBERS / GROUP);
	assert_int_equal(count_matched(f), 12 * MEMBERS);
	mem_release(&m.mem);
}

/* Process 2 was recorded from the third collective on. */
TEST(a_capture_that_begins_later_is_shifted)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 20; k++) {
		comm(&m, 1, 20, 100 * us * k, 100 * us * k + 30 * us, all_reduce);
		if (k >= 2)
			comm(&m, 2, 20, 100 * us * k + 10 * us, 100 * us * k + 30 * us, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n, 18);
	assert_int_equal(f->queues.op[1].match, WL_NONE);
	assert_int_equal(f->queues.op[2].match, 0);
	assert_int_equal(f->at[0].alone, 10 * us);
	assert_int_equal(f->set[0].stopped, WL_NONE);
	mem_release(&m.mem);
}

/* Process 2 has none of the thirteenth: what follows is not compared any more. */
TEST(matching_stops_at_the_first_mismatch)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 20; k++) {
		comm(&m, 1, 20, 100 * us * k, 100 * us * k + 30 * us, all_reduce);
		if (k != 12)
			comm(&m, 2, 20, 100 * us * k, 100 * us * k + 30 * us, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_sets, 1);
	assert_int_equal(f->n, 12);
	assert_int_equal(f->set[0].stopped, 12);
	mem_release(&m.mem);
}

/* The middle of a pipeline has a stream for each neighbour. */
TEST(neighbours_of_a_pipeline_meet_on_any_stream)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 10; k++) {
		wl_ns t = 1000 * us * k;

		comm(&m, 1, 20, t, t + 30 * us, send_recv);
		comm(&m, 2, 20, t, t + 30 * us, send_recv);
		comm(&m, 2, 21, t + 500 * us, t + 550 * us, send_recv);
		comm(&m, 3, 20, t + 520 * us, t + 550 * us, send_recv);
	}
	f = find(&m);
	assert_int_equal(f->n_groups, 2);
	expect_group(f, 0, "0-1");
	expect_group(f, 1, "1-2");
	assert_int_equal(f->n, 20);
	mem_release(&m.mem);
}

/* One process drives both GPUs. */
TEST(devices_of_one_process_are_members)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (unsigned device = 0; device < 2; device++)
		MEM_OP(&m.mem, WL_F_KERNELS, .start = device ? 5 * us : 0, .end = 30 * us,
		       .device = device, .stream = 20 + device, .name = all_reduce);
	f = find(&m);
	assert_int_equal(f->n_members, 2);
	assert_int_equal(f->n, 1);
	assert_int_equal(f->at[0].last, 1);
	mem_release(&m.mem);
}

TEST(one_member_alone_matches_nothing)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	comm(&m, 1, 20, 0, 10, all_reduce);
	f = find(&m);
	assert_int_equal(f->n_members, 1);
	assert_int_equal(f->n, 0);
	mem_release(&m.mem);
}

TEST(nothing_communicates)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	comm(&m, 1, 20, 0, 10, "gemm");
	f = find(&m);
	assert_int_equal(f->n_members, 0);
	assert_int_equal(f->queues.n_ops, 0);
	mem_release(&m.mem);
}

TEST(a_small_budget_is_no_crash)
{
	struct matched m;
	struct wl_matches found;
	bool done = false;

	mem_init(&m.mem);
	for (wl_ns k = 0; k < 30; k++) {
		for (unsigned pid = 1; pid <= 3; pid++)
			comm(&m, pid, 20, 100 * us * k, 100 * us * k + 30 * us, all_reduce);
	}
	(void)mem_seal(&m.mem);
	for (size_t budget = 0; !done; budget += 256) {
		struct wl_arena arena;

		wl_arena_init(&arena, budget);
		done = wl_matches_find(&m.mem.derived, &arena, &found);
		wl_arena_release(&arena);
		assert_true(budget < 1 << 20);
	}
	mem_release(&m.mem);
}

/*
 * Process 2 meets process 1 on stream 20, and 3 and 4 on stream 24; these have no stream 20, and
 * their only one has the role of its first.
 */
TEST(a_stream_more_does_not_part_a_group)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_matches *f;

	for (unsigned i = 1; i <= 20; i++) {
		for (unsigned pid = 1; pid <= 4; pid++) {
			wl_ns at = 1000000 * (wl_ns)i;

			for (unsigned k = 0; k < 2; k++) {
				/* 1 and 2 meet first, then 2, 3 and 4. */
				if (k == 0 ? pid > 2 : pid < 2)
					continue;
				MEM_OP(&m, WL_F_KERNELS, .start = at + 300000 * k + 1000 * pid,
				       .end = at + 300000 * k + 50000, .pid = pid, .device = pid,
				       .stream = k ? 24 : 20, .name = "ncclDevKernel_AllReduce_x");
			}
		}
	}
	(void)mem_seal(&m);
	f = m.derived.matches;
	assert_int_equal(f->n_groups, 2);
	assert_int_equal(f->n, 40);
	for (size_t i = 0; i < f->n_groups; i++) {
		const struct wl_comm_group *g = &f->group[i];

		assert_int_equal(f->member[g->member[0]].process, g->n == 2 ? 0 : 1);
		assert_int_equal(f->member[g->member[g->n - 1]].process, g->n == 2 ? 1 : 3);
	}
}

/*
 * Processes 1 and 2 leave together, the second one last to come. Operations of process 3 end nearer
 * to those of the first than their lengths are, but as far from both as they begin: they belong to
 * no set.
 */
TEST(a_queue_that_a_set_refuses_stays_alone)
{
	const struct wl_matches *f;
	struct matched m;

	mem_init(&m.mem);
	for (wl_ns i = 1; i <= 24; i++) {
		wl_ns at = 1000 * us * i, by = i % 3 * 10 * us;

		comm(&m, 1, 20, at - (100 + i % 4 * 30) * us, at, all_reduce);
		comm(&m, 2, 20, at - 50 * us, at, all_reduce);
		comm(&m, 3, 20, at - 50 * us + by, at + by, all_reduce);
	}
	f = find(&m);
	assert_int_equal(f->n_groups, 1);
	assert_int_equal(count_matched(f), 48);
	expect_group(f, 0, "0-1");
	mem_release(&m.mem);
}

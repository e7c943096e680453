/* SPDX-License-Identifier: MIT */
/*
 * Jobs are simulated: each rank launches the operations of a step, meets the others, and waits
 * for its GPU. The same job without the cause has the makespan that a replay must predict.
 */
#include "derive/graph/scenario/late_verdict.h"

#include <string.h>

#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/late_suspects.h"
#include "support/mem.h"
#include "support/unit.h"

enum { RANKS = 4, STEPS = 30 };

static const wl_ns us = 1000;

/* What a rank does in a step. */
struct rank {
	wl_ns copy, gemm, norm, host; /* lengths; host: the gap before the first launch */
	unsigned n_extra;             /* further kernels of 30 us */
	uint32_t grid;                /* of gemm */
	wl_ns spread;                 /* gemm takes up to so much longer or shorter, by no rule */
	wl_ns leaves;                 /* how much later than the others it leaves a collective */
	unsigned from, until;         /* steps in which its gemm takes more; until 0: none */
	wl_ns more;
};

/*
 * The ranks that meet: all; first in pairs by the low bit's neighbour, then by the high bit's; all
 * in an MPI call after each waited for its GPU; all after each of many short layers.
 */
enum meets { ALL, PAIRS, BY_MPI, LAYERS };

struct job {
	struct mem mem;
	bool is_written; /* else only simulated */
	struct rank rank[RANKS];
	enum meets meets;
	wl_ns host[RANKS], gpu[RANKS]; /* until when each is busy */
	wl_ns first, last;
	unsigned corr, n_steps;
};

static void healthy(struct job *j)
{
	*j = (struct job){ .meets = ALL, .first = INT64_MAX };
	for (unsigned i = 0; i < RANKS; i++)
		j->rank[i] = (struct rank){ .copy = 40 * us,
					    .gemm = 300 * us,
					    .norm = 50 * us,
					    .host = 10 * us,
					    .grid = 64 };
}

static void call(struct job *j, unsigned rank, wl_ns start, wl_ns end, const char *name)
{
	j->corr++;
	if (j->is_written)
		MEM_API(&j->mem, .start = start, .end = end, .pid = 100 + rank, .tid = 100 + rank,
			.corr = j->corr, .name = name);
	j->host[rank] = end;
}

static void write_op(struct job *j, unsigned rank, wl_ns start, wl_ns end, const char *name)
{
	const struct mem_op op = { .start = start,
				   .end = end,
				   .pid = 100 + rank,
				   .device = rank,
				   .corr = j->corr,
				   .name = name,
				   .kind = 1,
				   .src = 1,
				   .dst = 2,
				   .bytes = 1000,
				   .grid = strcmp(name, "gemm") == 0 ? j->rank[rank].grid : 1 };

	if (j->is_written)
		mem_op(&j->mem, strcmp(name, "copy") == 0 ? WL_F_MEMCPYS : WL_F_KERNELS, &op);
	j->first = start < j->first ? start : j->first;
	j->last = end > j->last ? end : j->last;
}

/* Launch, 1 us after the call before; the operation starts 1 us after the one before it. */
static wl_ns launch(struct job *j, unsigned rank)
{
	wl_ns begin = j->host[rank] + 1 * us, start;

	call(j, rank, begin, begin + 3 * us, "cudaLaunchKernel");
	start = j->gpu[rank] + 1 * us > begin + 5 * us ? j->gpu[rank] + 1 * us : begin + 5 * us;
	return start;
}

static void run(struct job *j, unsigned rank, const char *name, wl_ns length)
{
	wl_ns start = launch(j, rank);

	write_op(j, rank, start, start + length, name);
	j->gpu[rank] = start + length;
}

/* From -100 to 100, another number for each i. */
static wl_ns by_no_rule(unsigned i)
{
	for (int round = 0; round < 3; round++)
		i = (i ^ i >> 16) * 0x45d9f3bU + 1;
	return (wl_ns)(i >> 8) % 201 - 100;
}

/* The ranks of a mask meet: all leave so long after the last has arrived. */
static void meet_for(struct job *j, unsigned mask, wl_ns transfer, const char *name)
{
	wl_ns start[RANKS], last = INT64_MIN;
	unsigned corr[RANKS];

	for (unsigned i = 0; i < RANKS; i++) {
		if (!(mask >> i & 1))
			continue;
		start[i] = launch(j, i);
		corr[i] = j->corr;
		last = start[i] > last ? start[i] : last;
	}
	for (unsigned i = 0; i < RANKS; i++) {
		unsigned now = j->corr;

		if (!(mask >> i & 1))
			continue;
		j->corr = corr[i];
		j->gpu[i] = last + transfer + j->rank[i].leaves;
		write_op(j, i, start[i], j->gpu[i], name);
		j->corr = now;
	}
}

static void meet(struct job *j, unsigned mask, const char *name)
{
	meet_for(j, mask, 20 * us, name);
}

/* Hosts meet: all leave 20 us after the last has arrived. */
static void meet_by_mpi(struct job *j)
{
	wl_ns last = INT64_MIN;

	for (unsigned i = 0; i < RANKS; i++)
		last = j->host[i] + us > last ? j->host[i] + us : last;
	for (unsigned i = 0; i < RANKS; i++) {
		if (j->is_written)
			mem_mpi_coll(&j->mem,
				     &(struct mem_call){ .start = j->host[i] + us,
							 .end = last + 20 * us,
							 .pid = 100 + i,
							 .tid = 100 + i,
							 .name = "MPI_Allreduce" },
				     1, 8);
		j->host[i] = last + 20 * us;
	}
}

static void wait_for_gpus(struct job *j)
{
	for (unsigned i = 0; i < RANKS; i++) {
		wl_ns begin = j->host[i] + 1 * us, end = j->gpu[i] + 2 * us;

		call(j, i, begin, end > begin ? end : begin + 1 * us, "cudaDeviceSynchronize");
	}
}

/* A layer is a tenth of a gemm, and its collective, for which the next layer waits. */
static void run_layers(struct job *j)
{
	enum { N = 40 };

	for (unsigned k = 0; k < N; k++) {
		for (unsigned i = 0; i < RANKS; i++)
			run(j, i, "layer",
			    j->rank[i].gemm / 10 + by_no_rule((j->n_steps * N + k) * RANKS + i) *
							   j->rank[i].spread / 100);
		meet(j, 15, "ncclDevKernel_AllReduce_x");
	}
}

static void step(struct job *j)
{
	for (unsigned i = 0; i < RANKS; i++) {
		wl_ns begin = j->host[i];

		j->host[i] += j->rank[i].host;
		run(j, i, "copy", j->rank[i].copy);
		run(j, i, "gemm",
		    j->rank[i].gemm + by_no_rule(j->n_steps * RANKS + i) * j->rank[i].spread / 100 +
			    (j->n_steps >= j->rank[i].from && j->n_steps < j->rank[i].until
				     ? j->rank[i].more
				     : 0));
		for (unsigned k = 0; k < j->rank[i].n_extra; k++)
			run(j, i, "extra", 30 * us);
		run(j, i, "norm", j->rank[i].norm);
		if (j->is_written)
			MEM_NVTX(&j->mem, .start = begin + 1, .end = j->host[i] + 20 * us,
				 .pid = 100 + i, .tid = 100 + i, .name = "step");
	}
	if (j->meets == BY_MPI) {
		wait_for_gpus(j);
		meet_by_mpi(j);
		return;
	}
	if (j->meets == LAYERS)
		run_layers(j);
	meet(j, j->meets == PAIRS ? 3 : 15, "ncclDevKernel_AllReduce_x");
	if (j->meets == PAIRS) {
		meet(j, 12, "ncclDevKernel_AllReduce_x");
		for (unsigned i = 0; i < RANKS; i++)
			run(j, i, "tail", 20 * us);
		/* The second meetings of the two halves do not end at the same time. */
		meet(j, 5, "ncclDevKernel_ReduceScatter_x");
		meet_for(j, 10, 50 * us, "ncclDevKernel_ReduceScatter_x");
	}
	wait_for_gpus(j);
}

static wl_ns simulate(struct job *j)
{
	for (j->n_steps = 0; j->n_steps < STEPS; j->n_steps++)
		step(j);
	return j->last - j->first;
}

/* Simulate and find; release the job's memory afterwards. */
static const struct wl_stragglers *find(struct job *j, wl_ns *ret_makespan)
{
	mem_init(&j->mem);
	j->is_written = true;
	*ret_makespan = simulate(j);
	(void)mem_seal(&j->mem);
	assert_non_null(j->mem.derived.stragglers);
	assert_int_equal(j->mem.derived.stragglers->n_moved, 0);
	return j->mem.derived.stragglers;
}

/* Rank 2 is named, and its fix gives the makespan of the healthy job. */
static const struct wl_late_set *expect(struct job *bad, enum wl_late_reason reason,
					enum wl_late_share share)
{
	const struct wl_stragglers *all;
	const struct wl_late_set *s;
	struct job good;
	wl_ns makespan;

	healthy(&good);
	good.meets = bad->meets;
	all = find(bad, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->n_sets, 1);
	s = &all->set[0];
	assert_int_equal(all->at[0].member, 2);
	assert_int_equal(s->makespan, makespan);
	assert_int_equal(s->saving, makespan - simulate(&good));
	assert_int_equal(s->reason, reason);
	assert_int_equal(s->share[share], s->saving);
	return s;
}

TEST(a_healthy_job_has_no_straggler)
{
	struct job j;
	wl_ns makespan;

	healthy(&j);
	assert_int_equal(find(&j, &makespan)->n, 0);
	mem_release(&j.mem);
}

TEST(all_kernels_slower_are_a_slow_gpu)
{
	const struct wl_late_set *s;
	struct job j;

	healthy(&j);
	j.rank[2].gemm = 360 * us;
	j.rank[2].norm = 60 * us;
	s = expect(&j, WL_LATE_SLOW_GPU, WL_LATE_BY_KERNELS);
	assert_float_equal(s->factor, 1.2, 1e-9);
	assert_int_equal(s->kernel[0].own, 360 * us);
	assert_int_equal(s->kernel[0].others, 300 * us);
	assert_int_equal(s->kernel[1].own, 60 * us);
	assert_int_equal(s->kernel[1].others, 50 * us);
	mem_release(&j.mem);
}

/* Nothing but an MPI call makes the others wait: they are slow in it, and are not named. */
TEST(ranks_that_meet_by_mpi_are_judged_alike)
{
	const struct wl_late_set *s;
	struct job j;

	healthy(&j);
	j.meets = BY_MPI;
	j.rank[2].gemm = 360 * us;
	j.rank[2].norm = 60 * us;
	s = expect(&j, WL_LATE_SLOW_GPU, WL_LATE_BY_KERNELS);
	assert_float_equal(s->factor, 1.2, 1e-9);
	assert_int_equal(j.mem.derived.matches->n, STEPS);
	mem_release(&j.mem);
}

/* The host is late by 60 us in each step, but in the first, whose call has none before it. */
TEST(a_host_that_is_late_for_mpi_is_named)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.meets = BY_MPI;
	j.rank[2].host = 70 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].member, 2);
	assert_int_equal(all->set[0].reason, WL_LATE_HOST);
	assert_int_equal(all->set[0].saving, (STEPS - 1) * 60 * us);
	mem_release(&j.mem);
}

TEST(one_kernel_slower_is_a_slow_kernel)
{
	const struct wl_late_set *s;
	struct job j;

	healthy(&j);
	j.rank[2].norm = 100 * us;
	s = expect(&j, WL_LATE_SLOW_KERNEL, WL_LATE_BY_KERNELS);
	assert_float_equal(s->factor, 2, 1e-9);
	assert_int_equal(s->kernel[0].own, 100 * us);
	assert_int_equal(s->kernel[0].others, 50 * us);
	mem_release(&j.mem);
}

/* A kernel that only it has; the launch of 4 us and the 1 us between kernels stay. */
TEST(more_kernels_are_more_work)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].n_extra = 2;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].member, 2);
	assert_int_equal(all->set[0].reason, WL_LATE_MORE_WORK);
	assert_int_equal(all->set[0].n_own, STEPS * 4);
	assert_int_equal(all->set[0].n_others, STEPS * 2);
	assert_float_equal(all->set[0].factor, 410.0 / 350, 1e-9);
	assert_in_range(all->set[0].saving, STEPS * 57 * us, STEPS * 62 * us);
	mem_release(&j.mem);
}

TEST(larger_grids_are_more_work)
{
	const struct wl_late_set *s;
	struct job j;

	healthy(&j);
	j.rank[2].gemm = 450 * us;
	j.rank[2].grid = 96;
	s = expect(&j, WL_LATE_MORE_WORK, WL_LATE_BY_KERNELS);
	assert_float_equal(s->factor, 500.0 / 350, 1e-9);
	mem_release(&j.mem);
}

TEST(a_host_gap_is_a_late_host)
{
	const struct wl_late_set *s;
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].host = 70 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	s = &all->set[0];
	assert_int_equal(all->at[0].member, 2);
	assert_int_equal(s->reason, WL_LATE_HOST);
	assert_int_equal(s->share[WL_LATE_BY_HOST], s->saving);
	/* The first call of the trace has no call before it, and stays where it is. */
	assert_int_equal(s->saving, (STEPS - 1) * 60 * us);
	assert_int_equal(s->own[WL_LATE_BY_HOST] - s->others[WL_LATE_BY_HOST],
			 (STEPS - 1) * 60 * us);
	mem_release(&j.mem);
}

TEST(slow_copies_are_copies)
{
	const struct wl_late_set *s;
	struct job j;

	healthy(&j);
	j.rank[2].copy = 90 * us;
	s = expect(&j, WL_LATE_COPIES, WL_LATE_BY_COPIES);
	assert_int_equal(s->own[WL_LATE_BY_COPIES], STEPS * 90 * us);
	assert_int_equal(s->others[WL_LATE_BY_COPIES], STEPS * 40 * us);
	mem_release(&j.mem);
}

/* Rank 0 is slow; rank 1 meets it first, and then makes rank 3 wait: only rank 0 is named. */
TEST(a_victim_is_not_named)
{
	const struct wl_stragglers *all;
	const struct wl_matches *m;
	struct job j;
	wl_ns makespan, alone = 0;

	healthy(&j);
	j.meets = PAIRS;
	j.rank[0].gemm = 400 * us;
	all = find(&j, &makespan);
	m = j.mem.derived.matches;
	assert_int_equal(m->n_groups, 4);
	for (size_t i = 0; i < m->n; i++) {
		const struct wl_match_set *set = &m->set[m->at[i].set];

		if (m->member_of[set->queue[m->at[i].last]] == 1)
			alone += m->at[i].alone;
	}
	assert_true(alone > makespan / 10);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].member, 0);
	assert_int_equal(all->set[0].reason, WL_LATE_SLOW_GPU);
	mem_release(&j.mem);
}

/* Too little: 3 us of 480. */
TEST(below_a_hundredth_nobody_is_named)
{
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].gemm += 3 * us;
	assert_int_equal(find(&j, &makespan)->n, 0);
	mem_release(&j.mem);
}

/* Rank 2 is slower by 5 us in each step: on its own, or where lengths on all ranks vary by 16 us.
 */
TEST(what_may_be_chance_is_not_named)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].gemm += 5 * us;
	assert_int_equal(find(&j, &makespan)->n, 1);
	mem_release(&j.mem);
	healthy(&j);
	j.rank[2].gemm += 5 * us;
	for (unsigned i = 0; i < RANKS; i++)
		j.rank[i].spread = 16 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 0);
	assert_int_equal(all->verdict, WL_LATE_BY_CHANCE);
	assert_true(all->by_chance > 0.01 && all->by_chance < 0.05);
	mem_release(&j.mem);
}

/* In three of 30 steps rank 2 takes 90 us more: by far more than lengths vary. */
TEST(what_stands_out_is_named)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	for (unsigned i = 0; i < RANKS; i++)
		j.rank[i].spread = 4 * us;
	j.rank[2].from = 11;
	j.rank[2].until = 14;
	j.rank[2].more = 150 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].n_slow, 3);
	assert_true(all->set[0].saving < makespan / 20);
	mem_release(&j.mem);
}

/* Rank 2 does twice the work: more than a third of it has no counterpart. */
TEST(more_work_than_the_others_have_is_named)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].n_extra = 14;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->set[0].reason, WL_LATE_MORE_WORK);
	mem_release(&j.mem);
}

/* Rank 3 leaves later than the others, and begins the next step as much sooner. */
static size_t count_with_clock_error(wl_ns error, wl_ns late)
{
	struct job j;
	wl_ns makespan;
	size_t n;

	healthy(&j);
	for (unsigned i = 0; i < RANKS; i++)
		j.rank[i].gemm = 200 * us;
	j.rank[2].gemm += late;
	j.rank[3].leaves = error;
	j.rank[3].host -= error;
	n = find(&j, &makespan)->n;
	assert_int_equal(j.mem.derived.host_clocks->error, error);
	mem_release(&j.mem);
	return n;
}

TEST(lateness_within_the_error_of_clocks_is_not_named)
{
	assert_int_equal(count_with_clock_error(0, 5 * us), 1);
	assert_int_equal(count_with_clock_error(4 * us, 5 * us), 1);
	assert_int_equal(count_with_clock_error(5 * us, 5 * us), 0);
}

TEST(contradicting_clocks_name_nobody)
{
	struct wl_host_clocks clocks;
	struct wl_stragglers again;
	struct wl_derived given;
	struct wl_arena arena;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].gemm = 360 * us;
	assert_int_equal(find(&j, &makespan)->n, 1);
	given = j.mem.derived;
	clocks = *given.host_clocks;
	clocks.is_refused = true;
	given.host_clocks = &clocks;
	wl_arena_init(&arena, SIZE_MAX);
	assert_true(wl_stragglers_find(&given, &arena, &again));
	assert_true(again.no_clock);
	assert_int_equal(again.n, 0);
	wl_arena_release(&arena);
	mem_release(&j.mem);
}

/* Half of the ranks: each alone saves nothing. */
TEST(two_that_are_slow_together_are_one_set)
{
	const struct wl_stragglers *all;
	struct job j, good;
	wl_ns makespan;

	healthy(&good);
	healthy(&j);
	for (unsigned i = 0; i < 2; i++) {
		j.rank[i].gemm = 360 * us;
		j.rank[i].norm = 60 * us;
	}
	all = find(&j, &makespan);
	assert_int_equal(all->n, 2);
	assert_int_equal(all->n_sets, 1);
	assert_int_equal(all->at[0].member + all->at[1].member, 1);
	assert_int_equal(all->set[0].saving, makespan - simulate(&good));
	assert_int_equal(all->set[0].first, 0);
	assert_int_equal(all->at[0].saves, 0);
	assert_int_equal(all->at[1].saves, all->set[0].saving);
	assert_int_equal(all->set[0].reason, WL_LATE_SLOW_GPU);
	assert_float_equal(all->at[1].factor, 1.2, 1e-9);
	assert_int_equal(all->set[0].n_slow, 0);
	mem_release(&j.mem);
}

/* What the other steps have is no evidence: the factor is that of slow steps. */
TEST(slow_steps_of_a_straggler_are_named)
{
	const struct wl_stragglers *all;
	struct job j, good;
	wl_ns makespan;

	healthy(&good);
	healthy(&j);
	j.rank[1].from = 5;
	j.rank[1].until = 10;
	j.rank[1].more = 300 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].member, 1);
	assert_int_equal(all->set[0].n_slow, 5);
	for (unsigned i = 0; i < STEPS; i++)
		assert_int_equal(all->at[0].slow[i], i >= 5 && i < 10);
	assert_int_equal(all->set[0].saving, makespan - simulate(&good));
	/* 600 of its 650 us have the factor. */
	assert_int_equal(all->set[0].reason, WL_LATE_SLOW_GPU);
	assert_float_equal(all->set[0].factor, 2, 1e-9);
	mem_release(&j.mem);
}

/* Ten steps each: nobody is left to be compared with if whole ranks were. */
TEST(stragglers_may_take_turns)
{
	const struct wl_stragglers *all;
	struct job j, good;
	wl_ns makespan;

	healthy(&good);
	healthy(&j);
	for (unsigned i = 0; i < 3; i++) {
		j.rank[i].from = 10 * i;
		j.rank[i].until = 10 * i + 10;
		j.rank[i].more = 200 * us;
	}
	all = find(&j, &makespan);
	assert_int_equal(all->n_sets, 1);
	assert_int_equal(all->n, 3);
	assert_int_equal(all->set[0].subject, WL_LATE_ROTATING);
	assert_int_equal(all->set[0].saving, makespan - simulate(&good));
	mem_release(&j.mem);
}

/* A cell is as late as its latest collective: rank 2 is late by 60 us in each step. */
TEST(lateness_of_a_cell_is_the_largest)
{
	const struct wl_late_suspects *s;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.rank[2].gemm = 360 * us;
	s = find(&j, &makespan)->suspects;
	assert_int_equal(s->n, 1);
	assert_int_equal(s->at[0].member, 2);
	assert_int_equal(s->at[0].late, STEPS * 60 * us);
	assert_int_equal(s->at[0].n_late, STEPS);
	assert_int_equal(s->at[0].run, makespan);
	assert_int_equal(s->n_steps, STEPS);
	for (unsigned i = 0; i < STEPS; i++)
		assert_int_equal(wl_late_cell(s, 2, i), WL_CELL_SUSPECT | WL_CELL_CHANGED);
	mem_release(&j.mem);
}

/* Late by 6 us at each of 40 collectives, a quarter of a hundredth of the step; in all by a tenth.
 */
TEST(little_lateness_at_many_collectives_adds_up)
{
	const struct wl_stragglers *all;
	struct job j, good;
	wl_ns makespan;

	healthy(&j);
	healthy(&good);
	j.meets = good.meets = LAYERS;
	j.rank[2].gemm = 315 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 1);
	assert_int_equal(all->at[0].member, 2);
	assert_int_equal(all->set[0].saving, makespan - simulate(&good));
	assert_int_equal(all->suspects->at[0].late, STEPS * (40 * 1500 + 15 * us));
	mem_release(&j.mem);
}

/* All are late by as much in all, each at other collectives: the answer is that without sums. */
TEST(whom_no_replay_names_is_no_suspect_by_sums)
{
	const struct wl_stragglers *all;
	struct job j;
	wl_ns makespan;

	healthy(&j);
	j.meets = LAYERS;
	for (unsigned i = 0; i < RANKS; i++)
		j.rank[i].spread = 10 * us;
	all = find(&j, &makespan);
	assert_int_equal(all->n, 0);
	assert_int_equal(all->suspects->n, 0);
	assert_int_equal(all->n_activities, 0);
	assert_int_equal(all->verdict, WL_LATE_NOBODY);
	mem_release(&j.mem);
}

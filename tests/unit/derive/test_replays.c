/* SPDX-License-Identifier: MIT */
/* Replays where it matters in which order times are known, and which activities correspond. */
#include "derive/graph/scenario/held_out.h"
#include "derive/graph/scenario/scenario.h"
#include "derive/graph/step_lists.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static const wl_ns us = 1000;
static const char all_reduce[] = "ncclDevKernel_AllReduce_x";

struct fixture {
	struct mem mem;
	struct wl_whatif w;
	struct wl_arena arena;
	unsigned corr;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .corr = 0 };
	mem_init(&f->mem);
	wl_arena_init(&f->arena, SIZE_MAX);
}

static void seal(struct fixture *f)
{
	(void)mem_seal(&f->mem);
	assert_true(wl_whatif_begin(&f->mem.derived, NULL, &f->arena, &f->w));
}

static void end(struct fixture *f)
{
	wl_arena_release(&f->arena);
	mem_release(&f->mem);
}

static void call(struct fixture *f, wl_ns start, wl_ns stop, const char *name)
{
	f->corr++;
	MEM_API(&f->mem, .start = start, .end = stop, .corr = f->corr, .name = name);
}

/* The call that launches it takes 1 us. */
static void kernel(struct fixture *f, const char *name, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, launch + us, NULL);
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .corr = f->corr, .name = name);
}

static wl_ns saving(struct fixture *f, const char *text)
{
	struct wl_whatif_result ret;
	struct wl_asked ask;
	struct wl_err err;

	assert_int_equal(wl_ask_parse(text, &f->arena, &ask, &err), WL_OK);
	assert_int_equal(wl_whatif_run(&f->w, &ask, 1, &ret, &err), WL_OK);
	assert_int_equal(ret.refused, WL_NOT_REFUSED);
	return ret.saving;
}

/*
 * The second kernel could start at 50 us because of its launch 5 us before, and because the first
 * one ended: stream order comes first, so the 10 us after that are no latency of a launch.
 */
TEST(a_tie_with_stream_order_is_no_latency)
{
	struct fixture f;

	for (unsigned later = 0; later < 2; later++) {
		begin(&f);
		kernel(&f, "one", 0, 10 * us, 50 * us);
		kernel(&f, "two", (45 + later) * us, 60 * us, 100 * us);
		seal(&f);
		assert_int_equal(saving(&f, "launch-free"), later ? 10 * us : 0);
		assert_int_equal(saving(&f, "host-free"), later ? 10 * us : 0);
		end(&f);
	}
}

static void op_of(struct fixture *f, unsigned pid, const char *name, wl_ns start, wl_ns stop)
{
	MEM_OP(&f->mem, WL_F_KERNELS, .start = start, .end = stop, .pid = pid,
	       .device = pid / 100 - 1, .name = name);
}

/*
 * The kernel of process 100 starts while its first collective runs, and outlives it: nothing waits
 * for that collective's end until the second one, without the kernel, follows it.
 */
TEST(overlap_follows_a_collective_that_was_outlived)
{
	WITH(struct fixture, f, end, begin(&f));

	for (unsigned pid = 100; pid <= 200; pid += 100)
		op_of(&f, pid, "first", 0, 5 * us);
	op_of(&f, 100, all_reduce, 10 * us, 60 * us);
	op_of(&f, 100, "kernel", 30 * us, 100 * us);
	op_of(&f, 100, all_reduce, 101 * us, 151 * us);
	op_of(&f, 200, all_reduce, 20 * us, 60 * us);
	op_of(&f, 200, all_reduce, 61 * us, 151 * us);
	seal(&f);
	/* Both arrive at 61 us, 1 us after the first one's end; the transfer takes 50 us. */
	assert_int_equal(saving(&f, "overlap"), 40 * us);
}

static void copy(struct fixture *f, uint8_t kind, wl_ns launch, wl_ns start, wl_ns stop)
{
	call(f, launch, launch + us, "cudaMemcpyAsync");
	MEM_OP(&f->mem, WL_F_MEMCPYS, .start = start, .end = stop, .corr = f->corr, .kind = kind,
	       .src = 2, .dst = kind == WL_COPY_D2D ? 2 : WL_MEMORY_PINNED, .bytes = 1000);
}

/* As on the critical path; without copies all of them take no time. */
TEST(a_copy_within_a_gpu_is_compute)
{
	WITH(struct fixture, f, end, begin(&f));

	kernel(&f, "gemm", 0, 10 * us, 110 * us);
	copy(&f, WL_COPY_D2D, 2 * us, 111 * us, 121 * us);
	copy(&f, WL_COPY_D2H, 4 * us, 122 * us, 142 * us);
	seal(&f);
	assert_int_equal(saving(&f, "class=compute:0"), 110 * us);
	assert_int_equal(saving(&f, "class=compute:1/2"), 55 * us);
	assert_int_equal(saving(&f, "class=copy:0"), 20 * us);
	assert_int_equal(saving(&f, "copies-free"), 30 * us);
}

/*
 * Before the first operation starts nothing moves: a call of 2 us there keeps its length and its
 * gap, and one that ends after it may become longer.
 */
TEST(what_came_before_the_run_stays)
{
	WITH(struct fixture, f, end, begin(&f));

	mem_mpi_coll(&f.mem, &(struct mem_call){ .start = 0, .end = 2 * us, .name = "MPI_Bcast" },
		     1, 8);
	kernel(&f, "gemm", 5 * us, 10 * us, 20 * us);
	seal(&f);
	assert_int_equal(saving(&f, "class=mpi:3"), 0);
	assert_int_equal(saving(&f, "class=mpi:0"), 0);
}

/*
 * Two MPI calls until 40 us; the first operation starts at 30 us. The process that came first waits
 * 25 us of its 40: alone it would end at 15 us, but not before the run begins.
 */
TEST(nobody_leaves_before_the_run)
{
	WITH(struct fixture, f, end, begin(&f));

	for (unsigned pid = 100; pid <= 200; pid += 100)
		mem_mpi_coll(&f.mem,
			     &(struct mem_call){ .start = pid == 100 ? 0 : 25 * us,
						 .end = 40 * us,
						 .pid = pid,
						 .name = "MPI_Allreduce" },
			     1, 8);
	op_of(&f, 200, "first", 30 * us, 35 * us);
	kernel(&f, "gemm", 45 * us, 50 * us, 90 * us);
	seal(&f);
	assert_int_equal(saving(&f, "no-wait"), 10 * us);
}

/* A kernel and a copy start together; the copy was launched first, and begins the step. */
TEST(of_two_first_operations_the_launch_decides)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_step_lists lists;

	for (int i = 0; i < 4; i++) {
		wl_ns at = 100 * us * i;

		MEM_NVTX(&f.mem, .start = at, .end = at + 20 * us, .name = "step");
		copy(&f, WL_COPY_D2H, at + 2 * us, at + 30 * us, at + 40 * us);
		f.corr++;
		MEM_API(&f.mem, .start = at + 6 * us, .end = at + 8 * us, .corr = f.corr);
		MEM_OP(&f.mem, WL_F_KERNELS, .start = at + 30 * us, .end = at + 50 * us,
		       .corr = f.corr, .stream = 9);
	}
	seal(&f);
	assert_true(wl_step_lists_find(&f.mem.derived, &f.arena, &lists));
	assert_int_equal(lists.process[0].n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(lists.process[0].begin[i], 100 * us * i + 2 * us);
}

enum { N_STEPS = 6 };

/*
 * Steps of a launch, a kernel and an allocation of its own length. That of step 1 was not recorded:
 * the host gap is longer instead.
 */
static void put_steps(struct fixture *f)
{
	wl_ns at = 0;

	for (int i = 0; i < N_STEPS; i++) {
		wl_ns alloc = (20 + 10 * i) * us;

		MEM_NVTX(&f->mem, .start = at, .end = at + 2 * us, .name = "step");
		kernel(f, "gemm", at, at + 6 * us, at + 16 * us);
		if (i != 1)
			call(f, at + 5 * us, at + 5 * us + alloc, "cudaMalloc");
		at += alloc + 50 * us;
	}
}

TEST(what_the_first_step_lacks_has_a_slot)
{
	WITH(struct fixture, f, end, begin(&f));
	static const size_t steps[] = { 1, 2, 3 };
	const struct wl_chosen_steps chosen = { 0, steps, 3 };
	struct wl_step_lists lists;
	struct wl_step_slots slots;
	size_t n_all = 0, n_missing = 0;

	put_steps(&f);
	seal(&f);
	assert_true(wl_step_lists_find(&f.mem.derived, &f.arena, &lists));
	assert_true(wl_step_slots_find(&lists, &chosen, &f.arena, &slots));
	/* The kernel, its launch, and the allocation. */
	assert_int_equal(slots.n, 3);
	for (size_t i = 0; i < slots.n; i++) {
		const uint32_t *at = slots.activity + i;

		n_missing += at[0] == WL_NONE;
		n_all += at[0] != WL_NONE;
		assert_int_not_equal(at[slots.n], WL_NONE);
		assert_int_not_equal(at[2 * slots.n], WL_NONE);
		assert_int_equal(wl_activity_name(lists.graph, at[slots.n]),
				 wl_activity_name(lists.graph, at[2 * slots.n]));
	}
	assert_int_equal(n_missing, 1);
	assert_int_equal(n_all, 2);
}

/* Whatever tells the steps: here ranges do, which own nothing without a launch. */
TEST(without_its_launch_an_operation_is_where_it_starts)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_step_lists lists;
	struct wl_slice before, after;

	put_steps(&f);
	/* Step 2 begins at 150 us, its first operation at 156 us, step 3 at 240 us. */
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 153 * us, .end = 154 * us, .name = "lost");
	MEM_OP(&f.mem, WL_F_KERNELS, .start = 240 * us, .end = 241 * us, .name = "lost");
	seal(&f);
	assert_true(wl_step_lists_find(&f.mem.derived, &f.arena, &lists));
	before = wl_step_all(&lists, 0, 1);
	after = wl_step_all(&lists, 0, 2);
	/* A kernel, its launch, an allocation in step 2, and what was lost. */
	assert_int_equal(before.hi - before.lo, 3);
	assert_int_equal(after.hi - after.lo, 4);
}

/* Six of twelve pairs are of steps 2 to 4, which have all the calls that make their periods. */
TEST(held_out_steps_exchange_what_both_have)
{
	WITH(struct fixture, f, end, begin(&f));
	struct wl_held_out held;

	put_steps(&f);
	seal(&f);
	assert_true(wl_held_out_find(&f.w, &f.arena, &held));
	assert_int_equal(held.n_pairs, 12);
	assert_true(held.p50 < 1e-9);
	assert_true(held.naive_p50 > 0.05);
}

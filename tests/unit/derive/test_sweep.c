/* SPDX-License-Identifier: MIT */
#include "derive/kinds/sweep.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct swept {
	struct mem mem;
	const struct wl_trace *trace;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_classes classes;
	struct wl_activity activity;
	struct wl_usage usage;
};

static void seal(struct swept *s)
{
	s->trace = mem_seal(&s->mem);
	wl_arena_init(&s->arena, 1 << 20);
	assert_true(wl_classes_find(&s->mem.derived, &s->arena, &s->classes));
	mem_scope_whole(&s->scope, s->trace);
}

static void look_at(struct swept *s, uint32_t device)
{
	assert_true(wl_activity_of_device(s->trace, &s->scope.scope, &s->classes, device, &s->arena,
					  &s->activity));
}

static void sweep(struct swept *s, uint32_t device)
{
	wl_ns sum = 0;

	look_at(s, device);
	wl_sweep_usage(s->trace, &s->scope.scope, &s->classes, &s->activity, &s->usage);
	for (size_t mask = 0; mask < WL_N_MASKS; mask++)
		sum += s->usage.ns[mask];
	assert_int_equal(sum, s->scope.device[device].end - s->scope.device[device].begin);
}

static void release(struct swept *s)
{
	wl_arena_release(&s->arena);
	mem_release(&s->mem);
}

static void compute(struct swept *s, wl_ns start, wl_ns end)
{
	MEM_OP(&s->mem, WL_F_KERNELS, .start = start, .end = end);
}

static void comm(struct swept *s, wl_ns start, wl_ns end)
{
	MEM_OP(&s->mem, WL_F_KERNELS, .start = start, .end = end, .name = "ncclDevKernel_X");
}

static void copy(struct swept *s, wl_ns start, wl_ns end)
{
	MEM_OP(&s->mem, WL_F_MEMCPYS, .start = start, .end = end);
}

enum { IDLE = 0, KERNEL = WL_ON_COMPUTE | WL_ON_KERNEL, NCCL = WL_ON_COMM | WL_ON_KERNEL };

TEST(overlapping_kernels_are_one_busy_period)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 100);
	compute(&s, 20, 30); /* inside: must not end the first */
	compute(&s, 90, 150);
	compute(&s, 200, 210);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], 160);
	assert_int_equal(s.usage.ns[IDLE], 50);
	assert_int_equal(s.usage.n_ops, 4);
}

TEST(every_mix_of_classes_has_its_own_time)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 40);
	comm(&s, 30, 60);
	copy(&s, 10, 20);
	copy(&s, 35, 70);
	MEM_OP(&s.mem, WL_F_MEMSETS, .start = 80, .end = 90);
	MEM_OP(&s.mem, WL_F_GRAPHS, .start = 85, .end = 100);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], 20);
	assert_int_equal(s.usage.ns[KERNEL | WL_ON_COPY], 10);
	assert_int_equal(s.usage.ns[KERNEL | NCCL], 5);
	assert_int_equal(s.usage.ns[KERNEL | NCCL | WL_ON_COPY], 5);
	assert_int_equal(s.usage.ns[NCCL | WL_ON_COPY], 20);
	assert_int_equal(s.usage.ns[WL_ON_COPY], 10);
	assert_int_equal(s.usage.ns[IDLE], 10);
	assert_int_equal(s.usage.ns[WL_ON_COMPUTE], 20);
	assert_int_equal(s.usage.n_ops, 6);
	assert_int_equal(s.usage.n_graphs, 1);
	assert_int_equal(s.usage.n_comm, 1);
	assert_int_equal(wl_usage_any(&s.usage, WL_ON_COMPUTE), 60);
	assert_int_equal(wl_usage_any(&s.usage, WL_ON_COMM | WL_ON_COPY), 50);
	assert_int_equal(wl_usage_any(&s.usage, WL_ON_KERNEL), 60);
	assert_int_equal(wl_usage_without(&s.usage, WL_ON_COMM, WL_ON_COMPUTE), 20);
	assert_int_equal(wl_usage_without(&s.usage, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM), 10);
}

TEST(no_length_takes_no_time_but_counts)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 10, 10);
	compute(&s, 20, 20);
	MEM_OP(&s.mem, WL_F_GRAPHS, .start = 30, .end = 30);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[IDLE], 20);
	assert_int_equal(s.usage.n_ops, 3);
	assert_int_equal(s.usage.n_graphs, 1);
}

TEST(one_moment_is_an_empty_window)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 10, 10);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.n_ops, 1);
	mem_scope_window(&s.scope, s.trace, 10, 10);
	sweep(&s, 0);
	assert_int_equal(s.usage.n_ops, 0);
}

TEST(the_window_cuts_what_straddles_it)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 10);  /* ends where the window begins: outside */
	compute(&s, 0, 15);  /* 5 inside */
	comm(&s, 25, 40);    /* 5 inside */
	copy(&s, 30, 50);    /* begins where it ends: outside */
	compute(&s, 30, 30); /* the same, without a length */
	copy(&s, 10, 10);    /* at its begin, without a length: inside */
	seal(&s);
	mem_scope_window(&s.scope, s.trace, 10, 30);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], 5);
	assert_int_equal(s.usage.ns[NCCL], 5);
	assert_int_equal(s.usage.ns[IDLE], 10);
	assert_int_equal(s.usage.n_ops, 3);
	assert_int_equal(s.usage.n_comm, 1);
	mem_scope_window(&s.scope, s.trace, 100, 130);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[IDLE], 30);
	assert_int_equal(s.usage.n_ops, 0);
}

TEST(devices_and_streams_that_are_off_do_not_count)
{
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 10);
	MEM_OP(&s.mem, WL_F_KERNELS, .start = 5, .end = 30, .device = 1);
	MEM_OP(&s.mem, WL_F_KERNELS, .start = 5, .end = 20, .stream = 8);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], 20);
	assert_int_equal(s.usage.ns[IDLE], 10);
	sweep(&s, 1);
	assert_int_equal(s.usage.ns[KERNEL], 25);
	assert_int_equal(s.usage.n_ops, 1);
	s.scope.place_on[2] = false; /* the third place put: stream 8 */
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], 10);
	assert_int_equal(s.usage.n_ops, 1);
}

TEST(lengths_beyond_32_bits_and_negative_times_add_up)
{
	const wl_ns far = WL_TIME_MAX;
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, -far, far / 2);
	copy(&s, far, far);
	seal(&s);
	sweep(&s, 0);
	assert_int_equal(s.usage.ns[KERNEL], far + far / 2);
	assert_int_equal(s.usage.ns[IDLE], far - far / 2);
}

TEST(covered_time_is_known_at_every_moment)
{
	static const wl_ns times[] = { -50, 0, 5, 10, 15, 20, 20, 25, 30, 45, 60, 99 };
	static const wl_ns want[] = { 0, 0, 5, 10, 10, 10, 10, 15, 20, 25, 25, 25 };
	wl_ns got[WL_COUNT(times)];
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 10);
	copy(&s, 10, 20); /* not asked for */
	comm(&s, 20, 30);
	compute(&s, 40, 45);
	copy(&s, 40, 60);
	seal(&s);
	memset(got, 0xff, sizeof(got));
	look_at(&s, 0);
	wl_sweep_covered(&s.activity, s.scope.device[0], WL_ON_COMPUTE | WL_ON_COMM, times,
			 WL_COUNT(times), got);
	for (size_t i = 0; i < WL_COUNT(times); i++)
		assert_int_equal(got[i], want[i]);
	wl_sweep_covered(&s.activity, s.scope.device[0], WL_ON_COPY, NULL, 0, NULL);
}

TEST(covered_time_is_counted_from_the_window)
{
	static const wl_ns times[] = { 0, 5, 7, 12, 100 };
	static const wl_ns want[] = { 0, 0, 2, 3, 3 };
	wl_ns got[WL_COUNT(times)];
	WITH(struct swept, s, release, mem_init(&s.mem));

	compute(&s, 0, 8);
	compute(&s, 20, 30); /* after the window */
	seal(&s);
	mem_scope_window(&s.scope, s.trace, 5, 15);
	look_at(&s, 0);
	wl_sweep_covered(&s.activity, s.scope.device[0], WL_ON_KERNEL, times, WL_COUNT(times), got);
	for (size_t i = 0; i < WL_COUNT(times); i++)
		assert_int_equal(got[i], want[i]);
}

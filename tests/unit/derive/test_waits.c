/* SPDX-License-Identifier: MIT */
#include "derive/use/waits.h"

#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

static void wait_for(struct mem *m, wl_ns at, unsigned pid, unsigned corr)
{
	MEM_API(m, .start = at, .end = at + 5, .pid = pid, .corr = corr,
		.name = "cudaStreamSynchronize");
}

static void kernel(struct mem *m, wl_ns start, wl_ns end, unsigned pid, unsigned device)
{
	MEM_OP(m, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .device = device);
}

static void row(struct mem *m, unsigned pid, unsigned device, unsigned corr, uint8_t kind)
{
	MEM_OP(m, WL_F_SYNCS, .start = 1, .end = 2, .pid = pid, .device = device, .corr = corr,
	       .kind = kind);
}

/* Devices in order: pid 1 ordinals 0 and 1, pid 2 ordinal 0. */
TEST(a_wait_finds_its_device)
{
	static const uint32_t want[] = { 0, 1, WL_NONE, WL_NONE, 1, 0, 2, WL_NONE };
	struct wl_waits waits;
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	WITH(struct mem, m, mem_release, mem_init(&m));

	kernel(&m, 0, 10, 1, 0);
	kernel(&m, 0, 10, 1, 1);
	kernel(&m, 5, 20, 1, 1);
	kernel(&m, 0, 10, 2, 0);
	wait_for(&m, 0, 1, 1); /* by its row */
	row(&m, 1, 0, 1, WL_SYNC_STREAM);
	wait_for(&m, 10, 1, 2); /* by the first of its rows that makes the host wait */
	row(&m, 1, 0, 2, WL_SYNC_STREAM_WAITS);
	row(&m, 1, 1, 2, WL_SYNC_EVENT);
	wait_for(&m, 20, 1, 3); /* a row of another process says nothing */
	row(&m, 2, 0, 3, WL_SYNC_CONTEXT);
	wait_for(&m, 30, 1, 0); /* no row, and two devices */
	/* A copy waits for the device it was made on. */
	MEM_API(&m, .start = 40, .end = 45, .pid = 1, .corr = 7, .name = "cudaMemcpy");
	MEM_OP(&m, WL_F_MEMCPYS, .start = 41, .end = 44, .pid = 1, .device = 1, .corr = 7);
	/* One that was made on two waits for the first of them. */
	MEM_API(&m, .start = 47, .end = 49, .pid = 1, .corr = 8, .name = "cudaMemcpy");
	for (unsigned device = 0; device < 2; device++)
		MEM_OP(&m, WL_F_MEMCPYS, .start = 48, .end = 49, .pid = 1, .device = device,
		       .corr = 8);
	wait_for(&m, 50, 2,
		 9); /* the process's only device; its row names one without operations */
	row(&m, 2, 5, 9, WL_SYNC_STREAM);
	wait_for(&m, 60, 3, 9);                        /* a process without devices */
	MEM_API(&m, .start = 70, .end = 71, .pid = 1); /* no wait */
	(void)mem_seal(&m);
	assert_true(wl_waits_find(&m.derived, &arena, &waits));
	assert_int_equal(waits.n, WL_COUNT(want));
	for (size_t i = 0; i < waits.n; i++)
		assert_int_equal(waits.device[i], want[i]);
	assert_true(wl_intervals_length(&waits.on[1]) == 24);
	assert_true(wl_intervals_covered(&waits.on[1], 15, 43) == 7);
}

/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "derive/kinds/classes.h"
#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/random.h"
#include "support/unit.h"

enum { DEVICE_MEMORY = 2 };

static void copy(struct asked *x, wl_ns start, wl_ns end, int64_t bytes)
{
	MEM_OP(&x->mem, WL_F_MEMCPYS, .start = start, .end = end, .kind = WL_COPY_H2D,
	       .src = WL_MEMORY_PINNED, .dst = DEVICE_MEMORY, .bytes = bytes);
}

/* A class holds its lower bound and not its upper one; the smallest come first. */
TEST(sizes_have_classes)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));
	static const struct {
		int64_t bytes;
		const char *name;
	} all[] = {
		{ 1000000000, "1 GB and more" },
		{ 999999999, "100 MB to 1 GB" },
		{ 0, "below 1 kB" },
		{ 999, "below 1 kB" },
		{ 1000, "1 to 10 kB" },
		{ 9999, "1 to 10 kB" },
		{ INT64_MAX / 4, "1 GB and more" },
	};

	for (size_t i = 0; i < WL_COUNT(all); i++)
		copy(&x, (wl_ns)i * 100, (wl_ns)i * 100 + 10, all[i].bytes);
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 900, .end = 905, .kind = DEVICE_MEMORY,
	       .bytes = 5000);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ NULL, "size", NULL });
	assert_int_equal(x.a.table.n_rows, 5);
	expect_cells(&x.a, 0, "size=below 1 kB; ops=2; bytes=999");
	expect_cells(&x.a, 1, "size=1 to 10 kB; kind=HtoD; exposed=20");
	assert_string_equal(answer_str(&x.a, 2, "kind"), "memset");
	assert_string_equal(answer_str(&x.a, 3, "size"), "100 MB to 1 GB");
	expect_cells(&x.a, 4, "size=1 GB and more; sum=20");
}

TEST(sizes_times_and_rates_are_summed)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	copy(&x, 0, 10, 100);
	copy(&x, 5, 25, 500);
	copy(&x, 40, 40, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(
		&x.a, 0,
		"kind=HtoD; src=pinned; dst=device; ops=3; bytes=600; sum=30; busy=25; exposed=25; "
		"avg_size=200; p50_size=100; min_size=0; max_size=500; min=0; max=20");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 600e9 / 30);
}

static void copy_of_kind(struct asked *x, wl_ns start, wl_ns end, uint8_t kind, uint8_t across)
{
	MEM_OP(&x->mem, WL_F_MEMCPYS, .start = start, .end = end, .kind = kind, .across = across);
}

/* Copies within a device count with compute, as memory sets do: they hide, and are not hidden. */
TEST(only_copies_that_leave_a_device_are_exposed)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	copy_of_kind(&x, 0, 100, WL_COPY_D2D, 0);
	copy_of_kind(&x, 90, 120, WL_COPY_H2D, 0); /* hidden for 10 */
	copy_of_kind(&x, 200, 250, WL_COPY_P2P, 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "kind"), "DtoD");
	assert_false(answer_is_set(&x.a, 0, "exposed"));
	expect_i64(&x.a, 0, "busy", 100);
	expect_i64(&x.a, 1, "exposed", 50);
	expect_cells(&x.a, 2, "kind=HtoD; exposed=20");
}

/* Of a group with both, those between devices are what can be exposed. */
TEST(copies_between_devices_are_exposed_by_any_kind)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	copy_of_kind(&x, 0, 100, WL_COPY_D2D, 0);
	copy_of_kind(&x, 80, 130, WL_COPY_D2D, 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "busy=130; exposed=30");
}

TEST(migrations_inside_kernels_are_told)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	MEM_OP(&x.mem, WL_F_KERNELS, .start = 0, .end = 100);
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 60, .end = 80, .device = 1);
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 100, .end = 150);
	copy_of_kind(&x, 10, 30, WL_COPY_UVM_H2D, 0);
	copy_of_kind(&x, 20, 40, WL_COPY_UVM_H2D, 0);  /* 10 more */
	copy_of_kind(&x, 90, 115, WL_COPY_UVM_H2D, 0); /* 10 before the kernel's end */
	copy_of_kind(&x, 150, 160, WL_COPY_UVM_D2H, 0);
	copy_of_kind(&x, 0, 5, WL_COPY_D2H, 0); /* no migration */
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0, "kind=managed HtoD; inside_kernels=40; busy=55; exposed=0");
	expect_cells(&x.a, 2, "kind=managed DtoH; inside_kernels=0; exposed=10");
	assert_false(answer_is_set(&x.a, 1, "inside_kernels"));
	assert_false(answer_is_set(&x.a, 3, "inside_kernels"));
	assert_true(answer_has_note(&x.a, "40 ns of 65 ns of migration time is inside kernels"));
}

TEST(no_time_has_no_rate)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	copy(&x, 5, 5, 100);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "bandwidth"));
	expect_i64(&x.a, 0, "busy", 0);
}

TEST(copies_are_grouped_by_kind_memories_and_device)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));
	unsigned n = 0;

	for (unsigned i = 0; i < 16; i++) { /* the later, the longer */
		wl_ns at = 100 * (wl_ns)i;

		MEM_OP(&x.mem, WL_F_MEMCPYS, .start = at, .end = at + i, .device = i / 8,
		       .kind = i / 4 % 2 ? WL_COPY_H2D : WL_COPY_D2H, .src = (uint8_t)(i / 2 % 2),
		       .dst = i % 2 ? WL_NO_U8 : DEVICE_MEMORY);
		n++;
	}
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, n);
	for (unsigned row = 0; row < n; row++) {
		unsigned i = n - 1 - row;

		expect_i64(&x.a, row, "sum", i);
		expect_i64(&x.a, row, "device", i / 8);
		assert_string_equal(answer_str(&x.a, row, "kind"), i / 4 % 2 ? "HtoD" : "DtoH");
		assert_string_equal(answer_str(&x.a, row, "src"),
				    i / 2 % 2 ? "pinned" : "pageable");
		assert_int_equal(answer_is_set(&x.a, row, "dst"), i % 2 == 0);
	}
}

TEST(codes_that_nobody_knows_are_one_group)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	for (uint8_t i = 0; i < 3; i++)
		MEM_OP(&x.mem, WL_F_MEMCPYS, .start = i, .end = 9, .kind = (uint8_t)(100 + i),
		       .src = (uint8_t)(50 + i), .dst = WL_NO_U8);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0, "kind=unknown; src=unknown; ops=3");
}

TEST(memory_sets_are_compute_and_have_no_exposed_time)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 10, .end = 40, .kind = DEVICE_MEMORY, .bytes = 64);
	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 20, .end = 30, .kind = DEVICE_MEMORY, .bytes = 64);
	copy(&x, 30, 50, 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "kind=memset; dst=device");
	assert_false(answer_is_set(&x.a, 0, "src"));
	assert_false(answer_is_set(&x.a, 0, "exposed"));
	expect_cells(&x.a, 0, "sum=40; busy=30");
	expect_i64(&x.a, 1, "exposed", 10); /* hidden behind the first set */
}

TEST(what_a_call_says_is_absent_without_calls)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	copy(&x, 0, 10, 100);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "async_pageable"));
	assert_false(answer_is_set(&x.a, 0, "small_blocking"));
}

/* A copy from this memory by this call, all in one group per memory. */
static void launched(struct asked *x, unsigned corr, uint8_t src, const char *name, int64_t bytes)
{
	wl_ns at = 100 * (wl_ns)corr;

	MEM_OP(&x->mem, WL_F_MEMCPYS, .start = at, .end = at + 10 + src, .corr = corr,
	       .kind = WL_COPY_H2D, .src = src, .dst = DEVICE_MEMORY, .bytes = bytes);
	if (name)
		MEM_API(&x->mem, .start = corr, .end = corr + 1, .corr = corr, .name = name);
}

TEST(calls_that_block_are_counted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));
	static const char *const small[] = { "1000", NULL, NULL };

	launched(&x, 1, WL_MEMORY_PAGEABLE, "cudaMemcpyAsync", 1000);  /* both */
	launched(&x, 2, WL_MEMORY_PAGEABLE, "cudaMemcpy", 1000);       /* small, blocking */
	launched(&x, 3, WL_MEMORY_PAGEABLE, "cudaMemcpyAsync", 70000); /* async, pageable */
	launched(&x, 4, WL_MEMORY_PAGEABLE, "cudaMemcpy", 70000);
	launched(&x, 5, WL_MEMORY_PAGEABLE, NULL, 1); /* nobody knows */
	launched(&x, 6, WL_MEMORY_PINNED, "cudaMemcpyAsync", 1000);
	launched(&x, 7, WL_MEMORY_PINNED, "cuMemcpyHtoD", 65536); /* small, blocking */
	launched(&x, 8, WL_MEMORY_PINNED, "cuMemcpyHtoD", 65537);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "src=pageable; async_pageable=2; small_blocking=2");
	expect_cells(&x.a, 1, "async_pageable=0; small_blocking=1");
	ask(&x, small);
	expect_i64(&x.a, 0, "small_blocking", 2);
	expect_i64(&x.a, 1, "small_blocking", 0);
	ask_window(&x, 0, 250); /* only the first two */
	expect_cells(&x.a, 0, "async_pageable=1; small_blocking=2");
}

TEST(either_side_may_be_pageable)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	MEM_OP(&x.mem, WL_F_MEMCPYS, .end = 5, .corr = 1, .kind = WL_COPY_D2H, .src = DEVICE_MEMORY,
	       .dst = WL_MEMORY_PAGEABLE);
	MEM_API(&x.mem, .end = 1, .corr = 1, .name = "cudaMemcpyAsync");
	ask(&x, NULL);
	expect_cells(&x.a, 0, "async_pageable=1; small_blocking=1");
}

TEST(ties_are_in_order_of_the_keys)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "transfers"));

	MEM_OP(&x.mem, WL_F_MEMSETS, .start = 1, .end = 5);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .end = 4, .device = 1, .kind = 1);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .end = 4, .kind = 8);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .end = 4, .kind = 1);
	ask(&x, NULL);
	assert_string_equal(answer_str(&x.a, 0, "kind"), "HtoD");
	assert_string_equal(answer_str(&x.a, 1, "kind"), "DtoD");
	assert_string_equal(answer_str(&x.a, 2, "kind"), "memset");
	expect_i64(&x.a, 3, "device", 1);
}

/* One nanosecond at a time, does a copy of the kind run, and does anything hide it? */
static void expect_exposed(const struct asked *x, size_t row, wl_ns begin, wl_ns end)
{
	const struct wl_trace *t = x->q.trace;
	int64_t device = answer_i64(&x->a, row, "device"), busy = 0, exposed = 0;
	const char *kind = answer_str(&x->a, row, "kind");

	for (wl_ns now = begin; now < end; now++) {
		bool runs = false, hidden = false;

		for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
			struct wl_ops ops = wl_trace_ops(t, wl_op_families[f]);
			bool is_copy = wl_op_families[f] == WL_F_MEMCPYS;

			for (size_t i = 0; i < ops.n; i++) {
				if (t->places[ops.place[i]].device != device ||
				    ops.start[i] > now || ops.start[i] + ops.dur[i] <= now)
					continue;
				hidden = hidden || !is_copy;
				runs = runs ||
				       (is_copy && strcmp(wl_copy_kind_name(wl_memcpys_kind(t)[i]),
							  kind) == 0);
			}
		}
		busy += runs;
		exposed += runs && !hidden;
	}
	expect_i64(&x->a, row, "busy", busy);
	expect_i64(&x->a, row, "exposed", exposed);
}

TEST(exposed_time_equals_a_look_at_each_nanosecond)
{
	static const char *const names[] = { "gemm", "ncclDevKernel_X" };
	uint64_t seed = 1;

	for (int round = 0; round < 40; round++) {
		struct asked x;

		asked_init(&x, "transfers");
		for (int i = 0; i < 25; i++) {
			wl_ns start = random_between(&seed, -70, 30);

			MEM_OP(&x.mem, random_below(&seed, 3) ? WL_F_MEMCPYS : WL_F_KERNELS,
			       .start = start, .end = start + random_below(&seed, 12),
			       .device = random_below(&seed, 2),
			       .name = names[random_below(&seed, 2)],
			       .kind = (uint8_t)(1 + random_below(&seed, 2)));
		}
		mem_op(&x.mem, WL_F_MEMCPYS, /* so that there is one */
		       &(struct mem_op){ .start = 50, .end = 51, .kind = 1 });
		ask_window(&x, -60, 60);
		for (size_t row = 0; row < x.a.table.n_rows; row++)
			expect_exposed(&x, row, -60, 60);
		asked_release(&x);
	}
}

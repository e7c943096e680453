/* SPDX-License-Identifier: MIT */
/* The verb metrics: which GPU, which time. */
#include "analysis/analysis.h"

#include <string.h>

#include "support/answer.h"
#include "support/unit.h"

static void kernel(struct asked *x, unsigned pid, wl_ns start, wl_ns end, const char *name)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .pid = pid, .name = name);
}

/* GPU 3 of nsys is device 0, GPU 5 device 1; GPU 7 runs nothing, GPU 9 is not listed. */
static void begin(struct asked *x)
{
	asked_init(x, "metrics");
	mem_gpu(&x->mem, 3, 100);
	mem_gpu(&x->mem, 5, 101);
	mem_gpu(&x->mem, 7, 102);
	kernel(x, 100, 0, 40, "gemm");
	kernel(x, 100, 60, 100, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	kernel(x, 101, 0, 100, "gemm");
}

static void samples(struct asked *x, unsigned gpu, int64_t first)
{
	for (wl_ns t = 0; t < 100; t += 20)
		mem_metric(&x->mem, gpu, "SMs Active [Throughput %]", t, first + t);
}

TEST(a_gpu_is_found_by_its_number)
{
	WITH(struct asked, x, asked_release, begin(&x));

	samples(&x, 5, 10);
	samples(&x, 9, 0);
	samples(&x, 3, 0);
	samples(&x, 7, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0, "device=0; gpu_id=3");
	expect_i64(&x.a, 1, "device", 1);
	assert_true(answer_f64(&x.a, 1, "mean") == 50.0);
	assert_false(answer_is_set(&x.a, 2, "device"));
	expect_i64(&x.a, 2, "gpu_id", 7);
	expect_cells(&x.a, 3, "gpu_id=9; covered=100");
	assert_true(answer_has_note(&x.a, "without recorded work"));
	/* With a choice of devices others are left out. */
	x.scope.device_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "device", 1);
}

TEST(categories_have_the_time_in_which_they_run)
{
	WITH(struct asked, x, asked_release, begin(&x));
	static const char *const by[WL_MAX_PARAMS] = { "category" };

	samples(&x, 3, 0);
	ask(&x, by);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "category"), "communication");
	assert_true(answer_f64(&x.a, 0, "mean") == 70.0);
	assert_string_equal(answer_str(&x.a, 1, "category"), "gemm");
	assert_true(answer_f64(&x.a, 1, "mean") == 10.0);
	assert_string_equal(answer_str(&x.a, 2, "category"), "(idle)");
	assert_true(answer_f64(&x.a, 2, "mean") == 40.0);
	expect_i64(&x.a, 2, "length", 20);
}

TEST(a_window_cuts_samples)
{
	WITH(struct asked, x, asked_release, begin(&x));

	samples(&x, 3, 0);
	ask(&x, NULL);
	ask_window(&x, 10, 30);
	expect_cells(&x.a, 0, "samples=2; covered=20");
	assert_true(answer_f64(&x.a, 0, "mean") == 10.0);
	ask_window(&x, 50, 200);
	expect_cells(&x.a, 0, "covered=50; length=150");
}

static void adapter(struct asked *x, const char *name, const char *unit)
{
	for (wl_ns t = 0; t < 100; t += 20)
		mem_nic_metric(&x->mem, &(struct mem_nic_sample){ "mlx5_0", name, unit, t, t + 20,
								  1000 + t });
}

/* An adapter is of no GPU, and its rate needs no peak. */
TEST(an_adapter_has_a_row_of_its_own)
{
	WITH(struct asked, x, asked_release, begin(&x));

	samples(&x, 3, 0);
	adapter(&x, "IB: Send waits", "ticks/ms");
	adapter(&x, "IB: Bytes sent", "bytes/ms");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_false(answer_is_set(&x.a, 0, "nic"));
	assert_false(answer_is_set(&x.a, 1, "device"));
	assert_false(answer_is_set(&x.a, 1, "gpu_id"));
	expect_cells(&x.a, 1, "nic=mlx5_0:1; metric=IB: Bytes sent; unit=bytes/ms");
	assert_true(answer_f64(&x.a, 1, "mean") == 1040.0);
	assert_true(answer_f64(&x.a, 1, "rate") == 1040000.0);
	assert_false(answer_is_set(&x.a, 2, "rate"));
	assert_false(answer_has_note(&x.a, "without recorded work"));
	/* One selected GPU is enough. */
	x.scope.device_on[0] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
}

TEST(an_adapter_is_shown_in_the_times_of_each_gpu)
{
	WITH(struct asked, x, asked_release, begin(&x));
	static const char *const by[WL_MAX_PARAMS] = { "category" };

	adapter(&x, "IB: Bytes sent", "bytes/ms");
	ask(&x, by);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0, "device=0; category=communication");
	assert_true(answer_f64(&x.a, 0, "mean") == 1070.0);
	assert_string_equal(answer_str(&x.a, 2, "category"), "(idle)");
	expect_cells(&x.a, 3, "device=1; category=gemm");
	assert_true(answer_f64(&x.a, 3, "mean") == 1040.0);
}

TEST(without_samples_the_flag_is_named)
{
	WITH(struct asked, x, asked_release, begin(&x));

	assert_non_null(strstr(ask_in_vain(&x), "--gpu-metrics-devices"));
}

/* So many kernels of 30 ns with 30 ns between them, in the first of which are 10 ns of another. */
static void alternate(struct asked *x, wl_ns n)
{
	static const char *const by[WL_MAX_PARAMS] = { "category" };

	asked_init(x, "metrics");
	mem_gpu(&x->mem, 3, 100);
	for (wl_ns i = 0; i < n; i++)
		kernel(x, 100, 60 * i, 60 * i + 30, "gemm");
	kernel(x, 100, 30, 40, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	for (wl_ns t = 0; t < 60 * n; t += 20)
		mem_metric(&x->mem, 3, "SMs Active [Throughput %]", t, 50);
	ask(x, by);
}

/* Of 3 + 1 + 2 times one is shorter than 20 ns; of 60 + 1 + 59 as well. */
TEST(how_many_times_are_shorter_than_the_period_is_said)
{
	struct asked x;

	alternate(&x, 3);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_true(answer_has_note(&x.a, "16.7% of these intervals are shorter than the sampling "
					  "period"));
	asked_release(&x);
	alternate(&x, 60);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_false(answer_has_note(&x.a, "sampling period"));
	asked_release(&x);
}

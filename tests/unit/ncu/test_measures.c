/* SPDX-License-Identifier: MIT */
#include "ncu/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ncu/bound.h"
#include "ncu/kernel_rows.h"
#include "ncu/read.h"
#include "support/unit.h"

enum { BUDGET = 1 << 20 };

static struct wl_arena arena;
static struct wl_ncu ncu;

#define NO_FLOP                                                                                    \
	"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum=0 "                                   \
	"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum=0 "                                   \
	"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum=0 "                                   \
	"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum=0 "                                   \
	"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum=0 "                                   \
	"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum=0 "
#define FP32(add, mul, fma)                                                                        \
	"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum=" #add " "                            \
	"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum=" #mul " "                            \
	"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=" #fma " "
#define SM     "sm__throughput.avg.pct_of_peak_sustained_elapsed="
#define MEMORY "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed="
#define DRAM   "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed="
#define TENSOR "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed="
#define WAVES  "launch__waves_per_multiprocessor="
#define LIMIT  "launch__occupancy_limit_"

/* A page of one launch: "NAME=VALUE NAME=VALUE" of a GPU of this compute capability. */
static void load(const char *cc, const char *metrics)
{
	char names[4096] = "ID,Kernel Name,CC", values[1024] = "0,k", copy[4096], page[8192];
	struct wl_err err = { .code = WL_OK };
	char *rest = copy, *word;

	(void)snprintf(copy, sizeof(copy), "%s", metrics);
	(void)snprintf(values + strlen(values), sizeof(values) - strlen(values), ",%s", cc);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		(void)snprintf(names + strlen(names), sizeof(names) - strlen(names), ",%s", word);
		(void)snprintf(values + strlen(values), sizeof(values) - strlen(values), ",%s",
			       value);
	}
	(void)snprintf(page, sizeof(page), "%s\n%s\n", names, values);
	wl_arena_init(&arena, BUDGET);
	if (wl_ncu_parse("x", (const unsigned char *)page, strlen(page), &arena, &ncu, &err) < 0)
		fail_msg("%s", err.msg);
}

static struct wl_ncu_measures measure(const char *cc, const char *metrics)
{
	struct wl_ncu_terms terms;
	struct wl_ncu_measures m;

	load(cc, metrics);
	assert_true(wl_ncu_terms_find(&ncu, &arena, &terms));
	wl_ncu_measure(&ncu, &terms, wl_ncu_launch(&ncu, 0), &m);
	wl_ncu_release(&ncu);
	wl_arena_release(&arena);
	return m;
}

static struct wl_ncu_work work(const char *cc, const char *metrics)
{
	struct wl_ncu_measures m = measure(cc, metrics);
	struct wl_ncu_work w;

	wl_ncu_work_of(&m, &w);
	return w;
}

TEST(shares_are_of_one_and_absent_values_unknown)
{
	struct wl_ncu_measures m = measure("8.6", SM "50 " DRAM "12.5");

	assert_float_equal(m.of[WL_NCU_SM_SHARE], 0.5, 1e-9);
	assert_float_equal(m.of[WL_NCU_DRAM_SHARE], 0.125, 1e-9);
	assert_true(isnan(m.of[WL_NCU_DURATION]));
	assert_true(isnan(m.of[WL_NCU_OCCUPANCY]));
}

TEST(counters_are_counts_or_rates)
{
	assert_float_equal(work("8.6", "dram__bytes.sum=640").dram_bytes, 640, 0);
	assert_float_equal(
		work("8.6", "dram__bytes_read.sum=600 dram__bytes_write.sum=40").dram_bytes, 640,
		0);
	/* 2 us at 3 GB/s; 2 us of 1.5 GHz at 4 bytes per cycle */
	assert_float_equal(work("8.6", "gpu__time_duration.sum=2000 dram__bytes.sum.per_second=3e9")
				   .dram_bytes,
			   6000, 1e-6);
	assert_float_equal(work("8.6", "gpu__time_duration.sum=2000 "
				       "dram__cycles_elapsed.avg.per_second=1.5e9 "
				       "sm__cycles_elapsed.avg.per_second=7e9 "
				       "dram__bytes.sum.per_cycle_elapsed=4")
				   .dram_bytes,
			   12000, 1e-6);
	assert_true(isnan(work("8.6", "dram__bytes.sum.per_second=3e9").dram_bytes));
	assert_float_equal(work("8.6", "dram__bytes.sum.peak_sustained=96 "
				       "dram__cycles_elapsed.avg.per_second=6e9")
				   .dram_roof,
			   576e9, 1);
}

TEST(an_fma_is_two_operations)
{
	struct wl_ncu_work w = work("8.6", NO_FLOP FP32(10, 20, 300) TENSOR "0");

	assert_float_equal(w.flop[WL_NCU_FP32], 630, 0);
	assert_float_equal(w.total_flop, 630, 0);
}

TEST(busy_tensor_cores_without_counts_leave_the_total_open)
{
	struct wl_ncu_work w = work("8.6", NO_FLOP FP32(10, 20, 300) TENSOR "40");

	assert_float_equal(w.flop[WL_NCU_FP32], 630, 0);
	assert_true(isnan(w.total_flop));
	assert_true(isnan(work("8.6", NO_FLOP FP32(1, 1, 1)).total_flop));
}

TEST(types_of_tensor_cores_add_up_by_chip)
{
	static const char ops[] = NO_FLOP FP32(0, 0, 0) TENSOR
		"40 sm__ops_path_tensor_src_fp16_dst_fp32.sum=1000 "
		"sm__ops_path_tensor_src_fp16_dst_fp16.sum=200 "
		"sm__ops_path_tensor_src_bf16_dst_fp32.sum=30 sm__ops_path_tensor_src_fp16.sum=5 "
		"sm__ops_path_tensor_src_int8.sum=7 "
		"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum=1000";

	assert_float_equal(work("8.0", ops).flop[WL_NCU_TENSOR_FP16], 1230, 0);
	assert_float_equal(work("8.0", ops).total_flop, 1230, 0);
	assert_float_equal(work("8.0", ops).flop[WL_NCU_TENSOR_INT8], 7, 0);
	assert_float_equal(work("7.5", ops).flop[WL_NCU_TENSOR_FP16], 200, 0);
	assert_float_equal(work("9.0", ops).flop[WL_NCU_TENSOR_FP16], 35, 0);
	assert_float_equal(work("10.0", ops).flop[WL_NCU_TENSOR_FP16], 1230, 0);
}

static void check_bound(const char *metrics, const char *want)
{
	struct wl_ncu_measures m = measure("8.6", metrics);
	const char *got = wl_ncu_bound(&m);

	if (want ? !got || strcmp(got, want) != 0 : got != NULL)
		fail_msg("%s: %s", metrics, got ? got : "none");
}

TEST(classes_follow_the_thresholds_of_ncu)
{
	check_bound(SM "59 " MEMORY "59 " WAVES "0.9", "small grid");
	check_bound(SM "59 " MEMORY "59 " WAVES "1", "latency");
	check_bound(SM "59 " MEMORY "59", "latency");
	check_bound(SM "60 " MEMORY "51 " WAVES "0.5", "balanced");
	check_bound(SM "60 " MEMORY "50", "compute");
	check_bound(SM "50 " MEMORY "61 " DRAM "61", "DRAM");
	check_bound(SM "50 " MEMORY "61 " DRAM "40", "cache");
	check_bound(SM "50 " MEMORY "61", "cache");
	check_bound(SM "50 " DRAM "90", "DRAM");
	check_bound(SM "95 " MEMORY "90", "balanced");
	check_bound(SM "95", NULL);
	check_bound(MEMORY "95", NULL);
}

static void check_limiter(const char *metrics, const char *want)
{
	struct wl_ncu_measures m = measure("8.6", metrics);
	char buf[WL_NCU_LIMITER_CAP];
	const char *got = wl_ncu_limiter(&m, buf);

	if (want ? !got || strcmp(got, want) != 0 : got != NULL)
		fail_msg("%s: %s", metrics, got ? got : "none");
}

TEST(the_fewest_blocks_limit_occupancy)
{
	check_limiter(LIMIT "registers=2 " LIMIT "shared_mem=3 " LIMIT "warps=3 " LIMIT "blocks=16",
		      "registers");
	check_limiter(LIMIT "registers=2 " LIMIT "shared_mem=2 " LIMIT "warps=3",
		      "registers, shared memory");
	check_limiter(LIMIT "registers=9 " LIMIT "warps=3 " LIMIT "barriers=4", "block size");
	check_limiter("sm__maximum_warps_per_active_cycle_pct=100 " LIMIT "warps=3", NULL);
	check_limiter(SM "1", NULL);
}

/* Two launches of k with one grid, of 100 ns at 20% and of 300 ns at 60%; one with another. */
TEST(launches_of_one_configuration_are_a_row)
{
	static const char page[] = "ID,Kernel Name,Grid Size,gpu__time_duration.sum,"
				   "sm__throughput.avg.pct_of_peak_sustained_elapsed\n"
				   "0,k,\"(2, 1, 1)\",100,20\n"
				   "1,k,\"(4, 1, 1)\",50,10\n"
				   "2,k,\"(2, 1, 1)\",300,60\n";
	struct wl_err err = { .code = WL_OK };
	struct wl_ncu_rows rows;

	wl_arena_init(&arena, BUDGET);
	assert_int_equal(wl_ncu_parse("x", (const unsigned char *)page, sizeof(page) - 1, &arena,
				      &ncu, &err),
			 WL_OK);
	assert_true(wl_ncu_rows_find(&ncu, false, &arena, &rows));
	assert_int_equal(rows.n, 2);
	assert_float_equal(rows.total_ns, 450, 0);
	assert_int_equal(rows.row[0].n_launches, 2);
	assert_int_equal(rows.row[0].launch->id, 0);
	assert_float_equal(rows.row[0].work.ns, 400, 0);
	assert_float_equal(rows.row[0].mean.of[WL_NCU_SM_SHARE], 0.5, 1e-9);
	assert_int_equal(rows.row[1].launch->id, 1);
	assert_true(wl_ncu_rows_find(&ncu, true, &arena, &rows));
	assert_int_equal(rows.n, 3);
	assert_int_equal(rows.row[2].launch->id, 2);
	wl_ncu_release(&ncu);
	wl_arena_release(&arena);
}

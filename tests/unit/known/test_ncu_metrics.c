/* SPDX-License-Identifier: MIT */
#include "known/gpus/ncu_metrics.h"

#include <string.h>

#include "support/unit.h"

TEST(metrics_are_found_with_their_suffix)
{
	size_t line, suffix;

	assert_true(wl_ncu_metric_known("gpu__time_duration.sum", &line, &suffix));
	assert_int_equal(wl_ncu_metrics[line].meaning, WL_NCU_DURATION);
	assert_true(wl_ncu_metric_known("dram__bytes.sum.per_second", &line, &suffix));
	assert_int_equal(wl_ncu_metrics[line].meaning, WL_NCU_DRAM_BYTES);
	assert_int_equal(suffix, WL_NCU_PER_SECOND);
	assert_true(wl_ncu_metric_known("dram__bytes_read.sum", &line, &suffix));
	assert_int_equal(wl_ncu_metrics[line].meaning, WL_NCU_DRAM_READ);
	assert_true(wl_ncu_metric_known("dram__bytes.sum.peak_sustained", &line, &suffix));
	assert_int_equal(wl_ncu_metrics[line].meaning, WL_NCU_DRAM_WIDTH);
	assert_false(wl_ncu_metric_known("dram__bytes", &line, &suffix));
	assert_false(wl_ncu_metric_known("dram__bytes.avg", &line, &suffix));
	assert_false(wl_ncu_metric_known("gpu__time_duration.sum.x", &line, &suffix));
	assert_false(wl_ncu_metric_known("", &line, &suffix));
}

TEST(variants_of_tensor_operations_are_parts_of_totals)
{
	size_t line, suffix;

	assert_true(wl_ncu_metric_known("sm__ops_path_tensor_src_fp16.sum", &line, &suffix));
	assert_false(wl_ncu_metric_known("sm__ops_path_tensor_src_fp16_sparsity_on.sum", &line,
					 &suffix));
	assert_false(wl_ncu_metric_known("sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32.sum", &line,
					 &suffix));
}

TEST(a_chip_is_the_newest_that_is_not_newer)
{
	assert_int_equal(wl_ncu_chip_of(0), WL_NCU_GV100);
	assert_int_equal(wl_ncu_chip_of(70), WL_NCU_GV100);
	assert_int_equal(wl_ncu_chip_of(75), WL_NCU_TU102);
	assert_int_equal(wl_ncu_chip_of(80), WL_NCU_GA100);
	assert_int_equal(wl_ncu_chip_of(86), WL_NCU_GA102);
	assert_int_equal(wl_ncu_chip_of(87), WL_NCU_GA102);
	assert_int_equal(wl_ncu_chip_of(89), WL_NCU_AD102);
	assert_int_equal(wl_ncu_chip_of(90), WL_NCU_GH100);
	assert_int_equal(wl_ncu_chip_of(100), WL_NCU_GB100);
	assert_int_equal(wl_ncu_chip_of(120), WL_NCU_GB100);
}

/* What tensor cores take: no type of a chip is counted by two lines. */
TEST(every_chip_has_every_meaning_but_types_it_lacks)
{
	for (size_t chip = 0; chip < WL_NCU_N_CHIPS; chip++) {
		bool has[WL_NCU_N_MEANINGS] = { false };

		for (size_t i = 0; i < WL_NCU_N_METRICS; i++) {
			if (wl_ncu_metrics[i].chips >> chip & 1)
				has[wl_ncu_metrics[i].meaning] = true;
		}
		for (size_t m = 0; m < WL_NCU_OPS_FP64; m++)
			assert_true(has[m]);
		assert_true(has[WL_NCU_OPS_FP16]);
		assert_int_equal(has[WL_NCU_OPS_FP8], chip >= WL_NCU_AD102);
		assert_int_equal(has[WL_NCU_OPS_FP4], chip >= WL_NCU_GB100);
		assert_int_equal(has[WL_NCU_OPS_TF32], chip >= WL_NCU_GA100);
	}
}

/* SPDX-License-Identifier: MIT */
#include "known/kernels/words.h"

#include <string.h>

#include "support/unit.h"

static void expect_words(const char *name, const char *want)
{
	char buf[128];
	struct wl_words w;

	wl_words_of(name, strlen(name), buf, sizeof(buf), &w);
	assert_string_equal(w.text, want);
	assert_int_equal(w.n, strlen(want));
}

TEST(camel_case_is_taken_apart)
{
	expect_words("rmsNormLamport", "rms_norm_lamport");
	expect_words("RMSNorm", "rms_norm");
	expect_words("moeA2ADispatchKernel", "moe_a2a_dispatch_kernel");
	expect_words("topKPerRowDecode", "top_k_per_row_decode");
	expect_words("fmhaSm100fKernel_QkvBfloat16", "fmha_sm100f_kernel_qkv_bfloat16");
	expect_words("a::B<(int)2, c>", "a::b<(int)2, c>");
	expect_words("_fwd_kernel", "_fwd_kernel");
	expect_words("reduce_1Block_kernel", "reduce_1_block_kernel");
	expect_words("", "");
}

TEST(a_small_buffer_is_never_overrun)
{
	static const char name[] = "aBcDeFgH";

	for (size_t size = 1; size < 20; size++) {
		char *buf = test_malloc(size); /* exact, so that one byte more is seen */
		struct wl_words w;

		wl_words_of(name, strlen(name), buf, size, &w);
		assert_int_equal(w.n, strlen(buf));
		assert_in_range(w.n, 0, size - 1);
		test_free(buf);
	}
}

static bool matches(const char *text, const char *pattern)
{
	char buf[128];
	struct wl_words w;

	wl_words_of(text, strlen(text), buf, sizeof(buf), &w);
	return wl_words_match(&w, pattern);
}

TEST(a_pattern_is_whole_words)
{
	assert_true(matches("fused_rope_kernel", "rope"));
	assert_true(matches("rope", "rope"));
	assert_true(matches("ns::rope", "rope"));
	assert_false(matches("property", "rope"));
	assert_false(matches("ropes", "rope"));
	assert_true(matches("ropes", "rope*"));
	assert_true(matches("europe", "*rope"));
	assert_true(matches("xx_rope_rope2", "rope"));
	assert_true(matches("rope2_rope", "rope")); /* the second place fits */
	assert_true(matches("a_all_reduce_b", "all_reduce"));
	assert_false(matches("", "rope"));
	assert_true(matches("", "*"));
	assert_true(matches("x", "*"));
}

TEST(a_star_is_any_text)
{
	assert_true(matches("deep_ep::intranode::dispatch", "deep_ep::*::dispatch$"));
	assert_false(matches("deep_ep::intranode::dispatch_x", "deep_ep::*::dispatch$"));
	assert_true(matches("deep_ep::intranode::dispatch_x", "deep_ep::*::dispatch"));
	assert_false(matches("dispatch::deep_ep", "deep_ep*dispatch"));
	assert_true(matches("a_b_a_c", "a*c"));
	assert_true(matches("abc", "*b*"));
	assert_false(matches("ab", "a*ab"));
	assert_true(matches("x_gemm_y_gemm", "*gemm$"));
}

TEST(both_ends_can_be_asked_for)
{
	assert_true(matches("_fwd_kernel", "^_fwd_kernel$"));
	assert_false(matches("my_fwd_kernel", "^_fwd_kernel$"));
	assert_true(matches("nccl_dev", "^nccl*"));
	assert_false(matches("mynccl_dev", "^nccl*"));
	assert_false(matches("a::nccl_dev", "^nccl*"));
	assert_true(matches("a_fusion", "^*_fusion$"));
}

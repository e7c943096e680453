/* SPDX-License-Identifier: MIT */
#include "known/calls/steps.h"

#include "base/attr.h"

#include "support/unit.h"

TEST(words_end_at_capitals_and_marks)
{
	assert_true(wl_name_is_step("ProfilerStep##"));
	assert_true(wl_name_is_step("token_#_processing"));
	assert_true(wl_name_is_step("STEP #"));
	assert_false(wl_name_is_step("stepper"));
	assert_false(wl_name_is_step("layer #"));
	assert_true(wl_name_is_layer("TransformerLayer.#"));
	assert_true(wl_name_is_layer("block#"));
	assert_false(wl_name_is_layer("layernorm"));
	assert_false(wl_name_is_layer("step # layer #"));
	assert_false(wl_name_is_layer(""));
}

TEST(ranges_say_what_a_step_does)
{
	static const struct {
		const char *name;
		unsigned does;
	} cases[] = {
		{ "prefill", WL_DOES_PREFILL },
		{ "decode[bs=16]", WL_DOES_DECODE },
		{ "step[EXTEND bs=2 toks=12]", WL_DOES_PREFILL },
		{ "step[DECODE bs=4]", WL_DOES_DECODE },
		{ "execute_context_1(128)_generation_0(0)", WL_DOES_PREFILL },
		{ "execute_context_0(0)_generation_3(3)", WL_DOES_DECODE },
		{ "execute_context_2(64)_generation_3(3)", WL_DOES_PREFILL | WL_DOES_DECODE },
		{ "[Executor] _forward_step 7: 0 ctx reqs, 64 gen reqs", WL_DOES_DECODE },
		{ "executeStep: 12 ctx reqs, 0 gen reqs", WL_DOES_PREFILL },
		{ "ImageDecoder", 0 },
		{ " ctx reqs", 0 },
		{ "forward", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++)
		assert_int_equal(wl_range_does(cases[i].name), cases[i].does);
}

TEST(attention_kernels_say_it_too)
{
	assert_int_equal(wl_kernel_does("void flashinfer::BatchPrefillWithPagedKVCacheKernel<int>"),
			 WL_DOES_PREFILL);
	assert_int_equal(wl_kernel_does("void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>"),
			 WL_DOES_DECODE);
	assert_int_equal(wl_kernel_does("void vllm::paged_attention_v2_kernel<half>"),
			 WL_DOES_DECODE);
	assert_int_equal(wl_kernel_does("gemm"), 0);
}

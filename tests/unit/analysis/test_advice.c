/* SPDX-License-Identifier: MIT */
/* test_advice.c - lines for frameworks, and commands that show what a finding speaks of. */
#include "findings/codes.h"
#include "findings/rule.h"
#include "known/calls/frameworks.h"
#include "support/tape.h"

TEST(names_prove_frameworks)
{
	assert_int_equal(
		wl_framework_of_kernel("void at::native::vectorized_elementwise_kernel<4>"),
		WL_PYTORCH);
	assert_int_equal(wl_framework_of_kernel("triton_poi_fused_add_0"), WL_PYTORCH);
	assert_int_equal(wl_framework_of_kernel("loop_add_fusion_3"), WL_JAX);
	assert_int_equal(wl_framework_of_kernel("void loop_fusion<int>(int)"), WL_N_FRAMEWORKS);
	assert_int_equal(wl_framework_of_kernel("void vllm::rms_norm_kernel<float>"), WL_SERVING);
	assert_int_equal(wl_framework_of_kernel("sm90_xmma_gemm_bf16"), WL_N_FRAMEWORKS);
	assert_int_equal(wl_framework_of_range("aten::linear"), WL_PYTORCH);
	assert_int_equal(wl_framework_of_range("step"), WL_N_FRAMEWORKS);
	assert_int_equal(wl_framework_of_process("python3.10"), WL_N_FRAMEWORKS);
	assert_int_equal(wl_framework_of_process("VLLM::EngineCore"), WL_SERVING);
	assert_int_equal(wl_framework_of_process("jacobi"), WL_CUDA);
	assert_int_equal(wl_framework_of_process(""), WL_N_FRAMEWORKS);
}

/* Ten gaps of 20 us between launches: launch-bound, which has a line for each framework. */
static void ask_for(struct tape *t, const char *kernel)
{
	start(t);
	for (unsigned i = 0; i < 29; i++)
		launch(t, i % 3 == 1 ? kernel : unsteady(i), 20 * US, 10 * US);
	ask_all(t);
}

/* Words of a line; "" where it is empty. */
static void expect_line(struct tape *t, const char *column, const char *words)
{
	size_t row = (size_t)row_of(t, "launch-bound");

	assert_int_equal(answer_is_set(&t->x.a, row, column), *words != '\0');
	if (*words)
		expect_words(t, "launch-bound", column, words);
}

TEST(advice_is_for_the_framework_of_the_trace)
{
	static const struct {
		const char *kernel, *cuda, *pytorch, *jax, *engines;
	} cases[] = {
		{ "void at::native::kernel<4>", "", "torch.compile", "", "" },
		{ "loop_add_fusion", "", "", "compile the whole step with one jax.jit", "" },
		{ "void vllm::kernel<4>", "", "", "", "leave CUDA graphs on" },
		/* Nothing is proven: all lines, but not more than three. */
		{ "kernel_c", "cudaStreamBeginCapture", "torch.compile", "compile", "" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct tape t;

		ask_for(&t, cases[i].kernel);
		expect_line(&t, "cuda", cases[i].cuda);
		expect_line(&t, "pytorch", cases[i].pytorch);
		expect_line(&t, "jax", cases[i].jax);
		expect_line(&t, "vllm_sglang", cases[i].engines);
		finish(&t);
	}
}

/* Of 60 us one thread launches all, 20 us of them inside a range; kernel_b has 30 of the rest. */
TEST(work_without_a_range_is_named)
{
	WITH(struct tape, t, finish, start(&t));

	range(&t, "part", 0, 6 * US);
	launch(&t, "kernel_a", 5 * US, 20 * US);
	launch(&t, "kernel_a", 5 * US, 10 * US);
	launch(&t, "kernel_b", 5 * US, 30 * US);
	ask_all(&t);
	expect_words(
		&t, "low-nvtx-coverage", "finding",
		"66.7% of the kernel time is outside NVTX ranges: 40 us on GPU 0, launched by thread "
		"103");
	expect_words(&t, "low-nvtx-coverage", "finding", "largest kernel: kernel_b (75.0%)");
	expect_words(&t, "low-nvtx-coverage", "evidence", "nvtx-kernels TRACE --gpu 0");
}

/* Without any call, the capture is what to change, not when it begins. */
TEST(kernels_without_calls_ask_for_the_calls)
{
	WITH(struct tape, t, finish, start(&t));

	range(&t, "part", 0, 60 * US);
	MEM_OP(&t.x.mem, WL_F_KERNELS, .start = 10 * US, .end = 50 * US, .corr = 1,
	       .name = "kernel_a");
	ask_all(&t);
	expect_words(&t, "low-nvtx-coverage", "finding",
		     "40 us on GPU 0, because the trace has no CUDA API calls");
	expect_words(&t, "low-nvtx-coverage", "action", "Record CUDA API calls");
}

/* Step 7 of 12 waits 2 ms longer for the host, or computes 2 ms longer. */
TEST(a_slow_step_is_shown_itself)
{
	for (unsigned computes = 0; computes < 2; computes++) {
		struct tape t;

		start(&t);
		for (unsigned i = 0; i < 12; i++) {
			wl_ns begin = t.now, more = i == 7 ? 2 * MS : 0;

			launch(&t, "kernel_a", 5 * US, 300 * US + (computes ? more : 0));
			t.now += 50 * US + (computes ? 0 : more);
			launch(&t, "kernel_b", 5 * US, 300 * US);
			range(&t, "step", begin, t.now);
		}
		ask_all(&t);
		expect_words(&t, "slow-iterations", "evidence",
			     computes ? "warplens kernels TRACE --gpu 0 --window iter:7"
				      : "warplens idle TRACE --by detail --gpu 0 --window iter:7");
		finish(&t);
	}
}

/* What "explain" lists fits a line, and what findings lack is the rule's. */
TEST(rules_are_complete)
{
	enum { LINE = 55 };

	for (size_t i = 0; i < wl_n_rules; i++) {
		const struct wl_rule *rule = wl_rules[i];

		assert_string_equal(wl_finding_code(i), rule->code);
		if (strlen(rule->title) < 10 || strlen(rule->title) > LINE)
			fail_msg("rule %s: its title has %zu characters, not 10 to %d", rule->code,
				 strlen(rule->title), LINE);
		assert_string_equal(wl_finding_title(i), rule->title);
		assert_int_not_equal(rule->title[strlen(rule->title) - 1], '.');
		assert_non_null(rule->limits);
		/* A rule that finds many things has advice for each. */
		assert_true(rule->fix.action || rule->apply);
	}
	assert_null(wl_finding_code(wl_n_rules));
	assert_null(wl_finding_title(wl_n_rules));
}

/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

#include "base/text/json_read.h"
#include "support/answer.h"
#include "support/unit.h"

/* In the order of the parameters. */
enum {
	FLOPS,
	MODEL,
	SHAPE,
	TOKENS,
	SEQ,
	PASS,
	ATTENTION,
	RECOMPUTE,
	DTYPE,
	PEAK,
	GPUS,
	RANGE,
	NCU,
	BY,
	PHASE_MAP
};

/* The GPUs of the machine are all of this model. */
static void put_gpu(struct asked *x, const char *name)
{
	wl_vec_push(&x->mem.build.gpus, &(struct wl_gpu){ .ordinal = -1,
							  .name = mem_string(&x->mem, name),
							  .bus = WL_NONE,
							  .uuid = WL_NONE });
}

static void put_kernel(struct asked *x, unsigned pid, wl_ns at, wl_ns length, const char *name)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = at - 10, .end = at - 8, .pid = pid, .tid = 1, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = at, .end = at + length, .pid = pid,
	       .device = pid - 100, .stream = strcmp(name, "gemm") == 0 ? 7 : 9, .corr = corr,
	       .name = name);
}

/*
 * Steps of 100 on each GPU: gemm 20 to 60, a collective 50 to 70, twice 5 of gemm beside it. Wall
 * 100, busy 50, kernels 50 (the sum of compute kernels; 40 + 2 x 5).
 */
static void put_steps(struct asked *x, unsigned n_gpus, unsigned n_steps)
{
	for (unsigned pid = 100; pid < 100 + n_gpus; pid++) {
		for (unsigned i = 0; i < n_steps; i++) {
			wl_ns at = 1000 + 100 * (wl_ns)i;

			MEM_NVTX(&x->mem, .start = at, .end = at + 90, .pid = pid, .tid = 1,
				 .name = "step");
			put_kernel(x, pid, at + 20, 40, "gemm");
			put_kernel(x, pid, at + 50, 20, "ncclDevKernel_AllReduce");
			put_kernel(x, pid, at + 30, 5, "gemm");
			put_kernel(x, pid, at + 40, 5, "gemm");
		}
	}
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

/* 2 GPUs of 1000 TFLOP/s do 2e8 FLOPs in 100 ns: 5e7 are a quarter. */
TEST(a_step_is_compared_with_three_times)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *const args[WL_MAX_PARAMS] = { [FLOPS] = "50M", [PEAK] = "1000" };

	put_steps(&x, 2, 4);
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 3); /* the last one has no period */
	for (size_t i = 0; i < 3; i++) {
		expect_i64(&x.a, i, "iter", (int64_t)i);
		expect_cells(&x.a, i, "pieces=2; wall=100; busy=50; kernel_sum=50");
		assert_true(answer_f64(&x.a, i, "theoretical_flops") == 50e6);
		assert_true(near(answer_f64(&x.a, i, "tflops"), 250));
		assert_true(answer_f64(&x.a, i, "peak_tflops") == 1000);
		assert_true(near(answer_f64(&x.a, i, "mfu"), 0.25));
		assert_true(near(answer_f64(&x.a, i, "mfu_busy"), 0.5));
		assert_true(near(answer_f64(&x.a, i, "mfu_kernels"), 0.5));
	}
	assert_true(answer_has_note(&x.a, "3 steps: MFU 25.0% of the wall time"));
}

/* The trace has 2 of 8 GPUs: a GPU has an eighth of the FLOPs. */
TEST(a_trace_may_have_a_part_of_the_job)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *const args[WL_MAX_PARAMS] = { [FLOPS] = "200M", [PEAK] = "1000", [GPUS] = "8" };

	put_steps(&x, 2, 4);
	ask(&x, args);
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 0.25));
	x.scope.device_on[1] = false; /* a selection narrows what is shown, not the job */
	ask(&x, args);
	expect_i64(&x.a, 0, "pieces", 1);
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 0.25));
}

TEST(a_step_that_the_window_cuts_is_left_out)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *const args[WL_MAX_PARAMS] = { [FLOPS] = "25M", [PEAK] = "1000" };

	put_steps(&x, 1, 5);
	ask(&x, args);
	mem_scope_window(&x.scope, x.q.trace, 1100, 1310);
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 1); /* 1120 to 1220, and not 1220 to 1320 */
	expect_i64(&x.a, 0, "iter", 1);
}

TEST(peaks_come_from_the_name_of_the_gpu)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *args[WL_MAX_PARAMS] = { [FLOPS] = "15M" };

	put_gpu(&x, "NVIDIA A100-SXM4-80GB");
	put_steps(&x, 1, 4);
	ask(&x, args);
	assert_true(answer_f64(&x.a, 0, "peak_tflops") == 312);
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 15e6 / (312e12 * 100e-9)));
	assert_true(answer_has_note(&x.a, "NVIDIA A100 datasheet"));
	args[FLOPS] = "5M";
	args[DTYPE] = "tf32";
	ask(&x, args);
	assert_true(answer_f64(&x.a, 0, "peak_tflops") == 156);
}

/* Ask in vain, with words that the message must have. */
static void expect_refused(struct asked *x, const char *const *args, const char *const *words)
{
	answer_release(&x->a);
	x->q.args = args;
	answer_within(&x->a, &x->q, ANSWER_BUDGET);
	assert_int_equal(x->a.status, WL_E_USAGE);
	for (; *words; words++) {
		if (!strstr(x->a.err.msg, *words))
			fail_msg("no \"%s\": %s", *words, x->a.err.msg);
	}
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

TEST(more_than_the_peak_is_refused_with_the_inputs)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));

	put_gpu(&x, "NVIDIA A100-SXM4-80GB");
	put_steps(&x, 1, 4);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" });
	expect_refused(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "62.4M" },
		       WORDS("step 0", "200.0%", "Wall 100 ns", "62.4 MFLOP", "1 GPU of",
			     "312 TFLOP/s", "A100-SXM4-80GB", "bf16", "--flops"));
	/* possible in the wall time, and not in the busy half of it */
	expect_refused(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "20M" },
		       WORDS("128.2%", "GPU busy 50 ns"));
}

TEST(an_unknown_gpu_or_type_is_refused)
{
	static const char *const peak[WL_MAX_PARAMS] = { [FLOPS] = "1M", [PEAK] = "1000" };
	struct asked x;

	asked_init(&x, "mfu");
	put_gpu(&x, "NVIDIA H800");
	put_steps(&x, 1, 4);
	ask(&x, peak);
	expect_refused(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" },
		       WORDS("\"NVIDIA H800\"", "GPU 0", "--peak"));
	asked_release(&x);
	asked_init(&x, "mfu");
	put_gpu(&x, "Tesla T4");
	put_steps(&x, 1, 4);
	ask(&x, peak);
	expect_refused(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" },
		       WORDS("\"Tesla T4\"", "bf16", "fp32, fp16, int8", "--peak"));
	asked_release(&x);
	asked_init(&x, "mfu");
	put_steps(&x, 1, 4);
	ask(&x, peak);
	expect_refused(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" },
		       WORDS("does not name", "GPU 0", "--peak"));
	asked_release(&x);
}

/*
 * Layers 2 of width 8 as in test_llm.c: 7200 FLOPs a token to train, 9440 with all layers again.
 */
TEST(a_model_gives_flops)
{
	static const char config[] =
		"{\"num_hidden_layers\": 2, \"hidden_size\": 8, \"vocab_size\": 10, "
		"\"num_attention_heads\": 2, \"intermediate_size\": 16, \"gated\": false}";
	const char *args[WL_MAX_PARAMS] = {
		[TOKENS] = "1000", [SEQ] = "6", [PEAK] = "1000", [RECOMPUTE] = "full"
	};
	struct wl_json *docs[WL_MAX_PARAMS] = { NULL };
	struct wl_err err;
	struct asked x;

	assert_int_equal(wl_json_parse(config, strlen(config), "config", &docs[MODEL], &err),
			 WL_OK);
	asked_init(&x, "mfu");
	put_steps(&x, 1, 4);
	x.q.docs = docs;
	ask(&x, args);
	assert_true(answer_f64(&x.a, 0, "theoretical_flops") == 7200e3);
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 7200e3 / 1e8));
	assert_true(near(answer_f64(&x.a, 0, "hfu"), 9440e3 / 1e8));
	assert_true(answer_has_note(&x.a,
				    "layers 2, hidden 8, heads 2 of 4, KV heads 2, FFN 16 not "
				    "gated, vocabulary 10, sequence 6, causal attention"));
	args[PASS] = "forward";
	args[ATTENTION] = "full";
	ask(&x, args);
	assert_true(answer_f64(&x.a, 0, "theoretical_flops") == 2592e3);
	x.q.docs = NULL;
	args[SHAPE] = "layers=2,hidden=8,vocab=10,heads=2,ffn=16,gated=false";
	ask(&x, args);
	assert_true(answer_f64(&x.a, 0, "theoretical_flops") == 2592e3);
	args[PASS] = "train";
	args[SHAPE] = "layers=2,hidden=8,vocab=10,heads=2,ffn=16,gated=false,sliding_window=2,"
		      "num_nextn_predict_layers=1";
	ask(&x, args);
	assert_true(answer_has_note(&x.a,
				    "full attention in a window of 2, further-token modules 1, "
				    "training"));
	asked_release(&x);
	wl_json_free(docs[MODEL]);
}

/*
 * Per step "forward" owns a kernel of 10 and, inside a range that also matches, one of 20 after 5
 * idle: wall 35, busy 30. "backward" owns two kernels that overlap: 40 + 30, wall and busy 50.
 */
static void put_ranges(struct asked *x)
{
	for (unsigned i = 0; i < 3; i++) {
		wl_ns at = 1000 + 1000 * (wl_ns)i;

		MEM_NVTX(&x->mem, .start = at, .end = at + 200, .tid = 1, .name = "forward");
		MEM_NVTX(&x->mem, .start = at + 100, .end = at + 190, .tid = 1,
			 .name = "forward attention");
		MEM_NVTX(&x->mem, .start = at + 300, .end = at + 900, .tid = 1, .name = "backward");
		put_kernel(x, 100, at + 100, 10, "gemm");
		put_kernel(x, 100, at + 115, 20, "gemm");
		put_kernel(x, 100, at + 400, 40, "gemm");
		put_kernel(x, 100, at + 420, 30, "copy_kernel");
	}
}

TEST(ranges_have_flops_by_name)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *const args[WL_MAX_PARAMS] = {
		[FLOPS] = "forward=7M\nre:^back=20M\nother=1M", [PEAK] = "1000"
	};

	put_ranges(&x);
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "range=forward; pieces=3; wall=35; busy=30; kernel_sum=30");
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 0.2));
	expect_cells(&x.a, 1, "range=re:^back; wall=50; busy=50; kernel_sum=70");
	assert_true(near(answer_f64(&x.a, 1, "mfu"), 0.4));
	assert_true(near(answer_f64(&x.a, 1, "mfu_kernels"), 20e6 / 70e6));
	expect_i64(&x.a, 2, "pieces", 0);
	assert_false(answer_is_set(&x.a, 2, "mfu"));
	assert_true(answer_has_note(&x.a, "\"other\""));
	ask(&x, (const char *const[WL_MAX_PARAMS]){
			[FLOPS] = "7M", [PEAK] = "1000", [RANGE] = "forward" });
	assert_int_equal(x.a.table.n_rows, 1);
	assert_true(near(answer_f64(&x.a, 0, "mfu"), 0.2));
}

/* The stage of a launch is its innermost range: "forward attention" is one of its own. */
TEST(stages_have_times_but_no_wall)
{
	static const char report[] = "{\"kernels\": [{\"kernel\": \"gemm\", \"grid\": [1, 1, 1], "
				     "\"block\": [128, 1, 1], \"ns\": 5, \"flop\": 1000},"
				     "{\"kernel\": \"copy_kernel\", \"grid\": [1, 1, 1], "
				     "\"block\": [128, 1, 1], \"ns\": 5, \"flop\": 1000}]}";
	struct wl_json *docs[WL_MAX_PARAMS] = { NULL };
	struct wl_err err;
	struct asked x;

	if (wl_json_parse(report, strlen(report), "report", &docs[NCU], &err) < 0)
		fail_msg("%s", err.msg);
	asked_init(&x, "mfu");
	put_ranges(&x);
	put_kernel(&x, 100, 5000, 7, "gemm");
	x.q.docs = docs;
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [BY] = "stage", [PEAK] = "1000" });
	assert_int_equal(x.a.table.n_rows, 4);
	expect_cells(&x.a, 0, "stage=backward; pieces=1; busy=150; kernel_sum=210");
	expect_cells(&x.a, 1, "stage=forward attention; busy=60");
	expect_cells(&x.a, 2, "stage=forward; busy=30");
	expect_cells(&x.a, 3, "stage=(none); busy=7");
	assert_true(near(answer_f64(&x.a, 3, "hfu_busy"), 1000 / (1e15 * 7e-9)));
	asked_release(&x);
	wl_json_free(docs[NCU]);
}

/* A trace has no FLOPs: what tells them depends on the rows. */
TEST(without_flops_there_is_no_answer)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	static const struct {
		const char *args[WL_MAX_PARAMS], *words;
	} cases[] = {
		{ { NULL }, "give --flops N, or --model FILE with --tokens and --seq" },
		{ { [PEAK] = "1000" }, "or --ncu FILE" },
		{ { [RANGE] = "forward" }, "give --flops NAME=N" },
		{ { [BY] = "stage" }, "give a report of Nsight Compute with --ncu FILE" },
	};

	put_gpu(&x, "NVIDIA H200");
	put_steps(&x, 1, 4);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" });
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		answer_release(&x.a);
		x.q.args = cases[i].args;
		answer_within(&x.a, &x.q, ANSWER_BUDGET);
		assert_int_equal(x.a.status, WL_E_NODATA);
		if (!strstr(x.a.err.msg, cases[i].words))
			fail_msg("no \"%s\": %s", cases[i].words, x.a.err.msg);
	}
}

/* Replays that were recorded whole hide kernels: their sum says nothing. */
TEST(graphs_leave_the_sum_of_kernels_empty)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	const char *const args[WL_MAX_PARAMS] = { [FLOPS] = "25M", [PEAK] = "1000" };

	put_steps(&x, 1, 4);
	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 1180, .end = 1190);
	ask(&x, args);
	assert_true(answer_is_set(&x.a, 0, "mfu_kernels"));
	assert_false(answer_is_set(&x.a, 1, "mfu_kernels"));
	assert_false(answer_is_set(&x.a, 1, "kernel_sum"));
	assert_true(near(answer_f64(&x.a, 1, "mfu"), 0.25));
}

TEST(arguments_that_do_not_fit_are_refused)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "mfu"));
	static const struct {
		const char *args[WL_MAX_PARAMS], *words;
	} cases[] = {
		{ { [FLOPS] = "many" }, "--flops many" },
		{ { [FLOPS] = "0" }, "--flops 0" },
		{ { [FLOPS] = "-1" }, "--flops -1" },
		{ { [FLOPS] = "1e31" }, "--flops 1e31" },
		{ { [FLOPS] = "1P2" }, "--flops 1P2" },
		{ { [FLOPS] = "0x10" }, "--flops 0x10" },
		{ { [FLOPS] = "=1P" }, "NAME=1.5P" },
		{ { [FLOPS] = "a=1P\n2P" }, "have no name" },
		{ { [FLOPS] = "1P\n2P" }, "given twice" },
		{ { [FLOPS] = "a=1P", [RANGE] = "b" }, "--range are missing" },
		{ { [FLOPS] = "re:(=1P" }, "name of a range" },
		{ { [FLOPS] = "1P", [SHAPE] = "layers=2" }, "not several" },
		{ { [SHAPE] = "layers=2" }, "--shape: model: \"hidden_size\" is missing" },
		{ { [SHAPE] = "layers=2,hidden=8,vocab=10,heads=2,ffn=16,gated=true" },
		  "--tokens" },
		{ { [FLOPS] = "1P", [PEAK] = "fast" }, "--peak fast" },
		{ { [FLOPS] = "1P", [PEAK] = "0" }, "--peak 0" },
		{ { [FLOPS] = "1P", [GPUS] = "0" }, "--gpus 0" },
		{ { [FLOPS] = "1P", [BY] = "stage" }, "not of stages" },
		{ { [FLOPS] = "a=1P", [BY] = "stage" }, "not of stages" },
		{ { [RANGE] = "a", [BY] = "stage" }, "not with --range" },
		{ { [FLOPS] = "a=1P", [BY] = "step" }, "--by step" },
		{ { [BY] = "range" }, "--by range: name" },
		{ { [BY] = "phase" }, "needs --phase-map" },
	};

	put_gpu(&x, "NVIDIA H200");
	put_steps(&x, 1, 4);
	ask(&x, (const char *const[WL_MAX_PARAMS]){ [FLOPS] = "1M" });
	for (size_t i = 0; i < WL_COUNT(cases); i++)
		expect_refused(&x, cases[i].args, WORDS(cases[i].words));
}

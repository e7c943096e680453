/* SPDX-License-Identifier: MIT */
#include "derive/kinds/category_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known/builtin.h"
#include "support/unit.h"

struct world {
	struct wl_budget budget; /* without limit */
	struct wl_json *user;
	struct wl_category_rules rules;
	struct wl_err err;
};

/* What choosing says; NULL text is no document. Release the world after it. */
static int choose(struct world *w, const char *text, const char *engine, const char *model)
{
	*w = (struct world){ .user = NULL };
	if (text)
		assert_int_equal(wl_json_parse(text, strlen(text), "t", &w->user, NULL), WL_OK);
	return wl_category_rules_init(
		&w->rules,
		&(struct wl_rule_choice){ .engine = engine, .model = model, .user = w->user },
		&w->budget, &w->err);
}

static void release(struct world *w)
{
	wl_category_rules_release(&w->rules);
	wl_json_free(w->user);
	assert_int_equal(w->budget.used, 0);
}

static const char *category(const struct world *w, const char *name)
{
	size_t n_given_up = 0;
	const struct wl_kernel_facts memory = { .category = WL_CATEGORY_MEMORY };
	const struct wl_kernel_facts facts = *name == '[' ? memory : wl_kernel_named(name);
	int c = wl_category_of_name(&w->rules, name, &facts, &n_given_up);

	assert_in_range(c, 0, w->rules.n - 1);
	assert_int_equal(n_given_up, 0);
	return w->rules.category[c];
}

TEST(the_first_rule_of_the_file_counts)
{
	static const char text[] = "{\"mine\": {\"m\": {\"ab\": \"x\", \"a\": \"y\", \"^b\": \"x\","
				   " \"(?i)C\": \"z\"}}}";
	struct world w;

	assert_int_equal(choose(&w, text, "mine", NULL), WL_OK);
	assert_int_equal(w.rules.n, 5);
	assert_string_equal(w.rules.category[0], "x"); /* where its first rule stands */
	assert_string_equal(w.rules.category[1], "y");
	assert_string_equal(w.rules.category[2], "z");
	assert_string_equal(w.rules.category[w.rules.other], "(other)");
	assert_string_equal(w.rules.category[w.rules.graph], "(graph)");
	assert_string_equal(category(&w, "cab"), "x");
	assert_string_equal(category(&w, "ca"), "y");
	assert_string_equal(category(&w, "bc"), "x");
	assert_string_equal(category(&w, "dcd"), "z");
	assert_string_equal(category(&w, "A"), "(other)"); /* case counts */
	assert_string_equal(category(&w, ""), "(other)");
	release(&w);
}

TEST(rules_of_the_user_come_before_the_built_in_ones)
{
	static const char text[] = "{\"mine\": {\"m\": {\"nccl\": \"network\"}}}";
	static const char other[] = "{\"x\": {\"m\": {\"a\": \"wrong\"}},"
				    " \"vllm\": {\"m\": {\"b\": \"y\"}, \"n\": {\"b\": \"z\"}}}";
	struct world w;

	assert_int_equal(choose(&w, text, "generic", NULL), WL_OK); /* the file's first engine */
	assert_string_equal(w.rules.category[0], "network");
	assert_string_equal(category(&w, "ncclDevKernel_AllReduce"), "network");
	assert_string_equal(category(&w, "[CUDA memset]"), "memory");
	release(&w);
	assert_int_equal(choose(&w, other, "vllm", "n"), WL_OK); /* its engine and model */
	assert_string_equal(w.rules.category[0], "z");
	release(&w);
	assert_int_equal(choose(&w, other, "vllm", "default"), WL_OK); /* which is built in */
	assert_string_equal(w.rules.category[0], "y");
	release(&w);
}

TEST(rules_for_all_models_do_for_an_unknown_one)
{
	static const char text[] = "{\"x\": {\"m\": {\"a\": \"1\"}, \"default\": {\"a\": \"2\"}}}";
	struct world w;

	assert_int_equal(choose(&w, NULL, "vllm", "bert"), WL_OK);
	assert_true(w.rules.by_default);
	assert_string_equal(category(&w, "ncclDevKernel_AllReduce"), "communication");
	release(&w);
	assert_int_equal(choose(&w, NULL, "vllm", "default"), WL_OK);
	assert_false(w.rules.by_default);
	release(&w);
	assert_int_equal(choose(&w, NULL, "vllm", NULL), WL_OK);
	assert_false(w.rules.by_default);
	release(&w);
	assert_int_equal(choose(&w, text, "x", "other"), WL_OK);
	assert_true(w.rules.by_default);
	assert_string_equal(category(&w, "a"), "2");
	release(&w);
}

TEST(files_that_lie_ready_count_for_their_models)
{
	static const char text[] = "{\"vllm\": {\"m\": {\"nccl\": \"network\"}}}";
	static const struct {
		const char *model;
		bool has, skips, by_default;
	} cases[] = { { "m", true, false, false },
		      { "llama", false, true, false },
		      { "n", false, true, true },
		      { NULL, false, true, false } };

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct world w = { .user = NULL };
		struct wl_rule_choice choice = { .engine = "vllm", .model = cases[i].model };
		char models[64];

		assert_int_equal(wl_json_parse(text, strlen(text), "t", &w.user, NULL), WL_OK);
		choice.kept = w.user;
		assert_int_equal(wl_category_rules_init(&w.rules, &choice, &w.budget, &w.err),
				 WL_OK);
		assert_int_equal(w.rules.has_kept, cases[i].has);
		assert_int_equal(w.rules.skips_kept, cases[i].skips);
		assert_int_equal(w.rules.by_default, cases[i].by_default);
		assert_string_equal(category(&w, "ncclDevKernel_AllReduce"),
				    cases[i].has ? "network" : "communication");
		wl_category_models(&choice, models, sizeof(models));
		assert_string_equal(models, "m, llama, gpt-oss, deepseek");
		release(&w);
	}
}

/* Of a built-in engine a model has its own rules, then those for all, then the table. */
TEST(a_built_in_model_refines_its_engine)
{
	static const char top_k[] = "void vllm::topKPerRowDecode<512, true>(const float *)";
	static const char soft_max[] = "void at::native::cunn_SoftMaxForward<8, float>(int)";
	struct world w;

	assert_int_equal(choose(&w, NULL, "vllm", "deepseek"), WL_OK);
	assert_false(w.rules.by_default);
	assert_string_equal(category(&w, top_k), "attention");
	assert_string_equal(category(&w, soft_max), "sampling");
	assert_string_equal(category(&w, "triton_poi_fused__to_copy_add_addmm_cat_0"), "triton");
	assert_string_equal(category(&w, "triton_per_fused_mm_softmax_2"), "triton");
	assert_string_equal(category(&w, "triton_tem_fused_mm_3"), "gemm");
	assert_string_equal(category(&w, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN"), "gemm");
	release(&w);
	assert_int_equal(choose(&w, NULL, "vllm", "ds"), WL_OK); /* another name of it */
	assert_false(w.rules.by_default);
	assert_string_equal(category(&w, top_k), "attention");
	release(&w);
	assert_int_equal(choose(&w, NULL, "vllm", "llama"), WL_OK);
	assert_string_equal(category(&w, top_k), "sort");
	release(&w);
	assert_int_equal(choose(&w, NULL, "generic", NULL), WL_OK);
	assert_string_equal(category(&w, soft_max), "softmax");
	release(&w);
}

/* A rule that would fit a kernel which communicates; only a user can have it. */
TEST(no_engine_contradicts_the_class)
{
	static const char text[] = "{\"vllm\": {\"default\": {\"deep_ep\": \"moe\"}}}";
	static const char dispatch[] = "void deep_ep::intranode::dispatch<8, 768>(int4*)";
	struct world w;

	for (size_t i = 0; wl_builtin_name("categories", i); i++) {
		assert_int_equal(choose(&w, NULL, wl_builtin_name("categories", i), NULL), WL_OK);
		assert_string_equal(category(&w, dispatch), "communication");
		assert_string_equal(category(&w, "ncclDevKernel_AllGather_RING_LL(x)"),
				    "communication");
		release(&w);
	}
	assert_int_equal(choose(&w, text, "vllm", NULL), WL_OK);
	assert_string_equal(category(&w, dispatch), "moe");
	release(&w);
}

/* Nor can a built-in rule call something communication: that is the table's to say. */
TEST(built_in_rules_name_categories_of_the_table)
{
	for (size_t i = 0; wl_builtin_name("categories", i); i++) {
		struct world w;

		assert_int_equal(choose(&w, NULL, wl_builtin_name("categories", i), NULL), WL_OK);
		assert_int_equal(w.rules.n, WL_N_NAMED_CATEGORIES + 2);
		release(&w);
	}
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		if (strcmp(b->folder, "categories") == 0)
			assert_null(strstr(b->text, "\"communication\""));
	}
}

static void expect_refusal(const char *text, const char *engine, const char *model,
			   const char *words)
{
	struct world w;

	assert_int_equal(choose(&w, text, engine, model), WL_E_USAGE);
	if (!strstr(w.err.msg, words))
		fail_msg("'%s' is not in '%s'", words, w.err.msg);
	release(&w);
}

TEST(what_cannot_be_used_is_refused)
{
	expect_refusal(NULL, "foo", NULL,
		       "no rules for the engine 'foo': give --rules FILE or --engines DIR");
	expect_refusal(NULL, "foo", NULL, "built in are generic");
	expect_refusal("{\"x\": {\"m\": {}}}", "x", "foo",
		       "no rules for the model 'foo' of x; it has m");
	expect_refusal("{}", "generic", NULL, "{engine: {model: {regex: category}}}");
	expect_refusal("[1]", "generic", NULL, "{engine: {model: {regex: category}}}");
	expect_refusal("{\"x\": {\"m\": [1]}}", "x", NULL, "{engine: {model: {regex: category}}}");
	expect_refusal("{\"x\": {\"m\": {\"a\": 1}}}", "x", NULL, "'a' must have the name");
	expect_refusal("{\"x\": {\"m\": {\"a\": \"\"}}}", "x", NULL, "'a' must have the name");
	expect_refusal("{\"x\": {\"m\": {\"a\": \"(graph)\"}}}", "x", NULL, "'a' must have");
	expect_refusal("{\"x\": {\"m\": {\"(\": \"b\"}}}", "x", NULL, "malformed");
}

/* n rules, each with a category of its own or all with one; free it. */
static char *many(unsigned n, bool apart)
{
	char *text = malloc((size_t)n * 32 + 64);
	size_t at;

	assert_non_null(text);
	at = (size_t)snprintf(text, 64, "{\"x\": {\"m\": {");
	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, 32, "%s\"a%u\": \"c%u\"", i ? ", " : "", i,
				       apart ? i : 0);
	(void)snprintf(text + at, 32, "}}}");
	return text;
}

TEST(there_are_limits)
{
	char *text = many(WL_MAX_CATEGORIES - 2, true);
	struct world w;

	assert_int_equal(choose(&w, text, "x", NULL), WL_OK);
	assert_int_equal(w.rules.n, WL_MAX_CATEGORIES);
	release(&w);
	free(text);
	text = many(WL_MAX_CATEGORIES - 1, true);
	expect_refusal(text, "x", NULL, "more than 62 categories");
	free(text);
	text = many(WL_MAX_CATEGORY_RULES + 1, false);
	expect_refusal(text, "x", NULL, "more than 4096 rules");
	free(text);
}

TEST(a_rule_that_takes_too_long_does_not_fit)
{
	static const char text[] = "{\"x\": {\"m\": {\"(a+)+$\": \"slow\", \"b\": \"fast\"}}}";
	char name[64] = "";
	const struct wl_kernel_facts facts = { .category = WL_CATEGORY_OTHER };
	size_t n_given_up = 0;
	struct world w;
	int c;

	memset(name, 'a', 40);
	name[40] = 'b';
	assert_int_equal(choose(&w, text, "x", NULL), WL_OK);
	c = wl_category_of_name(&w.rules, name, &facts, &n_given_up);
	assert_int_equal(c, 1);
	assert_int_equal(n_given_up, 1);
	release(&w);
}

/* Names as they are in traces of these engines, in another case where code is not of one mind. */
TEST(built_in_rules_know_real_names)
{
	static const char *const known[][3] = {
		{ "vllm", "attention",
		  "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>(int)" },
		{ "vllm", "attention",
		  "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<x>>>()" },
		{ "vllm", "attention", "kernel_unified_attention_2d" },
		{ "vllm", "gemm", "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN" },
		{ "vllm", "gemm", "void marlin::Marlin<__nv_bfloat16, 256>(int4 const*)" },
		{ "vllm", "moe_gemm", "fused_moe_kernel" },
		{ "vllm", "moe", "void vllm::moe::topkGatingSoftmax<4, 128>(float const*)" },
		{ "vllm", "norm", "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(int)" },
		{ "vllm", "rope", "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long)" },
		{ "vllm", "activation",
		  "void vllm::act_and_mul_kernel<c10::Half, vllm::silu_kernel<c10::Half>>(int)" },
		{ "vllm", "cache", "void vllm::reshape_and_cache_flash_kernel<__half>(int)" },
		{ "vllm", "quantisation",
		  "void vllm::dynamic_per_token_scaled_fp8_quant_kernel()" },
		{ "vllm", "communication", "void vllm::cross_device_reduce_1stage<half, 8>(int)" },
		{ "vllm", "sampling", "void at::native::cunn_SoftMaxForward<8, float>(int)" },
		{ "vllm", "memory", "[CUDA memcpy HtoD]" },
		{ "sglang", "attention", "_fwd_grouped_kernel_stage1" },
		{ "sglang", "attention",
		  "void flashinfer::BatchDecodeWithPagedKVCacheKernel<128>(int)" },
		{ "sglang", "cache", "create_flashinfer_kv_indices_triton" },
		{ "sglang", "gemm", "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u>(float*)" },
		{ "sglang", "communication", "void sglang::cross_device_reduce_2stage<half>(int)" },
		{ "sglang", "communication", "void deep_ep::intranode::dispatch<8, 768>(int4*)" },
		{ "sglang", "sampling", "void flashinfer::sampling::TopPSamplingFromProbKernel()" },
		{ "generic", "communication", "ncclSymkDevKernel_ReduceScatter_LL_sum_bf16" },
		{ "generic", "gemm", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn" },
		{ "generic", "norm", "void at::native::vectorized_layer_norm_kernel<float>(int)" },
		{ "generic", "elementwise", "void at::native::vectorized_elementwise_kernel<4>()" },
		{ "generic", "elementwise", "triton_poi_fused_add_mul_3" },
		{ "generic", "optimizer", "void at::native::multi_tensor_apply_kernel<x>(int)" },
		{ "generic", "(other)", "jacobi_kernel(float*, float const*)" },
	};

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		struct world w;

		assert_int_equal(choose(&w, NULL, known[i][0], NULL), WL_OK);
		if (strcmp(category(&w, known[i][2]), known[i][1]) != 0)
			fail_msg("%s: %s is %s", known[i][0], known[i][2],
				 category(&w, known[i][2]));
		release(&w);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * FLOPs per token against figures that others have published. Configurations are in
 * tests/models; docs/definitions/mfu.md lists the sources.
 */
#include "known/llm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/json_read.h"
#include "support/unit.h"

enum { LIMIT = 1 << 16 };

static int read_text(const char *text, struct wl_llm *ret, struct wl_err *err)
{
	struct wl_json *doc = NULL;
	int r = wl_json_parse(text, strlen(text), "config", &doc, err);

	if (r == WL_OK)
		r = wl_llm_read(doc, ret, err);
	wl_json_free(doc);
	return r;
}

static bool read_model(const char *name, struct wl_llm *ret)
{
	const char *source = getenv("WARPLENS_SOURCE");
	struct wl_err err;
	char path[512], *bytes;
	size_t n;

	if (!source)
		return false;
	(void)snprintf(path, sizeof(path), "%s/tests/models/%s.json", source, name);
	if (wl_file_read(path, LIMIT, &bytes, &n, &err) < 0)
		fail_msg("%s", err.msg);
	bytes = realloc(bytes, n + 1);
	assert_non_null(bytes);
	bytes[n] = '\0';
	if (read_text(bytes, ret, &err) < 0)
		fail_msg("%s: %s", name, err.msg);
	free(bytes);
	return true;
}

/* What others count of a token's training. */
enum { CAUSAL = 1, TABLE = 2, NO_ATTENTION = 4, NO_MTP = 8 };

struct published {
	const char *model;
	int64_t sequence;
	unsigned how; /* CAUSAL; TABLE: embeddings count as weights, 6 FLOPs each */
	double flops;
};

static double training(const struct wl_llm *from, const struct published *p)
{
	struct wl_llm m = *from;
	struct wl_llm_cost cost;

	if (p->how & NO_MTP)
		m.mtp_layers = 0;
	wl_llm_cost(&m,
		    &(struct wl_llm_work){ .sequence = p->how & NO_ATTENTION ? 0 : p->sequence,
					   .causal = p->how & CAUSAL,
					   .backward = true },
		    &cost);
	return cost.flops + (p->how & TABLE ? 6 * (double)(m.hidden * m.vocab) : 0);
}

/*
 * A rate of FLOPs over a rate of tokens, or a share of the peak times the peak over it, each
 * of one GPU. Sources: PaLM (arXiv 2204.02311, section 4 and appendix B); GPT-3 (arXiv
 * 2005.14165, table D.1); NVIDIA NeMo 24.07 performance summary; NVIDIA Megatron Bridge
 * performance summary of NeMo 25.11, 26.02 and 26.08; torchtitan docs/performance.md, 2024;
 * Llama 3 (arXiv 2407.21783, section 3.3); "Insights into DeepSeek-V3" (arXiv 2505.09343,
 * table 2); llm-foundry scripts/train/benchmarking.
 */
static const struct published published[] = {
	{ "palm-540b", 2048, 0, 0.462 * 6144 * 275e12 / 238.3e3 },
	{ "palm-540b", 2048, NO_ATTENTION, 0.457 * 6144 * 275e12 / 238.3e3 },
	{ "gpt3-175b", 2048, NO_ATTENTION, 3.14e23 / 300e9 },
	{ "gpt3-175b", 2048, 0, 802e12 / 745 },
	{ "llama2-7b", 4096, 0, 767e12 / 16634 },
	{ "llama2-70b", 4096, 0, 763e12 / 1717 },
	{ "llama2-70b", 4096, TABLE, 0.508 * 312e12 / 355 },
	{ "llama3-8b", 8192, CAUSAL, 1933e12 / 37556 },
	{ "llama3-8b", 8192, 0, 688e12 / 11883 },
	{ "llama3-8b", 8192, TABLE, 0.568 * 312e12 / 2904 },
	{ "llama3-70b", 8192, CAUSAL, 2030e12 / 4520 },
	{ "llama3-70b", 8192, 0, 746e12 / 1549 },
	{ "llama3-405b", 8192, CAUSAL, 2522e12 / 999 },
	{ "llama3-405b", 8192, TABLE, 0.29 * 989e12 / 109 },
	{ "llama3-405b", 8192, NO_ATTENTION | TABLE, 3.8e25 / 15.6e12 },
	{ "deepseek-v2", 4096, CAUSAL, 155e9 },
	{ "deepseek-v3", 4096, CAUSAL | NO_MTP, 250e9 },
	{ "deepseek-v3", 4096, CAUSAL | NO_MTP, 961e12 / 3848 },
	{ "deepseek-v3", 4096, CAUSAL, 1635e12 / 6288 },
	{ "qwen3-30b-a3b", 4096, CAUSAL, 666e12 / 28934 },
	{ "qwen3-235b-a22b", 4096, CAUSAL, 907e12 / 6131 },
	{ "mpt-7b", 2048, 0, 4.595096e14 / 10643 },
};

TEST(flops_per_token_are_those_that_others_publish)
{
	double worst = 0;

	for (size_t i = 0; i < WL_COUNT(published); i++) {
		struct wl_llm m;
		double off;

		if (!read_model(published[i].model, &m))
			skip();
		off = fabs(training(&m, &published[i]) / published[i].flops - 1);
		worst = off > worst ? off : worst;
		if (off > 0.01)
			fail_msg("%s: %g, but %g is published", published[i].model,
				 training(&m, &published[i]), published[i].flops);
	}
	print_message("at most %.2f %% off\n", 100 * worst);
}

/*
 * Mixtral by NeMo's formula of the family (nemo/utils/flops_formulas.py), in which attention
 * is not halved: L h^2 (12 + 12 g/n + 18 k f/h + 12 s/h + 6 V/(L h)); routers are not in it.
 */
TEST(mixtral_is_as_its_formula_says)
{
	const double l = 32, h = 4096, g = 8, n = 32, k = 2, f = 14336, s = 4096, v = 32000;
	double want = l * h * h * (12 + 12 * g / n + 18 * k * f / h + 12 * s / h + 6 * v / (l * h));
	struct wl_llm m;
	double got;

	if (!read_model("mixtral-8x7b", &m))
		skip();
	got = training(&m, &(struct published){ .sequence = 4096 });
	assert_true(got == want + 6 * l * h * 8);
}

/* By hand: 2 layers of width 8, 2 heads of 4, a feed-forward layer of 16, 10 words, 6 tokens. */
static const char small[] = "{\"num_hidden_layers\": 2, \"hidden_size\": 8, \"vocab_size\": 10, "
			    "\"num_attention_heads\": 2, \"intermediate_size\": 16, "
			    "\"gated\": false}";

static void expect_cost(const struct wl_llm_work *work, double flops, double hardware)
{
	struct wl_llm m;
	struct wl_llm_cost cost;
	struct wl_err err;

	assert_int_equal(read_text(small, &m, &err), WL_OK);
	wl_llm_cost(&m, work, &cost);
	assert_true(cost.weights == 2 * (4 * 64 + 2 * 128) + 80);
	if (cost.flops != flops || cost.hardware != hardware)
		fail_msg("%g and %g, not %g and %g", cost.flops, cost.hardware, flops, hardware);
}

TEST(a_small_model_is_as_computed_by_hand)
{
	/* weights 1104: 2208 FLOPs; attention 2 layers x 2 x 2 heads x (4 + 4) x 6 = 384 */
	expect_cost(&(struct wl_llm_work){ .sequence = 6 }, 2592, 2592);
	expect_cost(&(struct wl_llm_work){ .sequence = 6, .causal = true }, 2400, 2400);
	expect_cost(&(struct wl_llm_work){ .sequence = 6, .causal = true, .backward = true }, 7200,
		    7200);
	/* one more forward pass of attention, 192, or of the layers, 2 x 1024 + 192 */
	expect_cost(&(struct wl_llm_work){ .sequence = 6,
					   .causal = true,
					   .backward = true,
					   .recompute = WL_RECOMPUTE_ATTENTION },
		    7200, 7392);
	expect_cost(&(struct wl_llm_work){ .sequence = 6,
					   .causal = true,
					   .backward = true,
					   .recompute = WL_RECOMPUTE_FULL },
		    7200, 9440);
	/* nothing is computed again in a forward pass */
	expect_cost(&(struct wl_llm_work){ .sequence = 6, .recompute = WL_RECOMPUTE_FULL }, 2592,
		    2592);
}

/* Tokens 0 to 5 look at 0.5, 1.5, 2, 2, 2 and 2 tokens: 10, not 18. */
TEST(a_window_limits_attention)
{
	struct wl_llm m;
	struct wl_llm_cost whole, some, full;
	struct wl_err err;

	assert_int_equal(read_text(small, &m, &err), WL_OK);
	wl_llm_cost(&m, &(struct wl_llm_work){ .sequence = 6, .causal = true }, &whole);
	m.window = 2;
	wl_llm_cost(&m, &(struct wl_llm_work){ .sequence = 6, .causal = true }, &some);
	wl_llm_cost(&m, &(struct wl_llm_work){ .sequence = 6 }, &full);
	assert_true(whole.attention == 192);
	assert_true(fabs(some.attention - 192 * (2 - 4.0 / 12) / 3) < 1e-9);
	assert_true(full.attention == 128);
	m.window = 6;
	wl_llm_cost(&m, &(struct wl_llm_work){ .sequence = 6, .causal = true }, &some);
	assert_true(some.attention == 192);
}

TEST(layers_without_experts_are_counted)
{
	static const char text[] =
		"{\"num_hidden_layers\": 8, \"hidden_size\": 8, \"vocab_size\": 10, "
		"\"num_attention_heads\": 2, \"intermediate_size\": 16, \"hidden_act\": \"silu\", "
		"\"num_experts\": 4, \"num_experts_per_tok\": 2, %s}";
	static const struct {
		const char *keys;
		int64_t dense, shared;
	} cases[] = {
		{ "\"x\": 0", 0, 0 },
		{ "\"first_k_dense_replace\": 3", 3, 0 },
		{ "\"decoder_sparse_step\": 2", 4, 0 },
		{ "\"mlp_only_layers\": [0, 7]", 2, 0 },
		{ "\"n_shared_experts\": 2", 0, 32 },
		{ "\"shared_expert_intermediate_size\": 24", 0, 24 },
	};
	char buf[512];
	struct wl_err err;
	struct wl_llm m;

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		(void)snprintf(buf, sizeof(buf), text, cases[i].keys);
		assert_int_equal(read_text(buf, &m, &err), WL_OK);
		assert_int_equal(m.dense_layers, cases[i].dense);
		assert_int_equal(m.shared_ffn, cases[i].shared);
		assert_int_equal(m.expert_ffn, 16);
		assert_true(m.gated);
	}
}

static void expect_refused(const char *text, const char *words)
{
	struct wl_llm m;
	struct wl_err err;

	assert_int_equal(read_text(text, &m, &err), WL_E_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("%s: %s", words, err.msg);
}

#define BASE                                                                                       \
	"\"num_hidden_layers\": 2, \"hidden_size\": 8, \"vocab_size\": 10, "                       \
	"\"num_attention_heads\": 2"

TEST(what_the_formula_lacks_is_refused_by_name)
{
	expect_refused("[]", "JSON object");
	expect_refused("{}", "num_hidden_layers");
	expect_refused("{\"num_hidden_layers\": 2, \"hidden_size\": 8}", "vocab_size");
	expect_refused("{" BASE ", \"gated\": true}", "intermediate_size");
	expect_refused("{" BASE ", \"intermediate_size\": 16}", "\"gated\" is missing");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": 1}", "\"gated\"");
	expect_refused("{" BASE ", \"intermediate_size\": -16, \"gated\": true}", "whole number");
	expect_refused("{" BASE ", \"intermediate_size\": 1e300, \"gated\": true}", "whole number");
	expect_refused("{" BASE ", \"intermediate_size\": \"16\", \"gated\": true}",
		       "whole number");
	expect_refused("{" BASE ", \"intermediate_size\": 16.5, \"gated\": true}", "whole number");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": true, "
		       "\"num_key_value_heads\": 3}",
		       "num_key_value_heads");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": true, "
		       "\"num_experts\": 4}",
		       "num_experts_per_tok");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": true, "
		       "\"num_experts\": 4, \"num_experts_per_tok\": 5}",
		       "num_experts_per_tok");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": true, "
		       "\"num_experts\": 4, \"num_experts_per_tok\": 2, "
		       "\"first_k_dense_replace\": 3}",
		       "first_k_dense_replace");
	expect_refused("{\"num_hidden_layers\": 2, \"hidden_size\": 8, \"vocab_size\": 10, "
		       "\"num_attention_heads\": 3}",
		       "head_dim");
	expect_refused("{\"num_hidden_layers\": 2, \"hidden_size\": 8, \"vocab_size\": 10, "
		       "\"num_attention_heads\": 16}",
		       "head_dim");
	expect_refused("{" BASE ", \"kv_lora_rank\": 4}", "qk_rope_head_dim");
	expect_refused("{" BASE ", \"mamba_d_state\": 16}", "mamba_d_state");
	expect_refused("{" BASE ", \"intermediate_size\": 16, \"gated\": true, "
		       "\"layer_types\": [\"full_attention\", \"sliding_attention\"]}",
		       "layer_types");
	expect_refused("{" BASE ", \"is_encoder_decoder\": true}", "is_encoder_decoder");
	expect_refused("{\"num_hidden_layers\": 1000000, \"hidden_size\": 8, \"vocab_size\": 10}",
		       "100000");
}

TEST(a_shape_may_be_written)
{
	static const char *const bad[] = { "",          "layers",           "layers=",
					   "=2",        "layers=2,",        "layers=\"2\"",
					   "layers=2}", "layers=2,layers=2" };
	char text[2048];
	struct wl_llm m, same;
	struct wl_err err;

	memset(&m, 0, sizeof(m));
	memset(&same, 0, sizeof(same));
	assert_int_equal(
		wl_llm_parse("layers=2,hidden=8,vocab=10,heads=2,ffn=16,gated=false", &m, &err),
		WL_OK);
	assert_int_equal(read_text(small, &same, &err), WL_OK);
	assert_memory_equal(&m, &same, sizeof(m));
	for (size_t i = 0; i < WL_COUNT(bad); i++)
		assert_int_equal(wl_llm_parse(bad[i], &m, &err), WL_E_USAGE);
	memset(text, 'x', sizeof(text));
	text[1000] = '\0';
	assert_int_equal(wl_llm_parse(text, &m, &err), WL_E_USAGE);
	for (size_t i = 0; i < 990; i += 4) /* the end stays */
		memcpy(text + i, "ffn=1,", 6);
	assert_int_equal(wl_llm_parse(text, &m, &err), WL_E_USAGE);
	text[1000] = 'x';
	text[2047] = '\0';
	assert_int_equal(wl_llm_parse(text, &m, &err), WL_E_USAGE);
}

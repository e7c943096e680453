/* SPDX-License-Identifier: MIT */
/* llm_read.c - the shape of a model from a config.json. */
#include <inttypes.h>
#include <string.h>

#include "base/text/json_read.h"
#include "known/llm.h"

/* More than any model has; products of five of these stay finite. */
static const double most = 1e9;

enum { ALIASES = 4, LAYERS_MAX = 100000 };

/* A number of the configuration, by the names that frameworks give it. */
struct key {
	const char *name[ALIASES]; /* NULL ends */
};

static const struct key k_layers = { { "num_hidden_layers", "n_layer", "n_layers", "num_layers" } };
static const struct key k_hidden = { { "hidden_size", "n_embd", "d_model", "dim" } };
static const struct key k_vocab = { { "vocab_size" } };
static const struct key k_heads = { { "num_attention_heads", "n_head", "n_heads" } };
static const struct key k_kv_heads = { { "num_key_value_heads", "num_kv_heads", "n_kv_heads" } };
static const struct key k_head_dim = { { "head_dim", "d_kv" } };
static const struct key k_ffn = { { "intermediate_size", "n_inner", "ffn_hidden_size",
				    "ffn_dim" } };
static const struct key k_experts = { { "num_local_experts", "n_routed_experts", "num_experts" } };
static const struct key k_top_k = { { "num_experts_per_tok", "moe_top_k", "top_k_experts" } };
static const struct key k_expert_ffn = { { "moe_intermediate_size" } };
static const struct key k_shared = { { "n_shared_experts", "num_shared_experts" } };
static const struct key k_shared_ffn = { { "shared_expert_intermediate_size" } };
static const struct key k_first_dense = { { "first_k_dense_replace" } };
static const struct key k_every = { { "decoder_sparse_step", "moe_layer_freq" } };
static const struct key k_q_rank = { { "q_lora_rank" } };
static const struct key k_kv_rank = { { "kv_lora_rank" } };
static const struct key k_nope = { { "qk_nope_head_dim" } };
static const struct key k_rope = { { "qk_rope_head_dim" } };
static const struct key k_v_dim = { { "v_head_dim" } };
static const struct key k_mtp = { { "num_nextn_predict_layers" } };
static const struct key k_window = { { "sliding_window" } };

/* The first failure is kept: readers of single keys need no checks of their own. */
struct reading {
	const struct wl_json *config;
	struct wl_err *err;
	int status;
};

static void refuse(struct reading *r, const char *key, const char *why)
{
	if (r->status == WL_OK)
		r->status = wl_fail(r->err, WL_E_USAGE, "model: \"%s\" %s", key, why);
}

/* What the configuration says of a key, or null where it says nothing. */
static const struct wl_json *value_of(const struct reading *r, const struct key *key,
				      const char **ret_name)
{
	*ret_name = key->name[0];
	for (size_t i = 0; i < ALIASES && key->name[i]; i++) {
		const struct wl_json *v = wl_json_member(r->config, key->name[i]);

		if (!v || wl_json_type_of(v) == WL_JSON_NULL)
			continue;
		*ret_name = key->name[i];
		return v;
	}
	return NULL;
}

/* The number; otherwise where the configuration does not have it. */
static int64_t number(struct reading *r, const struct key *key, int64_t otherwise)
{
	const char *name;
	const struct wl_json *v = value_of(r, key, &name);
	double d = 0;

	if (!v)
		return otherwise;
	if (!wl_json_number(v, &d) || !(d >= 0) || d > most || d != (double)(int64_t)d) {
		refuse(r, name, "must be a whole number from 0 to 1000000000");
		return otherwise;
	}
	return (int64_t)d;
}

/* The number, without which there is no formula. */
static int64_t need(struct reading *r, const struct key *key)
{
	int64_t v = number(r, key, 0);

	if (v == 0)
		refuse(r, key->name[0], "is missing");
	return v;
}

static const char *text_of(const struct reading *r, const char *key)
{
	const struct wl_json *v = wl_json_member(r->config, key);
	const char *text = v ? wl_json_string(v) : NULL;

	return text ? text : "";
}

static bool is_one_of(const char *text, const char *const *list)
{
	while (*list && strcmp(*list, text) != 0)
		list++;
	return *list != NULL;
}

/*
 * Whether the feed-forward layer has a third matrix. The name of the activation does not say
 * so (gelu is gated in Gemma and not in StarCoder 2): the family does, where it is known.
 */
static bool read_gated(struct reading *r)
{
	static const char *const plain[] = { "bloom",       "codegen",  "falcon",   "gpt2",
					     "gpt_bigcode", "gpt_neo",  "gpt_neox", "gptj",
					     "mpt",         "nemotron", "opt",      "phi",
					     "starcoder2",  NULL };
	static const char *const gated[] = { "gemma", "gemma2", "gemma3_text", NULL };
	static const char *const gates[] = { "silu", "swish", "swiglu", "geglu", NULL };
	static const char *const simple[] = {
		"relu", "relu2", "gelu", "gelu_new", "gelu_fast", NULL
	};
	const struct wl_json *said = wl_json_member(r->config, "gated");
	const char *family = text_of(r, "model_type");
	const char *act = text_of(r, "hidden_act");
	bool is = false;

	if (*act == '\0')
		act = text_of(r, "activation_function");
	if (said && !wl_json_bool(said, &is))
		refuse(r, "gated", "must be true or false");
	if (said)
		return is;
	if (is_one_of(family, plain))
		return false;
	if (is_one_of(family, gated) || is_one_of(act, gates))
		return true;
	if (!is_one_of(act, simple))
		refuse(r, "gated",
		       "is missing: say true where the feed-forward layer has three "
		       "matrices, as in SwiGLU, and false where it has two");
	return false;
}

static void read_heads(struct reading *r, struct wl_llm *m)
{
	const struct wl_json *mq = wl_json_member(r->config, "multi_query");
	bool one = false;

	m->heads = need(r, &k_heads);
	m->kv_heads = number(r, &k_kv_heads, mq && wl_json_bool(mq, &one) && one ? 1 : m->heads);
	m->kv_rank = number(r, &k_kv_rank, 0);
	if (m->kv_rank) {
		m->q_rank = number(r, &k_q_rank, 0);
		m->rope_dim = need(r, &k_rope);
		m->qk_dim = need(r, &k_nope) + m->rope_dim;
		m->v_dim = need(r, &k_v_dim);
		return;
	}
	m->qk_dim = number(r, &k_head_dim, m->heads ? m->hidden / m->heads : 0);
	m->v_dim = m->qk_dim;
	if (m->qk_dim == 0 ||
	    (number(r, &k_head_dim, 0) == 0 && m->heads && m->hidden % m->heads != 0))
		refuse(r, k_head_dim.name[0],
		       "is missing, and hidden_size is not a multiple of num_attention_heads");
	if (m->kv_heads > m->heads)
		refuse(r, k_kv_heads.name[0], "is more than num_attention_heads");
}

/* Layers without experts: the first ones, those between, and those that are listed. */
static int64_t count_dense(struct reading *r, const struct wl_llm *m)
{
	const struct wl_json *listed = wl_json_member(r->config, "mlp_only_layers");
	int64_t first = number(r, &k_first_dense, 0), every = number(r, &k_every, 1);
	int64_t n = first;

	if (first > m->layers || every < 1) {
		refuse(r, first > m->layers ? k_first_dense.name[0] : k_every.name[0],
		       "does not fit the number of layers");
		return 0;
	}
	for (int64_t i = first; i < m->layers; i++)
		n += (i + 1) % every != 0;
	if (listed && every == 1)
		n += (int64_t)wl_json_size(listed);
	if (n > m->layers)
		refuse(r, "mlp_only_layers", "has more layers than the model");
	return n;
}

static void read_experts(struct reading *r, struct wl_llm *m)
{
	m->experts = number(r, &k_experts, 0);
	if (m->experts < 2) {
		m->experts = 0;
		m->ffn = m->ffn ? m->ffn : need(r, &k_ffn);
		return;
	}
	m->top_k = need(r, &k_top_k);
	m->expert_ffn = number(r, &k_expert_ffn, m->ffn);
	m->shared_ffn = number(r, &k_shared_ffn, number(r, &k_shared, 0) * m->expert_ffn);
	m->dense_layers = count_dense(r, m);
	if (m->expert_ffn == 0)
		refuse(r, k_expert_ffn.name[0], "is missing");
	if (m->dense_layers && m->ffn == 0)
		refuse(r, k_ffn.name[0], "is missing");
	if (m->top_k > m->experts)
		refuse(r, k_top_k.name[0], "is more than the number of experts");
}

/* What the formula does not know: state-space layers, linear attention, encoders. */
static void refuse_others(struct reading *r)
{
	static const char *const other[] = { "mamba_d_state",   "mamba_num_heads",      "ssm_cfg",
					     "state_size",      "linear_num_key_heads", "lru_width",
					     "rwkv_hidden_size" };
	const struct wl_json *encoder = wl_json_member(r->config, "is_encoder_decoder");
	bool is = false;

	for (size_t i = 0; i < WL_COUNT(other); i++) {
		if (wl_json_member(r->config, other[i]))
			refuse(r, other[i],
			       "belongs to layers other than attention, which the "
			       "formula does not have: give the FLOPs");
	}
	if (encoder && wl_json_bool(encoder, &is) && is)
		refuse(r, "is_encoder_decoder",
		       "is true, and the formula is for decoders: give the FLOPs");
}

/* GPT-2's family leaves the width of its feed-forward layers out. */
static int64_t read_ffn(struct reading *r, const struct wl_llm *m)
{
	static const char *const four[] = { "bloom", "falcon", "gpt2", "gpt_bigcode",
					    "gptj",  "mpt",    NULL };
	const char *family = text_of(r, "model_type");

	return number(r, &k_ffn, is_one_of(family, four) ? 4 * m->hidden : 0);
}

static int64_t read_window(struct reading *r)
{
	const struct wl_json *use = wl_json_member(r->config, "use_sliding_window");
	const struct wl_json *types = wl_json_member(r->config, "layer_types");
	size_t n = types && wl_json_type_of(types) == WL_JSON_ARRAY ? wl_json_size(types) : 0;
	bool is = true;

	for (size_t i = 0; i < n; i++) {
		const char *type = wl_json_string(wl_json_at(types, i));

		if (!type || strcmp(type, "full_attention") != 0)
			refuse(r, "layer_types",
			       "has layers other than full_attention, which the formula does not "
			       "have: give the FLOPs");
	}
	if (n || (use && wl_json_bool(use, &is) && !is))
		return 0;
	return number(r, &k_window, 0);
}

int wl_llm_read(const struct wl_json *config, struct wl_llm *ret, struct wl_err *reterr)
{
	const struct wl_json *text = wl_json_member(config, "text_config");
	struct reading r = { .config = text ? text : config, .err = reterr };
	struct wl_llm m = { .layers = 0 };

	if (wl_json_type_of(r.config) != WL_JSON_OBJECT)
		return wl_fail(reterr, WL_E_USAGE,
			       "model: the file must hold a JSON object, as a "
			       "config.json of Hugging Face does");
	refuse_others(&r);
	m.layers = need(&r, &k_layers);
	m.hidden = need(&r, &k_hidden);
	m.vocab = need(&r, &k_vocab);
	if (m.layers > LAYERS_MAX)
		refuse(&r, k_layers.name[0], "is more than 100000");
	if (r.status < 0)
		return r.status;
	read_heads(&r, &m);
	m.ffn = read_ffn(&r, &m);
	read_experts(&r, &m);
	m.gated = read_gated(&r);
	m.mtp_layers = number(&r, &k_mtp, 0);
	m.window = read_window(&r);
	*ret = m;
	return r.status;
}

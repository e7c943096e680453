/* SPDX-License-Identifier: MIT */
/*
 * llm.h - how much arithmetic a decoder-only transformer needs for a token.
 *
 * Only multiplications of matrices count, a multiply-add as 2 FLOPs: projections, feed-forward
 * layers, routers, the core of attention, and the logits. Not counted are the lookup of
 * embeddings, norms, activations, softmax and position encodings. docs/definitions/mfu.md
 * has the formula and its sources.
 */
#ifndef WL_KNOWN_LLM_H
#define WL_KNOWN_LLM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_json;

/* The shape of a model. Members that it lacks are 0. */
struct wl_llm {
	int64_t layers, hidden, vocab;
	int64_t heads, kv_heads; /* GQA: kv_heads < heads */
	int64_t qk_dim, v_dim;   /* of a head */
	int64_t ffn;             /* width of a dense feed-forward layer */
	bool gated;              /* SwiGLU and the like: three matrices, not two */
	int64_t experts, top_k;  /* MoE: of a layer; chosen for a token */
	int64_t expert_ffn;      /* width of one */
	int64_t shared_ffn;      /* width of those that every token takes, together */
	int64_t dense_layers;    /* MoE: layers without experts */
	int64_t q_rank, kv_rank; /* MLA: widths of compressed queries, and of keys and values */
	int64_t rope_dim;        /* MLA: the part of qk_dim that is not compressed */
	int64_t mtp_layers;      /* modules that predict further tokens; trained, not served */
	int64_t window;          /* of attention, in tokens; 0: the whole sequence */
};

enum wl_llm_recompute {
	WL_RECOMPUTE_NONE,
	WL_RECOMPUTE_ATTENTION, /* the core of attention alone */
	WL_RECOMPUTE_FULL,      /* whole layers */
};

/* How often and over what a token is computed. */
struct wl_llm_work {
	int64_t sequence; /* tokens that attention goes over */
	bool causal;      /* attention counts half: a token does not look at later ones */
	bool backward;    /* training: two more passes, and the further tokens' modules */
	enum wl_llm_recompute recompute; /* of training */
};

/* Per token. */
struct wl_llm_cost {
	double flops;     /* that the model needs: of MFU */
	double hardware;  /* and those that are computed again: of HFU */
	double weights;   /* that a token is multiplied with, without further tokens' modules */
	double attention; /* FLOPs of the core of attention in the forward pass */
};

void wl_llm_cost(const struct wl_llm *m, const struct wl_llm_work *work, struct wl_llm_cost *ret);

/*
 * Read the shape from a configuration in the form of Hugging Face's config.json. What the
 * formula needs and the file lacks, what is out of bounds, and models with layers other than
 * attention are WL_E_USAGE; the message names the key.
 */
int wl_llm_read(const struct wl_json *config, struct wl_llm *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The same from a text: "layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256,
 * gated=true". Other keys are those of a config.json; values are numbers, true or false.
 */
int wl_llm_parse(const char *text, struct wl_llm *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif

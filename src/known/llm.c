/* SPDX-License-Identifier: MIT */
#include "known/llm.h"

/* Weights of the projections around attention, of one layer. */
static double projections(const struct wl_llm *m)
{
	double h = (double)m->hidden, heads = (double)m->heads;
	double qk = (double)m->qk_dim, v = (double)m->v_dim, rope = (double)m->rope_dim;
	double q_rank = (double)m->q_rank, kv_rank = (double)m->kv_rank;
	double q = m->q_rank ? q_rank * (h + heads * qk) : h * heads * qk;
	double kv = h * (double)m->kv_heads * (qk + v);

	if (m->kv_rank)
		kv = h * (kv_rank + rope) + kv_rank * heads * (qk - rope + v);
	return q + kv + heads * v * h;
}

static double feed_forward(const struct wl_llm *m, double width)
{
	return (m->gated ? 3 : 2) * (double)m->hidden * width;
}

/* Weights of a layer's feed-forward part that one token meets. */
static double experts(const struct wl_llm *m)
{
	double width = (double)m->top_k * (double)m->expert_ffn + (double)m->shared_ffn;

	return (double)m->hidden * (double)m->experts + feed_forward(m, width);
}

/* Tokens that a token looks at, on average over the sequence. */
static double context(const struct wl_llm *m, const struct wl_llm_work *work)
{
	double t = (double)work->sequence, w = (double)m->window;

	if (m->window && m->window < work->sequence)
		return work->causal ? w - w * w / (2 * t) : w;
	return work->causal ? t / 2 : t;
}

/* FLOPs of the core of attention in one layer: scores, and the weighted sum of values. */
static double core(const struct wl_llm *m, const struct wl_llm_work *work)
{
	return 2 * (double)m->heads * (double)(m->qk_dim + m->v_dim) * context(m, work);
}

/* A module that predicts a further token: a layer, a projection of two states, the logits. */
static double further_tokens(const struct wl_llm *m, const struct wl_llm_work *work)
{
	double h = (double)m->hidden;
	double ffn = m->experts ? experts(m) : feed_forward(m, (double)m->ffn);
	double weights = projections(m) + ffn + 2 * h * h + h * (double)m->vocab;

	return (double)m->mtp_layers * (2 * weights + core(m, work));
}

void wl_llm_cost(const struct wl_llm *m, const struct wl_llm_work *work, struct wl_llm_cost *ret)
{
	double layers = (double)m->layers;
	double dense = m->experts ? (double)m->dense_layers : layers;
	double weights = layers * projections(m) + dense * feed_forward(m, (double)m->ffn);
	double logits = (double)m->hidden * (double)m->vocab, attention = layers * core(m, work);
	double passes = work->backward ? 3 : 1, again = 0;

	if (m->experts)
		weights += (layers - dense) * experts(m);
	ret->weights = weights + logits;
	ret->attention = attention;
	ret->flops = passes * (2 * ret->weights + attention);
	if (work->backward) {
		ret->flops += passes * further_tokens(m, work);
		again = work->recompute == WL_RECOMPUTE_FULL        ? 2 * weights + attention
			: work->recompute == WL_RECOMPUTE_ATTENTION ? attention
								    : 0;
	}
	ret->hardware = ret->flops + again;
}

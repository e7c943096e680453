/* SPDX-License-Identifier: MIT */
#include "findings/lead.h"

#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"
#include "findings/sample_waits.h"

const struct wl_advice wl_advice_keep_lead = {
	.action = "Remove the call that waits for the GPU in each step",
	.advice = "The host can then launch ahead. A CUDA graph cannot contain such a call.",
	.in = {
		[WL_CUDA] = "copy results with cudaMemcpyAsync into pinned memory, and wait for a "
			    "cudaEvent one step later",
		[WL_PYTORCH] = "make scalars on the GPU, copy with non_blocking=True, and avoid "
			       ".item() and .cpu() in the loop",
		[WL_JAX] = "avoid float(x), x.item() and block_until_ready() in the loop",
		[WL_SERVING] = WL_SCHEDULE_AHEAD,
	},
	.unread = { [WL_CUDA] = WL_NO_SYNC_CUDA, [WL_PYTORCH] = WL_NO_SYNC_PYTORCH,
		    [WL_JAX] = WL_NO_SYNC_JAX },
};

const struct wl_advice wl_advice_wait_less = {
	.action = "Remove waits between launches, then use a CUDA graph",
	.advice = "A CUDA graph cannot contain a call that waits for the GPU. Read "
		  "results every N launches, or decide on the GPU.",
	.in = {
		[WL_CUDA] = "copy results with cudaMemcpyAsync into pinned memory and look at them "
			    "later; a conditional node decides inside a graph",
		[WL_PYTORCH] = "avoid .item() and .cpu() between launches; then "
			       "torch.compile(mode=\"reduce-overhead\")",
		[WL_JAX] = "jax.lax.while_loop and jax.lax.cond decide on the GPU",
		[WL_SERVING] = WL_SCHEDULE_AHEAD,
	},
	.unread = { [WL_CUDA] = WL_NO_SYNC_CUDA,
		    [WL_PYTORCH] = WL_NO_SYNC_PYTORCH
		    "; then torch.compile(mode=\"reduce-overhead\")",
		    [WL_JAX] = WL_NO_SYNC_JAX },
};

/* The process whose calls count: a lane without steps has none, and takes the only process that
 * uses a GPU. */
struct waiter {
	const struct wl_rule_state *d;
	const struct wl_rule_gpu *gpu;
	uint32_t process; /* WL_NONE: more than one candidate */
};

static struct waiter find_waiter(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu)
{
	const struct wl_trace *t = d->run->trace;
	struct waiter w = { d, gpu, gpu->lane->process };
	size_t n = 0;

	for (uint32_t i = 0; gpu->lane->process == WL_NONE && i < t->n_processes; i++) {
		if (!t->processes[i].on_gpu)
			continue;
		w.process = n++ == 0 ? i : WL_NONE;
	}
	return w;
}

static bool is_wait(const struct waiter *w, size_t i)
{
	const struct wl_trace *t = w->d->run->trace;
	wl_ns start = wl_api_start(t)[i];

	return w->d->run->derived->blocking->call[i] != WL_BLOCKS_NOT &&
	       wl_api_name(t)[i] != WL_NONE && w->process != WL_NONE &&
	       t->threads[wl_api_thread(t)[i]].process == w->process && start >= w->gpu->begin &&
	       start < w->gpu->end;
}

static bool is_loaded(const struct wl_rule_state *d)
{
	const struct wl_trace *t = d->run->trace;

	return d->run->derived->blocking && wl_api_dur(t) && wl_api_start(t) && wl_api_name(t) &&
	       wl_api_thread(t);
}

static struct wl_waiting find_waiting(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_family *api = &t->family[WL_F_API];
	const uint32_t *dur = wl_api_dur(t);
	const struct waiter waiter = find_waiter(d, gpu);
	struct wl_waiting w = { .name = WL_NONE };
	wl_ns longest = 0;
	size_t n = is_loaded(d) ? api->n : 0;

	for (size_t i = 0; i < n; i++) {
		/*
		 * The longest wait determines the call; all waits in that call are then counted
		 * over all steps. Two passes over API rows, and only for a claim that becomes a
		 * finding.
		 */
		if (!is_wait(&waiter, i) || wl_dur(api, dur, i) <= longest)
			continue;
		longest = wl_dur(api, dur, i);
		w.name = wl_api_name(t)[i];
	}
	for (size_t i = 0; w.name != WL_NONE && i < n; i++) {
		if (wl_api_name(t)[i] != w.name || !is_wait(&waiter, i))
			continue;
		w.n++;
		w.sum = wl_add_up(w.sum, wl_dur(api, dur, i));
	}
	return w;
}

enum { MOST_NAMES = 16 };

/* The waits of a sample by name. Only the first names are kept: few calls of a program wait. */
struct named_waits {
	struct wl_waiting by[MOST_NAMES];
	size_t n;
};

static void add_wait(void *ctx, uint32_t name, wl_ns length, wl_ns busy)
{
	struct named_waits *w = ctx;
	size_t k = 0;

	while (k < w->n && w->by[k].name != name)
		k++;
	if (k == MOST_NAMES)
		return;
	if (k == w->n)
		w->by[w->n++] = (struct wl_waiting){ .name = name };
	w->by[k].n++;
	w->by[k].sum = wl_add_up(w->by[k].sum, length);
	w->by[k].busy = wl_add_up(w->by[k].busy, busy);
}

/* A call does not wait if the GPU is already done, however often it is made. */
static bool waits_more(const struct wl_waiting *a, const struct wl_waiting *b)
{
	return a->busy != b->busy ? a->busy > b->busy : a->n > b->n;
}

bool wl_waits_every_few(const struct wl_rule_state *d, const struct wl_claim *c,
			struct wl_waiting *ret, double *ret_every)
{
	enum { FEW = 8 };
	const struct wl_rule_gpu *gpu = &d->gpu[wl_claim_gpu(d, c)];
	struct named_waits waits = { .n = 0 };
	uint64_t n_kernels = 0;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++)
		n_kernels += gpu->in_sample[i] ? gpu->lane->tile[i].n_kernels : 0;
	wl_sample_waits_visit(d, gpu, add_wait, &waits);
	*ret = (struct wl_waiting){ .name = WL_NONE };
	for (size_t k = 0; k < waits.n; k++) {
		const struct wl_waiting *w = &waits.by[k];

		if (w->n >= WL_HABIT && n_kernels <= FEW * w->n &&
		    (ret->n == 0 || waits_more(w, ret)))
			*ret = *w;
	}
	*ret_every = ret->n ? (double)n_kernels / (double)ret->n : 0;
	return ret->n > 0;
}

bool wl_loses_lead(const struct wl_rule_state *d, const struct wl_claim *c, struct wl_waiting *ret)
{
	size_t t = wl_claim_gpu(d, c);

	if (!wl_claim_is_of_steps(d, c, t))
		return false;
	*ret = find_waiting(d, &d->gpu[t]);
	/*
	 * The wait must occur in more than half of the steps and last longer than the claim:
	 * shorter waits cannot explain it.
	 */
	return 2 * ret->n > d->gpu[t].n_steps && ret->sum > c->ns[t];
}

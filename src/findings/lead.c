/* SPDX-License-Identifier: MIT */
#include "findings/lead.h"

#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"

const struct wl_advice wl_advice_keep_lead = {
	.action = "Remove the call in each step that waits for the GPU; then the host can launch ahead",
	.advice = "A CUDA graph cannot be captured across such a call.",
	.in = {
		[WL_CUDA] = "copy results with cudaMemcpyAsync into pinned memory, and wait for a "
			    "cudaEvent one step later",
		[WL_PYTORCH] = "make scalars on the GPU, copy with non_blocking=True, and avoid "
			       ".item() and .cpu() in the loop",
		[WL_JAX] = "avoid float(x), x.item() and block_until_ready() in the loop",
		[WL_SERVING] = WL_SCHEDULE_AHEAD,
	},
};

static bool is_wait(const struct wl_docket *d, const struct wl_docket_gpu *gpu, size_t i)
{
	const struct wl_trace *t = d->run->trace;
	wl_ns start = wl_api_start(t)[i];

	return d->run->derived->blocking->call[i] != WL_BLOCKS_NOT &&
	       wl_api_name(t)[i] != WL_NONE &&
	       t->threads[wl_api_thread(t)[i]].process == gpu->lane->process &&
	       start >= gpu->begin && start < gpu->end;
}

static struct wl_waiting find_waiting(const struct wl_docket *d, const struct wl_docket_gpu *gpu)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_family *api = &t->family[WL_F_API];
	const uint32_t *dur = wl_api_dur(t);
	struct wl_waiting w = { .name = WL_NONE };
	wl_ns longest = 0;
	bool is_loaded = d->run->derived->blocking && dur && wl_api_start(t) && wl_api_name(t) &&
			 wl_api_thread(t);
	size_t n = is_loaded ? api->n : 0;

	for (size_t i = 0; i < n; i++) {
		/*
		 * The longest wait names the call; its kind is then counted over all steps. Two
		 * passes over API rows, and only for a claim that becomes a finding.
		 */
		if (!is_wait(d, gpu, i) || wl_dur(api, dur, i) <= longest)
			continue;
		longest = wl_dur(api, dur, i);
		w.name = wl_api_name(t)[i];
	}
	for (size_t i = 0; w.name != WL_NONE && i < n; i++) {
		if (wl_api_name(t)[i] != w.name || !is_wait(d, gpu, i))
			continue;
		w.n++;
		w.sum = wl_add_up(w.sum, wl_dur(api, dur, i));
	}
	return w;
}

bool wl_loses_lead(const struct wl_docket *d, const struct wl_claim *c, struct wl_waiting *ret)
{
	size_t t = wl_claim_gpu(d, c);

	if (!wl_claim_is_of_steps(d, c, t))
		return false;
	*ret = find_waiting(d, &d->gpu[t]);
	/*
	 * It occurs in more than half of the steps and lasts longer than what is claimed: shorter
	 * waits cannot explain it.
	 */
	return 2 * ret->n > d->gpu[t].n_steps && ret->sum > c->ns[t];
}

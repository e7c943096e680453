/* SPDX-License-Identifier: MIT */
/*
 * launch_bound.c - the host launches too late, a little each time.
 *
 * A host that waits for the GPU in each step for longer than the GPU waits for launches is
 * fast enough: the blocking call takes its lead away, and has to go first.
 */
#include "base/units.h"
#include "derive/calls/blocking.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"
#include "findings/rule.h"

/* The blocking calls of one name in the sample: that of the longest of all. */
struct waiting {
	uint32_t name; /* a string of the trace; WL_NONE: there are none */
	uint64_t n;
	wl_ns sum;
};

static bool is_wait(const struct wl_docket *d, const struct wl_docket_device *track, size_t i)
{
	const struct wl_trace *t = d->run->trace;
	wl_ns start = wl_api_start(t)[i];

	return d->run->derived->blocking->call[i] != WL_BLOCKS_NOT &&
	       wl_api_name(t)[i] != WL_NONE &&
	       t->threads[wl_api_thread(t)[i]].process == track->lane->process &&
	       start >= track->begin && start < track->end;
}

static struct waiting find_waiting(const struct wl_docket *d, const struct wl_docket_device *track)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_family *api = &t->family[WL_F_API];
	const uint32_t *dur = wl_api_dur(t);
	struct waiting w = { .name = WL_NONE };
	wl_ns longest = 0;
	bool is_loaded = d->run->derived->blocking && dur && wl_api_start(t) && wl_api_name(t) &&
			 wl_api_thread(t);
	size_t n = is_loaded ? api->n : 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_wait(d, track, i) || wl_dur(api, dur, i) <= longest)
			continue;
		longest = wl_dur(api, dur, i);
		w.name = wl_api_name(t)[i];
	}
	for (size_t i = 0; w.name != WL_NONE && i < n; i++) {
		if (wl_api_name(t)[i] != w.name || !is_wait(d, track, i))
			continue;
		w.n++;
		w.sum = wl_add_up(w.sum, wl_dur(api, dur, i));
	}
	return w;
}

/* In most steps, and for longer than the GPU waits for launches. */
static bool loses_lead(const struct wl_docket *d, const struct wl_claim *c, struct waiting *ret)
{
	size_t t = wl_claim_track(d, c);

	if (!wl_claim_is_of_steps(d, c, t))
		return false;
	*ret = find_waiting(d, &d->track[t]);
	return 2 * ret->n > d->track[t].n_steps && ret->sum > c->ns[t];
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const struct wl_docket_device *track = &d->track[wl_claim_track(d, c)];
	const char *claim = wl_say_claim(d, c);
	struct waiting w;
	char time[WL_UNITS_BUF];

	if (!claim)
		return NULL;
	if (!loses_lead(d, c, &w))
		return wl_say(d, "GPU idle between kernels: the host cannot launch fast enough, %s",
			      claim);
	return wl_say(d,
		      "GPU idle between kernels: the host does not run ahead, %s; it waits for the "
		      "GPU in %s for %s per step",
		      claim, wl_str(d->run->trace, w.name),
		      wl_fmt_ns(time, w.sum / (wl_ns)track->n_steps, WL_UNIT_AUTO));
}

static const struct wl_advice *advise(const struct wl_docket *d, const struct wl_claim *c)
{
	static const struct wl_advice lead = {
		"Remove the call in each step that waits for the GPU; then the host can launch "
		"ahead",
		"Make scalars on the GPU, or copy them from pinned memory with non_blocking=True; "
		"avoid .item() and .cpu() in the loop. A CUDA graph cannot be captured across such "
		"a call.",
	};
	struct waiting w;

	return loses_lead(d, c, &w) ? &lead : NULL;
}

const struct wl_rule wl_rule_launch_bound = {
	.code = "launch-bound",
	.action = "Batch launches: capture the step in a CUDA graph, or use "
		  "torch.compile(mode=\"reduce-overhead\")",
	.advice = "Fuse kernels, use larger batches, do less host work between launches.",
	.limits = "Host code in gaps of up to 100 us counts as launching; how much of it a CUDA "
		  "graph leaves is not known.",
	.sight.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LATENCY,
	.wants = wl_atom_is_launching,
	.min_without_steps = WL_HABIT,
	.tell = tell,
	.advise = advise,
	.evidence = "launch TRACE --sort exposed_launch",
};

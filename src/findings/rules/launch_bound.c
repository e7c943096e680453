/* SPDX-License-Identifier: MIT */
/* launch_bound.c - a rule: the host launches too late, by a little each time. */
#include "base/text/units.h"
#include "derive/derived.h"
#include "findings/lead.h"
#include "findings/rule.h"
#include "findings/rules/launching.h"

WL_DECLARE_RULE(launch_bound);

/* "; cudaMemcpy waits for the GPU after every 2.5 kernels" */
static const char *say_waits(struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_waiting w;
	double every;

	if (!wl_waits_every_few(d, c, &w, &every))
		return "";
	if (every < 1.05)
		return wl_say(d, WL_STOP "; %s waits for the GPU after every kernel",
			      wl_str(d->run->trace, w.name));
	return wl_say(d, WL_STOP "; %s waits for the GPU after every %.1f kernels",
		      wl_str(d->run->trace, w.name), every);
}

/*
 * "; for 21.46 us more per step the GPU is idle between queued operations, and the host is in
 * launch calls for 95.2% of the time": nothing else was launched that could fill these gaps. "" if
 * they are less than half of the claim, or the host launches for less than three quarters of the
 * time.
 */
static const char *say_queued(struct wl_rule_state *d, const struct wl_claim *c)
{
	size_t t = wl_claim_gpu(d, c);
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	bool of_steps = wl_claim_is_of_steps(d, c, t);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	wl_ns queued = 0, launching;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		const wl_ns *loss = gpu->lane->tile[i].loss;

		if (gpu->in_sample[i])
			queued += loss[WL_CAUSE_DISPATCH] + loss[WL_CAUSE_DEPENDENCY];
	}
	if (2 * queued <= c->ns[t])
		return "";
	if (!wl_launching_find(d, gpu, &launching))
		return NULL;
	if (4 * launching <= 3 * (gpu->end - gpu->begin))
		return "";
	(void)wl_fmt_ns(time, of_steps ? queued / (wl_ns)gpu->n_steps : queued, WL_UNIT_AUTO);
	(void)wl_fmt_share(share, (double)launching / (double)(gpu->end - gpu->begin));
	return wl_say(d,
		      WL_STOP "; for %s more %s the GPU is idle between queued operations, and the "
			      "host is in launch calls for %s of the time",
		      time, of_steps ? "per step" : "of the window", share);
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const struct wl_rule_gpu *gpu = &d->gpu[wl_claim_gpu(d, c)];
	const char *claim = wl_say_claim(d, c), *waits = say_waits(d, c);
	const char *queued = say_queued(d, c);
	struct wl_waiting w;
	char time[WL_UNITS_BUF];

	if (!claim || !waits || !queued)
		return NULL;
	if (!wl_loses_lead(d, c, &w))
		return wl_say(d,
			      "GPU idle between kernels: the host cannot launch fast enough" WL_STOP
			      ", "
			      "%s%s%s",
			      claim, waits, queued);
	return wl_say(d,
		      "GPU idle between kernels: the host does not launch ahead" WL_STOP
		      ", %s" WL_STOP "; the host blocks in %s for %s per step",
		      claim, wl_str(d->run->trace, w.name),
		      wl_fmt_ns(time, w.sum / (wl_ns)gpu->n_steps, WL_UNIT_AUTO));
}

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_waiting w;
	double every;

	if (wl_loses_lead(d, c, &w))
		return &wl_advice_keep_lead;
	return wl_waits_every_few(d, c, &w, &every) ? &wl_advice_wait_less : NULL;
}

/* A host that blocks on the GPU could launch ahead without that call. */
static const char *scenario_of(struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_waiting w;

	return wl_loses_lead(d, c, &w) ? wl_say(d, "no-sync=%s", wl_str(d->run->trace, w.name))
				       : "launch-free";
}

/* The call that empties the queue every few kernels, which makes later launches late; NULL for
 * none. */
static const char *behind(const struct wl_rule_state *d, const struct wl_claim *c)
{
	struct wl_waiting w;
	double every;

	return !wl_loses_lead(d, c, &w) && wl_waits_every_few(d, c, &w, &every)
		       ? wl_str(d->run->trace, w.name)
		       : NULL;
}

/* If short gaps have almost no host code, show rows without that of long gaps. */
static const struct wl_cmdline *evidence_of(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_cmdline calls = {
		.verb = "idle",
		.option = { { "by", "detail" }, { "where", "cause = launch or cause = latency" } }
	};
	wl_ns in_calls = c->by_loss[WL_CAUSE_LAUNCH] + c->by_loss[WL_CAUSE_LATENCY];

	(void)d;
	return 20 * in_calls >= 19 * c->named_of ? &calls : NULL;
}

const struct wl_rule wl_rule_launch_bound = {
	.code = "launch-bound",
	.title = "The host cannot launch fast enough",
	.fix = {
		.action = "Capture the step in a CUDA graph, or fuse kernels",
		.advice = "Larger batches and less host work between launches also help.",
		.in = {
			[WL_CUDA] = "cudaStreamBeginCapture once, cudaGraphLaunch in each step",
			[WL_PYTORCH] = "torch.compile(mode=\"reduce-overhead\"), or "
				       "torch.cuda.make_graphed_callables",
			[WL_JAX] = "compile the whole step with one jax.jit, and loops with "
				   "jax.lax.scan",
			[WL_SERVING] = "leave CUDA graphs on: no --enforce-eager (vLLM), no "
				       "--disable-cuda-graph (SGLang)",
		},
	},
	.limits = "Host code in gaps up to 100 us counts as launch overhead; a CUDA graph may not "
		  "remove all of it.",
	.best_place.losses = 1U << WL_CAUSE_LAUNCH | 1U << WL_CAUSE_LATENCY,
	.wants = wl_atom_is_launching,
	.min_without_steps = WL_HABIT,
	.from = WL_FROM(WAITS) | WL_FROM(LINKS) | WL_FROM(BLOCKING),
	.tell = describe,
	.advise = advise,
	.scenario_of_all = "launch-free",
	.scenario_of = scenario_of,
	.behind = behind,
	.evidence = { .verb = "idle",
		      .option = { { "by", "detail" },
				  { "where", "cause ~ \"^(launch|latency|host|os|api)$\"" } } },
	.evidence_of = evidence_of,
};

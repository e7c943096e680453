/* SPDX-License-Identifier: MIT */
/*
 * idle_sms.c - a rule: the GPU counts as busy, but counters show that most of its SMs are idle.
 *
 * A sample counts only if compute kernels run during all of it: one with a pause would show idle
 * SMs that no kernel could have used. Other programs on the GPU can only raise the counter, which
 * makes the share of idle SMs a lower bound.
 */
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "findings/rules/sampled.h"

WL_DECLARE_RULE(idle_sms);

static bool computes(const struct wl_derived *derived, size_t row)
{
	return wl_class_of(derived->trace, derived->classes, WL_F_KERNELS, row) == WL_COMPUTE;
}

/* Below one half, most SMs are idle. Less than a tenth of the window is not worth a finding. */
static const struct wl_sampled_question question = {
	.metric = WL_METRIC_SM_ACTIVE, .counts = computes, .below = 50, .of_window = 0.1
};

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .of_window = true };
	char idle[WL_UNITS_BUF], active[WL_UNITS_BUF], time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct wl_sampled have;

	if (!wl_sampled_find(d, &question, &f, &have))
		return false;
	if (have.n == 0)
		return true;
	f.sentence = wl_say(d,
			    "GPU %u is busy, but %s of its SMs are idle" WL_STOP
			    ": %s of them are active while compute kernels run, for %s (%s of the "
			    "window)",
			    d->gpu[f.gpu].lane->device, wl_fmt_share(idle, 1 - have.mean / 100),
			    wl_fmt_share(active, have.mean / 100),
			    wl_fmt_ns(time, have.time, WL_UNIT_AUTO), wl_fmt_share(share, f.share));
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "metrics",
				     .option = { { "by", "category" },
						 { "where", "metric ~ \"sms? active\"" } } },
		d->gpu[f.gpu].lane->device);
	return wl_rule_state_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_idle_sms = {
	.from = WL_FROM(METRIC_SERIES),
	.code = "idle-sms",
	.title = "Kernels run on less than half of the SMs",
	.fix = {
		.action = "Use larger grids, or run kernels concurrently",
		.advice = "A grid with fewer blocks than the GPU has SMs leaves the others idle; "
			  "so "
			  "does the last wave of a grid that is a little larger.",
		.in = {
			[WL_CUDA] = "more blocks (split-K, smaller tiles), or several streams",
			[WL_PYTORCH] = "larger batches, torch.baddbmm or torch.nested instead of "
				       "loops, torch.cuda.stream() for independent branches",
			[WL_JAX] = "larger batches; jax.vmap instead of Python loops",
			[WL_SERVING] = "more requests per step: max_num_seqs (vLLM), "
				       "--max-running-requests (SGLang)",
		},
	},
	.limits = "An SM with a single warp counts as active, so occupancy may still be low. The "
		  "counters do not show what using the idle SMs would save.",
	.apply = apply,
};

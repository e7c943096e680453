/* SPDX-License-Identifier: MIT */
/*
 * foreign_work.c - counters show that the GPU works while the trace has nothing on it.
 *
 * Only samples count during all of which no recorded operation runs. What is recorded cannot raise
 * them, so that something else does: idle time of this trace is then not free time of the GPU.
 */
#include "base/units.h"
#include "findings/rules/sampled.h"

/* A tenth of the SMs is more than drivers take; a tenth of the window is worth a finding. */
static const struct wl_sampled_question question = {
	.metric = WL_METRIC_SM_ACTIVE, .at_least = 10, .below = 1000, .of_window = 0.1
};

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .of_window = true, .comes_first = true };
	char active[WL_UNITS_BUF], time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct wl_sampled have;

	if (!wl_sampled_find(d, &question, &f, &have))
		return false;
	if (have.n == 0)
		return true;
	f.sentence = wl_say(d,
			    "Counters show SMs active in %s of what this trace calls idle on GPU "
			    "%u: another process or untraced work; samples without a recorded "
			    "operation cover %s (%s of the window)",
			    wl_fmt_share(active, have.mean / 100), d->gpu[f.gpu].lane->device,
			    wl_fmt_ns(time, have.time, WL_UNIT_AUTO), wl_fmt_share(share, f.share));
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "metrics",
				     .option = { { "where", "metric ~ \"sms? active\"" } } },
		d->gpu[f.gpu].lane->device);
	return wl_docket_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_foreign_work = {
	.from = WL_FROM(METRIC_SERIES),
	.code = "foreign-work",
	.title = "The GPU works while nothing recorded runs on it",
	.fix = {
		.action = "Find what else uses this GPU, and stop it or record it",
		.advice = "nvidia-smi lists the processes of a GPU. Idle time of this trace may be "
			  "busy time of another program, which also slows down these kernels.",
		.in = {
			[WL_CUDA] = "nsys profile traces the processes that it starts: start the "
				    "others under it, too",
		},
	},
	.limits = "The counters do not show whose work it is.",
	.apply = apply,
};

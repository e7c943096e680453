/* SPDX-License-Identifier: MIT */
/* foreign_work.c - a rule: counters show that the GPU is busy while the trace shows no work on
 * it. */
#include "derive/use/foreign_work.h"

#include "base/text/units.h"
#include "derive/derived.h"
#include "findings/rule.h"

WL_DECLARE_RULE(foreign_work);

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .of_window = true, .comes_first = true };
	const struct wl_foreign_work *all = d->run->derived->foreign_work;
	char active[WL_UNITS_BUF], time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	const struct wl_foreign *most;

	for (size_t t = 0; t < d->n_gpus; t++)
		f.gpu = d->gpu[t].lane->device == all->most ? t : f.gpu;
	if (d->n_gpus == 0 || d->gpu[f.gpu].lane->device != all->most)
		return true;
	most = &all->of[all->most];
	f.share = most->share;
	f.sentence = wl_say(d,
			    "%s of the SMs of GPU %u are active while nothing recorded runs" WL_STOP
			    ": another process or untraced work" WL_STOP
			    "; samples without a recorded operation cover %s (%s of the window)",
			    wl_fmt_share(active, most->active.mean / 100), all->most,
			    wl_fmt_ns(time, most->active.time, WL_UNIT_AUTO),
			    wl_fmt_share(share, f.share));
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "metrics",
				     .option = { { "where", "metric ~ \"sms? active\"" } } },
		d->gpu[f.gpu].lane->device);
	return wl_rule_state_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_foreign_work = {
	.from = WL_FROM(FOREIGN_WORK),
	.code = "foreign-work",
	.title = "The GPU is busy while nothing recorded runs on it",
	.fix = {
		.action = "Find what else uses this GPU; stop it or record it",
		.advice = "nvidia-smi lists the processes on a GPU. Idle time in this trace may be "
			  "another program's work, which also slows these kernels down.",
		.in = {
			[WL_CUDA] = "nsys profile traces the processes that it starts: start the "
				    "others under it, too",
		},
	},
	.limits = "The counters do not show whose work it is.",
	.apply = apply,
};

/* SPDX-License-Identifier: MIT */
/* graph_mode_opaque.c - a rule: CUDA graphs were traced as a whole, without their kernels. */
#include "base/text/units.h"
#include "findings/rule.h"

WL_DECLARE_RULE(graph_mode_opaque);

static const double enough = 0.01; /* of the window */

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_GRAPHS);
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };
	char text[WL_UNITS_BUF];
	double share = 0;

	for (size_t t = 0; ops.place && t < d->n_gpus; t++) {
		struct wl_interval w = d->run->scope->device[d->gpu[t].lane->device];
		size_t lo, hi;
		double sum = 0;

		wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			wl_ns start, end;

			if (wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
				sum += (double)(end - start);
		}
		sum = w.end > w.begin ? sum / (double)(w.end - w.begin) : 0;
		share = sum > share ? sum : share;
	}
	if (share < enough)
		return true;
	f.sentence = wl_say(d,
			    "Kernels inside CUDA graphs were not recorded" WL_STOP
			    "; graph replays take %s of the time",
			    wl_fmt_share(text, share < 1 ? share : 1));
	f.evidence = (struct wl_cmdline){ .verb = "graphs" };
	return wl_rule_state_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_graph_mode_opaque = {
	.code = "graph-mode-opaque",
	.title = "Kernels inside CUDA graphs were not recorded",
	.fix.action = "Record with --cuda-graph-trace=node",
	.fix.advice = "nsys profile --cuda-graph-trace=node records the kernels, at some overhead.",
	.limits = "Idle time and communication inside a replay are not visible: these findings are "
		  "lower bounds.",
	.apply = apply,
};

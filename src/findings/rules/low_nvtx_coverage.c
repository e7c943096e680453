/* SPDX-License-Identifier: MIT */
/* low_nvtx_coverage.c - the trace has ranges, but most of the GPU's work is in none of them. */
#include "base/units.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "findings/rule.h"

/* Kernel time in the window, and that of kernels launched inside a range, bridging included. */
static void measure(const struct wl_docket *d, const struct wl_forest *forest,
		    const struct wl_links *links, double *ret_in, double *ret_all)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);

	*ret_in = *ret_all = 0;
	for (size_t i = 0; i < ops.n; i++) {
		uint32_t call = wl_link_of(links, WL_OP_KERNEL, i);
		wl_ns start, end;

		if (!wl_op_clip(t, d->run->scope, &ops, i, &start, &end))
			continue;
		*ret_all += (double)(end - start);
		if (call != WL_NONE &&
		    (forest->of_call[call] != WL_NONE || forest->above[call] != WL_NONE))
			*ret_in += (double)(end - start);
	}
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	const struct wl_forest *forest = d->run->derived->forest;
	const struct wl_links *links = d->run->derived->links;
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };
	char share[WL_UNITS_BUF];
	double in, all;

	if (forest->n == 0)
		return true; /* no ranges at all: "what this trace cannot answer" says so */
	measure(d, forest, links, &in, &all);
	if (all <= 0 || in >= d->min_coverage * all)
		return true;
	f.sentence = wl_say(d, "Only %s of the kernel time is launched inside an NVTX range",
			    wl_fmt_ratio(share, in / all));
	f.evidence = "warplens nvtx TRACE";
	return wl_docket_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_low_nvtx_coverage = {
	.code = "low-nvtx-coverage",
	.action = "Put NVTX ranges around the phases of a step",
	.advice = "Do so on the threads that launch the backward pass, too; "
		  "torch.autograd.profiler.emit_nvtx names operators.",
	.limits = "Stages and ranges describe the covered part only.",
	.apply = apply,
};

/* SPDX-License-Identifier: MIT */
/* dominant_kernel.c - the kernel that most of a step's compute is spent in. */
#include "base/shell.h"
#include "base/units.h"
#include "derive/derived.h"
#include "findings/rule.h"

static const double dominant = 0.2; /* of the step */

/* The time of each kernel name in a GPU's sample, and the largest. */
static bool find_largest(const struct wl_docket *d, size_t t, uint32_t *ret_name, wl_ns *ret_sum)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_docket_gpu *gpu = &d->gpu[t];
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	const struct wl_classes *classes = d->run->derived->classes;
	const uint32_t *name = wl_kernels_name(trace);
	struct wl_arena scratch;
	size_t lo, hi, tile = 0;
	wl_ns *sum;

	wl_arena_init_child(&scratch, d->run->arena);
	sum = WL_NEW(&scratch, wl_ns, trace->n_kernel_names);
	wl_ops_on_device(trace, &ops, gpu->lane->device, &lo, &hi);
	for (size_t i = lo; sum && name && i < hi; i++) {
		wl_ns start, end;

		if (wl_class_of(trace, classes, WL_F_KERNELS, i) != WL_COMPUTE ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		while (gpu->by_step && tile + 1 < gpu->lane->n_tiles &&
		       gpu->lane->tile[tile].end <= start)
			tile++;
		/* A kernel counts in the step it begins in. */
		if (!gpu->by_step ||
		    (gpu->in_sample[tile] && start >= gpu->lane->tile[tile].begin &&
		     start < gpu->lane->tile[tile].end))
			sum[name[i]] += end - start;
	}
	*ret_sum = 0;
	for (uint32_t k = 0; sum && k < trace->n_kernel_names; k++) {
		if (sum[k] > *ret_sum) {
			*ret_sum = sum[k];
			*ret_name = k;
		}
	}
	wl_arena_release(&scratch);
	return sum && classes;
}

/* With the command that measures it; ncu finds a kernel by its brief name. */
static const char *say_how(struct wl_docket *d, const char *brief)
{
	const char *word = wl_shell_word(brief, d->run->arena);

	return word ? wl_say(d,
			     "Measure one run of it: ncu --set full --kernel-name %s --launch-skip "
			     "10 --launch-count 1 PROGRAM. Then check its shapes, data type and "
			     "tile size, or look for a faster library call.",
			     word)
		    : NULL;
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .share = 0 };
	char share[WL_UNITS_BUF], time[WL_UNITS_BUF];
	const char *brief = "";
	uint32_t largest = WL_NONE;
	wl_ns best = 0;

	for (size_t t = 0; t < d->n_gpus; t++) {
		uint32_t name = WL_NONE;
		wl_ns sum;
		double of_step;

		if (!find_largest(d, t, &name, &sum))
			return false;
		of_step = d->gpu[t].length ? (double)sum / (double)d->gpu[t].length : 0;
		if (name == WL_NONE || of_step <= f.share)
			continue;
		f.share = of_step;
		f.gpu = t;
		largest = name;
		f.subject = wl_str(d->run->trace, d->run->trace->kernel_names[name].demangled);
		brief = wl_str(d->run->trace, d->run->trace->kernel_names[name].brief);
		best = sum / (wl_ns)d->gpu[t].n_steps;
	}
	if (f.share < dominant)
		return true;
	f.fix.action = rule->fix.action;
	f.fix.advice = say_how(d, brief);
	f.sentence = f.fix.advice ? wl_say(d, "%s takes %s of %s (%s) on GPU %u",
					   wl_say_kernel(d, largest),
					   wl_fmt_ns(time, best, WL_UNIT_AUTO),
					   d->gpu[f.gpu].by_step ? "each step" : "the window",
					   wl_say_ratio(share, f.share), d->gpu[f.gpu].lane->device)
				  : NULL;
	f.evidence = wl_say_where(d, f.gpu);
	f.evidence = f.evidence ? wl_say(d, "warplens kernels TRACE -n 1%s", f.evidence) : NULL;
	return wl_docket_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_dominant_kernel = {
	.code = "dominant-kernel",
	.title = "One kernel takes at least 20% of the step",
	.fix.action = "Profile this kernel with Nsight Compute",
	.limits = "The trace does not show whether it already runs as fast as the GPU allows.",
	.apply = apply,
};

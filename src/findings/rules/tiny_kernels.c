/* SPDX-License-Identifier: MIT */
/* tiny_kernels.c - most kernels are so short that starting them costs more than running them. */
#include "base/text/units.h"
#include "derive/rows/scope.h"
#include "findings/rule.h"

WL_DECLARE_RULE(tiny_kernels);

enum { TINY_NS = 5000, ENOUGH = 1000 };

struct tiny {
	uint64_t n, n_tiny;
	wl_ns sum;
};

static void count(const struct wl_docket *d, size_t t, struct tiny *ret)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	size_t lo, hi;

	*ret = (struct tiny){ .n = 0 };
	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (!wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		ret->n++;
		if (end - start <= TINY_NS) {
			ret->n_tiny++;
			ret->sum += end - start;
		}
	}
}

/* Of the window: spacing of kernels that follow each other back to back. */
static double dispatch_share(const struct wl_docket_gpu *t)
{
	wl_ns sum = 0;

	for (size_t i = 0; i < t->lane->n_tiles; i++)
		sum += t->lane->tile[i].loss[WL_CAUSE_DISPATCH];
	return t->window ? (double)sum / (double)t->window : 0;
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE };
	struct tiny worst = { .n = 0 };
	char share[WL_UNITS_BUF], of_time[WL_UNITS_BUF], all[WL_UNITS_BUF];
	const char *more;
	double between;

	for (size_t t = 0; t < d->n_gpus; t++) {
		struct wl_interval w = d->run->scope->device[d->gpu[t].lane->device];
		struct tiny have;

		count(d, t, &have);
		if (have.n < ENOUGH || have.n_tiny * 2 < have.n || have.n_tiny <= worst.n_tiny)
			continue;
		worst = have;
		f.gpu = t;
		f.share = w.end > w.begin ? (double)have.sum / (double)(w.end - w.begin) : 0;
	}
	if (worst.n == 0)
		return true;
	between = dispatch_share(&d->gpu[f.gpu]);
	more = between < 0.01
		       ? ""
		       : wl_say(d,
				WL_STOP
				"; another %s of the window passes between kernels that were "
				"already queued",
				wl_fmt_share(of_time, between));
	f.sentence = !more ? NULL
			   : wl_say(d,
				    "%s of the kernels on GPU %u take at most 5 us" WL_STOP
				    "; their times add up "
				    "to %s of the window%s",
				    wl_fmt_share(share, (double)worst.n_tiny / (double)worst.n),
				    d->gpu[f.gpu].lane->device, wl_fmt_share(all, f.share), more);
	f.evidence = (struct wl_cmdline){ .verb = "kernels", .option = { { "sort", "calls" } } };
	wl_show(d, f.gpu, &f.evidence);
	return wl_docket_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_tiny_kernels = {
	.code = "tiny-kernels",
	.title = "Most kernels take at most 5 us",
	.fix = {
		.action = "Fuse small kernels, or replay them as a CUDA graph",
		.advice = "A microsecond or two passes between kernels even when they are queued.",
		.in = {
			[WL_CUDA] = "batched library calls (cublasGemmStridedBatchedEx), "
				    "cudaGraphLaunch",
			[WL_PYTORCH] = "torch.compile; fused optimizers, such as AdamW(fused=True)",
			[WL_JAX] = "more of the step in one jax.jit; jax.vmap instead of Python "
				   "loops",
			[WL_SERVING] = "leave CUDA graphs on: no --enforce-eager (vLLM), no "
				       "--disable-cuda-graph (SGLang)",
		},
	},
	.limits = "The trace does not show how many of them can be fused.",
	.apply = apply,
};

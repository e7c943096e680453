/* SPDX-License-Identifier: MIT */
/*
 * idle_tensor_cores.c - a rule: counters show that matrix products do not use the tensor cores.
 *
 * A sample counts only if matrix product kernels run during all of it.
 */
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/named.h"
#include "findings/rules/sampled.h"

WL_DECLARE_RULE(idle_tensor_cores);

static bool multiplies(const struct wl_derived *derived, size_t row)
{
	switch (derived->named->kernel[wl_kernels_name(derived->trace)[row]].category) {
	case WL_CATEGORY_GEMM:
	case WL_CATEGORY_MOE_GEMM:
	case WL_CATEGORY_CONVOLUTION:
		return true;
	default:
		return false;
	}
}

/*
 * Counters are whole percents: if the mean is below one, most samples are 0. In a real capture, a
 * kernel of 48 us that uses tensor cores shows 13% in its sample of 100 us.
 */
static const struct wl_sampled_question question = {
	.metric = WL_METRIC_TENSOR_ACTIVE, .counts = multiplies, .below = 1, .of_window = 0.05
};

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .of_window = true };
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	struct wl_sampled have;

	if (!wl_kernels_name(d->run->trace))
		return true;
	if (!wl_sampled_find(d, &question, &f, &have))
		return false;
	if (have.n == 0)
		return true;
	f.sentence = wl_say(d,
			    "Matrix multiplications on GPU %u do not use tensor cores" WL_STOP
			    ": tensor cores are idle while they run, for %s (%s of the window)",
			    d->gpu[f.gpu].lane->device, wl_fmt_ns(time, have.time, WL_UNIT_AUTO),
			    wl_fmt_share(share, f.share));
	f.evidence =
		wl_cmdline_on((struct wl_cmdline){ .verb = "metrics",
						   .option = { { "by", "category" },
							       { "where", "metric ~ tensor" } } },
			      d->gpu[f.gpu].lane->device);
	return wl_rule_state_put_plain(d, rule, &f);
}

static const enum wl_column_id columns[] = { WL_KERNELS_NAME, WL_N_COLUMNS };

const struct wl_rule wl_rule_idle_tensor_cores = {
	.from = WL_FROM(METRIC_SERIES) | WL_FROM(NAMED),
	.columns = columns,
	.code = "idle-tensor-cores",
	.title = "Matrix multiplications do not use tensor cores",
	.fix = {
		.action = "Use bf16, fp16, fp8 or TF32",
		.advice = "Dimensions should be multiples of 8. float32 products do not use tensor "
			  "cores unless TF32 is enabled; most GPUs have none for float64.",
		.in = {
			[WL_CUDA] = "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), or "
				    "16-bit operands",
			[WL_PYTORCH] = "torch.set_float32_matmul_precision(\"high\"), or "
				       "torch.autocast(\"cuda\", torch.bfloat16)",
			[WL_JAX] = "jax.default_matmul_precision(\"tensorfloat32\"), or bfloat16 "
				   "arrays",
		},
	},
	.limits = "The counters do not show whether the program needs the precision of float32.",
	.apply = apply,
};

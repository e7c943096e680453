/* SPDX-License-Identifier: MIT */
/* module_load_in_loop.c - a rule: idle time while the host loads modules or compiles kernels. */
#include "derive/derived.h"
#include "findings/rule.h"
#include "findings/rules/jit_cache.h"

WL_DECLARE_RULE(module_load_in_loop);

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_LOAD;
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c),
		   *parts = wl_say_parts(d, c, "in ", "in unnamed calls"),
		   *cache = wl_say_jit_cache(d, c->detail);

	return claim && parts && cache
		       ? wl_say(d,
				"GPU idle while modules load or kernels compile" WL_STOP ": %s%s%s",
				claim, parts, cache)
		       : NULL;
}

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
	return wl_is_jit(d, c->detail) ? &wl_jit_advice : NULL;
}

const struct wl_rule wl_rule_module_load_in_loop = {
	.code = "module-load-in-loop",
	.title = "Modules are loaded or kernels compiled in the loop",
	.fix = {
		.action = "Load and compile before the loop",
		.advice = "Run every shape once to warm up.",
		.in = {
			[WL_CUDA] = "CUDA_MODULE_LOADING=EAGER loads all kernels at the start",
			[WL_PYTORCH] = "TORCH_LOGS=recompiles names what is compiled again; pad or "
				       "mark sizes that change (torch._dynamo.mark_dynamic)",
			[WL_JAX] = "jax.config.update(\"jax_log_compiles\", True) names what is "
				   "compiled; pad to few shapes",
			[WL_SERVING] = "capture all batch sizes at the start: "
				       "cudagraph_capture_sizes (vLLM), --cuda-graph-bs (SGLang)",
		},
	},
	.limits = "Shapes that this capture did not see may still be compiled later.",
	.best_place.losses = 1U << WL_CAUSE_LOAD,
	.from = WL_FROM(CALL_COSTS),
	.wants = wants,
	.tell = describe,
	.advise = advise,
	.scenario = "module-load-in-loop",
	.evidence = { .verb = "idle", .option = { { "by", "detail" }, { "where", "cause = load" } } },
};

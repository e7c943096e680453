#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_CAUSE_LOAD;
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "Modules are loaded or compiled inside the loop while the GPU waits: "
			      "%s, mostly in %s",
			      claim, wl_say_detail(d, c->detail, "unnamed calls"))
		     : NULL;
}

const struct wl_rule wl_rule_module_load_in_loop = {
	.code = "module-load-in-loop",
	.action = "Load and compile before the loop",
	.advice = "Run every shape once to warm up, or set CUDA_MODULE_LOADING=EAGER.",
	.limits = "New shapes may come later than this capture saw.",
	.sight.losses = 1U << WL_CAUSE_LOAD,
	.wants = wants,
	.steps_only = true,
	.tell = tell,
	.evidence = "idle TRACE --by detail --where 'cause = load'",
};

/* SPDX-License-Identifier: MIT */
/* idle_gpu.c - a rule: a GPU has no work for long while another one works. */
#include "base/text/units.h"
#include "findings/rule.h"

WL_DECLARE_RULE(idle_gpu);

static const double long_unused = 0.25; /* of the window */

struct use {
	wl_ns busy, unused;
};

static struct use use_of(const struct wl_rule_gpu *t)
{
	struct use u = { .busy = t->window };

	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		for (unsigned c = 0; c < WL_N_CAUSES; c++)
			u.busy -= t->lane->tile[i].loss[c];
		u.unused += t->lane->tile[i].loss[WL_CAUSE_UNUSED];
	}
	return u;
}

/* The share of ns in the GPU's window. */
static double share_of(const struct wl_rule_gpu *t, wl_ns ns)
{
	return t->window ? (double)ns / (double)t->window : 0;
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE, .of_window = true };
	char unused[WL_UNITS_BUF], busy[WL_UNITS_BUF], other[WL_UNITS_BUF];
	size_t busiest = 0;
	double most = -1;

	for (size_t t = 0; t < d->n_gpus; t++) {
		double share = share_of(&d->gpu[t], use_of(&d->gpu[t]).busy);

		if (share > most) {
			most = share;
			busiest = t;
		}
	}
	for (size_t t = 0; t < d->n_gpus; t++) {
		struct use u = use_of(&d->gpu[t]);

		if (2 * share_of(&d->gpu[t], u.busy) < most &&
		    share_of(&d->gpu[t], u.unused) > f.share) {
			f.share = share_of(&d->gpu[t], u.unused);
			f.gpu = t;
		}
	}
	if (f.share < long_unused)
		return true;
	f.sentence =
		wl_say(d,
		       "GPU %u has no work for %s of the window" WL_STOP
		       "; it is busy for %s of it, GPU %u for %s",
		       d->gpu[f.gpu].lane->device, wl_fmt_share(unused, f.share),
		       wl_fmt_share(busy, share_of(&d->gpu[f.gpu], use_of(&d->gpu[f.gpu]).busy)),
		       d->gpu[busiest].lane->device, wl_fmt_share(other, most));
	f.evidence = (struct wl_cmdline){ .verb = "overlap", .option = { { "by", "device" } } };
	return wl_rule_state_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_idle_gpu = {
	.code = "idle-gpu",
	.title = "A GPU has no work for a quarter of the window",
	.fix = {
		.action = "Use all GPUs, or run on fewer",
		.advice = "Check that each process selects a different GPU, and that the work is "
			  "balanced.",
		.in = {
			[WL_CUDA] = "cudaSetDevice(rank % devices), or CUDA_VISIBLE_DEVICES per "
				    "process",
			[WL_PYTORCH] = "torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))",
			[WL_JAX] = "shard over all devices: jax.sharding.NamedSharding, "
				   "jax.devices()",
		},
	},
	.limits = "Time before its first and after its last operation counts; the trace does not "
		  "show what it did outside the window.",
	.apply = apply,
};

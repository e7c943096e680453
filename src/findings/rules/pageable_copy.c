/* SPDX-License-Identifier: MIT */
/* pageable_copy.c - a rule: exposed copies of pageable memory, and idle time in their calls. */
#include "findings/rule.h"
#include "known/calls/calls.h"

WL_DECLARE_RULE(pageable_copy);

static bool wants(const struct wl_atom *atom)
{
	bool is_copy_call = atom->detail && wl_call_copies(atom->detail);

	if (!(atom->flags & WL_LOST_TO_PAGEABLE))
		return false;
	if (atom->loss == WL_LOSS_EXPOSED_COPY)
		return true;
	return is_copy_call && (atom->loss == WL_CAUSE_SYNC || atom->loss == WL_CAUSE_LAUNCH ||
				atom->loss == WL_CAUSE_LATENCY);
}

static const char *name(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COPY ? atom->detail : "GPU idle during the copy calls";
}

static const char *describe(struct wl_rule_state *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");

	return claim && parts
		       ? wl_say(d,
				"Exposed copies use pageable host memory" WL_STOP ": %s%s" WL_STOP
				"; the driver copies through a staging buffer",
				claim, parts)
		       : NULL;
}

static const struct wl_advice *advise(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_advice small = {
		.action = "Pack small copies into one pinned buffer",
		.advice = "Each is at most 64 KiB, and its call takes longer than the transfer. Or "
			  "pass scalars as kernel arguments.",
	};

	(void)d;
	return c->always & WL_LOST_TO_SMALL ? &small : NULL;
}

/* The copies themselves may be the smaller part. */
static const struct wl_cmdline *evidence_of(const struct wl_rule_state *d, const struct wl_claim *c)
{
	static const struct wl_cmdline idle = {
		.verb = "idle", .option = { { "by", "detail" }, { "where", "detail ~ memcpy" } }
	};

	(void)d;
	return 2 * wl_claim_idle(c) > c->named_of ? &idle : NULL;
}

const struct wl_rule wl_rule_pageable_copy = {
	.code = "pageable-copy",
	.title = "Exposed copies use pageable host memory",
	.fix = {
		.action = "Pin the host buffers",
		.advice = "Pinned memory needs no staging buffer, and its copies can overlap.",
		.in = {
			[WL_CUDA] = "cudaHostAlloc or cudaHostRegister, then cudaMemcpyAsync",
			[WL_PYTORCH] = "DataLoader(pin_memory=True), then x.to(device, "
				       "non_blocking=True)",
		},
	},
	.limits = "Counts the whole copy; a pinned copy is faster but not free.",
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.name = name,
	.tell = describe,
	.advise = advise,
	.scenario = "pinned",
	.evidence = { .verb = "transfers", .option = { { "where", "src = pageable or dst = "
			      "pageable" } } },
	.evidence_of = evidence_of,
};

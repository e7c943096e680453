#include "facts/calls.h"
#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	bool is_copy_call = atom->detail && wl_call_copies(atom->detail);

	if (atom->loss == WL_LOSS_EXPOSED_COPY)
		return (atom->flags & WL_LOST_TO_PAGEABLE) != 0;
	if (atom->loss != WL_CAUSE_SYNC && atom->loss != WL_CAUSE_LAUNCH &&
	    atom->loss != WL_CAUSE_LATENCY)
		return false;
	return is_copy_call && (atom->flags & WL_LOST_TO_PAGEABLE);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c);

	return claim ? wl_say(d,
			      "Copies from or to pageable memory go through a staging buffer while "
			      "the GPU waits: %s, mostly %s",
			      claim, wl_say_detail(d, c->detail, "unnamed"))
		     : NULL;
}

const struct wl_rule wl_rule_pageable_copy = {
	.code = "pageable-copy",
	.action = "Pin the host buffers",
	.advice = "pin_memory=True in the data loader, cudaHostAlloc or cudaHostRegister; "
		  "then copy with non_blocking=True.",
	.limits = "How fast the same copy would be from pinned memory is not known: the whole of "
		  "it is counted.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = tell,
	.evidence = "transfers TRACE --where 'src = pageable or dst = pageable'",
};

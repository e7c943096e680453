/* SPDX-License-Identifier: MIT */
/*
 * sample_waits.h - the calls in which the host waits for a GPU, in the sample of a rule state.
 *
 * They are those that the verb sync counts in the window of the sample: calls that have a part in
 * it. A rule that asks for them declares WAITS.
 */
#ifndef WL_FINDINGS_SAMPLE_WAITS_H
#define WL_FINDINGS_SAMPLE_WAITS_H

#include "findings/rule_state.h"

/* A call that waits, with its part in the sample; busy: the GPU works meanwhile. */
typedef void wl_sample_wait(void *ctx, uint32_t name, wl_ns length, wl_ns busy);

/*
 * Visit those that wait for the GPU; where it is not known what a call waits for, those of the
 * process whose steps these are. In the order of calls.
 */
void wl_sample_waits_visit(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			   wl_sample_wait *take, void *ctx);

/* How many calls of that name there are. */
uint64_t wl_sample_waits_count(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			       const char *name);

#endif

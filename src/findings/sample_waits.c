/* SPDX-License-Identifier: MIT */
#include "findings/sample_waits.h"

#include <string.h>

#include "derive/derived.h"
#include "derive/use/waits.h"

/* A lane without steps has no process: a call counts there if it is known to wait for its GPU. */
static bool is_for(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu, size_t wait)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_waits *waits = d->run->derived->waits;
	uint32_t process = t->threads[wl_api_thread(t)[waits->call[wait]]].process;

	if (gpu->lane->process != WL_NONE && process != gpu->lane->process)
		return false;
	return waits->device[wait] == gpu->lane->device ||
	       (waits->device[wait] == WL_NONE && process == gpu->lane->process);
}

/* The part of a call in the sample; false for none. */
static bool clip(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu, uint32_t call,
		 wl_ns *start, wl_ns *end)
{
	const struct wl_trace *t = d->run->trace;
	struct wl_scope steps = *d->run->scope;

	*start = wl_api_start(t)[call];
	*end = *start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	steps.whole = false;
	return gpu->by_step
		       ? wl_clip(&steps, (struct wl_interval){ gpu->begin, gpu->end }, start, end)
		       : wl_host_clip(t, d->run->scope, wl_api_thread(t)[call], start, end);
}

void wl_sample_waits_visit(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			   wl_sample_wait *take, void *ctx)
{
	const struct wl_waits *waits = d->run->derived->waits;
	const uint32_t *name = wl_api_name(d->run->trace);
	size_t n = waits && name ? waits->n : 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t call = waits->call[i];
		wl_ns start, end;

		if (name[call] != WL_NONE && is_for(d, gpu, i) && clip(d, gpu, call, &start, &end))
			take(ctx, name[call], end - start,
			     wl_intervals_covered(&waits->on[gpu->lane->device], start, end));
	}
}

struct counting {
	const struct wl_trace *trace;
	const char *name;
	uint64_t n;
};

static void count(void *ctx, uint32_t name, wl_ns length, wl_ns busy)
{
	struct counting *c = ctx;

	(void)length;
	(void)busy;
	c->n += strcmp(wl_str(c->trace, name), c->name) == 0;
}

uint64_t wl_sample_waits_count(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			       const char *name)
{
	struct counting c = { .trace = d->run->trace, .name = name };

	wl_sample_waits_visit(d, gpu, count, &c);
	return c.n;
}

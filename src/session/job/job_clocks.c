/* SPDX-License-Identifier: MIT */
#include "session/job/job_clocks.h"

#include <math.h>

#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/hosts.h"

/* Cheaper than the hosts themselves: a file of its own name, or of another, is another host. */
bool wl_job_clocks_want(const struct wl_trace *t, struct wl_wanted *wanted)
{
	bool is_one = true;

	for (size_t i = 0; is_one && i < t->n_files; i++)
		is_one = t->files[i].host != WL_NONE && t->files[i].host == t->files[0].host;
	if (is_one || t->n_files < 2)
		return false;
	wl_want(wanted, WL_FROM(HOSTS) | WL_FROM(HOST_CLOCKS), NULL);
	return true;
}

/*
 * The file's time t is t + offset by UTC, and that is u + o + u * d on the reference's clock: in
 * terms of t, t + (offset + o + offset * d) + t * d.
 */
static void correct(struct wl_trace_file *f, const struct wl_host_clock *c)
{
	double moved = (double)f->offset * ((double)c->drift / 1e9);

	f->clock_state = WL_CLOCK_FITTED;
	f->fitted = c->offset + (wl_ns)llround(moved);
	f->offset += f->fitted;
	f->drift = c->drift;
}

struct wl_trace_file *wl_job_clocks_fit(const struct wl_derived *derived, struct wl_arena *arena)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_host_clocks *clocks = derived->host_clocks;
	const struct wl_hosts *hosts = derived->hosts;
	struct wl_trace_file *file = WL_NEW(arena, struct wl_trace_file, t->n_files);

	for (size_t i = 0; file && i < t->n_files; i++)
		file[i] = t->files[i];
	for (size_t i = 0; file && i < t->n_processes; i++) {
		struct wl_trace_file *f = &file[t->processes[i].file];
		const struct wl_host_clock *c = &clocks->fit.host[hosts->of[i]];

		if (f->clock_state != WL_CLOCK_UTC || !c->is_tied)
			continue;
		if (clocks->is_refused)
			f->clock_state = WL_CLOCK_REFUSED;
		else
			correct(f, c);
		f->residual = c->residual;
		f->residual_p50 = c->residual_p50;
		f->anchors = (uint32_t)c->n_anchors;
		f->violations = (uint32_t)c->n_violations;
	}
	return file;
}

/* SPDX-License-Identifier: MIT */
/* iters_kernels.c - finds steps that begin with each run of a kernel that the user names. */

#include "derive/iters/iters_parts.h"

/* By number of kernel_names: it matches. */
static const bool *find_names(const struct wl_trace *t, const struct wl_pattern *pattern,
			      struct wl_arena *arena)
{
	bool *is = WL_NEW(arena, bool, t->n_kernel_names);

	for (size_t i = 0; is && i < t->n_kernel_names; i++)
		is[i] = wl_pattern_matches(pattern, wl_str(t, t->kernel_names[i].brief)) ||
			wl_pattern_matches(pattern, wl_str(t, t->kernel_names[i].demangled));
	return is;
}

/* Runs of the kernel in a process on one of its devices: with several devices a step would begin
 * twice. */
struct runs {
	uint32_t device;
	size_t n, first, end; /* they are in rows [first, end) */
};

/* Rows come by device, so a process's rows on one device follow its rows on the previous one. */
static bool count_runs(const struct wl_trace *t, const bool *is, struct wl_arena *arena,
		       struct runs **ret)
{
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	struct runs *now = WL_NEW(arena, struct runs, t->n_processes);
	struct runs *best = WL_NEW(arena, struct runs, t->n_processes);

	*ret = best;
	if (!now || !best)
		return false;
	for (size_t i = 0; i < ops.n; i++) {
		const struct wl_place *place = &t->places[ops.place[i]];
		struct runs *r = &now[place->process];

		if (!is[wl_kernels_name(t)[i]])
			continue;
		if (r->n == 0 || r->device != place->device)
			*r = (struct runs){ .device = place->device, .first = i };
		r->n++;
		r->end = i + 1;
		/*
		 * The device with the most runs; on a tie the lowest, because rows come by device
		 * and the comparison is strict.
		 */
		if (r->n > best[place->process].n)
			best[place->process] = *r;
	}
	return true;
}

static bool put_starts(const struct wl_trace *t, const bool *is, uint32_t process,
		       const struct runs *r, struct wl_arena *arena, struct wl_steps_found *ret)
{
	wl_ns *start = WL_NEW(arena, wl_ns, r->n);
	size_t n = 0;

	for (size_t i = r->first; start && i < r->end; i++) {
		if (is[wl_kernels_name(t)[i]] &&
		    t->places[wl_kernels_place(t)[i]].process == process)
			start[n++] = wl_kernels_start(t)[i];
	}
	ret->start = start;
	ret->n_starts = n;
	return start != NULL;
}

const struct wl_steps_found *wl_iter_kernels(const struct wl_iter_input *in,
					     const struct wl_pattern *pattern,
					     struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	struct wl_steps_found *out = WL_NEW(arena, struct wl_steps_found, t->n_processes);
	const bool *is = find_names(t, pattern, arena);
	struct runs *best;

	if (!out || !is)
		return NULL;
	if (!t->family[WL_F_KERNELS].n || !wl_kernels_name(t))
		return out;
	if (!count_runs(t, is, arena, &best))
		return NULL;
	for (uint32_t p = 0; p < t->n_processes; p++) {
		if (best[p].n && !put_starts(t, is, p, &best[p], arena, &out[p]))
			return NULL;
	}
	return out;
}

/* SPDX-License-Identifier: MIT */
/* iters_tenants.c - finds processes that are not part of the job: other programs on its GPUs. */
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/kinds/named.h"

/* By process: whether it has communication kernels. */
static bool *find_talking(const struct wl_iter_input *in, size_t *ret_n, struct wl_arena *scratch)
{
	const struct wl_trace *t = in->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(t);
	bool *talks = WL_NEW(scratch, bool, t->n_processes);

	*ret_n = 0;
	for (size_t i = 0; talks && name && i < ops.n; i++) {
		uint32_t process = t->places[ops.place[i]].process;

		if (talks[process] || !wl_kernel_is_comm(&in->derived->named->kernel[name[i]]))
			continue;
		talks[process] = true;
		(*ret_n)++;
	}
	return talks;
}

/* Whether every GPU of the process is also used by a process that communicates. */
static bool is_guest(const struct wl_iter_process *p, const bool *is_taken)
{
	for (size_t i = 0; i < p->n_runs; i++) {
		if (!is_taken[p->run[i].device])
			return false;
	}
	return p->n_runs > 0;
}

bool wl_iter_mark_tenants(const struct wl_iter_input *in, struct wl_process_iters *out,
			  struct wl_arena *scratch)
{
	size_t n = in->trace->n_processes, n_talking;
	const bool *talks = find_talking(in, &n_talking, scratch);
	bool *is_taken = WL_NEW(scratch, bool, in->trace->n_devices);

	if (!talks || !is_taken)
		return false;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; talks[i] && k < in->process[i].n_runs; k++)
			is_taken[in->process[i].run[k].device] = true;
	}
	/* A job that does not communicate has no ranks and no guests. */
	for (size_t i = 0; n_talking > 1 && i < n; i++) {
		if (!talks[i] && out[i].method == WL_ITER_NONE &&
		    is_guest(&in->process[i], is_taken))
			out[i].method = WL_ITER_TENANT;
	}
	return true;
}

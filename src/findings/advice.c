/* SPDX-License-Identifier: MIT */
#include "findings/advice.h"

#include "derive/nvtx/range_names.h"
#include "known/exports/codes.h"

enum { MAX_LINES = 3 };

/* If no process is Python and no framework is recognized, the program is CUDA C++. */
static unsigned of_processes(const struct wl_trace *t, unsigned proven)
{
	unsigned found = 0;
	bool all_compiled = true;

	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];
		enum wl_framework f;

		if (!p->on_gpu)
			continue;
		f = p->name == WL_NONE ? WL_N_FRAMEWORKS
				       : wl_framework_of_process(wl_str(t, p->name));
		all_compiled = all_compiled && f == WL_CUDA;
		if (f != WL_N_FRAMEWORKS && f != WL_CUDA)
			found |= 1U << f;
	}
	return found || proven || !all_compiled ? found : 1U << WL_CUDA;
}

unsigned wl_frameworks_find(const struct wl_run *run)
{
	const struct wl_trace *t = run->trace;
	const struct wl_range_names *ranges = run->derived->range_names;
	unsigned found = 0;

	for (size_t i = 0; i < t->n_kernel_names; i++)
		found |= 1U << wl_framework_of_kernel(wl_str(t, t->kernel_names[i].demangled));
	for (size_t i = 0; ranges && i < ranges->n; i++)
		found |= ranges->name[i].text ? 1U << wl_framework_of_range(ranges->name[i].text)
					      : 0;
	found &= (1U << WL_N_FRAMEWORKS) - 1;
	found |= of_processes(t, found);
	/* Serving engines are built on PyTorch, but their users configure the engine. */
	return found & 1U << WL_SERVING ? 1U << WL_SERVING : found;
}

bool wl_trace_has_reads(const struct wl_trace *t)
{
	const uint8_t *kind = wl_memcpys_kind(t);

	for (size_t i = 0; kind && i < t->family[WL_F_MEMCPYS].n; i++) {
		if (wl_known_copy_kind(kind[i]) == WL_COPY_D2H)
			return true;
	}
	return false;
}

void wl_advice_take_unread(struct wl_advice *advice)
{
	for (unsigned f = 0; f < WL_N_FRAMEWORKS; f++)
		advice->in[f] = advice->unread[f] ? advice->unread[f] : advice->in[f];
}

static unsigned choose(const char *const in[WL_N_FRAMEWORKS], unsigned frameworks)
{
	unsigned have = 0, both;

	for (unsigned f = 0; f < WL_N_FRAMEWORKS; f++)
		have |= in[f] ? 1U << f : 0;
	both = have & frameworks;
	if (both)
		return both;
	if (frameworks & 1U << WL_SERVING && in[WL_PYTORCH])
		return 1U << WL_PYTORCH;
	/* A program without a framework gets no advice that needs one. */
	return frameworks == 1U << WL_CUDA ? 0 : have;
}

void wl_advice_choose(struct wl_advice *advice, unsigned frameworks)
{
	unsigned chosen = choose(advice->in, frameworks), n = 0;

	for (unsigned f = 0; f < WL_N_FRAMEWORKS; f++) {
		if (!(chosen & 1U << f) || n == MAX_LINES)
			advice->in[f] = NULL;
		n += advice->in[f] != NULL;
	}
}

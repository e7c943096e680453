#include "derive/nccl.h"

#include "base/sort.h"
#include "derive/derived.h"
#include "derive/range_names.h"
#include "facts/codes.h"

static bool is_nccl_row(const struct wl_trace *t, const struct wl_range_names *names, size_t row)
{
	unsigned kind = wl_nvtx_kind(t)[row];

	return (kind == WL_NVTX_PUSH_POP || kind == WL_NVTX_PUSH_POP_IMPORTED) &&
	       wl_range_name_of(names, row)->is_nccl;
}

bool wl_nccl_ranges_find(struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_nccl_ranges *ret)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_range_names *names = wl_derived_range_names(derived);
	const struct wl_family *nvtx = &t->family[WL_F_NVTX];
	uint32_t *thread;
	wl_ns *start, *reach;
	size_t n = 0, k = 0;

	if (!names)
		return false;
	for (size_t i = 0; i < nvtx->n; i++)
		n += is_nccl_row(t, names, i);
	thread = WL_NEW(arena, uint32_t, n);
	start = WL_NEW(arena, wl_ns, n);
	reach = WL_NEW(arena, wl_ns, n);
	if (!thread || !start || !reach)
		return false;
	for (size_t i = 0; i < nvtx->n; i++) {
		wl_ns end;

		if (!is_nccl_row(t, names, i))
			continue;
		thread[k] = wl_nvtx_thread(t)[i];
		start[k] = wl_nvtx_start(t)[i];
		end = start[k] + wl_dur(nvtx, wl_nvtx_dur(t), i);
		reach[k] = k > 0 && thread[k - 1] == thread[k] && reach[k - 1] > end ? reach[k - 1]
										     : end;
		k++;
	}
	*ret = (struct wl_nccl_ranges){ n, thread, start, reach };
	return true;
}

struct wanted {
	const struct wl_trace *trace;
	const struct wl_nccl_ranges *ranges;
	uint64_t thread;
	wl_ns start;
};

/* Ranges of earlier threads, and those of this one that start no later. */
static bool range_upto(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;
	uint64_t thread = w->trace->threads[w->ranges->thread[i]].global;

	return thread < w->thread || (thread == w->thread && w->ranges->start[i] <= w->start);
}

bool wl_nccl_contains(const struct wl_trace *trace, const struct wl_nccl_ranges *r, uint32_t thread,
		      wl_ns start, wl_ns end)
{
	const struct wanted w = { trace, r, trace->threads[thread].global, start };
	size_t n = wl_lower_bound(r->n, range_upto, &w);

	return n > 0 && r->thread[n - 1] == thread && r->reach[n - 1] >= end;
}

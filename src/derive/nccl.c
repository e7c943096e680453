#include "derive/nccl.h"

#include <string.h>
#include <strings.h>

#include "base/sort.h"
#include "derive/domains.h"
#include "facts/codes.h"

static bool is_nccl_name(const char *name)
{
	return strncasecmp(name, "nccl", 4) == 0;
}

/* Only what nests on a thread says what a call is part of. */
static bool is_range(unsigned kind)
{
	return kind == WL_NVTX_PUSH_POP || kind == WL_NVTX_PUSH_POP_IMPORTED;
}

/* Which strings are named like NCCL calls: each looked at once. */
static bool *nccl_strings(const struct wl_trace *t, struct wl_arena *arena)
{
	bool *is = WL_NEW(arena, bool, t->strings.n);

	for (uint32_t i = 0; is && i < t->strings.n; i++)
		is[i] = is_nccl_name(wl_str(t, i));
	return is;
}

struct finder {
	const struct wl_trace *trace;
	struct wl_domains domains;
	const bool *named; /* by string */
};

static bool is_nccl_row(const struct finder *f, size_t row)
{
	const struct wl_trace *t = f->trace;
	uint32_t name = wl_nvtx_name(t)[row];
	const char *domain;

	if (!is_range(wl_nvtx_kind(t)[row]))
		return false;
	if (name != WL_NONE && f->named[name])
		return true;
	domain = wl_domain_name(t, &f->domains, t->threads[wl_nvtx_thread(t)[row]].process,
				wl_nvtx_domain(t)[row]);
	return domain && strcasecmp(domain, "nccl") == 0;
}

bool wl_nccl_ranges_find(const struct wl_trace *trace, struct wl_arena *arena,
			 struct wl_nccl_ranges *ret)
{
	const struct wl_family *nvtx = &trace->family[WL_F_NVTX];
	struct finder f = { .trace = trace, .named = nccl_strings(trace, arena) };
	uint32_t *thread;
	wl_ns *start, *reach;
	size_t n = 0, k = 0;

	if (!f.named || !wl_domains_find(trace, arena, &f.domains))
		return false;
	for (size_t i = 0; i < nvtx->n; i++)
		n += is_nccl_row(&f, i);
	thread = WL_NEW(arena, uint32_t, n);
	start = WL_NEW(arena, wl_ns, n);
	reach = WL_NEW(arena, wl_ns, n);
	if (!thread || !start || !reach)
		return false;
	for (size_t i = 0; i < nvtx->n; i++) {
		wl_ns end;

		if (!is_nccl_row(&f, i))
			continue;
		thread[k] = wl_nvtx_thread(trace)[i];
		start[k] = wl_nvtx_start(trace)[i];
		end = start[k] + wl_dur(nvtx, wl_nvtx_dur(trace), i);
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

/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/project.h"

#include <string.h>

#include "base/memory/sort.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/domains.h"
#include "derive/nvtx/forest.h"
#include "known/exports/codes.h"

struct naming {
	const struct wl_trace *trace;
	struct wl_domains domains;
	const char *name;
};

/* Each string is compared once, as a whole and as the part after "domain:". */
enum { AS_WHOLE = 1, AS_TAIL = 2 };

static uint8_t *compare_strings(const struct naming *n, struct wl_arena *arena)
{
	size_t len = strlen(n->name);
	uint8_t *how = WL_NEW(arena, uint8_t, n->trace->strings.n);

	for (uint32_t i = 0; how && i < n->trace->strings.n; i++) {
		const char *text = wl_str(n->trace, i);
		size_t tail = strlen(text);

		if (strcmp(text, n->name) == 0)
			how[i] |= AS_WHOLE;
		/*
		 * Cheap test first: the domain is looked up only for the few rows whose text
		 * matches after a colon.
		 */
		if (tail < len && n->name[len - tail - 1] == ':' &&
		    strcmp(text, n->name + len - tail) == 0)
			how[i] |= AS_TAIL;
	}
	return how;
}

static bool is_named(const struct naming *n, const uint8_t *how, size_t row)
{
	const struct wl_trace *t = n->trace;
	uint32_t name = wl_nvtx_name(t)[row];
	const char *domain;

	if (name == WL_NONE || !how[name] || !wl_nvtx_is_range(wl_nvtx_kind(t)[row]))
		return false;
	if (how[name] & AS_WHOLE)
		return true;
	domain = wl_domain_name(t, &n->domains, t->threads[wl_nvtx_thread(t)[row]].process,
				wl_nvtx_domain(t)[row]);
	return domain && strlen(domain) + 1 + strlen(wl_str(t, name)) == strlen(n->name) &&
	       strncmp(domain, n->name, strlen(domain)) == 0;
}

struct starts {
	const struct wl_trace *trace;
};

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ((const struct starts *)ctx)->trace;
	uint32_t pa = t->threads[wl_nvtx_thread(t)[a]].process;
	uint32_t pb = t->threads[wl_nvtx_thread(t)[b]].process;

	if (pa != pb)
		return pa < pb;
	return wl_nvtx_start(t)[a] < wl_nvtx_start(t)[b];
}

/* The wanted instance of each process. */
static bool choose(const struct naming *n, size_t instance, struct wl_arena *arena,
		   struct wl_projection *out)
{
	const struct wl_trace *t = n->trace;
	size_t n_rows = t->family[WL_F_NVTX].n, found = 0;
	const uint8_t *how = compare_strings(n, arena);
	uint32_t *rows = WL_NEW(arena, uint32_t, 2 * n_rows);

	if (!how || !rows)
		return false;
	for (uint32_t i = 0; i < n_rows; i++) {
		if (is_named(n, how, i))
			rows[found++] = i;
	}
	wl_sort_index(rows, found, rows + n_rows, start_less, &(struct starts){ t });
	for (size_t i = 0; i < found; i++) {
		struct wl_projection *p = &out[t->threads[wl_nvtx_thread(t)[rows[i]]].process];

		/* Count all of them, for the message that says how many there are. */
		if (p->n_instances++ == instance)
			p->row = rows[i];
	}
	return true;
}

/* True when the API call lies inside the range, on the thread that began and ended it. */
static bool launched_inside(const struct wl_trace *t, uint32_t range, uint32_t call)
{
	wl_ns begin = wl_nvtx_start(t)[range], start = wl_api_start(t)[call];

	return wl_api_thread(t)[call] == wl_nvtx_thread(t)[range] &&
	       wl_span_is_on_one_thread(t, range) && start >= begin &&
	       start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call) <=
		       begin + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), range);
}

/*
 * Whether another thread launched it while the range was open. The range is on the anchor thread of
 * its process: forest.h bridges only from there.
 */
static bool launched_beside(const struct wl_trace *t, uint32_t range, uint32_t call)
{
	wl_ns begin = wl_nvtx_start(t)[range], at = wl_api_start(t)[call];

	return wl_api_thread(t)[call] != wl_nvtx_thread(t)[range] && at >= begin &&
	       at < begin + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), range);
}

static void widen(struct wl_projection *p, wl_ns start, wl_ns end)
{
	if (p->n_ops == 0 || start < p->span.begin)
		p->span.begin = start;
	if (p->n_ops == 0 || end > p->span.end)
		p->span.end = end;
	p->n_ops++;
}

/* One pass over the operations counts those launched inside the ranges, or the bridged ones. */
static void project(const struct wl_trace *t, const struct wl_links *links, bool bridged,
		    struct wl_projection *out)
{
	for (unsigned kind = 0; kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++) {
			struct wl_projection *p = &out[t->places[ops.place[i]].process];
			uint32_t call = wl_link_of(links, (enum wl_op_kind)kind, i);

			if (p->row == WL_NONE || call == WL_NONE || p->is_bridged != bridged)
				continue;
			if (bridged ? launched_beside(t, p->row, call)
				    : launched_inside(t, p->row, call))
				widen(p, ops.start[i],
				      ops.start[i] + wl_dur(ops.family, ops.dur, i));
		}
	}
}

/* Mark the push/pop ranges of anchor threads that launched no operations themselves. */
static bool find_bridged(const struct wl_derived *d, struct wl_projection *out)
{
	const struct wl_trace *t = d->trace;

	bool any = false;

	for (size_t i = 0; i < t->n_processes; i++) {
		struct wl_projection *p = &out[i];

		/* Start/end ranges are not bridged: forest.h bridges to push/pop ranges only. */
		if (p->row == WL_NONE || p->n_ops || !wl_nvtx_is_push_pop(wl_nvtx_kind(t)[p->row]))
			continue;
		p->is_bridged = d->forest->anchor[i] == wl_nvtx_thread(t)[p->row];
		any = any || p->is_bridged;
	}
	return any;
}

static void project_all(const struct wl_derived *d, struct wl_projection *out)
{
	project(d->trace, d->links, false, out);
	/*
	 * A second pass over all operations, only if some range without its own work needs it.
	 */
	if (find_bridged(d, out))
		project(d->trace, d->links, true, out);
}

const struct wl_projection *wl_project_named(const struct wl_derived *derived, const char *name,
					     size_t instance, struct wl_arena *arena)
{
	const struct wl_trace *t = derived->trace;
	struct wl_projection *out = WL_NEW(arena, struct wl_projection, t->n_processes);
	struct naming n = { .trace = t, .name = name };

	if (!out || !wl_domains_find(t, arena, &n.domains))
		return NULL;
	for (size_t i = 0; i < t->n_processes; i++)
		out[i].row = WL_NONE;
	if (!choose(&n, instance, arena, out))
		return NULL;
	project_all(derived, out);
	return out;
}

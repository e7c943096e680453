/* SPDX-License-Identifier: MIT */
#include "derive/use/thread_use.h"

#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "derive/rows/host_extent.h"
#include "derive/rows/on_cpu.h"
#include "derive/rows/slices.h"
#include "derive/rows/stats.h"

struct measuring {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_forest *forest;
	const struct wl_call_costs *costs;
	const uint8_t *blocks; /* by API row: enum wl_blocks */
	const bool *launched;  /* by API row: an operation */
	const struct wl_slice *api, *os, *sched;
	wl_ns trace_end;
	struct wl_interval seen; /* extent of calls, ranges and OS calls: stands for the window
				    where that is open */
	struct wl_thread_use *use;
};

/* A union of intervals that come in order of start. */
struct cover {
	wl_ns length, until;
};

static void cover(struct cover *c, wl_ns begin, wl_ns end)
{
	if (end <= c->until)
		return;
	c->length += end - (begin > c->until ? begin : c->until);
	c->until = end;
}

static const struct cover nothing = { .until = INT64_MIN };

static bool starts_inside(const struct measuring *m, uint32_t process, wl_ns start)
{
	struct wl_interval w = m->scope->process[process];

	return m->scope->whole || (start >= w.begin && start < w.end);
}

static void measure_calls(const struct measuring *m, uint32_t thread, struct wl_thread_use *use)
{
	const struct wl_trace *t = m->trace;
	struct cover api = nothing, sync = nothing;

	for (size_t i = m->api[thread].lo; i < m->api[thread].hi; i++) {
		wl_ns start = wl_api_start(t)[i], begin = start;
		wl_ns end = start + wl_dur(&t->family[WL_F_API], wl_api_dur(t), i);

		if (!wl_host_clip(t, m->scope, thread, &begin, &end))
			continue;
		use->calls = true;
		if (end > api.until)
			wl_call_costs_add(m->costs, thread, begin > api.until ? begin : api.until,
					  end, use->cost);
		cover(&api, begin, end);
		if (m->blocks[i] != WL_BLOCKS_NOT)
			cover(&sync, begin, end);
		/*
		 * A call cut by a window counts in the window in which it starts, so that adjacent
		 * windows add up.
		 */
		use->launches +=
			m->launched[i] && starts_inside(m, t->threads[thread].process, start);
	}
	use->api = api.length;
	use->sync = sync.length;
	use->is_in_window |= use->calls;
}

static void measure_os_calls(const struct measuring *m, uint32_t thread, struct wl_thread_use *use)
{
	const struct wl_trace *t = m->trace;
	struct cover os = nothing;

	for (size_t i = m->os[thread].lo; i < m->os[thread].hi; i++) {
		wl_ns start = wl_osrt_start(t)[i];
		wl_ns end = start + wl_dur(&t->family[WL_F_OSRT], wl_osrt_dur(t), i);

		if (!wl_host_clip(t, m->scope, thread, &start, &end))
			continue;
		use->is_in_window = true;
		cover(&os, start, end);
	}
	use->os = os.length;
}

/*
 * Threads run before the first and after the last recorded call. An open window shows only the time
 * between these.
 */
static wl_ns seen_part(const struct measuring *m, uint32_t thread, wl_ns start, wl_ns end)
{
	struct wl_interval w = m->scope->process[m->trace->threads[thread].process];

	if (!wl_host_clip(m->trace, m->scope, thread, &start, &end))
		return 0;
	if ((m->scope->whole || w.begin <= -WL_TIME_MAX) && start < m->seen.begin)
		start = m->seen.begin;
	if ((m->scope->whole || w.end >= WL_TIME_MAX) && end > m->seen.end)
		end = m->seen.end;
	return start < end ? end - start : 0;
}

static void measure_cpu(const struct measuring *m, uint32_t thread, struct wl_thread_use *use)
{
	const struct wl_slice rows = m->sched[thread];
	struct wl_interval on;

	for (size_t i = rows.lo; wl_on_cpu_next(m->trace, rows, m->trace_end, &i, &on);)
		use->on_cpu += seen_part(m, thread, on.begin, on.end);
	use->is_in_window |= use->on_cpu > 0;
}

/* Children come after their parent and in order of start, so their unions grow as they come. */
static bool measure_ranges(const struct measuring *m, uint32_t thread, struct wl_arena *scratch,
			   struct wl_thread_use *use)
{
	const struct wl_forest *f = m->forest;
	struct wl_slice nodes = f->nodes[thread];
	struct cover *children = WL_NEW(scratch, struct cover, nodes.hi - nodes.lo);

	if (!children)
		return false;
	for (size_t i = nodes.lo; i < nodes.hi; i++) {
		wl_ns start = f->start[i], end = f->end[i];

		children[i - nodes.lo] = nothing;
		if (!wl_host_clip(m->trace, m->scope, thread, &start, &end))
			continue;
		use->is_in_window = true;
		if (f->parent[i] != WL_NONE)
			cover(&children[f->parent[i] - nodes.lo], start, end);
	}
	for (size_t i = nodes.lo; i < nodes.hi; i++) {
		wl_ns start = f->start[i], end = f->end[i];

		if (wl_host_clip(m->trace, m->scope, thread, &start, &end))
			use->nvtx_self = wl_add_up(use->nvtx_self,
						   end - start - children[i - nodes.lo].length);
	}
	return true;
}

static void see_spans(const struct measuring *m, uint32_t thread, struct wl_thread_use *use)
{
	const struct wl_trace *t = m->trace;
	struct wl_slice spans = m->forest->spans[thread];

	for (size_t i = spans.lo; i < spans.hi && !use->is_in_window; i++) {
		uint32_t row = m->forest->span[i];
		wl_ns start = wl_nvtx_start(t)[row];
		wl_ns end = start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);

		use->is_in_window = wl_host_clip(t, m->scope, thread, &start, &end);
	}
}

static bool has_rows(struct wl_slice s)
{
	return s.lo < s.hi;
}

static bool measure_thread(void *ctx, size_t i, struct wl_arena *arena)
{
	struct measuring *m = ctx;
	struct wl_thread_use *use = &m->use[i];
	uint32_t thread = (uint32_t)i;
	struct wl_arena scratch;
	bool ok;

	use->is_known = has_rows(m->api[i]) || has_rows(m->os[i]) ||
			has_rows(m->forest->nodes[i]) || has_rows(m->forest->spans[i]);
	if (!m->scope->process_on[m->trace->threads[i].process])
		return true;
	measure_calls(m, thread, use);
	measure_os_calls(m, thread, use);
	measure_cpu(m, thread, use);
	see_spans(m, thread, use);
	wl_arena_init_child(&scratch, arena);
	ok = measure_ranges(m, thread, &scratch, use);
	wl_arena_release(&scratch);
	return ok;
}

static const bool *find_launching(const struct wl_trace *t, const struct wl_links *links,
				  struct wl_arena *arena)
{
	bool *launched = WL_NEW(arena, bool, t->family[WL_F_API].n);

	for (unsigned kind = 0; launched && kind < WL_N_OP_FAMILIES; kind++) {
		for (size_t i = 0; i < t->family[wl_op_families[kind]].n; i++) {
			uint32_t link = wl_link_of(links, (enum wl_op_kind)kind, i);

			if (link != WL_NONE)
				launched[link] = true;
		}
	}
	return launched;
}

static struct wl_interval find_seen(const struct wl_trace *t, const struct wl_scope *scope)
{
	static const enum wl_family_id families[] = { WL_F_API, WL_F_NVTX, WL_F_OSRT };
	struct wl_interval seen = { WL_TIME_MAX, -WL_TIME_MAX };

	for (size_t i = 0; i < WL_COUNT(families); i++) {
		struct wl_interval of;

		if (!wl_host_extent(t, scope, families[i], &of))
			continue;
		seen.begin = of.begin < seen.begin ? of.begin : seen.begin;
		seen.end = of.end > seen.end ? of.end : seen.end;
	}
	return seen;
}

static bool prepare(struct measuring *m, const struct wl_derived *derived, struct wl_arena *scratch)
{
	const struct wl_links *links = derived->links;
	const struct wl_blocking *blocking = derived->blocking;

	m->forest = derived->forest;
	m->costs = derived->call_costs;
	m->blocks = blocking->call;
	m->launched = find_launching(m->trace, links, scratch);
	m->api = m->forest->calls;
	m->os = wl_slices_find(m->trace, WL_F_OSRT, scratch);
	m->sched = wl_slices_find(m->trace, WL_F_SCHED, scratch);
	m->trace_end = wl_on_cpu_until(m->trace);
	/* Only scheduling needs this pass over all host rows. */
	if (m->trace->family[WL_F_SCHED].n)
		m->seen = find_seen(m->trace, m->scope);
	return m->launched && m->os && m->sched;
}

bool wl_thread_use_find(const struct wl_derived *given, const struct wl_scope *scope,
			struct wl_arena *arena, struct wl_thread_uses *ret)
{
	const struct wl_trace *t = given->trace;
	struct measuring m = { .trace = t, .scope = scope };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	m.use = WL_NEW(arena, struct wl_thread_use, t->n_threads);
	ok = m.use && prepare(&m, given, &scratch) &&
	     wl_pool_map(given->opts.pool, t->n_threads, measure_thread, &m, &scratch);
	wl_arena_release(&scratch);
	ret->of = m.use;
	return ok;
}

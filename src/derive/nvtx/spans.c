/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/spans.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"

struct making {
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	uint32_t *index, *parent, *below;
	wl_ns *start, *end;
	struct wl_jumps up;
	struct wl_slice *of_thread;
};

static wl_ns start_of(const struct making *m, uint32_t index)
{
	return wl_nvtx_start(m->trace)[m->forest->span[index]];
}

static wl_ns end_of(const struct making *m, uint32_t index)
{
	return start_of(m, index) +
	       wl_dur(&m->trace->family[WL_F_NVTX], wl_nvtx_dur(m->trace), m->forest->span[index]);
}

static bool nesting_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct making *m = ctx;

	if (start_of(m, a) != start_of(m, b))
		return start_of(m, a) < start_of(m, b);
	/* Longer first, so that the first of two that start together can contain the second. */
	return end_of(m, a) > end_of(m, b);
}

/* Spans between a span and its parent end before the span does. */
static void nest(const struct making *m, struct wl_slice s)
{
	for (size_t i = s.lo; i < s.hi; i++) {
		uint32_t last = i > s.lo ? (uint32_t)(i - 1) : WL_NONE;

		/*
		 * Spans may cross, unlike a stack of push/pop ranges: below is the last one that is
		 * still open, parent the last that also outlasts this one.
		 */
		m->below[i] = wl_jumps_lasting(&m->up, last, m->start[i]);
		m->parent[i] = wl_jumps_lasting(&m->up, m->below[i], m->end[i]);
		wl_jumps_set(&m->up, (uint32_t)i);
	}
}

static size_t fill(const struct making *m, uint32_t thread, size_t at, uint32_t *tmp)
{
	const struct wl_forest *f = m->forest;
	size_t n = at;

	for (size_t i = f->spans[thread].lo; i < f->spans[thread].hi; i++) {
		/* A span that ends on another thread surrounds no call of its own thread. */
		if (wl_span_is_on_one_thread(m->trace, f->span[i]))
			m->index[n++] = (uint32_t)i;
	}
	wl_sort_index(m->index + at, n - at, tmp, nesting_less, m);
	for (size_t i = at; i < n; i++) {
		m->start[i] = start_of(m, m->index[i]);
		m->end[i] = end_of(m, m->index[i]);
	}
	m->of_thread[thread] = (struct wl_slice){ at, n };
	nest(m, m->of_thread[thread]);
	return n;
}

bool wl_spans_find(const struct wl_trace *trace, const struct wl_forest *forest,
		   struct wl_arena *arena, struct wl_spans *ret)
{
	size_t n = forest->n_spans, filled = 0;
	uint32_t *tmp = WL_NEW(arena, uint32_t, n);
	struct making m = { .trace = trace,
			    .forest = forest,
			    .index = WL_NEW(arena, uint32_t, n),
			    .parent = WL_NEW(arena, uint32_t, n),
			    .below = WL_NEW(arena, uint32_t, n),
			    .start = WL_NEW(arena, wl_ns, n),
			    .end = WL_NEW(arena, wl_ns, n),
			    .of_thread = WL_NEW(arena, struct wl_slice, trace->n_threads) };

	m.up = (struct wl_jumps){ m.end, m.parent, WL_NEW(arena, uint32_t, n),
				  WL_NEW(arena, uint32_t, n) };
	if (!tmp || !m.index || !m.parent || !m.below || !m.start || !m.end || !m.of_thread ||
	    !m.up.depth || !m.up.jump)
		return false;
	for (uint32_t i = 0; i < trace->n_threads; i++)
		filled = fill(&m, i, filled, tmp);
	*ret = (struct wl_spans){ .n = filled,
				  .index = m.index,
				  .start = m.start,
				  .up = m.up,
				  .below = m.below,
				  .of_thread = m.of_thread };
	return true;
}

uint32_t wl_spans_around(const struct wl_spans *s, uint32_t thread, wl_ns start, wl_ns end)
{
	struct wl_slice of = s->of_thread[thread];
	size_t n = WL_UPTO(s->start + of.lo, of.hi - of.lo, start);

	return n ? wl_jumps_lasting(&s->up, (uint32_t)(of.lo + n - 1), end) : WL_NONE;
}

uint32_t wl_spans_next(const struct wl_spans *s, uint32_t span, wl_ns end)
{
	return wl_jumps_lasting(&s->up, s->below[span], end);
}

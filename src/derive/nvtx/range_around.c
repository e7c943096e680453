/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/range_around.h"

#include "derive/nvtx/range_parents.h"

/* The range whose enclosing range is sought, and the shortest one so far. */
struct seeking {
	const struct wl_trace *trace;
	wl_ns start, end;
	wl_ns best_length;
	uint32_t best; /* row of the nvtx family */
};

static wl_ns end_of(const struct wl_trace *t, uint32_t row)
{
	return wl_nvtx_start(t)[row] + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), row);
}

static struct seeking seek(const struct wl_trace *trace, uint32_t row)
{
	return (struct seeking){ .trace = trace,
				 .start = wl_nvtx_start(trace)[row],
				 .end = end_of(trace, row),
				 .best_length = INT64_MAX,
				 .best = WL_NONE };
}

static void offer(struct seeking *s, uint32_t row)
{
	wl_ns length = end_of(s->trace, row) - wl_nvtx_start(s->trace)[row];

	if (length >= s->best_length)
		return;
	s->best_length = length;
	s->best = row;
}

/* Offer the innermost push/pop range around it and, if ranges cross, all others around it. */
static void offer_nodes(struct seeking *s, const struct wl_forest *f, uint32_t thread,
			uint32_t node)
{
	unsigned n = 0;

	while (node != WL_NONE && n++ < WL_MAX_AROUND) {
		offer(s, f->row[node]);
		node = f->crosses[thread] ? wl_forest_around_next(f, node, s->end) : WL_NONE;
	}
}

/* Offer the start/end ranges around it that are longer, or come before the given one. */
static void offer_spans(struct seeking *s, const struct wl_forest *f, const struct wl_spans *spans,
			uint32_t thread, uint32_t before)
{
	uint32_t i = spans->n ? wl_spans_around(spans, thread, s->start, s->end) : WL_NONE;
	unsigned n = 0;

	for (; i != WL_NONE && n++ < WL_MAX_AROUND; i = wl_spans_next(spans, i, s->end)) {
		uint32_t index = spans->index[i], row = f->span[index];
		wl_ns length = end_of(s->trace, row) - spans->start[i];

		if (length > s->end - s->start || index < before)
			offer(s, row);
	}
}

uint32_t wl_range_around_node(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t node)
{
	uint32_t row = forest->row[node], thread = wl_nvtx_thread(trace)[row];
	struct seeking s = seek(trace, row);

	offer_nodes(&s, forest, thread, forest->parent[node]);
	offer_spans(&s, forest, spans, thread, 0);
	return s.best;
}

uint32_t wl_range_around_span(const struct wl_trace *trace, const struct wl_forest *forest,
			      const struct wl_spans *spans, uint32_t index)
{
	uint32_t row = forest->span[index], thread = wl_nvtx_thread(trace)[row];
	struct seeking s = seek(trace, row);

	if (!wl_span_is_on_one_thread(trace, row))
		return WL_NONE;
	offer_nodes(&s, forest, thread, wl_span_parent(trace, forest, row));
	offer_spans(&s, forest, spans, thread, index);
	return s.best;
}

/* SPDX-License-Identifier: MIT */
/* track_nvtx.c - NVTX rows: ranges and marks of a thread, and ranges projected on a GPU. */
#include "base/memory/sort.h"
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

/* The ranges of a thread: its nodes, its spans and, unless projected, its marks. */
struct ranges {
	const struct wl_trace *trace;
	const struct wl_forest *forest;
	struct wl_slice nodes, spans;
	const uint32_t *mark;
	size_t n_nodes, n_marks;
	/* By node of the thread, then by span that owns launches; NULL: at the thread's own
	 * times. */
	const struct wl_interval *projected;
	const struct wl_spans *owners; /* of projected */
	uint32_t *lowest; /* by node of the thread: lane of ranges inside it; unused if projected */
};

static struct ranges ranges_of(const struct wl_filling *f)
{
	const struct wl_tracks_inside *in = f->tracks->inside;
	const struct wl_forest *forest = in->forest;
	uint32_t thread = f->tracks->at[f->track].thread;

	return (struct ranges){ .trace = f->tracks->trace,
				.forest = forest,
				.nodes = forest->nodes[thread],
				.spans = forest->spans[thread],
				.mark = in->mark + in->marks[thread].lo,
				.n_nodes = forest->nodes[thread].hi - forest->nodes[thread].lo,
				.n_marks = in->marks[thread].hi - in->marks[thread].lo };
}

static uint32_t row_of(const struct ranges *r, uint32_t i)
{
	size_t span;

	if (i < r->n_nodes)
		return r->forest->row[r->nodes.lo + i];
	span = r->spans.lo + (i - r->n_nodes);
	if (span >= r->spans.hi)
		return r->mark[span - r->spans.hi];
	return r->forest->span[r->projected ? r->owners->index[span] : span];
}

static bool is_mark(const struct ranges *r, uint32_t i)
{
	return i >= r->n_nodes + (r->spans.hi - r->spans.lo);
}

static struct wl_interval time_of(const struct ranges *r, uint32_t i)
{
	uint32_t row;
	wl_ns start;

	if (r->projected)
		return r->projected[i];
	if (i < r->n_nodes)
		return (struct wl_interval){ r->forest->start[r->nodes.lo + i],
					     r->forest->end[r->nodes.lo + i] };
	row = row_of(r, i);
	start = wl_nvtx_start(r->trace)[row];
	if (is_mark(r, i))
		return (struct wl_interval){ start, start };
	return (struct wl_interval){ start, start + wl_dur(&r->trace->family[WL_F_NVTX],
							   wl_nvtx_dur(r->trace), row) };
}

/* In order of start, longer first: a range comes before those inside it. */
static bool range_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_interval x = time_of(ctx, a), y = time_of(ctx, b);

	return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
}

static struct wl_lane_event event_of(const struct ranges *r, uint32_t i)
{
	const struct wl_interval time = time_of(r, i);

	return (struct wl_lane_event){ time.begin, time.end, row_of(r, i), WL_COLOUR_NEUTRAL };
}

static bool is_shown(const struct wl_filling *f, const struct ranges *r, uint32_t i)
{
	const struct wl_interval time = time_of(r, i);

	return time.end - time.begin >= f->filter->min_dur;
}

/* A range goes below the one that contains it, even if a filter hides that one. */
static void put_range(struct wl_filling *f, const struct ranges *r, uint32_t i)
{
	const struct wl_lane_event event = event_of(r, i);
	uint32_t parent = i < r->n_nodes ? r->forest->parent[r->nodes.lo + i] : WL_NONE;
	uint32_t lowest = parent == WL_NONE ? 0 : r->lowest[parent - r->nodes.lo], lane;

	if (is_shown(f, r, i)) {
		lane = wl_filling_add(f, &event, lowest);
		lowest = lane == WL_NONE ? 0 : lane + 1;
	}
	if (i < r->n_nodes)
		r->lowest[i] = lowest;
}

static bool put_ranges(struct wl_filling *f, struct ranges *r, uint32_t *order, size_t n,
		       uint32_t *tmp)
{
	r->lowest = WL_NEW(&f->scratch, uint32_t, r->n_nodes);
	if (!r->lowest)
		return false;
	wl_sort_index(order, n, tmp, range_less, r);
	for (size_t i = 0; i < n; i++)
		put_range(f, r, order[i]);
	return true;
}

bool wl_fill_nvtx(struct wl_filling *f)
{
	struct ranges r = ranges_of(f);
	size_t n = r.n_nodes + (r.spans.hi - r.spans.lo) + r.n_marks;
	uint32_t *order = WL_NEW(&f->scratch, uint32_t, 2 * n);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	return order && put_ranges(f, &r, order, n, order + n);
}

static void stretch(struct wl_interval *x, struct wl_interval by)
{
	x->begin = by.begin < x->begin ? by.begin : x->begin;
	x->end = by.end > x->end ? by.end : x->end;
}

static struct wl_interval time_of_op(const struct wl_ops ops[WL_N_OP_FAMILIES], uint32_t ref)
{
	const struct wl_track_op op = wl_track_op_of(ref);
	const struct wl_ops *of = &ops[op.kind];
	wl_ns start = of->start[op.row];

	return (struct wl_interval){ start, start + wl_dur(of->family, of->dur, op.row) };
}

/* An operation belongs to all spans around its call. */
static void stretch_spans(const struct wl_filling *f, const struct ranges *r, uint32_t ref,
			  struct wl_interval by, struct wl_interval *at)
{
	const struct wl_tracks_inside *in = f->tracks->inside;
	uint32_t call = wl_track_op_call(in, ref);
	uint32_t span = wl_track_op_span(r->trace, in, ref);
	wl_ns end = wl_api_start(r->trace)[call] +
		    wl_dur(&r->trace->family[WL_F_API], wl_api_dur(r->trace), call);

	for (unsigned n = 0; span != WL_NONE && n < WL_MAX_AROUND; n++) {
		stretch(&at[r->n_nodes + (span - r->spans.lo)], by);
		span = wl_spans_next(&in->spans, span, end);
	}
}

/* Stretch the nodes around its call; from each run of ancestors only the first, see project(). */
static void stretch_nodes(const struct wl_filling *f, const struct ranges *r, uint32_t ref,
			  struct wl_interval by, struct wl_interval *at)
{
	const struct wl_tracks_inside *in = f->tracks->inside;
	uint32_t node = wl_track_op_node(in, ref), parent = WL_NONE;
	uint32_t call = wl_track_op_call(in, ref);
	bool crosses = r->forest->crosses[wl_api_thread(r->trace)[call]];
	wl_ns end = wl_api_start(r->trace)[call] +
		    wl_dur(&r->trace->family[WL_F_API], wl_api_dur(r->trace), call);

	for (unsigned n = 0; node != WL_NONE && n < WL_MAX_AROUND; n++) {
		if (node != parent)
			stretch(&at[node - r->nodes.lo], by);
		parent = r->forest->parent[node];
		node = crosses ? wl_forest_around_next(r->forest, node, end) : WL_NONE;
	}
}

/* Find the first start and last end of the work that each range launched, directly or through
 * ranges inside it. */
static void project(const struct wl_filling *f, const struct ranges *r, struct wl_interval *at)
{
	const struct wl_tracks_inside *in = f->tracks->inside;
	const struct wl_track_ops *list = &in->ops[f->track];
	struct wl_ops ops[WL_N_OP_FAMILIES];

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		ops[i] = wl_trace_ops(r->trace, wl_op_families[i]);
	for (size_t i = 0; i < list->n; i++) {
		const struct wl_interval time = time_of_op(ops, list->ref[i]);

		stretch_nodes(f, r, list->ref[i], time, at);
		if (r->spans.lo < r->spans.hi)
			stretch_spans(f, r, list->ref[i], time, at);
	}
	for (size_t i = r->n_nodes; i-- > 0;) {
		uint32_t parent = r->forest->parent[r->nodes.lo + i];

		if (parent != WL_NONE)
			stretch(&at[parent - r->nodes.lo], at[i]);
	}
}

/*
 * Projected ranges are placed by depth. Siblings may overlap there: a depth has as many lanes as it
 * has ranges under way at once, and the next depth is below all of them.
 */
struct depths {
	const struct ranges *r;
	const uint32_t *of; /* by node and span: its depth; spans share one, after those of nodes */
	size_t n;
	uint32_t *under_way, *most; /* by depth */
};

/* Find the nesting depth of each node; returns the number of depths. */
static uint32_t find_depths(const struct ranges *r, uint32_t n_all, uint32_t *depth)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_nodes; i++) {
		uint32_t parent = r->forest->parent[r->nodes.lo + i];

		depth[i] = parent == WL_NONE ? 0 : depth[parent - r->nodes.lo] + 1;
		n = depth[i] >= n ? depth[i] + 1 : n;
	}
	for (uint32_t i = (uint32_t)r->n_nodes; i < n_all; i++)
		depth[i] = n;
	return n + 1;
}

static bool ends_before(const void *ctx, uint32_t a, uint32_t b)
{
	return time_of(ctx, a).end < time_of(ctx, b).end;
}

/* Find how many ranges of each depth are under way at once; by_start and by_end list the n that are
 * shown. */
static void count_together(const struct depths *d, const uint32_t *by_start, const uint32_t *by_end,
			   size_t n)
{
	size_t ended = 0;

	for (size_t i = 0; i < n; i++) {
		const struct wl_interval time = time_of(d->r, by_start[i]);
		uint32_t depth = d->of[by_start[i]];

		for (; ended < n && time_of(d->r, by_end[ended]).end <= time.begin; ended++) {
			const struct wl_interval before = time_of(d->r, by_end[ended]);

			/* A range of zero length occupies no lane. */
			if (before.begin < before.end)
				d->under_way[d->of[by_end[ended]]]--;
		}
		if (d->under_way[depth] + 1 > d->most[depth])
			d->most[depth] = d->under_way[depth] + 1;
		if (time.begin < time.end)
			d->under_way[depth]++;
	}
}

/* Whether each span contains an outermost range. */
static bool spans_hold_ranges(const struct depths *d, const uint32_t *by_start, size_t n)
{
	const struct ranges *r = d->r;

	for (size_t i = 0; i < n; i++) {
		size_t k = i + 1;

		if (by_start[i] < r->n_nodes)
			continue;
		/* If a range and a span are alike, the range comes first. */
		if (i > 0 && d->of[by_start[i - 1]] == 0 &&
		    !range_less(r, by_start[i - 1], by_start[i]))
			continue;
		while (k < n && d->of[by_start[k]] != 0)
			k++;
		if (k == n || time_of(r, by_start[k]).end > time_of(r, by_start[i]).end)
			return false;
	}
	return true;
}

/*
 * Replace the number of lanes of each depth by its first lane. Spans that contain the others go
 * above them. Spans that overlap each other may need many lanes and go below, so that ranges stay
 * visible.
 */
static void stack_depths(const struct depths *d, const uint32_t *by_start, size_t n)
{
	size_t spans = d->n - 1;
	bool above = d->most[spans] == 1 && spans_hold_ranges(d, by_start, n);
	uint32_t lane = above ? d->most[spans] : 0;

	for (size_t i = 0; i < spans; i++) {
		uint32_t lanes = d->most[i];

		d->most[i] = lane;
		lane += lanes;
	}
	d->most[spans] = above ? 0 : lane;
}

static bool put_by_depth(struct wl_filling *f, const struct ranges *r, uint32_t n_all,
			 uint32_t *by_start, size_t n)
{
	uint32_t *depth = WL_NEW(&f->scratch, uint32_t, n_all);
	uint32_t *by_end = WL_NEW(&f->scratch, uint32_t, 2 * n);
	struct depths d = { .r = r, .of = depth };

	if (!depth || !by_end)
		return false;
	d.n = find_depths(r, n_all, depth);
	d.under_way = WL_NEW(&f->scratch, uint32_t, d.n);
	d.most = WL_NEW(&f->scratch, uint32_t, d.n);
	if (!d.under_way || !d.most)
		return false;
	wl_sort_index(by_start, n, by_end, range_less, r);
	for (size_t i = 0; i < n; i++)
		by_end[i] = by_start[i];
	wl_sort_index(by_end, n, by_end + n, ends_before, r);
	count_together(&d, by_start, by_end, n);
	stack_depths(&d, by_start, n);
	for (size_t i = 0; i < n; i++) {
		const struct wl_lane_event event = event_of(r, by_start[i]);

		(void)wl_filling_add(f, &event, d.most[depth[by_start[i]]]);
	}
	return true;
}

bool wl_fill_nvtx_gpu(struct wl_filling *f)
{
	const struct wl_spans *spans = &f->tracks->inside->spans;
	struct ranges r = ranges_of(f);
	uint32_t *order, n_all;
	struct wl_interval *at;
	size_t n = 0;

	r.owners = spans;
	r.spans = spans->n ? spans->of_thread[f->tracks->at[f->track].thread]
			   : (struct wl_slice){ 0, 0 };
	n_all = (uint32_t)(r.n_nodes + (r.spans.hi - r.spans.lo));
	order = WL_NEW(&f->scratch, uint32_t, n_all);
	at = WL_NEW(&f->scratch, struct wl_interval, n_all);
	if (!order || !at)
		return false;
	for (size_t i = 0; i < n_all; i++)
		at[i] = (struct wl_interval){ INT64_MAX, INT64_MIN };
	project(f, &r, at);
	r.projected = at;
	for (uint32_t i = 0; i < n_all; i++) {
		if (at[i].begin <= at[i].end && is_shown(f, &r, i))
			order[n++] = i;
	}
	return put_by_depth(f, &r, n_all, order, n);
}

/* SPDX-License-Identifier: MIT */
/*
 * plan.c - estimates what a file will hold and how large it will be.
 *
 * Events of the trace are counted. Gaps and ranges on the GPU can only be counted by visiting their
 * rows, which costs a good part of the export. They are counted on the first rows, up to a limit,
 * and extrapolated to the others by the number of their input events.
 *
 * Sizes are those of export/perfetto/perfetto.h, fitted on about twenty traces: most predictions
 * are within 5%, all within 11 %. Names are written once per row; here they count once per thread
 * or device.
 */
#include <string.h>

#include "derive/calls/launch.h"
#include "derive/graph/path.h"
#include "export/timeline/counters.h"
#include "export/timeline/plan.h"
#include "export/timeline/shown.h"
#include "known/exports/codes.h"

/* Sizes in bytes. OF_ARGS includes the correlation; OF_NAME comes on top of the name's text. */
enum {
	OF_SLICE = 29,
	OF_ARGS = 27,
	OF_DETAIL = 6,
	OF_OPENER = 3, /* two texts of 6 bytes, for every fourth gap */
	OF_CORRELATION = 6,
	OF_SEGMENT = 12, /* class, rank and correlation */
	OF_FLOW = 20,
	OF_NAME = 8,
	OF_VALUE = 22,
	OF_SAMPLE = 24,
	OF_ROW = 300,
	OF_CATEGORY = 2,
};

enum {
	MAX_VISITED = 1 << 18,      /* events on the rows that are visited for counting */
	MAX_SCRATCH = 64 * 1 << 20, /* bytes for it; if too few, the number is guessed */
};

struct planning {
	const struct wl_tracks *tracks;
	const struct wl_trace *trace;
	struct wl_shown shown;
	struct wl_budget budget;
	struct wl_arena arena;
	uint32_t *last_owner; /* by string: its last owner + 1; NULL without memory */
	uint64_t slices, kernels, flows;
	uint64_t names, range_names; /* bytes */
	uint64_t args;               /* bytes */
	uint64_t samples, sampled;   /* of metrics, and number of metrics with samples */
};

/* Families are ordered by owner: a name is new if its last owner was another one. */
static uint64_t name_bytes(struct planning *p, uint32_t name, uint32_t owner)
{
	if (!p->last_owner || name >= p->trace->strings.n || p->last_owner[name] == owner + 1)
		return 0;
	p->last_owner[name] = owner + 1;
	return OF_NAME + strlen(wl_str(p->trace, name));
}

static void forget_owners(struct planning *p)
{
	if (p->last_owner)
		memset(p->last_owner, 0, p->trace->strings.n * sizeof(*p->last_owner));
}

/* Operations of one call are usually adjacent: changes of the call count launches. */
static void count_ops(struct planning *p, enum wl_op_kind kind)
{
	const struct wl_trace *t = p->trace;
	const struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);
	uint32_t last_call = WL_NONE;

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t call;

		if (!wl_op_is_shown(&p->shown, &ops, i))
			continue;
		call = wl_link_of(p->tracks->links, kind, i);
		p->flows += call != WL_NONE && call != last_call;
		last_call = call;
		p->slices++;
		p->args += OF_ARGS;
		if (kind != WL_OP_KERNEL)
			continue;
		p->kernels++;
		p->names += name_bytes(p, t->kernel_names[wl_kernels_name(t)[i]].demangled,
				       t->places[ops.place[i]].device);
	}
}

static void count_host(struct planning *p, const struct wl_row_kind *row)
{
	const struct wl_trace *t = p->trace;
	enum wl_family_id family = row->family;
	const uint32_t *name = t->column[row->names];
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, family);
	const uint8_t *kind = family == WL_F_NVTX ? wl_nvtx_kind(t) : NULL;
	uint64_t n = 0, names = 0;

	forget_owners(p);
	for (size_t i = 0; rows.start && i < rows.n; i++) {
		if ((kind && !wl_nvtx_is_range(kind[i])) ||
		    !wl_host_row_is_shown(&p->shown, &rows, i))
			continue;
		n++;
		names += name_bytes(p, name[i], rows.thread[i]);
	}
	p->slices += n;
	p->names += names;
	p->args += family == WL_F_API ? n * OF_CORRELATION : 0;
	if (family == WL_F_NVTX)
		p->range_names = names;
}

/* Counts the events of a row that lie in its window. */
struct counting {
	const struct wl_scope *scope;
	struct wl_interval window;
	wl_ns min_dur;
	uint64_t n;
};

static void count_event(void *ctx, const struct wl_lane_event *e)
{
	struct counting *c = ctx;
	wl_ns start = e->start, end = e->end;

	c->n += end - start >= c->min_dur && wl_clip(c->scope, c->window, &start, &end);
}

/* The number of events on the rows of a kind. */
static uint64_t count_rows(struct planning *p, enum wl_holds holds)
{
	const struct wl_track_filter filter = { .min_dur = p->shown.min_dur };
	uint64_t said = 0, n = 0, unseen = 0;

	for (size_t i = 0; i < p->tracks->n; i++) {
		const struct wl_track *at = &p->tracks->at[i];
		struct counting c = { .scope = p->shown.scope, .min_dur = p->shown.min_dur };

		if (wl_holds(at) != holds)
			continue;
		c.window = c.scope->device[at->device];
		if (said > MAX_VISITED || (said && said + at->n_events > MAX_VISITED) ||
		    !wl_track_visit(p->tracks, i, &filter, &p->budget, count_event, &c)) {
			unseen += at->n_events;
			continue;
		}
		said += at->n_events;
		n += c.n;
	}
	return n + (said ? (uint64_t)((double)n / (double)said * (double)unseen) : unseen);
}

/* Counts the iterations of processes with host rows, which all have in practice; ignores the
 * window. */
static uint64_t count_iterations(const struct planning *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->tracks->n; i++) {
		const struct wl_track *at = &p->tracks->at[i];

		if (wl_holds(at) == WL_HOLDS_THREADS)
			n += p->tracks->iterations->process[at->process].n;
	}
	return n;
}

/* Values of counters: about one per bin in the GPU's window, but no more than it has events. */
static uint64_t count_values(const struct planning *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->tracks->n; i++) {
		const struct wl_track *at = &p->tracks->at[i];
		struct wl_interval window, all = p->tracks->extent;
		uint64_t bins;

		if (wl_holds(at) != WL_HOLDS_GPU_TIME)
			continue;
		window = p->shown.scope->device[at->device];
		window.begin = window.begin > all.begin ? window.begin : all.begin;
		window.end = window.end < all.end ? window.end : all.end;
		if (window.end <= window.begin)
			continue;
		bins = (uint64_t)((window.end - window.begin) / wl_counter_bin(window)) + 1;
		n += bins < at->n_events ? bins : at->n_events;
	}
	return n;
}

/* Without memory nothing is counted: writing needs more anyway. */
static void count_samples(struct planning *p)
{
	const struct wl_metric_series *all = p->tracks->metric_series;

	if (!all ||
	    !wl_metric_scope_find(p->trace, all, p->shown.scope, &p->arena, &p->shown.metrics))
		return;
	for (uint32_t i = 0; i < p->trace->n_series; i++) {
		const struct wl_slice in = wl_samples_shown(&p->shown, p->tracks, i);

		p->samples += in.hi > in.lo ? in.hi - in.lo : 0;
		p->sampled += in.hi > in.lo;
	}
}

static void count_all(struct planning *p)
{
	uint64_t ranges = 0, projected, gaps;

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		count_ops(p, (enum wl_op_kind)i);
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		uint64_t before = p->slices;

		if (wl_row_is_of_thread(&wl_row_kinds[k]))
			count_host(p, &wl_row_kinds[k]);
		if (wl_row_kinds[k].holds == WL_HOLDS_RANGES)
			ranges = p->slices - before;
	}
	projected = count_rows(p, WL_HOLDS_PROJECTIONS);
	gaps = count_rows(p, WL_HOLDS_GAPS);
	p->shown.min_dur = 0;
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		if (wl_row_kinds[k].of == WL_OF_TRACE && wl_row_kinds[k].holds == WL_HOLDS_CALLS)
			count_host(p, &wl_row_kinds[k]);
	}
	if (p->tracks->path) {
		p->slices += p->tracks->path->n;
		p->args += p->tracks->path->n * OF_SEGMENT;
	}
	p->slices += projected + gaps + count_iterations(p);
	p->args += gaps * (OF_DETAIL + OF_OPENER);
	if (ranges)
		p->names += (uint64_t)((double)p->range_names * (double)projected / (double)ranges);
}

/* Whether a detail of that many bytes is written; if so, adds it to the sum. The guess may be 5%
 * too low. */
static bool decide(enum wl_export_detail wanted, uint64_t bytes, uint64_t *sum)
{
	bool is_there =
		wanted == WL_DETAIL_ALL ||
		(wanted == WL_DETAIL_AUTO && *sum + bytes <= (uint64_t)WL_DETAIL_BYTES / 20 * 19);

	*sum += is_there ? bytes : 0;
	return is_there;
}

void wl_export_plan(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		    struct wl_export_plan *ret)
{
	struct planning p = {
		.tracks = tracks,
		.trace = tracks->trace,
		.shown = { .trace = tracks->trace, .scope = opts->scope, .min_dur = opts->min_dur },
		.budget = { .limit = MAX_SCRATCH }
	};

	wl_arena_init_on(&p.arena, &p.budget);
	p.last_owner = WL_NEW(&p.arena, uint32_t, p.trace->strings.n);
	count_all(&p);
	count_samples(&p);
	wl_arena_release(&p.arena);
	*ret = (struct wl_export_plan){ .slices = p.slices + opts->n_findings,
					.kernels = p.kernels,
					.shift = tracks->extent.begin < 0 ? -tracks->extent.begin
									  : 0 };
	if (ret->slices)
		ret->bytes = ret->slices * OF_SLICE + p.names + tracks->n * OF_ROW +
			     count_values(&p) * OF_VALUE + (p.kernels * OF_CATEGORY);
	ret->bytes += p.samples * OF_SAMPLE + p.sampled * OF_ROW;
	ret->args = decide(opts->args, p.args, &ret->bytes);
	ret->flows = decide(opts->flows, p.flows * OF_FLOW, &ret->bytes);
}

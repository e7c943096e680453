/* SPDX-License-Identifier: MIT */
/* tracks_inside.h - the sources that rows are filled from; the internals of tracks.h. */
#ifndef WL_DERIVE_TRACKS_INSIDE_H
#define WL_DERIVE_TRACKS_INSIDE_H

#include "derive/calls/launch.h"
#include "derive/comm/collectives.h"
#include "derive/idle/device_users.h"
#include "derive/kinds/classes.h"
#include "derive/kinds/stream_use.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"
#include "derive/nvtx/spans.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/slices.h"
#include "derive/tracks/tracks.h"

struct wl_pool;

/* Operations in order of start, as refs. */
struct wl_track_ops {
	const uint32_t *ref;
	size_t n;
};

/* The operations that a thread launched on a device inside ranges: compute, or all others. */
struct wl_launched_ops {
	uint32_t thread;
	bool is_compute;
	struct wl_track_ops ops;
};

struct wl_device_ops {
	size_t n; /* all that the scope admits */
	struct wl_interval extent;
	const struct wl_launched_ops *launched;
	size_t n_launched;
};

/* A thread with rows to show. */
struct wl_track_thread {
	uint32_t thread;
	wl_ns api; /* time in CUDA calls; one inside another counts once */
};

struct wl_track_threads {
	size_t n;
	const struct wl_track_thread *at; /* by process, then the busiest first */
	const uint32_t *place;            /* by thread: index of at; WL_NONE without rows */
};

/* The time that rows cover. Zeroed initially. */
struct wl_track_extent {
	struct wl_interval at;
	bool any;
};

struct wl_tracks_inside {
	struct wl_scope scope; /* a copy, without a window */
	const struct wl_classes *classes;
	const struct wl_links *links;
	const struct wl_collectives *collectives;
	/* NULL if NVTX was not loaded. */
	const struct wl_forest *forest;
	struct wl_spans spans;        /* empty without NVTX */
	const struct wl_slice *marks; /* by thread: slices of mark; NULL without NVTX */
	const uint32_t *mark;         /* rows of NVTX marks, by thread and start */
	const struct wl_range_names *names;
	const uint32_t *names_by_address; /* of label_text */
	const struct wl_stages *stages;
	const int64_t *rank; /* by process; -1 if unknown */
	/* By thread, for families with rows of calls; else NULL. */
	const struct wl_slice *calls[WL_N_FAMILIES];
	const struct wl_track_samples *samples; /* by counter; private to track_counters.c */
	struct wl_streams streams;
	struct wl_device_users users;
	const struct wl_track_ops *of_stream;  /* by stream */
	const struct wl_device_ops *of_device; /* by device */
	const struct wl_track_ops *ops;        /* by track: operations shown or projected */
	const uint32_t *track_of_stream;
	/* By thread, for families with rows of threads; else NULL. */
	const uint32_t *track_of_thread[WL_N_FAMILIES];
};

/* The API row that launched an operation, and the innermost range around that call; WL_NONE for
 * none. */
static inline uint32_t wl_track_op_call(const struct wl_tracks_inside *in, uint32_t ref)
{
	const struct wl_track_op op = wl_track_op_of(ref);

	return wl_link_of(in->links, op.kind, op.row);
}

static inline uint32_t wl_track_op_node(const struct wl_tracks_inside *in, uint32_t ref)
{
	uint32_t call = in->forest ? wl_track_op_call(in, ref) : WL_NONE;

	return call == WL_NONE ? WL_NONE : in->forest->of_call[call];
}

/* The innermost start/end range around the call of an operation; WL_NONE for none. */
static inline uint32_t wl_track_op_span(const struct wl_trace *trace,
					const struct wl_tracks_inside *in, uint32_t ref)
{
	uint32_t call = in->spans.n ? wl_track_op_call(in, ref) : WL_NONE;
	wl_ns start;

	if (call == WL_NONE)
		return WL_NONE;
	start = wl_api_start(trace)[call];
	return wl_spans_around(&in->spans, wl_api_thread(trace)[call], start,
			       start + wl_dur(&trace->family[WL_F_API], wl_api_dur(trace), call));
}

/* Find what does not depend on other rows: all members before of_stream, and those of the
 * tracks. */
bool wl_track_sources_find(const struct wl_derived *derived, const struct wl_scope *scope,
			   struct wl_arena *arena, struct wl_tracks_inside *in,
			   struct wl_tracks *tracks) WL_MUST_CHECK;

/* The number of events of a thread in its row of that kind. */
size_t wl_track_n_of_thread(const struct wl_tracks_inside *in, const struct wl_row_kind *kind,
			    uint32_t thread);

/* Find the threads of the scope; the extent grows to cover their rows. */
bool wl_track_threads_find(const struct wl_trace *trace, const struct wl_tracks_inside *in,
			   struct wl_arena *arena, struct wl_track_extent *extent,
			   struct wl_track_threads *ret) WL_MUST_CHECK;

void wl_extent_cover(struct wl_track_extent *x, wl_ns begin, wl_ns end);

/* Sort operations by stream, and by device and thread. Fills of_stream and of_device. */
bool wl_track_lists_make(const struct wl_trace *trace, const struct wl_stream_use *use,
			 struct wl_pool *pool, struct wl_arena *arena,
			 struct wl_tracks_inside *in) WL_MUST_CHECK;

/* The data that labels are made from. */
struct wl_labelling {
	const struct wl_trace *trace;
	const struct wl_tracks_inside *inside;
	const struct wl_stream_use *use; /* by stream */
	const struct wl_track_counter *counter;
	const uint8_t *repeats; /* by stream: private to track_labels.c */
	struct wl_arena *arena; /* owns labels */
};

/* Find which numbers of streams repeat on their device; false if out of memory. */
bool wl_labelling_init(struct wl_labelling *l) WL_MUST_CHECK;

/* Set label and brief of a track whose other members are set; several: others have its kind and
 * parent. */
bool wl_track_name(const struct wl_labelling *l, struct wl_track *track,
		   bool several) WL_MUST_CHECK;

/*
 * The fills, one per kind. The builder is ready and need not be finished; its failure is sticky,
 * and false means that other memory ran out. scratch lives as long as the fill.
 */
struct wl_filling {
	const struct wl_tracks *tracks;
	size_t track;
	const struct wl_track_filter *filter;
	struct wl_lane_builder builder; /* takes the events if visit is NULL */
	wl_track_visit_fn *visit;       /* else takes the events */
	void *ctx;
	struct wl_arena scratch;
	/* An event waits for those that start with it. */
	struct wl_lane_event waiting;
	bool has_waiting;
	struct wl_vec together; /* struct wl_lane_event: those that wait, if several */
	struct wl_vec order;    /* uint32_t, scratch */
};

typedef bool wl_fill_fn(struct wl_filling *f);
wl_fill_fn wl_fill_nothing;                                 /* track_fill.c */
wl_fill_fn wl_fill_stream, wl_fill_gpu, wl_fill_iterations; /* track_ops.c */
wl_fill_fn wl_fill_gaps;                                    /* track_gaps.c */
wl_fill_fn wl_fill_nvtx, wl_fill_nvtx_gpu;                  /* track_nvtx.c */
wl_fill_fn wl_fill_calls, wl_fill_all_calls;                /* track_host.c */
wl_fill_fn wl_fill_path;                                    /* track_path.c */
wl_fill_fn wl_fill_levels;                                  /* track_counters.c */

/*
 * Add an event that comes in order, in this lane or a higher one. Returns its lane; WL_NONE if it
 * has none, as when events are visited.
 */
uint32_t wl_filling_add(struct wl_filling *f, const struct wl_lane_event *event,
			uint32_t lowest_lane);

/*
 * Add an event whose start is not before the last one's: of those that start together the longer
 * goes first, regardless of the order of calls.
 */
void wl_filling_put(struct wl_filling *f, const struct wl_lane_event *event);
/* Add the events that wait; call it after the last event. */
void wl_filling_flush(struct wl_filling *f);

/* The category of an operation in its lane: enum wl_colour. */
uint8_t wl_track_colour_of_op(const struct wl_tracks *tracks, enum wl_family_id family, size_t row);

/* Find the counters of the selected devices, in the order of their rows, if metrics are wanted. */
bool wl_track_counters_find(const struct wl_derived *derived, struct wl_arena *arena,
			    struct wl_tracks_inside *in, struct wl_tracks *tracks) WL_MUST_CHECK;
/* The number of samples of a counter, and the text of one of them. */
size_t wl_track_n_samples(const struct wl_tracks *tracks, const struct wl_tracks_inside *in,
			  uint32_t counter);
const char *wl_track_sample_name(const struct wl_tracks *tracks, uint32_t counter, uint32_t ref);

/* The event of a PATH ref, and its name. */
struct wl_track_event wl_path_event_of(const struct wl_tracks *tracks, uint32_t ref);
const char *wl_path_event_name(const struct wl_tracks *tracks, uint32_t ref);

/* The text of a GAPS ref; NULL for none. */
const char *wl_gap_detail(const struct wl_tracks *tracks, uint32_t ref);

#endif

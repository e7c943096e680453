/* SPDX-License-Identifier: MIT */
/*
 * tracks.h - the rows of a timeline: their list, their labels and their events.
 *
 * All timelines (terminal, browser, Perfetto, strips of the report) show these rows in
 * this order: per GPU a summary, NVTX as it lies on the GPU, streams with their role,
 * why it waited, counters; then per process its threads with NVTX, CUDA calls and calls of the
 * operating system, the busiest thread first. tracks.def lists the kinds.
 *
 * Finding the rows does not fill them: wl_track_fill() does, one row per call, and may run
 * for several tracks at once. Nothing here changes once it is found.
 */
#ifndef WL_DERIVE_TRACKS_H
#define WL_DERIVE_TRACKS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"
#include "derive/lanes/lane.h"
#include "derive/ledger/ledger.h"

struct wl_derived;
struct wl_category_map;
struct wl_path;
struct wl_metric_series;

enum wl_track_kind {
#define WL_TRACK(KIND, ...) WL_TRACK_##KIND,
#include "derive/tracks/tracks.def"
#undef WL_TRACK
	WL_N_TRACK_KINDS
};

/* Whose row: of a GPU, of a process and one of its threads, or of the whole trace. */
enum wl_row_of { WL_OF_DEVICE, WL_OF_PROCESS, WL_OF_TRACE };

/* What the events of a row are. The first of a device or process heads the others. */
enum wl_holds {
	WL_HOLDS_GPU_TIME,    /* time of a GPU by class, as accounted; heads the rows of the GPU */
	WL_HOLDS_ITERATIONS,  /* of a process */
	WL_HOLDS_PROJECTIONS, /* NVTX ranges where their work lies on a GPU */
	WL_HOLDS_OPS,         /* operations */
	WL_HOLDS_GAPS,        /* idle time by cause, and what nothing hides */
	WL_HOLDS_LEVELS,      /* samples of a counter: a lane of levels (derive/lanes/levels.h) */
	WL_HOLDS_THREADS,     /* nothing; heads the rows of its threads */
	WL_HOLDS_RANGES,      /* NVTX ranges and marks of a thread */
	WL_HOLDS_CALLS,       /* rows of a family by thread */
	WL_HOLDS_PATH,        /* segments of the critical path */
};

/* A line of tracks.def. Code asks for these members rather than for a kind by name. */
struct wl_row_kind {
	enum wl_track_kind id;
	enum wl_row_of of;
	enum wl_holds holds;
	enum wl_family_id family; /* of its events; WL_N_FAMILIES: of several or none */
	enum wl_column_id names;  /* of them; WL_N_COLUMNS: the same */
	const char *key;          /* "stream", ... */
	const char *label, *brief, *title, *help; /* NULL as in tracks.def */
};

extern const struct wl_row_kind wl_row_kinds[WL_N_TRACK_KINDS];

/* Its events are rows of the trace, each once; those of other rows are made of them. */
static inline bool wl_row_is_recorded(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_OPS || kind->holds == WL_HOLDS_RANGES ||
	       kind->holds == WL_HOLDS_CALLS;
}

/* Its events are shown as struct wl_track_filter asks. */
static inline bool wl_row_is_filtered(const struct wl_row_kind *kind)
{
	return kind->of != WL_OF_TRACE &&
	       (wl_row_is_recorded(kind) || kind->holds == WL_HOLDS_PROJECTIONS);
}

/* Its events are found after those of other rows: they take much longer. */
static inline bool wl_row_is_late(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_GAPS || kind->holds == WL_HOLDS_PATH;
}

/* It has projections of what is no compute, apart from that: less is looked for there. */
static inline bool wl_row_is_apart(const struct wl_row_kind *kind)
{
	return kind->id == WL_TRACK_NVTX_COMM;
}

/* It is the first of the rows of a GPU or process, which have it as parent. */
static inline bool wl_row_heads(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_GPU_TIME || kind->holds == WL_HOLDS_THREADS;
}

/* Each thread of a process has one, where it has events. */
static inline bool wl_row_is_of_thread(const struct wl_row_kind *kind)
{
	return kind->of == WL_OF_PROCESS && !wl_row_heads(kind);
}

/*
 * The categories of a lane are those of known/palette.h (enum wl_colour), but for gaps,
 * where it is enum wl_gap_cat, and for the time of a GPU, where it is enum wl_class.
 */
enum { WL_TRACK_CATS = 8 };

/* Of a lane of gaps: what compute waits for. Idle time by cause, and what nothing hides. */
enum wl_gap_cat {
	WL_GAP_EXPOSED_COMM,
	WL_GAP_EXPOSED_COPY,
	WL_GAP_OF_CAUSE, /* + enum wl_cause, WL_CAUSE_MANAGED .. WL_CAUSE_HOST */
	WL_N_GAP_CATS = WL_GAP_OF_CAUSE + WL_CAUSE_HOST + 1,
};

const char *wl_gap_cat_name(enum wl_gap_cat cat); /* wl_loss_name() of it; known/glyphs.h has its
						     glyph by this word */

/* The categories of these losses, bits of enum wl_loss and enum wl_cause, as bits. */
uint32_t wl_gap_cats(uint32_t losses);

struct wl_track {
	enum wl_track_kind kind;
	uint32_t parent;  /* an earlier track; WL_NONE at the top */
	uint32_t device;  /* WL_NONE where the row is of none */
	uint32_t process; /* index, WL_NONE where several */
	uint32_t thread;  /* index, WL_NONE for none */
	uint32_t stream;  /* index of wl_streams, WL_NONE for none */
	uint32_t counter; /* index of counters, WL_NONE for none */
	/* "Stream 20 NCCL *", "GPU 0 rank 3", "API 4000 python". Names of the trace in it are cut
	   short but not cleaned: there may be control characters. */
	const char *label;
	const char *brief; /* "S20*", "G0", "API 4000": at most 8 columns as a rule */
	/* Exact where rows are recorded, else an estimate; of a process, which has no lanes of
	   its own, of all its rows. 0: the row is empty and need not be shown. */
	size_t n_events;
};

static inline const struct wl_row_kind *wl_row_kind(const struct wl_track *track)
{
	return &wl_row_kinds[track->kind];
}

static inline enum wl_holds wl_holds(const struct wl_track *track)
{
	return wl_row_kind(track)->holds;
}

struct wl_tracks_inside;

/* What a row of levels shows. */
struct wl_track_counter {
	const char *label, *brief; /* "DRAM Read Bandwidth", "DRAM rd" */
	uint32_t device;
	int64_t top;      /* the value that fills the row: 100%, or the highest one; not 0 */
	double full;      /* the same in its unit */
	const char *unit; /* "%", "B", "MHz"; may be "" */
};

/* What rows are made of. All that is here is found before, and never changes. */
struct wl_tracks {
	size_t n;
	const struct wl_track *at; /* by device; those of none, with WL_NONE, come last */
	struct wl_interval extent; /* of all rows: what "fit" shows; not empty */
	const struct wl_trace *trace;
	const struct wl_iterations *iterations;
	const struct wl_idle *idle;                   /* for causes */
	const struct wl_links *links;                 /* from operations to their calls */
	const struct wl_named *named;                 /* what kernels are, by name */
	const struct wl_path *path;                   /* NULL: not found yet, its row is empty */
	const struct wl_metric_series *metric_series; /* NULL: not asked for, nor are counters */
	const struct wl_track_counter *counter;       /* by number of a row's counter */
	size_t n_counters;
	const uint8_t *kernel_category; /* by kernel name: enum wl_colour */
	/* Operations by the default rules of "categories": a number of
	   category_word, the same of all traces. Several have one colour. */
	const struct wl_category_map *categories;
	const char *const *category_word; /* "gemm", ..., "(other)", "(graph)" */
	size_t n_category_words;
	const struct wl_tracks_inside *inside;
};

/*
 * The rows of what the scope selects; its window does not matter, and the scope need not
 * outlive the rows, but derived must. Every selected device has its GPU row; other rows
 * are there where they have events. Owned by the arena, 8 bytes per
 * operation; false when that is exhausted. Linear in events; devices in parallel.
 */
bool wl_tracks_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_tracks *ret) WL_MUST_CHECK;

/* Which events are shown. Zeroed: all. See wl_row_is_filtered(). */
struct wl_track_filter {
	wl_ns min_dur;
	const bool *kernel_name_on; /* by kernel name: kernels that are shown; NULL: all */
	bool hides_other_ops;       /* operations that are no kernels are not shown */
	uint32_t muted;             /* bits of enum wl_colour: not shown (operations) */
};

/*
 * The lanes of a row, charged to the budget, which must outlive them. Release them. False
 * without memory.
 * Linear in the events of the row and what lies under them: of GPU time and gaps the operations
 * of the device, of gaps also the rows of the threads that launched them, of projections the
 * operations that the thread launched there and its ranges. Ranges are sorted.
 *
 * Levels: a piece per time in which one value holds, cut to the extent; in a lane of levels.
 *
 * GPU time: a piece per time in which one class is accounted, as derive/kinds/sweep.h has it:
 * compute, else communication, else copies. Gaps: the parts of wl_idle_visit(), and between them
 * the pieces of wl_exposed_visit(), each with its detail. Both are exact in any window.
 */
bool wl_track_fill(const struct wl_tracks *tracks, size_t track,
		   const struct wl_track_filter *filter, struct wl_budget *budget,
		   struct wl_lanes *ret) WL_MUST_CHECK;

/*
 * The same events one after the other, in order of start, of those that start together the
 * longer first; nothing is kept but what the row needs besides its events. False without
 * memory.
 */
typedef void wl_track_visit_fn(void *ctx, const struct wl_lane_event *event);

bool wl_track_visit(const struct wl_tracks *tracks, size_t track,
		    const struct wl_track_filter *filter, struct wl_budget *budget,
		    wl_track_visit_fn *fn, void *ctx) WL_MUST_CHECK;

/*
 * What an event of a row is, by its ref. An operation; a row of the nvtx family, which is a range,
 * also where it is projected, or a mark, which has no length; a row of another family; the number
 * of an iteration. Of gaps the detail: equal details have one ref in all rows. Of the critical path
 * the operation or call that the segment is spent in or leads up to, and what it is spent on. Of
 * GPU time nothing.
 */
struct wl_track_event {
	enum wl_family_id family; /* WL_N_FAMILIES: not an event of the trace */
	uint32_t row;             /* of the family; of an iteration its number */
	/* Of gaps: of idle time as in struct wl_gap_part, else the collective ("AllReduce") or
	   the direction of the copy ("HtoD"), as in struct wl_atom. May be NULL. Of the
	   critical path a class ("transfer"). */
	const char *detail;
};

struct wl_track_event wl_track_event_of(const struct wl_tracks *tracks, size_t track, uint32_t ref);

/*
 * How people call the event: a kernel's name as the trace has it demangled, the range's
 * text with its domain, the mark's without, the call, the cause, the text of the iteration's
 * marker, of the critical path the operation or call that it is in, else the class; of a counter
 * its label and value, of memory to a ten-thousandth of the highest. Borrowed; never
 * NULL. How long names are shortened is up to who shows them.
 */
const char *wl_track_event_name(const struct wl_tracks *tracks, size_t track, uint32_t ref,
				uint8_t cat);

/* The category of an operation, a number of category_word. */
uint8_t wl_track_op_category(const struct wl_tracks *tracks, uint32_t ref);

/* The row of operations of a place. WL_NONE where not selected. */
uint32_t wl_track_of_place(const struct wl_tracks *tracks, uint32_t place);

/* The row of a thread with rows of a family, such as CUDA calls. WL_NONE where not selected. */
uint32_t wl_track_of_thread(const struct wl_tracks *tracks, enum wl_family_id family,
			    uint32_t thread);

/* The first row of a device that holds such; WL_NONE for none. Looks at the rows of the device. */
uint32_t wl_track_of_device(const struct wl_tracks *tracks, enum wl_holds holds, uint32_t device);

/*
 * The ref of a row of a family in a track that can show it; the opposite of event_of.
 * WL_NONE for an operation beyond the first 2^30 of its family, which no row shows.
 */
uint32_t wl_track_ref(enum wl_family_id family, uint32_t row);

enum { WL_REF_BITS = 30 }; /* of a row; the kind of operation is above */

/* The operation of a ref of a row that holds such. */
struct wl_track_op {
	enum wl_op_kind kind;
	size_t row;
};

static inline struct wl_track_op wl_track_op_of(uint32_t ref)
{
	return (struct wl_track_op){ (enum wl_op_kind)(ref >> WL_REF_BITS),
				     ref & ((UINT32_C(1) << WL_REF_BITS) - 1) };
}

#endif

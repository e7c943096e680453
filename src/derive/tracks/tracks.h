/* SPDX-License-Identifier: MIT */
/*
 * tracks.h - the rows of a timeline: their list, their labels and their events.
 *
 * All timelines (terminal, browser, Perfetto, strips of the report) show these rows in this order:
 * per GPU a summary, NVTX projected on the GPU, streams with their role, why it waited, counters;
 * then per process its threads with NVTX, CUDA calls and calls of the operating system, the busiest
 * thread first. tracks.def lists the kinds.
 *
 * Finding the rows does not fill them: wl_track_fill() fills one row per call, and may run for
 * several tracks at once. Nothing here changes once found.
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

/* What a row belongs to: a GPU, a process and one of its threads, or the whole trace. */
enum wl_row_of { WL_OF_DEVICE, WL_OF_PROCESS, WL_OF_TRACE };

/* What the events of a row are. The first row of a device or process heads the others. */
enum wl_holds {
	WL_HOLDS_GPU_TIME,    /* time of a GPU by class, as accounted; heads the rows of the GPU */
	WL_HOLDS_ITERATIONS,  /* of a process */
	WL_HOLDS_PROJECTIONS, /* NVTX ranges at the times of their work on a GPU */
	WL_HOLDS_OPS,         /* operations */
	WL_HOLDS_GAPS,        /* idle time by cause, and exposed communication and copies */
	WL_HOLDS_LEVELS,      /* samples of a counter: a lane of levels (derive/lanes/levels.h) */
	WL_HOLDS_THREADS,     /* nothing; heads the rows of its threads */
	WL_HOLDS_RANGES,      /* NVTX ranges and marks of a thread */
	WL_HOLDS_CALLS,       /* rows of a family by thread */
	WL_HOLDS_PATH,        /* segments of the critical path */
};

/* A line of tracks.def. Code tests these members instead of comparing kinds. */
struct wl_row_kind {
	enum wl_track_kind id;
	enum wl_row_of of;
	enum wl_holds holds;
	enum wl_family_id family; /* of its events; WL_N_FAMILIES: several or none */
	enum wl_column_id names;  /* of the events; WL_N_COLUMNS: several or none */
	const char *key;          /* "stream", ... */
	const char *label, *brief, *title, *help; /* NULL as in tracks.def */
};

extern const struct wl_row_kind wl_row_kinds[WL_N_TRACK_KINDS];

/* Its events are rows of the trace, each once; events of other tracks are made from them. */
static inline bool wl_row_is_recorded(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_OPS || kind->holds == WL_HOLDS_RANGES ||
	       kind->holds == WL_HOLDS_CALLS;
}

/* struct wl_track_filter applies to its events. */
static inline bool wl_row_is_filtered(const struct wl_row_kind *kind)
{
	return kind->of != WL_OF_TRACE &&
	       (wl_row_is_recorded(kind) || kind->holds == WL_HOLDS_PROJECTIONS);
}

/* Its events are found after those of other rows, because they take much longer. */
static inline bool wl_row_is_late(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_GAPS || kind->holds == WL_HOLDS_PATH;
}

/* It has projections of work other than compute, kept separate because they are of less
 * interest. */
static inline bool wl_row_is_apart(const struct wl_row_kind *kind)
{
	return kind->id == WL_TRACK_NVTX_COMM;
}

/* It is the first row of a GPU or process, and the parent of the others. */
static inline bool wl_row_heads(const struct wl_row_kind *kind)
{
	return kind->holds == WL_HOLDS_GPU_TIME || kind->holds == WL_HOLDS_THREADS;
}

/* Each thread of a process has one, if it has events. */
static inline bool wl_row_is_of_thread(const struct wl_row_kind *kind)
{
	return kind->of == WL_OF_PROCESS && !wl_row_heads(kind);
}

/*
 * The categories of a lane are those of known/palette.h (enum wl_colour), except for gaps, which
 * use enum wl_gap_cat, and for the time of a GPU, which uses enum wl_class.
 */
enum { WL_TRACK_CATS = 8 };

/* Categories of a lane of gaps: what compute waits for. Idle time by cause, and exposed
 * communication and copies. */
enum wl_gap_cat {
	WL_GAP_EXPOSED_COMM,
	WL_GAP_EXPOSED_COPY,
	WL_GAP_OF_CAUSE, /* + enum wl_cause, WL_CAUSE_MANAGED .. WL_CAUSE_HOST */
	WL_N_GAP_CATS = WL_GAP_OF_CAUSE + WL_CAUSE_HOST + 1,
};

const char *wl_gap_cat_name(enum wl_gap_cat cat); /* wl_loss_name() of it; known/glyphs.h finds its
						     glyph by this word */

/* The categories, as bits, of losses given as bits of enum wl_loss and enum wl_cause. */
uint32_t wl_gap_cats(uint32_t losses);

struct wl_track {
	enum wl_track_kind kind;
	uint32_t parent;  /* an earlier track; WL_NONE at the top */
	uint32_t device;  /* WL_NONE if the row belongs to none */
	uint32_t process; /* index, WL_NONE if several */
	uint32_t thread;  /* index, WL_NONE for none */
	uint32_t stream;  /* index of wl_streams, WL_NONE for none */
	uint32_t counter; /* index of counters, WL_NONE for none */
	/* "Stream 20 NCCL *", "GPU 0 rank 3", "API 4000 python". Names from the trace in it are
	 * shortened but not cleaned: they may contain control characters. */
	const char *label;
	const char *brief; /* "S20*", "G0", "API 4000": usually at most 8 columns */
	/* Exact for recorded rows, else an estimate; for a process, which has no lanes itself, the
	 * number in all its rows. 0: the row is empty and need not be shown. */
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
	double full;      /* the same value in unit */
	const char *unit; /* "%", "B", "MHz"; may be "" */
};

/* The data that rows are made from. All of it is found beforehand and never changes. */
struct wl_tracks {
	size_t n;
	const struct wl_track *at; /* by device; tracks of none (WL_NONE) come last */
	struct wl_interval extent; /* of all rows: what "fit" shows; not empty */
	const struct wl_trace *trace;
	const struct wl_iterations *iterations;
	const struct wl_idle *idle;                   /* for causes */
	const struct wl_links *links;                 /* from operations to their calls */
	const struct wl_named *named;                 /* kernel properties, by name */
	const struct wl_path *path;                   /* NULL: not found yet; its row is empty */
	const struct wl_metric_series *metric_series; /* NULL: not wanted, nor are counters */
	const struct wl_track_counter *counter;       /* by the counter index of a row */
	size_t n_counters;
	const uint8_t *kernel_category; /* by kernel name: enum wl_colour */
	/* Operations by the default rules of "categories": an index of category_word, the same for
	 * all traces. Several categories share a colour. */
	const struct wl_category_map *categories;
	const char *const *category_word; /* "gemm", ..., "(other)", "(graph)" */
	size_t n_category_words;
	const struct wl_tracks_inside *inside;
};

/*
 * Find the rows of what the scope selects. Its window does not matter; the scope need not outlive
 * the rows, but derived must. Every selected device has a GPU row; other rows exist if they have
 * events. Owned by the arena, 8 bytes per operation; false when that is exhausted. Linear in
 * events; devices in parallel.
 */
bool wl_tracks_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_tracks *ret) WL_MUST_CHECK;

/* Which events are shown. Zeroed: all. See wl_row_is_filtered(). */
struct wl_track_filter {
	wl_ns min_dur;
	const bool *kernel_name_on; /* by kernel name: kernels that are shown; NULL: all */
	bool hides_other_ops;       /* operations other than kernels are not shown */
	uint32_t muted;             /* bits of enum wl_colour: not shown (operations) */
};

/*
 * Make the lanes of a row, charged to the budget, which must outlive them. The caller releases
 * them. False if out of memory. Linear in the events of the row and what they are made from: for
 * GPU time and gaps the operations of the device, for gaps also the rows of the threads that
 * launched them, for projections the operations that the thread launched there and its ranges.
 * Ranges are sorted.
 *
 * Levels: one piece per period of constant value, cut to the extent, in a lane of levels.
 *
 * GPU time: one piece per period in which one class is accounted, as in derive/kinds/sweep.h:
 * compute, else communication, else copies. Gaps: the parts of wl_idle_visit(), and between them
 * the pieces of wl_exposed_visit(), each with its detail. Both are exact in any window.
 */
bool wl_track_fill(const struct wl_tracks *tracks, size_t track,
		   const struct wl_track_filter *filter, struct wl_budget *budget,
		   struct wl_lanes *ret) WL_MUST_CHECK;

/*
 * Visit the same events one by one, in order of start, longer first. Keeps only what the row needs
 * besides its events. False if out of memory.
 */
typedef void wl_track_visit_fn(void *ctx, const struct wl_lane_event *event);

bool wl_track_visit(const struct wl_tracks *tracks, size_t track,
		    const struct wl_track_filter *filter, struct wl_budget *budget,
		    wl_track_visit_fn *fn, void *ctx) WL_MUST_CHECK;

/*
 * What an event of a row is, by its ref: an operation; a row of the nvtx family, which is a range
 * (projected or not) or a mark, which has no length; a row of another family; the number of an
 * iteration. For gaps it is the detail: equal details have one ref in all rows. For the critical
 * path it is the operation or call that the segment is spent in or leads up to, and what it is
 * spent on. For GPU time it is nothing.
 */
struct wl_track_event {
	enum wl_family_id family; /* WL_N_FAMILIES: not an event of the trace */
	uint32_t row;             /* of the family; for an iteration its number */
	/* For gaps: idle time as in struct wl_gap_part, else the collective ("AllReduce") or the
	 * direction of the copy ("HtoD"), as in struct wl_atom. May be NULL. For the critical path:
	 * a class ("transfer"). */
	const char *detail;
};

struct wl_track_event wl_track_event_of(const struct wl_tracks *tracks, size_t track, uint32_t ref);

/*
 * The name of the event: a kernel's demangled name from the trace, a range's text with its domain,
 * a mark's without, the call, the cause, the text of the iteration's marker; for the critical path
 * the operation or call that it is in, else the class; for a counter its label and value, for
 * memory to a ten-thousandth of the highest. Borrowed; never NULL. Callers shorten long names.
 */
const char *wl_track_event_name(const struct wl_tracks *tracks, size_t track, uint32_t ref,
				uint8_t cat);

/* The category of an operation, an index of category_word. */
uint8_t wl_track_op_category(const struct wl_tracks *tracks, uint32_t ref);

/* The row of the operations of a place. WL_NONE if not selected. */
uint32_t wl_track_of_place(const struct wl_tracks *tracks, uint32_t place);

/* The row of a thread for a family, such as CUDA calls. WL_NONE if not selected. */
uint32_t wl_track_of_thread(const struct wl_tracks *tracks, enum wl_family_id family,
			    uint32_t thread);

/* The first row of a device that holds such events; WL_NONE for none. Linear in the rows of the
 * device. */
uint32_t wl_track_of_device(const struct wl_tracks *tracks, enum wl_holds holds, uint32_t device);

/*
 * The ref of a row of a family in a track that can show it; the inverse of event_of. WL_NONE for an
 * operation beyond the first 2^30 of its family, which no row shows.
 */
uint32_t wl_track_ref(enum wl_family_id family, uint32_t row);

enum { WL_REF_BITS = 30 }; /* for the row; the kind of operation is above */

/* The operation of a ref, for a row that holds operations. */
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

/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the internals of timeline.h: rows and slices on their way to a format.
 *
 * Rows are announced with their first event, parents before children: no row is empty, and ids
 * follow the order of calls.
 */
#ifndef WL_EXPORT_WALK_H
#define WL_EXPORT_WALK_H

#include "base/memory/arena.h"
#include "derive/kinds/category_times.h"
#include "export/emit.h"
#include "export/timeline/flows.h"
#include "export/timeline/nest.h"
#include "export/timeline/plan.h"

/* A device's longest gap of each kind, which findings point to; empty if there is none. */
struct wl_gap_places {
	struct wl_interval longest[WL_N_GAP_CATS];
};

/* The two texts of a launch configuration; NULL until needed. */
struct wl_config_text {
	const char *grid, *block;
};

struct wl_walk {
	const struct wl_tracks *tracks;
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_export_opts *opts;
	const struct wl_export_plan *plan;
	struct wl_shown shown;         /* scope and minimum length, for events of the trace */
	struct wl_track_filter filter; /* for events of the trace, too */
	struct wl_emitter *emitter;
	struct wl_budget *budget;
	const atomic_int *stop;
	struct wl_arena arena; /* for texts that stay until the end */
	struct wl_flows flows;
	struct wl_category_rules rules;    /* rules that name kernel categories, */
	struct wl_category_map categories; /* and the rule each kernel follows */
	struct wl_config_text *config;     /* by launch configuration; NULL without arguments */
	struct wl_gap_places *gaps;        /* by device; NULL without findings */
	struct wl_interval *work; /* by device: extent of its operations; NULL without findings */
	uint32_t next_order;      /* of top-level rows */
	bool failed;              /* no memory; sticky */
	struct wl_export_done done;
};

/* False when memory is exhausted or a stop is requested: nothing more needs to be done. */
static inline bool wl_walk_goes_on(const struct wl_walk *w)
{
	return !w->failed && !w->emitter->failed &&
	       !(w->stop && atomic_load_explicit(w->stop, memory_order_relaxed));
}

/* A row that is announced on demand. What it points to must stay until then. */
struct wl_lazy_row {
	struct wl_emit_row row;     /* id is 0 until announced; parent and order are set then */
	struct wl_lazy_row *parent; /* NULL at the top */
	uint32_t next_order;        /* of its children */
};

/* The row's id, for events and children; announces the row if needed. An order set before is
 * kept. */
uint32_t wl_lazy_row_id(struct wl_walk *w, struct wl_lazy_row *row);

/*
 * The parent of a top-level row. Where nothing may nest, the row may become several, which a group
 * keeps together; else NULL, because a row without a group is easier to see.
 */
static inline struct wl_lazy_row *wl_walk_group(const struct wl_walk *w, struct wl_lazy_row *group)
{
	return w->emitter->ops->flat ? group : NULL;
}

/* How further rows are named. */
enum wl_further { WL_FURTHER_OVERLAP, WL_FURTHER_NUMBER };

/* A row and the further rows for events that do not fit into it. */
struct wl_dealt_rows {
	struct wl_walk *walk;
	struct wl_lazy_row *first;
	struct wl_lazy_row *parent; /* of further rows; NULL at the top */
	const char *name;           /* on which names of further rows are based */
	enum wl_further further;
	struct wl_nest nest;
	struct wl_vec id; /* uint32_t, by row */
};

/* The caller sets the members before nest; flat: nothing may overlap, whatever the format. */
void wl_dealt_init(struct wl_dealt_rows *d, bool flat);
void wl_dealt_put(struct wl_dealt_rows *d, const struct wl_emit_slice *slice);
void wl_dealt_close(struct wl_dealt_rows *d);

/* The parts from top to bottom, except findings, whose places are found on the way (rows_*.c). */
void wl_rows_iterations(struct wl_walk *w);
void wl_rows_gpus(struct wl_walk *w);
void wl_rows_processes(struct wl_walk *w);
void wl_rows_of_trace(struct wl_walk *w);
void wl_rows_path(struct wl_walk *w);
void wl_rows_findings(struct wl_walk *w, uint32_t order);

/* Sampled metrics of GPUs that are not a device of the trace. */
void wl_rows_metrics(struct wl_walk *w);

/* Rows of a device below its GPU's row, whose name, order and parent are already set. */
void wl_rows_copies(struct wl_walk *w, uint32_t device, struct wl_lazy_row *gpu);
void wl_rows_counters(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu);
void wl_rows_gpu_metrics(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu);

enum { WL_MAX_OP_ARGS = 8 };

/* A slice and room for its arguments. */
struct wl_op_slice {
	struct wl_emit_slice slice;
	struct wl_emit_arg arg[WL_MAX_OP_ARGS];
};

/* Fill in all of an operation; the caller has set start and end. */
void wl_op_slice_fill(struct wl_walk *w, enum wl_family_id family, uint32_t row,
		      struct wl_op_slice *s);

/* Whether an event lies partly in a window. */
static inline bool wl_walk_shows(const struct wl_walk *w, struct wl_interval window, wl_ns start,
				 wl_ns end)
{
	return wl_clip(w->scope, window, &start, &end);
}

#endif

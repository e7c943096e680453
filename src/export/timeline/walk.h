/* SPDX-License-Identifier: MIT */
/*
 * walk.h - rows and slices on their way to a format; the inside of timeline.h.
 *
 * Rows are announced when the first event of them comes, their parents before them, so
 * that there are no empty ones and numbers follow the calls.
 */
#ifndef WL_EXPORT_WALK_H
#define WL_EXPORT_WALK_H

#include "base/memory/arena.h"
#include "derive/kinds/category_times.h"
#include "export/emit.h"
#include "export/timeline/flows.h"
#include "export/timeline/nest.h"
#include "export/timeline/plan.h"

/* The longest gap of each kind of a device, where findings point to; empty for none. */
struct wl_gap_places {
	struct wl_interval longest[WL_N_GAP_CATS];
};

/* The two texts of a launch configuration; NULL until they are wanted. */
struct wl_config_text {
	const char *grid, *block;
};

struct wl_walk {
	const struct wl_tracks *tracks;
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_export_opts *opts;
	const struct wl_export_plan *plan;
	struct wl_shown shown;         /* the same and the least length, for events of the trace */
	struct wl_track_filter filter; /* for events of the trace, too */
	struct wl_emitter *emitter;
	struct wl_budget *budget;
	const atomic_int *stop;
	struct wl_arena arena; /* of texts that stay until the end */
	struct wl_flows flows;
	struct wl_category_rules rules;    /* what kernels are called after, */
	struct wl_category_map categories; /* and by which of them */
	struct wl_config_text *config;     /* by launch configuration; NULL without arguments */
	struct wl_gap_places *gaps;        /* by device; NULL without findings */
	struct wl_interval *work;          /* by device: of its operations; NULL, too */
	uint32_t next_order;               /* of rows at the top */
	bool failed;                       /* no memory; sticky */
	struct wl_export_done done;
};

/* False when memory was exhausted or a stop is wanted: nothing more needs to be done. */
static inline bool wl_walk_goes_on(const struct wl_walk *w)
{
	return !w->failed && !w->emitter->failed &&
	       !(w->stop && atomic_load_explicit(w->stop, memory_order_relaxed));
}

/* A row that is announced on demand. What it points to must stay until it is. */
struct wl_lazy_row {
	struct wl_emit_row row; /* id is 0 until it is announced; parent and order are set then */
	struct wl_lazy_row *parent; /* NULL at the top */
	uint32_t next_order;        /* of its children */
};

/* Its id, for events and children. An order that is set before stays. */
uint32_t wl_lazy_row_id(struct wl_walk *w, struct wl_lazy_row *row);

/*
 * What holds a row at the top: where nothing may nest it may well become several, which
 * a group keeps together; else NULL, because a row without a group is easier to see.
 */
static inline struct wl_lazy_row *wl_walk_group(const struct wl_walk *w, struct wl_lazy_row *group)
{
	return w->emitter->ops->flat ? group : NULL;
}

/* How further rows are called. */
enum wl_further { WL_FURTHER_OVERLAP, WL_FURTHER_NUMBER };

/* A row and those that take what does not fit into it. */
struct wl_dealt_rows {
	struct wl_walk *walk;
	struct wl_lazy_row *first;
	struct wl_lazy_row *parent; /* of further ones; NULL at the top */
	const char *name;           /* that further ones are called after */
	enum wl_further further;
	struct wl_nest nest;
	struct wl_vec id; /* uint32_t, by row */
};

/* Members before nest are set; flat: nothing may overlap, whatever the format. */
void wl_dealt_init(struct wl_dealt_rows *d, bool flat);
void wl_dealt_put(struct wl_dealt_rows *d, const struct wl_emit_slice *slice);
void wl_dealt_close(struct wl_dealt_rows *d);

/* The parts, from top to bottom but for findings, which are found on the way (rows_*.c). */
void wl_rows_iterations(struct wl_walk *w);
void wl_rows_gpus(struct wl_walk *w);
void wl_rows_processes(struct wl_walk *w);
void wl_rows_of_trace(struct wl_walk *w);
void wl_rows_path(struct wl_walk *w);
void wl_rows_findings(struct wl_walk *w, uint32_t order);

/* Sampled metrics of GPUs that are no device of the trace. */
void wl_rows_metrics(struct wl_walk *w);

/* A row of a device: name, order and parent are set already. */
void wl_rows_copies(struct wl_walk *w, uint32_t device, struct wl_lazy_row *gpu);
void wl_rows_counters(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu);
void wl_rows_gpu_metrics(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu);

enum { WL_MAX_OP_ARGS = 8 };

/* A slice and room for its arguments. */
struct wl_op_slice {
	struct wl_emit_slice slice;
	struct wl_emit_arg arg[WL_MAX_OP_ARGS];
};

/* All of an operation; start and end are set before. */
void wl_op_slice_fill(struct wl_walk *w, enum wl_family_id family, uint32_t row,
		      struct wl_op_slice *s);

/* Whether an event has a part in a window. */
static inline bool wl_walk_shows(const struct wl_walk *w, struct wl_interval window, wl_ns start,
				 wl_ns end)
{
	return wl_clip(w->scope, window, &start, &end);
}

#endif

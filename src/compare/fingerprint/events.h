/* SPDX-License-Identifier: MIT */
/*
 * events.h - kernels, operations and ranges of a trace as one stream each, with the
 * group, the step of the sample and the length of each event.
 */
#ifndef WL_COMPARE_EVENTS_H
#define WL_COMPARE_EVENTS_H

#include "analysis/analysis.h"
#include "compare/fingerprint/sample.h"
#include "derive/kinds/category_times.h"
#include "derive/nvtx/folds.h"

/* What events are made of. */
struct wl_event_source {
	const struct wl_run *run;
	const struct wl_iterations *iterations;
	const struct wl_links *links;
	const struct wl_sample *sample;
	const uint16_t *step[WL_N_OP_FAMILIES]; /* by operation: its step; WL_FP_STEPS for none */
	size_t n_names;                 /* kernel names that differ in their demangled form */
	const uint32_t *name_of;        /* by kernel name of the trace */
	const uint32_t *demangled;      /* by kernel name that differs: string */
	const struct wl_forest *forest; /* NULL without ranges */
	struct wl_folds folds;
	const struct wl_category_rules *rules; /* both NULL unless categories are asked for */
	const struct wl_category_map *categories;
};

struct wl_step_event {
	uint32_t group;
	uint32_t step; /* WL_FP_STEPS for none */
	uint32_t process;
	wl_ns start;
	wl_ns ns;        /* of the whole event */
	wl_ns window_ns; /* of its part in the window */
	bool in_window;
};

/* A direction and two kinds of memory, four bits each. */
enum { WL_COPY_GROUPS = 1 << 12 };

/* "HtoD, pageable to device"; without memory NULL. */
const char *wl_copy_group_name(uint32_t group, struct wl_arena *arena) WL_MUST_CHECK;

typedef void wl_step_event_fn(void *ctx, const struct wl_step_event *event);
typedef void wl_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx);

/*
 * Prepare: sort operations into steps, name kernels, fold ranges by path. Logarithmic in
 * iterations for each operation. Owned by the arena; false when that is exhausted.
 */
bool wl_event_source_make(const struct wl_run *run, const struct wl_iterations *iterations,
			  const struct wl_sample *sample, struct wl_arena *arena,
			  struct wl_event_source *ret) WL_MUST_CHECK;

wl_events wl_kernel_events;   /* groups are of name_of */
wl_events wl_category_events; /* all operations, by category */
wl_events wl_copy_events;     /* groups are below WL_COPY_GROUPS */
wl_events wl_range_events;    /* by fold */

/*
 * Operations with the ranges they were launched in, bridged ones as well: once per such
 * fold. The arena is for scratch; false when it is exhausted.
 */
bool wl_launched_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx,
			struct wl_arena *arena) WL_MUST_CHECK;

/* Calls that launched operations, each once, and operations whose call is not known; group 0. */
bool wl_launch_events(const struct wl_event_source *from, wl_step_event_fn *fn, void *ctx,
		      struct wl_arena *arena) WL_MUST_CHECK;

#endif

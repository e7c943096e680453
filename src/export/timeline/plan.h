/* SPDX-License-Identifier: MIT */
/* plan.h - the options of an export, its estimate and its summary. */
#ifndef WL_EXPORT_PLAN_H
#define WL_EXPORT_PLAN_H

#include <stdatomic.h>

#include "derive/tracks/tracks.h"

/* What a finding says, and on which gaps one can see it. Texts live as long as the export. */
struct wl_export_finding {
	const char *code, *title, *text;
	const char *fixing;   /* what fixing it saves, in words; NULL for nothing */
	const char *evidence; /* the command that shows the rows; NULL for none */
	uint32_t device;      /* WL_NONE: of no device */
	uint32_t gaps;        /* bits of enum wl_gap_cat: the longest of these is its place */
	bool slowest;         /* the slowest iteration is; else the steady one */
};

enum wl_export_detail { WL_DETAIL_AUTO, WL_DETAIL_ALL, WL_DETAIL_NONE };

/* With AUTO, arguments and then flows are there as long as the file is predicted to stay below. */
enum { WL_DETAIL_BYTES = 32 * 1000 * 1000 };

struct wl_export_opts {
	const struct wl_scope *scope; /* that of the tracks, with its window */
	wl_ns min_dur; /* shorter slices are left out, but for iterations and the profiler's */
	enum wl_export_detail flows, args;
	const struct wl_export_finding *findings;
	size_t n_findings;
	/* Now and then: slices written so far, of the number expected. NULL for none. */
	void (*progress)(void *ctx, int64_t done, int64_t total);
	void *progress_ctx;
	struct wl_budget *budget; /* that scratch is charged to */
	const atomic_int *stop;   /* becomes non-zero: stop; NULL for none */
};

/* What will be written, before it is. */
struct wl_export_plan {
	uint64_t slices, kernels;
	uint64_t bytes; /* of a Perfetto file, not compressed */
	bool flows;     /* what the options come to */
	bool args;      /* the same; also correlations and categories. Findings always have some */
	wl_ns shift;    /* to be added so that no time is below 0; 0 as a rule */
};

/*
 * Predict. Exact for events of the trace. How many gaps and ranges on the GPU there are is
 * seen on the first rows of the kind, and guessed for the others of a large trace; the size
 * is a guess. Linear in events; takes up to 64 MB for a while.
 */
void wl_export_plan(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		    struct wl_export_plan *ret);

struct wl_export_done {
	uint64_t rows, slices, flows; /* rows: also operations, or stacks */
	uint64_t bytes;               /* of the file, where it is one */
	uint64_t backward; /* flows left out: the operation does not begin after its call */
	wl_ns time;        /* of call stacks: the sum of their weights */
};

#endif

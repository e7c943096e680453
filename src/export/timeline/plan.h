/* SPDX-License-Identifier: MIT */
/* plan.h - the options of an export, its estimate and its summary. */
#ifndef WL_EXPORT_PLAN_H
#define WL_EXPORT_PLAN_H

#include <stdatomic.h>

#include "derive/tracks/tracks.h"

/* A finding's texts, and the gaps that show it. Texts live as long as the export. */
struct wl_export_finding {
	const char *code, *title, *text;
	const char *fixing;   /* the saving from fixing it, in words; NULL for none */
	const char *evidence; /* the command that shows the rows; NULL for none */
	uint32_t device;      /* WL_NONE: no device */
	uint32_t gaps;        /* bits of enum wl_gap_cat: it is placed at the longest of these */
	bool slowest;         /* placed at the slowest iteration, else at a steady one */
};

enum wl_export_detail { WL_DETAIL_AUTO, WL_DETAIL_ALL, WL_DETAIL_NONE };

/* With AUTO, arguments and then flows are written if the file is predicted to stay below this. */
enum { WL_DETAIL_BYTES = 32 * 1000 * 1000 };

struct wl_export_opts {
	const struct wl_scope *scope; /* the one of the tracks, with its window */
	wl_ns min_dur; /* shorter slices are left out, except iterations and the profiler's */
	enum wl_export_detail flows, args;
	const struct wl_export_finding *findings;
	size_t n_findings;
	/* Called now and then with the slices written so far and the expected total. May be
	 * NULL. */
	void (*progress)(void *ctx, int64_t done, int64_t total);
	void *progress_ctx;
	struct wl_budget *budget; /* scratch memory is charged to it */
	const atomic_int *stop;   /* non-zero requests a stop; may be NULL */
};

/* The prediction of what will be written. */
struct wl_export_plan {
	uint64_t slices, kernels;
	uint64_t bytes; /* of a Perfetto file, not compressed */
	bool flows;     /* the resolved option */
	bool args;      /* the same; with correlations and categories. Findings always have some */
	wl_ns shift;    /* added to all times so that none is below 0; usually 0 */
};

/*
 * Predict the output. Counts of the trace's own events are exact. Gaps and ranges on the GPU are
 * counted on the first rows of the kind and, in a large trace, guessed for the others; the size is
 * a guess. Linear in events; temporarily takes up to 64 MB.
 */
void wl_export_plan(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		    struct wl_export_plan *ret);

struct wl_export_done {
	uint64_t rows, slices, flows; /* rows: or operations, or stacks */
	uint64_t bytes;               /* of the file, if the output is one */
	uint64_t backward; /* flows left out because the operation does not begin after its call */
	wl_ns time;        /* for call stacks: the sum of their weights */
};

#endif

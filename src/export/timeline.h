/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - the rows of a trace, walked over once and handed to a format.
 *
 * From top to bottom: iterations of each process; findings; per GPU a group with its
 * counters (busy, exposed communication), NVTX where its work lies, streams with their role,
 * copies by direction, gaps by cause; per process its threads with CUDA calls, NVTX and
 * calls of the operating system; the profiler's own work. Rows and labels are those of
 * derive/tracks/tracks.h, but that copies and sets have rows of their own. What overlaps gets
 * further rows ("Stream 7 compute (overlap)"), so that nothing is lost. Rows without events
 * are not there.
 *
 * An event with a part in the scope's window is there whole, with its true times.
 *
 * Streams: beside the trace and its rows, memory goes by what is under way at a time, by the
 * number of rows, of iterations and of launch configurations, and for flows it is four
 * bytes per call.
 */
#ifndef WL_EXPORT_TIMELINE_H
#define WL_EXPORT_TIMELINE_H

#include <stdatomic.h>

#include "base/err.h"
#include "derive/derived.h"
#include "derive/tracks/tracks.h"
#include "export/emit.h"

/* What a finding says, and on which gaps one can see it. Texts live as long as the export. */
struct wl_export_finding {
	const char *code, *title, *text;
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
	/* Now and then: slices written so far, of about so many. NULL for nobody. */
	void (*progress)(void *ctx, int64_t done, int64_t total);
	void *progress_ctx;
	struct wl_budget *budget; /* that scratch is charged to */
	const atomic_int *stop;   /* becomes non-zero: stop; NULL for none */
};

/* Add what rows and their arguments are made of, and what finding the tracks wants. */
void wl_export_want(struct wl_wanted *wanted);

/* What will be written, before it is. */
struct wl_export_plan {
	uint64_t slices, kernels;
	uint64_t bytes; /* of a Perfetto file, not compressed */
	bool flows;     /* what the options come to */
	bool args;      /* likewise; also correlations and categories. Findings always have some */
	wl_ns shift;    /* to be added so that no time is below 0; 0 as a rule */
};

/*
 * Predict. Exact for events of the trace. How many gaps and ranges on the GPU there are is
 * seen on the first rows of the kind, and guessed for the others of a large trace; the size
 * is a guess. Linear in events; for what it looks at, up to 64 MB for a while.
 */
void wl_export_plan(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		    struct wl_export_plan *ret);

struct wl_export_done {
	uint64_t rows, slices, flows;
	uint64_t bytes;    /* of the file, where it is one */
	uint64_t backward; /* flows left out: the operation does not begin after its call */
};

/* Write all rows; finish() of the emitter is called. WL_E_NOMEM, WL_E_CANCELED. */
int wl_export_timeline(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		       const struct wl_export_plan *plan, struct wl_emitter *emitter,
		       struct wl_export_done *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif

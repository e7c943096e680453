/* SPDX-License-Identifier: MIT */
/*
 * collect.h - the reports that a profiler left: found, exported and looked at.
 *
 * A report that does not pass gets the ending .incomplete, so that it is not taken for a whole one.
 */
#ifndef WL_CAPTURE_RUN_COLLECT_H
#define WL_CAPTURE_RUN_COLLECT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/file/file.h"
#include "base/memory/arena.h"

/* What an export holds. */
struct wl_report_facts {
	int64_t n_kernels; /* or CUDA graphs that were recorded as one */
	int64_t n_cuda;    /* calls of CUDA */
	int64_t n_ranges;  /* NVTX ranges and marks */
	int64_t n_events;  /* of all kinds, those above included */
};

struct wl_collected {
	const char *report;   /* path of the .nsys-rep */
	const char *database; /* of its export, beside it */
	int64_t bytes;        /* of the report */
	struct wl_report_facts facts;
};

enum { WL_COLLECT_MOST = 1024 };

struct wl_collection {
	struct wl_collected *report; /* by name */
	size_t n;
	const char *stream; /* a .qdstrm that no importer turned into a report; NULL: none */
	int n_retries;      /* exports that were begun again */
	int64_t export_ns, look_ns; /* wall time of all exports, and of looking at them */
};

struct wl_collecting {
	const char *dir;           /* with the reports of one run and nothing else */
	const char *nsys;          /* that exports; NULL: by PATH */
	int64_t limit_ns;          /* for an export; 0: none */
	const atomic_int *signals; /* how many came; one more cancels; NULL: none does */
	/* Look at an export. WL_E_FORMAT and the like where it cannot be read. */
	int (*look)(void *ctx, const char *database, struct wl_report_facts *ret,
		    struct wl_err *reterr);
	void *ctx;
};

/*
 * Find, export and look at the reports; nsys gets three tries for each. The first failure is
 * returned after all were tried: WL_E_FORMAT for a damaged report, WL_E_OUTPUT for a full disk,
 * WL_E_IO, WL_E_CANCELED, WL_E_NOMEM.
 */
int wl_collect(const struct wl_collecting *how, struct wl_arena *arena, struct wl_collection *ret,
	       struct wl_err *reterr) WL_MUST_CHECK;

#endif

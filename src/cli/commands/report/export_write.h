/* SPDX-License-Identifier: MIT */
/* export_write.h - writes one export of an open trace; prints an estimate and a summary. */
#ifndef WL_CLI_EXPORT_WRITE_H
#define WL_CLI_EXPORT_WRITE_H

#include "cli/open.h"
#include "export/formats.h"
#include "export/timeline/timeline.h"

struct wl_export_job {
	struct wl_request request; /* what is selected */
	struct wl_opened *opened;
	struct wl_budget *budget;
	const struct wl_export_format *format;
	const char *path;  /* NULL: standard output */
	const char *trace; /* as the user named it */
	wl_ns min_dur;
	enum wl_export_detail flows, details;
	struct wl_stack_choice stacks;
};

/* Open the trace and load all that any write of this format needs. */
int wl_export_load(const struct wl_export_job *job, const char *trace, const struct wl_opening *how,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Write. An estimate and a summary are printed on standard error: standard output is
 * for the export alone.
 */
int wl_export_write(const struct wl_export_job *job, struct wl_err *reterr) WL_MUST_CHECK;

#endif

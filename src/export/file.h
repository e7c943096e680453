/* SPDX-License-Identifier: MIT */
/*
 * file.h - writes an export to a file.
 *
 * The file appears only when it is complete. A timeline whose path ends in ".gz" is compressed. The
 * same trace and options give the same bytes.
 */
#ifndef WL_EXPORT_FILE_H
#define WL_EXPORT_FILE_H

#include "base/file/file.h"
#include "export/formats.h"
#include "export/timeline/timeline.h"

/* What to write. Borrowed. */
struct wl_export_source {
	const struct wl_derived *derived;  /* for rows: has what wl_export_want_format() adds */
	const struct wl_tracks *tracks;    /* for a timeline */
	const struct wl_export_plan *plan; /* for a timeline; NULL: made when needed */
	struct wl_stack_choice stacks;     /* for call stacks: the time that counts */
};

/* Where the export goes. */
struct wl_export_target {
	const struct wl_export_format *format;
	const char *path;
	FILE *out;        /* if path is NULL, rows and stacks go here; errors stay in it */
	bool at_terminal; /* as in render/data/stream.h */
	const struct wl_file_readers *readers; /* those of the trace and the file; NULL: all */
};

/*
 * Add what a source for this format needs, and what finding its tracks needs. choice is that of the
 * source; NULL if the format holds no call stacks.
 */
void wl_export_want_format(struct wl_wanted *wanted, const struct wl_export_format *format,
			   const struct wl_stack_choice *stacks);

/*
 * WL_E_NOMEM, WL_E_CANCELED, WL_E_OUTPUT; a full disk is only noticed at the end. Besides what
 * wl_export_timeline() or wl_ops_rows() takes, 64 KB for a timeline, and 450 KB more to compress
 * it. Rows take scope, min_dur, budget and stop of the options; stacks the same except min_dur.
 */
int wl_export_file(const struct wl_export_source *source, const struct wl_export_opts *opts,
		   const struct wl_export_target *target, struct wl_export_done *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

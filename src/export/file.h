/* SPDX-License-Identifier: MIT */
/*
 * file.h - an export written to a file: the way from a path to a complete file.
 *
 * The file appears when it is complete. A timeline whose path ends in ".gz" is compressed.
 * The same trace and options give the same bytes.
 */
#ifndef WL_EXPORT_FILE_H
#define WL_EXPORT_FILE_H

#include "base/file/file.h"
#include "export/formats.h"
#include "export/timeline/timeline.h"

/* What is written. Borrowed. */
struct wl_export_source {
	const struct wl_derived *derived;  /* of rows: what wl_export_want_format() adds */
	const struct wl_tracks *tracks;    /* of a timeline */
	const struct wl_export_plan *plan; /* of a timeline; NULL: made on the way */
	struct wl_stack_choice stacks;     /* of call stacks: the time that counts */
};

/* Where it goes. */
struct wl_export_target {
	const struct wl_export_format *format;
	const char *path;
	FILE *out;        /* where path is NULL, rows and stacks go here; errors stay in it */
	bool at_terminal; /* as that of render/data/stream.h */
	const struct wl_file_readers *readers; /* of the trace, and so of the file; NULL: all */
};

/*
 * Add what a source for this format is made of, and what finding its tracks wants. The choice is
 * that of the source; NULL where the format holds no call stacks.
 */
void wl_export_want_format(struct wl_wanted *wanted, const struct wl_export_format *format,
			   const struct wl_stack_choice *stacks);

/*
 * WL_E_NOMEM, WL_E_CANCELED, WL_E_OUTPUT; a disk that is full is only noticed at the end. Besides
 * what wl_export_timeline() or wl_ops_rows() takes, 64 KB for a timeline, and 450 KB more to
 * compress it. Rows take scope, min_dur, budget and stop of the options; stacks the same but
 * min_dur.
 */
int wl_export_file(const struct wl_export_source *source, const struct wl_export_opts *opts,
		   const struct wl_export_target *target, struct wl_export_done *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

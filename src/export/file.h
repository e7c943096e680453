/* SPDX-License-Identifier: MIT */
/*
 * file.h - a timeline written to a file: the way from a path to a complete file.
 *
 * The file appears complete or not at all. A path that ends in ".gz" is compressed.
 * The same trace and options give the same bytes.
 */
#ifndef WL_EXPORT_FILE_H
#define WL_EXPORT_FILE_H

#include "export/timeline.h"

enum wl_timeline_format { WL_TIMELINE_PERFETTO, WL_TIMELINE_CHROME };

/*
 * By the name of the file: .pftrace and .perfetto-trace, or .trace.json, each with or without
 * .gz behind it; *ret_stem is the length of what comes before. False for another.
 */
bool wl_timeline_format_of(const char *path, enum wl_timeline_format *ret, size_t *ret_stem);

struct wl_export_target {
	const char *path;
	enum wl_timeline_format format;
};

/*
 * As wl_export_timeline(), but also WL_E_OUTPUT; a disk that is full is only noticed at the
 * end. Beside what that takes, 64 KB, and 450 KB more to compress. The plan's shift is of
 * Perfetto files only.
 */
int wl_export_file(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		   const struct wl_export_plan *plan, const struct wl_export_target *target,
		   struct wl_export_done *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/* export_split.h - an export as several files: one per rank, or one per GPU. */
#ifndef WL_CLI_EXPORT_SPLIT_H
#define WL_CLI_EXPORT_SPLIT_H

#include "cli/commands/report/export_write.h"

/* What is split. Borrowed. */
struct wl_export_split {
	const struct wl_export_job *job; /* loaded; path is a file's, or the directory */
	const char *trace;               /* which no file may replace */
	bool to_dir; /* files are named rank0 or gpu0 with the format's ending */
};

/* In ascending order; a rank of several processes is one file. WL_E_NODATA without ranks. */
int wl_export_ranks(const struct wl_export_split *split, struct wl_err *reterr) WL_MUST_CHECK;

/* A file for each selected GPU, in ascending order. */
int wl_export_gpus(const struct wl_export_split *split, struct wl_err *reterr) WL_MUST_CHECK;

#endif

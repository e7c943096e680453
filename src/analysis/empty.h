/* SPDX-License-Identifier: MIT */
/* empty.h - explains why a trace has no rows for a question, quoting the profiler where it can.
 */
#ifndef WL_ANALYSIS_EMPTY_H
#define WL_ANALYSIS_EMPTY_H

#include "analysis/analysis.h"

/*
 * Columns that give the reason. They are wanted only for a trace without GPU operations; if they
 * are not loaded, the reason is shorter.
 */
extern const enum wl_column_id wl_empty_columns[];

/* Fail with WL_E_NODATA: the trace has no rows of this family. */
int wl_fail_empty(const struct wl_trace *t, enum wl_family_id missing, struct wl_err *reterr);

/* Whether the file has rows of any GPU operation, loaded or not. */
bool wl_has_operations(const struct wl_trace *t);

/* Why no GPU work was recorded, and what to do: sentences without a full stop. */
struct wl_no_gpu {
	char reason[480], remedy[240];
};

/* For a trace without GPU operations. */
void wl_why_no_gpu(const struct wl_trace *t, struct wl_no_gpu *ret);

/* The profiler's first warnings and errors about CUDA, each once, at most max. */
size_t wl_messages_about_cuda(const struct wl_trace *t, const char **ret, size_t max);

#endif

/* SPDX-License-Identifier: MIT */
/* trace_readers.h - access rights for output derived from a trace: readers of its files may read
 * it. */
#ifndef WL_MODEL_TRACE_READERS_H
#define WL_MODEL_TRACE_READERS_H

#include "base/file/file.h"
#include "model/trace.h"

/*
 * Add the files of the trace. path is the file the user named; the trace itself may be a temporary
 * export of that report. NULL or a directory adds nothing.
 */
void wl_trace_readers_add(struct wl_file_readers *readers, const struct wl_trace *trace,
			  const char *path);

#endif

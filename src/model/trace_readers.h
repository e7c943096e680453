/* SPDX-License-Identifier: MIT */
/* trace_readers.h - who may read what is written of a trace: those who may read its files. */
#ifndef WL_MODEL_TRACE_READERS_H
#define WL_MODEL_TRACE_READERS_H

#include "base/file/file.h"
#include "model/trace.h"

/*
 * Add the files of the trace. path is what the user named, which the trace need not be: of a report
 * it is a temporary export. NULL, and a directory, add nothing.
 */
void wl_trace_readers_add(struct wl_file_readers *readers, const struct wl_trace *trace,
			  const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * image.h - a trace as arrays of an index file, and back.
 *
 * Columns, strings and catalogue are written as they are in memory, because they hold
 * no pointers. A trace that is read back points into the copy that file.h
 * keeps.
 */
#ifndef WL_INDEX_IMAGE_H
#define WL_INDEX_IMAGE_H

#include "index/file.h"
#include "model/trace.h"

/*
 * A number for the types that an index holds and for the program that writes it: what
 * another program wrote, even if it could be read, may answer otherwise.
 */
uint64_t wl_image_layout(const char *program);

/* Write a trace of which all columns are loaded. */
void wl_image_put(const struct wl_trace *trace, struct wl_index_writer *w);

/*
 * The trace with all that the file has, as pointers to where each array will be. The contents are
 * not checked, only that each array is there and as long as it must be; WL_E_FORMAT else. The
 * path is left out.
 */
int wl_image_get(const struct wl_index_file *file, struct wl_trace *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* "kernels.start", into a buffer of WL_SECTION_NAME bytes. */
void wl_image_column_name(enum wl_column_id column, char *buf);

#endif

/* SPDX-License-Identifier: MIT */
/* write_index.h - builds the index of a trace: "warplens index". */
#ifndef WL_SESSION_WRITE_INDEX_H
#define WL_SESSION_WRITE_INDEX_H

#include "session/open/session.h"

/*
 * Write the index of a trace, in place of the one that may be there. All columns are
 * held in memory meanwhile, and every verb is answered once. WL_E_IO when the trace
 * changes meanwhile; WL_E_OUTPUT when the file cannot be written, which then is as
 * before.
 */
int wl_write_index(const char *path, const struct wl_input_opts *opts,
		   const struct wl_index_opts *index, struct wl_pool *pool,
		   struct wl_err *reterr) WL_MUST_CHECK;

#endif

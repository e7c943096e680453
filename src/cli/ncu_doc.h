/* SPDX-License-Identifier: MIT */
/* ncu_doc.h - a report of Nsight Compute as the document that analyses take (analysis/measured.h).
 */
#ifndef WL_CLI_NCU_DOC_H
#define WL_CLI_NCU_DOC_H

#include "base/memory/arena.h"
#include "base/text/json_read.h"
#include "ncu/ncu.h"

/* Of a file, as wl_ncu_read(). Free the document. */
int wl_ncu_doc_read(const char *path, struct wl_json **ret_doc,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Of what was read of it; name is what messages call it. */
int wl_ncu_doc_make(const char *name, const struct wl_ncu *ncu, struct wl_arena *arena,
		    struct wl_json **ret_doc, struct wl_err *reterr) WL_MUST_CHECK;

#endif

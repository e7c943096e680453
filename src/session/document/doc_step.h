/* SPDX-License-Identifier: MIT */
/* doc_step.h - kinds and lengths of steps, and ranges around them, as a document has them. */
#ifndef WL_SESSION_DOC_STEP_H
#define WL_SESSION_DOC_STEP_H

#include "base/attr.h"
#include "derive/iters/iters.h"
#include "table/document.h"

/* Fill part, outer and has_kinds. False when the arena is exhausted. */
bool wl_doc_step_parts(const struct wl_process_iters *iters, struct wl_arena *arena,
		       struct wl_doc_step *ret) WL_MUST_CHECK;

#endif

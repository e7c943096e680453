/* SPDX-License-Identifier: MIT */
/* doc_frame.h - the frame of a document: trace, selection, windows. */
#ifndef WL_SESSION_DOC_FRAME_H
#define WL_SESSION_DOC_FRAME_H

#include "session/document/plan.h"
#include "table/document.h"

struct wl_iterations;

/* What a frame is made of. Borrowed. */
struct wl_framing {
	const struct wl_trace *trace;
	const char *label; /* how the trace is called; NULL for its path */
	const struct wl_selection *selection;
	const struct wl_scope *scope;
	const struct wl_plan *plan;
	bool in_detail; /* also where and when it was recorded: the document is read on its own */
};

/* Whether the plan speaks of the whole trace, whatever is selected. */
bool wl_frame_is_of_whole(const struct wl_plan *plan);

/*
 * Fill in trace, selection, windows and devices of the document, owned by the
 * arena. Where a selection was given that does not apply, a note says so. False
 * when the arena is exhausted. Linear in the host rows that the plan speaks of.
 */
bool wl_frame_put(const struct wl_framing *framing, struct wl_arena *arena,
		  struct wl_scope_notes *notes, struct wl_document *doc) WL_MUST_CHECK;

/*
 * Where the section, which is the plan, speaks of other times than the document with its head:
 * the window of the section. False when the arena is exhausted. Linear as above.
 */
bool wl_frame_put_section(const struct wl_framing *framing, const struct wl_document *doc,
			  struct wl_arena *arena, struct wl_section *ret) WL_MUST_CHECK;

/*
 * Fill in what a step is, where a table of the document has a note that says so: an answer
 * that speaks of steps has one. False when the arena is exhausted.
 */
bool wl_frame_put_step(const struct wl_trace *trace, const struct wl_iterations *iterations,
		       const struct wl_scope *scope, struct wl_arena *arena,
		       struct wl_document *doc) WL_MUST_CHECK;

#endif

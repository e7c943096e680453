/* SPDX-License-Identifier: MIT */
/* compared.h - the two traces of a page as "warplens diff" compares them. */
#ifndef WL_SERVE_COMPARED_H
#define WL_SERVE_COMPARED_H

#include "compare/diff/diff.h"
#include "serve/shown/show.h"

struct wl_compared {
	struct wl_err refusal; /* code WL_OK: there is none, and the diff is there */
	int refused;           /* the side that it is about; -1: none alone */
	struct wl_fingerprint side[WL_N_SIDES];
	struct wl_diff diff;
};

/*
 * Compare the two traces that are shown, each with the selection and window of its scene, by
 * the threshold that "diff" has by default. Asks their sessions, so it belongs where those
 * are asked. Traces that cannot be compared are a refusal, no failure. Owned by the arena, and
 * borrows from the scenes. WL_E_NOMEM, WL_E_CANCELED.
 */
int wl_compared_make(const struct wl_show *show, struct wl_arena *arena, struct wl_compared *ret,
		     struct wl_err *reterr) WL_MUST_CHECK;

#endif

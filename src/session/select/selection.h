/* SPDX-License-Identifier: MIT */
/*
 * selection.h - resolves --gpu, --pid, --rank, --stream and --window to a scope.
 */
#ifndef WL_SESSION_SELECTION_H
#define WL_SESSION_SELECTION_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"
#include "session/select/scope_notes.h"

/*
 * As written; NULL means no restriction. Lists are separated by commas; numbers
 * take ranges (2..5). gpu also takes PID:ORDINAL and the start of a UUID.
 *
 * A device is selected when an operation ran on it that all lists admit; the
 * host rows of a process count when its pid and rank are admitted and, if gpu or
 * stream is given, an operation of it is.
 */
struct wl_selection {
	const char *gpu, *pid, *rank, *stream, *window;
};

/* Whether it can be resolved at all, as far as that is known without a trace: WL_E_USAGE if not. */
int wl_selection_check(const struct wl_selection *selection, struct wl_arena *arena,
		       struct wl_err *reterr) WL_MUST_CHECK;

/* Add what resolving the selection wants. */
void wl_selection_want(const struct wl_selection *selection, struct wl_wanted *wanted);

/*
 * Whether the rows that are loaded can judge the selection: they have all pids of the list and
 * contain the window. Where they cannot, rows of other tables may match it: rest adds the
 * columns of these, so that what matches is the same for every answer.
 */
bool wl_selection_is_judged(const struct wl_selection *selection, const struct wl_trace *trace);
void wl_selection_rest(struct wl_columns *set);

/*
 * Resolve, by a view that has what wl_selection_want() adds. A malformed list or window is
 * WL_E_USAGE; a list, a window or lists together that name nothing in the trace are WL_E_NOMATCH,
 * with what there is. An element of a list that names nothing while others do is a note. The arrays
 * are owned by the arena.
 */
int wl_selection_resolve(const struct wl_selection *selection, const struct wl_derived *derived,
			 struct wl_arena *arena, struct wl_scope *ret_scope,
			 struct wl_scope_notes *ret_notes, struct wl_err *reterr) WL_MUST_CHECK;

#endif

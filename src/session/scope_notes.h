/* SPDX-License-Identifier: MIT */
/* scope_notes.h - notes that resolving a selection adds to an answer. */
#ifndef WL_SESSION_SCOPE_NOTES_H
#define WL_SESSION_SCOPE_NOTES_H

#include "base/arena.h"
#include "base/attr.h"

struct wl_scope_notes {
	const char *text[8]; /* for people, owned by the arena */
	size_t n;
};

/* Append a note; too many, or no memory, drops it. */
void wl_scope_note(struct wl_scope_notes *notes, struct wl_arena *arena, const char *fmt, ...)
	WL_PRINTF(3, 4);

#endif

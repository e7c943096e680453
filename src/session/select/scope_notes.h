/* SPDX-License-Identifier: MIT */
/* scope_notes.h - notes that resolving a selection adds to an answer. */
#ifndef WL_SESSION_SCOPE_NOTES_H
#define WL_SESSION_SCOPE_NOTES_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/memory/arena.h"

struct wl_scope_notes {
	const char *text[8];  /* for people, owned by the arena */
	bool is_of_steps[8];  /* it says what a step is */
	bool is_of_window[8]; /* it says what the window spans */
	size_t n;
};

/* Append a note; too many, or no memory, drops it. */
void wl_scope_note(struct wl_scope_notes *notes, struct wl_arena *arena, const char *fmt, ...)
	WL_PRINTF(3, 4);

/* The same of a note that says what the window spans. */
void wl_scope_note_window(struct wl_scope_notes *notes, struct wl_arena *arena, const char *text);

/* The same of a note that says what a step is. */
void wl_scope_note_step(struct wl_scope_notes *notes, struct wl_arena *arena, const char *text);

#endif

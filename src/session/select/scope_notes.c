/* SPDX-License-Identifier: MIT */
#include "session/select/scope_notes.h"

#include <stdarg.h>
#include <stdio.h>

void wl_scope_note(struct wl_scope_notes *notes, struct wl_arena *arena, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	/* Notes are advice: the first ones count, and an answer never fails because of one. */
	if (notes->n == WL_COUNT(notes->text))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	notes->text[notes->n] = wl_arena_strdup(arena, buf);
	notes->n += notes->text[notes->n] != NULL;
}

void wl_scope_note_step(struct wl_scope_notes *notes, struct wl_arena *arena, const char *text)
{
	size_t n = notes->n;

	wl_scope_note(notes, arena, "%s", text);
	if (notes->n > n)
		notes->is_of_steps[n] = true;
}

void wl_scope_note_window(struct wl_scope_notes *notes, struct wl_arena *arena, const char *text)
{
	size_t n = notes->n;

	wl_scope_note(notes, arena, "%s", text);
	if (notes->n > n)
		notes->is_of_window[n] = true;
}

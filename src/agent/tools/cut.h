/* SPDX-License-Identifier: MIT */
/* cut.h - makes untrusted text safe for replies: short, without controls and bidirectional marks.

 */
#ifndef WL_AGENT_CUT_H
#define WL_AGENT_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/arena.h"

/*
 * The text with at most cap bytes, ending in an ellipsis if it was cut. Controls except newline,
 * bidirectional marks and malformed bytes become U+FFFD. Returns the text itself if nothing
 * changes, else a copy owned by the arena; NULL if memory runs out.
 */
const char *wl_cut_text(const char *text, size_t cap, struct wl_arena *arena);

/* Whether the text is longer than cap. */
bool wl_cut_is_needed(const char *text, size_t cap);

/*
 * Unescape < > & in JSON: the writer escapes them for HTML, which costs six bytes each in a bounded
 * reply. Works in place; returns the length.
 */
size_t wl_json_relax(char *json, size_t n);

#endif

/* SPDX-License-Identifier: MIT */
/* cut.h - untrusted text for replies: short, and without what a terminal or reader takes as more.
 */
#ifndef WL_AGENT_CUT_H
#define WL_AGENT_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/arena.h"

/*
 * The text with at most cap bytes, an ellipsis at its end where it was cut; controls but newline,
 * bidirectional marks and malformed bytes become U+FFFD. The text itself where nothing changes,
 * else owned by the arena; NULL when that is exhausted.
 */
const char *wl_cut_text(const char *text, size_t cap, struct wl_arena *arena);

/* The text is longer than that. */
bool wl_cut_is_needed(const char *text, size_t cap);

/*
 * Write < > & of JSON as themselves again: the writer escapes them for HTML, which takes six bytes
 * each of a reply that is bounded. In place; returns the length.
 */
size_t wl_json_relax(char *json, size_t n);

#endif

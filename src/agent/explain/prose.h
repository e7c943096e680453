/* SPDX-License-Identifier: MIT */
/*
 * prose.h - a text under construction, in plain Markdown: headings, paragraphs, items and indented
 * code. Errors are sticky: one check after many puts is enough.
 */
#ifndef WL_AGENT_EXPLAIN_PROSE_H
#define WL_AGENT_EXPLAIN_PROSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"

/* Zeroed except for the arena, which owns the text. */
struct wl_prose {
	struct wl_arena *arena;
	char *text; /* terminated; NULL before the first put */
	size_t n, cap;
	bool failed;
};

void wl_prose_put(struct wl_prose *p, const char *s);
void wl_prose_put_n(struct wl_prose *p, const char *s, size_t n);
void wl_prose_say(struct wl_prose *p, const char *fmt, ...) WL_PRINTF(2, 3);

/*
 * Add n bytes of a document as one line of prose: links lose their address, bold its asterisks, a
 * bar its backslash, and line breaks become blanks.
 */
void wl_prose_put_plain(struct wl_prose *p, const char *s, size_t n);

/* The text, or NULL and WL_E_NOMEM if memory ran out. "" for an empty page. */
const char *wl_prose_end(struct wl_prose *p, struct wl_err *reterr) WL_MUST_CHECK;

#endif

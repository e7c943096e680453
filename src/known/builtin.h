/* SPDX-License-Identifier: MIT */
/*
 * builtin.h - documents that are part of the program: src/known/FOLDER/NAME.json, the skills
 * src/known/skills/NAME.md, the pages docs/findings/NAME.md and docs/definitions/NAME.md, the
 * glossary and why-numbers-differ (folder "docs"), the page of folder "web": "page.html",
 * "style.css" and "main.js", which tools/bundle makes, styles and scripts of pages that are made
 * (src/render/pages), and the trace "demo.sqlite" of folder "demo".
 *
 * A new document is a new file there and nothing else. Facts are JSON or Markdown, so that users
 * can take one as the pattern of their own.
 */
#ifndef WL_KNOWN_BUILTIN_H
#define WL_KNOWN_BUILTIN_H

#include <stddef.h>

struct wl_builtin {
	const char *folder, *name;
	const char *text; /* as in the file, and a NUL that size does not count */
	size_t size;
};

/* By folder, then by name, in the order of bytes; folder == NULL ends. Made by tools/embed. */
extern const struct wl_builtin wl_builtins[];

/* The completions, which are made from what the program says of itself; only a whole program has
 * them. */
extern const struct wl_builtin wl_completion_files[];

/* The text of a document and its size, or NULL when there is none of this name. */
const char *wl_builtin_find(const char *folder, const char *name, size_t *ret_size);

/* The i-th name in a folder, in the order of bytes; NULL past the last. */
const char *wl_builtin_name(const char *folder, size_t i);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * head.h - the head of a page as JSON: traces, rows, categories, iterations, findings; see
 * docs/web.md for its keys.
 */
#ifndef WL_SERVE_HEAD_H
#define WL_SERVE_HEAD_H

#include "base/text/json_write.h"
#include "serve/shown/names.h"

struct wl_compared;
struct wl_pack;

struct wl_head {
	const struct wl_show *show;
	const char *program;        /* "warplens 0.1.0" */
	const struct wl_pack *pack; /* of a file; NULL on a server */
	const char *banner;         /* what is not in the file and how to see it; NULL */
	enum wl_naming naming;
	const struct wl_compared *compared; /* of two traces; NULL of one or more */
};

/*
 * Write it. Texts of a trace that is redacted are left out unless they are known to say nothing
 * of who made it: names, paths, host, command line, texts of findings. The arena is for
 * scratch. False without memory.
 */
bool wl_head_write(const struct wl_head *head, struct wl_jsonw *out,
		   struct wl_arena *arena) WL_MUST_CHECK;

#endif

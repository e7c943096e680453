/* SPDX-License-Identifier: MIT */
/* head_parts.h - the parts of the head; the inside of head.c. */
#ifndef WL_SERVE_HEAD_PARTS_H
#define WL_SERVE_HEAD_PARTS_H

#include "serve/page/head.h"

/* Times of a page are since the origin of its trace. */
static inline void wl_head_time(const struct wl_head *head, size_t scene, wl_ns time,
				struct wl_jsonw *out)
{
	wl_jsonw_i64(out, time - wl_show_origin(head->show, scene));
}

/* Members of the head, each with its key. False without memory. */
bool wl_head_traces(const struct wl_head *head, struct wl_jsonw *out,
		    struct wl_arena *arena) WL_MUST_CHECK;
/* Of a trace. */
void wl_head_headline(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		      struct wl_arena *arena);
bool wl_head_lateness(const struct wl_head *head, size_t scene, struct wl_jsonw *out,
		      struct wl_arena *arena) WL_MUST_CHECK;
bool wl_head_tables(const struct wl_head *head, size_t scene, struct wl_jsonw *out,
		    struct wl_arena *arena) WL_MUST_CHECK;
bool wl_head_whatif(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		    struct wl_arena *arena) WL_MUST_CHECK;
bool wl_head_stacks(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		    struct wl_arena *arena) WL_MUST_CHECK;
bool wl_head_rows(const struct wl_head *head, struct wl_jsonw *out,
		  struct wl_arena *arena) WL_MUST_CHECK;
void wl_head_processes(const struct wl_head *head, struct wl_jsonw *out);
void wl_head_devices(const struct wl_head *head, struct wl_jsonw *out);
bool wl_head_compare(const struct wl_head *head, struct wl_jsonw *out,
		     struct wl_arena *arena) WL_MUST_CHECK;
void wl_head_findings(const struct wl_head *head, struct wl_jsonw *out);

#endif

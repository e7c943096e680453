/* SPDX-License-Identifier: MIT */
/* json_copy.h - writes a JSON value that was read, and reads what replies write carelessly. */
#ifndef WL_AGENT_LLM_JSON_COPY_H
#define WL_AGENT_LLM_JSON_COPY_H

#include "base/text/json_read.h"
#include "base/text/json_write.h"

/* The same value: members in their order, numbers as doubles. */
void wl_json_copy(struct wl_jsonw *w, const struct wl_json *v);

/* The same as a text of its own, the caller's to free(); NULL without memory. */
char *wl_json_copy_text(const struct wl_json *v);

/* The string of a member, NULL if it is missing or no text. v may be NULL. */
const char *wl_json_text_of(const struct wl_json *v, const char *key);

/* The number of a member as an integer, 0 where there is none. v may be NULL. */
int64_t wl_json_i64_of(const struct wl_json *v, const char *key);

/* A member; NULL where there is none, where it is null, and where v is NULL. */
const struct wl_json *wl_json_value_of(const struct wl_json *v, const char *key);

#endif

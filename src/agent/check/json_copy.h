/* SPDX-License-Identifier: MIT */
/* json_copy.h - writes parsed JSON values again, and reads members leniently. */
#ifndef WL_AGENT_LLM_JSON_COPY_H
#define WL_AGENT_LLM_JSON_COPY_H

#include "base/text/json_read.h"
#include "base/text/json_write.h"

/* Write the same value: members in their order, numbers as doubles. */
void wl_json_copy(struct wl_jsonw *w, const struct wl_json *v);

/* The same as a separate text, for the caller to free(); NULL if memory runs out. */
char *wl_json_copy_text(const struct wl_json *v);

/* The string of a member, NULL if it is missing or not a string. v may be NULL. */
const char *wl_json_text_of(const struct wl_json *v, const char *key);

/* The number of a member as an integer, 0 if there is none. v may be NULL. */
int64_t wl_json_i64_of(const struct wl_json *v, const char *key);

/* A member; NULL if it is missing or null, or if v is NULL. */
const struct wl_json *wl_json_value_of(const struct wl_json *v, const char *key);

#endif

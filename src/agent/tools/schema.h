/* SPDX-License-Identifier: MIT */
/*
 * schema.h - JSON Schema (2020-12) of arguments and replies.
 *
 * Order of calls: begin; properties; end, which lists the required ones. Uses only what every
 * client's subset has: no root anyOf or oneOf, no references.
 */
#ifndef WL_AGENT_SCHEMA_H
#define WL_AGENT_SCHEMA_H

#include <stdint.h>

#include "base/text/json_write.h"
#include "table/table.h"

/* An object with these properties, and no others if it is closed. */
void wl_schema_begin(struct wl_jsonw *w);
void wl_schema_end(struct wl_jsonw *w, const char *required, bool is_closed);

/* A property of a type of JSON Schema ("string", "integer", "boolean", "object"). */
void wl_schema_put(struct wl_jsonw *w, const char *key, const char *type, const char *help);

/* A text from a list that ends with NULL. */
void wl_schema_enum(struct wl_jsonw *w, const char *key, const char *const *choices,
		    const char *help);

/* A whole number with bounds. */
void wl_schema_range(struct wl_jsonw *w, const char *key, int64_t min, int64_t max,
		     const char *help);

/* A list whose elements are of a type. */
void wl_schema_list(struct wl_jsonw *w, const char *key, const char *type, const char *help);

/* A property that is an object: open it, add its properties, close it. */
void wl_schema_open(struct wl_jsonw *w, const char *key, const char *help);

/* The arguments that select a trace and a part of it; WL_CALL_SELECTION. */
void wl_schema_selection(struct wl_jsonw *w);

/* The reply of reply.h: its rows have some of these columns, or any if cols is NULL. */
void wl_schema_table(struct wl_jsonw *w, const struct wl_col *cols, size_t n);

/* Members of that reply that other replies have, too. */
void wl_schema_window(struct wl_jsonw *w);
void wl_schema_step(struct wl_jsonw *w);

/* Columns and rows alone, as properties. */
void wl_schema_rows(struct wl_jsonw *w, const struct wl_col *cols, size_t n);

#endif

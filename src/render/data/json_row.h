/* SPDX-License-Identifier: MIT */
/* json_row.h - columns, rows and cells as JSON; shared by json, jsonl, streams and pages. */
#ifndef WL_RENDER_JSON_ROW_H
#define WL_RENDER_JSON_ROW_H

#include "base/text/json_write.h"
#include "table/view.h"

/*
 * The first members of every document: "schema", whose keys are only ever added to, and
 * "definitions", which define the numbers (known/definitions.h).
 */
void wl_json_head(struct wl_jsonw *w);

/* The member "columns", which describes each shown column; for a tree, after id and parent. */
void wl_json_columns(struct wl_jsonw *w, const struct wl_view *view);

/* One value in base units; null if not set. */
void wl_json_cell(struct wl_jsonw *w, enum wl_type type, struct wl_cell cell);

/*
 * A row of the view's table, by the keys of the shown columns; for a tree, after id and parent.
 * Values are in base units.
 */
void wl_json_row(struct wl_jsonw *w, const struct wl_view *view, size_t row);

/* "coverage": how much of the data that a table needs is present, as an object. */
void wl_json_put_coverage(struct wl_jsonw *w, const struct wl_table *t);

#endif

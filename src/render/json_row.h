/* json_row.h - one row as a JSON object; shared by json and jsonl. */
#ifndef WL_RENDER_JSON_ROW_H
#define WL_RENDER_JSON_ROW_H

#include "base/json_write.h"
#include "table/view.h"

/*
 * The row at place i of the view: keys of the shown columns, of a tree after id and
 * parent; values in base units.
 */
void wl_json_row(struct wl_jsonw *w, const struct wl_view *view, size_t i);

#endif

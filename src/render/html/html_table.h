/* SPDX-License-Identifier: MIT */
/* html_table.h - the table of a section in an HTML page. */
#ifndef WL_RENDER_HTML_TABLE_H
#define WL_RENDER_HTML_TABLE_H

#include <stdio.h>

#include "base/text/units.h"
#include "table/document.h"

/*
 * Write all rows of the view in a region that scrolls separately. A table with many columns is
 * printed without the minor ones. The section must have a table.
 */
void wl_html_table_put(FILE *out, const struct wl_section *s, enum wl_timeunit unit);

#endif

/* SPDX-License-Identifier: MIT */
/* html_table.h - the table of a section in an HTML page. */
#ifndef WL_RENDER_HTML_TABLE_H
#define WL_RENDER_HTML_TABLE_H

#include <stdio.h>

#include "base/text/units.h"
#include "table/document.h"

/*
 * All rows of the view in a region that scrolls on its own. A table of many columns is
 * printed without those that are minor. The section must not be missing.
 */
void wl_html_table_put(FILE *out, const struct wl_section *s, enum wl_timeunit unit);

#endif

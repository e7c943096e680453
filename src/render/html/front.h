/* SPDX-License-Identifier: MIT */
/*
 * front.h - the first page of a document that is mailed, and its last: the length of a step in
 * large figures, and the definitions of all sections. All but wl_section_put_id() do nothing for
 * documents without a front.
 */
#ifndef WL_RENDER_FRONT_H
#define WL_RENDER_FRONT_H

#include <stdio.h>

#include "base/text/units.h"
#include "table/document.h"

/* The name of a section in links: that of its analysis, numbered from its second section on. */
void wl_section_put_id(FILE *out, const struct wl_document *doc, size_t section);

/* Which section is shown as the i-th: behind the front comes where a step goes. */
size_t wl_front_order(const struct wl_document *doc, size_t i);

/* How long a step is, or without steps how much of the time GPUs compute; the first finding. */
void wl_front_put(FILE *out, const struct wl_document *doc, enum wl_timeunit unit);

/* What each section was derived from, its definition and limits; once for those that share it. */
void wl_front_put_methods(FILE *out, const struct wl_document *doc);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * front.h - the first and last pages of a report: the step time in large figures, and the
 * definitions of all sections. All functions except wl_section_put_id() do nothing for documents
 * without a front.
 */
#ifndef WL_RENDER_FRONT_H
#define WL_RENDER_FRONT_H

#include <stdio.h>

#include "base/text/units.h"
#include "table/document.h"

/* The id of a section in links: its analysis's name, with a number from the second section on. */
void wl_section_put_id(FILE *out, const struct wl_document *doc, size_t section);

/* The section that is shown as the i-th: the step's time budget follows the front page. */
size_t wl_front_order(const struct wl_document *doc, size_t i);

/* The step time (without steps, the compute share of the GPUs) and the first finding. */
void wl_front_put(FILE *out, const struct wl_document *doc, enum wl_timeunit unit);

/* Each section's source, definition and limits, once for sections that share them. */
void wl_front_put_methods(FILE *out, const struct wl_document *doc);

#endif

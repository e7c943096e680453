/* SPDX-License-Identifier: MIT */
/* steps.h - how many steps there are and how long they take, in words. */
#ifndef WL_RENDER_STEPS_H
#define WL_RENDER_STEPS_H

#include "base/text/units.h"
#include "table/document.h"

enum { WL_STEPS_BUF = 400 };

/*
 * "20 steps, median 53.42 ms", "55 decodes, median 1.129 ms; 5 prefills, median 4.068 ms", or
 * "16 steps, median 15.2 ms; in 4 iterations, median 61.4 ms". Returns buf.
 */
const char *wl_steps_say(const struct wl_doc_step *step, enum wl_timeunit unit,
			 char buf[WL_STEPS_BUF]);

/* Those parts alone from the given one on, with a semicolon between: "5 prefills, median 4.068 ms".
 */
const char *wl_steps_say_parts(const struct wl_doc_step *step, size_t from, enum wl_timeunit unit,
			       char buf[WL_STEPS_BUF]);

#endif

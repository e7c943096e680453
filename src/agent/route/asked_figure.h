/* SPDX-License-Identifier: MIT */
/* asked_figure.h - recognizes short questions for a single figure or for yes or no. */
#ifndef WL_AGENT_ROUTE_ASKED_FIGURE_H
#define WL_AGENT_ROUTE_ASKED_FIGURE_H

#include "agent/route/question.h"
#include "agent/route/route_result.h"

/* The verb that has the figure, the options that show it, and what the answer says first; NULL if
 * the question is not of this kind. */
const char *wl_asked_figure_find(const struct wl_question *q, const char **ret_options,
				 enum wl_asked_for *ret_asked);

/* What a longer question to this verb asks for, judging by its words. */
enum wl_asked_for wl_asked_figure_of(const struct wl_question *q, const char *verb);

#endif

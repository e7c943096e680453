/* SPDX-License-Identifier: MIT */
/* asked_figure.h - whether a question asks for one figure, or for yes or no, in so many words. */
#ifndef WL_AGENT_ROUTE_ASKED_FIGURE_H
#define WL_AGENT_ROUTE_ASKED_FIGURE_H

#include "agent/route/question.h"
#include "agent/route/route_result.h"

/* The verb that has the figure, the options that show it, and what is said first; NULL: another
 * question. */
const char *wl_asked_figure_find(const struct wl_question *q, const char **ret_options,
				 enum wl_asked_for *ret_asked);

/* What a longer question for this verb asks for by one of its words. */
enum wl_asked_for wl_asked_figure_of(const struct wl_question *q, const char *verb);

#endif

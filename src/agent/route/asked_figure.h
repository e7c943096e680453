/* SPDX-License-Identifier: MIT */
/* asked_figure.h - whether a question asks for one figure in so many words. */
#ifndef WL_AGENT_ROUTE_ASKED_FIGURE_H
#define WL_AGENT_ROUTE_ASKED_FIGURE_H

#include "agent/route/question.h"

/* The verb that has the figure, and the options that show it; NULL: another question. */
const char *wl_asked_figure_find(const struct wl_question *q, const char **ret_options);

#endif

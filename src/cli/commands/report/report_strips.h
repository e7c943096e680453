/* SPDX-License-Identifier: MIT */
/* report_strips.h - pictures of where the findings of a report are seen. */
#ifndef WL_CLI_REPORT_STRIPS_H
#define WL_CLI_REPORT_STRIPS_H

#include "render/chart/strip.h"
#include "session/open/session.h"

/*
 * By row of a table of findings: the rows of its GPU in the step that shows it; NULL where it has
 * no place. NULL where nothing can be drawn: pictures are no reason to fail. Owned by the arena.
 */
const struct wl_strip *const *wl_report_strips(struct wl_session *session,
					       const struct wl_request *request,
					       const struct wl_table *findings,
					       struct wl_budget *budget, struct wl_arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* collective.h - the collective that an operation is a member of, as JSON. */
#ifndef WL_SERVE_COLLECTIVE_H
#define WL_SERVE_COLLECTIVE_H

#include "serve/answers/answer.h"

/* As docs/web.md has it, with all members that a row shows; null for an event that is of none. */
void wl_collective_put(const struct wl_served *served, const struct wl_asked_row *row, uint32_t ref,
		       struct wl_jsonw *out);

#endif

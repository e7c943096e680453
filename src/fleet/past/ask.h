/* SPDX-License-Identifier: MIT */
/* ask.h - questions to the database whose answers are rows. */
#ifndef WL_FLEET_ASK_H
#define WL_FLEET_ASK_H

#include "base/memory/arena.h"
#include "fleet/store/server.h"

/* Texts of an answer, row by row; they are the arena's. */
struct wl_past_rows {
	char **cell;
	size_t n, width;
};

/* Ask for rows of so many cells. WL_E_FORMAT where the answer has others. */
int wl_past_ask(const struct wl_store *store, const struct wl_text *question, size_t width,
		struct wl_arena *arena, struct wl_past_rows *ret,
		struct wl_err *reterr) WL_MUST_CHECK;

/* The cells of a row. */
static inline char **wl_past_row(const struct wl_past_rows *rows, size_t i)
{
	return rows->cell + i * rows->width;
}

/* What to fail with. */
int wl_past_no_memory(struct wl_err *reterr);

#endif

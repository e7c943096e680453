/* SPDX-License-Identifier: MIT */
/* ask.h - questions to the database whose answers are rows. */
#ifndef WL_FLEET_ASK_H
#define WL_FLEET_ASK_H

#include "base/arena.h"
#include "fleet/store/server.h"
#include "fleet/store/tsv.h"

/* Ask, and copy the answer to the arena, where it is taken apart. */
int wl_past_ask(const struct wl_store *store, const struct wl_text *question,
		struct wl_arena *arena, struct wl_tsv *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* At least as many as the answer has rows. */
size_t wl_past_count_rows(const char *answer);

/* What to fail with. */
int wl_past_no_memory(struct wl_err *reterr);
int wl_past_broken(const struct wl_store *store, struct wl_err *reterr);

#endif

/* SPDX-License-Identifier: MIT */
#include "findings/saves.h"

/* Any factor between 0.5 and 0.8 gives the same order on the real traces that were looked at. */
double wl_saves_score(const struct wl_saves *s)
{
	bool is_bound = s->kind == WL_SAVES_AT_MOST || s->kind == WL_SAVES_NO_BOUND;

	return is_bound ? s->share * 2 / 3 : s->share;
}

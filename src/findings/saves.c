/* SPDX-License-Identifier: MIT */
#include "findings/saves.h"

bool wl_saves_is_upper_bound(const struct wl_saves *s)
{
	return s->kind == WL_SAVES_AT_MOST || s->kind == WL_SAVES_NO_BOUND;
}

/* Any factor between 0.5 and 0.8 gives the same order on the real traces that were looked at. */
double wl_saves_score(const struct wl_saves *s)
{
	return wl_saves_is_upper_bound(s) ? s->share * 2 / 3 : s->share;
}

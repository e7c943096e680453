/* SPDX-License-Identifier: MIT */
/* nearest.h - "did you mean": the offered word that is spelled most like the wanted one. */
#ifndef WL_BASE_NEAREST_H
#define WL_BASE_NEAREST_H

#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_nearest {
	const char *wanted;
	const char *best;
	size_t distance;
};

void wl_nearest_init(struct wl_nearest *n, const char *wanted);
void wl_nearest_offer(struct wl_nearest *n, const char *word);

/* The best offer, or NULL when none is near enough to be meant. */
const char *wl_nearest_get(const struct wl_nearest *n);

/*
 * WL_E_USAGE: WHAT "KEY", which begins with "NAME has no ...", with the nearest of all words and a
 * list of them.
 */
int wl_nearest_refuse(const char *what, const char *key, const char *const *all, size_t n,
		      struct wl_err *reterr) WL_MUST_CHECK;

#endif

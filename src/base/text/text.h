/* SPDX-License-Identifier: MIT */
/* text.h - a growing text with a bound; failure is sticky. */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* Zeroed is empty, with the default bound. */
struct wl_text {
	char *bytes; /* terminated; NULL while empty */
	size_t n;
	size_t cap;
	size_t max;  /* bytes that it may hold; 0: WL_TEXT_MAX */
	bool failed; /* no memory, or above the bound */
};

enum { WL_TEXT_MAX = 4 << 20 };

void wl_text_put(struct wl_text *t, const char *bytes, size_t n);
void wl_text_puts(struct wl_text *t, const char *s);

/* At most 1,023 bytes at a time. */
void wl_text_printf(struct wl_text *t, const char *format, ...) WL_PRINTF(2, 3);

/* Empty it, with its memory kept; a failure is forgotten. */
void wl_text_clear(struct wl_text *t);
void wl_text_release(struct wl_text *t); /* accepts a zeroed one */

/* What it holds, "" where it is empty. */
const char *wl_text_get(const struct wl_text *t);

#endif

/* SPDX-License-Identifier: MIT */
/* page_parts.h - declarations that making and writing a page share. */
#ifndef WL_SERVE_PAGE_PARTS_H
#define WL_SERVE_PAGE_PARTS_H

#include "base/file/sha256.h"
#include "serve/page/page.h"

struct wl_page_out {
	FILE *file;            /* NULL: only count */
	uint64_t n;            /* bytes so far */
	struct wl_sha256 *sum; /* of them; NULL for none */
};

/* All of a file, or of what a server sends where page is NULL. */
void wl_page_put(struct wl_page_out *out, const char *title, const struct wl_page *page);

#endif

/* SPDX-License-Identifier: MIT */
/* bookmarks.h - the bookmarks of a user, by time. */
#ifndef WL_TUI_BOOKMARKS_H
#define WL_TUI_BOOKMARKS_H

#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_json;
struct wl_jsonw;

enum { WL_MAX_BOOKMARKS = 1000 };

struct wl_bookmark {
	wl_ns at;            /* the cursor */
	wl_ns begin, end;    /* the view */
	const char *row;     /* label of the track, "" for none */
	const char *kernel;  /* the event under the cursor, "" for none */
	const char *context; /* NVTX path there, "" for none */
	const char *note;
};

struct wl_bookmarks {
	size_t n;
	struct wl_bookmark at[WL_MAX_BOOKMARKS];
	struct wl_arena arena; /* owns the texts */
};

void wl_bookmarks_init(struct wl_bookmarks *b, struct wl_budget *budget);
void wl_bookmarks_release(struct wl_bookmarks *b);

/* False when there are too many, or without memory. */
bool wl_bookmarks_add(struct wl_bookmarks *b, const struct wl_bookmark *bookmark) WL_MUST_CHECK;
void wl_bookmarks_remove(struct wl_bookmarks *b, size_t i);

/* As an array, and back: malformed members are left out. */
void wl_bookmarks_save(const struct wl_bookmarks *b, struct wl_jsonw *out);
void wl_bookmarks_restore(struct wl_bookmarks *b, const struct wl_json *array);

#endif

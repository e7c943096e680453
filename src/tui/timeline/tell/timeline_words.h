/* SPDX-License-Identifier: MIT */
/* timeline_words.h - the words and numbers in the lines of the detail pane. */
#ifndef WL_TUI_TIMELINE_WORDS_H
#define WL_TUI_TIMELINE_WORDS_H

#include "tui/timeline/tell/timeline_tell.h"

/* A line of the pane in the making. */
struct wl_detail_line {
	struct wl_text_buf left, right;
};

/* Begin the next line; there is no more room than WL_DETAIL_LINES, then the last begins again. */
struct wl_detail_line wl_detail_next(struct wl_detail *d);

/* Append a length; "G0 S20", or "GPU 0  ctx 1  stream 20"; "tid 4000", with its name if wide. */
void wl_tell_ns(struct wl_text_buf *w, const char *before, wl_ns ns);
void wl_tell_place(struct wl_text_buf *w, const struct wl_trace *t, uint32_t place, bool wide);
void wl_tell_thread(struct wl_text_buf *w, const struct wl_trace *t, uint32_t thread, bool wide);

/* A time and where it is in the iteration: "1.073412s (it 12 + 46.9ms)". */
void wl_tell_time(struct wl_timeline *t, struct wl_text_buf *w, wl_ns time);

/* Which call launched an operation, how long before, and how long it was queued. */
void wl_tell_launch(struct wl_timeline *t, struct wl_text_buf *w, const struct wl_op_details *op,
		    bool wide);

/* The path of a node of the forest, which may be open on another thread. */
void wl_tell_path(struct wl_timeline *t, struct wl_text_buf *w, uint32_t node, bool is_bridged);

/* What is no operation, call or range: rows that were derived, calls of the system, nothing. */
void wl_detail_row(struct wl_timeline *t, const struct wl_pick *pick, bool wide,
		   struct wl_detail *d);
void wl_detail_host(struct wl_timeline *t, const struct wl_pick *pick, const char *what,
		    struct wl_detail *d);
void wl_detail_nothing(struct wl_timeline *t, bool wide, struct wl_detail *d);

#endif

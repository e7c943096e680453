/* SPDX-License-Identifier: MIT */
/* frame.h - the frame of an answer in words, for text, md and html. */
#ifndef WL_RENDER_FRAME_H
#define WL_RENDER_FRAME_H

#include "render/render.h"

enum { WL_FRAME_PARTS = 4, WL_FRAME_BUF = 256 };

/* Trace, devices, selection and window, those that apply. The path is borrowed from the document.
 */
struct wl_frame {
	const char *part[WL_FRAME_PARTS];
	size_t n;
	char devices[WL_FRAME_BUF], selection[WL_FRAME_BUF], window[WL_FRAME_BUF];
};

/*
 * Of how many traces the document speaks, and the i-th of them as a document whose
 * frame is that of this trace alone; for one trace it is the document itself.
 */
size_t wl_frame_n_traces(const struct wl_document *doc);
const struct wl_document *wl_frame_trace(const struct wl_document *doc, size_t i);

/* The frame of one trace; others that the document has are not looked at. */
void wl_frame_init(struct wl_frame *f, const struct wl_document *doc, enum wl_timeunit unit);

/* "window 3 s (39 s to 42 s)" of a section that has another than its document, or false. */
bool wl_frame_section_window(const struct wl_section *s, enum wl_timeunit unit,
			     char buf[WL_FRAME_BUF]);

/* end - begin, at most INT64_MAX. */
int64_t wl_frame_length(struct wl_doc_window w);

/*
 * "attributed kernels 97.2% (972 of 1000)", or NULL when the coverage is complete.
 * Rounded, but never up to 100%: a lower share never reads as 100%.
 */
const char *wl_frame_coverage(const struct wl_coverage *c, char buf[WL_FRAME_BUF]);

/*
 * As lines of text: of one or two traces path, devices and window of each, of more one line for
 * all; each incomplete coverage; each note.
 */
void wl_frame_put_head(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out);
void wl_frame_put_coverage(const struct wl_table *t, const struct wl_render_opts *opts, FILE *out);
void wl_frame_put_notes(const struct wl_table *t, const struct wl_render_opts *opts, FILE *out);

/* The table of a section, or NULL when the section is missing. */
const struct wl_table *wl_section_table(const struct wl_section *s);

/* The section that a format without sections prints, or NULL. */
const struct wl_section *wl_first_section(const struct wl_document *doc);

#endif

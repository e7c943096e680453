/* SPDX-License-Identifier: MIT */
/*
 * sse.h - parses server-sent events from a stream that arrives in pieces of any size.
 *
 * Lines end with LF, CR or CRLF, even if CR and LF are in different pieces. An event's data lines
 * are joined by newlines; comments and fields other than event and data are skipped; an initial
 * byte order mark is not part of a line. An event without a blank line at its end is dropped.
 */
#ifndef WL_AGENT_LLM_SSE_H
#define WL_AGENT_LLM_SSE_H

#include "base/text/text.h"

enum { WL_SSE_NAME_CAP = 64 };

struct wl_sse {
	/* Called for each event with data; name is "" if the stream gives none. False: stop. */
	bool (*event)(void *context, const char *name, const char *data, size_t n);
	void *context;
	/* Private, zeroed initially. */
	struct wl_text line, data;
	char name[WL_SSE_NAME_CAP];
	bool has_data, after_cr, started, stopped;
};

/*
 * Take the next piece. False once event has returned false, or if a line or an event exceeds the
 * bound of a text; the rest is then refused as well.
 */
bool wl_sse_take(struct wl_sse *s, const char *bytes, size_t n);
void wl_sse_release(struct wl_sse *s); /* accepts a zeroed struct */

#endif

/* SPDX-License-Identifier: MIT */
/*
 * sse.h - server-sent events out of a stream that arrives in pieces of any size.
 *
 * Lines end with LF, CR or CRLF, also where these are in two pieces. Lines of data of one event
 * are joined by a newline; comments and fields other than event and data are skipped; a byte
 * order mark at the begin is no part of a line. An event that no blank line ends is not one.
 */
#ifndef WL_AGENT_LLM_SSE_H
#define WL_AGENT_LLM_SSE_H

#include "base/text/text.h"

enum { WL_SSE_NAME_CAP = 64 };

struct wl_sse {
	/* Called for each event with data; name is "" where the stream gives none. False stops. */
	bool (*event)(void *context, const char *name, const char *data, size_t n);
	void *context;
	/* Private, zeroed at the begin. */
	struct wl_text line, data;
	char name[WL_SSE_NAME_CAP];
	bool has_data, after_cr, started, stopped;
};

/*
 * Take the next piece. False once event has returned false, or when a line or an event is above
 * the bound of a text; then the rest is refused as well.
 */
bool wl_sse_take(struct wl_sse *s, const char *bytes, size_t n);
void wl_sse_release(struct wl_sse *s); /* accepts a zeroed one */

#endif

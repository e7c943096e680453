/* SPDX-License-Identifier: MIT */
/*
 * routes.h - maps a path to the function that answers: no sockets, so that tests and
 * fuzzers ask as clients do.
 */
#ifndef WL_SERVE_ROUTES_H
#define WL_SERVE_ROUTES_H

#include "serve/answers/answer.h"

struct wl_route {
	const char *path; /* behind the token, without a slash; "" is the page */
	const char *keys; /* parameters it takes, separated by blanks */
	bool early;       /* answers also while traces are loaded */
	bool slow;        /* asks a session or looks at all events: only in the line */
	wl_answer_fn_of *answer;
};

/* The reply, status 503, of all routes that are not early while traces are loaded. */
#define WL_STILL_READING "the trace is still being read; see progress"

/* NULL where there is none. */
const struct wl_route *wl_route_find(const char *path);

enum { WL_FILE_QUERY_BUF = 128 };

/*
 * "export/perfetto/A-B/TRACE.pftrace", for a client that takes no question mark: true, and
 * the query that asks export for the same. False for any other path.
 */
bool wl_route_parse_file(const char *path, char ret_query[WL_FILE_QUERY_BUF]);

/*
 * Answer; query is what follows the question mark, NULL for nothing. Failures are answers,
 * too. Any thread for those that are not slow; a slow one only in the line. Release *ret.
 */
void wl_route_ask(const struct wl_route *route, struct wl_served *served, const char *query,
		  struct wl_answer *ret);

#endif

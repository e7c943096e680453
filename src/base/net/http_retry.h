/* SPDX-License-Identifier: MIT */
/* http_retry.h - when a request is sent again, and how long to wait before. */
#ifndef WL_BASE_HTTP_RETRY_H
#define WL_BASE_HTTP_RETRY_H

#include "base/net/http.h"

enum { WL_HTTP_RETRIES = 2 };

/* What happened to a request. */
struct wl_http_outcome {
	int result;                       /* of wl_http_post, or of reading the reply */
	const struct wl_http_reply *http; /* status 0 where none came */
	int attempt;                      /* 0 for the first */
	int most;                         /* retries; 0: WL_HTTP_RETRIES */
	int64_t now_ms;                   /* since 1970, for dates */
	double chance;                    /* in [0, 1), so that clients do not come back together */
};

/*
 * Whether to send it again: statuses 408, 409, 429 and 500 or more, no connection, silence and
 * broken replies, unless the server says otherwise (x-should-retry); at most that many times.
 * Nothing of a reply is shown before it is complete, so a broken one may be asked for again. *ret
 * gets the seconds to wait: what the server asks for if that is a minute at most, else half a
 * second, doubled with each attempt and up to 8, less up to a quarter by chance. A server that asks
 * for more is not asked again.
 */
bool wl_http_should_retry(const struct wl_http_outcome *o, double *ret_seconds);

/* The same for a request that ended just now: now_ms and chance are those of the clock. */
bool wl_http_retry_now(struct wl_http_outcome o, double *ret_seconds);

/* Sleep; WL_E_CANCELED once cancel, which may be NULL, is not zero. */
int wl_http_wait(double seconds, const atomic_int *cancel, struct wl_err *reterr) WL_MUST_CHECK;

#endif

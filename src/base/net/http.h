/* SPDX-License-Identifier: MIT */
/*
 * http.h - an HTTP client for one POST at a time.
 *
 * It talks to a server that the user named, and to no other: no redirects, no proxies, cookies or
 * passwords from the surroundings. Requests may carry a key, so plain http goes to this machine
 * only, where the peer's address is checked as well, and https verifies the certificate.
 */
#ifndef WL_BASE_HTTP_H
#define WL_BASE_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_HTTP_MAX_HEADERS = 8, WL_HTTP_HEADER_CAP = 128 };

struct wl_http_post {
	const char *url;
	const char *ca_file; /* certificates that are trusted in place of the system's; or NULL */
	const char *content_type;                /* of the body; NULL: application/json */
	const char *header[WL_HTTP_MAX_HEADERS]; /* "name: value"; NULL ends */
	const char *body;
	size_t n_body;
	long connect_seconds;     /* 0: 10 */
	long idle_seconds;        /* without a byte before giving up; 0: 60 */
	long total_seconds;       /* 0: 600 */
	size_t max_bytes;         /* of the reply's body; 0: 16 MiB */
	const atomic_int *cancel; /* stop once it is not zero; may be NULL */

	/* Takes the body as it arrives, in pieces of any size; false ends the transfer. */
	bool (*take)(void *context, int status, const char *bytes, size_t n);
	void *context;
};

/* What a reply says beside its body. Texts are cut to their size, and "" where absent. */
struct wl_http_reply {
	int status;
	char content_type[WL_HTTP_HEADER_CAP];
	char retry_after[WL_HTTP_HEADER_CAP];    /* seconds, or a date */
	char retry_after_ms[WL_HTTP_HEADER_CAP]; /* milliseconds */
	char should_retry[WL_HTTP_HEADER_CAP];   /* x-should-retry: "true" or "false" */
};

/*
 * Send and receive. Any status of the server is a success of this call. WL_E_USAGE for a URL that
 * is refused, WL_E_CANCELED, WL_E_TIMEOUT, WL_E_FORMAT for a body above max_bytes or one that
 * take refused or that ended early, WL_E_IO for everything else, such as no connection; then *ret
 * is still written, with status 0 where none came. The message never holds a header or the body.
 */
int wl_http_post(const struct wl_http_post *post, struct wl_http_reply *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* WL_OK if a request may go to this URL, WL_E_USAGE with the reason otherwise. No network. */
int wl_http_check_url(const char *url, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Seconds until a date such as "Wed, 21 Oct 2026 07:28:00 GMT", counted from now (milliseconds
 * since 1970); false for anything else. 0 for a date that is over.
 */
bool wl_http_date_wait(const char *date, int64_t now_ms, double *ret_seconds);

#endif

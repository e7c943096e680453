/* SPDX-License-Identifier: MIT */
/*
 * server.h - statements to ClickHouse over HTTP.
 *
 * Statements are in the dialect that servers speak since 18.16. What newer ones add is used by
 * their version.
 */
#ifndef WL_FLEET_SERVER_H
#define WL_FLEET_SERVER_H

#include <stdatomic.h>

#include "base/net/http.h"
#include "base/text/text.h"

enum { WL_STORE_SERVERS = 64, WL_STORE_ANSWER = 256 << 20, WL_STORE_RETRIES = 5 };

/* All texts are the caller's. */
struct wl_store {
	const char *url[WL_STORE_SERVERS]; /* "https://HOST:8443"; data and questions: the first */
	size_t n_urls;
	const char *database;        /* a name that wl_store_is_name() accepts */
	const char *cluster;         /* such a name; NULL: a single server */
	const char *user, *password; /* NULL: the server's default user */
	const char *ca_file;
	const atomic_int *cancel;
	int retries; /* 0: WL_STORE_RETRIES, which takes 16 seconds; below 0: none */

	/* In place of wl_http_post; NULL in use. */
	int (*post)(const struct wl_http_post *, struct wl_http_reply *, struct wl_err *);

	unsigned version; /* of the first server, 18016 for 18.16; 0: not asked */
};

/*
 * The first version whose codecs, dictionaries of names, times, limits of age and tokens of inserts
 * are used (22.3, of 2022). Older ones get the common dialect.
 */
enum { WL_STORE_MODERN = 22003 };

/* Letters, digits and underscores, 1 to 64, that do not begin with a digit. */
bool wl_store_is_name(const char *name);

/*
 * One statement on one server. answer, which may be NULL, gets what it returns. WL_E_IO with the
 * server's words where it refuses or cannot be reached. Statements that fail for a reason that
 * passes, such as no connection or too many parts, are sent again; they must allow that. No message
 * holds a password.
 */
int wl_store_ask(const struct wl_store *store, size_t server, const char *statement,
		 struct wl_text *answer, struct wl_err *reterr) WL_MUST_CHECK;

/* Rows for "INSERT INTO ... FORMAT ...", on the first server. token names them, and may be NULL. */
int wl_store_insert(const struct wl_store *store, const char *statement, const void *rows, size_t n,
		    const char *token, struct wl_err *reterr) WL_MUST_CHECK;

/* Ask the first server for its version. */
int wl_store_connect(struct wl_store *store, struct wl_err *reterr) WL_MUST_CHECK;

/* 'text' as a literal, with quotes and escapes. */
void wl_store_quote(struct wl_text *to, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* httpd_parts.h - a request on its way through the server; for the sources of httpd.h alone. */
#ifndef WL_SERVE_HTTPD_PARTS_H
#define WL_SERVE_HTTPD_PARTS_H

#include <microhttpd.h>

#include "serve/http/clients.h"
#include "serve/http/httpd.h"
#include "serve/http/routes.h"

struct wl_httpd {
	struct wl_httpd_opts opts;
	struct MHD_Daemon *daemon;
	struct wl_clients clients;
	atomic_size_t held;
	atomic_int files;
};

struct wl_caller;

/* A request from its first line to the last byte of its answer. */
struct wl_http_request {
	struct wl_httpd *httpd;
	struct MHD_Connection *connection;
	struct wl_caller *caller;
	char *uri;         /* as sent */
	int step;          /* how often the library has come */
	bool is_perfetto;  /* of Perfetto's page */
	bool is_preflight; /* asks whether it may ask */
	bool is_file;      /* a path in place of a query */
	const struct wl_route *route;
	const char *query; /* in uri or file_query; NULL for none */
	char file_query[WL_FILE_QUERY_BUF];
	struct wl_answer answer;
	size_t held; /* bytes of the answer that count */
	int files;
};

/*
 * A connection. Its requests, one after the other, live in it, because the library does not
 * tell of the end of one that it refuses itself.
 */
struct wl_caller {
	struct wl_client client;
	bool is_remote;
	struct wl_http_request request;
};

/* A field of the request; NULL where it is not there. */
const char *wl_http_field(const struct wl_http_request *q, const char *name);

/* When that many seconds are over. */
int64_t wl_seconds_from_now(uint64_t seconds);

/* What is sent no longer counts: all of it is, or will never be. */
void wl_http_let_go(struct wl_http_request *q);

/* Hand the answer to the library, which sends it, and let go of it. */
enum MHD_Result wl_http_send(struct wl_http_request *q);
enum MHD_Result wl_http_refuse(struct wl_http_request *q, int status, const char *msg);
enum MHD_Result wl_http_redirect_to_slash(struct wl_http_request *q);

#endif

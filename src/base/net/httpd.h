/* SPDX-License-Identifier: MIT */
/*
 * httpd.h - a server of HTTP: connections with their deadlines, requests as plain structures, and
 * the fields that every answer has.
 *
 * Requests are bounded in size, number and time. A handler gets each of them before its body comes,
 * and once it is whole; a call of it that returns false drops the connection.
 */
#ifndef WL_BASE_HTTPD_H
#define WL_BASE_HTTPD_H

#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/net/access.h"
#include "base/net/clients.h"

struct MHD_Connection;
struct wl_httpd;

enum {
	WL_HTTP_OK = 200,
	WL_HTTP_ACCEPTED = 202,
	WL_HTTP_NO_CONTENT = 204,
	WL_HTTP_FOUND = 302,
	WL_HTTP_BAD_REQUEST = 400,
	WL_HTTP_FORBIDDEN = 403,
	WL_HTTP_NOT_FOUND = 404,
	WL_HTTP_NO_METHOD = 405,
	WL_HTTP_URI_TOO_LONG = 414,
	WL_HTTP_MEDIA_TYPE = 415,
	WL_HTTP_UNAVAILABLE = 503,
};

/* A request from its first line to the last byte of its answer. */
struct wl_http_request {
	struct wl_httpd *httpd;
	struct wl_clients *clients;
	struct wl_client *client; /* the connection */
	bool is_remote;           /* it comes from another machine */
	const char *method;       /* during the check */
	char *uri;                /* as sent; NULL without memory */
	char *body;               /* NULL for none */
	size_t n, cap;
	void *ctx; /* the handler's, of all requests */
	void *own; /* the handler's, of this one; NULL at first */
	/* The server's. */
	struct MHD_Connection *connection;
	int step; /* how often the library has come for it */
};

struct wl_http_handler {
	/* The line and the fields are there. An answer that is sent now is the last one. */
	bool (*check)(struct wl_http_request *q);
	/* All of it is there. */
	bool (*answer)(struct wl_http_request *q);
	/* It was suspended and is resumed. NULL where that is never done. */
	bool (*resumed)(struct wl_http_request *q);
	/* It is over, or the client has left; called where own is not NULL. */
	void (*end)(struct wl_http_request *q);
};

struct wl_httpd_opts {
	const char *address; /* a number, as 127.0.0.1 or ::1 */
	uint16_t port;       /* 0: any */
	/* That answer; 0: each connection has one, which may wait, and none is suspended. */
	unsigned n_threads;
	/* The port of it is set here to the one that is listened on; the rest is the caller's. */
	struct wl_access *access;
	const char *methods; /* for who uses another one */
	unsigned connections, idle_seconds;
	unsigned of_one;          /* connections of one address, where they come over a network */
	unsigned request_seconds; /* from the last answer to the end of a request */
	size_t crowd, known;      /* beyond these, strangers and slow readers make room */
	size_t body;              /* bytes; a longer one drops the connection */
	const struct wl_http_handler *handler;
	void *ctx; /* its own */
};

/* Listen and answer until the close. WL_E_USAGE for an address or port that cannot be had. */
int wl_httpd_open(const struct wl_httpd_opts *opts, struct wl_httpd **ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* End connections whose time is over; to be called some times a second, by one thread. */
void wl_httpd_tend(struct wl_httpd *httpd);

struct wl_clients *wl_httpd_clients(struct wl_httpd *httpd);

/* Stop answering; no request may wait. Accepts NULL. */
void wl_httpd_close(struct wl_httpd *httpd);

/* ---- Requests ---- */

/* A field; NULL where it is not there. */
const char *wl_http_field(const struct wl_http_request *q, const char *name);

/* It has one Host, which is this server, and no two Origins, which could be read in two ways. */
bool wl_http_has_host(const struct wl_http_request *q);

/* It has shown the secret: slow ones of its kind make room. */
void wl_http_set_known(struct wl_http_request *q);

/* It waits for another thread, which resumes it. */
void wl_http_suspend(struct wl_http_request *q);
void wl_http_resume(struct wl_http_request *q);

/* ---- Answers ---- */

struct wl_http_pair {
	const char *name, *value;
};

/* What comes bit by bit. read waits until there is something, and is -1 at the end. */
struct wl_http_source {
	ssize_t (*read)(void *ctx, uint64_t pos, char *buf, size_t max);
	void (*end)(void *ctx); /* also where nothing was read; NULL: there is no source */
	void *ctx;
};

struct wl_http_answer {
	int status;
	const char *type;   /* NULL: none */
	const char *policy; /* of the content; NULL: it may do nothing */
	char *bytes;        /* becomes the server's to free() */
	size_t n;           /* bytes, also of the file */
	bool is_file;       /* a file in place of bytes: fd, which becomes the server's */
	int fd;
	struct wl_http_source source;
	const struct wl_http_pair *fields; /* further ones; name == NULL ends; NULL: none */
};

/* Send; false where it cannot be. */
bool wl_http_send(struct wl_http_request *q, const struct wl_http_answer *answer);

#endif

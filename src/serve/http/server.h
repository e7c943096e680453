/* SPDX-License-Identifier: MIT */
/*
 * server.h - the server of the page: requests over HTTP, each handed to its route.
 *
 * GET and HEAD only, bounded in size, number and time. A route that is slow waits in the
 * queue of what is served and holds no thread meanwhile. Answers to other machines are
 * compressed where they ask for it.
 */
#ifndef WL_SERVE_SERVER_H
#define WL_SERVE_SERVER_H

#include "base/net/access.h"
#include "serve/answers/served.h"

struct wl_server;

struct wl_server_opts {
	const char *address; /* a number, as 127.0.0.1 or ::1 */
	uint16_t port;       /* 0: any */
	unsigned n_threads;  /* that answer */
	/* The port of it is set here to the one that is listened on; the rest is the caller's. */
	struct wl_access *access;
	struct wl_served *served;
};

/* Listen and answer until the close. WL_E_USAGE for an address or port that cannot be had. */
int wl_server_open(const struct wl_server_opts *opts, struct wl_server **ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Called now and then, some times a second, by one thread: ends connections whose time is
 * over, and takes the questions of clients who have left out of the line.
 */
void wl_server_tend(struct wl_server *server);

/* Stop answering. wl_served_stop() comes before, so that no request waits. Accepts NULL. */
void wl_server_close(struct wl_server *server);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * clients.h - the connections of a server, with their deadlines.
 *
 * A client that sends a byte now and then, or reads one, is never idle; so there is a
 * moment by which a request must be whole and one by which its answer must be read. When there are
 * many, a client that has not shown the secret makes room for a new one, and the slowest of those
 * that have shown it for another one that does. So there is room for both kinds, always. A client
 * that waits for an answer is left alone.
 *
 * Any thread may call any function. Times are those of wl_clock_wall_ns().
 */
#ifndef WL_BASE_CLIENTS_H
#define WL_BASE_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/lock.h"

/* One connection; all of it is the list's but fd, which is constant. */
struct wl_client {
	int fd;
	bool is_known;  /* has shown the secret */
	bool is_ended;  /* was asked to end, and will */
	int64_t until;  /* when it is ended; INT64_MAX for never */
	void *question; /* its request that waits for an answer; NULL for none */
	struct wl_client *before, *after;
};

struct wl_clients {
	struct wl_lock *lock;           /* of all below, and of what the clients hold */
	struct wl_client *first, *last; /* in order of arrival */
	size_t n, n_known;              /* that are not ended */
	void *current;                  /* the question that is being answered; NULL for none */
};

bool wl_clients_init(struct wl_clients *c) WL_MUST_CHECK; /* false without memory */
void wl_clients_release(struct wl_clients *c);            /* accepts a zeroed one */

/* Told to end a connection; the list is locked meanwhile. */
typedef void wl_client_end_fn(struct wl_client *client);

/*
 * A new one, which the caller owns until the remove. Where there are then more than most, the
 * oldest one that is not known and has not sent a whole request is ended.
 */
void wl_clients_add(struct wl_clients *c, struct wl_client *client, int64_t until, size_t most,
		    wl_client_end_fn *end);
void wl_clients_remove(struct wl_clients *c, struct wl_client *client);

/* It is now to be done with what it does by then. */
void wl_clients_set_until(struct wl_clients *c, struct wl_client *client, int64_t until);

/*
 * It has shown the secret. Where more than most have, the one of them that has taken longest to
 * read its answer or to ask again is ended.
 */
void wl_clients_set_known(struct wl_clients *c, struct wl_client *client, size_t most,
			  wl_client_end_fn *end);

/* End those whose time is over. */
void wl_clients_end_late(struct wl_clients *c, int64_t now, wl_client_end_fn *end);

/* Its question waits from now on, without a limit of time. */
void wl_clients_ask(struct wl_clients *c, struct wl_client *client, void *question);

/* The question is being answered. */
void wl_clients_begin(struct wl_clients *c, void *question);

/* It has been, or will not be. Afterwards no function is called with the question any more. */
void wl_clients_answered(struct wl_clients *c, struct wl_client *client);

/* Told of a client whose question waits or is being answered; the list is locked meanwhile. */
typedef void wl_client_visit_fn(void *ctx, struct wl_client *client, bool is_current);

void wl_clients_visit_asking(struct wl_clients *c, wl_client_visit_fn *fn, void *ctx);

#endif

/* SPDX-License-Identifier: MIT */
#include "base/net/clients.h"

bool wl_clients_init(struct wl_clients *c)
{
	*c = (struct wl_clients){ .lock = wl_lock_new() };
	return c->lock != NULL;
}

void wl_clients_release(struct wl_clients *c)
{
	wl_lock_free(c->lock);
	*c = (struct wl_clients){ .lock = NULL };
}

static void end_one(struct wl_clients *c, struct wl_client *client, wl_client_end_fn *end)
{
	client->is_ended = true;
	c->n--;
	c->n_known -= client->is_known;
	end(client);
}

/* Clients are listed in the order in which they came. */
static struct wl_client *oldest_stranger(const struct wl_clients *c)
{
	struct wl_client *at = c->first;

	while (at && (at->is_known || at->is_ended || at->question))
		at = at->after;
	return at;
}

/* The one that has taken longest to read its answer or to ask again. */
static struct wl_client *slowest_known(const struct wl_clients *c, const struct wl_client *but)
{
	struct wl_client *slowest = NULL;

	for (struct wl_client *at = c->first; at; at = at->after) {
		if (at->is_known && at != but && !at->is_ended && !at->question &&
		    (!slowest || at->until < slowest->until))
			slowest = at;
	}
	return slowest;
}

void wl_clients_add(struct wl_clients *c, struct wl_client *client, int64_t until, size_t most,
		    wl_client_end_fn *end)
{
	struct wl_client *stranger;

	wl_lock_take(c->lock);
	client->until = until;
	client->before = c->last;
	*(c->last ? &c->last->after : &c->first) = client;
	c->last = client;
	c->n++;
	stranger = c->n > most ? oldest_stranger(c) : NULL;
	if (stranger)
		end_one(c, stranger, end);
	wl_lock_give(c->lock);
}

void wl_clients_remove(struct wl_clients *c, struct wl_client *client)
{
	wl_lock_take(c->lock);
	*(client->before ? &client->before->after : &c->first) = client->after;
	*(client->after ? &client->after->before : &c->last) = client->before;
	/*
	 * One that was ended is not counted any more, but stays in the list until its connection is
	 * gone.
	 */
	c->n -= !client->is_ended;
	c->n_known -= client->is_known && !client->is_ended;
	wl_lock_give(c->lock);
}

void wl_clients_set_until(struct wl_clients *c, struct wl_client *client, int64_t until)
{
	wl_lock_take(c->lock);
	client->until = until;
	wl_lock_give(c->lock);
}

void wl_clients_set_known(struct wl_clients *c, struct wl_client *client, size_t most,
			  wl_client_end_fn *end)
{
	struct wl_client *slowest = NULL;

	wl_lock_take(c->lock);
	if (!client->is_known && !client->is_ended && ++c->n_known > most)
		slowest = slowest_known(c, client);
	client->is_known = true;
	if (slowest)
		end_one(c, slowest, end);
	wl_lock_give(c->lock);
}

void wl_clients_end_late(struct wl_clients *c, int64_t now, wl_client_end_fn *end)
{
	wl_lock_take(c->lock);
	/* Linear under the lock: there are at most some hundred connections. */
	for (struct wl_client *at = c->first; at; at = at->after) {
		if (!at->is_ended && at->until < now)
			end_one(c, at, end);
	}
	wl_lock_give(c->lock);
}

void wl_clients_ask(struct wl_clients *c, struct wl_client *client, void *question)
{
	wl_lock_take(c->lock);
	client->question = question;
	/* A question takes as long as it takes; the deadline of reading begins with the answer. */
	client->until = INT64_MAX;
	wl_lock_give(c->lock);
}

void wl_clients_begin(struct wl_clients *c, void *question)
{
	wl_lock_take(c->lock);
	c->current = question;
	wl_lock_give(c->lock);
}

void wl_clients_answered(struct wl_clients *c, struct wl_client *client)
{
	wl_lock_take(c->lock);
	if (c->current == client->question)
		c->current = NULL;
	client->question = NULL;
	wl_lock_give(c->lock);
}

void wl_clients_visit_asking(struct wl_clients *c, wl_client_visit_fn *fn, void *ctx)
{
	wl_lock_take(c->lock);
	for (struct wl_client *at = c->first; at; at = at->after) {
		if (at->question)
			fn(ctx, at, at->question == c->current);
	}
	wl_lock_give(c->lock);
}

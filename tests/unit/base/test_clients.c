/* SPDX-License-Identifier: MIT */
#include "base/net/clients.h"

#include "support/unit.h"

enum { MOST = 3 };

/* Connections and what became of them: a client is ended by setting its fd to -1. */
static void end(struct wl_client *client)
{
	client->fd = -1;
}

static void add(struct wl_clients *c, struct wl_client *client, int64_t until)
{
	*client = (struct wl_client){ .fd = 1 };
	wl_clients_add(c, client, until, MOST, end);
}

TEST(who_is_late_is_ended_once)
{
	struct wl_client a, b;
	struct wl_clients c;

	assert_true(wl_clients_init(&c));
	add(&c, &a, 10);
	add(&c, &b, 20);
	wl_clients_end_late(&c, 10, end);
	assert_int_equal(a.fd, 1);
	wl_clients_end_late(&c, 11, end);
	assert_int_equal(a.fd, -1);
	assert_int_equal(b.fd, 1);
	a.fd = 1;
	wl_clients_end_late(&c, 12, end);
	assert_int_equal(a.fd, 1);
	wl_clients_set_until(&c, &b, INT64_MAX);
	wl_clients_end_late(&c, 1000, end);
	assert_int_equal(b.fd, 1);
	assert_int_equal(c.n, 1);
	wl_clients_remove(&c, &a);
	wl_clients_remove(&c, &b);
	assert_int_equal(c.n, 0);
	assert_null(c.first);
	assert_null(c.last);
	wl_clients_release(&c);
}

TEST(strangers_make_room_oldest_first)
{
	struct wl_client client[6];
	struct wl_clients c;

	assert_true(wl_clients_init(&c));
	for (int i = 0; i < MOST; i++)
		add(&c, &client[i], 10);
	wl_clients_set_known(&c, &client[0], MOST, end);
	add(&c, &client[3], 10);
	assert_int_equal(client[0].fd, 1);
	assert_int_equal(client[1].fd, -1);
	add(&c, &client[4], 10);
	assert_int_equal(client[2].fd, -1);
	for (int i = 3; i < 5; i++)
		wl_clients_set_known(&c, &client[i], MOST, end);
	/* Among friends only the newcomer is a stranger. */
	add(&c, &client[5], 10);
	assert_int_equal(client[5].fd, -1);
	assert_int_equal(c.n, MOST);
	for (int i = 0; i < 6; i++)
		wl_clients_remove(&c, &client[i]);
	assert_int_equal(c.n, 0);
	wl_clients_release(&c);
}

TEST(slow_ones_make_room_for_another_that_is_known)
{
	struct wl_client client[5];
	struct wl_clients c;
	int question;

	assert_true(wl_clients_init(&c));
	for (int i = 0; i < 3; i++) {
		add(&c, &client[i], 10 - i);
		wl_clients_set_known(&c, &client[i], 2, end);
		wl_clients_set_known(&c, &client[i], 2, end); /* asks again */
	}
	assert_int_equal(client[0].fd, 1);
	assert_int_equal(client[1].fd, -1); /* not the third, which came with it */
	assert_int_equal(c.n_known, 2);
	wl_clients_ask(&c, &client[0], &question);
	add(&c, &client[3], 1);
	wl_clients_set_known(&c, &client[3], 2, end);
	assert_int_equal(client[0].fd, 1); /* waits for its answer */
	assert_int_equal(client[2].fd, -1);
	/* Where all others wait, nothing is ended. */
	wl_clients_ask(&c, &client[3], &question);
	add(&c, &client[4], 1);
	wl_clients_set_known(&c, &client[4], 2, end);
	assert_int_equal(client[4].fd, 1);
	assert_int_equal(c.n_known, 3);
	for (int i = 0; i < 5; i++)
		wl_clients_remove(&c, &client[i]);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.n_known, 0);
	wl_clients_release(&c);
}

struct seen {
	int n, current;
};

static void note(void *ctx, struct wl_client *client, bool is_current)
{
	struct seen *seen = ctx;

	(void)client;
	seen->n++;
	seen->current += is_current;
}

TEST(questions_wait_without_limit_until_they_are_answered)
{
	struct wl_client a, b;
	struct wl_clients c;
	struct seen seen = { 0, 0 };
	int of_a, of_b;

	assert_true(wl_clients_init(&c));
	add(&c, &a, 10);
	add(&c, &b, 10);
	wl_clients_ask(&c, &a, &of_a);
	wl_clients_ask(&c, &b, &of_b);
	wl_clients_begin(&c, &of_a);
	wl_clients_end_late(&c, 1000, end);
	assert_int_equal(a.fd, 1);
	wl_clients_visit_asking(&c, note, &seen);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.current, 1);
	wl_clients_answered(&c, &b); /* dropped; the other one goes on */
	assert_ptr_equal(c.current, &of_a);
	wl_clients_answered(&c, &a);
	assert_null(c.current);
	wl_clients_visit_asking(&c, note, &seen);
	assert_int_equal(seen.n, 2);
	wl_clients_release(&c);
}

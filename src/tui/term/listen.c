/* SPDX-License-Identifier: MIT */
#include "tui/term/listen.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"

enum { NS_PER_MS = 1000000 };

void wl_listener_init(struct wl_listener *l, int fd, int other_fd)
{
	*l = (struct wl_listener){ .fd = fd, .other_fd = other_fd };
	wl_decoder_init(&l->decoder);
}

static void read_some(struct wl_listener *l)
{
	size_t room;
	unsigned char *at = wl_decoder_room(&l->decoder, &room);
	ssize_t n = read(l->fd, at, room);

	if (n > 0) {
		wl_decoder_add(&l->decoder, (size_t)n);
		l->came_at = wl_clock_wall_ns();
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		l->gone = true;
	}
}

/* When to give up the rest of a sequence; -1 where none has begun. */
static int64_t give_up_at(const struct wl_listener *l)
{
	int patience = wl_decoder_patience(&l->decoder);

	return patience ? l->came_at + (int64_t)patience * NS_PER_MS : -1;
}

/* What is there without waiting; false for nothing. */
static bool next_event(struct wl_listener *l, int64_t now, struct wl_event *ret)
{
	if (wl_decoder_next(&l->decoder, now, ret))
		return true;
	if (give_up_at(l) >= 0 && now >= give_up_at(l) && wl_decoder_give_up(&l->decoder, now, ret))
		return true;
	*ret = (struct wl_event){ .kind = l->gone ? WL_EVENT_QUIT : WL_EVENT_NONE };
	return l->gone;
}

/* Milliseconds until the earlier of two times, rounded up, of which -1 is never. */
static int ms_until(int64_t a, int64_t b, int64_t now)
{
	int64_t at = a < 0 || (b >= 0 && b < a) ? b : a;

	if (at < 0)
		return -1;
	return at <= now ? 0 : (int)((at - now + NS_PER_MS - 1) / NS_PER_MS);
}

bool wl_listener_next(struct wl_listener *l, int timeout_ms, struct wl_event *ret)
{
	int64_t now = wl_clock_wall_ns();
	int64_t deadline = timeout_ms < 0 ? -1 : now + (int64_t)timeout_ms * NS_PER_MS;
	bool late = false;

	while (!next_event(l, now, ret) && !late) {
		struct pollfd fds[] = { { .fd = l->fd, .events = POLLIN },
					{ .fd = l->other_fd, .events = POLLIN } };
		int n = poll(fds, WL_COUNT(fds), ms_until(deadline, give_up_at(l), now));

		if (n > 0 && fds[1].revents)
			return true;
		if (n > 0 && fds[0].revents)
			read_some(l);
		now = wl_clock_wall_ns();
		late = n == 0 && deadline >= 0 && now >= deadline;
	}
	return false;
}

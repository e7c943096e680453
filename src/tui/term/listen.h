/* SPDX-License-Identifier: MIT */
/* listen.h - waits for input of the user or for other events. */
#ifndef WL_TUI_LISTEN_H
#define WL_TUI_LISTEN_H

#include "tui/term/decode.h"

struct wl_listener {
	int fd;       /* the terminal */
	int other_fd; /* readable: there is something to look after */
	bool gone;    /* the user is gone */
	struct wl_decoder decoder;
	int64_t came_at; /* the last bytes */
};

void wl_listener_init(struct wl_listener *l, int fd, int other_fd);

/*
 * Wait at most that long, < 0: for ever, for a key or the mouse; NONE when none came, QUIT
 * when none can come any more. Returns true, with NONE, as soon as there is
 * something to look after.
 */
bool wl_listener_next(struct wl_listener *l, int timeout_ms, struct wl_event *ret);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * decode.h - decodes the bytes of a terminal into events.
 *
 * The sequences are those of xterm and what agrees with it, of the Linux console and of
 * rxvt; no terminfo is asked, because the one that a user has is often that of another
 * terminal. An unknown sequence is dropped whole and never becomes keys.
 * Pure: bytes and the time come from the caller.
 */
#ifndef WL_TUI_DECODE_H
#define WL_TUI_DECODE_H

#include "tui/term/event.h"

struct wl_decoder {
	unsigned char buf[4096]; /* [begin, end) came and is not decoded yet */
	size_t begin, end;
	int button; /* that was pressed last, because the old reports of a release have none */
	struct {
		int x, y, button; /* button 0: none that could become a double click */
		int64_t at;
	} last;
};

enum {
	WL_ESC_DELAY = 25,     /* ms after which a lone Esc is the key */
	WL_CUT_DELAY = 500,    /* ms after which the rest of a sequence will not come */
	WL_DOUBLE_CLICK = 400, /* ms between presses, at most */
};

void wl_decoder_init(struct wl_decoder *d);

/* Where to put bytes, and how many fit; > 0 after next has returned false. */
unsigned char *wl_decoder_room(struct wl_decoder *d, size_t *ret_n);
void wl_decoder_add(struct wl_decoder *d, size_t n); /* that many were put there */

/*
 * The next key or event of the mouse; false where there is none, or only a beginning. now
 * is a clock in ns, for double clicks.
 */
bool wl_decoder_next(struct wl_decoder *d, int64_t now, struct wl_event *ret);

/* How long to wait for the rest of a beginning, in ms; 0 where there is no beginning. */
int wl_decoder_patience(const struct wl_decoder *d);

/* The rest will not come: like next, but a beginning stands for itself or for nothing. */
bool wl_decoder_give_up(struct wl_decoder *d, int64_t now, struct wl_event *ret);

#endif

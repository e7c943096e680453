/* SPDX-License-Identifier: MIT */
/* clipboard.h - copies text to the clipboard of the user's terminal, also over ssh. */
#ifndef WL_TUI_CLIPBOARD_H
#define WL_TUI_CLIPBOARD_H

#include "base/memory/vec.h"

enum { WL_CLIPBOARD_MAX = 74994 }; /* bytes of text; more than that, xterm takes none at all */

/*
 * Append the sequence OSC 52 to out, a vector of bytes: the text in base64, cut between
 * characters where it is too long. Failure is out->failed.
 */
void wl_clipboard_put(const char *text, struct wl_vec *out);

#endif

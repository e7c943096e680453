/* SPDX-License-Identifier: MIT */
/* marks.h - a byte in a text that stands for what its maker does not spell. */
#ifndef WL_BASE_MARKS_H
#define WL_BASE_MARKS_H

#include "base/memory/arena.h"

/* Where a command stands, which terminals and agents spell differently. */
#define WL_COMMAND_MARK "\x1e"

/* The text with something in place of the first WL_COMMAND_MARK; NULL without memory. */
const char *wl_mark_fill(const char *text, const char *with, struct wl_arena *arena) WL_MUST_CHECK;

#endif

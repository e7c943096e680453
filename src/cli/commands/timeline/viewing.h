/* SPDX-License-Identifier: MIT */
/* viewing.h - the state file of a viewer, and the command line that restores its view. */
#ifndef WL_CLI_VIEWING_H
#define WL_CLI_VIEWING_H

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "cli/line/opt.h"

/*
 * The file for the state of a trace: below $XDG_STATE_HOME, or else ~/.local/state, called
 * after the identity of the trace. False where there is no such place, or no such trace.
 */
bool wl_state_path(const char *trace, char ret_path[WL_PATH_CAP]) WL_MUST_CHECK;

/*
 * The verb with the traces and what was selected, for a shell; the window and where to
 * start are left out. Owned by the arena; NULL without memory.
 */
const char *wl_again_command(const struct wl_invocation *inv, const char *verb,
			     struct wl_arena *arena) WL_MUST_CHECK;

#endif

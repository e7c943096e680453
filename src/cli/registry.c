/* SPDX-License-Identifier: MIT */
/* registry.c - the commands of cmds.def. Nothing but the list: what names all calls none. */
#include "cli/verb.h"

const struct wl_command *const wl_commands[] = {
#define WL_COMMAND(name) &wl_command_##name,
#include "cli/cmds.def"
#undef WL_COMMAND
};

const size_t wl_n_commands = WL_COUNT(wl_commands);

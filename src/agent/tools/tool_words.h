/* SPDX-License-Identifier: MIT */
/*
 * tool_words.h - notes and errors in the words of the tools.
 *
 * Analyses and sessions speak to people at a command line: "use --gpu 0". A model that does
 * what such a sentence says needs the name of the tool's own argument.
 */
#ifndef WL_AGENT_TOOL_WORDS_H
#define WL_AGENT_TOOL_WORDS_H

#include "base/arena.h"

/*
 * The text with arguments of tools in place of options of the program; options of nsys and of other
 * programs stay, and so do names, which are in backquotes. The text itself where nothing changes,
 * or without memory.
 */
const char *wl_tool_words(const char *text, struct wl_arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* tools.h - the list of tools. */
#ifndef WL_AGENT_TOOLS_H
#define WL_AGENT_TOOLS_H

#include "agent/tools/tool.h" /* IWYU pragma: export */

/* The same order in each list; name == NULL ends. */
extern const struct wl_tool wl_tools[];

/* NULL where there is none of this name. */
const struct wl_tool *wl_tool_find(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* tools.h - the list of tools. */
#ifndef WL_AGENT_TOOLS_H
#define WL_AGENT_TOOLS_H

#include "agent/tools/tool.h" /* IWYU pragma: export */

/* In the order of all lists; ends with name == NULL. */
extern const struct wl_tool wl_tools[];

/* NULL if there is no tool of this name. */
const struct wl_tool *wl_tool_find(const char *name);

#endif

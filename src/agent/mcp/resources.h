/* SPDX-License-Identifier: MIT */
/* resources.h - the pages of pages.h as resources: warplens://verb/kernels. */
#ifndef WL_AGENT_RESOURCES_H
#define WL_AGENT_RESOURCES_H

#include "agent/mcp/result.h"

enum wl_mcp_code wl_resources_list(struct wl_mcp_result *r);
enum wl_mcp_code wl_resources_templates(struct wl_mcp_result *r);
enum wl_mcp_code wl_resources_read(struct wl_mcp_result *r);

#endif

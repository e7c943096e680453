/* SPDX-License-Identifier: MIT */
/* complete.h - completes the names of pages in templates of resources. */
#ifndef WL_AGENT_COMPLETE_H
#define WL_AGENT_COMPLETE_H

#include "agent/mcp/result.h"

enum wl_mcp_code wl_complete(struct wl_mcp_result *r);

#endif

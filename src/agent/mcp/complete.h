/* SPDX-License-Identifier: MIT */
/* complete.h - completes page names in resource templates. */
#ifndef WL_AGENT_COMPLETE_H
#define WL_AGENT_COMPLETE_H

#include "agent/mcp/result.h"

enum wl_mcp_code wl_complete(struct wl_mcp_result *r);

#endif

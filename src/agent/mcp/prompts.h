/* SPDX-License-Identifier: MIT */
/* prompts.h - prompts for people to pick: diagnose, compare, explain_step. */
#ifndef WL_AGENT_PROMPTS_H
#define WL_AGENT_PROMPTS_H

#include "agent/mcp/result.h"

enum wl_mcp_code wl_prompts_list(struct wl_mcp_result *r);
enum wl_mcp_code wl_prompts_get(struct wl_mcp_result *r);

#endif

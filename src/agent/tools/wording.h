/* SPDX-License-Identifier: MIT */
/*
 * wording.h - sentences that are written for the command line, as a client of tools can follow
 * them.
 *
 * Errors and descriptions come from all layers and name options. Here options become arguments, and
 * commands calls: "--window iter:9: ..." is "window iter:9: ...", "give --flops" is "give
 * options.flops", "warplens kernels TRACE lists them" is "analyze verb=kernels lists them". What no
 * tool takes, as options that name files, stays as it is, and so does what the caller wrote itself.
 */
#ifndef WL_AGENT_WORDING_H
#define WL_AGENT_WORDING_H

#include "agent/tools/call.h"
#include "analysis/analysis.h"

/* of: the verb that the text speaks of; NULL: any. Owned by the arena; text without memory. */
const char *wl_wording(struct wl_tool_call *c, const struct wl_analysis *of, const char *text);

/* The same of what the call fails with, which says who takes options that name files. */
const char *wl_wording_of_error(struct wl_tool_call *c, const char *text);

#endif

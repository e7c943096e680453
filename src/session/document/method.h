/* SPDX-License-Identifier: MIT */
/* method.h - the sources of a section of a report, in words. */
#ifndef WL_SESSION_METHOD_H
#define WL_SESSION_METHOD_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

/*
 * Sentences for people: which rows of the trace the analysis reads, which of those it would
 * read the trace does not have, and the verb that gives the whole table. It comes from what
 * the analysis declares, so it is true of every one. Owned by the arena; NULL without memory.
 */
const char *wl_method_from(const struct wl_trace *trace, const char *analysis,
			   struct wl_arena *arena) WL_MUST_CHECK;

#endif

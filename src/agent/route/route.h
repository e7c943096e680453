/* SPDX-License-Identifier: MIT */
/*
 * route.h - finds the verb that answers a question in plain words, without a language model.
 *
 * A learned model chooses the verb (learned.h); numbers, names and windows in the question become
 * options. If no verb has most of the evidence, the router abstains: a wrong answer costs more than
 * none. No trace is read.
 */
#ifndef WL_AGENT_ROUTE_ROUTE_H
#define WL_AGENT_ROUTE_ROUTE_H

#include <stdbool.h>

#include "agent/route/route_result.h" /* IWYU pragma: export */
#include "base/attr.h"

struct wl_router;

/* A router for many questions. Constant: threads may share it. NULL if memory runs out. */
struct wl_router *wl_router_new(void) WL_MUST_CHECK;

/* Accepts NULL. */
void wl_router_free(struct wl_router *r);

/*
 * Route a question of any length and content; only its first 1,000 bytes count. The result is
 * the same for the same question. Takes a fraction of a millisecond.
 */
void wl_router_ask(const struct wl_router *r, const char *question, struct wl_route_result *ret);

/*
 * The same for one question: WL_OK or WL_E_NOMEM. has_ranks is false if the trace has no ranks;
 * ranks named in the question are then GPUs.
 */
int wl_route(const char *question, bool has_ranks, struct wl_route_result *ret) WL_MUST_CHECK;

/* The options of a question, given its verb: WL_OK or WL_E_NOMEM. The result abstains if the verb
 * needs something that the question does not name. */
int wl_route_as(const char *question, const char *verb, bool has_ranks,
		struct wl_route_result *ret) WL_MUST_CHECK;

#endif

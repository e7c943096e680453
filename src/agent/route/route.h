/* SPDX-License-Identifier: MIT */
/*
 * route.h - finds the verb that answers a question in a user's words, without a language model.
 *
 * The program has learned which verb a question is for (learned.h); numbers, names and windows in
 * it become options. Where no verb has the larger part of the evidence, it
 * abstains: a wrong answer costs more than none. No trace is read.
 */
#ifndef WL_AGENT_ROUTE_ROUTE_H
#define WL_AGENT_ROUTE_ROUTE_H

#include <stdbool.h>

#include "agent/route/route_result.h" /* IWYU pragma: export */
#include "base/attr.h"

struct wl_router;

/* For many questions. Constant: threads may share it. NULL without memory. */
struct wl_router *wl_router_new(void) WL_MUST_CHECK;

/* Accepts NULL. */
void wl_router_free(struct wl_router *r);

/*
 * Route a question of any length and content; only its first 1,000 bytes count. The result is
 * the same for the same question. Takes a fraction of a millisecond.
 */
void wl_router_ask(const struct wl_router *r, const char *question, struct wl_route_result *ret);

/*
 * The same for one question: WL_OK or WL_E_NOMEM. Of a trace that knows no ranks, those that the
 * question names are GPUs: has_ranks is false.
 */
int wl_route(const char *question, bool has_ranks, struct wl_route_result *ret) WL_MUST_CHECK;

/* The options of a question if it is for this verb: WL_OK or WL_E_NOMEM. It abstains where the verb
 * needs what the question does not name. */
int wl_route_as(const char *question, const char *verb, bool has_ranks,
		struct wl_route_result *ret) WL_MUST_CHECK;

#endif

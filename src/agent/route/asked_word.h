/* SPDX-License-Identifier: MIT */
/* asked_word.h - recognizes questions for the meaning of a word: "what is a straggler". */
#ifndef WL_AGENT_ROUTE_ASKED_WORD_H
#define WL_AGENT_ROUTE_ASKED_WORD_H

#include <stdbool.h>

#include "agent/route/route_result.h"

/*
 * If the question asks for the meaning of a word that can be explained, set the verb to explain,
 * with the word as its operand, and return true.
 */
bool wl_asked_word_find(const char *question, struct wl_route_result *ret);

#endif

/* SPDX-License-Identifier: MIT */
/* random_facts.h - random facts of one small trace. */
#ifndef WL_TESTS_RANDOM_FACTS_H
#define WL_TESTS_RANDOM_FACTS_H

#include "facts/facts.h"

/* Named and settled. The same seed gives the same facts; *state moves on. */
void random_facts(uint64_t *state, struct wl_budget *budget, struct wl_facts *ret);

#endif

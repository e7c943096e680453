/* SPDX-License-Identifier: MIT */
/* rules.h - the verb that the senses of a question indicate; see rules.def. */
#ifndef WL_AGENT_ROUTE_RULES_H
#define WL_AGENT_ROUTE_RULES_H

#include <stddef.h>

/* The verb of the first rule that n senses fit; "-": deliberately none; NULL: no rule fits. */
const char *wl_rule_verb(const char *const *sense, size_t n);

/* The options that n senses of a question to a verb imply, separated by blanks; "" for none. */
const char *wl_rule_options(const char *verb, const char *const *sense, size_t n);

/* The i-th rule's senses as one text, and its verb; NULL past the last. For tests. */
const char *wl_rule_at(size_t i, const char **ret_all, const char **ret_any, const char **ret_none);

#endif

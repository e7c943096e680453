/* SPDX-License-Identifier: MIT */
/* codes.h - the list of findings, for those who explain them. */
#ifndef WL_FINDINGS_CODES_H
#define WL_FINDINGS_CODES_H

#include <stddef.h>

/* The code of the i-th rule, in the order of findings.def; NULL past the last. */
const char *wl_finding_code(size_t i);

/* What it finds, in one line without a full stop; NULL past the last. */
const char *wl_finding_title(size_t i);

struct wl_rule;

/* The rule of a code; NULL for none, as of facts that were made up. */
const struct wl_rule *wl_rule_of_code(const char *code);

#endif

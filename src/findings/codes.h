/* SPDX-License-Identifier: MIT */
/* codes.h - the list of finding codes, for code that explains them. */
#ifndef WL_FINDINGS_CODES_H
#define WL_FINDINGS_CODES_H

#include <stddef.h>

/* The code of the i-th rule, in the order of findings.def; NULL past the last. */
const char *wl_finding_code(size_t i);

/* The title of the i-th rule, one line without a full stop; NULL past the last. */
const char *wl_finding_title(size_t i);

struct wl_rule;

/* The rule of a code; NULL if unknown, which forged facts may contain. */
const struct wl_rule *wl_rule_of_code(const char *code);

#endif

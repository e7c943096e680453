/* SPDX-License-Identifier: MIT */
/*
 * pattern.h - name patterns of users: part of a name in any case, or re: and a regular
 * expression, in which case counts.
 *
 * Any case means any case of ASCII letters; no locale is involved.
 */
#ifndef WL_BASE_PATTERN_H
#define WL_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/text/regex.h"

/* Immutable once made: threads may share it. */
struct wl_pattern {
	const char *part;       /* NULL for a regular expression */
	struct wl_regex *regex; /* owned; NULL for a part */
};

/*
 * Make one. The text must outlive the pattern. A malformed expression, and an
 * empty text, is WL_E_USAGE. Release also after a failure.
 */
int wl_pattern_init(struct wl_pattern *p, const char *text, struct wl_err *reterr) WL_MUST_CHECK;
void wl_pattern_release(struct wl_pattern *p); /* accepts a zeroed one */

/* True when the name matches; an expression that takes too long does not. */
bool wl_pattern_matches(const struct wl_pattern *p, const char *name);

/*
 * Where the pattern matches for the last time, of matches that follow each other
 * without overlapping. False where it does not match.
 */
bool wl_pattern_last(const struct wl_pattern *p, const char *name, struct wl_regex_span *ret);

/*
 * True when the whole name matches the glob: * any text, ? any one character, and
 * all else itself. Case counts. At worst the product of the two lengths.
 */
bool wl_glob_matches(const char *glob, const char *name);

#endif

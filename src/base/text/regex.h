/* SPDX-License-Identifier: MIT */
/*
 * regex.h - regular expressions in Perl's syntax (PCRE2), within limits.
 *
 * Patterns and subjects are UTF-8; a malformed subject matches nothing across its
 * malformed part. A handle is immutable: threads may share it.
 */
#ifndef WL_BASE_REGEX_H
#define WL_BASE_REGEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

enum wl_regex_flags {
	WL_REGEX_PLAIN = 0,
	WL_REGEX_CASELESS = 1 << 0,
	WL_REGEX_SMART =
		1 << 1, /* caseless unless it has an ASCII capital to match, as \S has not */
};

/* Longest pattern in bytes. */
enum { WL_REGEX_MAX = 8192 };

struct wl_regex;

/* A malformed pattern is WL_E_USAGE, and the message has the position. Free with wl_regex_free. */
int wl_regex_new(const char *pattern, uint32_t flags, struct wl_regex **ret_regex,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* Accepts NULL. */
void wl_regex_free(struct wl_regex *re);

/* The same expression without regard to case: 1 and a handle to free; 0 and NULL: it has none. */
int wl_regex_ignoring_case(const struct wl_regex *re, struct wl_regex **ret_regex,
			   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Search the n bytes at s: 1 found, 0 not found. Negative when it is not known,
 * because the pattern took too many steps (WL_E_TIMEOUT) or memory ran out
 * (WL_E_NOMEM); a caller that goes on counts this as not found, and says so.
 */
int wl_regex_match(const struct wl_regex *re, const char *s, size_t n) WL_MUST_CHECK;

/* Bytes [begin, end) of a subject. */
struct wl_regex_span {
	size_t begin, end;
};

/*
 * Search the n bytes at s from the byte at from <= n on, which must not be inside
 * a character: as match, and where. What the pattern's first group took is
 * empty where there is no such group or it took no part.
 */
int wl_regex_find(const struct wl_regex *re, const char *s, size_t n, size_t from,
		  struct wl_regex_span *ret_match, struct wl_regex_span *ret_group) WL_MUST_CHECK;

#endif

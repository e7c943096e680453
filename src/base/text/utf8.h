/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - strict UTF-8 (RFC 3629) and its width on a terminal.
 *
 * No locale is involved: the tables are our own, so output is the same everywhere.
 */
#ifndef WL_BASE_UTF8_H
#define WL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

enum { WL_UTF8_MAX = 4 }; /* bytes of the longest sequence */

#define WL_UTF8_REPLACEMENT UINT32_C(0xFFFD)
#define WL_UTF8_INVALID     UINT32_MAX

/*
 * Decode the first code point of the n > 0 bytes at s and return how many bytes
 * it takes. A malformed, overlong, surrogate or cut sequence gives
 * WL_UTF8_INVALID and the length of its longest well-formed beginning, at least
 * one byte, as the Unicode standard recommends for replacing.
 */
size_t wl_utf8_decode(const char *s, size_t n, uint32_t *ret_cp);

/*
 * Step through a string: return the code point at *s and move *s behind it, or
 * return 0 and stay at the end. A malformed sequence is WL_UTF8_REPLACEMENT.
 */
uint32_t wl_utf8_next(const char **s);

/* Write a code point and return its length. What cannot be encoded becomes U+FFFD. */
size_t wl_utf8_encode(uint32_t cp, char buf[WL_UTF8_MAX]);

/* True when the n bytes are well-formed and hold no NUL. */
bool wl_utf8_is_valid(const char *s, size_t n);

/*
 * Repair: malformed sequences and NUL become U+FFFD. clean_size says how many
 * bytes the result has; clean writes that many to buf, without a terminator, and
 * returns how many replacements it made.
 */
size_t wl_utf8_clean_size(const char *s, size_t n);
size_t wl_utf8_clean(const char *s, size_t n, char *buf);

/* A repaired, terminated copy owned by the arena, or NULL when that is exhausted. */
char *wl_utf8_clean_dup(struct wl_arena *arena, const char *s, size_t n,
			size_t *ret_replaced) WL_MUST_CHECK;

/* C0, DEL and C1: what a terminal may take as a command. */
bool wl_utf8_is_control(uint32_t cp);

/* Embeddings, overrides and isolates: what reorders the text around it. */
bool wl_utf8_is_bidi(uint32_t cp);

/* U+2028 and U+2029: what breaks a line without being a control. */
bool wl_utf8_is_separator(uint32_t cp);

/*
 * Columns on a terminal: 0 for combining and invisible characters, 2 for East
 * Asian wide characters and emoji, 1 for the rest. Controls count 1, because
 * what is printed for them is a replacement.
 */
int wl_utf8_cp_width(uint32_t cp);

/* The sum over a string; a malformed sequence counts 1. */
size_t wl_utf8_width(const char *s);

#endif

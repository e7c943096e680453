/* SPDX-License-Identifier: MIT */
/* filter_lex.h - the tokens of a filter expression. Only filter.c uses it. */
#ifndef WL_TABLE_FILTER_LEX_H
#define WL_TABLE_FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/memory/arena.h"

enum wl_token_kind {
	WL_TOKEN_END,
	WL_TOKEN_OPEN,
	WL_TOKEN_CLOSE,
	WL_TOKEN_OP,     /* any run of = ! < > ~, but ! alone before anything but = and ~ */
	WL_TOKEN_WORD,   /* && and ||, or what ends at these, a space, a (, ), quote or operator */
	WL_TOKEN_QUOTED, /* in ' or "; the quote doubled stands for itself */
	WL_TOKEN_CUT,    /* a quote without its end */
};

struct wl_token {
	enum wl_token_kind kind;
	const char *text; /* borrowed from the expression; without the quotes */
	size_t len;
};

/* The token at *s, which moves behind it. */
struct wl_token wl_token_next(const char **s);

/* Keywords do not care for case; a quoted word is no keyword. */
bool wl_token_is(struct wl_token token, const char *keyword);

/* The text as a string owned by the arena, doubled quotes resolved; NULL when out of memory. */
const char *wl_token_dup(struct wl_token token, struct wl_arena *arena) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
#include "table/filter_lex.h"

#include <string.h>
#include <strings.h>

#define SPACE     " \t\r\n"
#define OPERATORS "=!<>~"

static struct wl_token read_quoted(const char **s)
{
	const char quote = **s;
	const char *begin = *s + 1, *end = begin;

	while (*end && (*end != quote || end[1] == quote))
		end += *end == quote ? 2 : 1;
	*s = *end ? end + 1 : end;
	return (struct wl_token){
		.kind = *end ? WL_TOKEN_QUOTED : WL_TOKEN_CUT,
		.text = begin,
		.len = (size_t)(end - begin),
	};
}

static struct wl_token make_token(const char **s, enum wl_token_kind kind, size_t len)
{
	struct wl_token token = { .kind = kind, .text = *s, .len = len };

	*s += len;
	return token;
}

/* && or ||; a single one is a part of a word, as in the pattern gemm|conv. */
static bool is_junction(const char *s)
{
	return (*s == '&' || *s == '|') && s[1] == *s;
}

/* Anything else is of the word, so that most patterns need no quotes. */
static size_t measure_word(const char *s)
{
	size_t n = strcspn(s, SPACE OPERATORS "()'\""), i = 0;

	while (i < n && !is_junction(s + i))
		i++;
	return i;
}

struct wl_token wl_token_next(const char **s)
{
	*s += strspn(*s, SPACE);
	if (is_junction(*s))
		return make_token(s, WL_TOKEN_WORD, 2);
	switch (**s) {
	case '\0':
		return make_token(s, WL_TOKEN_END, 0);
	case '(':
		return make_token(s, WL_TOKEN_OPEN, 1);
	case ')':
		return make_token(s, WL_TOKEN_CLOSE, 1);
	case '\'':
	case '"':
		return read_quoted(s);
	default:
		break;
	}
	if (**s == '!' && (*s)[1] != '=' && (*s)[1] != '~')
		return make_token(s, WL_TOKEN_OP, 1);
	if (strchr(OPERATORS, **s))
		return make_token(s, WL_TOKEN_OP, strspn(*s, OPERATORS));
	return make_token(s, WL_TOKEN_WORD, measure_word(*s));
}

bool wl_token_is(struct wl_token token, const char *keyword)
{
	return token.kind == WL_TOKEN_WORD && strlen(keyword) == token.len &&
	       strncasecmp(token.text, keyword, token.len) == 0;
}

const char *wl_token_dup(struct wl_token token, struct wl_arena *arena)
{
	char *copy = wl_arena_calloc(arena, token.len + 1, 1);
	size_t fill = 0;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < token.len; i++) {
		copy[fill++] = token.text[i];
		/* Inside quotes the quote itself only occurs doubled. */
		if (token.kind == WL_TOKEN_QUOTED && token.text[i] == token.text[-1])
			i++;
	}
	return copy;
}

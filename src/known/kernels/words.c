/* SPDX-License-Identifier: MIT */
#include "known/kernels/words.h"

#include <string.h>

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_lower(c) || is_digit(c) || is_upper(c);
}

static char lower(char c)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	if (is_upper(c))
		return letters[c - 'A'];
	return c;
}

static size_t pair_of(char a, char b)
{
	return ((unsigned)a << 6 ^ (unsigned)b) & 4095;
}

/* A capital letter begins a word after a small one, and before one if it ends a run: "RMSNorm". */
static bool begins_word(char before, const char *at, bool has_next)
{
	return is_upper(*at) && (is_lower(before) || ((is_upper(before) || is_digit(before)) &&
						      has_next && is_lower(at[1])));
}

void wl_words_of(const char *name, size_t n, char *buf, size_t size, struct wl_words *ret)
{
	size_t k = 0;

	*ret = (struct wl_words){ .text = buf };
	for (size_t i = 0; i < n && k + 2 < size; i++) {
		if (i && begins_word(name[i - 1], name + i, i + 1 < n))
			buf[k++] = '_';
		buf[k++] = lower(name[i]);
	}
	buf[k] = '\0';
	ret->n = k;
	for (size_t i = 1; i < k; i++) {
		size_t pair = pair_of(buf[i - 1], buf[i]);

		ret->pairs[pair / 64] |= (uint64_t)1 << pair % 64;
	}
}

static bool has_pair(const struct wl_words *w, char a, char b)
{
	size_t pair = pair_of(a, b);

	return w->pairs[pair / 64] >> pair % 64 & 1;
}

static bool has_pairs(const struct wl_words *w, const char *part, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!has_pair(w, part[i - 1], part[i]))
			return false;
	}
	return true;
}

/* No word lies across this place of the text. */
static bool is_edge(const struct wl_words *w, size_t at)
{
	return at == 0 || at == w->n || !is_alnum(w->text[at - 1]) || !is_alnum(w->text[at]);
}

/* How an end of a part must lie in the text. */
enum end { FREE, EDGE, FIXED };

struct part {
	const char *s;
	size_t n;
	enum end left, right;
};

static bool fits_at(const struct wl_words *w, const struct part *p, size_t at)
{
	size_t end = at + p->n;

	return (p->left == FREE || (p->left == EDGE ? is_edge(w, at) : at == 0)) &&
	       (p->right == FREE || (p->right == EDGE ? is_edge(w, end) : end == w->n));
}

/* The end of the part's first place at or after from; false when it has none. */
static bool find_part(const struct wl_words *w, const struct part *p, size_t from, size_t *ret_end)
{
	while (from <= w->n) {
		const char *found =
			p->n ? memmem(w->text + from, w->n - from, p->s, p->n) : w->text + from;
		size_t at;

		if (!found)
			return false;
		at = (size_t)(found - w->text);
		if (fits_at(w, p, at)) {
			*ret_end = at + p->n;
			return true;
		}
		from = at + 1;
	}
	return false;
}

static bool is_literal(char c)
{
	return c && c != '*' && c != '$';
}

/* Whether the first pairs of a pattern occur: nearly all patterns end here. */
static bool begins_in(const struct wl_words *w, const char *pattern)
{
	const char *p = pattern + (*pattern == '^' || *pattern == '*');

	for (unsigned i = 0; i < 3 && is_literal(p[i]) && is_literal(p[i + 1]); i++) {
		if (!has_pair(w, p[i], p[i + 1]))
			return false;
	}
	return true;
}

bool wl_words_match(const struct wl_words *words, const char *pattern)
{
	enum end left = *pattern == '^' ? FIXED : EDGE;
	size_t at = 0;

	if (!begins_in(words, pattern))
		return false;
	pattern += left == FIXED;
	for (;; left = FREE) {
		struct part part = { pattern, 0, left, EDGE };
		char after;

		while (is_literal(pattern[part.n]))
			part.n++;
		after = pattern[part.n];
		if (after)
			part.right = after == '$' ? FIXED : FREE;
		if (part.n == 0 && after == '*')
			part.left = FREE;
		if (!has_pairs(words, part.s, part.n) || !find_part(words, &part, at, &at))
			return false;
		if (after != '*' || !pattern[part.n + 1])
			return true;
		pattern += part.n + 1;
	}
}

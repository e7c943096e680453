/* SPDX-License-Identifier: MIT */
/* digest_claim.c - a sentence made to fit one line. */
#include <string.h>

#include "render/text/digest.h"
#include "render/words/line.h"

enum { MAX_SENTENCE = 1024, SHORT = 10 };

/* Drop the first "(...)" that is more than a number; false when there is none. */
static bool drop_aside(char *s)
{
	for (char *open = strstr(s, " ("); open; open = strstr(open + 1, " (")) {
		char *close = strchr(open, ')');

		if (!close)
			return false;
		if (close - open <= SHORT)
			continue;
		memmove(open, close + 1, strlen(close + 1) + 1);
		return true;
	}
	return false;
}

/*
 * Take the middle out of the first word that is longer than a name should be: names differ at
 * both ends. False when there is none. Only bytes of ASCII are taken out.
 */
static bool squeeze_name(char *s)
{
	enum { LONGEST = 30, HEAD = 16, DOTS = 3, TAIL = 10 };

	for (char *word = s; *word; word += strspn(word, " ")) {
		size_t n = strcspn(word, " "), plain = 0;

		while (plain < n && (unsigned char)word[plain] < 0x80)
			plain++;
		if (n > LONGEST && plain == n) {
			memmove(word + HEAD + DOTS, word + n - TAIL, strlen(word + n - TAIL) + 1);
			memset(word + HEAD, '.', DOTS);
			return true;
		}
		word += n;
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether a clause ends before this byte, which is not the first: "GPUs 0-1, 3" is a list. */
static bool ends_clause(const char *s)
{
	return (s[0] == ',' || s[0] == ';' || s[0] == ':') && s[1] == ' ' &&
	       !(s[0] == ',' && is_digit(s[-1]) && is_digit(s[2]));
}

/* Inside of parentheses, or of the arguments of a template. */
static bool is_open(const char *s, const char *end)
{
	int depth = 0, args = 0;

	for (const char *c = s; c < end; c++) {
		depth += (*c == '(') - (*c == ')');
		args += *c == '<' && c > s && c[-1] != ' ' && c[-1] != '('; /* "(<0.1%)" */
		args -= *c == '>' && args > 0;
	}
	return depth > 0 || args > 0;
}

/* End it at the last clause that fits, as long as a third of the room is used. */
static bool end_at_clause(char *s, size_t width)
{
	char *best = NULL;
	size_t at = 0;

	for (char *c = s; *c && at <= width; c++, at++) {
		if (at > 0 && at >= width / 3 && ends_clause(c) && !is_open(s, c))
			best = c;
	}
	if (best)
		*best = '\0';
	return best != NULL;
}

static void end_at_word(char *s, size_t width, bool ascii)
{
	size_t dots = ascii ? 3 : 1, at = 0;
	char *best = NULL;

	for (char *c = s; *c && at + dots <= width; c++, at++) {
		if (*c == ' ' && at >= width / 2)
			best = c;
	}
	if (best)
		(void)strcpy(best, ascii ? "..." : "\u2026");
}

/* To whole clauses. False where that is not short enough. */
static bool shorten(const char *sentence, size_t width, char s[MAX_SENTENCE + 8])
{
	(void)snprintf(s, MAX_SENTENCE, "%s", sentence);
	while (wl_line_width(s) > width && squeeze_name(s))
		;
	/* An aside at its beginning may tell it from others: what follows goes first. */
	while (wl_line_width(s) > width && !end_at_clause(s, width) && drop_aside(s))
		;
	return wl_line_width(s) <= width;
}

bool wl_digest_claim_fits(const char *sentence, size_t width)
{
	char s[MAX_SENTENCE + 8];

	return shorten(sentence, width, s);
}

size_t wl_digest_claim(FILE *out, const char *sentence, size_t width, bool ascii)
{
	char s[MAX_SENTENCE + 8];

	if (!shorten(sentence, width, s))
		end_at_word(s, width, ascii);
	return wl_line_put_cut(out, s, width, ascii);
}

size_t wl_digest_words(FILE *out, const char *sentence, size_t width, bool ascii)
{
	char s[MAX_SENTENCE + 8];

	(void)snprintf(s, MAX_SENTENCE, "%s", sentence);
	if (wl_line_width(s) > width)
		end_at_word(s, width, ascii);
	return wl_line_put_cut(out, s, width, ascii);
}

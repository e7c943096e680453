/* SPDX-License-Identifier: MIT */
/* digest_claim.c - a sentence made to fit one line. */
#include <string.h>

#include "render/text/digest.h"
#include "render/words/line.h"

enum { MAX_SENTENCE = 1024 };

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

/* As many parts as fit, of one whose first does not that one with its names squeezed. */
static void shorten(const struct wl_table *t, size_t row, size_t col, size_t width,
		    char s[MAX_SENTENCE + 8])
{
	for (size_t n = WL_MAX_PARTS - 1; n > 0; n--) {
		size_t bytes;
		const char *text = wl_table_parts(t, row, col, n, &bytes);

		(void)snprintf(s, MAX_SENTENCE, "%.*s", (int)bytes, text);
		if (wl_line_width(s) <= width)
			return;
	}
	while (wl_line_width(s) > width && squeeze_name(s))
		;
}

size_t wl_digest_claim(FILE *out, const struct wl_table *t, size_t row, size_t col, size_t width,
		       bool ascii)
{
	char s[MAX_SENTENCE + 8];

	shorten(t, row, col, width, s);
	return wl_digest_words(out, s, width, ascii);
}

size_t wl_digest_words(FILE *out, const char *sentence, size_t width, bool ascii)
{
	char s[MAX_SENTENCE + 8];

	(void)snprintf(s, MAX_SENTENCE, "%s", sentence);
	if (wl_line_width(s) > width)
		end_at_word(s, width, ascii);
	return wl_line_put_cut(out, s, width, ascii);
}

void wl_digest_note(FILE *out, const struct wl_note *note, size_t width, bool ascii)
{
	char s[MAX_SENTENCE + 8];

	(void)snprintf(s, MAX_SENTENCE, "%s", note->text);
	if (wl_line_width(s) > width && note->stop && note->stop < MAX_SENTENCE)
		s[note->stop] = '\0';
	(void)wl_digest_words(out, s, width, ascii);
}

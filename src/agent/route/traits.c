/* SPDX-License-Identifier: MIT */
#include "agent/route/traits.h"

#include <ctype.h>
#include <string.h>

#include "agent/route/rules.h"
#include "base/attr.h"

/*
 * STEM: least letters left of a word. PAIRED: most senses that form pairs. Pieces of PIECE_LEAST to
 * PIECE_MOST letters make forms of a word and misspelled words similar.
 */
enum { STEM = 3, PIECE_LEAST = 3, PIECE_MOST = 5, PAIRED = 16 };

/* Add a trait: kind, a, a blank, and b. */
static void put(struct wl_traits *ret, char kind, const char *a, const char *b)
{
	size_t n, m;
	char *at;

	if (ret->n == WL_MAX_TRAITS)
		return;
	at = ret->trait[ret->n++].text;
	memset(at, 0, WL_TRAIT);
	n = strnlen(a, WL_TRAIT / 2 - 2);
	at[0] = kind;
	memcpy(at + 1, a, n);
	if (!b)
		return;
	m = strnlen(b, WL_TRAIT / 2 - 2);
	at[1 + n] = ' ';
	memcpy(at + 2 + n, b, m);
}

/* Cut an ending, in place. It need not be grammatical, if forms of a word become the same text. */
static void cut_ending(char *word)
{
	static const char *const endings[] = { "ings", "ing", "ers", "ies", "es",
					       "ed",   "s",   "er",  "ly" };
	size_t n = strlen(word);

	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		size_t e = strlen(endings[i]);

		if (n >= e + STEM && strcmp(word + n - e, endings[i]) == 0) {
			word[n - e] = '\0';
			return;
		}
	}
}

static void put_words(const struct wl_question *q, struct wl_traits *ret)
{
	const char *before = "^";

	for (size_t i = 0; i < q->n; i++) {
		const char *word = q->word[i].key;

		put(ret, WL_TRAIT_ALONE, word, NULL);
		put(ret, '>', before, word);
		if (i + 2 < q->n)
			put(ret, '*', word, q->word[i + 2].key);
		before = word;
	}
	put(ret, '>', before, "$");
}

/*
 * Pieces of the word as written, even if a stand-in replaces it: cudaMemcpyAsync is about copies.
 * Blanks on either side distinguish its beginning and end from its middle.
 */
static void put_pieces(const char *word, struct wl_traits *ret)
{
	char padded[WL_TRAIT] = " ";
	size_t n = strnlen(word, WL_TRAIT - 3) + 2;

	for (size_t i = 0; i < n - 2; i++)
		padded[i + 1] = (char)tolower((unsigned char)word[i]);
	padded[n - 1] = ' ';
	for (size_t len = PIECE_LEAST; len <= PIECE_MOST; len++) {
		for (size_t i = 0; i + len <= n; i++) {
			char piece[PIECE_MOST + 1] = "";

			memcpy(piece, padded + i, len);
			put(ret, '~', piece, NULL);
		}
	}
}

static void put_senses(const char *const *sense, size_t n, struct wl_traits *ret)
{
	const char *verb = wl_rule_verb(sense, n);

	for (size_t i = 0; i < n; i++)
		put(ret, WL_TRAIT_ALONE, "sense", sense[i]);
	if (verb)
		put(ret, WL_TRAIT_ALONE, "rule", verb);
	for (size_t i = 0; i < n && i < PAIRED; i++) {
		for (size_t k = i + 1; k < n && k < PAIRED; k++) {
			bool in_order = strcmp(sense[i], sense[k]) < 0;

			put(ret, '&', in_order ? sense[i] : sense[k],
			    in_order ? sense[k] : sense[i]);
		}
	}
}

void wl_traits_find(const struct wl_vocabulary *v, const char *question, struct wl_question *q,
		    struct wl_traits *ret)
{
	const char *sense[WL_MAX_WORDS];
	size_t n;

	ret->n = 0;
	wl_question_read(q, question);
	n = wl_senses_of(v, q, sense);
	put_senses(sense, n, ret);
	wl_question_read(q, question);
	for (size_t i = 0; i < q->n; i++) {
		put_pieces(q->word[i].text, ret);
		cut_ending(q->word[i].key);
	}
	put_words(q, ret);
}

/* SPDX-License-Identifier: MIT */
/* scan_words.c - number words, and the nouns that numbers belong to. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "agent/check/scan_parts.h"

struct number_word {
	const char *word;
	double value;
	bool multiplies;
};

static const struct number_word words[] = {
	{ "zero", 0, false },      { "one", 1, false },       { "two", 2, false },
	{ "three", 3, false },     { "four", 4, false },      { "five", 5, false },
	{ "six", 6, false },       { "seven", 7, false },     { "eight", 8, false },
	{ "nine", 9, false },      { "ten", 10, false },      { "eleven", 11, false },
	{ "twelve", 12, false },   { "thirteen", 13, false }, { "fourteen", 14, false },
	{ "fifteen", 15, false },  { "sixteen", 16, false },  { "seventeen", 17, false },
	{ "eighteen", 18, false }, { "nineteen", 19, false }, { "twenty", 20, false },
	{ "thirty", 30, false },   { "forty", 40, false },    { "fifty", 50, false },
	{ "sixty", 60, false },    { "seventy", 70, false },  { "eighty", 80, false },
	{ "ninety", 90, false },   { "hundred", 100, true },  { "thousand", 1e3, true },
	{ "million", 1e6, true },  { "billion", 1e9, true },  { "dozen", 12, true },
};

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalpha((unsigned char)text[n]))
		n++;
	return wl_scan_is_word(text[n]) ? 0 : n;
}

static const struct number_word *find(const char *text, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		if (n == strlen(words[i].word) && strncasecmp(text, words[i].word, n) == 0)
			return &words[i];
	}
	return NULL;
}

/* "two hundred thousand five": the part below a thousand, and the sum so far. */
struct tally {
	double done, part;
};

static void count_word(struct tally *t, const struct number_word *w)
{
	double times = t->part > 0 ? t->part : 1;

	if (!w->multiplies) {
		t->part += w->value;
	} else if (w->value == 100) {
		t->part = times * w->value;
	} else {
		t->done += times * w->value;
		t->part = 0;
	}
}

size_t wl_scan_words(const char *text, double *ret_value, bool *ret_small)
{
	struct tally t = { 0 };
	size_t end = 0, n_words = 0;

	for (size_t at = 0;;) {
		size_t n = word_length(text + at);
		const struct number_word *w = n ? find(text + at, n) : NULL;

		/* "thousand" alone is a unit, or means "many". */
		if (!w || (n_words == 0 && w->multiplies && w->value > 100))
			break;
		count_word(&t, w);
		n_words++;
		end = at + n;
		if (text[end] != ' ' && text[end] != '-')
			break;
		at = end + 1;
	}
	*ret_value = t.done + t.part;
	*ret_small = n_words == 1 && *ret_value <= 12;
	return end;
}

enum wl_noun wl_scan_noun(const char *word, size_t n)
{
	static const struct {
		const char *word;
		enum wl_noun noun;
	} nouns[] = {
		{ "gpu", WL_NOUN_GPU },         { "device", WL_NOUN_GPU },
		{ "cuda", WL_NOUN_GPU },        { "rank", WL_NOUN_RANK },
		{ "step", WL_NOUN_STEP },       { "iteration", WL_NOUN_STEP },
		{ "iter", WL_NOUN_STEP },       { "stream", WL_NOUN_STREAM },
		{ "process", WL_NOUN_PROCESS }, { "processe", WL_NOUN_PROCESS },
		{ "pid", WL_NOUN_PROCESS },     { "thread", WL_NOUN_THREAD },
		{ "tid", WL_NOUN_THREAD },      { "node", WL_NOUN_NODE },
		{ "host", WL_NOUN_NODE },
	};

	for (size_t i = 0; i < WL_COUNT(nouns); i++) {
		size_t k = strlen(nouns[i].word);
		bool is_plural = n == k + 1 && (word[k] == 's' || word[k] == 'S');

		if ((n == k || is_plural) && strncasecmp(word, nouns[i].word, k) == 0)
			return nouns[i].noun;
	}
	return WL_NOUN_NONE;
}

/* "gpu", "src_rank", "device_id": any word in the key counts. */
enum wl_noun wl_noun_of_key(const char *key)
{
	while (*key) {
		size_t n = strcspn(key, "_. ");
		enum wl_noun noun = wl_scan_noun(key, n);

		/* gpu_time and step_share are measures, not numbers of a GPU or step. */
		if (noun && (key[n] == '\0' || strcasecmp(key + n, "_id") == 0))
			return noun;
		key += n + (key[n] != '\0');
	}
	return WL_NOUN_NONE;
}

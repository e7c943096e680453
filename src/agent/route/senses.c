/* SPDX-License-Identifier: MIT */
#include "agent/route/senses.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PHRASE = 7, MAX_FORM = 64 };

struct wl_vocabulary_entry {
	const char *words; /* n bytes of a list */
	size_t n;
	const char *concept; /* NULL: the words mean nothing */
	size_t order;        /* among equal words, the first in the file counts */
};

static const struct {
	const char *concept, *words;
} lists[] = {
#define WL_SAME(concept, words) { concept, words },
#include "agent/route/words.def"
#undef WL_SAME
#define WL_STOP(words) { NULL, words },
#include "agent/route/words.def"
#undef WL_STOP
};

bool wl_sense_exists(const char *sense, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(lists); i++) {
		if (lists[i].concept && strlen(lists[i].concept) == n &&
		    memcmp(lists[i].concept, sense, n) == 0)
			return true;
	}
	return false;
}

static int compare_words(const char *a, size_t n, const char *b, size_t m)
{
	int r = memcmp(a, b, n < m ? n : m);

	if (r)
		return r;
	return n < m ? -1 : n > m;
}

static int compare_entries(const void *a, const void *b)
{
	const struct wl_vocabulary_entry *x = a, *y = b;
	int r = compare_words(x->words, x->n, y->words, y->n);

	if (r)
		return r;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t count_words(void)
{
	size_t n = 0;

	for (size_t i = 0; i < WL_COUNT(lists); i++) {
		n++;
		for (const char *c = lists[i].words; *c; c++)
			n += *c == '|';
	}
	return n;
}

bool wl_vocabulary_init(struct wl_vocabulary *v, struct wl_arena *arena)
{
	v->n = 0;
	v->entry = WL_NEW(arena, struct wl_vocabulary_entry, count_words());
	if (!v->entry)
		return false;
	for (size_t i = 0; i < WL_COUNT(lists); i++) {
		for (const char *at = lists[i].words;; at++) {
			size_t n = strcspn(at, "|");

			v->entry[v->n] =
				(struct wl_vocabulary_entry){ at, n, lists[i].concept, v->n };
			v->n++;
			at += n;
			if (!*at)
				break;
		}
	}
	qsort(v->entry, v->n, sizeof(*v->entry), compare_entries);
	return true;
}

static const struct wl_vocabulary_entry *find(const struct wl_vocabulary *v, const char *words,
					      size_t n)
{
	size_t lo = 0, hi = v->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_words(v->entry[mid].words, v->entry[mid].n, words, n) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == v->n || compare_words(v->entry[lo].words, v->entry[lo].n, words, n) != 0)
		return NULL;
	return &v->entry[lo];
}

/* The meaningful words of a question: without numbers and the nouns that go with them. */
struct spoken {
	struct wl_question_word *word[WL_MAX_WORDS];
	size_t n;
};

static bool is_any(const char *key, const char *const *words)
{
	for (; *words; words++) {
		if (strcmp(key, *words) == 0)
			return true;
	}
	return false;
}

/* "on gpu 1", "in step 5": an option, not the subject of the question. */
static bool is_selector(const struct wl_question *q, size_t i)
{
	static const char *const before[] = { "on", "of", "in", "for", "at", NULL };
	static const char *const nouns[] = { "gpu",     "gpus",  "device", "stream",
					     "rank",    "ranks", "step",   "iteration",
					     "process", "pid",   NULL };

	return i > 0 && i + 1 < q->n && q->word[i + 1].kind == WL_WORD_NUMBER &&
	       is_any(q->word[i - 1].key, before) && is_any(q->word[i].key, nouns);
}

static void read_spoken(struct wl_question *q, struct spoken *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < q->n; i++) {
		if (q->word[i].kind != WL_WORD_NUMBER && !is_selector(q, i))
			ret->word[ret->n++] = &q->word[i];
	}
}

/* Join n words from the i-th on with blanks; 0 if they do not fit. */
static size_t join(const struct spoken *q, size_t i, size_t n, char buf[MAX_FORM])
{
	size_t used = 0;

	for (size_t k = i; k < i + n; k++) {
		size_t len = strlen(q->word[k]->key);

		if (used + len + 2 > MAX_FORM)
			return 0;
		if (k > i)
			buf[used++] = ' ';
		memcpy(buf + used, q->word[k]->key, len);
		used += len;
	}
	return used;
}

static bool ends(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n > m && memcmp(s + n - m, end, m) == 0;
}

/* Look up other forms of a word: without an ending, or with a different one. */
static const struct wl_vocabulary_entry *find_form(const struct wl_vocabulary *v, const char *key)
{
	static const struct {
		const char *end, *instead;
	} endings[] = { { "ies", "y" }, { "es", "" }, { "s", "" },  { "ing", "" },
			{ "ing", "e" }, { "ed", "" }, { "ed", "e" } };
	size_t n = strlen(key);
	char form[MAX_FORM];

	for (size_t i = 0; n < MAX_FORM - 2 && i < WL_COUNT(endings); i++) {
		const struct wl_vocabulary_entry *e;
		size_t m = n - strlen(endings[i].end);

		if (!ends(key, n, endings[i].end))
			continue;
		(void)snprintf(form, sizeof(form), "%.*s%s", (int)m, key, endings[i].instead);
		e = find(v, form, strlen(form));
		if (e)
			return e;
	}
	return NULL;
}

/* Cut a word that is not in the vocabulary to its stem, by which it is compared. */
static void cut_to_stem(char *key)
{
	static const char *const endings[] = { "ing", "es", "ed", "s" };
	size_t n = strlen(key);

	for (size_t i = 0; n > 4 && i < WL_COUNT(endings); i++) {
		if (ends(key, n, endings[i])) {
			key[n - strlen(endings[i])] = '\0';
			return;
		}
	}
}

static bool has(const char *const *list, size_t n, const char *sense)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], sense) == 0)
			return true;
	}
	return false;
}

/* A name in the vocabulary, such as cudaStreamSynchronize; other names stand for their kind. */
static const struct wl_vocabulary_entry *find_name(const struct wl_vocabulary *v,
						   const struct wl_question_word *w)
{
	size_t n = strlen(w->text);
	char form[MAX_FORM];

	if (w->kind == WL_WORD_PLAIN || w->kind == WL_WORD_NAME || n >= MAX_FORM)
		return NULL;
	for (size_t i = 0; i < n; i++)
		form[i] = (char)tolower((unsigned char)w->text[i]);
	return find(v, form, n);
}

/* The longest phrase from the i-th word on; *ret_n is its number of words. */
static const struct wl_vocabulary_entry *find_phrase(const struct wl_vocabulary *v,
						     const struct spoken *q, size_t i,
						     size_t *ret_n)
{
	const struct wl_vocabulary_entry *name = find_name(v, q->word[i]);
	char buf[MAX_FORM];

	*ret_n = 1;
	if (name)
		return name;
	for (size_t n = q->n - i < MAX_PHRASE ? q->n - i : MAX_PHRASE; n > 0; n--) {
		size_t len = join(q, i, n, buf);
		const struct wl_vocabulary_entry *e = len ? find(v, buf, len) : NULL;

		if (e) {
			*ret_n = n;
			return e;
		}
	}
	return find_form(v, q->word[i]->key);
}

size_t wl_senses_of(const struct wl_vocabulary *v, struct wl_question *q,
		    const char *ret[WL_MAX_WORDS])
{
	struct spoken spoken;
	size_t n = 0, step;

	read_spoken(q, &spoken);
	for (size_t i = 0; i < spoken.n; i += step) {
		const struct wl_vocabulary_entry *e = find_phrase(v, &spoken, i, &step);
		char *key = spoken.word[i]->key;

		if (e && !e->concept)
			continue;
		if (!e)
			cut_to_stem(key);
		if (!has(ret, n, e ? e->concept : key))
		ret[n++] = e ? e->concept : key;
	}
	return n;
}

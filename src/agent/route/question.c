/* SPDX-License-Identifier: MIT */
#include "agent/route/question.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	if (is_upper(c))
		return letters[c - 'A'];
	return c;
}

/* Whether a character is part of a word; bytes beyond ASCII are. */
static bool is_word(char c)
{
	return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z') || c == '_' || c == ':' ||
	       c == '.' || (unsigned char)c >= 0x80;
}

/* A percent sign after a number, "20%". */
static bool is_percent(const char *from, const char *at)
{
	return *at == '%' && at > from && is_digit(at[-1]) && is_digit(*from);
}

static bool begins(const char *s, const char *with)
{
	return strncasecmp(s, with, strlen(with)) == 0;
}

static bool begins_any(const char *s, const char *const *with)
{
	for (; *with; with++) {
		if (begins(s, *with))
			return true;
	}
	return false;
}

/* "cudaMalloc" for "cuda": a capital letter follows the prefix. */
static bool is_camel(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) == 0 && is_upper(s[n]);
}

static const char *const tables[] = { "CUPTI_ACTIVITY", "NVTX_EVENTS", "StringIds", "TARGET_INFO",
				      "META_DATA_",     "OSRT_API",    NULL };
static const char *const os_names[] = { "pthread_", "sem_", "epoll_", NULL };

static enum wl_word_kind kind_of(const char *s)
{
	if (is_digit(s[0]))
		return WL_WORD_NUMBER;
	if (begins_any(s, tables))
		return WL_WORD_TABLE;
	if (is_camel(s, "cuda") || is_camel(s, "cu"))
		return WL_WORD_API;
	if (begins_any(s, os_names))
		return WL_WORD_OS;
	if (is_camel(s, "nccl") && !strchr(s, '_'))
		return WL_WORD_NCCL;
	if ((strchr(s, '_') && strlen(s) > 4) || strstr(s, "::"))
		return WL_WORD_KERNEL;
	return WL_WORD_PLAIN;
}

/* What phrases.def and words.def write for a kind of word; NULL: the word itself. */
static const char *stand_in(enum wl_word_kind kind)
{
	static const char *const names[] = {
		[WL_WORD_NAME] = "quotedname", [WL_WORD_KERNEL] = "kernelname",
		[WL_WORD_API] = "apiname",     [WL_WORD_OS] = "osname",
		[WL_WORD_NCCL] = "ncclname",   [WL_WORD_TABLE] = "tablename",
	};

	return kind < WL_COUNT(names) ? names[kind] : NULL;
}

/* Copy n bytes. The copy always fits: the buffer has room for each byte of a question twice. */
static char *keep(struct wl_question *q, const char *s, size_t n)
{
	char *at = q->buf + q->used;

	memcpy(at, s, n);
	at[n] = '\0';
	q->used += n + 1;
	return at;
}

/* Change British spelling to American: "optimiser". */
static void spell(char *key)
{
	static const char *const endings[] = { "iser",  "isers",   "ised",
					       "ising", "isation", "isations" };
	enum { LEAST = 8 };
	size_t n = strlen(key);

	for (size_t i = 0; n >= LEAST && i < WL_COUNT(endings); i++) {
		size_t m = strlen(endings[i]);

		if (strcmp(key + n - m, endings[i]) == 0)
			key[n - m + 1] = 'z';
	}
}

static void add(struct wl_question *q, const char *s, size_t n, enum wl_word_kind kind)
{
	struct wl_question_word *w = &q->word[q->n];
	const char *name;

	w->text = keep(q, s, n);
	w->kind = kind == WL_WORD_NAME ? kind : kind_of(w->text);
	name = stand_in(w->kind);
	if (name && q->used + strlen(name) + 1 < sizeof(q->buf))
		w->key = keep(q, name, strlen(name));
	else
		w->key = keep(q, s, n);
	for (char *c = w->key; *c; c++)
		*c = lower(*c);
	if (w->kind == WL_WORD_PLAIN)
		spell(w->key);
	q->n++;
}

/* "named validation": the next word is a name, unless it is a function word. */
static bool names_next(const struct wl_question *q)
{
	const char *last = q->n ? q->word[q->n - 1].key : "";

	return strcmp(last, "named") == 0 || strcmp(last, "called") == 0;
}

static bool is_small(const char *s, size_t n)
{
	static const char *const words[] = { "and", "in",   "on", "per",  "by", "from",   "the",
					     "a",   "each", "or", "with", "at", "during", NULL };

	for (size_t i = 0; words[i]; i++) {
		if (strlen(words[i]) == n && strncasecmp(words[i], s, n) == 0)
			return true;
	}
	return false;
}

/* Add the word of n bytes, without punctuation that ends a sentence. */
static void add_word(struct wl_question *q, const char *s, size_t n)
{
	while (n && (s[n - 1] == '.' || s[n - 1] == ':'))
		n--;
	while (n && (*s == '.' || *s == ':')) {
		s++;
		n--;
	}
	if (n == 0)
		return;
	add(q, s, n, names_next(q) && !is_small(s, n) ? WL_WORD_NAME : WL_WORD_PLAIN);
}

/* Whether there is room for a word of n bytes, its key and its stand-in. */
static bool has_room(const struct wl_question *q, size_t n)
{
	return q->n < WL_MAX_WORDS && q->used + 2 * n + 16 < sizeof(q->buf);
}

void wl_question_read(struct wl_question *q, const char *text)
{
	const char *end = text + strnlen(text, WL_MAX_QUESTION);

	q->n = q->used = 0;
	while (text < end) {
		const char *quote =
			*text == '"' ? memchr(text + 1, '"', (size_t)(end - text - 1)) : NULL;
		const char *from = text;

		if (quote && quote > text + 1 && has_room(q, (size_t)(quote - text))) {
			add(q, text + 1, (size_t)(quote - text - 1), WL_WORD_NAME);
			text = quote + 1;
			continue;
		}
		while (text < end && (is_word(*text) || is_percent(from, text)))
			text++;
		if (text > from && has_room(q, (size_t)(text - from)))
			add_word(q, from, (size_t)(text - from));
		else if (text == from)
			text++;
	}
}

bool wl_question_says(const struct wl_question *q, const char *const *words, size_t most)
{
	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = 0; k < most && words[k]; k++) {
			if (strcmp(q->word[i].key, words[k]) == 0)
				return true;
		}
	}
	return false;
}

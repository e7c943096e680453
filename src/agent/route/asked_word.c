/* SPDX-License-Identifier: MIT */
#include "agent/route/asked_word.h"

#include <string.h>
#include <strings.h>

#include "agent/explain/explanation.h"
#include "agent/explain/kernel_page.h"

enum { MAX_ASKED = 400, MEMORY = 1 << 22 };

/* How such questions begin, the longest first; is_plain: nothing else could be meant. */
static const struct {
	const char *text;
	bool is_plain;
} openings[] = {
	{ "what is the definition of", true },
	{ "what is the meaning of", true },
	{ "what's the meaning of", true },
	{ "what is meant by", true },
	{ "the definition of", true },
	{ "definition of", true },
	{ "the meaning of", true },
	{ "meaning of", true },
	{ "what exactly is", false },
	{ "what does", false },
	{ "what are", false },
	{ "what is", false },
	{ "what's", false },
	{ "whats", false },
	{ "explain", true },
	{ "define", true },
};

/* How such questions end. */
static const char *const closings[] = { "stand for", "mean", "means", "do" };

/* Nouns that name the kind of the word, before or after it. */
static const char *const nouns[] = { "finding", "column", "term",   "kernel", "word",
				     "metric",  "verb",   "metric", "table",  "option" };

struct asked {
	char buf[MAX_ASKED];
	char *at; /* the rest of the question */
	bool is_plain, has_the;
};

/* Cut a word off the start of the text, with the blanks after it. */
static bool cut_begin(struct asked *a, const char *word)
{
	size_t n = strlen(word);

	if (strncasecmp(a->at, word, n) != 0 || (a->at[n] != ' ' && a->at[n] != '\0'))
		return false;
	a->at += n;
	a->at += strspn(a->at, " ");
	return true;
}

static bool cut_end(struct asked *a, const char *word)
{
	size_t n = strlen(a->at), m = strlen(word);

	if (n <= m + 1 || a->at[n - m - 1] != ' ' || strcasecmp(a->at + n - m, word) != 0)
		return false;
	a->at[n - m - 1] = '\0';
	return true;
}

static void cut_marks(struct asked *a)
{
	size_t n = strlen(a->at);

	while (n && strchr(" ?!.\"'", a->at[n - 1]))
		a->at[--n] = '\0';
	a->at += strspn(a->at, " \"'");
}

static bool cut_opening(struct asked *a)
{
	for (size_t i = 0; i < WL_COUNT(openings); i++) {
		if (cut_begin(a, openings[i].text)) {
			a->is_plain = openings[i].is_plain;
			return true;
		}
	}
	return false;
}

static void cut_rest(struct asked *a)
{
	for (size_t i = 0; i < WL_COUNT(closings); i++) {
		if (cut_end(a, closings[i]))
			a->is_plain = true;
	}
	a->has_the = cut_begin(a, "the");
	if (!a->has_the && (cut_begin(a, "a") || cut_begin(a, "an")))
		a->is_plain = true;
	for (size_t i = 0; i < WL_COUNT(nouns); i++) {
		if (cut_begin(a, nouns[i]) || cut_end(a, nouns[i]))
			a->is_plain = true;
	}
	cut_marks(a);
}

/* Whether it can be explained; a kernel name with blanks only if its library is known. */
static bool is_known(const char *word, enum wl_explained *ret_kind)
{
	struct wl_explanation e;
	struct wl_arena arena;
	struct wl_err err;
	bool ok;

	wl_arena_init(&arena, MEMORY);
	ok = wl_explanation_of(word, &arena, &e, &err) == WL_OK;
	if (ok)
		*ret_kind = e.kind;
	wl_arena_release(&arena);
	return ok && (*ret_kind != WL_EXPLAINED_KERNEL || !strchr(word, ' ') ||
		      wl_kernel_page_knows(word));
}

bool wl_asked_word_find(const char *question, struct wl_route_result *ret)
{
	enum wl_explained kind = WL_EXPLAINED_TERM;
	struct asked a = { .at = a.buf };
	size_t n = strnlen(question, MAX_ASKED);

	if (n >= MAX_ASKED)
		return false;
	memcpy(a.buf, question, n + 1);
	cut_marks(&a);
	if (!cut_opening(&a))
		return false;
	cut_rest(&a);
	if (!*a.at || !is_known(a.at, &kind))
		return false;
	/* "what is the overlap" asks for a number in the trace, "what is overlap" for a meaning. */
	if (kind != WL_EXPLAINED_KERNEL && a.has_the && !a.is_plain)
		return false;
	n = strlen(a.at);
	memcpy(ret->text, a.at, n + 1);
	ret->used = n + 1;
	ret->kind = WL_ROUTE_VERB;
	ret->verb = "explain";
	ret->operand = ret->text;
	ret->score = 1;
	ret->near[0] = ret->verb;
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "agent/explain/explanation.h"

#include <string.h>

#include "agent/explain/kernel_page.h"
#include "agent/explain/prose.h"
#include "agent/explain/registry_page.h"
#include "agent/explain/terms.h"
#include "agent/explain/whole_pages.h"
#include "base/text/clean.h"
#include "base/text/nearest.h"
#include "findings/codes.h"
#include "known/builtin.h"

enum { MAX_WORD = 100 };

static const char findings[] = "findings";

const char *wl_explain_word(size_t i)
{
	size_t n = 0, n_pages = 0;

	while (wl_finding_code(n))
		n++;
	while (wl_whole_page_name(n_pages))
		n_pages++;
	if (i < n)
		return wl_finding_code(i);
	return i < n + n_pages ? wl_whole_page_name(i - n) : wl_registry_verb(i - n - n_pages);
}

static bool put_term(struct wl_prose *p, const char *term)
{
	size_t before = p->n;

	wl_prose_say(p, "# %s\n\n", term);
	if (wl_term_put(p, term))
		return true;
	p->n = before;
	if (p->text)
		p->text[before] = '\0';
	return false;
}

/* The kinds of sections about a word, in output order. */
static const struct {
	enum wl_explained kind;
	bool (*put)(struct wl_prose *p, const char *word);
} sections[] = {
	{ WL_EXPLAINED_PAGE, wl_whole_page_put },
	{ WL_EXPLAINED_VERB, wl_registry_put_verb },
	{ WL_EXPLAINED_TERM, put_term },
	{ WL_EXPLAINED_COLUMN, wl_registry_put_column },
	{ WL_EXPLAINED_EXPORT, wl_registry_put_export },
};

/* Returns how many sections were added, and writes the kind of the first. */
static size_t put_sections(struct wl_prose *p, const char *word, enum wl_explained *ret_kind)
{
	size_t n = 0;

	if (strlen(word) > MAX_WORD)
		return 0;
	for (size_t i = 0; i < WL_COUNT(sections); i++) {
		if (!sections[i].put(p, word))
			continue;
		if (n == 0)
			*ret_kind = sections[i].kind;
		n++;
	}
	return n;
}

/* A term's names are separated by bars; a copy of each is offered. */
static bool offer_terms(struct wl_nearest *nearest, struct wl_arena *arena)
{
	const char *names;

	for (size_t i = 0; (names = wl_term_name(i)); i++) {
		char *copy = wl_arena_strdup(arena, names);

		if (!copy)
			return false;
		for (char *at = copy; at;) {
			char *bar = strchr(at, '|');

			if (bar)
				*bar = '\0';
			wl_nearest_offer(nearest, at);
			at = bar ? bar + 1 : NULL;
		}
	}
	return true;
}

static int refuse(const char *what, struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_nearest nearest;
	const char *word;

	wl_nearest_init(&nearest, what);
	for (size_t i = 0; (word = wl_explain_word(i)); i++)
		wl_nearest_offer(&nearest, word);
	if (!offer_terms(&nearest, arena))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
	word = wl_nearest_get(&nearest);
	if (word)
		return wl_fail(reterr, WL_E_USAGE,
			       "nothing is known about \"%.60s\"; did you mean %s?", what, word);
	return wl_fail(reterr, WL_E_USAGE,
		       "nothing is known about \"%.60s\"; \"warplens explain\" lists what is",
		       what);
}

int wl_explanation_of(const char *what, struct wl_arena *arena, struct wl_explanation *ret,
		      struct wl_err *reterr)
{
	struct wl_prose page = { .arena = arena };
	enum wl_explained kind = WL_EXPLAINED_FINDING;
	size_t size;
	int r = WL_OK;

	ret->kind = kind;
	ret->text = wl_builtin_find(findings, what, &size);
	if (ret->text)
		return WL_OK;
	if (*what == '\0' || put_sections(&page, what, &kind) == 0) {
		if (*what == '\0' || (!wl_kernel_page_knows(what) && !wl_kernel_page_is_name(what)))
			return refuse(what, arena, reterr);
		kind = WL_EXPLAINED_KERNEL;
		what = wl_clean_line(what, arena); /* the page quotes the name and its parts */
		if (!what)
			return wl_fail(reterr, WL_E_NOMEM, "no memory for the page");
		r = wl_kernel_page_put(&page, what, reterr);
	}
	if (r < 0)
		return r;
	ret->kind = kind;
	ret->text = wl_prose_end(&page, reterr);
	return ret->text ? WL_OK : WL_E_NOMEM;
}

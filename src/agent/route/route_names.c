/* SPDX-License-Identifier: MIT */
#include "agent/route/route_names.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "known/kernels/kernels.h"

enum { MAX_WORD = 64, MAX_NAME = 120 };

/* Whether a name can stand in a filter or an expression: it has no quotes or special characters. */
static bool is_harmless(const char *name)
{
	return strlen(name) < MAX_NAME && !strpbrk(name, "\"'\\()[]{}<>*+?|^$\n\t");
}

/* The column that holds names of this kind; NULL: the verb has none. */
static const char *name_column(const struct wl_reading *r, enum wl_word_kind kind)
{
	if (kind == WL_WORD_KERNEL && wl_reading_has_column(r, "kernel") &&
	    !wl_reading_is_verb(r, "categories"))
		return "kernel";
	if (kind == WL_WORD_NAME && wl_reading_is_verb(r, "nvtx-kernels"))
		return "path";
	if (kind == WL_WORD_API && !wl_reading_is_verb(r, "api") && !wl_reading_is_verb(r, "sync"))
		return NULL;
	return wl_reading_has_column(r, "name") && !wl_reading_is_verb(r, "overlap") &&
			       !wl_reading_is_verb(r, "setup")
		       ? "name"
		       : NULL;
}

/* Add a condition for all names that belong to the same column as the first. */
static void find_names(struct wl_reading *r)
{
	char text[WL_READING_WHERE] = "";
	const char *column = NULL;
	size_t used = 0, n = 0;

	for (size_t i = 0; i < r->q->n; i++) {
		const struct wl_question_word *w = &r->q->word[i];
		const char *of = w->kind == WL_WORD_PLAIN || w->kind == WL_WORD_NUMBER
					 ? NULL
					 : name_column(r, w->kind);

		if (!of || !is_harmless(w->text) || (column && strcmp(column, of) != 0) ||
		    used + strlen(w->text) + 32 > sizeof(text))
			continue;
		column = of;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s ~ \"%s\"",
					 n++ ? " or " : "", column, w->text);
	}
	if (n)
		wl_reading_where(r, text);
}

/* Common words for categories that have other names. */
static const struct {
	const char *word, *category;
} nicknames[] = {
	{ "gemms", "gemm" },
	{ "matmul", "gemm" },
	{ "matmuls", "gemm" },
	{ "attn", "attention" },
	{ "layernorm", "norm" },
	{ "rmsnorm", "norm" },
	{ "norms", "norm" },
	{ "pointwise", "elementwise" },
	{ "conv", "convolution" },
	{ "convs", "convolution" },
	{ "convolutions", "convolution" },
	{ "experts", "moe" },
	{ "reductions", "reduction" },
	{ "embeddings", "embedding" },
	{ "activations", "activation" },
	{ "quantization", "quantisation" },
};

const char *wl_route_names_category(const char *key)
{
	for (size_t i = 0; i < WL_COUNT(nicknames); i++) {
		if (strcmp(nicknames[i].word, key) == 0)
			return nicknames[i].category;
	}
	for (int c = 0; c < WL_N_NAMED_CATEGORIES; c++) {
		if (c != WL_CATEGORY_COMMUNICATION && c != WL_CATEGORY_MEMORY &&
		    strcmp(wl_category_word((enum wl_category)c), key) == 0)
			return wl_category_word((enum wl_category)c);
	}
	return NULL;
}

/* "gemm" and "attention" filter kernels and categories, unless a name was given. */
static void find_categories(struct wl_reading *r)
{
	char text[WL_READING_WHERE];
	size_t used = 0, n = 0;

	if ((!wl_reading_is_verb(r, "kernels") && !wl_reading_is_verb(r, "categories") &&
	     !wl_reading_is_verb(r, "ops")) ||
	    r->where[0])
		return;
	text[0] = '\0';
	for (size_t i = 0; i < r->q->n; i++) {
		const char *category = wl_route_names_category(r->q->word[i].key);

		if (!category || used + strlen(category) + 24 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%scategory = %s",
					 n ? " or " : "", category);
		n++;
	}
	if (n)
		wl_reading_where(r, text);
}

/* The kind of collective that one or two words name; WL_OTHER for none. */
static enum wl_collective collective_at(const struct wl_reading *r, size_t i, size_t n)
{
	char joined[MAX_WORD];

	if (i + n > r->q->n)
		return WL_OTHER;
	(void)snprintf(joined, sizeof(joined), "%s%s", r->q->word[i].key,
		       n == 2 ? r->q->word[i + 1].key : "");
	for (int c = 0; c < WL_OTHER; c++) {
		if (strcmp(wl_collective_key((enum wl_collective)c), joined) == 0)
			return (enum wl_collective)c;
	}
	return WL_OTHER;
}

/* "time in all-reduce" */
static void find_collectives(struct wl_reading *r)
{
	char text[WL_READING_WHERE] = "";
	size_t used = 0;

	for (size_t i = 0; wl_reading_is_verb(r, "nccl") && i < r->q->n; i++) {
		enum wl_collective two = collective_at(r, i, 2),
				   c = two == WL_OTHER ? collective_at(r, i, 1) : two;

		if (c == WL_OTHER || used + 40 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%stype = %s",
					 used ? " or " : "", wl_collective_title(c));
		i += two != WL_OTHER;
	}
	if (used)
		wl_reading_where(r, text);
}

/* Directions of copies, in common words. */
static void find_copies(struct wl_reading *r)
{
	static const struct {
		const char *kind, *words[6], *from, *to;
	} kinds[] = {
		{ "HtoD", { "h2d", "htod", "upload", "uploads", "uploaded" }, "host", "device" },
		{ "DtoH", { "d2h", "dtoh", "download", "downloads" }, "device", "host" },
		{ "PtoP", { "p2p", "ptop" }, "peer", "peer" },
		{ "DtoD", { "d2d", "dtod" }, "device", "device" },
	};
	char text[WL_READING_WHERE] = "";
	size_t used = 0;

	if (!wl_reading_has_column(r, "src") && !wl_reading_is_verb(r, "ops"))
		return;
	for (size_t k = 0; k < WL_COUNT(kinds); k++) {
		bool is_named = false;

		for (size_t i = 0; i < r->q->n && !is_named; i++)
			is_named = wl_reading_is_any(r, i, kinds[k].words) ||
				   (wl_reading_is(r, i, kinds[k].from) &&
				    wl_reading_is(r, i + 1, "to") &&
				    wl_reading_is(r, i + 2, kinds[k].to));
		if (is_named)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%s%s %s", used ? " or " : "",
				wl_reading_is_verb(r, "ops") ? "name ~" : "kind =", kinds[k].kind);
	}
	if (used)
		wl_reading_where(r, text);
}

/* Copies among the calls that wait. */
static void find_waiting_copies(struct wl_reading *r)
{
	static const char *const copies[] = { "memcpy", "memcpys",   "copies",
					      "copy",   "memcopies", NULL };

	if (!wl_reading_is_verb(r, "sync") || r->where[0])
		return;
	for (size_t i = 0; i < r->q->n; i++) {
		if (!wl_reading_is_any(r, i, copies))
			continue;
		wl_reading_where(r, "name ~ Memcpy");
		return;
	}
}

const char *wl_route_names_sought(const struct wl_reading *r)
{
	static const char *const others[] = {
		"find",  "search",  "for",    "event",      "events", "kernel", "nvtx",
		"range", "ranges",  "call",   "calls",      "api",    "trace",  "name",
		"names", "named",   "called", "everything", "all",    "the",    "in",
		"of",    "a",       "an",     "is",         "there",  "grep",   "look",
		"any",   "kernels", "this",   "file",       "me",     "locate", "where",
		"does",  "do",      "it",     "run",        "would",  "we",     "are",
		"have",  "has",     "use",    "used",       "with",   "if",     NULL
	};
	const char *last = NULL;

	for (size_t i = 0; i < r->q->n; i++) {
		const struct wl_question_word *w = &r->q->word[i];

		if (w->kind == WL_WORD_NUMBER || !is_harmless(w->text))
			continue;
		if (w->kind != WL_WORD_PLAIN)
			return w->text;
		/* "grep for memcpy in API calls": the first word after "for" or "called". */
		if (!wl_reading_is_any(r, i, others) && !last)
			last = w->text;
	}
	return last;
}

void wl_route_names_find(struct wl_reading *r)
{
	find_names(r);
	find_categories(r);
	find_collectives(r);
	find_copies(r);
	find_waiting_copies(r);
}

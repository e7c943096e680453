/* SPDX-License-Identifier: MIT */
#include "agent/route/route_args.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "known/kernels.h"
#include "session/document_info.h"

enum { MAX_LIST = 64, MAX_WHERE = 400, MAX_NAME = 120 };

/* A question being read, and the filter that grows meanwhile. */
struct reading {
	const struct wl_question *q;
	const struct wl_analysis *of; /* NULL: a document or a command */
	struct wl_route_result *ret;
	char where[MAX_WHERE];
};

/* A copy in the result; NULL where it does not fit. */
static const char *keep(struct wl_route_result *ret, const char *s)
{
	size_t n = strlen(s) + 1;
	char *at = ret->text + ret->used;

	if (n > sizeof(ret->text) - ret->used)
		return NULL;
	memcpy(at, s, n);
	ret->used += n;
	return at;
}

static void add(struct wl_route_result *ret, const char *option, const char *value)
{
	const char *copy = value ? keep(ret, value) : NULL;

	if ((value && !copy) || ret->n_args + 2 > WL_ROUTE_ARGS)
		return;
	ret->arg[ret->n_args++] = option;
	if (copy)
		ret->arg[ret->n_args++] = copy;
}

static bool is_key(const struct reading *r, size_t i, const char *word)
{
	return i < r->q->n && strcmp(r->q->word[i].key, word) == 0;
}

static bool is_one_of(const struct reading *r, size_t i, const char *const *words)
{
	for (; *words; words++) {
		if (is_key(r, i, *words))
			return true;
	}
	return false;
}

static bool is_number(const struct reading *r, size_t i)
{
	return i < r->q->n && r->q->word[i].kind == WL_WORD_NUMBER;
}

/* Digits only. */
static bool is_count(const struct reading *r, size_t i)
{
	return is_number(r, i) &&
	       strspn(r->q->word[i].text, "0123456789") == strlen(r->q->word[i].text) &&
	       strlen(r->q->word[i].text) < 8;
}

static bool has_column(const struct reading *r, const char *key)
{
	for (size_t i = 0; r->of && i < r->of->n_cols; i++) {
		if (strcmp(r->of->cols[i].key, key) == 0)
			return true;
	}
	return false;
}

static bool has_param(const struct reading *r, const char *key)
{
	for (size_t i = 0; r->of && i < r->of->n_params; i++) {
		if (strcmp(r->of->params[i].key, key) == 0)
			return true;
	}
	return false;
}

/* One more condition of --where. */
static void add_where(struct reading *r, const char *condition)
{
	size_t n = strlen(r->where);

	if (n + strlen(condition) + 6 > sizeof(r->where))
		return;
	(void)snprintf(r->where + n, sizeof(r->where) - n, "%s%s", n ? " and " : "", condition);
}

static bool is_verb(const struct reading *r, const char *name)
{
	return strcmp(r->ret->verb, name) == 0;
}

/* --- numbers that follow a word: gpu 0, rank 3, stream 7 ------------------------------------ */

/* "0", "0,3", "0 and 3", "0 and gpu 3" from the i-th word on, as "0,3". Returns words taken. */
static size_t read_list(const struct reading *r, size_t i, const char *const *nouns,
			char buf[MAX_LIST])
{
	size_t from = i, used = 0;

	while (is_count(r, i)) {
		size_t n = strlen(r->q->word[i].text);

		if (used + n + 2 > MAX_LIST)
			break;
		used += (size_t)snprintf(buf + used, MAX_LIST - used, "%s%s", used ? "," : "",
					 r->q->word[i].text);
		i++;
		if (is_key(r, i, "and") || is_key(r, i, "vs") || is_key(r, i, "versus"))
			i++;
		if (is_one_of(r, i, nouns) && is_count(r, i + 1))
			i++;
	}
	return i - from;
}

struct selector {
	const char *nouns[6]; /* NULL ends */
	const char *option;
	const char *column;
};

static const struct selector selectors[] = {
	{ { "gpu", "gpus", "device", "devices", NULL }, "--gpu", "device" },
	{ { "rank", "ranks", NULL }, "--rank", "rank" },
	{ { "stream", "streams", NULL }, "--stream", "stream" },
	{ { "pid", "process", "pids", NULL }, "--pid", "pid" },
};

/* Verbs that compare rows: the others are needed for the answer, and are filtered out of it. */
static bool is_filtered(const struct reading *r, const struct selector *s)
{
	return (is_verb(r, "ranks") || is_verb(r, "setup") ||
		(is_verb(r, "streams") && strcmp(s->option, "--stream") == 0)) &&
	       has_column(r, s->column);
}

static void add_filter(struct reading *r, const char *column, const char *list)
{
	char text[MAX_WHERE];
	size_t used = 0;

	text[0] = '\0';
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");

		if (used + n + 40 > sizeof(text))
			return;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s = %.*s",
					 used ? " or " : "", column, (int)n, at);
		at += n + (at[n] == ',');
	}
	if (strchr(list, ',')) {
		char both[MAX_WHERE + 4];

		(void)snprintf(both, sizeof(both), "(%s)", text);
		add_where(r, both);
		return;
	}
	add_where(r, text);
}

static void find_selections(struct reading *r)
{
	for (size_t k = 0; k < WL_COUNT(selectors); k++) {
		const struct selector *s = &selectors[k];
		char list[MAX_LIST];

		for (size_t i = 0; i + 1 < r->q->n; i++) {
			if (!is_one_of(r, i, s->nouns) || !read_list(r, i + 1, s->nouns, list))
				continue;
			if (is_filtered(r, s))
				add_filter(r, s->column, list);
			else
				add(r->ret, s->option, list);
			break;
		}
	}
}

/* --- windows ---------------------------------------------------------------------------------- */

/* A time with its unit as one text: "39s", or "39" and "s". Returns words taken, 0 for none. */
static size_t read_time(const struct reading *r, size_t i, char buf[MAX_LIST])
{
	static const char *const units[] = { "ns", "us", "ms", "s", "sec", "seconds", NULL };
	const char *unit;

	if (!is_number(r, i) || strlen(r->q->word[i].text) > 20)
		return 0;
	unit = r->q->word[i].text + strspn(r->q->word[i].text, "0123456789.");
	(void)snprintf(buf, MAX_LIST, "%s", r->q->word[i].text);
	if (*unit)
		return strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0 ||
				       strcmp(unit, "us") == 0 || strcmp(unit, "ns") == 0
			       ? 1
			       : 0;
	if (!is_one_of(r, i + 1, units))
		return 0;
	(void)snprintf(buf, MAX_LIST, "%s%s", r->q->word[i].text,
		       r->q->word[i + 1].key[0] == 's' ? "s" : r->q->word[i + 1].key);
	return 2;
}

/* "between 39s and 42s", "from 1 ms to 2 ms" */
static bool find_between(struct reading *r)
{
	for (size_t i = 0; i + 2 < r->q->n; i++) {
		char from[MAX_LIST], to[MAX_LIST], window[2 * MAX_LIST + 4];
		size_t n;

		if (!is_key(r, i, "between") && !is_key(r, i, "from"))
			continue;
		n = read_time(r, i + 1, from);
		if (!n || (!is_key(r, i + 1 + n, "and") && !is_key(r, i + 1 + n, "to")) ||
		    !read_time(r, i + 2 + n, to))
			continue;
		(void)snprintf(window, sizeof(window), "%s..%s", from, to);
		add(r->ret, "--window", window);
		return true;
	}
	return false;
}

/* "1s..1.2s" as one word. */
static bool find_dots(struct reading *r)
{
	for (size_t i = 0; i < r->q->n; i++) {
		if (is_number(r, i) && strstr(r->q->word[i].text, "..") &&
		    strspn(r->q->word[i].text, "0123456789.nmus") == strlen(r->q->word[i].text)) {
			add(r->ret, "--window", r->q->word[i].text);
			return true;
		}
	}
	return false;
}

static bool find_step(struct reading *r)
{
	static const char *const steps[] = { "step", "iteration", "iter", NULL };

	for (size_t i = 0; i + 1 < r->q->n; i++) {
		char text[MAX_LIST];

		if (!is_one_of(r, i, steps) || !is_count(r, i + 1))
			continue;
		(void)snprintf(text, sizeof(text), is_verb(r, "iters") ? "iter = %s" : "iter:%s",
			       r->q->word[i + 1].text);
		if (is_verb(r, "iters"))
			add_where(r, text);
		else
			add(r->ret, "--window", text);
		return true;
	}
	return false;
}

static void find_window(struct reading *r)
{
	if (find_between(r) || find_dots(r) || find_step(r))
		return;
	for (size_t i = 0; i < r->q->n; i++) {
		if (!is_key(r, i, "steady"))
			continue;
		if (is_verb(r, "iters"))
			add(r->ret, "--steady", NULL);
		else
			add(r->ret, "--window", "steady");
		return;
	}
}

/* --- how many rows ------------------------------------------------------------------------------
 */

/* What a word counts: "10", "five"; NULL for no number. */
static const char *count_of(const struct reading *r, size_t i)
{
	static const char *const names[] = { "two",   "three", "four", "five", "six",
					     "seven", "eight", "nine", "ten" };
	static const char *const digits[] = { "2", "3", "4", "5", "6", "7", "8", "9", "10" };

	if (is_count(r, i))
		return r->q->word[i].text;
	for (size_t k = 0; k < WL_COUNT(names); k++) {
		if (is_key(r, i, names[k]))
			return digits[k];
	}
	return NULL;
}

/* "top 10", "the 20 longest", "five most expensive" */
static void find_limit(struct reading *r)
{
	static const char *const before[] = { "top", "first", NULL };
	static const char *const behind[] = { "longest",  "slowest",   "largest", "biggest",
					      "heaviest", "hottest",   "most",    "top",
					      "worst",    "costliest", NULL };

	for (size_t i = 0; i < r->q->n; i++) {
		const char *n = count_of(r, i);

		if (n && ((i && is_one_of(r, i - 1, before)) || is_one_of(r, i + 1, behind))) {
			add(r->ret, "-n", n);
			return;
		}
	}
}

/* --- names
 * ------------------------------------------------------------------------------------------ */

/* As it is in a filter or an expression: what would end the quotes or mean something is left out.
 */
static bool is_harmless(const char *name)
{
	return strlen(name) < MAX_NAME && !strpbrk(name, "\"'\\()[]{}<>*+?|^$\n\t");
}

/* The column that names of this kind are in; NULL: the verb has none. */
static const char *name_column(const struct reading *r, enum wl_word_kind kind)
{
	if (kind == WL_WORD_KERNEL && has_column(r, "kernel") && !is_verb(r, "categories"))
		return "kernel";
	if (kind == WL_WORD_NAME && is_verb(r, "nvtx-kernels"))
		return "path";
	if (kind == WL_WORD_API && !is_verb(r, "api") && !is_verb(r, "sync"))
		return NULL;
	return has_column(r, "name") && !is_verb(r, "overlap") && !is_verb(r, "setup") ? "name"
										       : NULL;
}

static void find_names(struct reading *r)
{
	for (size_t i = 0; i < r->q->n; i++) {
		const struct wl_question_word *w = &r->q->word[i];
		const char *column = w->kind == WL_WORD_PLAIN || w->kind == WL_WORD_NUMBER
					     ? NULL
					     : name_column(r, w->kind);
		char condition[MAX_NAME + 32];

		if (!column || !is_harmless(w->text))
			continue;
		(void)snprintf(condition, sizeof(condition), "%s ~ \"%s\"", column, w->text);
		add_where(r, condition);
		return;
	}
}

/* Words of people for categories whose names they are not. */
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

static const char *category_of(const char *key)
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

/* "gemm" and "attention" filter kernels by category, unless a name was given. */
static void find_categories(struct reading *r)
{
	char text[MAX_WHERE];
	size_t used = 0, n = 0;

	if (!is_verb(r, "kernels") || r->where[0])
		return;
	text[0] = '\0';
	for (size_t i = 0; i < r->q->n; i++) {
		const char *category = category_of(r->q->word[i].key);

		if (!category || used + strlen(category) + 24 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%scategory = %s",
					 n ? " or " : "", category);
		n++;
	}
	if (n)
		add_where(r, text);
}

/* The kind of collective that a word names, or two words; WL_OTHER for none. */
static enum wl_collective collective_at(const struct reading *r, size_t i, size_t n)
{
	char joined[MAX_LIST];

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
static void find_collectives(struct reading *r)
{
	char text[MAX_WHERE] = "";
	size_t used = 0;

	for (size_t i = 0; is_verb(r, "nccl") && i < r->q->n; i++) {
		enum wl_collective two = collective_at(r, i, 2),
				   c = two == WL_OTHER ? collective_at(r, i, 1) : two;

		if (c == WL_OTHER || used + 40 > sizeof(text))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%stype = %s",
					 used ? " or " : "", wl_collective_title(c));
		i += two != WL_OTHER;
	}
	if (used)
		add_where(r, text);
}

/* "gaps longer than 1 ms" */
static void find_least(struct reading *r)
{
	static const char *const than[] = { "than", "over", "above", "least", "exceeding", NULL };

	for (size_t i = 0; has_param(r, "min") && i + 1 < r->q->n; i++) {
		char text[MAX_LIST];

		if (is_one_of(r, i, than) && read_time(r, i + 1, text)) {
			add(r->ret, "--min", text);
			return;
		}
	}
}

/* --- what a verb must have
 * -------------------------------------------------------------------------- */

/* What is searched for: a name, or the last word that is not about searching. */
static const char *sought(const struct reading *r)
{
	static const char *const others[] = {
		"find",   "search",     "for",   "event", "events", "kernel",  "nvtx",  "range",
		"ranges", "call",       "calls", "api",   "trace",  "name",    "names", "named",
		"called", "everything", "all",   "the",   "in",     "of",      "a",     "an",
		"is",     "there",      "grep",  "look",  "any",    "kernels", "this",  "file",
		"me",     "locate",     "where", NULL
	};
	const char *last = NULL;

	for (size_t i = 0; i < r->q->n; i++) {
		const struct wl_question_word *w = &r->q->word[i];

		if (w->kind == WL_WORD_NUMBER || !is_harmless(w->text))
			continue;
		if (w->kind != WL_WORD_PLAIN)
			return w->text;
		/* "grep for memcpy in API calls": the first word behind "for" or "called". */
		if (!is_one_of(r, i, others) && !last)
			last = w->text;
	}
	return last;
}

static void give_up(struct wl_route_result *ret)
{
	ret->kind = WL_ROUTE_ABSTAINS;
	ret->verb = NULL;
	ret->n_args = 0;
}

static void add_given(struct wl_route_result *ret, const char *args)
{
	while (*args) {
		size_t n = strcspn(args, " ");
		char word[MAX_NAME];

		if (n >= sizeof(word) || ret->n_args == WL_ROUTE_ARGS)
			return;
		memcpy(word, args, n);
		word[n] = '\0';
		ret->arg[ret->n_args] = keep(ret, word);
		if (!ret->arg[ret->n_args])
			return;
		ret->n_args++;
		args += n + (args[n] == ' ');
	}
}

void wl_route_args_find(const struct wl_question *q, const char *args, struct wl_route_result *ret)
{
	struct reading r = { .q = q, .ret = ret, .of = wl_analysis_find(ret->verb) };

	if (strcmp(ret->verb, "search") == 0) {
		const char *what = sought(&r);

		ret->operand = what ? keep(ret, what) : NULL;
		if (!ret->operand)
			give_up(ret);
		return;
	}
	if (!r.of && !wl_document_find(ret->verb))
		return; /* a command: what it does is said, not done */
	add_given(ret, args);
	find_selections(&r);
	find_window(&r);
	if (!r.of)
		return; /* a document has several tables */
	find_limit(&r);
	find_least(&r);
	find_names(&r);
	find_categories(&r);
	find_collectives(&r);
	if (r.where[0])
		add(ret, "--where", r.where);
}

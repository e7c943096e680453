/* SPDX-License-Identifier: MIT */
#include "agent/route/row_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"

/*
 * Names beyond MAX_NAMES are ignored. A word shorter than LEAST names nothing. A word in a name may
 * be AFTER letters longer than the stem of a word in the question.
 */
enum { MAX_NAMES = 512, LEAST = 3, STEM = 4, AFTER = 4, MAX_WORD = 40, MAX_WHERE = 600, FEW = 4 };

/* The column that names the rows of a verb. */
static const struct {
	const char *verb, *column;
} columns[] = {
	{ "nvtx", "name" },    { "nvtx-kernels", "path" }, { "kernels", "name" },
	{ "api", "name" },     { "osrt", "name" },         { "mpi", "name" },
	{ "sync", "name" },    { "threads", "name" },      { "iters", "kind" },
	{ "phases", "phase" }, { "launch", "name" },       { "search", "name" },
};

/* Words that occur in names and in questions without naming anything. */
static const char *const generic[] = {
	"all",      "and",       "are",       "average",    "before",  "bytes",   "call",
	"calls",    "card",      "char",      "code",       "copy",    "cost",    "count",
	"cpu",      "cuda",      "data",      "device",     "does",    "end",     "every",
	"fast",     "file",      "find",      "first",      "float",   "for",     "from",
	"get",      "give",      "gpu",       "gpus",       "how",     "inside",  "into",
	"is",       "iter",      "iteration", "iterations", "job",     "kernel",  "kernels",
	"last",     "launch",    "less",      "list",       "long",    "longest", "main",
	"make",     "many",      "max",       "mean",       "memory",  "min",     "more",
	"most",     "much",      "name",      "number",     "one",     "only",    "operation",
	"out",      "part",      "per",       "process",    "range",   "ranges",  "rank",
	"ranks",    "run",       "runs",      "set",        "share",   "show",    "size",
	"slow",     "some",      "start",     "step",       "steps",   "stream",  "sum",
	"take",     "takes",     "than",      "that",       "the",     "this",    "thread",
	"threads",  "time",      "times",     "top",        "total",   "trace",   "train",
	"training", "type",      "use",       "void",       "wait",    "what",    "which",
	"with",     "work",      "execute",   "executed",   "warp",    "block",   "python",
	"serve",    "functions", "function",  "reach",      "between", "compute", "comm",
	"side",
};

struct naming {
	const struct wl_view *v;
	size_t col;
	const char *name[MAX_NAMES];
	bool is_kept[MAX_NAMES];
	size_t n, n_kept;
	char pattern[MAX_WHERE]; /* conditions with a pattern for each word that names rows */
	const char *column;
};

static bool is_generic(const char *word)
{
	for (size_t i = 0; i < WL_COUNT(generic); i++) {
		if (strcmp(generic[i], word) == 0)
			return true;
	}
	return strlen(word) < LEAST;
}

static void collect(struct naming *n)
{
	for (size_t i = 0; i < n->v->n_total && n->n < MAX_NAMES; i++) {
		const struct wl_cell cell = wl_table_at(n->v->table, n->v->rows[i], n->col);
		size_t k = 0;

		if (!cell.set || !*cell.str)
			continue;
		while (k < n->n && strcmp(n->name[k], cell.str) != 0)
			k++;
		if (k == n->n)
			n->name[n->n++] = cell.str;
	}
}

/* A word without its ending, in lower case. */
static void stem_of(const char *word, char ret[MAX_WORD])
{
	static const char *const endings[] = { "ings", "ing", "ers", "er", "ies",
					       "es",   "ed",  "s",   "e" };
	size_t n = strnlen(word, MAX_WORD - 1);

	for (size_t i = 0; i < n; i++)
		ret[i] = (char)tolower((unsigned char)word[i]);
	ret[n] = '\0';
	for (size_t i = 0; i < WL_COUNT(endings); i++) {
		size_t m = strlen(endings[i]);

		if (n >= m + STEM && strcmp(ret + n - m, endings[i]) == 0) {
			ret[n - m] = '\0';
			return;
		}
	}
}

/* Whether a word of a name begins here: after a non-letter, or at a capital after lower case. */
static bool begins_word(const char *name, const char *at)
{
	return at == name || !isalpha((unsigned char)at[-1]) ||
	       (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

static bool has_word(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	for (const char *at = strcasestr(name, stem); at; at = strcasestr(at + 1, stem)) {
		size_t rest = 0;

		while (islower((unsigned char)at[n + rest]))
			rest++;
		if (begins_word(name, at) && rest <= AFTER)
			return true;
	}
	return false;
}

/* Keep only letters and digits, in lower case. */
static void squeeze(const char *s, char *ret, size_t size)
{
	size_t n = 0;

	for (; *s && n + 1 < size; s++) {
		if (isalnum((unsigned char)*s))
			ret[n++] = (char)tolower((unsigned char)*s);
	}
	ret[n] = '\0';
}

/* Whether the two words are adjacent in the name: "layer norm" in layer_norm_kernel. */
static bool has_pair(const char *name, const char *a, const char *b)
{
	char both[2 * MAX_WORD], letters[256];
	size_t n;

	(void)snprintf(both, sizeof(both), "%.38s%.38s", a, b);
	n = strlen(both);
	if (n > 4 && both[n - 1] == 's')
		both[n - 1] = '\0';
	squeeze(name, letters, sizeof(letters));
	return strstr(letters, both) != NULL;
}

/* Keep the names that match a word, or a pair of words, unless nearly all names match it. */
static bool keep(struct naming *n, const char *a, const char *b)
{
	bool fits[MAX_NAMES];
	size_t n_fits = 0, n_same = 0, used = strlen(n->pattern);
	char stem[MAX_WORD], letters[256];

	stem_of(a, stem);
	for (size_t i = 0; i < n->n; i++) {
		fits[i] = b ? has_pair(n->name[i], a, b) : has_word(n->name[i], stem);
		n_fits += fits[i];
		squeeze(n->name[i], letters, sizeof(letters));
		n_same += fits[i] && !b && strcmp(letters, a) == 0;
	}
	if (n_fits == 0 || (n->n > 2 && 2 * n_fits > n->n) || n_fits == n->n)
		return false;
	for (size_t i = 0; i < n->n; i++) {
		squeeze(n->name[i], letters, sizeof(letters));
		/* If a name equals the word, longer names do not count. */
		if (!fits[i] || n->is_kept[i] || (n_same && strcmp(letters, a) != 0))
			continue;
		n->is_kept[i] = true;
		n->n_kept++;
	}
	if (used + 2 * (size_t)MAX_WORD + 40 < sizeof(n->pattern))
		(void)snprintf(n->pattern + used, sizeof(n->pattern) - used,
			       b ? "%s%s ~ \"%.38s.?%.38s\"" : "%s%s ~ \"%.38s\"",
			       used ? " or " : "", n->column, b ? a : stem, b ? b : "");
	return true;
}

static void find(struct naming *n, const struct wl_question *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct wl_question_word *w = &q->word[i], *next = i + 1 < q->n ? w + 1 : NULL;

		if (w->kind != WL_WORD_PLAIN)
			continue;
		if (next && next->kind == WL_WORD_PLAIN && strlen(w->key) >= LEAST &&
		    strlen(next->key) >= STEM && !is_generic(next->key) &&
		    keep(n, w->key, next->key)) {
			i++;
			continue;
		}
		if (!is_generic(w->key))
			(void)keep(n, w->key, NULL);
	}
}

/* A few short names are listed one by one, so that no other name matches. */
static const char *condition(const struct naming *n, struct wl_arena *arena)
{
	char text[MAX_WHERE] = "";
	size_t used = 0;

	for (size_t i = 0; i < n->n; i++) {
		if (!n->is_kept[i])
			continue;
		if (n->n_kept > FEW || strlen(n->name[i]) > MAX_WORD ||
		    strpbrk(n->name[i], "\"'\\\n\t"))
			return wl_arena_strdup(arena, n->pattern);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s = \"%s\"",
					 used ? " or " : "", n->column, n->name[i]);
	}
	return wl_arena_strdup(arena, text);
}

/* Keep the rows that pass the condition, in their order. */
static bool narrow(struct wl_document *doc, const char *where, struct wl_arena *arena)
{
	const struct wl_view *v = &doc->sections[0].view;
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);
	size_t limit = v->n_rows < v->n_total ? v->n_rows : 0, n = 0;
	uint32_t *rows = WL_NEW(arena, uint32_t, v->n_total);
	bool *passes = WL_NEW(arena, bool, v->table->n_rows);
	struct wl_view kept;
	struct wl_err err;

	if (!section || !rows || !passes ||
	    wl_view_make(v->table, &(struct wl_view_opts){ .where = where }, arena, &kept, &err) <
		    0)
		return false;
	memset(passes, 0, v->table->n_rows * sizeof(*passes));
	for (size_t i = 0; i < kept.n_total; i++)
		passes[kept.rows[i]] = true;
	for (size_t i = 0; i < v->n_total; i++) {
		if (passes[v->rows[i]])
			rows[n++] = v->rows[i];
	}
	if (n == 0 || n == v->n_total)
		return false;
	*section = doc->sections[0];
	section->view.rows = rows;
	section->view.n_total = n;
	section->view.n_rows = limit && limit < n ? limit : n;
	doc->sections = section;
	return true;
}

const char *wl_row_names_keep(const struct wl_question *q, const char *verb,
			      struct wl_document *doc, struct wl_arena *arena)
{
	struct naming *n = WL_NEW(arena, struct naming, 1);
	const char *where;

	if (!n || doc->n_sections != 1 || doc->sections[0].missing || doc->n_traces > 1 ||
	    doc->sections[0].view.levels)
		return NULL;
	memset(n, 0, sizeof(*n));
	n->v = &doc->sections[0].view;
	for (size_t i = 0; i < WL_COUNT(columns) && !n->column; i++) {
		if (strcmp(columns[i].verb, verb) == 0)
			n->column = columns[i].column;
	}
	if (!n->column || !wl_table_find_col(n->v->table, n->column, &n->col))
		return NULL;
	collect(n);
	find(n, q);
	if (n->n_kept == 0 || n->n_kept == n->n)
		return NULL;
	where = condition(n, arena);
	return where && narrow(doc, where, arena) ? where : NULL;
}

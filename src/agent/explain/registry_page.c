/* SPDX-License-Identifier: MIT */
#include "agent/explain/registry_page.h"

#include <string.h>

#include "analysis/analysis.h"
#include "known/exports/concepts.h"
#include "known/exports/schema.h"
#include "session/document/document_info.h"
#include "table/cols.h"

enum { MAX_MEANINGS = 8, MAX_TABLES = 6 };

const char *wl_registry_verb(size_t i)
{
	if (i < wl_n_documents)
		return wl_documents[i]->name;
	i -= wl_n_documents;
	return i < wl_n_analyses ? wl_analyses[i]->name : NULL;
}

static void put_verb(struct wl_prose *p, const char *name, const char *help, const char *about)
{
	wl_prose_say(p,
		     "# The verb %s\n\n%s.\n\n%s\n\n\"warplens help %s\" lists options, columns "
		     "and examples.\n\n",
		     name, help, about, name);
}

bool wl_registry_put_verb(struct wl_prose *p, const char *word)
{
	const struct wl_document_info *document = wl_document_find(word);
	const struct wl_analysis *analysis = document ? NULL : wl_analysis_find(word);

	if (document)
		put_verb(p, document->name, document->help, document->about);
	else if (analysis)
		put_verb(p, analysis->name, analysis->help, analysis->about);
	return document || analysis;
}

/* Columns with the same meaning, and the verbs that have them. */
struct meaning {
	const struct wl_col *col;
	const struct wl_analysis *of[MAX_MEANINGS];
	size_t n;
};

struct meanings {
	struct meaning found[MAX_MEANINGS];
	size_t n;
};

static void add_meaning(struct meanings *m, const struct wl_col *col, const struct wl_analysis *of)
{
	size_t i = 0;

	while (i < m->n && strcmp(m->found[i].col->help, col->help) != 0)
		i++;
	if (i == MAX_MEANINGS)
		return;
	if (i == m->n)
		m->found[m->n++] = (struct meaning){ .col = col };
	if (m->found[i].n < MAX_MEANINGS)
		m->found[i].of[m->found[i].n++] = of;
}

static void find_in(struct meanings *m, const struct wl_analysis *of, const char *word)
{
	for (size_t i = 0; i < of->n_cols; i++) {
		const struct wl_col *col = &of->cols[i];

		if (wl_words_same(col->key, word, strlen(word)) ||
		    wl_words_same(col->title, word, strlen(word))) {
			add_meaning(m, col, of);
			return;
		}
	}
}

static void put_meaning(struct wl_prose *p, const struct meaning *m)
{
	const char *unit = wl_type_unit(m->col->type);

	wl_prose_say(p, "- %s of ", m->col->key);
	for (size_t i = 0; i < m->n; i++)
		wl_prose_say(p, "%s%s", i ? ", " : "", m->of[i]->name);
	wl_prose_say(p, ": %s", m->col->help);
	if (unit)
		wl_prose_say(p, " (%s in csv and JSON.)", unit);
	wl_prose_put(p, "\n");
}

bool wl_registry_put_column(struct wl_prose *p, const char *word)
{
	const char *dot = strchr(word, '.'), *column = dot ? dot + 1 : word;
	struct meanings m = { .n = 0 };

	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];

		if (!dot || wl_words_same(a->name, word, (size_t)(dot - word)))
			find_in(&m, a, column);
	}
	if (m.n == 0)
		return false;
	wl_prose_say(p, "# The column %s\n\n", m.found[0].col->key);
	for (size_t i = 0; i < m.n; i++)
		put_meaning(p, &m.found[i]);
	wl_prose_put(p, "\n");
	return true;
}

/* Walk the catalogue: a column belongs to the last table before it. */
static size_t put_columns(struct wl_prose *p, const char *table, const char *column)
{
	const char *at = "";
	size_t n = 0;

	for (size_t i = 0; i < wl_n_schema; i++) {
		const struct wl_schema_entry *e = &wl_schema[i];

		at = e->table ? e->table : at;
		if (!e->column || strcasecmp(e->column, column) != 0 ||
		    (table && strcasecmp(at, table) != 0))
			continue;
		if (n == 0)
			wl_prose_say(p, "# The column %s of exports\n\n", e->column);
		if (n < MAX_TABLES)
			wl_prose_say(p, "- %s.%s: %s.\n", at, e->column, e->meaning);
		n++;
	}
	if (n > MAX_TABLES)
		wl_prose_say(p, "- and in %zu more tables.\n", n - MAX_TABLES);
	return n;
}

static void put_concepts(struct wl_prose *p, const char *table, const char *column)
{
	for (int id = 0; id < WL_N_CONCEPTS; id++) {
		if (wl_concept_is_about((enum wl_concept_id)id, table ? table : "", column)) {
			wl_prose_say(p, "\n%s\n", wl_concepts[id].text);
			return;
		}
	}
}

static bool put_table(struct wl_prose *p, const char *table)
{
	for (size_t i = 0; i < wl_n_schema; i++) {
		const struct wl_schema_entry *e = &wl_schema[i];

		if (!e->table || e->column || strcasecmp(e->table, table) != 0)
			continue;
		wl_prose_say(p,
			     "# The table %s of exports\n\n%s.\n\n\"warplens schema TRACE\" lists "
			     "its columns.\n\n",
			     e->table, e->meaning);
		return true;
	}
	return false;
}

bool wl_registry_put_export(struct wl_prose *p, const char *word)
{
	const char *dot = strchr(word, '.');
	char table[64];
	size_t n = dot ? (size_t)(dot - word) : 0;

	if (!dot && put_table(p, word))
		return true;
	if (n >= sizeof(table))
		return false;
	memcpy(table, word, n);
	table[n] = '\0';
	if (put_columns(p, dot ? table : NULL, dot ? dot + 1 : word) == 0)
		return false;
	put_concepts(p, dot ? table : NULL, dot ? dot + 1 : word);
	wl_prose_put(p, "\n");
	return true;
}

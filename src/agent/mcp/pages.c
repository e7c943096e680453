/* SPDX-License-Identifier: MIT */
#include "agent/mcp/pages.h"

#include <string.h>

#include "agent/tools/asking.h"
#include "analysis/args.h"
#include "base/text/put.h"
#include "findings/codes.h"
#include "known/builtin.h"
#include "known/exports/schema.h"

const char *const wl_doc_page_words[WL_N_DOC_PAGE_KINDS] = {
	[WL_DOC_PAGE_VERB] = "verb",
	[WL_DOC_PAGE_FINDING] = "finding",
	[WL_DOC_PAGE_DEFINITION] = "definition",
	[WL_DOC_PAGE_TABLE] = "table",
};

const char *const wl_doc_page_titles[WL_N_DOC_PAGE_KINDS] = {
	[WL_DOC_PAGE_VERB] = "A verb: what it answers, its options and columns",
	[WL_DOC_PAGE_FINDING] = "A finding: cause, fix and how to verify it",
	[WL_DOC_PAGE_DEFINITION] = "How numbers are defined",
	[WL_DOC_PAGE_TABLE] = "A table of an Nsight Systems export",
};

/* The index in the catalogue of the i-th table; wl_n_schema past the last. */
static size_t table_at(size_t i)
{
	for (size_t k = 0; k < wl_n_schema; k++) {
		if (wl_schema[k].table && i-- == 0)
			return k;
	}
	return wl_n_schema;
}

const char *wl_doc_page_name(enum wl_doc_page_kind kind, size_t i)
{
	struct wl_askable of;
	size_t at;

	switch (kind) {
	case WL_DOC_PAGE_VERB:
		return wl_askable_at(i, &of) ? of.analysis->name : NULL;
	case WL_DOC_PAGE_FINDING:
		return wl_finding_code(i);
	case WL_DOC_PAGE_DEFINITION:
		return wl_builtin_name("definitions", i);
	case WL_DOC_PAGE_TABLE:
		at = table_at(i);
		return at < wl_n_schema ? wl_schema[at].table : NULL;
	case WL_N_DOC_PAGE_KINDS:
		break;
	}
	return NULL;
}

const char *wl_doc_page_about(enum wl_doc_page_kind kind, size_t i)
{
	struct wl_askable of;
	const char *said = NULL;

	if (kind == WL_DOC_PAGE_VERB && wl_askable_at(i, &of))
		said = of.analysis->help ? of.analysis->help : of.analysis->about;
	else if (kind == WL_DOC_PAGE_FINDING)
		said = wl_finding_title(i);
	else if (kind == WL_DOC_PAGE_TABLE && table_at(i) < wl_n_schema)
		said = wl_schema[table_at(i)].meaning;
	return said ? said : "";
}

/* ---- Text ---- */

/* Write the texts one after another; NULL ends the list. */
static void put(FILE *out, const char *const *texts)
{
	for (; *texts; texts++)
		wl_put_bytes(out, *texts, strlen(*texts));
}

#define PUT(out, ...) put(out, (const char *const[]){ __VA_ARGS__, NULL })

static void put_choices(FILE *out, const struct wl_param *p)
{
	for (size_t i = 0; p->choices && p->choices[i]; i++)
		PUT(out, i ? ", " : " One of ", p->choices[i]);
	if (p->choices)
		PUT(out, ".");
	if (p->def)
		PUT(out, " Default: ", p->def, ".");
}

static void put_verb(FILE *out, const struct wl_analysis *a)
{
	char key[64];
	bool has = false;

	PUT(out, "# ", a->name, "\n\n");
	if (a->help)
		PUT(out, a->help, ".\n\n");
	if (a->about)
		PUT(out, a->about, "\n\n");
	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (!wl_param_is_value(p))
			continue;
		if (!has)
			PUT(out, "## Options\n\n");
		has = true;
		PUT(out, "- `", wl_param_spelling(p->key, key), "`: ", p->help);
		put_choices(out, p);
		PUT(out, "\n");
	}
	PUT(out, has ? "\n" : "", "## Columns\n\n");
	for (size_t i = 0; i < a->n_cols; i++) {
		const char *unit = wl_type_unit(a->cols[i].type);

		PUT(out, "- `", a->cols[i].key, "` (", wl_type_name(a->cols[i].type),
		    unit ? ", " : "", unit ? unit : "", "): ", a->cols[i].help, "\n");
	}
}

static bool put_table(FILE *out, const char *name)
{
	size_t at = 0;

	while (at < wl_n_schema && !(wl_schema[at].table && strcmp(wl_schema[at].table, name) == 0))
		at++;
	if (at == wl_n_schema)
		return false;
	PUT(out, "# ", name, "\n\n", wl_schema[at].meaning, "\n\n## Columns\n\n");
	for (at++; at < wl_n_schema && !wl_schema[at].table; at++)
		PUT(out, "- `", wl_schema[at].column, "`: ", wl_schema[at].meaning, "\n");
	return true;
}

static bool put_builtin(FILE *out, const char *folder, const char *name)
{
	size_t size;
	const char *text = wl_builtin_find(folder, name, &size);

	if (text)
		wl_put_bytes(out, text, size);
	return text != NULL;
}

static bool put_verb_of(FILE *out, const char *name)
{
	struct wl_askable of;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		if (strcmp(of.analysis->name, name) == 0) {
			put_verb(out, of.analysis);
			return true;
		}
	}
	return false;
}

bool wl_doc_page_write(enum wl_doc_page_kind kind, const char *name, FILE *out)
{
	switch (kind) {
	case WL_DOC_PAGE_VERB:
		return put_verb_of(out, name);
	case WL_DOC_PAGE_FINDING:
		return put_builtin(out, "findings", name);
	case WL_DOC_PAGE_DEFINITION:
		return put_builtin(out, "definitions", name);
	case WL_DOC_PAGE_TABLE:
		return put_table(out, name);
	case WL_N_DOC_PAGE_KINDS:
		break;
	}
	return false;
}

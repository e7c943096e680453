/* SPDX-License-Identifier: MIT */
/* tool_describe.c - the tool that explains names: verbs, columns, tables of an export, findings. */
#include <string.h>
#include <strings.h>

#include "agent/tools/asking.h"
#include "agent/tools/cut.h"
#include "agent/tools/schema.h"
#include "base/nearest.h"
#include "findings/codes.h"
#include "known/builtin.h"
#include "known/concepts.h"
#include "known/schema.h"

enum { TEXT_CAP = 6000, MAX_MATCHES = 24 };

static const char *const kinds[] = { "verb", "column", "table", "finding", "term", NULL };

enum kind { VERB, COLUMN, TABLE, FINDING, TERM };

/* A description under way. */
struct describing {
	struct wl_tool_call *c;
	const char *name; /* that is looked up */
	const char *kind; /* only these; NULL for all */
	size_t n;
	struct wl_nearest nearest;
};

static bool is_wanted(const struct describing *d, enum kind kind)
{
	return d->n < MAX_MATCHES && (!d->kind || strcmp(d->kind, kinds[kind]) == 0);
}

static bool is_name(struct describing *d, const char *name)
{
	char a[64], b[64];

	wl_nearest_offer(&d->nearest, name);
	return strcasecmp(wl_param_spelling(name, a), wl_param_spelling(d->name, b)) == 0;
}

static void begin(struct describing *d, enum kind kind, const char *name, const char *text)
{
	d->n++;
	wl_jsonw_begin_object(&d->c->w);
	wl_call_put(d->c, "kind", kinds[kind], 16);
	wl_call_put(d->c, "name", name, 100);
	wl_call_put(d->c, "text", text, TEXT_CAP);
}

static void end(struct describing *d)
{
	wl_jsonw_end_object(&d->c->w);
}

static void put_choices(struct describing *d, const struct wl_param *p)
{
	if (!p->choices)
		return;
	wl_jsonw_key(&d->c->w, "choices");
	wl_jsonw_begin_array(&d->c->w);
	for (const char *const *choice = p->choices; *choice; choice++)
		wl_jsonw_str(&d->c->w, *choice);
	wl_jsonw_end_array(&d->c->w);
}

static void put_options(struct describing *d, const struct wl_analysis *a)
{
	char key[64];

	wl_jsonw_key(&d->c->w, "options");
	wl_jsonw_begin_array(&d->c->w);
	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (!wl_param_is_offered(p))
			continue;
		wl_jsonw_begin_object(&d->c->w);
		wl_call_put(d->c, "name", wl_param_spelling(p->key, key), 64);
		wl_call_put(d->c, "help", p->help, 400);
		if (p->def)
			wl_call_put(d->c, "default", p->def, 64);
		put_choices(d, p);
		wl_jsonw_end_object(&d->c->w);
	}
	wl_jsonw_end_array(&d->c->w);
}

static void put_columns(struct describing *d, const struct wl_analysis *a)
{
	wl_jsonw_key(&d->c->w, "columns");
	wl_jsonw_begin_array(&d->c->w);
	for (size_t i = 0; i < a->n_cols; i++) {
		const char *unit = wl_type_unit(a->cols[i].type);

		wl_jsonw_begin_object(&d->c->w);
		wl_call_put(d->c, "name", a->cols[i].key, 64);
		wl_call_put(d->c, "type", wl_type_name(a->cols[i].type), 32);
		if (unit)
			wl_call_put(d->c, "unit", unit, 16);
		wl_call_put(d->c, "help", a->cols[i].help, 400);
		wl_jsonw_end_object(&d->c->w);
	}
	wl_jsonw_end_array(&d->c->w);
}

static void put_verb(struct describing *d, const struct wl_analysis *a)
{
	begin(d, VERB, a->name,
	      a->help ? wl_call_printf(d->c, "%s. %s", a->help, a->about ? a->about : "")
		      : a->about);
	put_options(d, a);
	put_columns(d, a);
	end(d);
}

static void find_verbs(struct describing *d)
{
	struct wl_askable of;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		const struct wl_alias *alias = of.analysis->aliases;
		bool is_it = is_name(d, of.analysis->name);

		for (; alias && alias->name; alias++)
			is_it = is_name(d, alias->name) || is_it;
		if (is_it && is_wanted(d, VERB))
			put_verb(d, of.analysis);
	}
}

static void find_columns(struct describing *d)
{
	struct wl_askable of;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		for (size_t k = 0; k < of.analysis->n_cols; k++) {
			const struct wl_col *col = &of.analysis->cols[k];
			const char *unit = wl_type_unit(col->type);

			if (!(is_name(d, col->key) || strcasecmp(col->title, d->name) == 0) ||
			    !is_wanted(d, COLUMN))
				continue;
			begin(d, COLUMN, col->key, col->help);
			wl_call_put(d->c, "verb", of.analysis->name, 64);
			wl_call_put(d->c, "type", wl_type_name(col->type), 32);
			if (unit)
				wl_call_put(d->c, "unit", unit, 16);
			end(d);
		}
	}
}

/* Columns of a table of the export, as one text. */
static const char *list_columns(struct describing *d, size_t table)
{
	const char *all = wl_schema[table].meaning;

	for (size_t i = table + 1; i < wl_n_schema && !wl_schema[i].table && all; i++)
		all = wl_call_printf(d->c, "%s\n%s: %s", all, wl_schema[i].column,
				     wl_schema[i].meaning);
	return all;
}

static void find_tables(struct describing *d)
{
	for (size_t i = 0; i < wl_n_schema; i++) {
		if (!wl_schema[i].table || !is_name(d, wl_schema[i].table) || !is_wanted(d, TABLE))
			continue;
		begin(d, TABLE, wl_schema[i].table, list_columns(d, i));
		end(d);
	}
}

static void find_findings(struct describing *d)
{
	const char *code, *page;
	size_t size;

	for (size_t i = 0; (code = wl_finding_code(i)); i++) {
		if (!is_name(d, code) || !is_wanted(d, FINDING))
			continue;
		page = wl_builtin_find("findings", code, &size);
		begin(d, FINDING, code, page ? page : wl_finding_title(i));
		end(d);
	}
}

static void find_terms(struct describing *d)
{
	for (size_t i = 0; i < WL_N_CONCEPTS; i++) {
		if (!(is_name(d, wl_concepts[i].key) ||
		      strcasecmp(wl_concepts[i].title, d->name) == 0) ||
		    !is_wanted(d, TERM))
			continue;
		begin(d, TERM, wl_concepts[i].title, wl_concepts[i].text);
		end(d);
	}
}

/* Without a name: all verbs and findings, a line each. */
static void list_all(struct describing *d)
{
	struct wl_askable of;
	const char *code;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		if (d->kind && strcmp(d->kind, kinds[VERB]) != 0)
			break;
		begin(d, VERB, of.analysis->name,
		      of.analysis->help ? of.analysis->help : of.analysis->about);
		end(d);
	}
	for (size_t i = 0; (code = wl_finding_code(i)); i++) {
		if (d->kind && strcmp(d->kind, kinds[FINDING]) != 0)
			break;
		begin(d, FINDING, code, wl_finding_title(i));
		end(d);
	}
}

static void find_all(struct describing *d)
{
	if (!d->name) {
		list_all(d);
		return;
	}
	find_verbs(d);
	find_findings(d);
	find_tables(d);
	find_terms(d);
	find_columns(d);
}

static int check_kind(const char *kind, struct wl_err *reterr)
{
	for (size_t i = 0; kind && kinds[i]; i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return WL_OK;
	}
	if (!kind)
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "kind: give verb, column, table, finding or term, not \"%.40s\"", kind);
}

static int refuse(const struct describing *d, struct wl_err *reterr)
{
	const char *meant = wl_nearest_get(&d->nearest);

	return wl_fail(reterr, WL_E_USAGE, "nothing is called \"%.60s\"; %s%s%s", d->name,
		       meant ? "did you mean " : "describe without a name lists verbs and findings",
		       meant ? meant : "", meant ? "?" : "");
}

int wl_tool_describe(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct describing d = { .c = c };
	int r = wl_call_only(c, "name kind", reterr);

	if (r == WL_OK)
		r = wl_call_text(c, "name", &d.name, reterr);
	if (r == WL_OK)
		r = wl_call_text(c, "kind", &d.kind, reterr);
	if (r == WL_OK)
		r = check_kind(d.kind, reterr);
	if (r == WL_OK)
		r = wl_call_begin(c, reterr);
	if (r < 0)
		return r;
	wl_nearest_init(&d.nearest, d.name ? d.name : "");
	wl_jsonw_key(&c->w, "matches");
	wl_jsonw_begin_array(&c->w);
	find_all(&d);
	wl_jsonw_end_array(&c->w);
	if (d.n == 0)
		return refuse(&d, reterr);
	wl_call_put(
		c, "answer",
		d.name ? wl_call_printf(c, "%zu meaning%s of %s", d.n, d.n == 1 ? "" : "s", d.name)
		       : "verbs that analyze takes, and codes of findings",
		200);
	return wl_call_end(c, reterr);
}

/* ---- Schemas ---- */

void wl_schema_describe_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "name", "string",
		      "Of a verb, a column, a table of the export, a finding's code or a term. "
		      "Without it verbs and findings are listed.");
	wl_schema_enum(w, "kind", kinds, "Only names of this kind.");
	wl_schema_end(w, "", true);
}

void wl_schema_describe_output(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_list(w, "matches", "object",
		       "By kind and name: text, and of a verb its options and columns.");
	wl_schema_put(w, "answer", "string", NULL);
	wl_schema_end(w, "matches answer", true);
}

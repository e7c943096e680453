/* SPDX-License-Identifier: MIT */
/*
 * tool_describe.c - the tool that explains names: verbs, tools, columns, tables, findings, terms,
 * kernels.
 * kernels.
 */
#include <string.h>
#include <strings.h>

#include "agent/explain/explanation.h"
#include "agent/tools/asking.h"
#include "agent/tools/schema.h"
#include "analysis/args.h"
#include "findings/codes.h"

enum { TEXT_CAP = 12000 };

/* A description being made. */
struct describing {
	struct wl_tool_call *c;
	size_t n;
};

static void begin(struct describing *d, const char *kind, const char *name, const char *text)
{
	d->n++;
	wl_jsonw_begin_object(&d->c->w);
	wl_call_put(d->c, "kind", kind, 16);
	wl_call_put(d->c, "name", name, 400);
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
	wl_jsonw_open_array(&d->c->w, "choices");
	for (const char *const *choice = p->choices; *choice; choice++)
		wl_jsonw_str(&d->c->w, *choice);
	wl_jsonw_end_array(&d->c->w);
}

static void put_options(struct describing *d, const struct wl_analysis *a)
{
	char key[64];

	wl_jsonw_open_array(&d->c->w, "options");
	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (!wl_param_is_value(p))
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
	wl_jsonw_open_array(&d->c->w, "columns");
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
	begin(d, "verb", a->name,
	      a->help ? wl_call_printf(d->c, "%s. %s", a->help, a->about ? a->about : "")
		      : a->about);
	put_options(d, a);
	put_columns(d, a);
	end(d);
}

static bool is_name(const char *name, const char *wanted)
{
	char a[64], b[64];

	return strcasecmp(wl_param_spelling(name, a), wl_param_spelling(wanted, b)) == 0;
}

/* Verbs, with the options and columns that a call needs; explanations are only prose. */
static void find_verbs(struct describing *d, const char *name)
{
	struct wl_askable of;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		const struct wl_alias *alias = of.analysis->aliases;
		bool is_it = is_name(of.analysis->name, name);

		for (; alias && alias->name; alias++)
			is_it = is_it || is_name(alias->name, name);
		if (is_it)
			put_verb(d, of.analysis);
	}
}

static void find_tool(struct describing *d, const char *name)
{
	for (const struct wl_tool *t = d->c->all_tools; t->name; t++) {
		if (!is_name(t->name, name))
			continue;
		begin(d, "tool", t->name, t->description);
		wl_jsonw_key(&d->c->w, "input");
		t->input(&d->c->w);
		end(d);
	}
}

static const char *word_of(enum wl_explained kind)
{
	switch (kind) {
	case WL_EXPLAINED_FINDING:
		return "finding";
	case WL_EXPLAINED_PAGE:
		return "page";
	case WL_EXPLAINED_VERB:
		return "verb";
	case WL_EXPLAINED_TERM:
		return "term";
	case WL_EXPLAINED_COLUMN:
		return "column";
	case WL_EXPLAINED_EXPORT:
		return "table";
	case WL_EXPLAINED_KERNEL:
		return "kernel";
	}
	return "term";
}

/* Without a name: all verbs and findings, one line each. */
static void list_all(struct describing *d)
{
	struct wl_askable of;
	const char *code;

	for (size_t i = 0; wl_askable_at(i, &of); i++) {
		begin(d, "verb", of.analysis->name,
		      of.analysis->help ? of.analysis->help : of.analysis->about);
		end(d);
	}
	for (size_t i = 0; (code = wl_finding_code(i)); i++) {
		begin(d, "finding", code, wl_finding_title(i));
		end(d);
	}
}

static int find_all(struct describing *d, const char *name, struct wl_err *reterr)
{
	struct wl_explanation found;
	int r;

	find_verbs(d, name);
	find_tool(d, name);
	r = wl_explanation_of(name, &d->c->arena, &found, reterr);
	if (r < 0)
		return d->n > 0 && r == WL_E_USAGE ? WL_OK : r;
	if (d->n == 0 || found.kind != WL_EXPLAINED_VERB) {
		begin(d, word_of(found.kind), name, found.text);
		end(d);
	}
	return WL_OK;
}

int wl_tool_describe(struct wl_tool_call *c, struct wl_err *reterr)
{
	struct describing d = { .c = c };
	const char *name = NULL;
	int r = wl_call_only(c, "name", reterr);

	if (r == WL_OK)
		r = wl_call_text(c, "name", &name, reterr);
	if (r == WL_OK)
		r = wl_call_begin(c, reterr);
	if (r < 0)
		return r;
	wl_jsonw_open_array(&c->w, "matches");
	if (name)
		r = find_all(&d, name, reterr);
	else
		list_all(&d);
	if (r < 0)
		return r;
	wl_jsonw_end_array(&c->w);
	wl_call_put(c, "answer",
		    name ? wl_call_printf(c, "%zu meaning%s of %s", d.n, d.n == 1 ? "" : "s", name)
			 : "verbs that analyze takes, and codes of findings",
		    600);
	return wl_call_end(c, reterr);
}

/* ---- Schemas ---- */

void wl_schema_describe_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(
		w, "name", "string",
		"A verb, a tool, a column, a table of the export, a finding's code, a term, or "
		"the name of a kernel. Without it verbs and findings are listed.");
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

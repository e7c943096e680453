/* SPDX-License-Identifier: MIT */
/* introspect.c - the registries as JSON, for generators and other programs. */

#include "base/text/json_write.h"
#include "cli/help/help.h"
#include "cli/line/forms.h"
#include "cli/line/option_names.h"
#include "render/render.h"
#include "sql/sql.h"

enum { MAX_FORMATS = 16 };

static void put_strings(struct wl_jsonw *w, const char *key, const char *const *list)
{
	wl_jsonw_open_array(w, key);
	for (; list && *list; list++)
		wl_jsonw_str(w, *list);
	wl_jsonw_end_array(w);
}

/* choices and def may be a verb's own; group is "verb" then. */
static void put_option(struct wl_jsonw *w, size_t id, const char *const *choices, const char *def,
		       const char *group)
{
	const struct wl_option *o = &wl_options[id];
	const char letter[2] = { (char)o->short_name, '\0' };

	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "long", o->long_name);
	wl_jsonw_put_str(w, "short", o->short_name ? letter : NULL);
	wl_jsonw_put_str(w, "alias", NULL);
	wl_jsonw_put_str(w, "arg", o->argument);
	put_strings(w, "choices", choices);
	wl_jsonw_put_str(w, "default", def);
	wl_jsonw_put_str(w, "help", o->help);
	wl_jsonw_put_str(w, "group", group);
	wl_jsonw_end_object(w);
}

static void put_common_option(struct wl_jsonw *w, size_t id)
{
	static const char *const units[] = { "auto", "ns", "us", "ms", "s", NULL };
	const char *formats[MAX_FORMATS + 1] = { NULL };

	for (size_t i = 0; i < wl_n_formats && i < MAX_FORMATS; i++)
		formats[i] = wl_formats[i].name;
	put_option(w, id,
		   id == WL_OPT_FORMAT     ? formats
		   : id == WL_OPT_TIMEUNIT ? units
		   : id == WL_OPT_COLOR    ? wl_color_names
					   : NULL,
		   wl_options[id].def, wl_options[id].group);
}

static void put_param(struct wl_jsonw *w, const struct wl_verb *v, const struct wl_param *p)
{
	const char letter[2] = { wl_param_letter(v, p), '\0' };

	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "long", p->key);
	wl_jsonw_put_str(w, "short", *letter ? letter : NULL);
	wl_jsonw_put_str(w, "alias", p->alias);
	wl_jsonw_put_str(w, "arg", wl_param_argument(v, p));
	put_strings(w, "choices", p->choices);
	wl_jsonw_put_str(w, "default", p->def);
	wl_jsonw_put_str(w, "default_for_people", p->people_def ? p->people_def : p->def);
	wl_jsonw_put_str(w, "help", p->help);
	wl_jsonw_put_str(w, "group", "verb");
	wl_jsonw_put_bool(w, "repeats", p->many);
	wl_jsonw_end_object(w);
}

static void put_column(struct wl_jsonw *w, const struct wl_col *c)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} flags[] = {
		{ WL_KEY, "key" }, { WL_SUM, "sum" }, { WL_ANCHOR, "anchor" }, { WL_MINOR, "minor" }
	};

	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "key", c->key);
	wl_jsonw_put_str(w, "title", c->title);
	wl_jsonw_put_str(w, "type", wl_type_name(c->type));
	wl_jsonw_put_str(w, "unit", wl_type_unit(c->type));
	wl_jsonw_put_str(w, "help", c->help);
	wl_jsonw_open_array(w, "flags");
	for (size_t i = 0; i < WL_COUNT(flags); i++) {
		if (c->flags & flags[i].flag)
			wl_jsonw_str(w, flags[i].name);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_end_object(w);
}

static void put_columns(struct wl_jsonw *w, const struct wl_col *cols, size_t n)
{
	wl_jsonw_open_array(w, "columns");
	for (size_t i = 0; i < n; i++)
		put_column(w, &cols[i]);
	wl_jsonw_end_array(w);
}

static void put_needs(struct wl_jsonw *w, const char *key, const enum wl_column_id *list)
{
	wl_jsonw_open_array(w, key);
	for (; list && *list != WL_N_COLUMNS; list++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "%s.%s",
			       wl_family_infos[wl_column_infos[*list].family].name,
			       wl_column_infos[*list].name);
		wl_jsonw_str(w, name);
	}
	wl_jsonw_end_array(w);
}

static void put_params(struct wl_jsonw *w, const struct wl_verb *v)
{
	size_t n;
	const struct wl_param *p = wl_verb_params(v, &n);

	wl_jsonw_open_array(w, "options");
	if (v->command && v->command->formats)
		put_option(w, WL_OPT_FORMAT, v->command->formats, NULL, "verb");
	for (size_t i = 0; i < n; i++) {
		if (!p[i].operand)
			put_param(w, v, &p[i]);
	}
	wl_jsonw_end_array(w);
}

static void put_analysis(struct wl_jsonw *w, const struct wl_analysis *a)
{
	put_columns(w, a ? a->cols : NULL, a ? a->n_cols : 0);
	put_needs(w, "needs", a ? a->needs : NULL);
	put_needs(w, "needs_any", a ? a->needs_any : NULL);
	put_needs(w, "uses", a ? a->uses : NULL);
}

/* Of a document the columns of a section are those of an analysis; of a command they are its own.
 */
static void put_sections(struct wl_jsonw *w, const struct wl_verb *v)
{
	const struct wl_document_info *d = v->document;
	const struct wl_table_info *t = v->command ? v->command->tables : NULL;

	wl_jsonw_open_array(w, "sections");
	for (size_t i = 0; d && i < d->n_sections; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "title", d->sections[i].title);
		wl_jsonw_put_str(w, "analysis", d->sections[i].analysis);
		wl_jsonw_end_object(w);
	}
	for (; t && t->name; t++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "title", t->title);
		wl_jsonw_put_str(w, "analysis", t->name);
		put_columns(w, t->cols, t->n_cols);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

static void put_aliases(struct wl_jsonw *w, const struct wl_verb *v)
{
	wl_jsonw_open_array(w, "aliases");
	for (const struct wl_alias *alias = wl_verb_aliases(v); alias->name; alias++) {
		char options[512];

		wl_alias_options(v, alias, options, sizeof(options));
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", alias->name);
		wl_jsonw_put_str(w, "option", options[0] ? options : NULL);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* Options with which it is another verb. */
static void put_forms(struct wl_jsonw *w, const struct wl_verb *v)
{
	const struct wl_form *f;
	struct wl_verb other;

	wl_jsonw_open_array(w, "forms");
	for (size_t i = 0; (f = wl_form_at(v, i, &other)); i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "verb", f->verb);
		wl_jsonw_put_str(w, "option", f->option);
		wl_jsonw_put_str(w, "value", f->value);
		wl_jsonw_put_str(w, "beside", f->beside);
		wl_jsonw_put_str(w, "is", wl_verb_name(&other));
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* What the first operand may be, where it is no file. */
static void put_words(struct wl_jsonw *w, const struct wl_command *c)
{
	wl_jsonw_open_array(w, "words");
	for (size_t i = 0; c && c->word && c->word(i); i++)
		wl_jsonw_str(w, c->word(i));
	wl_jsonw_end_array(w);
}

/* How SQL asks the same. */
static void put_twin(struct wl_jsonw *w, const struct wl_analysis *a)
{
	char twin[128];

	if (a)
		wl_sql_twin(a, twin, sizeof(twin));
	wl_jsonw_put_str(w, "sql", a ? twin : NULL);
}

static void put_verb(struct wl_jsonw *w, const struct wl_verb *v)
{
	static const char *const levels[] = { [WL_LEVEL_FORM] = "form",
					      [WL_LEVEL_NAMED] = "named",
					      [WL_LEVEL_SECOND] = "second",
					      [WL_LEVEL_FIRST] = "first" };
	const struct wl_listed listed = wl_verb_listed(v);
	const struct wl_example *e = wl_verb_examples(v);
	char operands[64];

	wl_verb_operands(v, operands, sizeof(operands));
	wl_jsonw_newline(w);
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, "name", wl_verb_name(v));
	wl_jsonw_put_str(w, "kind", wl_verb_kind(v));
	wl_jsonw_put_str(w, "topic", wl_topic_title(wl_verb_topic(v)));
	wl_jsonw_put_str(w, "level", levels[listed.level]);
	wl_jsonw_put_str(w, "listed_as", listed.name);
	wl_jsonw_put_str(w, "help", wl_verb_help(v));
	wl_jsonw_put_str(w, "about", wl_verb_about(v));
	wl_jsonw_put_str(w, "operands", operands);
	wl_jsonw_put_bool(w, "common", wl_verb_is_common(v));
	wl_jsonw_open_array(w, "without");
	for (size_t i = 0; wl_verb_is_common(v) && i < WL_N_OPTIONS; i++) {
		if (!wl_verb_takes(v, (enum wl_option_id)i))
			wl_jsonw_str(w, wl_options[i].long_name);
	}
	wl_jsonw_end_array(w);
	put_words(w, v->command);
	put_aliases(w, v);
	put_forms(w, v);
	wl_jsonw_put_str(w, "compared", wl_verb_compared(v));
	put_params(w, v);
	put_analysis(w, v->analysis);
	put_twin(w, v->analysis);
	put_sections(w, v);
	wl_jsonw_open_array(w, "examples");
	for (; e && e->command; e++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "cmd", e->command);
		wl_jsonw_put_str(w, "help", e->help);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_end_object(w);
}

void wl_help_introspect(FILE *out)
{
	struct wl_jsonw w;
	struct wl_verb v;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "schema", "warplens-introspect/1");
	wl_jsonw_put_str(&w, "version", WL_VERSION);
	wl_jsonw_open_array(&w, "options");
	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		put_common_option(&w, i);
	wl_jsonw_end_array(&w);
	wl_jsonw_open_array(&w, "formats");
	for (size_t i = 0; i < wl_n_formats; i++) {
		wl_jsonw_begin_object(&w);
		wl_jsonw_put_str(&w, "name", wl_formats[i].name);
		wl_jsonw_put_str(&w, "ending", wl_formats[i].ending);
		wl_jsonw_put_str(&w, "help", wl_formats[i].help);
		wl_jsonw_end_object(&w);
	}
	wl_jsonw_end_array(&w);
	wl_jsonw_open_array(&w, "exit");
	for (const struct wl_exit_info *e = wl_exits; e->help; e++) {
		wl_jsonw_begin_object(&w);
		wl_jsonw_put_i64(&w, "code", e->code);
		wl_jsonw_put_str(&w, "help", e->help);
		wl_jsonw_end_object(&w);
	}
	wl_jsonw_end_array(&w);
	wl_jsonw_open_array(&w, "verbs");
	for (size_t i = 0; wl_verb_at(i, &v); i++)
		put_verb(&w, &v);
	wl_jsonw_end_array(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}

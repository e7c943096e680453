/* SPDX-License-Identifier: MIT */
#include "agent/tools/suggested.h"

#include <stdlib.h>
#include <string.h>

#include "agent/tools/askable.h"
#include "analysis/args.h"

/* A call being written. */
struct calling {
	struct wl_tool_call *c;
	const struct wl_analysis *analysis; /* NULL: options of the question being answered */
	struct wl_jsonw w;
	size_t n_of_verb; /* how many of the options read belong to the verb */
	bool is_refused;  /* some option is not an argument of the tool */
};

/* A parameter that is not an operand, by its option name; NULL for none. */
static const struct wl_param *find_param(const struct wl_analysis *a, const char *name)
{
	size_t i = a ? wl_param_named(a->params, a->n_params, name) : 0;

	return a && i < a->n_params && !a->params[i].operand ? &a->params[i] : NULL;
}

/* Whether an argument of the tool is an option of every verb. */
static bool is_common(const char *name)
{
	static const char *const common[] = { "where", "sort", "columns", "marker", "traces" };

	for (size_t i = 0; i < WL_COUNT(common); i++) {
		if (strcmp(common[i], name) == 0)
			return true;
	}
	return false;
}

static void put(struct calling *k, const char *key, const char *value)
{
	if (!value)
		return;
	wl_jsonw_put_str(&k->w, key, value);
}

/* Write an option if it is of the wanted kind: the verb's own, or common to all verbs. */
static void put_option(struct calling *k, const struct wl_cmdline_option *o, bool of_verb)
{
	const struct wl_param *p = find_param(k->analysis, o->name);
	bool is_limit = strcmp(o->name, "n") == 0, is_general = is_limit || is_common(o->name);
	bool is_own = p || (!k->analysis && !is_general), is_switch = p && p->type == WL_P_BOOL;
	char buf[64];

	k->is_refused = k->is_refused || is_switch != !o->value || !(is_own || is_general);
	k->n_of_verb += is_own;
	if (k->is_refused || of_verb != is_own)
		return;
	if (is_switch) {
		wl_jsonw_put_bool(&k->w, wl_param_spelling(p->key, buf), true);
	} else if (is_own) {
		put(k, wl_param_spelling(p ? p->key : o->name, buf), o->value);
	} else if (is_limit) {
		wl_jsonw_put_i64(&k->w, "limit", strtoll(o->value, NULL, 10));
	} else {
		put(k, o->name, o->value);
	}
}

/* Whether the option names a table of the document, which is then asked for alone. */
static bool is_section(const struct wl_cmdline *command, size_t i)
{
	return command->verb && strcmp(command->option[i].name, "section") == 0;
}

/* Find the analysis that the command asks; false if no tool can ask it. */
static bool find_asked(const struct wl_cmdline *command, const struct wl_analysis **ret)
{
	bool of_section = command->option[0].name && is_section(command, 0);
	struct wl_askable of;
	struct wl_err err;

	*ret = NULL;
	if (!command->verb)
		return true;
	if (wl_askable_find(of_section ? command->option[0].value : command->verb, &of, &err) < 0 ||
	    of.alias || !of.document == of_section)
		return false;
	*ret = of.analysis;
	return true;
}

static void put_options(struct calling *k, const struct wl_cmdline *command, bool of_verb)
{
	for (size_t i = 0; i < WL_CMDLINE_OPTIONS && command->option[i].name; i++) {
		if (!is_section(command, i))
			put_option(k, &command->option[i], of_verb);
	}
}

static void put_arguments(struct calling *k, const struct wl_cmdline *command,
			  const struct wl_cmdline_given *given, const char *handle)
{
	char gpus[WL_CMDLINE_PLACE], steps[WL_CMDLINE_PLACE];

	wl_jsonw_begin_object(&k->w);
	put(k, "trace", handle && given->trace ? given->trace : handle);
	put(k, "verb", k->analysis ? k->analysis->name : NULL);
	put(k, "gpu", wl_cmdline_gpus(command, gpus) ? gpus : given->gpu);
	put(k, "pid", given->pid);
	put(k, "rank", given->rank);
	put(k, "stream", given->stream);
	put(k, "window", wl_cmdline_steps(command, steps) ? steps : given->window);
	put(k, "marker", given->marker);
	put_options(k, command, false);
	if (k->n_of_verb) {
		wl_jsonw_open_object(&k->w, "options");
		put_options(k, command, true);
		wl_jsonw_end_object(&k->w);
	}
	wl_jsonw_end_object(&k->w);
}

/* The arguments alone; NULL if the tool does not take them or memory runs out. */
static const char *spell(struct wl_tool_call *c, const struct wl_cmdline *command,
			 const struct wl_cmdline_given *given, const char *handle)
{
	struct calling k = { .c = c };
	char *text = NULL;
	const char *copy = NULL;
	size_t n = 0;
	FILE *out;

	/* Conventions come from a file, which tools do not accept. */
	if (given->conventions || !find_asked(command, &k.analysis))
		return NULL;
	out = open_memstream(&text, &n);
	if (!out)
		return NULL;
	wl_jsonw_init(&k.w, out);
	put_arguments(&k, command, given, handle);
	if (fclose(out) == 0 && !k.is_refused)
		copy = wl_arena_strdup(&c->arena, text);
	free(text);
	return copy;
}

const char *wl_suggested_call(struct wl_tool_call *c, const struct wl_cmdline *command,
			      const struct wl_cmdline_given *given, const char *handle)
{
	const char *arguments = spell(c, command, given, handle);

	return arguments ? wl_call_printf(c, "{\"tool\":\"analyze\",\"arguments\":%s}", arguments)
			 : NULL;
}

const char *wl_suggested_of(struct wl_tool_call *c, const struct wl_table *t, size_t row,
			    const char *handle)
{
	for (const struct wl_shell_cell *cell = t->shell_cells; cell; cell = cell->next) {
		if (cell->row == row)
			return wl_suggested_call(c, &cell->command, &cell->given, handle);
	}
	return NULL;
}

const char *wl_suggested_note(struct wl_tool_call *c, const struct wl_note *note)
{
	static const struct wl_cmdline_given none = { .gpu = NULL };
	const char *call = note->command ? spell(c, note->command, &none, NULL) : NULL;
	const char *text = NULL;

	if (call)
		text = wl_call_printf(c, "%.*s%s%s%s", (int)note->at, note->text,
				      note->command->verb ? "analyze " : "", call,
				      note->text + note->at + note->n);

	return text ? text : note->text;
}

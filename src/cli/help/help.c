/* SPDX-License-Identifier: MIT */
#include "cli/help/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/proc.h"
#include "cli/help/prose.h"
#include "cli/help/wrap.h"
#include "cli/line/forms.h"
#include "cli/line/opt.h"
#include "cli/line/option_names.h"
#include "cli/status.h"
#include "render/render.h"
#include "sql/sql.h"

enum { OPTIONS = 27, LINE = 256 };

/* The manual and --introspect are made of this list, so that the three cannot differ. */
const struct wl_exit_info wl_exits[] = {
	{ 0, "Done; also when a filter (--where) leaves no row, or the verb has nothing to list in "
	     "a window or selection." },
	{ 1, "A gate of diff or fleet failed, or an expectation of skill test." },
	{ 2,
	  "The command line is wrong, or a selection, window, marker or start matches nothing in "
	  "the trace." },
	{ 3, "The input cannot be read." },
	{ 4, "Inconclusive: the traces cannot be compared, a gate cannot be decided, or ask is not "
	     "sure." },
	{ 5, "The trace has no data for this question; of several traces, none has." },
	{ 6, "Not finished: memory, time or disk ran out, or the output cannot be written." },
	{ 0, NULL },
};

/* The formats in one line, after a text that introduces them. */
static void list_formats(char *buf, size_t size, const char *text)
{
	size_t n = (size_t)snprintf(buf, size, "%s", text);

	for (size_t i = 0; i < wl_n_formats && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", wl_formats[i].name);
}

/* "-f, --format FORMAT" */
static void option_term(char *buf, size_t size, int short_name, const char *name,
			const char *argument)
{
	char letter[8] = "    ";

	if (short_name)
		(void)snprintf(letter, sizeof(letter), "-%c, ", short_name);
	(void)snprintf(buf, size, "%s--%s%s%s", letter, name, argument ? " " : "",
		       argument ? argument : "");
}

/* The help of an option with the rest of its description. */
static void param_text(const struct wl_param *p, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s", p->help);

	for (size_t i = 0; p->choices && p->choices[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : " One of ",
					 p->choices[i]);
	if (p->people_def && used < size)
		used += (size_t)snprintf(buf + used, size - used,
					 " (default %s; %s in csv, tsv, json and jsonl)",
					 p->people_def, p->def);
	else if (p->def && used < size)
		used += (size_t)snprintf(buf + used, size - used, " (default %s)", p->def);
	if (p->alias && used < size)
		used += (size_t)snprintf(buf + used, size - used, " Also spelled --%s.", p->alias);
	if (p->many && used < size)
		(void)snprintf(buf + used, size - used, " May be repeated.");
}

static void put_own_options(const struct wl_verb *v, FILE *out)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(v, &n);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct wl_param *p = &params[i];
		char term[LINE], text[2 * LINE];

		if (p->operand)
			continue;
		if (!any)
			(void)fputs("\nOptions of this verb:\n", out);
		any = true;
		option_term(term, sizeof(term), wl_param_letter(v, p), p->key,
			    wl_param_argument(v, p));
		param_text(p, text, sizeof(text));
		wl_wrap_term(out, term, text, OPTIONS);
	}
}

/* Options with which it is another verb, which has its own options and columns. */
static void put_forms(const struct wl_verb *v, FILE *out)
{
	const struct wl_form *f;
	struct wl_verb other;

	for (size_t i = 0; (f = wl_form_at(v, i, &other)); i++) {
		char term[LINE], text[2 * LINE], words[64];

		if (i == 0)
			(void)fputs("\nOptions and operands that make it another verb:\n", out);
		wl_form_list(v, &i, f, words, sizeof(words));
		(void)snprintf(term, sizeof(term), "    %s", words);
		if (f->operand)
			(void)snprintf(text, sizeof(text), "The same as \"%s %s\".",
				       wl_verb_name(&other), f->operand);
		else
			(void)snprintf(text, sizeof(text), "%s (%s).", wl_verb_help(&other),
				       wl_verb_name(&other));
		wl_wrap_term(out, term, text, OPTIONS);
	}
}

/* -f of a verb with formats of its own. */
static void put_own_formats(const char *const *formats, FILE *out)
{
	const struct wl_option *o = &wl_options[WL_OPT_FORMAT];
	const struct wl_param as_param = { .help = "What to write.", .choices = formats };
	char term[LINE], text[2 * LINE];

	option_term(term, sizeof(term), o->short_name, o->long_name, o->argument);
	param_text(&as_param, text, sizeof(text));
	wl_wrap_term(out, term, text, OPTIONS);
}

static void put_common_options(const struct wl_verb *v, FILE *out)
{
	const char *const *formats = v->command ? v->command->formats : NULL;

	(void)fputs("\nOptions of all verbs:\n", out);
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		const struct wl_option *o = &wl_options[i];
		char term[LINE], help[LINE], text[2 * LINE];

		if (strcmp(o->group, "other") == 0 || !wl_verb_takes(v, (enum wl_option_id)i))
			continue;
		if (i == WL_OPT_FORMAT && formats) {
			put_own_formats(formats, out);
			continue;
		}
		option_term(term, sizeof(term), o->short_name, o->long_name, o->argument);
		(void)snprintf(help, sizeof(help), "%s", o->help);
		if (i == WL_OPT_FORMAT)
			list_formats(help, sizeof(help), "Print as one of");
		(void)snprintf(text, sizeof(text), "%s%s%s%s", help, o->def ? " (default " : "",
			       o->def ? o->def : "", o->def ? ")" : "");
		wl_wrap_term(out, term, text, OPTIONS);
	}
}

static void put_columns(const struct wl_analysis *a, FILE *out)
{
	(void)fputs("\nColumns:\n", out);
	for (size_t i = 0; i < a->n_cols; i++)
		wl_wrap_term(out, a->cols[i].key, a->cols[i].help, OPTIONS - 4);
}

static const char sections_head[] = "\nSections (--section NAME prints one):\n";

static void put_sections(const struct wl_document_info *d, FILE *out)
{
	(void)fputs(sections_head, out);
	for (size_t i = 0; i < d->n_sections; i++)
		wl_wrap_term(out, d->sections[i].analysis, d->sections[i].title, OPTIONS - 4);
}

/* A verb that is an analysis or a document has its columns explained there. */
static void put_tables(const struct wl_verb *v, FILE *out)
{
	const struct wl_table_info *tables = v->command->tables;
	bool chosen = wl_verb_takes(v, WL_OPT_SECTION);

	if (chosen)
		(void)fputs(sections_head, out);
	for (const struct wl_table_info *t = tables; chosen && t->name; t++)
		wl_wrap_term(out, t->name, t->title, OPTIONS - 4);
	for (const struct wl_table_info *t = tables; t->name; t++) {
		(void)fprintf(out, "\nColumns of %s:\n", t->name);
		for (size_t i = 0; i < t->n_cols; i++)
			wl_wrap_term(out, t->cols[i].key, t->cols[i].help, OPTIONS - 4);
	}
}

static void put_aliases(const struct wl_verb *v, FILE *out)
{
	const struct wl_alias *all = wl_verb_aliases(v);
	char line[8 * LINE] = "Also called:";
	size_t used = strlen(line);

	if (!all->name)
		return;
	for (const struct wl_alias *alias = all; alias->name && used < sizeof(line); alias++) {
		char options[2 * LINE];

		wl_alias_options(v, alias, options, sizeof(options));
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %s%s%s%s",
					 alias == all ? "" : ",", alias->name,
					 options[0] ? " (" : "", options, options[0] ? ")" : "");
	}
	(void)fputc('\n', out);
	wl_wrap(out, line, 0, 4);
}

void wl_help_columns(const struct wl_verb *v, FILE *out)
{
	if (v->analysis)
		put_columns(v->analysis, out);
	if (v->document)
		put_sections(v->document, out);
	if (v->command && v->command->tables)
		put_tables(v, out);
}

/* The table of SQL that is the same. */
static void put_twin(const struct wl_verb *v, FILE *out)
{
	char twin[LINE];

	if (!v->analysis)
		return;
	wl_sql_twin(v->analysis, twin, sizeof(twin));
	(void)fprintf(out, "   or: warplens sql TRACE... \"%s\"\n", twin);
}

void wl_help_verb(const struct wl_verb *v, FILE *out)
{
	const struct wl_example *e = wl_verb_examples(v);
	const char *compared = wl_verb_compared(v);
	char operands[64], line[LINE];

	wl_verb_operands(v, operands, sizeof(operands));
	(void)snprintf(line, sizeof(line), "warplens %s - %s", wl_verb_name(v), wl_verb_help(v));
	wl_wrap(out, line, 0, 4);
	(void)fprintf(out, "\nusage: warplens %s%s%s%s\n", wl_verb_name(v),
		      v->command && !v->command->n_params && !v->command->common ? ""
										 : " [OPTIONS]",
		      *operands ? " " : "", operands);
	put_twin(v, out);
	(void)fputc('\n', out);
	wl_wrap(out, wl_verb_about(v), 0, 0);
	for (size_t i = 0; v->analysis && i < v->analysis->n_params; i++) {
		if (v->analysis->params[i].operand) {
			(void)fputc('\n', out);
			wl_wrap_term(out, v->analysis->params[i].key, v->analysis->params[i].help,
				     OPTIONS - 4);
		}
	}
	put_own_options(v, out);
	put_forms(v, out);
	wl_help_columns(v, out);
	if (wl_verb_is_common(v))
		put_common_options(v, out);
	put_aliases(v, out);
	if (compared) {
		(void)fputc('\n', out);
		wl_wrap(out, compared, 0, 0);
	}
	if (e)
		(void)fputs("\nExamples:\n", out);
	for (; e && e->command; e++)
		(void)fprintf(out, "  %s\n      %s\n", e->command, e->help);
}

/*
 * True when there is a manual page and the user has read it. man -w asks first, since man itself
 * would complain on the terminal where there is no page.
 */
static bool open_manual(const struct wl_verb *v)
{
	char page[128];
	const char *const look[] = { "man", "-w", page, NULL };
	const char *const open[] = { "man", page, NULL };
	const struct wl_proc proc = { .argv = look };
	struct wl_proc_result found;
	int code = 1;
	bool ok;

	(void)snprintf(page, sizeof(page), "warplens-%s", wl_verb_name(v));
	if (wl_proc_run(&proc, &found, NULL) < 0 || found.end != WL_PROC_EXITED || found.code != 0)
		return false;
	/* Ctrl-C is for the pager of man. */
	(void)wl_signals_catch();
	ok = wl_proc_foreground(open, -1, &code, NULL) == WL_OK && code == 0;
	wl_signals_release();
	return ok;
}

enum { ALL, LONG, COLUMNS };

static const struct wl_param params[] = {
	[ALL] = { .key = "all", .type = WL_P_BOOL, .help = "List all verbs, as \"help all\"." },
	[LONG] = { .key = "long",
		   .type = WL_P_BOOL,
		   .help = "All of a verb: its manual page, or the same text." },
	[COLUMNS] = { .key = "columns",
		      .type = WL_P_BOOL,
		      .help = "What the columns of a verb mean, as \"help VERB columns\"." },
};

/* A word that is no verb is explained where it is known: "help window", "help straggler". */
static bool put_explained(const struct wl_invocation *inv)
{
	struct wl_err unknown;

	return inv->n_operands == 1 && wl_prose_explain(inv->operand[0], false, &unknown) == WL_OK;
}

static int refuse_help(const struct wl_invocation *inv)
{
	const char *nearest = wl_verb_nearest(inv->operand[0]);
	struct wl_err err;

	if (inv->n_operands > 1)
		(void)wl_fail(&err, WL_E_USAGE, "help takes one verb; usage: warplens help [VERB]");
	else if (nearest)
		(void)wl_fail(&err, WL_E_USAGE, "no verb \"%.60s\"; did you mean %s?",
			      inv->operand[0], nearest);
	else
		(void)wl_fail(&err, WL_E_USAGE,
			      "no verb \"%.60s\"; \"warplens help all\" lists them",
			      inv->operand[0]);
	return wl_report_failure(&err);
}

/* "help all" and "help options", which are no verbs; false: it is neither. */
static bool put_list(const struct wl_invocation *inv)
{
	const char *word = inv->n_operands ? inv->operand[0] : inv->param[ALL] ? "all" : "";

	if (inv->n_operands > 1 ||
	    (*word && strcmp(word, "all") != 0 && strcmp(word, "options") != 0))
		return false;
	if (!*word)
		wl_help_overview(stdout);
	else if (strcmp(word, "all") == 0)
		wl_help_all(stdout);
	else
		wl_help_options(stdout);
	return true;
}

static bool has_columns(const struct wl_verb *v)
{
	return v->analysis || v->document || (v->command && v->command->tables);
}

static int run_help(const struct wl_invocation *inv)
{
	bool columns = inv->param[COLUMNS] ||
		       (inv->n_operands == 2 && strcmp(inv->operand[1], "columns") == 0);
	struct wl_verb v;
	struct wl_err err;

	/* "warplens ls", as people look for what is there. */
	if (inv->verb.alias) {
		wl_help_traces(stdout);
		return wl_finish_stdout();
	}
	if (put_list(inv))
		return wl_finish_stdout();
	if (inv->n_operands > (columns ? 2 : 1) || !wl_verb_find(inv->operand[0], &v))
		return put_explained(inv) ? wl_finish_stdout() : refuse_help(inv);
	if (columns && !has_columns(&v)) {
		(void)wl_fail(&err, WL_E_USAGE,
			      "%s has no columns; \"warplens help %s\" explains it",
			      wl_verb_name(&v), wl_verb_name(&v));
		return wl_report_failure(&err);
	}
	if (columns) {
		(void)printf("warplens %s - %s\n", wl_verb_name(&v), wl_verb_help(&v));
		wl_help_columns(&v, stdout);
	} else if (inv->param[LONG]) {
		if (wl_stdout_is_terminal() && open_manual(&v))
			return 0;
		wl_help_verb(&v, stdout);
	} else {
		wl_help_brief(&v, stdout);
	}
	return wl_finish_stdout();
}

static const struct wl_example examples[] = {
	{ "warplens help all", "All verbs, with a line for each." },
	{ "warplens help kernels", "Examples, options and columns of a verb, on one screen." },
	{ "warplens help kernels --long", "All of it, as in the manual page." },
	{ "warplens help options", "The options of all verbs." },
	{ NULL, NULL },
};

static const struct wl_alias aliases[] = { { .name = "ls" }, { .name = NULL } };

const struct wl_command wl_command_help = {
	.name = "help",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Explain a verb",
	.about = "Explains a verb on one screen: examples, options and columns. With --long it "
		 "opens the manual page of the verb, or prints the same text. \"help VERB "
		 "columns\" says what each column means. Without a verb it lists those that most "
		 "people need, \"help all\" lists all, and \"help options\" the options that all "
		 "verbs have. As ls it lists the newest traces of the working directory.",
	.operands = "[VERB]",
	.aliases = aliases,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.run = run_help,
};

static int run_version(const struct wl_invocation *inv)
{
	(void)inv;
	(void)puts("warplens " WL_VERSION);
	return wl_finish_stdout();
}

static const struct wl_example version_examples[] = {
	{ "warplens version", "The same as --version and -V." },
	{ NULL, NULL },
};

const struct wl_command wl_command_version = {
	.name = "version",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Print the version",
	.about = "Prints the name of the program and its version.",
	.operands = "",
	.examples = version_examples,
	.run = run_version,
};

/* SPDX-License-Identifier: MIT */
/*
 * brief.c - help of a verb on one screen: examples first, then what it does, its options and
 * columns.
 *
 * The manual has the whole text. Here texts give way until all fits: first to their first sentence,
 * then to a line, and last options to their names.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/help.h"
#include "cli/help/wrap.h"
#include "cli/line/forms.h"
#include "cli/line/option_names.h"

enum { LINES = 40, LEAST_INDENT = 20, MOST_INDENT = 28, LINE = 256, TEXT = 1024 };

/* How much there is of each; where all of it takes too many lines, the next is taken. */
static const struct length {
	int examples, about; /* of about lines */
	enum { SENTENCES, CLAUSES, ONE_LINES, NAMES } options;
} lengths[] = {
	{ 4, 5, SENTENCES }, { 4, 5, CLAUSES },   { 3, 4, CLAUSES }, { 2, 2, CLAUSES },
	{ 2, 2, ONE_LINES }, { 1, 1, ONE_LINES }, { 3, 5, NAMES },
};

struct brief {
	const struct wl_verb *verb;
	const struct length *length;
	int indent; /* of what options mean */
	FILE *out;
};

/* "NVTX ranges" and "ClickHouse" stay; "Rank kernels" and "A rank" begin small. */
static void lower_first(char *text)
{
	size_t n = strcspn(text, " ");

	if (n && strcspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1 >= n)
		text[0] = (char)tolower((unsigned char)text[0]);
}

/* The length of the sentence that a text begins with, without its full stop. */
static size_t sentence_length(const char *text)
{
	const char *end = text;

	while ((end = strchr(end, '.')) && end[1] && end[1] != ' ')
		end++;
	return end ? (size_t)(end - text) : strlen(text);
}

/* How many lines a text of n bytes takes. */
static int count_lines(const char *text, size_t n)
{
	int at = 0, lines = 1;

	for (size_t i = 0; i < n;) {
		size_t word = strcspn(text + i, " ");

		word = word < n - i ? word : n - i;
		if (at && at + 1 + (int)word > WL_HELP_WIDTH) {
			lines++;
			at = 0;
		}
		at += (at > 0) + (int)word;
		i += word + (text[i + word] == ' ');
	}
	return lines;
}

/* As many sentences as fit; the first is there in any case. */
static void put_about(const struct brief *b)
{
	const char *about = wl_verb_about(b->verb);
	char text[2 * TEXT];
	size_t n = 0, next;

	do {
		next = n + (n > 0) + sentence_length(about + n + (n > 0)) + 1;
		if (n && count_lines(about, next) > b->length->about)
			break;
		n = next;
	} while (about[n]);
	(void)snprintf(text, sizeof(text), "%.*s", (int)n, about);
	(void)fputc('\n', b->out);
	wl_wrap(b->out, text, 0, 0);
}

static void put_examples(const struct brief *b)
{
	const struct wl_example *e = wl_verb_examples(b->verb);
	int n = b->length->examples;

	(void)fputc('\n', b->out);
	for (; e && e->command && n--; e++) {
		char text[LINE];
		size_t length = strlen(e->help);

		length -= length && e->help[length - 1] == '.';
		(void)snprintf(text, sizeof(text), "%.*s", (int)length, e->help);
		lower_first(text);
		(void)fprintf(b->out, "  %s\n      %s\n", e->command, text);
	}
}

/*
 * Up to the last comma or the like that stands in the first line. What a colon introduces and what
 * is in parentheses is whole or not there: a part of a list would pass for all of it.
 */
static size_t clause_length(const char *text, size_t n, size_t width)
{
	size_t best = n;

	for (size_t i = 1; n > width && i <= width && text[i] != ':'; i++) {
		if (text[i] == '(') {
			best = i - 1;
			i += strcspn(text + i, ")");
		} else if (strchr(",;", text[i]) && text[i + 1] == ' ') {
			best = i;
		}
	}
	return best;
}

/* ": label, short (default label)"; the default where there is room for it. */
static void add_values(const struct wl_param *p, char *buf, size_t size, size_t most)
{
	size_t used = strlen(buf);
	char text[LINE];
	int n;

	for (size_t i = 0; p->choices && p->choices[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 i      ? ", "
					 : used ? ": "
						: "",
					 p->choices[i]);
	n = snprintf(text, sizeof(text), " (default %s)",
		     p->people_def ? p->people_def
		     : p->def      ? p->def
				   : "");
	if (p->def && used + (size_t)n < most)
		(void)snprintf(buf + used, size - used, "%s", text);
}

static void param_text(const struct brief *b, const struct wl_param *p, char *buf, size_t size)
{
	const size_t width = (size_t)(WL_HELP_WIDTH - b->indent);
	const bool is_short = b->length->options == ONE_LINES;
	size_t n = sentence_length(p->help);

	if (b->length->options != SENTENCES)
		n = clause_length(p->help, n, width);
	(void)snprintf(buf, size, "%.*s", (int)n, p->help);
	lower_first(buf);
	add_values(p, buf, size, is_short ? width : size);
	/* Words to choose among say what the option is for. */
	if (is_short && p->choices && strlen(buf) > width) {
		buf[0] = '\0';
		add_values(p, buf, size, width);
	}
}

static void param_term(const struct brief *b, const struct wl_param *p, char *buf, size_t size)
{
	const char *argument = wl_param_argument(b->verb, p);
	char letter[8] = "", is_letter = wl_param_letter(b->verb, p);

	if (is_letter)
		(void)snprintf(letter, sizeof(letter), "-%c, ", is_letter);
	(void)snprintf(buf, size, "%s--%s%s%s", letter, p->key, argument ? " " : "",
		       argument ? argument : "");
}

/* The longest term has room before its meaning, as far as that is left enough. */
static int indent_of(const struct brief *b)
{
	size_t n, most = LEAST_INDENT - 4;
	const struct wl_param *params = wl_verb_params(b->verb, &n);

	for (size_t i = 0; i < n; i++) {
		char term[LINE];

		param_term(b, &params[i], term, sizeof(term));
		if (strlen(term) > most && strlen(term) <= MOST_INDENT - 4)
			most = strlen(term);
	}
	return (int)most + 4;
}

/* -f of a verb with formats of its own; false: it has none. */
static bool formats_text(const struct brief *b, char *buf, size_t size)
{
	const char *const *formats = b->verb->command ? b->verb->command->formats : NULL;
	size_t used = 0;

	for (size_t i = 0; formats && formats[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
					 formats[i]);
	return formats != NULL;
}

static void put_terms(const struct brief *b)
{
	char formats[LINE];

	size_t n;
	const struct wl_param *params = wl_verb_params(b->verb, &n);
	const struct wl_form *f;
	struct wl_verb other;

	if (formats_text(b, formats, sizeof(formats)))
		wl_wrap_term(b->out, "-f FORMAT", formats, b->indent);
	for (size_t i = 0; i < n; i++) {
		char term[LINE], text[TEXT];

		if (params[i].operand || params[i].only_as)
			continue;
		param_term(b, &params[i], term, sizeof(term));
		param_text(b, &params[i], text, sizeof(text));
		wl_wrap_term(b->out, term, text, b->indent);
	}
	for (size_t i = 0; (f = wl_form_at(b->verb, i, &other)); i++) {
		char words[64], text[LINE];

		wl_form_list(b->verb, &i, f, words, sizeof(words));
		/* One verb has several of these, which its line does not tell apart. */
		if (f->operand)
			(void)snprintf(text, sizeof(text), "the same as \"%s %s\"",
				       wl_verb_name(&other), f->operand);
		else
			(void)snprintf(text, sizeof(text), "%s", wl_verb_help(&other));
		lower_first(text);
		wl_wrap_term(b->out, words, text, b->indent);
	}
}

static void put_term_names(const struct brief *b)
{
	size_t n, used = 0;
	const struct wl_param *params = wl_verb_params(b->verb, &n);
	const struct wl_form *f;
	struct wl_verb other;
	char text[2 * TEXT] = "";

	for (size_t i = 0; i < n && used < sizeof(text); i++) {
		char term[LINE];

		if (params[i].operand || params[i].only_as)
			continue;
		param_term(b, &params[i], term, sizeof(term));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 term);
	}
	for (size_t i = 0; (f = wl_form_at(b->verb, i, &other)) && used < sizeof(text); i++) {
		char words[64];

		wl_form_list(b->verb, &i, f, words, sizeof(words));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 words);
	}
	(void)fputs("  ", b->out);
	wl_wrap(b->out, text, 2, 2);
}

static void put_operands(const struct brief *b)
{
	const struct wl_analysis *a = b->verb->analysis;
	bool any = false;

	for (size_t i = 0; a && i < a->n_params; i++) {
		if (!a->params[i].operand)
			continue;
		if (!any)
			(void)fputs("\nOperands\n", b->out);
		any = true;
		wl_wrap_term(b->out, a->params[i].key, a->params[i].help, b->indent);
	}
}

static void put_options(const struct brief *b)
{
	size_t n;
	const struct wl_param *params = wl_verb_params(b->verb, &n);
	struct wl_verb other;
	bool any = wl_form_at(b->verb, 0, &other) != NULL ||
		   (b->verb->command && b->verb->command->formats);

	for (size_t i = 0; i < n; i++)
		any = any || (!params[i].operand && !params[i].only_as);
	if (!any)
		return;
	(void)fputs("\nOptions\n", b->out);
	if (b->length->options == NAMES)
		put_term_names(b);
	else
		put_terms(b);
}

static void add_name(char *buf, size_t size, const char *name)
{
	size_t used = strlen(buf);

	(void)snprintf(buf + used, size - used, "%s%s", used ? " " : "", name);
}

/* Of an analysis its columns, of what has several tables their names. */
static void put_columns(const struct brief *b)
{
	const struct wl_analysis *a = b->verb->analysis;
	const struct wl_document_info *d = b->verb->document;
	const struct wl_table_info *t = b->verb->command ? b->verb->command->tables : NULL;
	char names[2 * TEXT] = "";

	for (size_t i = 0; a && i < a->n_cols; i++)
		add_name(names, sizeof(names), a->cols[i].key);
	for (size_t i = 0; d && i < d->n_sections; i++)
		add_name(names, sizeof(names), d->sections[i].analysis);
	for (; t && t->name; t++)
		add_name(names, sizeof(names), t->name);
	if (!*names)
		return;
	(void)fprintf(b->out, "\n%s\n  ", a ? "Columns" : "Tables");
	wl_wrap(b->out, names, 2, 2);
}

/* The names that are not at the head. */
static void put_aliases(const struct brief *b, const char *shown)
{
	const struct wl_alias *alias = wl_verb_aliases(b->verb);
	char names[TEXT] = "Aliases:";
	size_t used = strlen(names), first = used;

	if (strcmp(shown, wl_verb_name(b->verb)) != 0)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
					 wl_verb_name(b->verb));
	for (; alias->name && used < sizeof(names); alias++) {
		if (strcmp(alias->name, shown) != 0)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s %s",
						 used > first ? "," : "", alias->name);
	}
	if (used > first)
		wl_wrap(b->out, names, 0, 2);
}

static void put_more(const struct brief *b, const char *shown)
{
	const char *compared = wl_verb_compared(b->verb);
	bool has_columns = !b->verb->command || b->verb->command->tables;
	char text[TEXT];

	(void)snprintf(text, sizeof(text), "More: help %s --long%s%s%s%s", shown,
		       has_columns ? ", help " : "", has_columns ? shown : "",
		       has_columns ? " columns" : "",
		       wl_verb_is_common(b->verb) ? ", help options" : "");
	(void)fputc('\n', b->out);
	wl_wrap(b->out, text, 0, 2);
	put_aliases(b, shown);
	if (compared)
		(void)fprintf(b->out, "%s\n", compared);
}

/* "cuda_gpu_kern_gb_sum is warplens kernels --by grid" for who asks about a name of another tool.
 */
static void put_alias(const struct wl_verb *v, FILE *out)
{
	const char *shown = wl_verb_listed(v).name;
	const struct wl_alias *alias = v->alias;
	char line[TEXT], options[TEXT / 2];

	if (!alias || strcmp(alias->name, shown) == 0)
		return;
	wl_alias_options(v, alias, options, sizeof(options));
	(void)snprintf(line, sizeof(line), "%s is warplens %s%s%s", alias->name, shown,
		       *options ? " " : "", options);
	wl_wrap(out, line, 0, 4);
	(void)fputc('\n', out);
}

static void put_all(struct brief *b)
{
	const char *shown = wl_verb_listed(b->verb).name;
	char head[2 * LINE], help[LINE];

	(void)snprintf(help, sizeof(help), "%s", wl_verb_help(b->verb));
	lower_first(help);
	(void)snprintf(head, sizeof(head), "warplens %s - %s", shown, help);
	b->indent = indent_of(b);
	wl_wrap(b->out, head, 0, 4);
	put_examples(b);
	put_about(b);
	put_operands(b);
	put_options(b);
	put_columns(b);
	put_more(b, shown);
}

static int lines_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* One length of it; false: it takes too many lines. */
static bool put_length(const struct wl_verb *v, const struct length *length, bool is_last,
		       FILE *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *made = open_memstream(&text, &size);
	struct brief b = { .verb = v, .length = length, .out = made ? made : out };
	bool fits;

	put_all(&b);
	fits = !made || is_last;
	if (made && fclose(made) == 0) {
		fits = fits || lines_of(text) <= LINES;
		if (fits)
			(void)fputs(text, out);
	}
	free(text);
	return fits;
}

void wl_help_brief(const struct wl_verb *v, FILE *out)
{
	size_t i = 0;

	put_alias(v, out);
	while (!put_length(v, &lengths[i], i + 1 == WL_COUNT(lengths), out))
		i++;
}

/* SPDX-License-Identifier: MIT */
#include "cli/commands/ask/skill_show.h"

#include <string.h>

#include "base/text/clean.h"
#include "cli/help/wrap.h"

enum { NAME, ORIGIN, TITLE, PARAMETERS };

const struct wl_col wl_skill_list_cols[WL_N_SKILL_LIST_COLS] = {
	[NAME] = { "skill", "Skill", WL_T_ENUM, WL_KEY, "Name of the skill." },
	[ORIGIN] = { "origin", "Origin", WL_T_ENUM, WL_PLAIN,
		     "built-in, own (a file of yours) or verb." },
	[TITLE] = { "title", "Title", WL_T_STR, WL_PROSE, "What it shows." },
	[PARAMETERS] = { "parameters", "Parameters", WL_T_STR, WL_PROSE | WL_MINOR,
			 "Its parameters; an asterisk marks those that must be given." },
};

enum { LIST_CAP = 1024 };

void wl_skill_put_line(struct wl_table *out, const struct wl_skill *skill)
{
	char list[LIST_CAP] = "";
	size_t used = 0;

	for (size_t i = 0; i < skill->n_params && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s%s", i ? ", " : "",
					 skill->params[i].is.key,
					 skill->params[i].is_required ? "*" : "");
	wl_table_row(out);
	wl_put_str(out, NAME, skill->name);
	wl_put_str(out, ORIGIN, wl_skill_origin_names[skill->origin]);
	wl_put_str(out, TITLE, skill->title);
	if (skill->n_params)
		wl_put_copy(out, PARAMETERS, list);
}

/* Quotes, where a word has a blank. */
static void put_option(FILE *out, const struct wl_skill_option *o)
{
	const char *quote = strpbrk(o->value, " \"") ? "'" : "";

	(void)fprintf(out, " --%s %s%s%s", o->key, quote, o->value, quote);
}

static void show_verb(FILE *out, const struct wl_skill *skill)
{
	char type[WL_SKILL_TYPE_BUF];

	(void)fprintf(out, "# %s\n\n%s\n\n", skill->name, skill->title);
	wl_wrap(out, skill->about, 0, 0);
	if (skill->n_params)
		(void)fputs("\n## Parameters\n\n", out);
	for (size_t i = 0; i < skill->n_params; i++)
		(void)fprintf(out, "- %s (%s): %s\n", skill->params[i].is.key,
			      wl_skill_type_text(&skill->params[i], type),
			      skill->params[i].is.help);
	(void)fputs("\n## Verbs\n\n```\n", out);
	(void)fputs(skill->steps[0].verb, out);
	for (size_t i = 0; i < skill->steps[0].n_options; i++)
		put_option(out, &skill->steps[0].options[i]);
	(void)fputs("\n```\n", out);
}

void wl_skill_show(FILE *out, const struct wl_skill *skill)
{
	size_t n;

	if (!skill->text) {
		show_verb(out, skill);
		return;
	}
	n = strlen(skill->text);
	wl_put_clean_lines(out, skill->text);
	if (n && skill->text[n - 1] != '\n')
		(void)fputc('\n', out);
}

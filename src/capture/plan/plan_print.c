/* SPDX-License-Identifier: MIT */
/* plan_print.c - a plan as text. */
#include <string.h>

#include "base/text/clean.h"
#include "base/text/shell.h"
#include "capture/plan/plan_parts.h"

/* NAME=VALUE as a shell wants it: only the value may be quoted. */
static const char *assignment(struct wl_planning *p, const char *text)
{
	const char *equals = strchr(text, '='), *value;

	if (!equals)
		return text;
	value = equals[1] ? wl_shell_word(equals + 1, p->arena) : "";
	if (!value)
		p->is_failed = true;
	return wl_planf(p, "%.*s%s", (int)(equals + 1 - text), text, value ? value : "");
}

/* Linear: the words are measured before they are joined. */
static const char *join(struct wl_planning *p, const struct wl_argv_words *words)
{
	size_t size = 1;
	char *line, *to;

	for (size_t i = 0; i < words->n; i++)
		size += strlen(words->word[i]) + 1;
	line = words->is_failed ? NULL : WL_NEW(p->arena, char, size);
	if (!line) {
		p->is_failed = true;
		return NULL;
	}
	to = line;
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			*to++ = ' ';
		to = stpcpy(to, words->word[i]);
	}
	return line;
}

const char *wl_capture_plan_line(const struct wl_plan_step *step, struct wl_arena *arena)
{
	struct wl_planning p = { .arena = arena };
	struct wl_argv_words words = { .arena = arena };
	const char *line;

	for (size_t i = 0; step->env && step->env[i]; i++)
		wl_argv_words_add(&words, assignment(&p, step->env[i]));
	for (size_t i = 0; step->argv && step->argv[i]; i++) {
		const char *word = wl_shell_word(step->argv[i], arena);

		if (!word)
			return NULL;
		wl_argv_words_add(&words, word);
	}
	line = join(&p, &words);
	return p.is_failed ? NULL : line;
}

/* Each line of a text four blanks in, as a list in Markdown wants it. */
static const char *indented(struct wl_planning *p, const char *text)
{
	const char *all = "";

	while (*text) {
		size_t n = strcspn(text, "\n");

		all = wl_planf(p, "%s    %.*s\n", all, (int)n, text);
		text += n + (text[n] == '\n');
	}
	return all;
}

/* Titles and notes may name a kernel of a trace, or quote an argument. */
static const char *clean(struct wl_planning *p, const char *text)
{
	const char *line = wl_clean_line(text, p->arena);

	if (!line)
		p->is_failed = true;
	return line ? line : "";
}

static const char *step_text(struct wl_planning *p, size_t number, const struct wl_plan_step *step)
{
	const char *text = wl_planf(p, "%zu. %s:\n", number, clean(p, step->title));

	if (step->file)
		text = wl_planf(p, "%s  %s\n%s", text, step->file, indented(p, step->text));
	if (step->argv) {
		const char *line = wl_capture_plan_line(step, p->arena);

		if (!line)
			p->is_failed = true;
		text = wl_planf(p, "%s  $ %s\n", text, line ? line : "");
	}
	return text;
}

const char *wl_capture_plan_text(const struct wl_capture_plan *plan, struct wl_arena *arena)
{
	struct wl_planning p = { .arena = arena };
	const char *text = "";

	for (size_t i = 0; i < plan->n_steps; i++)
		text = wl_planf(&p, "%s%s", text, step_text(&p, i + 1, &plan->step[i]));
	for (size_t i = 0; i < plan->n_notes; i++)
		text = wl_planf(&p, "%snote: %s\n", text, clean(&p, plan->note[i]));
	return p.is_failed ? NULL : text;
}

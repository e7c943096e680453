/* SPDX-License-Identifier: MIT */
/* plan_words.c - lists of words and texts of a plan. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/plan/plan_parts.h"

static bool grow(struct wl_argv_words *words)
{
	size_t cap = words->cap ? 2 * words->cap : 32;
	const char **more = WL_NEW(words->arena, const char *, cap);

	if (!more)
		return false;
	if (words->n)
		memcpy(more, words->word, words->n * sizeof(*more));
	words->word = more;
	words->cap = cap;
	return true;
}

void wl_argv_words_add(struct wl_argv_words *words, const char *word)
{
	if (!words->is_failed && words->n == words->cap && !grow(words))
		words->is_failed = true;
	if (!words->is_failed)
		words->word[words->n++] = word;
}

void wl_argv_words_all(struct wl_argv_words *words, const char *const *argv, size_t n)
{
	for (size_t i = 0; i < n; i++)
		wl_argv_words_add(words, argv[i]);
}

/* A text of any length; NULL without memory. */
WL_PRINTF(2, 0)
static const char *format(struct wl_arena *arena, const char *fmt, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = n < 0 ? NULL : WL_NEW(arena, char, (size_t)n + 1);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, args);
	return text;
}

void wl_argv_words_addf(struct wl_argv_words *words, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = format(words->arena, fmt, args);
	va_end(args);
	if (text)
		wl_argv_words_add(words, text);
	else
		words->is_failed = true;
}

const char *const *wl_argv_words_end(struct wl_planning *p, struct wl_argv_words *words)
{
	wl_argv_words_add(words, NULL);
	if (!words->is_failed)
		return words->word;
	p->is_failed = true;
	return NULL;
}

const char *wl_planf(struct wl_planning *p, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = format(p->arena, fmt, args);
	va_end(args);
	if (!text)
		p->is_failed = true;
	return text ? text : "";
}

void wl_plan_note(struct wl_planning *p, const char *note)
{
	for (size_t i = 0; i < p->plan->n_notes; i++) {
		if (strcmp(p->plan->note[i], note) == 0)
			return;
	}
	if (p->plan->n_notes == WL_PLAN_NOTES)
		p->is_failed = true;
	else
		p->plan->note[p->plan->n_notes++] = note;
}

void wl_plan_add(struct wl_planning *p, const struct wl_plan_step *step)
{
	if (p->plan->n_steps == WL_PLAN_STEPS)
		p->is_failed = true;
	else
		p->plan->step[p->plan->n_steps++] = *step;
}

size_t wl_argv_count(const char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return n;
}

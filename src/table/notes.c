/* SPDX-License-Identifier: MIT */
/* notes.c - the notes of a table; see table.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/marks.h"
#include "table/table.h"

/* Append a note, unless the table has one of the same text. */
static void add(struct wl_table *t, const struct wl_note *note)
{
	struct wl_note *copy;

	for (const struct wl_note *n = t->notes; n; n = n->next) {
		if (strcmp(n->text, note->text) == 0)
			return;
	}
	copy = WL_NEW(t->arena, struct wl_note, 1);
	if (!copy) {
		t->failed = true;
		return;
	}
	*copy = *note;
	copy->next = NULL;
	if (t->last_note)
		t->last_note->next = copy;
	else
		t->notes = copy;
	t->last_note = copy;
	t->n_notes++;
}

/* Take the mark out of a text; where it stood, 0 for none. */
static size_t take_stop(char *text)
{
	char *mark = strchr(text, *WL_STOP);

	if (!mark)
		return 0;
	memmove(mark, mark + 1, strlen(mark));
	return (size_t)(mark - text);
}

WL_PRINTF(3, 0)
static void add_text(struct wl_table *t, struct wl_note *note, const char *fmt, va_list ap)
{
	char *text = NULL;
	va_list again;
	int len;

	if (t->failed)
		return;
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len >= 0)
		text = wl_arena_calloc(t->arena, (size_t)len + 1, 1);
	if (!text) {
		t->failed = true;
		return;
	}
	(void)vsnprintf(text, (size_t)len + 1, fmt, ap);
	note->stop = take_stop(text);
	note->text = text;
	add(t, note);
}

void wl_table_note(struct wl_table *t, const char *fmt, ...)
{
	struct wl_note note = { .is_minor = false };
	va_list ap;

	va_start(ap, fmt);
	add_text(t, &note, fmt, ap);
	va_end(ap);
}

void wl_table_remark(struct wl_table *t, const char *fmt, ...)
{
	struct wl_note note = { .is_minor = true };
	va_list ap;

	va_start(ap, fmt);
	add_text(t, &note, fmt, ap);
	va_end(ap);
}

void wl_table_note_verdict(struct wl_table *t, const char *fmt, ...)
{
	struct wl_note note = { .is_verdict = true };
	va_list ap;

	va_start(ap, fmt);
	add_text(t, &note, fmt, ap);
	va_end(ap);
}

void wl_table_note_limit(struct wl_table *t, const char *fmt, ...)
{
	struct wl_note note = { .is_of_limit = true };
	va_list ap;

	va_start(ap, fmt);
	add_text(t, &note, fmt, ap);
	va_end(ap);
}

/*
 * The text of a note around its command, and where that stands: tools show the command in a form of
 * their own.
 */
static bool spell(struct wl_note *note, const char *before, size_t n_before, const char *after,
		  const char *trace, struct wl_arena *arena)
{
	const char *command = wl_cmdline_text(note->command, trace, arena);
	size_t size = command ? n_before + strlen(command) + strlen(after) + 1 : 0;
	char *text = command ? WL_NEW(arena, char, size) : NULL;

	if (!text)
		return false;
	(void)snprintf(text, size, "%.*s%s%s", (int)n_before, before, command, after);
	note->text = text;
	note->at = n_before;
	note->n = strlen(command);
	return true;
}

void wl_table_suggest(struct wl_table *t, bool is_minor, const char *before,
		      const struct wl_cmdline *command, const char *after)
{
	struct wl_cmdline *copy = t->failed ? NULL : WL_NEW(t->arena, struct wl_cmdline, 1);
	struct wl_note note = { .is_minor = is_minor, .command = copy };
	char *lead = copy ? wl_arena_strdup(t->arena, before) : NULL;

	if (copy)
		*copy = *command;
	if (lead)
		note.stop = take_stop(lead);
	if (!lead || !spell(&note, lead, strlen(lead), after, WL_CMDLINE_TRACE, t->arena))
		t->failed = true;
	else
		add(t, &note);
}

void wl_table_note_command(struct wl_table *t, const struct wl_cmdline *command, const char *fmt,
			   ...)
{
	char *text = NULL, *mark;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	mark = n < 0 ? NULL : strchr(text, *WL_COMMAND_MARK);
	t->failed = t->failed || n < 0;
	if (mark) {
		*mark = '\0';
		wl_table_suggest(t, false, text, command, mark + 1);
	}
	free(n < 0 ? NULL : text);
}

/* Of no text none; false without memory. */
static bool copy_text(const char **text, struct wl_arena *arena)
{
	const char *copy = *text ? wl_arena_strdup(arena, *text) : NULL;
	bool ok = !*text == !copy;

	*text = copy;
	return ok;
}

/* NULL without memory; so is that of no command. */
static const struct wl_cmdline *copy_command(const struct wl_cmdline *from, struct wl_arena *arena)
{
	struct wl_cmdline *copy = from ? WL_NEW(arena, struct wl_cmdline, 1) : NULL;
	bool ok;

	if (!copy)
		return NULL;
	*copy = *from;
	ok = copy_text(&copy->verb, arena);
	for (size_t i = 0; ok && i < WL_CMDLINE_OPTIONS && from->option[i].name; i++)
		ok = copy_text(&copy->option[i].name, arena) &&
		     copy_text(&copy->option[i].value, arena);
	return ok ? copy : NULL;
}

void wl_table_copy_note(struct wl_table *t, const struct wl_note *from)
{
	struct wl_note note = *from;

	if (t->failed)
		return;
	note.text = wl_arena_strdup(t->arena, from->text);
	note.command = copy_command(from->command, t->arena);
	if (note.text && !note.command == !from->command)
		add(t, &note);
	else
		t->failed = true;
}

void wl_table_say_steps(struct wl_table *t, bool is_minor, const char *const *texts)
{
	for (; texts && *texts && !t->failed; texts++) {
		const char *mark = strchr(*texts, *WL_COMMAND_MARK);
		struct wl_note note = { .text = *texts, .is_minor = is_minor, .is_of_steps = true };

		note.command = mark ? &wl_cmdline_marker : NULL;
		t->failed = mark && !spell(&note, *texts, (size_t)(mark - *texts), mark + 1,
					   WL_CMDLINE_TRACE, t->arena);
		if (!t->failed)
			wl_table_copy_note(t, &note);
	}
}

bool wl_note_respell(struct wl_note *note, const char *trace, struct wl_arena *arena)
{
	return spell(note, note->text, note->at, note->text + note->at + note->n, trace, arena);
}

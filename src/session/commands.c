/* SPDX-License-Identifier: MIT */
#include "session/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"

/* The word that stands for the trace in a command of this program; NULL for none. */
static const char *find_word(const char *text)
{
	static const char word[] = "TRACE";
	const char *command = strstr(text, "warplens "), *at = command ? command : "";

	while ((at = strstr(at, word))) {
		const char *end = at + strlen(word);

		if (at[-1] == ' ' && !isalnum((unsigned char)*end) && *end != '_')
			return at;
		at = end;
	}
	return NULL;
}

/* The command shows a device that the user has not selected: the cause is there. */
static bool is_elsewhere(const struct wl_commands *c, const char *text)
{
	static const char option[] = " --gpu ";
	const char *gpu = strstr(text, option);
	char *end;
	unsigned long device;

	if (!gpu || !c->scope || !c->scope->device_on)
		return false;
	device = strtoul(gpu + strlen(option), &end, 10);
	if (end == gpu + strlen(option))
		return false;
	/* So do lists and ranges: they compare devices. */
	return *end == ',' || *end == '.' || !c->scope->device_on[device];
}

struct option {
	const char *name, *value;
	bool selects; /* operations: not said of a device that is not selected */
};

/* "a b" of two texts; NULL where one is, or without memory. */
static const char *join(const char *a, const char *b, struct wl_arena *arena)
{
	size_t size = a && b ? strlen(a) + strlen(b) + 2 : 0;
	char *both = a && b ? WL_NEW(arena, char, size) : NULL;

	if (both)
		(void)snprintf(both, size, "%s %s", a, b);
	return both;
}

/* "/tmp/run.sqlite", or "--job rank0.sqlite rank1.sqlite". */
static const char *say_operands(const struct wl_commands *c, struct wl_arena *arena)
{
	const char *said = c->n_files ? "--job" : wl_shell_word(c->path, arena);

	for (size_t i = 0; i < c->n_files; i++)
		said = join(said, wl_shell_word(c->files[i], arena), arena);
	return said;
}

/* "/tmp/run.sqlite --pid 12": what stands for the word. */
static const char *say_trace(const struct wl_commands *c, const char *text, struct wl_arena *arena)
{
	const struct wl_selection *s = &c->request->selection;
	bool is_whole = s->window && strcmp(s->window, "all") == 0;
	const struct option options[] = {
		{ " --gpu ", s->gpu, true },
		{ " --pid ", s->pid, true },
		{ " --rank ", s->rank, true },
		{ " --stream ", s->stream, true },
		{ " --window ", is_whole ? NULL : s->window, false },
		{ " --marker ", c->request->marker, false },
		{ " --conventions ", c->request->conventions.name, false },
	};
	const char *said = say_operands(c, arena);
	bool elsewhere = is_elsewhere(c, text);

	for (size_t i = 0; said && i < WL_COUNT(options); i++) {
		const struct option *o = &options[i];
		const char *value = o->value ? wl_shell_word(o->value, arena) : "";
		size_t size;
		char *more;

		if (!o->value || strstr(text, o->name) || (elsewhere && o->selects))
			continue;
		size = strlen(said) + strlen(o->name) + (value ? strlen(value) : 0) + 1;
		more = value ? WL_NEW(arena, char, size) : NULL;
		if (more)
			(void)snprintf(more, size, "%s%s%s", said, o->name, value);
		said = more;
	}
	return said;
}

/* The text itself where it has no such word. NULL without memory. */
static const char *fill(const struct wl_commands *c, const char *text, struct wl_arena *arena)
{
	const char *word = find_word(text), *said, *rest;
	size_t size;
	char *out;

	if (!word)
		return text;
	rest = word + strlen("TRACE");
	said = say_trace(c, text, arena);
	size = said ? strlen(text) + strlen(said) + 1 : 0;
	out = said ? WL_NEW(arena, char, size) : NULL;
	if (out)
		(void)snprintf(out, size, "%.*s%s%s", (int)(word - text), text, said, rest);
	return out;
}

bool wl_commands_fill(const struct wl_commands *c, struct wl_table *t)
{
	for (struct wl_note *n = t->notes; n; n = n->next) {
		n->text = fill(c, n->text, t->arena);
		if (!n->text)
			return false;
	}
	for (size_t col = 0; col < t->n_cols; col++) {
		for (size_t row = 0; (t->cols[col].flags & WL_SHELL) && row < t->n_rows; row++) {
			const struct wl_cell cell = wl_table_at(t, row, col);
			const char *text = cell.set ? fill(c, cell.str, t->arena) : "";

			if (!text)
				return false;
			if (cell.set)
				wl_table_replace(t, row, col, text);
		}
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "session/open/commands.h"

#include <stdio.h>
#include <string.h>

#include "analysis/args.h"
#include "base/text/marks.h"
#include "base/text/shell.h"
#include "session/facts/facts_trace.h"

/* The command shows a device that the user has not selected: the cause is there. */
static bool is_elsewhere(const struct wl_commands *c, const struct wl_cmdline *command)
{
	if (command->gpus == WL_GPUS_AS_ASKED || !c->scope || !c->scope->device_on)
		return false;
	/* So do several: they compare devices. */
	return command->gpus != WL_GPUS_ONE || command->gpu[0] >= c->n_devices ||
	       !c->scope->device_on[command->gpu[0]];
}

/* "a b" of two texts; NULL where one is, or without memory. */
static const char *join(const char *a, const char *b, struct wl_arena *arena)
{
	size_t size = a && b ? strlen(a) + strlen(b) + 2 : 0;
	char *both = a && b ? WL_NEW(arena, char, size) : NULL;

	if (both)
		(void)snprintf(both, size, "%s %s", a, b);
	return both;
}

/* An option of rows, which are cut of what is kept, or a choice of the verb: all are kept. */
static bool is_kept(const struct wl_analysis *a, const char *name)
{
	size_t i = a ? wl_param_named(a->params, a->n_params, name) : 0;

	return !a || i == a->n_params || a->params[i].type == WL_P_BOOL ||
	       a->params[i].type == WL_P_ENUM;
}

/* Facts answer it: a verb that they have over everything, with one option of its own. */
static bool is_in_facts(const struct wl_commands *c, const struct wl_cmdline *command)
{
	return c->facts && command->gpus == WL_GPUS_AS_ASKED && !command->has_steps &&
	       !command->option[1].name && wl_facts_have_verb(command->verb) &&
	       (!command->option[0].name ||
		is_kept(wl_analysis_find(command->verb), command->option[0].name));
}

/* "/tmp/run.sqlite", or "--job rank0.sqlite rank1.sqlite". */
static const char *say_operands(const struct wl_commands *c, const struct wl_cmdline *command,
				struct wl_arena *arena)
{
	const char *path = is_in_facts(c, command) ? c->facts : c->path;
	const char *said = c->directory ? wl_shell_word(c->directory, arena)
			   : c->n_files ? "--job"
					: wl_shell_word(path, arena);

	for (size_t i = 0; !c->directory && i < c->n_files; i++)
		said = join(said, wl_shell_word(c->files[i], arena), arena);
	return said;
}

/* The command's verb says what the file holds: it takes no selection. */
static bool is_of_file(const struct wl_cmdline *command)
{
	const struct wl_analysis *a = wl_analysis_find(command->verb);
	const struct wl_document_info *d = wl_document_find(command->verb);

	return (a && a->of_file) || (d && wl_document_is_of_file(d));
}

/* It answers about all devices, processes, ranks and streams. */
static bool is_of_run(const struct wl_cmdline *command)
{
	const struct wl_analysis *a = wl_analysis_find(command->verb);

	return a && a->whole_run;
}

/* What the answer was asked with, as far as the command has nothing of its own. */
static struct wl_cmdline_given given_to(const struct wl_commands *c,
					const struct wl_cmdline *command)
{
	const struct wl_selection *s = &c->request->selection;
	bool is_whole = s->window && strcmp(s->window, "all") == 0;
	bool elsewhere = is_elsewhere(c, command) || is_of_run(command);

	const char *trace = c->facts && !is_in_facts(c, command) ? c->path : NULL;

	if (is_of_file(command))
		return (struct wl_cmdline_given){ .trace = trace };
	return (struct wl_cmdline_given){
		.trace = trace,
		.gpu = elsewhere || command->gpus != WL_GPUS_AS_ASKED ? NULL : s->gpu,
		.pid = elsewhere ? NULL : s->pid,
		.rank = elsewhere ? NULL : s->rank,
		.stream = elsewhere ? NULL : s->stream,
		.window = is_whole || command->has_steps ? NULL : s->window,
		.marker = c->request->marker,
		.conventions = c->request->conventions.name,
	};
}

/* "/tmp/run.sqlite --pid 12": what stands for the trace. */
static const char *say_trace(const struct wl_commands *c, const struct wl_cmdline *command,
			     struct wl_arena *arena)
{
	const struct wl_cmdline_given given = given_to(c, command);
	const struct {
		const char *name, *value;
	} options[] = {
		{ "--gpu", given.gpu },
		{ "--pid", given.pid },
		{ "--rank", given.rank },
		{ "--stream", given.stream },
		{ "--window", given.window },
		{ "--marker", given.marker },
		{ "--conventions", given.conventions },
	};
	const char *said = say_operands(c, command, arena);

	for (size_t i = 0; said && i < WL_COUNT(options); i++) {
		if (options[i].value)
			said = join(join(said, options[i].name, arena),
				    wl_shell_word(options[i].value, arena), arena);
	}
	return said;
}

/* Texts of the request may go before the table does. */
static bool own(struct wl_cmdline_given *given, struct wl_arena *arena)
{
	const char **const texts[] = { &given->gpu,         &given->pid,    &given->rank,
				       &given->stream,      &given->window, &given->marker,
				       &given->conventions, &given->trace };

	for (size_t i = 0; i < WL_COUNT(texts); i++) {
		const char *copy = *texts[i] ? wl_arena_strdup(arena, *texts[i]) : NULL;

		if (*texts[i] && !copy)
			return false;
		*texts[i] = copy;
	}
	return true;
}

const char *wl_commands_line(const struct wl_commands *c, const char *verb, struct wl_arena *arena)
{
	const struct wl_cmdline command = { .verb = verb };
	const char *trace = say_trace(c, &command, arena);

	return trace ? wl_cmdline_text(&command, trace, arena) : NULL;
}

static bool fill_cell(const struct wl_commands *c, struct wl_shell_cell *cell, struct wl_table *t)
{
	const char *trace = say_trace(c, &cell->command, t->arena);
	const char *text = trace ? wl_cmdline_text(&cell->command, trace, t->arena) : NULL;

	cell->given = given_to(c, &cell->command);
	if (!text || !own(&cell->given, t->arena))
		return false;
	wl_table_replace(t, cell->row, cell->col, text);
	return true;
}

/* Which trace the cells need that were emptied. */
static void note_lost(const struct wl_commands *c, size_t n, struct wl_table *t)
{
	static const struct wl_cmdline where = { .option = { { "traces", "DIR" } } };
	const char *dir = c->request->traces;

	wl_table_note_command(
		t, &where,
		"evidence of %zu finding%s needs the trace %s, which is not %s%s; " WL_COMMAND_MARK
		" says where it is",
		n, n == 1 ? "" : "s", c->path, dir ? "in " : "beside these facts", dir ? dir : "");
}

bool wl_commands_fill(const struct wl_commands *c, struct wl_table *t)
{
	struct wl_shell_cell **at = &t->shell_cells;
	size_t n_lost = 0;

	for (struct wl_note *n = t->notes; n; n = n->next) {
		const char *trace;

		if (!n->command || !n->command->verb)
			continue;
		trace = say_trace(c, n->command, t->arena);
		if (!trace || !wl_note_respell(n, trace, t->arena))
			return false;
	}
	while (*at) {
		struct wl_shell_cell *cell = *at;

		if (c->is_lost && !is_in_facts(c, &cell->command)) {
			wl_table_clear(t, cell->row, cell->col);
			*at = cell->next;
			n_lost++;
		} else if (fill_cell(c, cell, t)) {
			at = &cell->next;
		} else {
			return false;
		}
	}
	if (n_lost)
		note_lost(c, n_lost, t);
	return !t->failed;
}

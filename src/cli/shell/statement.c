/* SPDX-License-Identifier: MIT */
#include "cli/shell/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text/clean.h"
#include "cli/shell/box.h"
#include "cli/shell/describe.h"

/* Rows that are read for a box: the last of them are shown, so all are held. */
enum { MAX_BOX_ROWS = 100000 };

static bool is_for_people(const struct wl_shell *s)
{
	return !s->format || s->format->for_people;
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* The note that the result was cut; a box says it itself. */
static bool is_cut(const struct wl_table *t)
{
	for (const struct wl_note *n = t->notes; n; n = n->next) {
		if (n->is_of_limit)
			return true;
	}
	return false;
}

/* Beside the results of a script. */
static void put_notes(const struct wl_shell *s, const struct wl_table *t)
{
	FILE *out = s->opts.put ? stderr : stdout;

	for (const struct wl_note *n = t->notes; n; n = n->next) {
		if (n->is_of_limit)
			continue;
		(void)fputs("note: ", out);
		wl_put_clean(out, n->text);
		(void)fputc('\n', out);
	}
}

static int print_own(const struct wl_shell *s, const struct wl_table *t, FILE *out)
{
	struct wl_box_opts opts = { .look = s->opts.look, .rows = s->rows, .has_more = is_cut(t) };

	if (s->by_line) {
		wl_box_print_lines(t, out);
		return WL_OK;
	}
	if (!opts.look.width)
		opts.look.width = out == stdout ? terminal_width() : 0;
	wl_box_print(t, &opts, out);
	return WL_OK;
}

static int print_format(const struct wl_shell *s, const struct wl_format *format,
			const struct wl_document *doc, struct wl_arena *arena, FILE *out,
			struct wl_err *reterr)
{
	const struct wl_view_opts view = { .limit = format->for_people ? s->rows : 0 };
	struct wl_render_opts look = s->opts.look;
	struct wl_section section = doc->sections[0];
	struct wl_document shown = *doc;
	int r = wl_view_make(section.view.table, &view, arena, &section.view, reterr);

	if (r < 0)
		return r;
	shown.sections = &section;
	if (!look.width)
		look.width = out == stdout ? terminal_width() : 0;
	format->render(&shown, &look, out);
	return WL_OK;
}

/* To the file of .once, once; its ending chooses the format. */
static int print_once(struct wl_shell *s, const struct wl_document *doc, struct wl_arena *arena,
		      struct wl_err *reterr)
{
	const struct wl_format *format = wl_format_of_file(s->once);
	struct wl_file file;
	int r = wl_file_begin(s->once, &file, reterr);

	s->once[0] = '\0';
	if (r < 0)
		return r;
	format = format ? format : s->format;
	r = format ? print_format(s, format, doc, arena, file.stream, reterr)
		   : print_own(s, doc->sections[0].view.table, file.stream);
	if (r < 0) {
		wl_file_abort(&file);
		return r;
	}
	return wl_file_commit(&file, reterr);
}

static int print(struct wl_shell *s, const struct wl_document *doc, struct wl_arena *arena,
		 struct wl_err *reterr)
{
	const struct wl_table *t = doc->sections[0].view.table;
	int r;

	if (t->n_cols == 0)
		return WL_OK;
	if (s->once[0])
		return print_once(s, doc, arena, reterr);
	if (s->opts.put && (!s->has_mode || s->format))
		return s->opts.put(s->opts.ctx, s->format, doc, reterr);
	r = s->format ? print_format(s, s->format, doc, arena, stdout, reterr)
		      : print_own(s, t, stdout);
	if (r == WL_OK && (!s->format || !s->format->framed))
		put_notes(s, t);
	return r;
}

static bool begins_with(const char *statement, const char *word)
{
	size_t n = strlen(word);

	return strncasecmp(statement, word, n) == 0 && isspace((unsigned char)statement[n]);
}

/* "FROM t ..." is all of t. NULL without memory. */
static char *in_full(const char *statement)
{
	char *text = NULL;

	if (!begins_with(statement, "FROM"))
		return strdup(statement);
	return asprintf(&text, "SELECT * %s", statement) < 0 ? NULL : text;
}

static void run(struct wl_shell *s, const char *text)
{
	struct wl_sql_limits limits = s->opts.limits;
	struct wl_err err = { .code = WL_OK };
	struct wl_document doc;
	struct wl_arena arena;
	int r;

	/* Formats for programs get all rows, and so does a file. */
	if (is_for_people(s) && (!s->opts.put || s->has_mode) && !s->once[0] &&
	    (!limits.rows || limits.rows > MAX_BOX_ROWS))
		limits.rows = MAX_BOX_ROWS;
	wl_arena_init_on(&arena, s->opts.budget);
	if (s->opts.begin)
		s->opts.begin(s->opts.ctx);
	r = wl_sql_run(s->opts.sql, text, &limits, &arena, &doc, &err);
	if (s->opts.end)
		s->opts.end(s->opts.ctx);
	if (r == WL_OK)
		r = print(s, &doc, &arena, &err);
	if (r == WL_E_CANCELED && !s->opts.put) {
		(void)fputc('\n', stdout); /* the terminal shows ^C */
		wl_shell_complain(s, "interrupted");
	} else if (r < 0) {
		wl_shell_fail(s, &err);
	}
	wl_arena_release(&arena);
}

/* The one word behind DESCRIBE, without its semicolon. */
static void describe(struct wl_shell *s, const char *rest)
{
	size_t n = strcspn(rest, "; \t\n");
	char *name = strndup(rest, n);

	if (name)
		wl_shell_describe(s, name);
	else
		wl_shell_no_memory(s);
	free(name);
}

void wl_shell_answer(struct wl_shell *s, const char *statement)
{
	int64_t begun = wl_clock_wall_ns();
	char buf[WL_UNITS_BUF], *text;

	if (begins_with(statement, "DESCRIBE")) {
		describe(s, statement + strlen("DESCRIBE") +
				    strspn(statement + strlen("DESCRIBE"), " \t\n"));
		return;
	}
	text = in_full(statement);
	if (text)
		run(s, text);
	else
		wl_shell_no_memory(s);
	free(text);
	/*
	 * Completion offers the new table or forgets the old one: its names are read again when
	 * they are next asked for.
	 */
	if (begins_with(statement, "CREATE") || begins_with(statement, "DROP"))
		s->has_names = false;
	if (s->has_timer)
		(void)printf("run time: %s\n",
			     wl_fmt_ns(buf, wl_clock_wall_ns() - begun, WL_UNIT_AUTO));
	(void)fflush(stdout);
}

/* SPDX-License-Identifier: MIT */
#include "cli/shell/shell.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/clean.h"
#include "cli/shell/dots.h"
#include "cli/shell/history.h"
#include "cli/shell/shell_state.h"
#include "cli/shell/statement.h"
#include "cli/status.h"

/* What SQLite would refuse anyway. */
enum { MAX_STATEMENT = 1 << 20, MAX_DEPTH = 8, SHOWN = 40 };

/* ---- Statements ---- */

static void drop(struct wl_shell *s)
{
	free(s->pending);
	s->pending = NULL;
	s->n_pending = 0;
}

/* False once it has said why. */
static bool append(struct wl_shell *s, const char *line)
{
	size_t n = strlen(line);
	char *grown;

	if (n + s->n_pending >= MAX_STATEMENT) {
		wl_shell_complain(s, "the statement is too long");
		return false;
	}
	grown = realloc(s->pending, s->n_pending + n + 2);
	if (!grown) {
		wl_shell_no_memory(s);
		return false;
	}
	memcpy(grown + s->n_pending, line, n);
	s->n_pending += n;
	grown[s->n_pending++] = '\n';
	grown[s->n_pending] = '\0';
	s->pending = grown;
	return true;
}

/* How long the first whole statement is, with its semicolon; 0: there is none. */
static size_t first_statement(char *text)
{
	for (char *at = strchr(text, ';'); at; at = strchr(at + 1, ';')) {
		char kept = at[1];
		bool is_whole;

		at[1] = '\0';
		is_whole = wl_sql_is_complete(text);
		at[1] = kept;
		if (is_whole)
			return (size_t)(at + 1 - text);
	}
	return 0;
}

static const char *skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* Answer all whole statements; what follows the last stays. */
static void answer_pending(struct wl_shell *s)
{
	size_t n;

	while (s->pending && !s->leaves && (n = first_statement(s->pending)) > 0) {
		char *statement = strndup(s->pending, n);

		s->n_pending -= n;
		memmove(s->pending, s->pending + n, s->n_pending + 1);
		if (statement)
			wl_shell_answer(s, skip_blanks(statement));
		else
			wl_shell_no_memory(s);
		free(statement);
	}
	if (s->pending && *skip_blanks(s->pending) == '\0')
		drop(s);
}

/* "exit", "quit" and "help" are no SQL: people type them. */
static const char *as_dot(const char *line)
{
	static const char *const words[][2] = {
		{ "exit", ".quit" }, { "quit", ".quit" }, { "help", ".help" }, { "\\q", ".quit" }
	};
	size_t n = strcspn(line, " \t;");

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		if (strlen(words[i][0]) == n && strncasecmp(line, words[i][0], n) == 0 &&
		    line[n + strspn(line + n, " \t;")] == '\0')
			return words[i][1];
	}
	return line;
}

static void read_named(struct wl_shell *s);

static void feed(struct wl_shell *s, const char *line)
{
	if (!s->pending) {
		line = as_dot(skip_blanks(line));
		if (*line == '.') {
			wl_shell_dot(s, line);
			read_named(s);
			return;
		}
		if (!*line)
			return;
	}
	if (!append(s, line)) {
		drop(s);
		return;
	}
	answer_pending(s);
}

static void feed_all(struct wl_shell *s, char *text)
{
	for (char *line;
	     !s->leaves && !*s->opts.limits.cancel && (line = strsep(&text, "\n")) != NULL;)
		feed(s, line);
	/* A file may leave out the last semicolon. */
	if (s->pending && !s->leaves && !*s->opts.limits.cancel)
		feed(s, ";");
	drop(s);
}

/* Run the file that .read named, if it did; files may name others. */
static void read_named(struct wl_shell *s)
{
	struct wl_err err = { .code = WL_OK };
	char *bytes = NULL, *text;
	size_t n = 0;

	if (!s->reading[0])
		return;
	if (s->depth >= MAX_DEPTH)
		(void)wl_fail(&err, WL_E_USAGE, "files read each other: .read stops at %d of them",
			      MAX_DEPTH);
	else if (wl_file_read(s->reading, MAX_STATEMENT + 1, &bytes, &n, &err) == WL_OK &&
		 n > MAX_STATEMENT)
		(void)wl_fail(&err, WL_E_USAGE, ".read %.200s: it has more than %d bytes",
			      s->reading, MAX_STATEMENT);
	s->reading[0] = '\0';
	if (err.code != WL_OK) {
		free(bytes);
		wl_shell_fail(s, &err);
		return;
	}
	text = strndup(bytes, n);
	free(bytes);
	s->depth++;
	if (text)
		feed_all(s, text);
	else
		wl_shell_no_memory(s);
	s->depth--;
	free(text);
}

/* ---- History ---- */

static void remember(void *ctx, const char *line)
{
	wl_lines_remember(((struct wl_shell *)ctx)->lines, line);
}

static void keep(struct wl_shell *s, const char *line)
{
	remember(s, line);
	if (s->history[0])
		(void)wl_history_add(s->history, line);
}

/* One line for a statement of several, unless a comment would hide the rest. */
static void keep_typed(struct wl_shell *s, char *typed)
{
	size_t n = strlen(typed);

	while (n > 0 && isspace((unsigned char)typed[n - 1]))
		typed[--n] = '\0';
	if (n == 0)
		return;
	if (!strstr(typed, "--")) {
		for (char *c = typed; *c; c++) {
			if (*c == '\n')
				*c = ' ';
		}
		keep(s, typed);
		return;
	}
	for (char *rest = typed, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line)
			keep(s, line);
	}
}

/* ---- The loop ---- */

static struct wl_continuations continuations(void *ctx, const char *line, size_t cursor)
{
	struct wl_shell *s = ctx;
	const struct wl_typed typed = { s->pending ? s->pending : "", line, cursor };

	if (!wl_shell_knows_names(s))
		return (struct wl_continuations){ .n = 0 };
	if (!s->pending && *skip_blanks(line) == '.')
		return wl_shell_complete_dot(s, line, cursor);
	return wl_shell_names_complete(&s->names, &typed);
}

/* What was typed since the statement began: kept when that is answered. */
struct typing {
	char *text;
	size_t n;
};

static void add_typed(struct typing *t, const char *line)
{
	size_t n = strlen(line);
	char *grown = t->n + n < MAX_STATEMENT ? realloc(t->text, t->n + n + 2) : NULL;

	if (!grown)
		return;
	memcpy(grown + t->n, line, n);
	t->n += n;
	grown[t->n++] = '\n';
	grown[t->n] = '\0';
	t->text = grown;
}

static void forget_typed(struct typing *t)
{
	free(t->text);
	*t = (struct typing){ .n = 0 };
}

/*
 * A signal other than Ctrl-C ends the shell. Ctrl-C interrupts a statement or drops what was typed.
 */
static bool must_end(const struct wl_shell *s)
{
	int caught = *s->opts.limits.cancel;

	return caught && caught != SIGINT;
}

static void take_line(struct wl_shell *s, struct typing *typed, const char *line)
{
	add_typed(typed, line);
	feed(s, line);
	if (*s->opts.limits.cancel == SIGINT)
		wl_signals_forget();
	if (s->pending)
		return;
	if (typed->text)
		keep_typed(s, typed->text);
	forget_typed(typed);
}

static int converse(struct wl_shell *s, struct wl_err *reterr)
{
	struct typing typed = { .n = 0 };
	const char *line;

	while (!s->leaves && !must_end(s)) {
		enum wl_lines_status status =
			wl_lines_read(s->lines, s->pending ? "     ...> " : "warplens> ", &line);

		if (status == WL_LINES_TEXT) {
			take_line(s, &typed, line);
			continue;
		}
		if (status == WL_LINES_END)
			break;
		drop(s);
		forget_typed(&typed);
		if (!must_end(s))
			wl_signals_forget();
	}
	forget_typed(&typed);
	return must_end(s) ? wl_fail(reterr, WL_E_CANCELED, "stopped by a signal") : WL_OK;
}

int wl_shell_run(const struct wl_shell_opts *opts, struct wl_err *reterr)
{
	struct wl_shell s = { .opts = *opts, .format = opts->format, .rows = SHOWN };
	const struct wl_lines_opts lines = { .stop = opts->limits.cancel,
					     .continuations = continuations,
					     .ctx = &s };
	int r = wl_lines_open(&lines, &s.lines, reterr);

	if (r < 0)
		return r;
	if (wl_history_path(s.history))
		wl_history_load(s.history, remember, &s);
	else
		s.history[0] = '\0';
	wl_put_clean(stdout, opts->title);
	(void)puts("\nStatements end with ; and Ctrl-D leaves. Try .help, .tables or FROM ops;");
	r = converse(&s, reterr);
	wl_lines_close(s.lines);
	wl_shell_names_release(&s.names);
	drop(&s);
	return r;
}

int wl_shell_script(const struct wl_shell_opts *opts, const char *text, struct wl_err *reterr)
{
	struct wl_shell s = { .opts = *opts, .rows = SHOWN };
	char *copy = strdup(text);

	if (!copy)
		return wl_fail(reterr, WL_E_NOMEM, "sql: no memory");
	feed_all(&s, copy);
	free(copy);
	wl_shell_names_release(&s.names);
	if (s.failure.code != WL_OK)
		*reterr = s.failure;
	else if (*opts->limits.cancel)
		(void)wl_fail(reterr, WL_E_CANCELED, "sql: stopped");
	else
		return WL_OK;
	return reterr->code;
}

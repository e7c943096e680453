/* SPDX-License-Identifier: MIT */
#include "cli/shell/dots.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/nearest.h"
#include "base/text/units.h"
#include "cli/help/wrap.h"
#include "cli/print.h"
#include "cli/shell/describe.h"
#include "sql/funcs/functions.h"

struct dot {
	const char *name, *argument, *help;
	void (*run)(struct wl_shell *s, const char *arg);
};

static const char *const modes[] = { "box",  "line",  "table", "csv",  "tsv",
				     "json", "jsonl", "md",    "html", NULL };

/* ---- Lists ---- */

static void show_schema(struct wl_shell *s, const char *arg)
{
	if (*arg)
		wl_shell_describe(s, arg);
	else
		wl_shell_describe_all(s);
}

static void list_functions(struct wl_shell *s, const char *arg)
{
	(void)s;
	(void)arg;
	for (size_t i = 0; i < wl_sql_n_functions; i++)
		wl_wrap_term(stdout, wl_sql_functions[i].call, wl_sql_functions[i].help, 36);
}

/* ---- Settings ---- */

static void set_mode(struct wl_shell *s, const char *arg)
{
	struct wl_nearest near;
	const char *best;

	if (!*arg) {
		(void)printf("%s\n", s->format ? s->format->name : s->by_line ? "line" : "box");
		return;
	}
	for (const char *const *m = modes; *m; m++) {
		if (strcasecmp(*m, arg) != 0)
			continue;
		s->format = wl_format_find(*m);
		s->has_mode = true;
		s->by_line = strcmp(*m, "line") == 0;
		return;
	}
	wl_nearest_init(&near, arg);
	for (const char *const *m = modes; *m; m++)
		wl_nearest_offer(&near, *m);
	best = wl_nearest_get(&near);
	wl_shell_complain(s, "no mode is called \"%s\"; %s%s", arg,
			  best ? "did you mean "
			       : "there are box, line, table, csv, tsv, json, "
				 "jsonl, md and html",
			  best ? best : "");
}

static void set_timer(struct wl_shell *s, const char *arg)
{
	if (*arg && strcasecmp(arg, "on") != 0 && strcasecmp(arg, "off") != 0)
		wl_shell_complain(s, ".timer is on or off");
	else if (*arg)
		s->has_timer = strcasecmp(arg, "on") == 0;
	else
		(void)puts(s->has_timer ? "on" : "off");
}

static void set_rows(struct wl_shell *s, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (!*arg)
		(void)printf("%zu\n", s->rows);
	else if (!isdigit((unsigned char)*arg) || *end)
		wl_shell_complain(s, ".rows takes a number; 0 shows all");
	else
		s->rows = n;
}

static void set_timeout(struct wl_shell *s, const char *arg)
{
	char buf[WL_UNITS_BUF];
	struct wl_err err;
	int64_t ns;

	if (!*arg)
		(void)puts(s->opts.limits.time_ns
				   ? wl_fmt_ns(buf, s->opts.limits.time_ns, WL_UNIT_S)
				   : "none");
	else if (wl_parse_seconds(arg, &ns, &err) < 0 || ns < 0)
		wl_shell_complain(s, ".timeout takes seconds; 0 is no limit");
	else
		s->opts.limits.time_ns = ns;
}

/* A slip must not cost the trace. */
static int check_once(const struct wl_shell *s, const char *path, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < s->opts.n_traces; i++)
		r = wl_spare_trace(path, s->opts.traces[i], ".once", reterr);
	return r;
}

static void set_once(struct wl_shell *s, const char *arg)
{
	struct wl_err err;

	if (!*arg)
		wl_shell_complain(s, ".once needs a file, such as result.csv");
	else if (strlen(arg) >= sizeof(s->once))
		wl_shell_complain(s, "the path is too long");
	else if (check_once(s, arg, &err) < 0)
		wl_shell_complain(s, "%s", err.msg);
	else
		(void)snprintf(s->once, sizeof(s->once), "%s", arg);
}

/* ---- Others ---- */

static void read_file(struct wl_shell *s, const char *arg)
{
	if (!*arg)
		wl_shell_complain(s, ".read needs a file of SQL");
	else if (strlen(arg) >= sizeof(s->reading))
		wl_shell_complain(s, "the path is too long");
	else
		(void)snprintf(s->reading, sizeof(s->reading), "%s", arg);
}

static void leave(struct wl_shell *s, const char *arg)
{
	(void)arg;
	s->leaves = true;
}

static void help(struct wl_shell *s, const char *arg);

static const struct dot dots[] = {
	{ ".functions", "", "List the functions that warplens adds to SQL.", list_functions },
	{ ".help", "[COMMAND]", "Explain the commands.", help },
	{ ".mode", "[MODE]", "Show results as box, line, table, csv, tsv, json, jsonl, md or html.",
	  set_mode },
	{ ".once", "FILE", "Write the next result to a file; its ending chooses the format.",
	  set_once },
	{ ".quit", "", "Leave; Ctrl-D does, too.", leave },
	{ ".read", "FILE", "Run the statements of a file.", read_file },
	{ ".rows", "[N]", "Show at most N rows of a result, the first and the last; 0 shows all.",
	  set_rows },
	{ ".schema", "[TABLE]", "Show the columns of a table with types and meaning, or of all.",
	  show_schema },
	{ ".tables", "[PATTERN]", "List the tables whose names match, as *nccl*.",
	  wl_shell_list_tables },
	{ ".timeout", "[TIME]", "Stop statements that take longer; 0 is no limit.", set_timeout },
	{ ".timer", "[on|off]", "Show how long each statement takes.", set_timer },
};

static void put_help(const struct dot *d)
{
	char call[64];

	(void)snprintf(call, sizeof(call), "%s%s%s", d->name, *d->argument ? " " : "", d->argument);
	wl_wrap_term(stdout, call, d->help, 22);
}

static const struct dot *find(const char *name, size_t n)
{
	for (size_t i = 0; i < WL_COUNT(dots); i++) {
		if (strlen(dots[i].name) == n && strncasecmp(dots[i].name, name, n) == 0)
			return &dots[i];
	}
	return NULL;
}

static void unknown(struct wl_shell *s, const char *name)
{
	struct wl_nearest near;
	const char *best;

	wl_nearest_init(&near, name);
	for (size_t i = 0; i < WL_COUNT(dots); i++)
		wl_nearest_offer(&near, dots[i].name);
	best = wl_nearest_get(&near);
	if (best)
		wl_shell_complain(s, "no command is called %s; did you mean %s?", name, best);
	else
		wl_shell_complain(s, "no command is called %s; .help lists them", name);
}

static void help(struct wl_shell *s, const char *arg)
{
	char name[32];
	const struct dot *d;

	if (!*arg) {
		for (size_t i = 0; i < WL_COUNT(dots); i++)
			put_help(&dots[i]);
		(void)puts("Statements end with a semicolon and may have several lines. FROM t is "
			   "all of t.\nTab completes names, the arrow keys bring statements back, "
			   "Ctrl-C interrupts.");
		return;
	}
	(void)snprintf(name, sizeof(name), "%s%s", *arg == '.' ? "" : ".", arg);
	d = find(name, strlen(name));
	if (d)
		put_help(d);
	else
		unknown(s, name);
}

void wl_shell_dot(struct wl_shell *s, const char *line)
{
	size_t n = strcspn(line, " \t");
	char *text = strdup(line);
	const struct dot *d = find(line, n);
	char *arg, *end;

	if (!text) {
		wl_shell_no_memory(s);
		return;
	}
	arg = text + n + strspn(text + n, " \t");
	/* A semicolon is a habit. */
	for (end = arg + strlen(arg); end > arg && strchr(" \t;", end[-1]);)
		*--end = '\0';
	if (!d && n > 0 && text[n - 1] == ';')
		d = find(line, n - 1);
	text[n] = '\0';
	if (!d && strcasecmp(text, ".exit") == 0)
		d = find(".quit", 5);
	if (d)
		d->run(s, arg);
	else
		unknown(s, text);
	(void)fflush(stdout);
	free(text);
}

/* ---- Completion ---- */

struct wl_continuations wl_shell_complete_dot(struct wl_shell *s, const char *line, size_t cursor)
{
	static const char *const on_off[] = { "on", "off", NULL };
	const char *names[WL_COUNT(dots) + 1] = { NULL };
	const struct wl_continuations none = { .n = 0 };
	size_t begin = strspn(line, " \t"), end = begin + strcspn(line + begin, " \t"), word;

	if (cursor <= end) {
		for (size_t i = 0; i < WL_COUNT(dots); i++)
			names[i] = dots[i].name;
		return wl_shell_names_among(&s->names, names, line + begin, cursor - begin);
	}
	word = end + strspn(line + end, " \t");
	word = word > cursor ? cursor : word;
	if (strncmp(line + begin, ".mode", end - begin) == 0)
		return wl_shell_names_among(&s->names, modes, line + word, cursor - word);
	if (strncmp(line + begin, ".timer", end - begin) == 0)
		return wl_shell_names_among(&s->names, on_off, line + word, cursor - word);
	if (strncmp(line + begin, ".schema", end - begin) == 0) {
		/* As behind FROM. */
		struct wl_typed typed = { "", line, cursor };

		return wl_shell_names_complete_table(&s->names, &typed);
	}
	return none;
}

/* SPDX-License-Identifier: MIT */
/* runs.c - the command that lists, shows, compares and removes recorded runs. */
#include <stdio.h>
#include <string.h>

#include "base/text/clean.h"
#include "base/text/shell.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/run_tables.h"
#include "cli/status.h"

enum { DIR_PARAM };

static const struct wl_param params[] = {
	[DIR_PARAM] = { .key = "dir",
			.type = WL_P_STR,
			.def = WL_RUNS_DIR,
			.help = "Where runs are." },
};

struct managing {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_printing print;
	struct wl_budget budget;
	struct wl_arena arena;
	const char *dir;
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "runs: no memory for the answer");
}

static int make_section(struct managing *m, enum wl_run_table which, struct wl_table *filled,
			struct wl_section *ret, struct wl_err *reterr)
{
	const struct wl_view_opts opts = wl_printing_view(&m->print);
	int r;

	if (!wl_table_ok(filled))
		return no_memory(reterr);
	*ret = (struct wl_section){ .analysis = wl_run_tables[which].name };
	r = wl_view_make(filled, &opts, &m->arena, &ret->view, reterr);
	if (r == WL_OK)
		wl_view_note_none(&ret->view, filled);
	return r;
}

static int print_sections(struct managing *m, struct wl_section *sections, size_t n,
			  struct wl_err *reterr)
{
	const struct wl_document doc = { .name = "runs",
					 .n_devices = -1,
					 .sections = sections,
					 .n_sections = n,
					 .single = n == 1 };

	return wl_print(&m->print, &doc, reterr);
}

static int print_table(struct managing *m, enum wl_run_table which, struct wl_table *filled,
		       struct wl_err *reterr)
{
	const char *only = m->inv->opt.section;
	struct wl_section section;
	int r = only && strcmp(only, wl_run_tables[which].name) != 0
			? wl_fail(reterr, WL_E_USAGE, "--section %.60s: there is %s", only,
				  wl_run_tables[which].name)
			: make_section(m, which, filled, &section, reterr);

	return r < 0 ? r : print_sections(m, &section, 1, reterr);
}

static void init_table(struct managing *m, enum wl_run_table which, struct wl_table *t)
{
	wl_table_init(t, &m->arena, wl_run_tables[which].cols, wl_run_tables[which].n_cols);
}

/* "DIR/ID/nsys/run.sqlite" as a word of a shell; NULL without memory. */
static const char *path_word(struct managing *m, const struct wl_run_found *run, const char *path,
			     const char *ending)
{
	char whole[WL_PATH_CAP];
	int n = snprintf(whole, sizeof(whole), "%s/%s%s", run->path, path, ending);
	const char *copy = n < 0 || n >= WL_PATH_CAP ? NULL : wl_arena_strdup(&m->arena, whole);

	return copy ? wl_shell_word(copy, &m->arena) : NULL;
}

/* How to get at the trace of a run whose files are compressed. */
static void note_gz(struct managing *m, const struct wl_run_found *run, struct wl_table *t)
{
	bool is_gz = false;
	const struct wl_run_file *trace = wl_run_trace(run, &is_gz);
	const char *word = is_gz ? path_word(m, run, trace->path, ".gz") : NULL;

	if (word)
		wl_table_note(t, "compressed; open the trace again with: gunzip -k %s", word);
}

static int list(struct managing *m, struct wl_err *reterr)
{
	struct wl_runs_found found;
	struct wl_table table;
	int r = wl_runs_find(m->dir, &m->arena, &found, reterr);

	if (r < 0)
		return r;
	init_table(m, WL_RUNS_LIST, &table);
	for (size_t i = 0; i < found.n; i++)
		wl_run_put(&table, &found.run[i]);
	/* One such line says how; the others differ by the id alone. */
	for (size_t i = 0; i < found.n && table.n_notes == 0; i++)
		note_gz(m, &found.run[i], &table);
	for (size_t i = 0; i < found.n_refused; i++)
		wl_table_note(&table, "%s", found.refused[i]);
	return print_table(m, WL_RUNS_LIST, &table, reterr);
}

static int show(struct managing *m, const char *id, struct wl_err *reterr)
{
	const char *only = m->inv->opt.section;
	enum wl_run_table which[2] = { WL_RUNS_FACTS, WL_RUNS_FILES };
	struct wl_section section[2];
	struct wl_table table[2];
	struct wl_run_found run;
	size_t n = 0;
	int r = wl_run_find(m->dir, id, &m->arena, &run, reterr);

	if (r < 0)
		return r;
	if (!only && wl_printing_has_view(&m->print))
		return wl_fail(reterr, WL_E_USAGE,
			       "runs show has several tables; --where, --sort and --columns need "
			       "--section NAME");
	for (size_t i = 0; i < 2; i++)
		init_table(m, which[i], &table[i]);
	wl_run_put_facts(&table[0], &run.manifest);
	wl_run_put_files(&table[1], &run);
	note_gz(m, &run, &table[1]);
	if (!only && !m->print.format->whole)
		only = wl_run_tables[WL_RUNS_FACTS].name;
	for (size_t i = 0; r == WL_OK && i < 2; i++) {
		if (only && strcmp(only, wl_run_tables[which[i]].name) != 0)
			continue;
		r = make_section(m, which[i], &table[i], &section[n], reterr);
		section[n++].title = only ? NULL : wl_run_tables[which[i]].title;
	}
	if (r == WL_OK && n == 0)
		return wl_fail(reterr, WL_E_USAGE, "--section %.60s: runs show has facts, files",
			       only);
	return r < 0 ? r : print_sections(m, section, n, reterr);
}

/* The line that compares the traces, or why there is no such line. */
static void note_diff(struct managing *m, const struct wl_run_found *run, struct wl_table *t)
{
	const char *word[2] = { NULL, NULL };

	for (size_t i = 0; i < 2; i++) {
		bool is_gz = false;
		const struct wl_run_file *trace = wl_run_trace(&run[i], &is_gz);

		if (!trace) {
			wl_table_note(t, "%s has no trace", run[i].manifest.id);
			return;
		}
		note_gz(m, &run[i], t);
		word[i] = path_word(m, &run[i], trace->path, "");
	}
	if (word[0] && word[1])
		wl_table_note(t, "the traces: warplens diff %s %s", word[0], word[1]);
}

static int compare(struct managing *m, const char *a, const char *b, struct wl_err *reterr)
{
	struct wl_run_found run[2];
	struct wl_table table;
	size_t n_same = 0;
	int r = wl_run_find(m->dir, a, &m->arena, &run[0], reterr);

	if (r == WL_OK)
		r = wl_run_find(m->dir, b, &m->arena, &run[1], reterr);
	if (r < 0)
		return r;
	init_table(m, WL_RUNS_CHANGES, &table);
	wl_run_put_changes(&table, &run[0].manifest, &run[1].manifest, &n_same);
	wl_table_note(&table, "%zu facts are the same in both", n_same);
	note_diff(m, run, &table);
	return print_table(m, WL_RUNS_CHANGES, &table, reterr);
}

/*
 * A slip removes no other directory: what has no valid manifest is not a run, and links are not
 * followed.
 */
static int remove_run(struct managing *m, const char *id, struct wl_err *reterr)
{
	struct wl_run_found run;
	int r = wl_run_find(m->dir, id, &m->arena, &run, reterr);

	if (r == WL_OK)
		r = wl_run_remove(&run, reterr);
	if (r < 0)
		return r;
	(void)fputs("removed ", stdout);
	wl_put_clean(stdout, run.path);
	(void)putchar('\n');
	return wl_check_stdout(reterr);
}

static int dispatch(struct managing *m, struct wl_err *reterr)
{
	const char *const *word = m->inv->operand;
	size_t n = m->inv->n_operands;

	m->dir = m->args.value[DIR_PARAM].str;
	if (n >= 1 && n <= 2 && strcmp(word[0], "list") == 0) {
		m->dir = n == 2 ? word[1] : m->dir;
		return list(m, reterr);
	}
	if (n == 2 && strcmp(word[0], "show") == 0)
		return show(m, word[1], reterr);
	if (n == 3 && strcmp(word[0], "compare") == 0)
		return compare(m, word[1], word[2], reterr);
	if (n == 2 && strcmp(word[0], "remove") == 0)
		return remove_run(m, word[1], reterr);
	return wl_fail(reterr, WL_E_USAGE,
		       "usage: warplens runs list [DIR], show RUN, compare A B or remove RUN");
}

static int run(const struct wl_invocation *inv)
{
	struct managing m = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_err err;
	int r;

	wl_arena_init_on(&m.arena, &m.budget);
	r = wl_printing_init(&m.print, inv, &err);
	if (r == WL_OK)
		r = wl_command_args(&m.args, inv, NULL, &err);
	if (r == WL_OK)
		r = dispatch(&m, &err);
	wl_args_release(&m.args);
	wl_arena_release(&m.arena);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens runs list", "Runs in warplens-runs, the newest first." },
	{ "warplens runs show run-a", "What one was." },
	{ "warplens runs compare run-a run-b", "What differs between two." },
	{ "warplens runs remove run-c", "Removes all of one." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	static const char *const words[] = { "list", "show", "compare", "remove" };

	return i < WL_COUNT(words) ? words[i] : NULL;
}

static const struct wl_form forms[] = { { WL_FORM_WORD("capture", "list") },
					{ WL_FORM_WORD("capture", "show") },
					{ WL_FORM_WORD("capture", "compare") },
					{ WL_FORM_WORD("capture", "remove") },
					{ .verb = NULL } };

const struct wl_command wl_command_runs = {
	.name = "runs",
	.topic = WL_TOPIC_SHARE,
	.help = "List, show, compare and remove recorded runs",
	.about =
		"A run is a directory that capture made: nsys/, ncu/, report/ and manifest.json, "
		"which says what was run, where, with which versions and inputs, how long it "
		"took, and the SHA-256 of its files. \"compare A B\" lists what differs between "
		"two manifests and gives the line that compares the traces. Older runs may be "
		"compressed; a note says how to open them. \"remove RUN\" asks nothing, but wants "
		"the whole id, and removes only a directory with a valid manifest. RUN is an id in "
		"the directory of --dir, or a path.",
	.operands = "list|show|compare|remove [RUN]",
	.word = word_at,
	.forms = forms,
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BITS_OF_TRACES,
	.instead = "runs reads manifests, not traces; --where selects rows",
	.tables = wl_run_tables,
	.run = run,
};

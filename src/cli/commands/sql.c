/* SPDX-License-Identifier: MIT */
/* sql.c - the command that answers SQL over traces. */
#include "sql/sql.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/pool.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/shell/shell.h"
#include "cli/status.h"

enum { COMMAND, TIMEOUT, ROWS, SHOW_ENVIRONMENT, N_PARAMS };

/* What SQLite would refuse anyway. */
enum { MAX_TEXT = 1 << 20 };

static const struct wl_param params[N_PARAMS] = {
	[COMMAND] = { .key = "command",
		      .type = WL_P_STR,
		      .help = "The statements and dot commands to run; without it the last "
			      "operand, or standard input." },
	[TIMEOUT] = { .key = "timeout",
		      .type = WL_P_SECONDS,
		      .def = "60",
		      .help = "Stop a statement that takes longer, with exit status 6; 0 is no "
			      "limit." },
	[ROWS] = { .key = "rows",
		   .type = WL_P_COUNT,
		   .help = "Read at most N rows, and say if there are more." },
	[SHOW_ENVIRONMENT] = { .key = "show-environment",
			       .type = WL_P_BOOL,
			       .help = "Show the environment and the output of the traced program, "
				       "which the file has." },
};

#define FOREIGN                                                                                    \
	(WL_OPT_BIT(SECTION) | WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |        \
	 WL_OPT_BIT(COLUMNS) | WL_OPT_BIT(WINDOW) | WL_OPT_BIT(TRIM) | WL_OPT_BIT(GPU) |           \
	 WL_OPT_BIT(PID) | WL_OPT_BIT(RANK) | WL_OPT_BIT(STREAM) | WL_OPT_BIT(STATS))

struct querying {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_printing print;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_opened *opened; /* by trace */
	struct wl_sql_trace *traces;
	size_t n;         /* traces */
	const char *text; /* NULL: it is typed in */
	char **input;     /* standard input, read once; to be freed */
	struct wl_sql *sql;
	size_t n_results; /* that were printed */
};

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "sql: no memory");
}

/* ---- What is asked ---- */

/*
 * The last operand is SQL where it has a blank or a semicolon, or begins as a dot command. A file
 * can have blanks in its name.
 */
static bool is_text(const char *operand)
{
	bool is_dot = operand[0] == '.' && isalpha((unsigned char)operand[1]);

	return (is_dot || strpbrk(operand, " \t\n\v\f\r;")) && access(operand, F_OK) != 0;
}

static int read_input(struct querying *q, struct wl_err *reterr)
{
	size_t n;
	int r = *q->input ? WL_OK : wl_file_read("/dev/stdin", MAX_TEXT + 1, q->input, &n, reterr);
	char *text;

	if (r < 0)
		return r;
	/*
	 * Files that are no job are asked again side by side, and standard input is gone by then.
	 */
	if (q->inv->n_separated && *q->input) {
		q->text = *q->input;
		return WL_OK;
	}
	if (n > MAX_TEXT)
		return wl_fail(reterr, WL_E_USAGE, "sql: standard input has more than %d bytes",
			       MAX_TEXT);
	text = realloc(*q->input, n + 1);
	if (!text)
		return no_memory(reterr);
	text[n] = '\0';
	*q->input = text;
	q->text = text;
	return WL_OK;
}

static int take_operands(struct querying *q, struct wl_err *reterr)
{
	const struct wl_invocation *inv = q->inv;

	q->n = inv->n_operands;
	q->text = q->args.value[COMMAND].str;
	if (!q->text && q->n > 0 && is_text(inv->operand[q->n - 1]))
		q->text = inv->operand[--q->n];
	if (q->n < 1 || q->n > WL_MAX_TRACES)
		return wl_fail(reterr, WL_E_USAGE,
			       "sql: give a trace; usage: warplens sql TRACE... [SQL]");
	if (!q->text && (!isatty(STDIN_FILENO) || !wl_stdout_is_terminal()))
		return read_input(q, reterr);
	return WL_OK;
}

/* Programs read csv. */
static int choose_printing(struct querying *q, struct wl_err *reterr)
{
	const struct wl_values *opt = &q->inv->opt;
	int r = wl_printing_init(&q->print, q->inv, reterr);

	if (r < 0 || opt->format.table || opt->output || wl_stdout_is_terminal())
		return r;
	q->print.format = wl_format_find("csv");
	q->print.limit = q->inv->given[WL_OPT_LIMIT] ? opt->limit : 0;
	return WL_OK;
}

static int prepare(struct querying *q, struct wl_err *reterr)
{
	struct wl_request request;
	int r = wl_command_args(&q->args, q->inv, NULL, reterr);

	if (r == WL_OK)
		r = take_operands(q, reterr);
	if (r == WL_OK)
		r = choose_printing(q, reterr);
	if (r == WL_OK)
		r = wl_docs_init(&q->docs, q->inv, NULL, reterr);
	for (size_t i = 0; r == WL_OK && i < q->n; i++)
		r = wl_printing_spares(&q->print, q->inv->operand[i], reterr);
	if (r < 0)
		return r;
	q->pool = wl_pool_option(q->inv);
	request = wl_opened_request(q->inv, &q->docs, q->pool);
	return wl_opened_check(q->inv, &request, reterr);
}

/* ---- Answering ---- */

static int open_traces(struct querying *q, const atomic_int *cancel, struct wl_err *reterr)
{
	struct wl_costs costs = { .on = false };
	const struct wl_opening how = { q->inv, q->pool, &q->budget, &costs };
	int r = WL_OK;

	q->opened = WL_NEW(&q->arena, struct wl_opened, q->n);
	q->traces = WL_NEW(&q->arena, struct wl_sql_trace, q->n);
	if (!q->opened || !q->traces)
		return no_memory(reterr);
	for (size_t i = 0; r == WL_OK && i < q->n; i++) {
		struct wl_opened *o = &q->opened[i];

		r = wl_opened_open(o, q->inv->operand[i], &how, cancel, reterr);
		if (r == WL_OK)
			wl_opened_tell_job(o, q->inv);
		q->traces[i] = (struct wl_sql_trace){
			.session = o->session,
			.path = o->database,
			.label = o->label[0] ? o->label : q->inv->operand[i],
			/* Rows of all files by the name of the first would be said of that. */
			.name = q->inv->n_job > 1 && q->inv->job_at == i ? "job" : NULL,
		};
	}
	return r;
}

static int open_sql(struct querying *q, struct wl_err *reterr)
{
	const struct wl_request request = wl_opened_request(q->inv, &q->docs, q->pool);
	const struct wl_sql_opts opts = {
		.traces = q->traces,
		.n = q->n,
		.show_environment = q->args.value[SHOW_ENVIRONMENT].flag,
		.heap = q->inv->opt.memory,
		.budget = &q->budget,
		.pool = q->pool,
		.marker = request.marker,
		.conventions = request.conventions,
	};

	return wl_sql_open(&opts, &q->sql, reterr);
}

static struct wl_sql_limits limits_of(const struct querying *q, const atomic_int *cancel)
{
	int64_t time_ns = q->args.value[TIMEOUT].i64, rows = q->args.value[ROWS].i64;

	return (struct wl_sql_limits){ .time_ns = time_ns > 0 ? time_ns : 0,
				       .to_raise = "raise it with --timeout (0: none)",
				       .rows = rows > 0 ? (size_t)rows : 0,
				       .cancel = cancel };
}

/* A trace is read when a statement needs it: the bar is of that statement, and not of its result.
 */
static void begin_reading(void *ctx)
{
	struct querying *q = ctx;

	for (size_t i = 0; i < q->n; i++)
		wl_progress_again(&q->opened[i].progress);
}

static void end_reading(void *ctx)
{
	struct querying *q = ctx;

	for (size_t i = 0; i < q->n; i++)
		wl_progress_end(&q->opened[i].progress);
}

/* SQLite sorts all rows in one step, and looks at no flag meanwhile: a second per million rows. */
static void begin_statement(void *ctx)
{
	(void)ctx;
	wl_signals_end_with("warplens: sql: stopped\n");
}

static void end_statement(void *ctx)
{
	wl_signals_end_with(NULL);
	end_reading(ctx);
}

/* Between two results; JSON documents follow each other without one. */
static int separate(struct querying *q, const struct wl_format *format, struct wl_err *reterr)
{
	if (q->n_results++ == 0)
		return WL_OK;
	if (q->inv->opt.output)
		return wl_fail(reterr, WL_E_USAGE,
			       "sql: two statements return rows, and -o has the first; write "
			       ".once FILE before each instead");
	if (strcmp(format->name, "html") == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "sql: two statements return rows, and a page shows one; write .once "
			       "FILE before each, or choose another -f");
	if (strncmp(format->name, "json", 4) != 0)
		(void)putchar('\n');
	return WL_OK;
}

/* A result of the script. */
static int put(void *ctx, const struct wl_format *format, const struct wl_document *result,
	       struct wl_err *reterr)
{
	struct querying *q = ctx;
	const struct wl_view_opts view = { .limit = q->print.limit };
	struct wl_printing print = q->print;
	struct wl_document doc = *result;
	struct wl_section section = doc.sections[0];
	int r;

	print.format = format ? format : print.format;
	r = separate(q, print.format, reterr);
	if (r == WL_OK)
		r = wl_view_make(section.view.table, &view, &q->arena, &section.view, reterr);
	doc.sections = &section;
	return r < 0 ? r : wl_print(&print, &doc, reterr);
}

static struct wl_shell_opts shell_of(struct querying *q, const atomic_int *cancel)
{
	return (struct wl_shell_opts){
		.sql = q->sql,
		.traces = q->inv->operand,
		.n_traces = q->n,
		.title = q->inv->operand[0],
		.limits = limits_of(q, cancel),
		.look = q->print.opts,
		.ctx = q,
		.budget = &q->budget,
	};
}

static int answer(struct querying *q, const atomic_int *cancel, struct wl_err *reterr)
{
	struct wl_shell_opts opts = shell_of(q, cancel);

	opts.begin = begin_statement;
	opts.end = end_statement;
	opts.put = put;
	return wl_shell_script(&opts, q->text, reterr);
}

/*
 * Statements are typed in. A signal must not end the shell, so statements have no line to end with:
 * sorting a million rows takes a second to notice Ctrl-C.
 */
static int converse(struct querying *q, const atomic_int *cancel, struct wl_err *reterr)
{
	char title[64];
	struct wl_shell_opts opts = shell_of(q, cancel);

	opts.format = q->inv->opt.format.table ? q->print.format : NULL;
	opts.begin = begin_reading;
	opts.end = end_reading;
	opts.limits.to_raise = "raise it with .timeout (0: none)";
	if (q->n > 1) {
		(void)snprintf(title, sizeof(title), "%zu traces", q->n);
		opts.title = title;
	}
	opts.look.width = 0; /* it changes */
	return wl_shell_run(&opts, reterr);
}

static int query(struct querying *q, struct wl_tmpdir *ret_exports, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	int r = open_traces(q, cancel, reterr);

	if (r == WL_OK)
		r = open_sql(q, reterr);
	if (r == WL_OK)
		r = q->text ? answer(q, cancel, reterr) : converse(q, cancel, reterr);
	wl_sql_close(q->sql);
	if (r == WL_E_NOJOB && q->inv->may_separate)
		wl_opened_keep(&q->opened[0], ret_exports);
	for (size_t i = 0; q->opened && i < q->n; i++)
		wl_opened_release(&q->opened[i]);
	wl_signals_release();
	return r;
}

static int run_as(const struct wl_invocation *inv, void *ctx, struct wl_tmpdir *ret_exports,
		  struct wl_err *reterr)
{
	struct querying q = { .inv = inv, .input = ctx, .budget = { .limit = inv->opt.memory } };
	int r;

	wl_arena_init_on(&q.arena, &q.budget);
	r = prepare(&q, reterr);
	if (r == WL_OK)
		r = query(&q, ret_exports, reterr);
	wl_arena_release(&q.arena);
	wl_pool_free(q.pool);
	wl_docs_release(&q.docs);
	wl_args_release(&q.args);
	return r;
}

static int run(const struct wl_invocation *inv)
{
	struct wl_err err = { .code = WL_OK };
	char *input = NULL;
	int r = wl_opened_either(inv, run_as, &input, &err);

	free(input);
	return r < 0 ? wl_report_failure(&err) : 0;
}

static const struct wl_example examples[] = {
	{ "warplens sql run.sqlite 'SELECT name, sum FROM kernels LIMIT 5'", "A verb as a table." },
	{ "warplens sql run.sqlite 'SELECT * FROM kernels WHERE gpu = 0'", "With its options." },
	{ "warplens sql run.sqlite -c \"SELECT * FROM overlap('steady')\"",
	  "The window comes first." },
	{ NULL, NULL },
};

const struct wl_command wl_command_sql = {
	.name = "sql",
	.topic = WL_TOPIC_LOOK,
	.listed = { .level = WL_LEVEL_SECOND },
	.help = "Query traces with SQL; every verb is a table",
	.about = "Runs SQLite's SQL over the tables of the export and over every verb: kernels, "
		 "overlap, nvtx_kernels and so on have the columns of the verb, and its options as "
		 "parameters: WHERE gpu = 2, or as arguments, the window first. Without SQL it is "
		 "read from standard input, and on a terminal typed in, with history and "
		 "completion. Several statements give several results, and lines such as .tables, "
		 ".schema kernels and .mode json are commands; .help lists them. A statement is "
		 "stopped after 60 s unless --timeout says otherwise. Results that do not go to a "
		 "terminal are csv unless "
		 "-f or -o says otherwise. The trace is never changed; CREATE TEMP TABLE and "
		 "CREATE TEMP VIEW keep results for later statements. Of several traces, verb "
		 "tables have the rows of all, and a column trace; the tables of each file are in "
		 "a schema by its name. The environment and the output of the traced program are "
		 "hidden.",
	.operands = "TRACE... [SQL]",
	.examples = examples,
	.params = params,
	.n_params = N_PARAMS,
	.compared = true,
	.common = true,
	.without = FOREIGN,
	.instead = "write it in SQL: WHERE gpu = 2, ORDER BY, LIMIT",
	.several = WL_SEVERAL_BESIDE,
	.run = run,
};

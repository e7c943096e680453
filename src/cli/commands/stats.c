/* SPDX-License-Identifier: MIT */
/* stats.c - the command that prints reports by the names that "nsys stats" gives them. */
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/arena.h"
#include "base/text/clean.h"
#include "base/text/shell.h"
#include "cli/answer.h"
#include "cli/line/opt.h"
#include "cli/line/option_names.h"
#include "cli/status.h"
#include "render/render.h"

enum { REPORT, FORCE_EXPORT, FORCE_OVERWRITE, HELP_REPORTS, N_PARAMS };

/* Exit statuses: of a wrong question, and where a trace has no data for it. */
enum { WRONG = 2, NO_DATA = 5 };

enum { SQL_CAP = 4096 };

enum { MAX_REPORTS = 32, NAME_CAP = 64, LINE_BYTES = 64 << 10 };

static const char *const answers[] = { "true", "false", NULL };

static const struct wl_param params[N_PARAMS] = {
	[REPORT] = { .key = "report",
		     .type = WL_P_STR,
		     .many = true,
		     .help = "A report of nsys, or several with commas between; without it those "
			     "that nsys prints. Arguments follow after a colon: "
			     "cuda_gpu_kern_sum:base." },
	[FORCE_EXPORT] = { .key = "force-export",
			   .type = WL_P_ENUM,
			   .choices = answers,
			   .help = "As nsys has it; nothing is exported where a database is given, "
				   "and a report is exported again each time." },
	[FORCE_OVERWRITE] = { .key = "force-overwrite",
			      .type = WL_P_ENUM,
			      .choices = answers,
			      .help = "As nsys has it; files are always replaced." },
	[HELP_REPORTS] = { .key = "help-reports",
			   .type = WL_P_BOOL,
			   .help = "List the reports and the verbs that they are." },
};

/* What "nsys stats" prints of CUDA without --report. */
static const char by_default[] = "nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,"
				 "cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum";

/* Reports that are not here, by how their names begin. */
static const struct {
	const char *begin, *why;
} unread[] = {
	{ "mpi_", "of MPI there is mpi_event_sum" },
	{ "openmp_", "OpenMP events are not read" },
	{ "openacc_", "warplens launch --by library shows OpenACC regions" },
	{ "um_cpu_page_faults", "page faults are not listed one by one; see warplens idle" },
	{ "vulkan_", "Vulkan events are not read" },
	{ "opengl_", "OpenGL events are not read" },
	{ "dx1", "Direct3D events are not read" },
	{ "wddm_", "WDDM events are not read" },
	{ "nvvideo_", "video events are not read" },
	{ "network_", "network metrics are not read" },
};

/* Reports without a verb of their name, and the command that has what they show. */
static const struct {
	const char *name, *why, *command;
} near[] = {
	{ "summary", "the summary of the trace", "warplens" },
};

/*
 * Sums as nsys prints them, of a table e with the columns category, name and ns: its titles, one
 * decimal, a median that is the mean of the two middle values, 0.0 for the deviation of one row.
 * median() is the lower of the two middle values, and that of the negated ones the upper.
 */
#define SUMS                                                                                       \
	"SELECT CASE WHEN sum(ns) NOT NULL THEN printf('%.1f', 100.0 * sum(ns) / "                 \
	"(SELECT sum(ns) FROM e)) END AS \"Time (%)\", sum(ns) AS \"Total Time (ns)\", "           \
	"count(*) AS Instances, CASE WHEN sum(ns) NOT NULL THEN printf('%.1f', avg(ns)) END AS "   \
	"\"Avg (ns)\", CASE WHEN sum(ns) NOT NULL THEN printf('%.1f', (median(ns) - median(-ns)) " \
	"/ 2.0) END AS \"Med (ns)\", min(ns) AS \"Min (ns)\", max(ns) AS \"Max (ns)\", "           \
	"printf('%.1f', coalesce(stddev(ns), 0)) AS \"StdDev (ns)\", "

/* What a terminal has room for, with numbers as numbers. */
#define SHOWN                                                                                      \
	"CAST(\"Time (%)\" AS REAL) AS \"Time (%)\", \"Total Time (ns)\", Instances, "             \
	"CAST(\"Avg (ns)\" AS REAL) AS \"Avg (ns)\", \"Max (ns)\""

#define BY_CATEGORY                                                                                \
	"category AS Category, name AS Operation FROM e GROUP BY category, name "                  \
	"ORDER BY sum(ns) DESC"

/* Copies by the names that nsys gives their directions. */
#define SPELLED(name)                                                                              \
	"replace(replace(replace(replace(replace(replace(" name ", 'managed ', 'Unified '), "      \
	"'HtoD]', 'Host-to-Device]'), 'DtoH]', 'Device-to-Host]'), 'DtoD]', "                      \
	"'Device-to-Device]'), "                                                                   \
	"'PtoP]', 'Peer-to-Peer]'), 'HtoH]', 'Host-to-Host]')"

#define GPU_OPS                                                                                    \
	"SELECT CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category, "   \
	"CASE kind WHEN 'memcpy' THEN " SPELLED("name") " ELSE name END AS name, duration AS ns "  \
							"FROM ops WHERE kind <> 'graph'"

/*
 * Without the version of the function, as nsys leaves it out. By its own test, which is for four
 * digits: a name with _v11000 keeps it, there as well.
 */
#define API_CALLS                                                                                  \
	"SELECT 'CUDA_API' AS category, CASE substr(value, -6, 2) WHEN '_v' THEN substr(value, "   \
	"1, "                                                                                      \
	"length(value) - 6) ELSE value END AS name, \"end\" - start AS ns "                        \
	"FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId"

/*
 * Ranges with GPU work as nsys prints them, by their begin; RangeId is the key of nvtx_ranges. What
 * is around a range with GPU work has this work, too.
 */
#define PROJECTED                                                                                  \
	"WITH p AS MATERIALIZED (SELECT coalesce(domain || ':', '') || coalesce(name, '') AS "     \
	"name, key AS id, around AS parent, gpu_start, projected, start, duration, kind, "         \
	"pid, tid, launches FROM nvtx_ranges WHERE gpu_ops > 0), "                                 \
	"below AS MATERIALIZED (SELECT parent AS id, count(*) AS n FROM p GROUP BY parent), "      \
	"tree(id, level, stack) AS (SELECT id, 0, ':' || id FROM p WHERE parent IS NULL UNION "    \
	"ALL SELECT p.id, level + 1, stack || ':' || p.id FROM tree JOIN p ON p.parent = "         \
	"tree.id) "                                                                                \
	"SELECT name AS Name, gpu_start AS \"Projected Start (ns)\", "                             \
	"projected AS \"Projected Duration (ns)\", start AS \"Orig Start (ns)\", "                 \
	"duration AS \"Orig Duration (ns)\", CASE kind WHEN 'push/pop' THEN 'PushPop' ELSE "       \
	"'StartEnd' END AS Style, pid AS PID, tid AS TID, launches AS NumGPUOps, level AS Lvl, "   \
	"coalesce(n, 0) AS NumChild, p.id AS RangeId, parent AS ParentId, stack AS RangeStack "    \
	"FROM p JOIN tree USING (id) LEFT JOIN below USING (id) ORDER BY start, id"

/*
 * Reports over tables of SQL: rows, whose times are in nanoseconds of the trace, and sums that no
 * verb has in one table.
 */
static const struct rows {
	const char *name, *sql;
	const char *shown; /* main columns for people, names first; NULL: all, as they are */
} rows[] = {
	{ "cuda_api_trace",
	  "SELECT start, \"end\" - start AS duration, value AS name, returnValue AS result, "
	  "correlationId AS correlation, globalTid / 0x1000000 % 0x1000000 AS pid, "
	  "globalTid % 0x1000000 AS tid FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds "
	  "ON id = nameId ORDER BY start",
	  NULL },
	{ "cuda_kern_exec_trace",
	  "SELECT start AS api_start, duration AS api_duration, \"end\" AS queue_start, queue, "
	  "op_start AS kernel_start, op_duration AS kernel_duration, pid, tid, device, "
	  "name AS api_function, op_name AS kernel FROM launches WHERE kind = 'kernel' "
	  "ORDER BY op_start",
	  NULL },
	{ "nvtx_pushpop_trace",
	  "SELECT start, \"end\", duration, name, domain, pid, tid, depth, key AS range, parent, "
	  "path FROM nvtx_ranges WHERE kind = 'push/pop' ORDER BY start",
	  NULL },
	{ "nvtx_startend_trace",
	  "SELECT start, \"end\", duration, name, domain, pid, tid, key AS range "
	  "FROM nvtx_ranges WHERE kind = 'start/end' ORDER BY start",
	  NULL },
	{ "cuda_gpu_sum", "WITH e AS MATERIALIZED (" GPU_OPS ") " SUMS BY_CATEGORY,
	  "Operation, " SHOWN },
	{ "cuda_api_gpu_sum",
	  "WITH e AS MATERIALIZED (" API_CALLS " UNION ALL " GPU_OPS ") " SUMS BY_CATEGORY,
	  "Operation, " SHOWN },
	{ "nvtx_gpu_proj_trace", PROJECTED,
	  "Name, \"Projected Start (ns)\" AS \"Projected Start\", \"Projected Duration (ns)\" AS "
	  "Projected, \"Orig Duration (ns)\" AS Orig, NumGPUOps, Lvl, NumChild" },
	{ "nvtx_startend_sum",
	  "WITH e AS MATERIALIZED (SELECT coalesce(domain || ':', '') || name AS name, CASE closed "
	  "WHEN 1 THEN duration END AS ns FROM nvtx_ranges WHERE kind = 'start/end') " SUMS
	  "name AS Range FROM e GROUP BY name ORDER BY sum(ns) DESC",
	  "Range, " SHOWN },
};

/* What the arguments of reports are here: "base" is what nsys calls the short name. */
static const struct {
	const char *argument, *value;
} namings[] = { { "base", "short" }, { "mangled", "mangled" } };

struct report {
	char whole[NAME_CAP];    /* as given, with its arguments */
	char name[NAME_CAP];     /* without them: a verb's */
	const char *naming;      /* the value of --name; NULL: not given */
	const struct rows *rows; /* NULL: a verb */
};

struct asking {
	const struct wl_invocation *inv;
	const char *trace; /* as a word of a shell */
	struct report report[MAX_REPORTS];
	size_t n;
};

static int refuse(const char *name, const char *trace, struct wl_err *reterr)
{
	const char *nearest;

	for (size_t i = 0; i < WL_COUNT(unread); i++) {
		if (strncmp(name, unread[i].begin, strlen(unread[i].begin)) == 0)
			return wl_fail(reterr, WL_E_NODATA, "--report %.60s: %s", name,
				       unread[i].why);
	}
	for (size_t i = 0; i < WL_COUNT(near); i++) {
		if (strcmp(name, near[i].name) == 0)
			return wl_fail(reterr, WL_E_USAGE,
				       "--report %.60s: no such report here; %s: %s %.200s", name,
				       near[i].why, near[i].command, trace);
	}
	nearest = wl_verb_nearest(name);
	if (nearest && strcmp(nearest, name) == 0)
		nearest = NULL;
	return wl_fail(reterr, WL_E_USAGE, "--report %.60s: no such report%s%s%s", name,
		       nearest ? "; did you mean " : "; \"warplens help\" lists the verbs",
		       nearest ? nearest : "", nearest ? "?" : "");
}

/* The place of --name among the parameters of a report's verb that has such names, or n. */
static size_t find_naming(const struct wl_verb *v, const char *value)
{
	size_t n;
	const struct wl_param *own = wl_verb_params(v, &n);

	for (size_t i = 0; i < n; i++) {
		const char *const *c = strcmp(own[i].key, "name") == 0 ? own[i].choices : NULL;

		while (c && *c && strcmp(*c, value) != 0)
			c++;
		if (c && *c)
			return i;
	}
	return n;
}

static bool has_naming(const struct wl_verb *v, const char *value)
{
	size_t n;

	(void)wl_verb_params(v, &n);
	return find_naming(v, value) < n;
}

/* An argument of a report of kernels; the ranges around kernels are another verb's. */
static int take_argument(struct report *r, const struct wl_verb *v, const char *argument,
			 struct wl_err *reterr)
{
	if (strcmp(argument, "nvtx-name") == 0 && v->analysis == wl_analysis_get("kernels") &&
	    !r->naming) {
		(void)snprintf(r->name, sizeof(r->name), "nvtx-kernels");
		return WL_OK;
	}
	for (size_t i = 0; i < WL_COUNT(namings); i++) {
		if (strcmp(argument, namings[i].argument) != 0)
			continue;
		if (!has_naming(v, namings[i].value) || strcmp(r->name, "nvtx-kernels") == 0)
			break;
		r->naming = namings[i].value;
		return WL_OK;
	}
	return wl_fail(reterr, WL_E_USAGE,
		       "--report %.60s: \"%.30s\" does not apply; reports of kernels take one of "
		       "base, mangled and nvtx-name",
		       r->whole, argument);
}

/* "cuda_gpu_kern_sum:base" */
static int add_report(struct asking *a, const char *text, size_t n, struct wl_err *reterr)
{
	struct report *r = &a->report[a->n];
	char words[NAME_CAP], *next = words;
	struct wl_verb v;
	int result = WL_OK;

	if (a->n == MAX_REPORTS)
		return wl_fail(reterr, WL_E_USAGE, "--report: more than %d reports", MAX_REPORTS);
	(void)snprintf(words, sizeof(words), "%.*s", (int)n, text);
	*r = (struct report){ .naming = NULL };
	memcpy(r->whole, words, sizeof(words));
	(void)snprintf(r->name, sizeof(r->name), "%s", strsep(&next, ":"));
	a->n++;
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		if (strcmp(r->whole, rows[i].name) == 0)
			r->rows = &rows[i];
	if (r->rows)
		return WL_OK;
	if (!wl_verb_find(r->name, &v) || !v.analysis)
		return refuse(r->name, a->trace, reterr);
	while (result == WL_OK && next)
		result = take_argument(r, &v, strsep(&next, ":"), reterr);
	return result;
}

/* The names between commas. */
static int add_names(struct asking *a, const char *list, struct wl_err *reterr)
{
	int r = WL_OK;

	while (r == WL_OK && *list) {
		size_t n = strcspn(list, ",");

		r = add_report(a, list, n, reterr);
		list += n + (list[n] == ',');
	}
	return r;
}

static int take_names(struct asking *a, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < a->inv->n_many; i++)
		r = add_names(a, a->inv->many[i].text, reterr);
	return r == WL_OK && a->n == 0 ? add_names(a, by_default, reterr) : r;
}

/* The length of a path without the ending of its file. */
static size_t stem_length(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

/*
 * The i-th of a list with commas between, or its last: nsys pairs formats and outputs with reports
 * so. NULL for NULL.
 */
static const char *nth_of(const char *list, size_t i, char buf[WL_PATH_CAP])
{
	while (list && i > 0 && strchr(list, ',')) {
		list = strchr(list, ',') + 1;
		i--;
	}
	if (!list)
		return NULL;
	(void)snprintf(buf, WL_PATH_CAP, "%.*s", (int)strcspn(list, ","), list);
	return buf;
}

/* A format by nsys's name or ours; NULL for none and for ".", which is that of the output. */
static int find_format(const char *name, const struct wl_format **ret, struct wl_err *reterr)
{
	static const char *const names[][2] = { { "column", "table" },
						{ "hdoc", "html" },
						{ "htable", "html" } };

	*ret = NULL;
	if (!name || strcmp(name, ".") == 0)
		return WL_OK;
	for (size_t i = 0; i < WL_COUNT(names); i++)
		name = strcmp(name, names[i][0]) == 0 ? names[i][1] : name;
	*ret = wl_format_find(name);
	if (!*ret)
		return wl_fail(reterr, WL_E_USAGE,
			       "--format %.40s: stats takes table (column), csv, tsv, json, jsonl, "
			       "md and html, or a list of them, one for each report",
			       name);
	return WL_OK;
}

/* The format and the output of the i-th report; an output is "-", ".", or the BASE of a file. */
static int take_pair(const struct asking *a, size_t i, struct wl_invocation *inv,
		     char output[WL_PATH_CAP], struct wl_err *reterr)
{
	const struct wl_format *format;
	char name[WL_PATH_CAP];
	int r = find_format(nth_of(a->inv->given[WL_OPT_FORMAT], i, name), &format, reterr);

	if (r < 0)
		return r;
	inv->opt.format.table = format;
	inv->given[WL_OPT_FORMAT] = format ? format->name : NULL;
	inv->opt.output = nth_of(a->inv->given[WL_OPT_OUTPUT], i, output);
	return WL_OK;
}

/* Before the first report is printed. */
static int check_formats(const struct asking *a, struct wl_err *reterr)
{
	const struct wl_format *format;
	char name[WL_PATH_CAP];
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < a->n; i++)
		r = find_format(nth_of(a->inv->given[WL_OPT_FORMAT], i, name), &format, reterr);
	return r;
}

/*
 * As nsys does: "-o out" of the report x in CSV is out_x.csv, of x:base out_x_base.csv, and "."
 * is named by the trace and next to it.
 */
static int name_file(struct wl_invocation *inv, const char *name, char ret[WL_PATH_CAP],
		     struct wl_err *reterr)
{
	bool by_trace = strcmp(inv->opt.output, ".") == 0;
	const char *base = by_trace ? inv->operand[0] : inv->opt.output;
	size_t n = by_trace ? stem_length(base) : strlen(base);
	const struct wl_format *format = inv->opt.format.table;

	if (*base == '@')
		return wl_fail(reterr, WL_E_USAGE,
			       "-o %.80s: warplens runs no commands; leave -o out, and put \"| "
			       "%.80s\" behind the line",
			       base, base + 1);
	if (!format)
		format = wl_format_find("csv");
	if (snprintf(ret, WL_PATH_CAP, "%.*s_%s%s", (int)n, base, name, format->ending) >=
	    WL_PATH_CAP)
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", base);
	for (char *c = ret + n; *c; c++) {
		if (*c == ':')
			*c = '_';
	}
	inv->given[WL_OPT_OUTPUT] = ret;
	inv->given[WL_OPT_FORMAT] = format->name;
	return WL_OK;
}

/* As nsys prints it; not among documents in JSON, which programs read one after another. */
static void put_heading(const struct wl_invocation *inv, const struct report *report, bool is_first)
{
	const struct wl_format *format = inv->opt.format.table;
	bool is_json = format && strncmp(format->name, "json", 4) == 0;

	(void)fprintf(is_json ? stderr : stdout, "%s** %s\n", is_first || is_json ? "" : "\n",
		      report->whole);
}

/* The report as a statement over its tables. */
static int answer_rows(struct wl_invocation *inv, const struct rows *report, char sql[SQL_CAP],
		       struct wl_err *reterr)
{
	const struct wl_format *format = inv->opt.format.table;
	bool for_people = format ? format->for_people : !inv->opt.output && wl_stdout_is_terminal();
	size_t timeout;
	int r;

	if (inv->n_operands != 1)
		return wl_fail(reterr, WL_E_USAGE, "--report %s: give one trace", report->name);
	r = wl_opt_as(inv, "sql", reterr);
	if (r < 0)
		return r;
	/*
	 * nsys has no limit, and a report of a large trace can take longer than what sql grants a
	 * statement.
	 */
	timeout = wl_option_param(&inv->verb, "timeout", strlen("timeout"));
	inv->param[timeout] = "0";
	(void)snprintf(sql, SQL_CAP, for_people && report->shown ? "SELECT %s FROM (%s)" : "%.0s%s",
		       report->shown ? report->shown : "", report->sql);
	inv->operand[inv->n_operands++] = sql;
	return WL_OK;
}

static int answer(const struct asking *a, size_t i)
{
	const struct report *report = &a->report[i];
	struct wl_invocation one = *a->inv;
	char output[WL_PATH_CAP], path[WL_PATH_CAP], sql[SQL_CAP];
	struct wl_err err;
	int status, r = take_pair(a, i, &one, output, &err);

	one.given[WL_OPT_OUTPUT] = one.opt.output;
	if (r == WL_OK && one.opt.output && strcmp(one.opt.output, "-") != 0)
		r = name_file(&one, report->whole, path, &err);
	else
		one.given[WL_OPT_OUTPUT] = NULL;
	if (r == WL_OK)
		r = report->rows ? answer_rows(&one, report->rows, sql, &err)
				 : wl_opt_as(&one, report->name, &err);
	if (r < 0)
		return wl_report_failure(&err);
	if (report->naming)
		one.param[find_naming(&one.verb, report->naming)] = report->naming;
	if (a->n > 1 && !one.opt.output)
		put_heading(&one, report, i == 0);
	status = report->rows ? one.verb.command->run(&one) : wl_answer(&one);
	/* The statement is right where its tables are there. */
	if (report->rows && status == WRONG)
		status = NO_DATA;
	if (status == 0 && one.opt.output) {
		(void)fputs("wrote ", stdout);
		wl_put_clean(stdout, path);
		(void)putchar('\n');
	}
	return status;
}

/* "cuda_gpu_kern_sum  kernels": a line per other name of a verb that is a table. */
static int list_reports(void)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		for (const struct wl_alias *a = wl_verb_aliases(&v); v.analysis && a->name; a++) {
			char options[256];

			wl_alias_options(&v, a, options, sizeof(options));
			(void)printf("%-28s warplens %s%s%s\n", a->name, wl_verb_name(&v),
				     *options ? " " : "", options);
		}
	}
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		(void)printf("%-28s warplens stats -r %s\n", rows[i].name, rows[i].name);
	return wl_finish_stdout();
}

/* A trace without data for one of several reports is asked for the others. */
static int run(const struct wl_invocation *inv)
{
	struct asking a = { .inv = inv };
	struct wl_err err;
	struct wl_arena arena;
	int r, status = 0, worst = 0;
	size_t n_answered = 0;

	if (inv->param[HELP_REPORTS])
		return list_reports();
	wl_arena_init(&arena, LINE_BYTES);
	a.trace = inv->n_operands ? wl_shell_word(inv->operand[0], &arena) : "TRACE";
	r = a.trace ? take_names(&a, &err) : wl_fail(&err, WL_E_NOMEM, "stats: no memory");
	wl_arena_release(&arena);
	if (r == WL_OK)
		r = check_formats(&a, &err);
	if (r < 0)
		return wl_report_failure(&err);
	for (size_t i = 0; i < a.n; i++) {
		status = answer(&a, i);
		n_answered += status == 0;
		if (status && status != NO_DATA)
			return status;
		worst = status ? status : worst;
	}
	status = n_answered ? 0 : worst;
	return status ? status : wl_finish_stdout();
}

static const struct wl_option_hint hints[] = {
	{ "filter-time", "--window A..B chooses the window, such as --window 80ms..100ms" },
	{ "filter-nvtx", "--window nvtx:NAME#k chooses the k-th range of this name" },
	{ "sqlite", "give the database in place of the report" },
	{ "help-formats", "\"warplens help stats\" lists the formats" },
	{ NULL, NULL },
};

static const struct wl_example examples[] = {
	{ "warplens stats --report cuda_gpu_kern_sum run.sqlite", "Kernels by their sums." },
	{ "warplens stats -r cuda_gpu_kern_sum:base run.sqlite", "By short names." },
	{ "warplens stats --report cuda_api_sum --format csv -o out run.sqlite",
	  "Writes out_cuda_api_sum.csv." },
	{ NULL, NULL },
};

const struct wl_command wl_command_stats = {
	.name = "stats",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Print reports by the names that nsys stats has",
	.about = "Each report is the verb that has its name as another one: cuda_gpu_kern_sum is "
		 "kernels, cuda_api_sum is api. Columns and options are those of the verb. -o BASE "
		 "writes BASE_REPORT.csv, or another format by -f; -o . has the name of the trace "
		 "as "
		 "BASE. cuda_api_trace, cuda_kern_exec_trace, nvtx_pushpop_trace and "
		 "nvtx_startend_trace are rows of SQL; cuda_gpu_sum, cuda_api_gpu_sum, "
		 "nvtx_startend_sum and nvtx_gpu_proj_trace have the columns of nsys. Formats and "
		 "outputs can be lists, "
		 "one for each report and the last for all others, and column is table: -r A,B -f "
		 "csv,column -o .,-. Arguments of a report of "
		 "kernels: "
		 ":base has short names, :mangled mangled ones, :nvtx-name a row for each NVTX "
		 "range "
		 "and kernel. In JSON, one document follows another, and names of reports are on "
		 "standard error. A report of which the trace has "
		 "no data is left out with a line that says why.",
	.operands = "TRACE",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.compared = true,
	.common = true,
	.without = WL_OPT_BIT(SECTION),
	.hints = hints,
	.in_lists = true,
	.several = WL_SEVERAL_BESIDE,
	.run = run,
};

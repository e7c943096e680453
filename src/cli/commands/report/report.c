/* SPDX-License-Identifier: MIT */
/* report.c - the command that writes a report of a trace: pages for people, data for programs. */
#include <string.h>
#include <sys/stat.h>

#include "analysis/args.h"
#include "base/process/pool.h"
#include "cli/commands/report/report.h"
#include "cli/commands/report/report_files.h"
#include "cli/commands/report/report_strips.h"
#include "cli/costs.h"
#include "cli/docs.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"
#include "model/trace_readers.h"

enum { TITLE, TOP, PHASES, WARN, NO_MAP, VIEWER, NCU }; /* the request has the last one */

static const struct wl_param params[] = {
	[TITLE] = { .key = "title", .type = WL_P_STR, .help = "What the report is headed by." },
	[TOP] = { .key = "top",
		  .type = WL_P_COUNT,
		  .def = "20",
		  .help = "Rows of each table in report.md and report.html; 0 shows all." },
	[PHASES] = { .key = "phase-map",
		     .type = WL_P_DOC,
		     .alias = "phases-json",
		     .help = "Phases by patterns of NVTX names, as for phases; adds a section." },
	[WARN] = { .key = "nvtx-coverage-warn-threshold",
		   .type = WL_P_RATIO,
		   .alias = "nvtx-coverage-warn",
		   .help = "Warn when NVTX ranges cover less of the kernels' time (default 0.7)." },
	[NO_MAP] = { .key = "no-nvtx-kernel-map",
		     .type = WL_P_BOOL,
		     .help = "Leave out the kernels of each NVTX range." },
	[VIEWER] = { .key = "viewer",
		     .type = WL_P_STR,
		     .help = "The address of a page of viewer, as report.html finds it: findings "
			     "link to their places in it." },
	[NCU] = { .key = "ncu",
		  .type = WL_P_DOC,
		  .is_ncu = true,
		  .help = "A report of Nsight Compute, as for roofline and findings; adds a "
			  "section." },
};

/* What a report is made of; all of it lives until it is written. */
struct reporting {
	const struct wl_invocation *inv;
	const char *trace;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_json *section_docs[WL_MAX_PARAMS]; /* of phases */
	struct wl_section_info sections[WL_MAX_SECTIONS];
	struct wl_document_info info;
	struct wl_request request;
	struct wl_render_opts opts;
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	struct wl_costs costs;
	bool is_quiet;
};

/* "x.html" is a page, unless there is a directory of this name. */
static const struct wl_format *page_format(const char *output)
{
	const struct wl_format *format = wl_format_of_file(output);
	struct stat st;

	if (!wl_report_is_page(format) || (stat(output, &st) == 0 && S_ISDIR(st.st_mode)))
		return NULL;
	return format;
}

/* A path, or an address of the web or of a file: others could run something. */
static int check_viewer(const char *viewer, struct wl_err *reterr)
{
	static const char *const schemes[] = { "http://", "https://", "file://" };
	const char *colon = viewer ? strchr(viewer, ':') : NULL;
	bool is_known = !colon || memchr(viewer, '/', (size_t)(colon - viewer));

	for (size_t i = 0; colon && i < WL_COUNT(schemes); i++)
		is_known = is_known || strncmp(viewer, schemes[i], strlen(schemes[i])) == 0;
	if (viewer && (!*viewer || strchr(viewer, '#') || !is_known))
		return wl_fail(reterr, WL_E_USAGE,
			       "--viewer %.200s: give the path of a page, or its address with "
			       "http://, https:// or file://, without #",
			       viewer);
	return WL_OK;
}

static int check_options(const struct wl_invocation *inv, struct wl_err *reterr)
{
	const char *dir = inv->opt.output;
	struct stat st;

	if (inv->n_operands != 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "report: give one trace; usage: warplens report TRACE -o DIR");
	if (!dir || !*dir)
		return wl_fail(reterr, WL_E_USAGE,
			       "report: no output given; usage: warplens report TRACE -o DIR");
	if (!page_format(dir) && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return wl_fail(reterr, WL_E_USAGE, "-o %.200s: not a directory", dir);
	if (check_viewer(inv->param[VIEWER], reterr) < 0)
		return WL_E_USAGE;
	return wl_spare_trace(dir, inv->operand[0], "--output", reterr);
}

/* The parameter of an analysis by its key, which must exist. */
static size_t param_of(const char *analysis, const char *key)
{
	const struct wl_analysis *a = wl_analysis_get(analysis);
	size_t i = 0;

	while (i + 1 < a->n_params && strcmp(a->params[i].key, key) != 0)
		i++;
	return i;
}

/* Whether these options leave the section out. */
static bool is_left_out(const struct reporting *p, const char *analysis)
{
	if (strcmp(analysis, "nvtx-kernels") == 0)
		return p->inv->param[NO_MAP] != NULL;
	return strcmp(analysis, "phases") == 0 && !p->docs.param[PHASES];
}

/* The sections that these options ask for, with their arguments. */
static void choose_sections(struct reporting *p)
{
	const char *warn = p->inv->param[WARN];
	size_t n = 0;

	p->section_docs[param_of("phases", "phase-map")] = p->docs.param[PHASES];
	for (size_t i = 0; i < wl_report_document.n_sections; i++) {
		struct wl_section_info *s = &p->sections[n];

		*s = wl_report_document.sections[i];
		if (is_left_out(p, s->analysis))
			continue;
		if (strcmp(s->analysis, "phases") == 0)
			s->docs = p->section_docs;
		if (strcmp(s->analysis, "nvtx") == 0 && warn)
			s->args[param_of("nvtx", "nvtx-coverage-warn")] = warn;
		if (strcmp(s->analysis, "findings") == 0 && warn)
			s->args[param_of("findings", "nvtx-coverage-warn")] = warn;
		n++;
	}
	p->info = wl_report_document;
	p->info.sections = p->sections;
	p->info.n_sections = n;
}

static void make_request(struct reporting *p)
{
	p->request = wl_opened_request(p->inv, &p->docs, p->pool);
	p->request.document = &p->info;
	/*
	 * report.json and the tables have all rows; --top cuts the other pages where they are
	 * written.
	 */
	p->request.no_limits = true;
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct reporting *p, struct wl_err *reterr)
{
	const struct wl_invocation *inv = p->inv;
	int r = check_options(inv, reterr);

	if (r == WL_OK)
		r = wl_docs_init(&p->docs, inv, inv->param, reterr);
	if (r == WL_OK)
		r = wl_command_args(&p->args, inv, p->docs.param, reterr);
	if (r < 0)
		return r;
	p->pool = wl_pool_option(inv);
	p->trace = inv->operand[0];
	choose_sections(p);
	make_request(p);
	return wl_request_check(&p->request, reterr);
}

/* Sections that only go to a file have no title. */
static bool is_same_section(const struct wl_section_info *info, const struct wl_section *section)
{
	return strcmp(info->analysis, section->analysis) == 0 && !info->title == !section->title &&
	       (!info->title || strcmp(info->title, section->title) == 0);
}

/* The answer for a single file has no sections of jobs. */
static void drop_absent(struct reporting *p, const struct wl_document *doc)
{
	size_t n = 0;

	for (size_t i = 0; i < p->info.n_sections && n < doc->n_sections; i++) {
		const struct wl_section_info *s = &p->sections[i];

		if (is_same_section(s, &doc->sections[n]))
			p->sections[n++] = *s;
	}
	p->info.n_sections = n;
}

/* Findings get pictures of where they are seen. */
static void add_strips(struct reporting *p, struct wl_document *doc)
{
	struct wl_section *sections = WL_NEW(&p->arena, struct wl_section, doc->n_sections + 1);

	for (size_t i = 0; sections && i < doc->n_sections; i++) {
		sections[i] = doc->sections[i];
		if (!sections[i].missing && sections[i].look == WL_LOOK_LIST)
			sections[i].strips =
				wl_report_strips(p->opened.session, &p->request,
						 sections[i].view.table, &p->budget, &p->arena);
	}
	if (sections)
		doc->sections = sections;
}

static int make_report(struct reporting *p, struct wl_err *reterr)
{
	struct wl_report_files files = { .dir = p->inv->opt.output,
					 .format = page_format(p->inv->opt.output),
					 .trace = p->trace,
					 .title = p->args.value[TITLE].str,
					 .top = (size_t)p->args.value[TOP].i64,
					 .opts = p->opts,
					 .is_quiet = p->is_quiet,
					 .info = &p->info,
					 .arena = &p->arena };
	const struct wl_opening how = { p->inv, p->pool, &p->budget, &p->costs };
	struct wl_document doc;
	int r = wl_opened_load(&p->opened, p->trace, &how, &p->request, reterr);

	if (r < 0)
		return r;
	wl_costs_begin(&p->costs);
	r = wl_session_run(p->opened.session, &p->request, &p->arena, &doc, reterr);
	wl_costs_end(&p->costs, WL_COSTS_COMPUTE);
	wl_progress_end(&p->opened.progress);
	wl_opened_note_index(&p->opened);
	if (r < 0)
		return r;
	drop_absent(p, &doc);
	add_strips(p, &doc);
	files.doc = &doc;
	wl_trace_readers_add(&files.readers, wl_session_trace(p->opened.session), p->trace);
	wl_costs_begin(&p->costs);
	r = wl_report_write(&files, reterr);
	wl_costs_end(&p->costs, WL_COSTS_PRINT);
	if (r == WL_OK)
		wl_costs_print(&p->costs, stderr);
	return r;
}

int wl_report_run(const struct wl_invocation *inv, bool is_quiet)
{
	struct reporting p = { .inv = inv,
			       .opts = { .timeunit = inv->opt.timeunit,
					 .viewer = inv->param[VIEWER] },
			       .budget = { .limit = inv->opt.memory },
			       .costs = { .on = inv->opt.stats },
			       .is_quiet = is_quiet };
	struct wl_err err;
	int r;

	wl_arena_init_on(&p.arena, &p.budget);
	r = prepare(&p, &err);
	if (r == WL_OK)
		r = make_report(&p, &err);
	wl_opened_release(&p.opened);
	wl_arena_release(&p.arena);
	wl_pool_free(p.pool);
	wl_docs_release(&p.docs);
	wl_args_release(&p.args);
	return r < 0 ? wl_report_failure(&err) : wl_finish_stdout();
}

static int run(const struct wl_invocation *inv)
{
	return wl_report_run(inv, false);
}

static const struct wl_example examples[] = {
	{ "warplens report run.sqlite -o out", "Writes out/report.html and the rest." },
	{ "warplens report run.sqlite -o out --window steady --title 'Run 7'",
	  "The same of one iteration, with a title." },
	{ "warplens report run.sqlite -o out --viewer view.html",
	  "Findings link to view.html, which viewer wrote." },
	{ "warplens report run.sqlite -o out --ncu run.ncu-rep", "Adds the roofline." },
	{ NULL, NULL },
};

static const struct wl_option_hint hints[] = {
	{ "format", "-o x.md writes Markdown, -o x.html a page, -o x.json data, and any other name "
		    "a directory with all of them" },
	{ "color", "it writes files" },
	{ "section", "\"warplens VERB\" prints one table" },
	{ NULL, NULL },
};

const struct wl_command wl_command_report = {
	.name = "report",
	.compared = true,
	.topic = WL_TOPIC_SHARE,
	.listed = { .level = WL_LEVEL_FIRST,
		    .line = "Write an HTML report with charts, tables and CSV files" },
	.help = "Write a report: a page with charts, Markdown, JSON, CSV",
	.about =
		"With -o x.html, x.md or x.json writes one page. Any other name is a directory, "
		"made with its parents if need be. The directory receives report.html (one page "
		"with "
		"charts that needs no network), report.md (for a pull request), report.json (every "
		"row of both) and tables/*.csv (the same tables and more). Each section says "
		"what it was derived from and what its limits are. The trace is read once. Files "
		"of an earlier report are replaced, others are left alone. The same trace and "
		"options give the same bytes.",
	.operands = "TRACE",
	.examples = examples,
	.params = params,
	.n_params = WL_COUNT(params),
	.common = true,
	.without = WL_OPT_BIT(FORMAT) | WL_OPT_BIT(COLOR) | WL_OPT_BIT(SECTION) |
		   WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) | WL_OPT_BIT(SORT) |
		   WL_OPT_BIT(COLUMNS),
	.instead = "--top N limits its tables",
	.hints = hints,
	.several = WL_SEVERAL_JOB,
	.run = run,
};

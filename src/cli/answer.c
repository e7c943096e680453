#include "cli/answer.h"

#include <langinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/docs.h"
#include "cli/open.h"
#include "cli/pager.h"
#include "cli/stats.h"
#include "cli/status.h"
#include "cli/wrap.h"
#include "render/render.h"

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 20 };

/* What an answer is made of; all of it lives until it is printed. */
struct answering {
	const struct wl_invocation *inv;
	const char *path, *params[WL_MAX_PARAMS];
	struct wl_docs docs;
	const struct wl_format *format;
	struct wl_render_opts opts;
	struct wl_request request;
	struct wl_opened opened;
	struct wl_arena arena;
	struct wl_stats stats;
};

/* Operands before the trace are arguments of the verb. */
static int take_operands(const struct wl_invocation *inv, const char **params,
			 const char **ret_path, struct wl_err *reterr)
{
	const struct wl_analysis *a = inv->verb.analysis;
	const char *name = wl_verb_name(&inv->verb);
	char operands[64];
	size_t used = 0;

	wl_verb_operands(&inv->verb, operands, sizeof(operands));
	for (size_t i = 0; a && i < a->n_params; i++) {
		params[i] = inv->param[i];
		if (a->params[i].operand && used < inv->n_operands)
			params[i] = inv->operand[used++];
	}
	if (inv->n_operands == used)
		return wl_fail(reterr, WL_E_USAGE, "%s: no trace given; usage: warplens %s %s",
			       name, name, operands);
	if (inv->n_operands > used + 1)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s takes one trace, but %zu %s; usage: warplens %s %s%s", name,
			       inv->n_operands, used ? "words were given" : "were given", name,
			       operands, used ? " (quote a pattern that has spaces)" : "");
	*ret_path = inv->operand[used];
	return WL_OK;
}

/* A trace is minutes of a cluster: a slip of the keyboard must not replace it. */
static int refuse_overwriting(const struct wl_invocation *inv, enum wl_option_id option,
			      const char *path, struct wl_err *reterr)
{
	const char *output = inv->value[option];
	struct stat in, out;

	if (!output || stat(output, &out) < 0 || stat(path, &in) < 0 || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino || !S_ISREG(in.st_mode))
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE, "--%s %.200s: this is the trace itself; give another",
		       wl_options[option].long_name, output);
}

/* "table, csv, tsv ..." */
static void list_formats(char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < wl_n_formats && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", wl_formats[i].name);
}

static int choose_format(const struct wl_invocation *inv, const struct wl_format **ret,
			 struct wl_err *reterr)
{
	const char *name = inv->value[WL_OPT_FORMAT], *file = inv->value[WL_OPT_OUTPUT];
	const struct wl_format *found = name ? wl_format_find(name) : NULL;
	char all[128];

	if (name && !found) {
		list_formats(all, sizeof(all));
		return wl_fail(reterr, WL_E_USAGE, "--format %.40s: use %s", name, all);
	}
	if (!found && file)
		found = wl_format_of_file(file);
	*ret = found ? found : &wl_formats[0];
	return WL_OK;
}

static int make_request(struct answering *a, struct wl_err *reterr)
{
	const struct wl_invocation *inv = a->inv;
	int64_t limit = (int64_t)a->format->default_limit;
	struct wl_request *q = &a->request;

	*q = (struct wl_request){
		.analysis = inv->verb.analysis,
		.document = inv->verb.document,
		.args = a->params,
		.docs = a->docs.param,
		.section = inv->value[WL_OPT_SECTION],
		.selection = { .gpu = inv->value[WL_OPT_GPU],
			       .pid = inv->value[WL_OPT_PID],
			       .rank = inv->value[WL_OPT_RANK],
			       .stream = inv->value[WL_OPT_STREAM],
			       .window = inv->value[WL_OPT_WINDOW] },
		.marker = inv->value[WL_OPT_MARKER],
		.conventions = { .name = a->docs.conventions ? a->docs.conventions_path
							     : inv->value[WL_OPT_CONVENTIONS],
				 .doc = a->docs.conventions },
		.view = { .where = inv->value[WL_OPT_WHERE],
			  .sort = inv->value[WL_OPT_SORT],
			  .columns = inv->value[WL_OPT_COLUMNS] },
		.limit_given = inv->value[WL_OPT_LIMIT] != NULL,
		.no_limits = a->format->default_limit == 0,
	};
	if (inv->value[WL_OPT_LIMIT] &&
	    (wl_parse_i64(inv->value[WL_OPT_LIMIT], &limit, NULL) < 0 || limit < 0))
		return wl_fail(reterr, WL_E_USAGE, "-n %.40s: give a number of rows, 0 for all",
			       inv->value[WL_OPT_LIMIT]);
	q->view.limit = (size_t)limit;
	/* A format that prints one table takes the first of a document unless told otherwise. */
	if (q->document && !q->section && !a->format->whole)
		q->section = q->document->sections[0].analysis;
	return WL_OK;
}

static int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t n;

	if (columns && wl_parse_i64(columns, &n, NULL) == WL_OK && n > 0 && n < INT16_MAX)
		return n < MIN_WIDTH ? MIN_WIDTH : (int)n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= MIN_WIDTH)
		return size.ws_col;
	return DEFAULT_WIDTH;
}

static int make_render_opts(const struct wl_invocation *inv, struct wl_render_opts *opts,
			    struct wl_err *reterr)
{
	const char *unit = inv->value[WL_OPT_TIMEUNIT], *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");
	struct wl_err why;

	*opts = (struct wl_render_opts){
		.width = terminal_width(),
		.bold = wl_stdout_is_terminal() && !inv->value[WL_OPT_OUTPUT] &&
			!(no_color && *no_color) && term && strcmp(term, "dumb") != 0,
		.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
	};
	if (unit && wl_parse_timeunit(unit, &opts->timeunit, &why) < 0)
		return wl_fail(reterr, WL_E_USAGE, "--timeunit: %s", why.msg);
	return WL_OK;
}

/* Signals are caught, so that the unfinished file does not stay behind. */
static int write_file(const char *path, const struct wl_format *format,
		      const struct wl_document *doc, const struct wl_render_opts *opts,
		      struct wl_err *reterr)
{
	const volatile sig_atomic_t *cancel = wl_signals_catch();
	struct wl_file file;
	int r = wl_file_begin(path, &file, reterr);

	if (r == WL_OK)
		format->render(doc, opts, file.stream);
	if (*cancel) {
		if (r == WL_OK)
			wl_file_abort(&file);
		return wl_fail(reterr, WL_E_CANCELED, "%s: stopped", path);
	}
	if (r == WL_OK)
		r = wl_file_commit(&file, reterr);
	wl_signals_release();
	return r;
}

/* Who asks for a document and gets one of its tables would miss the others. */
static void note_sections(const struct wl_invocation *inv, const struct wl_format *format)
{
	const struct wl_document_info *d = inv->verb.document;
	char line[512];
	size_t used;

	if (!d || format->whole || inv->value[WL_OPT_SECTION])
		return;
	used = (size_t)snprintf(line, sizeof(line), "note: only the table %s; --section also takes",
				d->sections[0].analysis);
	for (size_t i = 1; i < d->n_sections && used < sizeof(line); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %s",
					 i > 1 ? "," : "", d->sections[i].analysis);
	wl_wrap(stderr, line, 0, 6);
}

static int print(const struct wl_invocation *inv, const struct wl_format *format,
		 const struct wl_document *doc, const struct wl_render_opts *opts,
		 struct wl_err *reterr)
{
	struct wl_pager pager;

	if (!format->framed)
		wl_render_frame(doc, opts, stderr);
	note_sections(inv, format);
	if (inv->value[WL_OPT_OUTPUT])
		return write_file(inv->value[WL_OPT_OUTPUT], format, doc, opts, reterr);
	format->render(doc, opts, wl_pager_begin(&pager));
	return wl_pager_end(&pager, reterr);
}

/* Whatever is wrong with the request is said before the trace is looked at. */
static int prepare(struct answering *a, struct wl_err *reterr)
{
	const struct wl_invocation *inv = a->inv;
	int r = take_operands(inv, a->params, &a->path, reterr);

	if (r == WL_OK)
		r = choose_format(inv, &a->format, reterr);
	if (r == WL_OK)
		r = make_render_opts(inv, &a->opts, reterr);
	if (r == WL_OK)
		r = wl_docs_init(&a->docs, inv, a->params, reterr);
	if (r == WL_OK)
		r = make_request(a, reterr);
	if (r == WL_OK)
		r = wl_request_check(&a->request, reterr);
	if (r == WL_OK)
		r = refuse_overwriting(inv, WL_OPT_OUTPUT, a->path, reterr);
	if (r == WL_OK)
		r = refuse_overwriting(inv, WL_OPT_KEEP_EXPORT, a->path, reterr);
	return r;
}

/* Signals are caught, so that an export does not stay behind. */
static int load(struct answering *a, struct wl_err *reterr)
{
	const volatile sig_atomic_t *cancel = wl_signals_catch();
	int r;

	wl_stats_begin(&a->stats);
	r = wl_opened_init(&a->opened, a->path, a->inv, cancel, reterr);
	wl_stats_end(&a->stats, WL_STATS_OPEN);
	if (r == WL_OK) {
		wl_stats_begin(&a->stats);
		r = wl_session_load(a->opened.session, &a->request, reterr);
		wl_stats_end(&a->stats, WL_STATS_LOAD);
	}
	wl_opened_drop_file(&a->opened);
	wl_signals_release();
	if (r == WL_OK && *cancel)
		r = wl_fail(reterr, WL_E_CANCELED, "%s: stopped", a->path);
	return r;
}

static int answer(struct answering *a, struct wl_err *reterr)
{
	struct wl_document doc;
	int r = prepare(a, reterr);

	if (r == WL_OK)
		r = load(a, reterr);
	if (r < 0)
		return r;
	wl_stats_begin(&a->stats);
	r = wl_session_run(a->opened.session, &a->request, &a->arena, &doc, reterr);
	wl_stats_end(&a->stats, WL_STATS_COMPUTE);
	if (r < 0)
		return r;
	wl_stats_begin(&a->stats);
	r = print(a->inv, a->format, &doc, &a->opts, reterr);
	wl_stats_end(&a->stats, WL_STATS_PRINT);
	if (r == WL_OK)
		wl_stats_print(&a->stats, wl_session_trace(a->opened.session), stderr);
	return r;
}

int wl_answer(const struct wl_invocation *inv)
{
	struct answering a = { .inv = inv, .stats = { .on = inv->value[WL_OPT_STATS] != NULL } };
	struct wl_err err;
	int r;

	wl_arena_init(&a.arena, SIZE_MAX / 2);
	r = answer(&a, &err);
	wl_arena_release(&a.arena);
	wl_opened_release(&a.opened);
	wl_docs_release(&a.docs);
	return r < 0 ? wl_report_failure(&err) : 0;
}

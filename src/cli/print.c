/* SPDX-License-Identifier: MIT */
#include "cli/print.h"

#include <langinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/clean.h"
#include "base/text/units.h"
#include "capture/report.h"
#include "cli/explorer.h"
#include "cli/help/wrap.h"
#include "cli/pager.h"
#include "cli/status.h"

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 20 };

static const struct wl_format *choose_format(const struct wl_values *opt)
{
	const struct wl_format *format = opt->format.table;

	if (!format && opt->output)
		format = wl_format_of_file(opt->output);
	return format ? format : &wl_formats[0];
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

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

/* As no-color.org and bixense.com/clicolors say; the option goes before both. */
static bool wants_color(const struct wl_values *opt)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (opt->color != WL_COLOR_AUTO)
		return opt->color == WL_COLOR_ALWAYS;
	if (opt->output || (no_color && *no_color))
		return false;
	return is_set("CLICOLOR_FORCE") ||
	       (wl_stdout_is_terminal() && term && strcmp(term, "dumb") != 0);
}

static struct wl_render_opts render_opts(const struct wl_values *opt)
{
	const char *term = getenv("TERM");
	bool color = wants_color(opt), is_forced = color && !wl_stdout_is_terminal();

	return (struct wl_render_opts){
		.width = terminal_width(),
		.timeunit = opt->timeunit,
		.bold = color,
		.colour = color && (is_forced || opt->color == WL_COLOR_ALWAYS ||
				    getenv("COLORTERM") || (term && strstr(term, "256color"))),
		.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
		.is_quiet = opt->quiet,
	};
}

static const char *param_of(const struct wl_invocation *inv, enum wl_param_type type)
{
	size_t i;

	return wl_verb_param_of(&inv->verb, type, &i) ? inv->param[i] : NULL;
}

/*
 * Who names traces by an option means by -o what the tool means that has this option: a
 * directory. A format, given or as the ending of a file, makes it a file as always.
 */
static int choose_dir(struct wl_printing *p, struct wl_err *reterr)
{
	const char *dir = param_of(p->inv, WL_P_DIR), *file = p->inv->opt.output;
	bool has_format = p->inv->opt.format.table || (file && wl_format_of_file(file));

	if (dir && (file || has_format))
		return wl_fail(reterr, WL_E_USAGE,
			       "a directory gets result.csv, result.html and categories.csv; leave "
			       "-o and -f out");
	if (!dir && !has_format && param_of(p->inv, WL_P_TRACE)) {
		p->shows_too = !file;
		dir = file ? file : ".";
	}
	p->dir = dir;
	if (dir && !p->shows_too)
		p->format = wl_format_find("csv"); /* and so all rows */
	return WL_OK;
}

/* A page shows all there is, in its own way. */
static int choose_page(struct wl_printing *p, struct wl_err *reterr)
{
	static const enum wl_option_id others[] = { WL_OPT_FORMAT, WL_OPT_OUTPUT, WL_OPT_LIMIT,
						    WL_OPT_WHERE,  WL_OPT_SORT,   WL_OPT_COLUMNS };
	size_t param;
	const struct wl_param *option = wl_verb_param_of(&p->inv->verb, WL_P_PAGE, &param);

	p->page = option ? p->inv->param[param] : NULL;
	for (size_t i = 0; p->page && i < WL_COUNT(others); i++) {
		if (p->inv->given[others[i]])
			return wl_fail(reterr, WL_E_USAGE,
				       "--%s writes a whole page; leave --%s out", option->key,
				       wl_options[others[i]].long_name);
	}
	return WL_OK;
}

/* A database or a report: the trace, a file of the job, or another one. */
static bool is_capture(const char *path)
{
	struct wl_report report;

	return wl_report_identify(path, &report, NULL) == WL_OK &&
	       (report.kind == WL_REPORT_SQLITE || report.kind == WL_REPORT_NSYS);
}

/*
 * Aligned columns in a file that was meant as something else are found out much later. Devices and
 * pipes have no ending to go by. An output that is a trace passes here, because
 * wl_printing_spares() says what is wrong with it.
 */
static int check_output(const struct wl_printing *p, struct wl_err *reterr)
{
	const char *file = p->inv->opt.output, *slash, *dot;
	char endings[WL_FORMAT_LIST_BUF];
	struct stat st;

	if (!file || p->dir)
		return WL_OK;
	slash = strrchr(file, '/');
	dot = strrchr(slash ? slash + 1 : file, '.');
	if (dot && dot != (slash ? slash + 1 : file) && !p->inv->opt.format.table &&
	    !wl_format_of_file(file) && (stat(file, &st) < 0 || S_ISREG(st.st_mode)) &&
	    !is_capture(file))
		return wl_fail(reterr, WL_E_USAGE,
			       "-o %.200s: no format has the ending %.40s; give -f FORMAT, or one "
			       "of .txt %s",
			       file, dot, wl_format_list_endings(endings));
	return wl_file_has_dir(file, reterr);
}

/* Programs read times in one unit, whatever people like to see. */
static int check_unit(const struct wl_printing *p, struct wl_err *reterr)
{
	const struct wl_values *opt = &p->inv->opt;

	if (!p->inv->given[WL_OPT_TIMEUNIT] || p->format->for_people ||
	    opt->timeunit == WL_UNIT_AUTO || opt->timeunit == WL_UNIT_NS)
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE,
		       "--timeunit %.20s: times in %s are always in ns; leave it out, or take -f "
		       "table",
		       p->inv->given[WL_OPT_TIMEUNIT], p->format->name);
}

int wl_printing_init(struct wl_printing *p, const struct wl_invocation *inv, struct wl_err *reterr)
{
	int r;

	*p = (struct wl_printing){ .inv = inv,
				   .title = param_of(inv, WL_P_TITLE),
				   .format = choose_format(&inv->opt),
				   .opts = render_opts(&inv->opt) };
	r = choose_page(p, reterr);
	if (r == WL_OK)
		r = choose_dir(p, reterr);
	if (r == WL_OK)
		r = check_output(p, reterr);
	if (r == WL_OK)
		r = check_unit(p, reterr);
	/* Last, because a directory makes the format csv, which prints all rows. */
	p->limit = inv->given[WL_OPT_LIMIT] ? inv->opt.limit : p->format->default_limit;
	return r;
}

/* Those that the name of the verb implies are for people: programs get all. */
static const char *usual_columns(const struct wl_printing *p)
{
	const struct wl_invocation *inv = p->inv;

	if (p->format->default_limit == 0)
		return NULL;
	return wl_alias_value(inv->verb.alias, wl_options[WL_OPT_COLUMNS].long_name);
}

struct wl_view_opts wl_printing_view(const struct wl_printing *p)
{
	const struct wl_values *opt = &p->inv->opt;

	return (struct wl_view_opts){ .where = opt->where,
				      .sort = opt->sort,
				      .columns = opt->columns,
				      .usual_columns = usual_columns(p),
				      .limit = p->limit };
}

bool wl_printing_has_view(const struct wl_printing *p)
{
	const struct wl_values *opt = &p->inv->opt;

	return opt->where || opt->sort || opt->columns;
}

static int result_path(const struct wl_printing *p, const char *file, char ret[WL_PATH_CAP],
		       struct wl_err *reterr)
{
	if (snprintf(ret, WL_PATH_CAP, "%s/%s", p->dir, file) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", p->dir);
	return WL_OK;
}

/*
 * A trace is minutes of a cluster: a slip of the keyboard must not replace it. An export that is
 * kept may replace an earlier one.
 */
int wl_spare_trace(const char *output, const char *trace, const char *option, struct wl_err *reterr)
{
	struct stat in, out;
	bool is_kept = strcmp(option, "--keep-export") == 0;

	if (!output || stat(output, &out) < 0 || !S_ISREG(out.st_mode))
		return WL_OK;
	if (stat(trace, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		return wl_fail(reterr, WL_E_USAGE,
			       "%s %.200s: this is the trace itself; give another", option, output);
	if (!is_kept && is_capture(output))
		return wl_fail(reterr, WL_E_USAGE, "%s %.200s: this is a trace; give another",
			       option, output);
	return WL_OK;
}

int wl_printing_spares(struct wl_printing *p, const char *trace, struct wl_err *reterr)
{
	const struct wl_result *all = p->dir ? p->inv->verb.analysis->results : NULL;
	char path[WL_PATH_CAP];
	int r = wl_spare_trace(p->inv->opt.keep_export, trace, "--keep-export", reterr);

	if (trace && !wl_path_is_dir(trace))
		wl_file_readers_add(&p->readers, trace);
	if (r == WL_OK)
		r = wl_spare_trace(p->page, trace, "--html", reterr);
	if (r == WL_OK && !p->dir)
		r = wl_spare_trace(p->inv->opt.output, trace, "--output", reterr);
	for (size_t i = 0; r == WL_OK && p->dir && all[i].file; i++) {
		r = result_path(p, all[i].file, path, reterr);
		if (r == WL_OK)
			r = wl_spare_trace(path, trace, "the result", reterr);
	}
	return r;
}

typedef int begin_fn(const char *path, struct wl_file *ret, struct wl_err *reterr);

/* Signals are caught, so that the unfinished file does not stay behind. */
static int print_file(begin_fn *begin, const char *path, const struct wl_file_readers *readers,
		      const struct wl_format *format, const struct wl_document *doc,
		      const struct wl_render_opts *opts, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	struct wl_file file;
	int r = begin(path, &file, reterr);

	if (r == WL_OK) {
		wl_file_keep_from_others(&file, readers);
		format->render(doc, opts, file.stream);
	}
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

int wl_print_file(const char *path, const struct wl_file_readers *readers,
		  const struct wl_format *format, const struct wl_document *doc,
		  const struct wl_render_opts *opts, struct wl_err *reterr)
{
	return print_file(wl_file_begin, path, readers, format, doc, opts, reterr);
}

/* A document that prints one of its tables names the others. */
static void note_sections(const struct wl_invocation *inv, const struct wl_format *format)
{
	const struct wl_document_info *d = inv->verb.document;
	char line[512];
	size_t used;

	if (!d || format->whole || inv->opt.section)
		return;
	used = (size_t)snprintf(line, sizeof(line), "note: only the table %s; --section also takes",
				d->sections[0].analysis);
	for (size_t i = 1; i < d->n_sections && used < sizeof(line); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %s",
					 i > 1 ? "," : "", d->sections[i].analysis);
	wl_wrap(stderr, line, 0, 6);
}

static int write_page(const struct wl_printing *p, const struct wl_document *doc,
		      struct wl_err *reterr)
{
	int r = wl_print_file(p->page, &p->readers, &wl_explorer_format, doc, &p->opts, reterr);

	if (r == WL_OK) {
		(void)fputs("wrote ", stdout);
		wl_put_clean(stdout, p->page);
		(void)putchar('\n');
	}
	return r;
}

static int print(const struct wl_printing *p, const struct wl_document *doc, struct wl_err *reterr)
{
	const char *file = p->inv->opt.output;
	struct wl_pager pager;

	if (p->page)
		return write_page(p, doc, reterr);
	if (!p->format->framed && !p->inv->opt.quiet)
		wl_render_frame(doc, &p->opts, stderr);
	if (!doc->n_traces && !p->inv->opt.quiet)
		note_sections(p->inv, p->format);
	if (file)
		return wl_print_file(file, &p->readers, p->format, doc, &p->opts, reterr);
	p->format->render(doc, &p->opts, wl_pager_begin(&pager));
	return wl_pager_end(&pager, reterr);
}

static struct wl_document titled(const struct wl_printing *p, const struct wl_document *doc)
{
	struct wl_document ret = *doc;

	if (p->title)
		ret.title = p->title;
	return ret;
}

/*
 * The program chose the name of the file, so a link of that name is not followed: in an archive or
 * a shared directory it could lead to any file of the user. -o FILE was chosen by the user, and
 * follows links.
 */
int wl_print_result(const struct wl_printing *p, const char *file, const struct wl_document *doc,
		    struct wl_err *reterr)
{
	const struct wl_document with_title = titled(p, doc);
	char path[WL_PATH_CAP];
	int r = wl_dir_make(p->dir, reterr);

	if (r == WL_OK)
		r = result_path(p, file, path, reterr);
	if (r == WL_OK)
		r = print_file(wl_file_begin_nofollow, path, &p->readers, wl_format_of_file(file),
			       &with_title, &p->opts, reterr);
	if (r == WL_OK) {
		(void)fputs("wrote ", stdout);
		wl_put_clean(stdout, path);
		(void)putchar('\n');
	}
	return r;
}

int wl_print(const struct wl_printing *p, const struct wl_document *doc, struct wl_err *reterr)
{
	const struct wl_document with_title = titled(p, doc);

	return print(p, &with_title, reterr);
}

#include "cli/print.h"

#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/pager.h"
#include "cli/status.h"

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 20 };

/* A trace is minutes of a cluster: a slip of the keyboard must not replace it. */
int wl_refuse_overwriting(const struct wl_invocation *inv, enum wl_option_id option,
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

/* -n, or what the format shows by default. */
static int choose_limit(struct wl_printing *p, const struct wl_invocation *inv,
			struct wl_err *reterr)
{
	const char *given = inv->value[WL_OPT_LIMIT];
	int64_t limit = (int64_t)p->format->default_limit;

	if (given && (wl_parse_i64(given, &limit, NULL) < 0 || limit < 0))
		return wl_fail(reterr, WL_E_USAGE, "-n %.40s: give a number of rows, 0 for all",
			       given);
	p->limit = (size_t)limit;
	return WL_OK;
}

int wl_printing_init(struct wl_printing *p, const struct wl_invocation *inv, struct wl_err *reterr)
{
	int r;

	*p = (struct wl_printing){ .file = inv->value[WL_OPT_OUTPUT] };
	r = choose_format(inv, &p->format, reterr);
	if (r == WL_OK)
		r = make_render_opts(inv, &p->opts, reterr);
	if (r == WL_OK)
		r = choose_limit(p, inv, reterr);
	return r;
}

/* Signals are caught, so that the unfinished file does not stay behind. */
static int write_file(const struct wl_printing *p, const struct wl_document *doc,
		      wl_print_head *head, void *ctx, struct wl_err *reterr)
{
	const volatile sig_atomic_t *cancel = wl_signals_catch();
	struct wl_file file;
	int r = wl_file_begin(p->file, &file, reterr);

	if (r == WL_OK && head)
		head(ctx, file.stream);
	if (r == WL_OK)
		p->format->render(doc, &p->opts, file.stream);
	if (*cancel) {
		if (r == WL_OK)
			wl_file_abort(&file);
		return wl_fail(reterr, WL_E_CANCELED, "%s: stopped", p->file);
	}
	if (r == WL_OK)
		r = wl_file_commit(&file, reterr);
	wl_signals_release();
	return r;
}

int wl_print(const struct wl_printing *p, const struct wl_document *doc, wl_print_head *head,
	     void *ctx, struct wl_err *reterr)
{
	struct wl_pager pager;
	FILE *out;

	if (!p->format->framed)
		wl_render_frame(doc, &p->opts, stderr);
	if (p->file)
		return write_file(p, doc, head, ctx, reterr);
	out = wl_pager_begin(&pager);
	if (head)
		head(ctx, out);
	p->format->render(doc, &p->opts, out);
	return wl_pager_end(&pager, reterr);
}

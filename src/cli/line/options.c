/* SPDX-License-Identifier: MIT */
#include "cli/line/options.h"

#include <stdio.h>
#include <string.h>

#include "export/formats.h"
#include "read/reader.h"
#include "render/render.h"

const struct wl_option wl_options[WL_N_OPTIONS] = {
#define WL_OPTION(ID, member, type, short_, long_, argument, def, group, help, brief)              \
	[WL_OPT_##ID] = { short_, long_, argument, def, group, help, brief },
#include "cli/line/options.def"
#undef WL_OPTION
};

static bool has_times(const struct wl_analysis *a)
{
	for (size_t i = 0; i < a->n_cols; i++) {
		if (a->cols[i].type == WL_T_NS || a->cols[i].type == WL_T_TIME)
			return true;
	}
	return false;
}

/* The answer of the verb would be the same with it. */
static bool is_ignored(const struct wl_verb *v, enum wl_option_id option)
{
	const struct wl_analysis *a = v->analysis;

	if (a && option == WL_OPT_VERBOSE)
		return true;
	/* What the file holds has no window either. */
	if (a && option == WL_OPT_TIMEUNIT)
		return a->of_file && !has_times(a);
	if (a && a->whole_run &&
	    (option == WL_OPT_GPU || option == WL_OPT_PID || option == WL_OPT_RANK ||
	     option == WL_OPT_STREAM))
		return true;
	return strcmp(wl_options[option].group, "selection") == 0 &&
	       ((a && a->of_file) || (v->document && wl_document_is_of_file(v->document)));
}

bool wl_verb_takes(const struct wl_verb *verb, enum wl_option_id option)
{
	/* --trim is a window in other words. */
	if (option == WL_OPT_TRIM)
		option = WL_OPT_WINDOW;
	if (verb->command)
		return verb->command->common && !(verb->command->without >> option & 1);
	return !is_ignored(verb, option);
}

/* What is parsed, and the option that it is of. */
struct value {
	const char *text; /* NULL: not given */
	const struct wl_option *option;
	const struct wl_verb *verb;
	struct wl_err *reterr;
};

/* ---- A function per type ---- */

static int parse_flag(const struct value *v, bool *ret)
{
	*ret = v->text != NULL;
	return WL_OK;
}

static int parse_text(const struct value *v, const char **ret)
{
	*ret = v->text;
	return WL_OK;
}

static int parse_path(const struct value *v, const char **ret)
{
	*ret = v->text ? v->text : v->option->def;
	return WL_OK;
}

static int parse_dir(const struct value *v, const char **ret)
{
	if (v->text && !*v->text)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: give a directory",
			       v->option->long_name);
	return parse_text(v, ret);
}

/* nsys stats takes a list of formats, one for each report, and its users type one here, too. */
static int refuse_table(const struct value *v)
{
	char all[128];
	size_t n = 0;

	for (size_t i = 0; i < wl_n_formats && n < sizeof(all); i++)
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", i ? ", " : "",
				      wl_formats[i].name);
	if (strchr(v->text, ','))
		return wl_fail(v->reterr, WL_E_USAGE,
			       "--%s %.40s: one format at a time; warplens stats takes a list",
			       v->option->long_name, v->text);
	return wl_fail(v->reterr, WL_E_USAGE, "--%s %.40s: use %s", v->option->long_name, v->text,
		       all);
}

static int refuse_export(const struct value *v)
{
	char all[WL_EXPORT_LIST_BUF];

	return wl_fail(v->reterr, WL_E_USAGE, "--%s %.40s: %s writes %s; other verbs print tables",
		       v->option->long_name, v->text, wl_verb_name(v->verb),
		       wl_export_list_names(all, WL_EXPORT_ALL, ", ", ", "));
}

static int parse_format(const struct value *v, struct wl_format_value *ret)
{
	bool own = v->verb->command && v->verb->command->formats;

	if (!v->text || (v->verb->command && v->verb->command->in_lists))
		return WL_OK; /* the verb takes the list apart */
	if (own)
		ret->export = wl_export_find(v->text);
	else
		ret->table = wl_format_find(v->text);
	if (ret->export || ret->table)
		return WL_OK;
	return own ? refuse_export(v) : refuse_table(v);
}

static int parse_unit(const struct value *v, enum wl_timeunit *ret)
{
	struct wl_err why;

	if (v->text && wl_parse_timeunit(v->text, ret, &why) < 0)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: %s", v->option->long_name, why.msg);
	return WL_OK;
}

const char *const wl_color_names[] = { "auto", "always", "never", NULL };

static int parse_color(const struct value *v, enum wl_color_when *ret)
{
	*ret = WL_COLOR_AUTO;
	for (size_t i = 0; v->text && wl_color_names[i]; i++) {
		if (strcmp(wl_color_names[i], v->text) != 0)
			continue;
		*ret = (enum wl_color_when)i;
		return WL_OK;
	}
	return v->text ? wl_fail(v->reterr, WL_E_USAGE, "--%s %.40s: use auto, always or never",
				 v->option->long_name, v->text)
		       : WL_OK;
}

static int parse_rows(const struct value *v, size_t *ret)
{
	int64_t n = 0;

	if (v->text && (wl_parse_i64(v->text, &n, NULL) < 0 || n < 0))
		return wl_fail(v->reterr, WL_E_USAGE,
			       "-%c %.40s: not a number of rows (0 shows all)",
			       v->option->short_name, v->text);
	*ret = (size_t)n;
	return WL_OK;
}

static int parse_time(const struct value *v, int64_t *ret)
{
	struct wl_err why;

	if (wl_parse_ns(v->text ? v->text : v->option->def, ret, &why) < 0)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: %s", v->option->long_name, why.msg);
	if (*ret <= 0)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: must be above 0",
			       v->option->long_name);
	return WL_OK;
}

static int parse_bytes(const struct value *v, size_t *ret)
{
	struct wl_err why;
	int64_t bytes = 0;

	if (v->text && wl_parse_bytes(v->text, &bytes, &why) < 0)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: %s", v->option->long_name, why.msg);
	if (v->text && bytes < 1)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s: must be above 0",
			       v->option->long_name);
	*ret = (size_t)bytes;
	return WL_OK;
}

static int parse_reader(const struct value *v, const struct wl_reader_ops **ret)
{
	static const struct wl_reader_ops *const all[] = { &wl_reader_pages, &wl_reader_sqlite };

	for (size_t i = 0; v->text && i < WL_COUNT(all); i++) {
		if (strcmp(all[i]->name, v->text) == 0)
			*ret = all[i];
	}
	if (v->text && !*ret)
		return wl_fail(v->reterr, WL_E_USAGE, "--%s %.40s: use pages or sqlite",
			       v->option->long_name, v->text);
	return WL_OK;
}

static int parse_threads(const struct value *v, unsigned *ret)
{
	int64_t n = 0;

	if (v->text && (wl_parse_i64(v->text, &n, NULL) < 0 || n < 1 || n > WL_MAX_THREADS))
		return wl_fail(v->reterr, WL_E_USAGE,
			       "-%c %.40s: give a number of threads, 1 to %d",
			       v->option->short_name, v->text, WL_MAX_THREADS);
	*ret = (unsigned)n;
	return WL_OK;
}

/* ---- A function per option, which the compiler holds against the type of its member ---- */

#define WL_OPTION(ID, member, type, ...)                                                           \
	static int parse_opt_##member(const struct value *v, struct wl_values *ret)                \
	{                                                                                          \
		return parse_##type(v, &ret->member);                                              \
	}
#include "cli/line/options.def"
#undef WL_OPTION

int wl_values_parse(const char *const given[WL_N_OPTIONS], const struct wl_verb *verb,
		    struct wl_values *ret, struct wl_err *reterr)
{
	static int (*const parsers[WL_N_OPTIONS])(const struct value *, struct wl_values *) = {
#define WL_OPTION(ID, member, ...) [WL_OPT_##ID] = parse_opt_##member,
#include "cli/line/options.def"
#undef WL_OPTION
	};
	int r = WL_OK;

	*ret = (struct wl_values){ .output = NULL };
	for (size_t i = 0; r == WL_OK && i < WL_N_OPTIONS; i++)
		r = parsers[i](&(struct value){ given[i], &wl_options[i], verb, reterr }, ret);
	return r;
}

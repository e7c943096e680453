/* SPDX-License-Identifier: MIT */
#include "cli/commands/report/report_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/args.h"
#include "base/file/file.h"
#include "base/text/clean.h"
#include "cli/print.h"
#include "cli/status.h"

enum page { HTML, MD, JSON };

/* From how many columns on a table of Markdown shows only those that are not minor. */
enum { MANY = 11 };

/* A report being written, and the two directories that its files are in. */
struct writing {
	const struct wl_report_files *f;
	struct wl_dir root, tables;
};

/* The name of a file of the report. */
struct file_name {
	char s[64];
};

static struct file_name name_of(const char *name, const char *ending)
{
	struct file_name ret;

	(void)snprintf(ret.s, sizeof(ret.s), "%s%s", name, ending);
	return ret;
}

/* A trace is minutes of a cluster: a report must not replace it, however it is called. */
static int refuse_trace(const struct wl_report_files *f, const struct wl_dir *dir, const char *name,
			struct wl_err *reterr)
{
	struct stat in, out;

	if (stat(f->trace, &in) < 0 || fstatat(dir->fd, name, &out, AT_SYMLINK_NOFOLLOW) < 0 ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE, "%.200s/%s: this is the trace itself; give another -o",
		       dir->path, name);
}

static int write_file(const struct wl_report_files *f, const struct wl_dir *dir, const char *name,
		      const struct wl_format *format, const struct wl_document *doc,
		      struct wl_err *reterr)
{
	struct wl_file file = { .stream = NULL };
	int r = refuse_trace(f, dir, name, reterr);

	if (r == WL_OK)
		r = wl_file_begin_in(dir, name, &file, reterr);
	if (r < 0)
		return r;
	wl_file_keep_from_others(&file, &f->readers);
	format->render(doc, &f->opts, file.stream);
	return wl_file_commit(&file, reterr);
}

/* Leave out what a narrow terminal leaves out, too; false without memory. */
static bool narrow(struct wl_view *v, struct wl_arena *arena)
{
	uint16_t *cols = WL_NEW(arena, uint16_t, v->n_cols);
	size_t n = 0;

	for (size_t i = 0; cols && i < v->n_cols; i++) {
		if (!wl_view_is_minor(v, v->cols[i]))
			cols[n++] = v->cols[i];
	}
	v->cols = cols;
	v->n_cols = n;
	return cols != NULL;
}

/* The view of a section in one of the pages. */
static int make_view(const struct wl_report_files *f, enum page page,
		     const struct wl_section_info *info, struct wl_section *s,
		     struct wl_err *reterr)
{
	/* Programs get all rows, in the order of the table. */
	const struct wl_view_opts opts = { .limit = page == JSON ? 0 : f->top,
					   .sort = page == JSON ? NULL : info->sort,
					   .columns = page == MD ? info->columns : NULL };
	int r = wl_view_make(s->view.table, &opts, f->arena, &s->view, reterr);

	/* A table of Markdown does not scroll. */
	if (r == WL_OK && page == MD && !info->columns && s->view.n_cols >= MANY &&
	    !narrow(&s->view, f->arena))
		r = wl_fail(reterr, WL_E_NOMEM, "report: no memory for its sections");
	return r;
}

/* The sections that are shown, as the page shows them. */
static int show(const struct wl_report_files *f, enum page page, struct wl_document *ret,
		struct wl_err *reterr)
{
	struct wl_section *sections = WL_NEW(f->arena, struct wl_section, f->info->n_sections);
	const char *title;
	char file[WL_PATH_CAP];
	size_t n = 0;

	(void)snprintf(file, sizeof(file), "Report of %s", wl_path_name(f->trace));
	title = f->title ? f->title : wl_arena_strdup(f->arena, file);
	if (!sections || !title)
		return wl_fail(reterr, WL_E_NOMEM, "report: no memory for its sections");
	for (size_t i = 0; i < f->info->n_sections; i++) {
		const struct wl_section_info *info = &f->info->sections[i];
		struct wl_section *s = &sections[n];
		int r = WL_OK;

		if (info->only_file || (info->only_data && f->doc->sections[i].missing))
			continue;
		*s = f->doc->sections[i];
		if (info->file && !f->format) {
			(void)snprintf(file, sizeof(file), "tables/%s.csv", info->file);
			s->file = wl_arena_strdup(f->arena, file);
			if (!s->file)
				return wl_fail(reterr, WL_E_NOMEM,
					       "report: no memory for its sections");
		}
		if (!s->missing)
			r = make_view(f, page, info, s, reterr);
		if (r < 0)
			return r;
		n++;
	}
	*ret = *f->doc;
	ret->title = title;
	ret->has_front = page == HTML;
	ret->data = f->format ? NULL : "report.json";
	ret->sections = sections;
	ret->n_sections = n;
	return WL_OK;
}

static const char *const formats[] = { [HTML] = "html", [MD] = "md", [JSON] = "json" };

bool wl_report_is_page(const struct wl_format *format)
{
	bool is_one = false;

	for (size_t i = 0; format && i < WL_COUNT(formats); i++)
		is_one = is_one || strcmp(format->name, formats[i]) == 0;
	return is_one;
}

static int write_page(const struct wl_report_files *f, struct wl_err *reterr)
{
	struct wl_document doc;
	enum page page = HTML;
	int r;

	while (strcmp(formats[page], f->format->name) != 0)
		page++;
	r = show(f, page, &doc, reterr);
	if (r == WL_OK)
		r = wl_print_file(f->dir, &f->readers, f->format, &doc, &f->opts, reterr);
	if (r == WL_OK && !f->is_quiet) {
		(void)fputs("wrote ", stdout);
		wl_put_clean(stdout, f->dir);
		(void)putchar('\n');
	}
	return r;
}

static int write_pages(const struct writing *w, struct wl_err *reterr)
{
	struct wl_document doc;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(formats); i++) {
		const struct wl_format *format = wl_format_find(formats[i]);

		r = show(w->f, (enum page)i, &doc, reterr);
		if (r == WL_OK)
			r = write_file(w->f, &w->root, name_of("report", format->ending).s, format,
				       &doc, reterr);
	}
	return r;
}

/* A table without data has its head all the same, so that scripts find every file. */
static int empty_table(const struct wl_report_files *f, const struct wl_section_info *info,
		       struct wl_section *ret, struct wl_err *reterr)
{
	const struct wl_analysis *a = wl_analysis_get(info->analysis);
	const struct wl_view_opts opts = { .limit = 0 };
	struct wl_table *table = WL_NEW(f->arena, struct wl_table, 1);
	struct wl_args args;
	int r = wl_args_init(&args, a, info->args, info->docs, reterr);

	if (!table)
		r = wl_fail(reterr, WL_E_NOMEM, "report: no memory for the table %s", info->file);
	if (r == WL_OK) {
		wl_analysis_table(a, args.value, f->arena, table);
		*ret = (struct wl_section){ .analysis = a->name };
		r = wl_view_make(table, &opts, f->arena, &ret->view, reterr);
	}
	wl_args_release(&args);
	return r;
}

static int write_table(const struct writing *w, size_t i, struct wl_err *reterr)
{
	const struct wl_section_info *info = &w->f->info->sections[i];
	struct wl_section section = w->f->doc->sections[i];
	struct wl_document doc = *w->f->doc;
	int r = WL_OK;

	if (section.missing)
		r = empty_table(w->f, info, &section, reterr);
	doc.sections = &section;
	doc.n_sections = 1;
	doc.single = true;
	return r < 0 ? r
		     : write_file(w->f, &w->tables, name_of(info->file, ".csv").s,
				  wl_format_find("csv"), &doc, reterr);
}

static bool is_written(const struct wl_report_files *f, size_t i)
{
	const struct wl_section_info *info = &f->info->sections[i];

	return info->file && !(info->only_data && f->doc->sections[i].missing);
}

static int write_tables(const struct writing *w, const atomic_int *cancel, size_t *ret_n,
			struct wl_err *reterr)
{
	const struct wl_document_info *info = w->f->info;
	int r = WL_OK;

	*ret_n = 0;
	for (size_t i = 0; r == WL_OK && i < info->n_sections && !*cancel; i++) {
		if (!is_written(w->f, i))
			continue;
		r = write_table(w, i, reterr);
		(*ret_n)++;
	}
	return r;
}

/* What an earlier report of the directory had and this one has not would be taken for of this. */
static int remove_tables(const struct writing *w, struct wl_err *reterr)
{
	const struct wl_document_info *all = &wl_report_document, *info = w->f->info;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < all->n_sections; i++) {
		bool has = !all->sections[i].file;
		struct file_name name;

		for (size_t k = 0; !has && k < info->n_sections; k++)
			has = is_written(w->f, k) &&
			      strcmp(info->sections[k].file, all->sections[i].file) == 0;
		if (has)
			continue;
		name = name_of(all->sections[i].file, ".csv");
		r = refuse_trace(w->f, &w->tables, name.s, reterr);
		if (r == WL_OK)
			(void)unlinkat(w->tables.fd, name.s, 0);
	}
	return r;
}

static void print_wrote(const struct wl_report_files *f, size_t n_tables)
{
	if (f->is_quiet)
		return;
	(void)fputs("wrote report.html, report.md, report.json and ", stdout);
	(void)printf("%zu tables to ", n_tables);
	wl_put_clean(stdout, f->dir);
	(void)putchar('\n');
}

/* Signals are caught, so that no unfinished file stays behind. */
static int write_all(const struct wl_report_files *f, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	struct writing w = { .f = f };
	size_t n = 0;
	/*
	 * Files are opened relative to their directory, and never through a link: their names are
	 * the program's own.
	 */
	int r = wl_dir_open(f->dir, &w.root, reterr);

	if (r == WL_OK)
		r = wl_dir_open_in(&w.root, "tables", &w.tables, reterr);
	if (r == WL_OK)
		r = write_tables(&w, cancel, &n, reterr);
	if (r == WL_OK)
		r = remove_tables(&w, reterr);
	/* Pages lead to the tables, so they are written when these are there. */
	if (r == WL_OK && !*cancel)
		r = write_pages(&w, reterr);
	wl_dir_close(&w.tables);
	wl_dir_close(&w.root);
	wl_signals_release();
	if (r == WL_OK && *cancel)
		return wl_fail(reterr, WL_E_CANCELED, "report: stopped");
	if (r == WL_OK)
		print_wrote(f, n);
	return r;
}

int wl_report_write(const struct wl_report_files *f, struct wl_err *reterr)
{
	return f->format ? write_page(f, reterr) : write_all(f, reterr);
}

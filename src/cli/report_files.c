#include "cli/report_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/args.h"
#include "base/file.h"
#include "cli/status.h"
#include "cli/wrap.h"

enum page { HTML, MD, JSON };

/* From how many columns on a table of Markdown shows only those that are not minor. */
enum { MANY = 11 };

/* The path of a file of the report, or its folder when name is empty. */
static int path_of(const struct wl_report_files *f, const char *folder, const char *name,
		   const char *ending, char ret[WL_PATH_CAP], struct wl_err *reterr)
{
	if (snprintf(ret, WL_PATH_CAP, "%s/%s%s%s", f->dir, folder, name, ending) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", f->dir);
	return WL_OK;
}

/* A trace is minutes of a cluster: a report must not replace it, however it is called. */
static int refuse_trace(const struct wl_report_files *f, const char *path, struct wl_err *reterr)
{
	struct stat in, out;

	if (stat(f->trace, &in) < 0 || stat(path, &out) < 0 || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return WL_OK;
	return wl_fail(reterr, WL_E_USAGE, "%.200s: this is the trace itself; give another -o",
		       path);
}

static int write_file(const struct wl_report_files *f, const char *path,
		      const struct wl_format *format, const struct wl_document *doc,
		      struct wl_err *reterr)
{
	struct wl_file file = { .stream = NULL };
	int r = refuse_trace(f, path, reterr);

	if (r == WL_OK)
		r = wl_file_begin(path, &file, reterr);
	if (r < 0)
		return r;
	format->render(doc, &f->opts, file.stream);
	return wl_file_commit(&file, reterr);
}

/* Leave out what a narrow terminal leaves out, too; false without memory. */
static bool narrow(struct wl_view *v, struct wl_arena *arena)
{
	uint16_t *cols = WL_NEW(arena, uint16_t, v->n_cols);
	size_t n = 0;

	for (size_t i = 0; cols && i < v->n_cols; i++) {
		if (!(v->table->cols[v->cols[i]].flags & WL_MINOR))
			cols[n++] = v->cols[i];
	}
	v->cols = cols;
	v->n_cols = n;
	return cols != NULL;
}

/* The view of a section in one of the pages. */
static int make_view(const struct wl_report_files *f, enum page page, struct wl_section *s,
		     struct wl_err *reterr)
{
	const struct wl_view_opts opts = { .limit = page == JSON ? 0 : f->top };
	int r = wl_view_make(s->view.table, &opts, f->arena, &s->view, reterr);

	/* A table of Markdown does not scroll. */
	if (r == WL_OK && page == MD && s->view.n_cols >= MANY && !narrow(&s->view, f->arena))
		r = wl_fail(reterr, WL_E_NOMEM, "report: no memory for its sections");
	return r;
}

/* The sections that are shown, as the page shows them. */
static int show(const struct wl_report_files *f, enum page page, struct wl_document *ret,
		struct wl_err *reterr)
{
	struct wl_section *sections = WL_NEW(f->arena, struct wl_section, f->info->n_sections);
	char file[WL_PATH_CAP];
	size_t n = 0;

	if (!sections)
		return wl_fail(reterr, WL_E_NOMEM, "report: no memory for its sections");
	for (size_t i = 0; i < f->info->n_sections; i++) {
		const struct wl_section_info *info = &f->info->sections[i];
		struct wl_section *s = &sections[n];
		int r = WL_OK;

		if (info->only_file)
			continue;
		*s = f->doc->sections[i];
		if (info->file) {
			(void)snprintf(file, sizeof(file), "tables/%s.csv", info->file);
			s->file = wl_arena_strdup(f->arena, file);
		}
		if (info->file && !s->file)
			return wl_fail(reterr, WL_E_NOMEM, "report: no memory for its sections");
		if (!s->missing)
			r = make_view(f, page, s, reterr);
		if (r < 0)
			return r;
		n++;
	}
	*ret = *f->doc;
	ret->title = f->title;
	ret->data = "report.json";
	ret->sections = sections;
	ret->n_sections = n;
	return WL_OK;
}

static int write_pages(const struct wl_report_files *f, struct wl_err *reterr)
{
	static const char *const formats[] = { [HTML] = "html", [MD] = "md", [JSON] = "json" };
	struct wl_document doc;
	char path[WL_PATH_CAP];
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(formats); i++) {
		const struct wl_format *format = wl_format_find(formats[i]);

		r = show(f, (enum page)i, &doc, reterr);
		if (r == WL_OK)
			r = path_of(f, "", "report", format->ending, path, reterr);
		if (r == WL_OK)
			r = write_file(f, path, format, &doc, reterr);
	}
	return r;
}

/* A table without data has its head all the same: who reads them finds all. */
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

static int write_table(const struct wl_report_files *f, size_t i, const char *path,
		       struct wl_err *reterr)
{
	struct wl_section section = f->doc->sections[i];
	struct wl_document doc = *f->doc;
	int r = WL_OK;

	if (section.missing)
		r = empty_table(f, &f->info->sections[i], &section, reterr);
	doc.sections = &section;
	doc.n_sections = 1;
	doc.single = true;
	return r < 0 ? r : write_file(f, path, wl_format_find("csv"), &doc, reterr);
}

static int write_tables(const struct wl_report_files *f, const atomic_int *cancel, size_t *ret_n,
			struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	int r = WL_OK;

	*ret_n = 0;
	for (size_t i = 0; r == WL_OK && i < f->info->n_sections && !*cancel; i++) {
		const struct wl_section_info *info = &f->info->sections[i];

		if (!info->file)
			continue;
		r = path_of(f, "tables/", info->file, ".csv", path, reterr);
		if (r == WL_OK)
			r = write_table(f, i, path, reterr);
		(*ret_n)++;
	}
	return r;
}

/* What an earlier report of the directory had and this one has not would be taken for of this. */
static int remove_tables(const struct wl_report_files *f, struct wl_err *reterr)
{
	const struct wl_document_info *all = &wl_report_document;
	char path[WL_PATH_CAP];
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < all->n_sections; i++) {
		bool has = !all->sections[i].file;

		for (size_t k = 0; !has && k < f->info->n_sections; k++)
			has = f->info->sections[k].file &&
			      strcmp(f->info->sections[k].file, all->sections[i].file) == 0;
		if (has)
			continue;
		r = path_of(f, "tables/", all->sections[i].file, ".csv", path, reterr);
		if (r == WL_OK)
			r = refuse_trace(f, path, reterr);
		if (r == WL_OK)
			(void)unlink(path);
	}
	return r;
}

static void tell(const struct wl_report_files *f, size_t n_tables)
{
	(void)fputs("wrote report.html, report.md, report.json and ", stdout);
	(void)printf("%zu tables to ", n_tables);
	wl_put_clean(stdout, f->dir);
	(void)putchar('\n');
}

/* Signals are caught, so that no unfinished file stays behind. */
int wl_report_write(const struct wl_report_files *f, struct wl_err *reterr)
{
	const atomic_int *cancel = wl_signals_catch();
	char tables[WL_PATH_CAP];
	size_t n = 0;
	int r = wl_dir_make(f->dir, reterr);

	if (r == WL_OK)
		r = path_of(f, "tables", "", "", tables, reterr);
	if (r == WL_OK)
		r = wl_dir_make(tables, reterr);
	if (r == WL_OK)
		r = write_tables(f, cancel, &n, reterr);
	if (r == WL_OK)
		r = remove_tables(f, reterr);
	if (r == WL_OK && !*cancel)
		r = write_pages(f, reterr);
	wl_signals_release();
	if (r == WL_OK && *cancel)
		return wl_fail(reterr, WL_E_CANCELED, "report: stopped");
	if (r == WL_OK)
		tell(f, n);
	return r;
}

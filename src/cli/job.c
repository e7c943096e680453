/* SPDX-License-Identifier: MIT */
#include "cli/job.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/nsys.h"
#include "capture/report.h"
#include "facts/gather.h"
#include "session/job/job_files.h"

bool wl_job_is_meant(const struct wl_invocation *inv, const char *path)
{
	return (inv->n_job && path == inv->operand[inv->job_at]) || wl_is_job(path);
}

/* A job whose directory is made. */
struct gathering {
	const struct wl_job_room *room;
	const struct wl_invocation *inv;
	bool is_listed;   /* the files of a directory, else files from anywhere */
	bool keeps_names; /* which differ */
	bool is_of_facts; /* all of them */
	size_t n;
	struct wl_err *reterr;
};

/* A report whose export lies beside it is read from there. nsys stats leaves its export there. */
static bool is_exported(const char *dir, const char *name)
{
	char path[WL_PATH_CAP];
	int n = snprintf(path, sizeof(path), "%s/%.*s.sqlite", dir, (int)wl_report_stem(name),
			 name);

	return n > 0 && n < (int)sizeof(path) && access(path, F_OK) == 0;
}

static int too_long(const struct gathering *g, const char *path)
{
	return wl_fail(g->reterr, WL_E_IO, "%.100s...: the path is too long", path);
}

/* The length of a name without its ending. */
static size_t stem_of(const char *name)
{
	size_t stem = wl_report_stem(name);

	if (wl_path_ends_in(name, ".sqlite"))
		stem = strlen(name) - strlen(".sqlite");
	else if (wl_path_ends_in(name, WL_FACTS_SUFFIX))
		stem = strlen(name) - strlen(WL_FACTS_SUFFIX);
	return stem ? stem : strlen(name);
}

static int by_stem(const void *va, const void *vb)
{
	const char *a = *(const char *const *)va, *b = *(const char *const *)vb;
	size_t n_a = stem_of(a), n_b = stem_of(b);
	int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return order ? order : (n_a > n_b) - (n_a < n_b);
}

/*
 * Whether no two files from anywhere would have one name in one directory; no without memory. By
 * their stems: x.sqlite and x.nsys-rep of two directories would both become x.sqlite.
 */
static bool names_differ(const char *const *file, size_t n)
{
	const char **name = calloc(n, sizeof(*name));
	bool differ = name != NULL;

	for (size_t i = 0; name && i < n; i++)
		name[i] = wl_path_name(file[i]);
	if (name)
		qsort(name, n, sizeof(*name), by_stem);
	for (size_t i = 1; differ && i < n; i++)
		differ = by_stem(&name[i - 1], &name[i]) != 0;
	free(name);
	return differ;
}

/*
 * Where the database of the i-th file goes: names that do not differ are numbered. The session
 * orders files by name, and so by number: five digits are enough for WL_MAX_JOB.
 */
static bool name_target(const char *dir, const char *file, bool keeps_names, size_t i,
			const char *suffix, char target[WL_PATH_CAP])
{
	const char *name = wl_path_name(file);
	char number[24] = "";
	int n;

	if (!keeps_names)
		(void)snprintf(number, sizeof(number), "%05zu-", i);
	n = snprintf(target, WL_PATH_CAP, "%s/%s%.*s%s", dir, number, (int)stem_of(name), name,
		     suffix);
	return n > 0 && n < WL_PATH_CAP;
}

static int make_target(const struct gathering *g, const char *file, char target[WL_PATH_CAP])
{
	return name_target(g->room->dir->path, file, g->keeps_names, g->n,
			   g->is_of_facts ? WL_FACTS_SUFFIX : ".sqlite", target)
		       ? WL_OK
		       : too_long(g, file);
}

bool wl_job_find_export(const struct wl_invocation *inv, const char *path,
			char ret_database[WL_PATH_CAP])
{
	const char *const *file = inv->operand + inv->job_at;
	size_t i = 0;

	while (i < inv->n_separated && file[i] != path)
		i++;
	return inv->exports && i < inv->n_separated &&
	       name_target(inv->exports, path, names_differ(file, inv->n_separated), i, ".sqlite",
			   ret_database) &&
	       access(ret_database, F_OK) == 0;
}

static int link_database(const struct gathering *g, const char *file, const char *target)
{
	/* A relative path would be looked up from the directory of the link. */
	char *real = realpath(file, NULL);
	int r = WL_OK;

	if (!real || symlink(real, target) < 0)
		r = wl_fail(g->reterr, WL_E_IO, "cannot open %.300s: %s", file, strerror(errno));
	free(real);
	return r;
}

static int export_report(const struct gathering *g, const char *file,
			 const struct wl_report *report, const char *target)
{
	const struct wl_nsys_export e = { .nsys = g->inv->opt.nsys,
					  .report = file,
					  .dir = g->room->dir->path,
					  .limit_ns = g->inv->opt.nsys_timeout,
					  .cancel = g->room->cancel,
					  .tick = wl_progress_export,
					  .ctx = g->room->progress };
	char made[WL_PATH_CAP];
	int r = wl_nsys_export(&e, report, made, g->reterr);

	return r < 0 ? r : wl_file_move(made, target, g->reterr);
}

static int gather(struct gathering *g, const char *file)
{
	char target[WL_PATH_CAP];
	struct wl_report report = { .kind = WL_REPORT_SQLITE };
	int r = g->is_of_facts ? WL_OK : wl_report_identify(file, &report, g->reterr);

	if (r == WL_OK)
		r = make_target(g, file, target);
	if (r < 0)
		return r;
	g->n++;
	if (report.kind == WL_REPORT_SQLITE)
		return link_database(g, file, target);
	if (report.kind != WL_REPORT_NSYS)
		return wl_report_refuse(file, &report, g->reterr);
	return export_report(g, file, &report, target);
}

/* Facts say what they are, whatever their names; those of ranks and traces of others are no job. */
static int see_facts(struct gathering *g)
{
	const char *facts = NULL, *other = NULL;

	for (size_t i = 0; i < g->inv->n_job; i++) {
		if (wl_facts_are_at(g->inv->job[i]))
			facts = g->inv->job[i];
		else
			other = g->inv->job[i];
	}
	g->is_of_facts = facts && !other;
	return facts && other ? wl_fail(g->reterr, WL_E_USAGE,
					"--job: %.150s has facts and %.150s has none: give the "
					"facts of all ranks, or the traces of all",
					facts, other)
			      : WL_OK;
}

static int gather_given(struct gathering *g)
{
	int r = see_facts(g);

	for (size_t i = 0; r == WL_OK && i < g->inv->n_job; i++)
		r = gather(g, g->inv->job[i]);
	return r;
}

/* Call for each database and report of a directory; nothing for reports that are exported. */
static int gather_listed(struct gathering *g, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int r = WL_OK;

	if (!d)
		return wl_fail(g->reterr, WL_E_IO, "cannot open %.300s: %s", dir, strerror(errno));
	while (r == WL_OK && (entry = readdir(d)) != NULL) {
		const char *name = entry->d_name;
		bool is_report = wl_report_stem(name) && !is_exported(dir, name);
		char path[WL_PATH_CAP];
		int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

		if (name[0] == '.' || (!is_report && !wl_path_ends_in(name, ".sqlite")))
			continue;
		r = n < (int)sizeof(path) ? gather(g, path) : too_long(g, dir);
	}
	(void)closedir(d);
	return r;
}

static bool has_reports(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool found = false;

	while (d && !found && (entry = readdir(d)) != NULL)
		found = entry->d_name[0] != '.' && wl_report_stem(entry->d_name) &&
			!is_exported(dir, entry->d_name);
	if (d)
		(void)closedir(d);
	return found;
}

int wl_job_export(const char *path, const struct wl_invocation *inv, const struct wl_job_room *room,
		  char ret_database[WL_PATH_CAP], struct wl_err *reterr)
{
	struct gathering g = { .room = room,
			       .inv = inv,
			       .is_listed = inv->n_job <= 1 && wl_is_job(path),
			       .reterr = reterr };
	int r;

	/*
	 * Answers show ranks by these names where a capture names none: "00000-rank0.sqlite" is not
	 * what the user gave.
	 */
	g.keeps_names = g.is_listed || names_differ(inv->job, inv->n_job);
	if (inv->opt.keep_export)
		return wl_fail(reterr, WL_E_USAGE, "--keep-export: give one report, not a job");
	if (g.is_listed && !has_reports(path)) {
		if (strlen(path) >= WL_PATH_CAP)
			return too_long(&g, path);
		memcpy(ret_database, path, strlen(path) + 1);
		return WL_OK;
	}
	r = wl_tmpdir_open(getenv("TMPDIR"), room->dir, reterr);
	if (r == WL_OK)
		r = g.is_listed ? gather_listed(&g, path) : gather_given(&g);
	if (r == WL_OK)
		memcpy(ret_database, room->dir->path, WL_PATH_CAP);
	wl_progress_end(room->progress);
	return r;
}

struct wl_scene_files wl_job_files(const struct wl_invocation *inv, size_t operand)
{
	if (inv->n_job < 2 || operand != inv->job_at)
		return (struct wl_scene_files){ .n = 0 };
	return (struct wl_scene_files){ .path = inv->job, .n = inv->n_job };
}

/* What a directory is opened by: by facts before traces. */
static bool is_opened(const char *dir, const char *name, bool is_of_facts)
{
	if (name[0] == '.')
		return false;
	return is_of_facts ? wl_path_ends_in(name, WL_FACTS_SUFFIX)
			   : wl_path_ends_in(name, ".sqlite") ||
				     (wl_report_stem(name) && !is_exported(dir, name));
}

static size_t count_opened(const char *dir, bool is_of_facts)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)) != NULL)
		n += is_opened(dir, entry->d_name, is_of_facts);
	if (d)
		(void)closedir(d);
	return n;
}

/* All are in it, none is there twice, and it has no others. */
static bool stands_for(const char *dir, const struct wl_invocation *inv)
{
	const char *first = inv->job[0];
	size_t at = (size_t)(wl_path_name(first) - first);
	bool is_of_facts = wl_path_ends_in(first, WL_FACTS_SUFFIX);

	for (size_t i = 0; i < inv->n_job; i++) {
		const char *name = wl_path_name(inv->job[i]);

		if ((size_t)(name - inv->job[i]) != at || strncmp(inv->job[i], first, at) != 0 ||
		    !is_opened(dir, name, is_of_facts))
			return false;
	}
	return wl_facts_are_at(dir) == is_of_facts && names_differ(inv->job, inv->n_job) &&
	       count_opened(dir, is_of_facts) == inv->n_job;
}

char *wl_job_directory(const struct wl_invocation *inv)
{
	const char *first = inv->n_job > 1 ? inv->job[0] : "";
	size_t at = (size_t)(wl_path_name(first) - first), n = at > 1 ? at - 1 : at;
	char *dir = inv->n_job < 2 ? NULL : n ? strndup(first, n) : strdup(".");

	if (dir && stands_for(dir, inv))
		return dir;
	free(dir);
	return NULL;
}

void wl_job_label(const struct wl_invocation *inv, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%.200s and %zu more file%s", inv->job[0], inv->n_job - 1,
		       inv->n_job == 2 ? "" : "s");
}

int wl_job_refuse(const struct wl_err *why, bool may_be_one, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOJOB,
		       "%.380s;%s \"warplens summary FILES\" puts them side by side", why->msg,
		       may_be_one ? " --job opens them as one job," : "");
}

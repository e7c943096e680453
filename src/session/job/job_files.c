/* SPDX-License-Identifier: MIT */
#include "session/job/job_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file/file.h"
#include "base/memory/compare.h"
#include "known/exports/formats.h"
#include "known/ranks.h"
#include "model/command.h"
#include "model/merge.h"
#include "model/ranks.h"

bool wl_is_job(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- Which they are ---- */

/* Numbers by value, everything else by byte. */
static int natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t n_a, n_b;
			int order;

			a += strspn(a, "0");
			b += strspn(b, "0");
			n_a = strspn(a, "0123456789");
			n_b = strspn(b, "0123456789");
			if (n_a != n_b)
				return n_a < n_b ? -1 : 1;
			order = strncmp(a, b, n_a);
			if (order != 0)
				return order;
			a += n_a;
			b += n_b;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static int by_name(const void *va, const void *vb)
{
	const struct wl_job_file *a = va, *b = vb;
	int order = natural(wl_path_name(a->path), wl_path_name(b->path));

	return order != 0 ? order : strcmp(a->path, b->path);
}

static int no_memory(const char *dir, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to list its files", dir);
}

static int add_file(const char *dir, const char *name, struct wl_job_files *ret,
		    struct wl_err *reterr)
{
	struct wl_job_file *more;
	struct stat st;
	char path[WL_PATH_CAP];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || n >= (int)sizeof(path))
		return wl_fail(reterr, WL_E_IO, "%.100s...: the path is too long", dir);
	if (ret->n == WL_MAX_FILES)
		return wl_fail(reterr, WL_E_USAGE, "%.200s: more than %d files; a job has fewer",
			       dir, WL_MAX_FILES);
	more = realloc(ret->file, (ret->n + 1) * sizeof(*more));
	if (!more)
		return no_memory(dir, reterr);
	ret->file = more;
	more[ret->n] = (struct wl_job_file){ .path = realpath(path, NULL), .mpi_rank = -1 };
	if (!more[ret->n].path || stat(path, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "cannot open %.300s: %s", path, strerror(errno));
	more[ret->n++].size = st.st_size;
	return WL_OK;
}

/* Links to one file are one file. They stand beside each other: they have one name. */
static void leave_out_twins(struct wl_job_files *files)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (n > 0 && strcmp(files->file[i].path, files->file[n - 1].path) == 0) {
			free(files->file[i].path);
			continue;
		}
		files->file[n] = files->file[i];
		files->file[n].listed = n;
		n++;
	}
	files->n = n;
}

int wl_job_files_list(const char *dir, struct wl_job_files *ret, struct wl_err *reterr)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	const char *format = NULL; /* of an export as files of another kind */
	int r = WL_OK;

	*ret = (struct wl_job_files){ .n = 0 };
	if (!d)
		return wl_fail(reterr, WL_E_IO, "cannot open %.300s: %s", dir, strerror(errno));
	while (r == WL_OK && (entry = readdir(d)) != NULL) {
		if (wl_path_ends_in(entry->d_name, ".sqlite") && entry->d_name[0] != '.')
			r = add_file(dir, entry->d_name, ret, reterr);
		else if (!format)
			format = wl_format_of_name(entry->d_name);
	}
	(void)closedir(d);
	if (r == WL_OK && ret->n == 0)
		r = format ? wl_format_refuse(dir, format, reterr)
			   : wl_fail(reterr, WL_E_USAGE,
				     "%.200s: the directory has no .sqlite, .nsys-rep or .qdrep files",
				     dir);
	if (r == WL_OK)
		qsort(ret->file, ret->n, sizeof(*ret->file), by_name);
	leave_out_twins(ret);
	return r;
}

int wl_job_files_name(const char *dir, const char *const *name, size_t n, struct wl_job_files *ret,
		      struct wl_err *reterr)
{
	int r = WL_OK;

	*ret = (struct wl_job_files){ .n = 0 };
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		r = add_file(dir, name[i], ret, reterr);
		if (r == WL_OK)
			ret->file[i].listed = i;
	}
	return r;
}

void wl_job_files_release(struct wl_job_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->file[i].path);
	free(files->file);
	*files = (struct wl_job_files){ .n = 0 };
}

/* ---- What each says of itself ---- */

static void see_host(struct wl_job_file *f, const struct wl_trace *t)
{
	const char *name = wl_trace_meta(t, "DEVICE_DISPLAY_NAME");

	f->host[0] = '\0';
	if (t->host != WL_NONE)
		(void)snprintf(f->host, sizeof(f->host), "%s", wl_str(t, t->host));
	else if (!wl_trace_variable(t, "SLURMD_NODENAME", f->host, sizeof(f->host)) && name)
		(void)snprintf(f->host, sizeof(f->host), "%s", name);
}

/* Variables that two processes of one job share, and processes of two jobs do not. */
static void see_job(struct wl_job_file *f, const struct wl_trace *t)
{
	static const char *const names[] = { "SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID",
					     "LSB_JOBID" };
	char value[WL_JOB_TEXT / 2], port[16];

	f->job[0] = '\0';
	for (size_t i = 0; i < WL_COUNT(names) && !f->job[0]; i++) {
		if (wl_trace_variable(t, names[i], value, sizeof(value)))
			(void)snprintf(f->job, sizeof(f->job), "%s %s",
				       i == 1 ? names[0] : names[i], value);
	}
	if (!f->job[0] && wl_trace_variable(t, "MASTER_ADDR", value, sizeof(value)) &&
	    wl_trace_variable(t, "MASTER_PORT", port, sizeof(port)))
		(void)snprintf(f->job, sizeof(f->job), "MASTER_ADDR %s:%s", value, port);
}

/* The rank in a file's name: after "rank", else its last number; -1 without numbers. */
static int64_t rank_in_name(const char *path)
{
	const char *name = wl_path_name(path), *last = NULL;
	int64_t rank = wl_rank_find(name, WL_RANK_IN_FILE_NAME, NULL);
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < n; i++) {
		if (isdigit((unsigned char)name[i]) &&
		    (i == 0 || !isdigit((unsigned char)name[i - 1])))
			last = name + i;
	}
	if (rank >= 0 || !last || strspn(last, "0123456789") > 9)
		return rank;
	return strtoll(last, NULL, 10);
}

void wl_job_file_see(struct wl_job_file *f, const struct wl_trace *t)
{
	f->file = (struct wl_build_file){
		.clock = { .utc = t->utc_start, .session = t->session, .duration = t->duration }
	};
	for (size_t s = 0; s < WL_N_RANK_SOURCES; s++)
		f->file.rank[s] = -1;
	for (size_t i = 0; i < t->n_meta; i++)
		wl_ranks_see(wl_str(t, t->meta[i].name), wl_str(t, t->meta[i].value), f->file.rank);
	f->file.rank[WL_RANK_FILE] = rank_in_name(f->path);
	f->mpi_rank = -1;
	for (size_t i = 0; i < t->n_mpi_ranks; i++) {
		int64_t rank = t->mpi_ranks[i].rank;

		if (f->mpi_rank < 0 || rank < f->mpi_rank)
			f->mpi_rank = rank;
	}
	see_host(f, t);
	see_job(f, t);
	f->world = wl_trace_world(t);
}

/* ---- One job or several ---- */

/* A stretch of text for the message of a refusal. */
struct saying {
	char text[400];
	size_t used;
};

static void say(struct saying *s, const char *text)
{
	if (s->used < sizeof(s->text))
		s->used +=
			(size_t)snprintf(s->text + s->used, sizeof(s->text) - s->used, "%s", text);
}

/* "report1.sqlite, report2.sqlite and 6 more" */
static void say_files(struct saying *s, const struct wl_job_files *files, const size_t *group,
		      size_t which)
{
	char more[48];
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (group[i] != which || n++ >= 2)
			continue;
		say(s, n > 1 ? ", " : "");
		say(s, wl_path_name(files->file[i].path));
	}
	if (n > 2) {
		(void)snprintf(more, sizeof(more), " and %zu more", n - 2);
		say(s, more);
	}
}

/* "SLURM_JOB_ID 165592", or when it was recorded. */
static void say_job(struct saying *s, const struct wl_job_file *f)
{
	time_t seconds = (time_t)(f->file.clock.utc / 1000000000);
	char date[64];
	struct tm tm;

	if (f->job[0])
		say(s, f->job);
	else if (f->file.clock.utc > 0 && gmtime_r(&seconds, &tm) &&
		 strftime(date, sizeof(date), "recorded %Y-%m-%d %H:%M:%S UTC", &tm) > 0)
		say(s, date);
	else
		say(s, "no job id");
}

static int refuse(const struct wl_job_files *files, const size_t *group, struct wl_err *reterr)
{
	struct saying s = { .used = 0 };
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (group[i] != n)
			continue;
		say(&s, n ? "; " : "");
		say_job(&s, &files->file[i]);
		say(&s, " (");
		say_files(&s, files, group, n);
		say(&s, ")");
		n++;
	}
	return wl_fail(reterr, WL_E_USAGE,
		       "these files are of %zu jobs: %.350s; give the files of one with --job, or "
		       "a directory of them",
		       n, s.text);
}

/*
 * Group 0, 1, ... of each file, by the job it names; the number of groups. A file that names none
 * is of the group of the file before.
 */
static size_t group_by_name(const struct wl_job_files *files, size_t *group)
{
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		const char *job = files->file[i].job;
		size_t k = i;

		/* The file before is of the same job as a rule. */
		while (k > 0 && *job && strcmp(files->file[k - 1].job, job) != 0)
			k--;
		if (k > 0)
			group[i] = group[k - 1];
		else
			group[i] = *job ? n++ : 0;
	}
	return n;
}

/* Number the groups in the order of their first files. room: a number for each. */
static void renumber(size_t *group, size_t n_files, size_t *room)
{
	size_t next = 0;

	for (size_t i = 0; i < n_files; i++)
		room[i] = SIZE_MAX;
	for (size_t i = 0; i < n_files; i++) {
		if (room[group[i]] == SIZE_MAX)
			room[group[i]] = next++;
		group[i] = room[group[i]];
	}
}

struct span {
	int64_t begin, end;
	size_t file;
};

WL_COMPARE_BY(by_begin, span, begin)

/* The same by time: captures of one job overlap. Those that do not say when they were are of all.
 */
static size_t group_by_time(const struct wl_job_files *files, size_t *group, struct span *span)
{
	size_t n = 0, n_groups = 1;
	int64_t end = 0;

	for (size_t i = 0; i < files->n; i++) {
		const struct wl_trace_file *c = &files->file[i].file.clock;

		group[i] = 0;
		if (c->utc > 0 && c->utc < WL_TIME_MAX && c->duration != WL_NO_TIME)
			span[n++] = (struct span){ c->utc, c->utc + c->duration, i };
	}
	if (n)
		qsort(span, n, sizeof(*span), by_begin);
	for (size_t i = 0; i < n; i++) {
		n_groups += i > 0 && span[i].begin > end;
		group[span[i].file] = n_groups - 1;
		end = i == 0 || span[i].end > end ? span[i].end : end;
	}
	return n_groups;
}

int wl_job_files_check(const struct wl_job_files *files, struct wl_err *reterr)
{
	size_t *group = calloc(2 * files->n, sizeof(*group));
	struct span *span = calloc(files->n, sizeof(*span));
	int r = WL_OK;

	if (!group || !span) {
		r = no_memory("job", reterr);
	} else if (group_by_name(files, group) > 1 || group_by_time(files, group, span) > 1) {
		renumber(group, files->n, group + files->n);
		r = refuse(files, group, reterr);
	}
	free(group);
	free(span);
	return r;
}

/* ---- Order and clocks ---- */

static int64_t rank_by(const struct wl_job_file *f, size_t source)
{
	return source == WL_RANK_MPI ? f->mpi_rank : f->file.rank[source];
}

struct keyed {
	int64_t rank;
	size_t at;
};

WL_COMPARE_BY(by_rank, keyed, rank)

/* Bring the files into the order of a source; false, and nothing changed, where it cannot tell. */
static bool order_by(struct wl_job_files *files, size_t source)
{
	struct keyed *key = calloc(files->n, sizeof(*key));
	struct wl_job_file *sorted = calloc(files->n, sizeof(*sorted));
	bool ok = key && sorted;

	for (size_t i = 0; ok && i < files->n; i++) {
		key[i] = (struct keyed){ rank_by(&files->file[i], source), i };
		ok = key[i].rank >= 0;
	}
	if (ok)
		qsort(key, files->n, sizeof(*key), by_rank);
	for (size_t i = 0; ok && i < files->n; i++) {
		ok = i == 0 || key[i].rank != key[i - 1].rank;
		sorted[i] = files->file[key[i].at];
	}
	if (ok)
		memcpy(files->file, sorted, files->n * sizeof(*sorted));
	free(key);
	free(sorted);
	return ok;
}

void wl_job_files_arrange(struct wl_job_files *files)
{
	int64_t first = 0;

	for (size_t s = WL_RANK_MPI; s <= WL_RANK_FILE; s++) {
		if (order_by(files, s))
			break;
	}
	for (size_t i = 0; i < files->n; i++) {
		int64_t utc = files->file[i].file.clock.utc;

		if (utc > 0 && (first == 0 || utc < first))
			first = utc;
	}
	for (size_t i = 0; i < files->n; i++) {
		struct wl_trace_file *c = &files->file[i].file.clock;

		c->offset = c->utc > 0 ? c->utc - first : 0;
	}
}

/* SPDX-License-Identifier: MIT */
#include "session/job/job_trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/process/pool.h"
#include "model/merge.h"
#include "read/guard.h"
#include "session/job/job_files.h"
#include "session/job/job_proof.h"

/* Files that stay open from the opening to the first load, at most. */
enum { MAX_OPEN = 512 }; /* half of what base/file/map.h takes */

enum { LARGE = 32 << 20 }; /* bytes of a file */

/* A file that is open: by its index, or by a reader. */
struct source {
	struct wl_index *index;
	struct wl_input *input;
	struct wl_err err;
};

struct wl_job_trace {
	struct wl_input_opts opts;
	struct wl_index_opts index;
	bool is_indexed; /* indexes are wanted */
	struct wl_job_files files;
	struct source *source; /* by file */
	struct wl_build build;
	struct wl_merge merge;
	bool is_catalogued;    /* what files say besides their rows is there */
	struct wl_err failure; /* of an earlier load */
};

/* Files change their order once, sources stay where they are. */
static struct source *source_of(const struct wl_job_trace *job, size_t i)
{
	return &job->source[job->files.file[i].listed];
}

static void close_source(struct source *s)
{
	wl_index_close(s->index);
	wl_input_close(s->input);
	s->index = NULL;
	s->input = NULL;
}

void wl_job_trace_close(struct wl_job_trace *job)
{
	if (!job)
		return;
	for (size_t i = 0; job->source && i < job->files.n; i++)
		close_source(&job->source[i]);
	free(job->source);
	wl_job_files_release(&job->files);
	wl_merge_release(&job->merge);
	wl_build_release(&job->build);
	free(job);
}

const struct wl_trace *wl_job_trace_get(const struct wl_job_trace *job)
{
	return &job->build.trace;
}

static const struct wl_trace *trace_of(const struct source *s)
{
	return s->index ? wl_index_trace(s->index) : wl_input_trace(s->input);
}

/* Progress is told by file, not by the reader of each. */
static struct wl_input_opts input_opts(const struct wl_job_trace *job)
{
	struct wl_input_opts opts = job->opts;

	opts.progress = NULL;
	return opts;
}

static int open_input(const struct wl_job_trace *job, size_t i, struct wl_err *reterr)
{
	struct wl_input_opts opts = input_opts(job);
	struct source *s = source_of(job, i);
	int r = wl_input_open(job->files.file[i].path, &opts, &s->input, reterr);

	if (r < 0)
		s->input = NULL;
	return r < 0 ? r : wl_input_admit(s->input, reterr);
}

static int open_source(const struct wl_job_trace *job, size_t i, struct wl_err *reterr)
{
	struct source *s = source_of(job, i);
	const char *path = job->files.file[i].path;
	struct wl_guard guard;

	if (s->index || s->input)
		return WL_OK;
	if (job->is_indexed && wl_guard_take(path, &guard, NULL) == WL_OK &&
	    wl_index_open(path, &job->index, job->opts.budget, &s->index, NULL) < 0)
		s->index = NULL;
	/* What an index says besides its columns is looked at only when it is checked. */
	if (s->index && wl_index_check(s->index, NULL, NULL) < 0)
		close_source(s);
	return s->index ? WL_OK : open_input(job, i, reterr);
}

/* ---- Opening ---- */

/* Files that tasks work on at once: as many as there are threads. */
struct batch {
	struct wl_job_trace *job;
	size_t first;
	const struct wl_columns *want; /* NULL: open alone */
};

static bool open_task(void *ctx, size_t i, struct wl_arena *arena)
{
	struct batch *b = ctx;
	struct source *s = source_of(b->job, b->first + i);

	(void)arena;
	return open_source(b->job, b->first + i, &s->err) == WL_OK;
}

/* The failure of the first task that has one. */
static int failure(const struct batch *b, size_t n, struct wl_err *reterr)
{
	for (size_t i = 0; i < n; i++) {
		const struct source *s = source_of(b->job, b->first + i);

		if (s->err.code != WL_OK)
			return wl_fail(reterr, s->err.code, "%s", s->err.msg);
	}
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open its files", b->job->build.path);
}

/*
 * How many files to work on at once: one per thread, but large ones one by one, whose tables are
 * read in parts on all threads, so that no two of them are in memory besides the job.
 */
static size_t batch_size(const struct batch *b)
{
	size_t n = wl_pool_threads(b->job->opts.pool), rest = b->job->files.n - b->first;

	n = n < rest ? n : rest;
	for (size_t i = 0; i < n; i++) {
		if (b->want && b->job->files.file[b->first + i].size > LARGE)
			return i > 0 ? i : 1;
	}
	return n;
}

/* Run the task for the files of a batch; how many there are goes to *ret_n. */
static int run_batch(struct batch *b, wl_task *task, size_t *ret_n, struct wl_err *reterr)
{
	size_t n = batch_size(b);
	struct wl_arena arena;
	bool ok;

	*ret_n = n;
	for (size_t i = 0; i < n; i++)
		source_of(b->job, b->first + i)->err.code = WL_OK;
	wl_arena_init_on(&arena, b->job->build.budget);
	ok = n == 1 ? task(b, 0, &arena) : wl_pool_map(b->job->opts.pool, n, task, b, &arena);
	wl_arena_release(&arena);
	return ok ? WL_OK : failure(b, n, reterr);
}

/*
 * How many files may stay open: opening one again takes milliseconds, mostly of SQLite's, but
 * descriptors are scarce, and others need some, too.
 */
static size_t spare_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	return limit.rlim_cur / 2 < MAX_OPEN ? (size_t)limit.rlim_cur / 2 : MAX_OPEN;
}

/* See what each file says of itself. */
static int see_files(struct wl_job_trace *job, struct wl_err *reterr)
{
	struct batch b = { .job = job };
	size_t n = 0, n_kept = spare_descriptors();
	int r = WL_OK;

	for (; r == WL_OK && b.first < job->files.n; b.first += n) {
		r = run_batch(&b, open_task, &n, reterr);
		for (size_t i = 0; r == WL_OK && i < n; i++) {
			struct source *s = source_of(job, b.first + i);
			const struct wl_trace *t = trace_of(s);

			wl_job_file_see(&job->files.file[b.first + i], t);
			for (size_t f = 0; f < WL_N_FAMILIES; f++)
				job->build.family[f].present |= t->family[f].present;
			if (b.first + i >= n_kept)
				close_source(s);
		}
	}
	return r;
}

static int no_memory(const struct wl_job_trace *job, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to join its files", job->build.path);
}

/* Put the files into the job, in the order of ranks. */
static int arrange(struct wl_job_trace *job, struct wl_err *reterr)
{
	int r = wl_job_files_check(&job->files, reterr);

	if (r < 0)
		return r;
	wl_job_files_arrange(&job->files);
	for (size_t i = 0; i < job->files.n; i++) {
		const struct wl_job_file *f = &job->files.file[i];

		if (!wl_merge_file(&job->merge, f->path, &f->file, f->host[0] ? f->host : NULL))
			return no_memory(job, reterr);
		if (f->world > job->build.world)
			job->build.world = f->world;
		if (f->job[0])
			job->build.job = wl_string_put(&job->build.strings, f->job, strlen(f->job));
	}
	wl_merge_set_extent(&job->merge);
	return WL_OK;
}

/* All files of the directory, or those of n names. */
static int open_job(struct wl_job_trace *job, const char *dir, const char *const *name, size_t n,
		    struct wl_err *reterr)
{
	int r = wl_build_init(&job->build, dir, job->opts.budget, reterr);

	if (r == WL_OK)
		r = name ? wl_job_files_name(dir, name, n, &job->files, reterr)
			 : wl_job_files_list(dir, &job->files, reterr);
	if (r < 0)
		return r;
	job->build.pool = job->opts.pool;
	wl_merge_init(&job->merge, &job->build, job->files.n);
	job->source = calloc(job->files.n, sizeof(*job->source));
	if (!job->source)
		return no_memory(job, reterr);
	r = see_files(job, reterr);
	if (r == WL_OK)
		r = arrange(job, reterr);
	if (r < 0)
		return r;
	job->build.reader = "job";
	return wl_build_finish(&job->build, reterr);
}

static int open_made(struct wl_job_trace *job, const char *dir, const char *const *name, size_t n,
		     struct wl_job_trace **ret_job, struct wl_err *reterr)
{
	int r = open_job(job, dir, name, n, reterr);

	if (r < 0) {
		wl_job_trace_close(job);
		return r;
	}
	*ret_job = job;
	return WL_OK;
}

int wl_job_trace_open(const char *dir, const struct wl_input_opts *opts,
		      const struct wl_index_opts *index, struct wl_job_trace **ret_job,
		      struct wl_err *reterr)
{
	struct wl_job_trace *job = calloc(1, sizeof(*job));

	if (!job)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", dir);
	job->opts = *opts;
	job->is_indexed = index != NULL;
	if (index)
		job->index = *index;
	return open_made(job, dir, NULL, 0, ret_job, reterr);
}

int wl_job_trace_open_some(const char *dir, const char *const *name, size_t n,
			   const struct wl_input_opts *opts, struct wl_job_trace **ret_job,
			   struct wl_err *reterr)
{
	struct wl_job_trace *job = calloc(1, sizeof(*job));

	if (!job)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", dir);
	job->opts = *opts;
	return open_made(job, dir, name, n, ret_job, reterr);
}

/* ---- Loading ---- */

static int load_source(const struct wl_job_trace *job, size_t i, const struct wl_columns *want,
		       struct wl_err *reterr)
{
	struct source *s = source_of(job, i);
	int r = open_source(job, i, reterr);

	if (r == WL_OK && s->index) {
		wl_index_load(s->index, want);
		if (wl_index_check(s->index, job->opts.pool, NULL) == WL_OK)
			return WL_OK;
		close_source(s); /* it is damaged: read the file */
		r = open_input(job, i, reterr);
	}
	return r == WL_OK ? wl_input_load(s->input, want, reterr) : r;
}

static bool load_task(void *ctx, size_t i, struct wl_arena *arena)
{
	struct batch *b = ctx;
	struct source *s = source_of(b->job, b->first + i);

	(void)arena;
	return load_source(b->job, b->first + i, b->want, &s->err) == WL_OK;
}

static void drop_family(void *ctx, enum wl_family_id family)
{
	struct source *s = ctx;

	if (s->input)
		wl_input_drop(s->input, family);
}

static uint64_t new_families(const struct wl_job_trace *job, const struct wl_columns *want)
{
	uint64_t families = 0;

	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		if (wl_columns_has(want, (enum wl_column_id)c) &&
		    !wl_columns_has(&job->build.loaded, (enum wl_column_id)c))
			families |= (uint64_t)1 << wl_column_infos[c].family;
	}
	return families;
}

/* A family is read whole: what is there of it comes along, and of others nothing. */
static struct wl_columns columns_of(const struct wl_job_trace *job, const struct wl_columns *want,
				    uint64_t families)
{
	struct wl_columns all = { { 0 } };

	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		if (families >> wl_column_infos[c].family & 1 &&
		    (wl_columns_has(want, (enum wl_column_id)c) ||
		     wl_columns_has(&job->build.loaded, (enum wl_column_id)c)))
			wl_columns_add(&all, (enum wl_column_id)c);
	}
	return all;
}

static void report_progress(const struct wl_job_trace *job, size_t n_files)
{
	int64_t rows = 0;

	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		rows += (int64_t)job->build.family[f].n;
	if (job->opts.progress)
		job->opts.progress(job->opts.progress_ctx, rows,
				   rows / (int64_t)n_files * (int64_t)job->files.n);
}

static int take_file(struct wl_job_trace *job, size_t i, struct wl_merge_rows *rows,
		     struct wl_err *reterr)
{
	int r = WL_OK;

	rows->file = i;
	rows->trace = trace_of(source_of(job, i));
	rows->drop = drop_family;
	rows->ctx = source_of(job, i);
	if (!job->is_catalogued && !wl_merge_catalogue(&job->merge, i, rows->trace))
		r = no_memory(job, reterr);
	if (r == WL_OK && rows->families)
		r = wl_merge_take(&job->merge, rows, reterr);
	close_source(source_of(job, i));
	report_progress(job, i + 1);
	return r;
}

static int load(struct wl_job_trace *job, const struct wl_columns *asked, struct wl_err *reterr)
{
	struct wl_columns want = *asked;
	struct wl_merge_rows rows;
	struct batch b = { .job = job, .want = &want };
	size_t n = 0;
	int r = WL_OK;

	wl_columns_close(&want);
	rows.families = new_families(job, &want);
	if (!rows.families && job->is_catalogued)
		return WL_OK;
	want = columns_of(job, &want, rows.families);
	rows.want = &want;
	wl_merge_begin(&job->merge, rows.families);
	for (; r == WL_OK && b.first < job->files.n; b.first += n) {
		r = run_batch(&b, load_task, &n, reterr);
		for (size_t i = 0; r == WL_OK && i < n; i++)
			r = take_file(job, b.first + i, &rows, reterr);
	}
	if (r < 0)
		return r;
	job->is_catalogued = true;
	wl_columns_join(&job->build.loaded, &want);
	return wl_build_finish(&job->build, reterr);
}

/* A load that failed left families half filled: what it said stays true. */
int wl_job_trace_load(struct wl_job_trace *job, const struct wl_columns *want,
		      struct wl_err *reterr)
{
	if (job->failure.code == WL_OK && load(job, want, &job->failure) == WL_OK)
		return WL_OK;
	if (reterr)
		*reterr = job->failure;
	return (int)job->failure.code;
}

int wl_job_trace_set_clocks(struct wl_job_trace *job, const struct wl_trace_file *clock,
			    struct wl_err *reterr)
{
	wl_merge_set_clocks(&job->merge, clock);
	return wl_build_finish(&job->build, reterr);
}

/* All files name the job; that it is the same one was checked. */
static bool is_named(const struct wl_job_trace *job)
{
	for (size_t i = 0; i < job->files.n; i++) {
		if (!job->files.file[i].job[0])
			return false;
	}
	return true;
}

static bool is_timed(const struct wl_job_trace *job)
{
	for (size_t i = 0; i < job->files.n; i++) {
		if (job->files.file[i].file.clock.utc <= 0)
			return false;
	}
	return true;
}

int wl_job_trace_prove(struct wl_job_trace *job, struct wl_err *reterr)
{
	struct wl_columns want = { { 0 } };
	const char *why = NULL;
	int r = WL_OK;

	if (is_named(job))
		return WL_OK;
	if (!is_timed(job)) {
		why = "these files do not prove to be one job: neither a job id nor the time of "
		      "day is recorded";
	} else {
		for (const enum wl_column_id *c = wl_job_proof_columns; *c != WL_N_COLUMNS; c++)
			wl_columns_add(&want, *c);
		r = wl_job_trace_load(job, &want, reterr);
		if (r == WL_OK)
			why = wl_job_doubt(wl_job_trace_get(job), job->build.budget);
	}
	return why ? wl_fail(reterr, WL_E_USAGE, "%s", why) : r;
}

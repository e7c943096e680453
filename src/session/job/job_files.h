/* SPDX-License-Identifier: MIT */
/*
 * job_files.h - the files of a job: which they are, what each says of itself, and whether they
 * are of one job.
 */
#ifndef WL_SESSION_JOB_FILES_H
#define WL_SESSION_JOB_FILES_H

#include "model/build.h"

/* Longest text that is kept of a host's or a job's name, with its NUL. */
enum { WL_JOB_TEXT = 128 };

struct wl_job_file {
	char *path;                /* links resolved */
	struct wl_build_file file; /* its clock, and ranks by its environment and its name */
	char host[WL_JOB_TEXT];    /* "" if it does not say */
	char job[WL_JOB_TEXT];     /* "SLURM_JOB_ID 165592"; "" if it does not say */
	int64_t size;              /* bytes */
	size_t listed;             /* its place in the list before it was arranged */
	int64_t world;             /* ranks of the job, 0 if it does not say */
	int64_t mpi_rank;          /* the lowest of its processes, -1 if it does not say */
};

struct wl_job_files {
	struct wl_job_file *file;
	size_t n;
};

/* The path is a directory, which is a job. */
bool wl_is_job(const char *path);

/*
 * List the databases of a directory in natural order: rank10 comes after rank9. Release also after
 * a failure. WL_E_IO when it cannot be read, WL_E_USAGE when it has no databases or too many.
 */
int wl_job_files_list(const char *dir, struct wl_job_files *ret,
		      struct wl_err *reterr) WL_MUST_CHECK;
/* The same of n files of a directory by their names, in this order. */
int wl_job_files_name(const char *dir, const char *const *name, size_t n, struct wl_job_files *ret,
		      struct wl_err *reterr) WL_MUST_CHECK;
void wl_job_files_release(struct wl_job_files *files);

/* Take what a trace says of itself. */
void wl_job_file_see(struct wl_job_file *file, const struct wl_trace *trace);

/*
 * WL_E_USAGE with the groups when the files are of several jobs: they name different jobs, or do
 * not overlap in time.
 */
int wl_job_files_check(const struct wl_job_files *files, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Bring files into the order of ranks, by the first source that tells all of them apart, and set
 * their offsets: the clock of the job is UTC from the earliest start on.
 */
void wl_job_files_arrange(struct wl_job_files *files);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the traces of several files as one trace under construction.
 *
 * Each file is read into a trace of its own, whose catalogue and columns are appended to one
 * build. Strings, names of kernels and launch configurations are numbered once for all; times
 * are shifted to the clock of the job. Ids of processes and threads keep their pid and tid,
 * and have a number of (file, machine) in place of the upper 16 bits, which are the same
 * in all files: two files' process 70000 are two processes. Correlation ids, streams, contexts
 * and NVTX domains are keyed by process, so they stay as they are.
 *
 * Order of calls: init, after that of the build; for each file in order, catalogue once; for each
 * load, begin with the families that it brings, take of each file in order, and finish the build.
 */
#ifndef WL_MODEL_MERGE_H
#define WL_MODEL_MERGE_H

#include "model/build.h"

/* Files that a job may have: each has at least 16 numbers for machines. */
enum { WL_MAX_FILES = 4096 };

struct wl_merge {
	struct wl_build *build;
	size_t n_files;
	struct wl_intern machine_keys; /* struct machine_key of merge.c */
	struct wl_vec machine_numbers; /* uint32_t of each */
	struct wl_vec n_machines;      /* uint32_t by file */
	struct wl_intern gpu_keys;     /* struct gpu_key of merge.c, numbered as build->gpus */
	struct wl_intern device_keys;  /* struct device_key, numbered as build->taken_devices */
	struct wl_intern column_keys;  /* uint32_t[2], numbered as build->source_columns */
	struct wl_intern table_keys;   /* uint32_t, numbered as rows of the family of tables */
	bool failed;                   /* out of memory, or of numbers for machines */
};

/* 1 <= n_files <= WL_MAX_FILES. The build must stay where it is. */
void wl_merge_init(struct wl_merge *m, struct wl_build *build, size_t n_files);
void wl_merge_release(struct wl_merge *m);

/* Put a file into the job: the next in order. Its text is copied. False without memory. */
bool wl_merge_file(struct wl_merge *m, const char *path, const struct wl_build_file *file,
		   const char *host) WL_MUST_CHECK;

/* Take what a file says besides its rows: metadata, GPUs, tables. False without memory. */
bool wl_merge_catalogue(struct wl_merge *m, size_t file,
			const struct wl_trace *trace) WL_MUST_CHECK;

/* Empty the families that a load brings. Bits of families, 1 << enum wl_family_id. */
void wl_merge_begin(struct wl_merge *m, uint64_t families);

/*
 * Append the rows of these families, of the wanted columns, which the trace must have loaded. drop
 * is called after each family, so that its columns can be released; NULL for none. WL_E_NOMEM
 * otherwise.
 */
struct wl_merge_rows {
	size_t file;
	const struct wl_trace *trace;
	const struct wl_columns *want;
	uint64_t families;
	void (*drop)(void *ctx, enum wl_family_id family);
	void *ctx;
};

int wl_merge_take(struct wl_merge *m, const struct wl_merge_rows *rows,
		  struct wl_err *reterr) WL_MUST_CHECK;

/* Set what follows from the clocks of all files: start, length, and host if it is one. */
void wl_merge_set_extent(struct wl_merge *m);

/*
 * Correct clocks that have no drift yet: clock, by file, gives offset, drift and what they were
 * measured by; the rest of it is not looked at. Moves the rows that are there, in place; those of
 * one file, and of files of one host that share a clock, keep their order. Finish the build
 * afterwards.
 */
void wl_merge_set_clocks(struct wl_merge *m, const struct wl_trace_file *clock);

/* The time of a file on the clock of the job. */
wl_ns wl_merge_time(const struct wl_trace_file *clock, wl_ns t);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * merge.h - merges the traces of several files into one trace under construction.
 *
 * Each file is read into its own trace, whose catalogue and columns are appended to one build.
 * Strings, kernel names and launch configurations are numbered across all files; times are shifted
 * to the job's clock. Process and thread ids keep their pid and tid. Their upper 16 bits, which are
 * the same in all files, are replaced by a number for (file, machine): process 70000 in two files
 * is two processes. Correlation ids, streams, contexts and NVTX domains are keyed by process and
 * need no change.
 *
 * Order of calls: init after the build's init; catalogue once per file, in order; for each load,
 * begin with the families that are loaded, take for each file in order, then finish the build.
 */
#ifndef WL_MODEL_MERGE_H
#define WL_MODEL_MERGE_H

#include "model/build.h"

/* Most files in a job; each has at least 16 machine numbers. */
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
	bool failed;                   /* out of memory or of machine numbers */
};

/* 1 <= n_files <= WL_MAX_FILES. The build must not move in memory. */
void wl_merge_init(struct wl_merge *m, struct wl_build *build, size_t n_files);
void wl_merge_release(struct wl_merge *m);

/* Add the next file to the job. Its text is copied. False if out of memory. */
bool wl_merge_file(struct wl_merge *m, const char *path, const struct wl_build_file *file,
		   const char *host) WL_MUST_CHECK;

/* Merge what a file records besides its rows: metadata, GPUs, tables. False if out of memory. */
bool wl_merge_catalogue(struct wl_merge *m, size_t file,
			const struct wl_trace *trace) WL_MUST_CHECK;

/* Empty the families that are about to be loaded. families is a set of bits 1 << enum
 * wl_family_id. */
void wl_merge_begin(struct wl_merge *m, uint64_t families);

/*
 * Append the wanted columns of these families, which the trace must have loaded. drop, if not NULL,
 * is called after each family so that its columns can be released. WL_E_NOMEM if out of memory.
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

/* Set what follows from the clocks of all files: start, length, and host if there is only one. */
void wl_merge_set_extent(struct wl_merge *m);

/*
 * Correct clocks that have no drift yet. clock, indexed by file, gives the offset, the drift and
 * how they were measured; its other members are ignored. Moves the loaded rows in place; rows of
 * one file, and of files of one host that share a clock, keep their order. Finish the build
 * afterwards.
 */
void wl_merge_set_clocks(struct wl_merge *m, const struct wl_trace_file *clock);

/* A file's time t on the job's clock. */
wl_ns wl_merge_time(const struct wl_trace_file *clock, wl_ns t);

#endif

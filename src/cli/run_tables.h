/* SPDX-License-Identifier: MIT */
/* run_tables.h - manifests of runs as tables. */
#ifndef WL_CLI_RUN_TABLES_H
#define WL_CLI_RUN_TABLES_H

#include "capture/runs/run_dir.h"
#include "table/table.h"

enum wl_run_table {
	WL_RUNS_LIST,    /* a row per run: `runs list`, and the end of a sweep */
	WL_RUNS_FACTS,   /* what a manifest says */
	WL_RUNS_FILES,   /* inputs and outputs of a run */
	WL_RUNS_CHANGES, /* what differs between two */
	WL_N_RUN_TABLES
};

/* Columns of what differs. */
enum {
	WL_CHANGE_WHAT,
	WL_CHANGE_NAME,
	WL_CHANGE_A,
	WL_CHANGE_B,
	WL_CHANGE_SHARE,
	WL_N_CHANGE_COLS
};

extern const struct wl_table_info wl_run_tables[WL_N_RUN_TABLES + 1]; /* name == NULL ends */

/* Add rows; texts are copied or belong to the manifest. The caller asks wl_table_ok() once. */
void wl_run_put(struct wl_table *out, const struct wl_run_found *run);
void wl_run_put_facts(struct wl_table *out, const struct wl_manifest *m);
void wl_run_put_files(struct wl_table *out, const struct wl_run_found *run);

/*
 * A row per difference; *ret_n_same counts what is the same in both. Arguments are aligned by their
 * longest common subsequence, all else by name.
 */
void wl_run_put_changes(struct wl_table *out, const struct wl_manifest *a,
			const struct wl_manifest *b, size_t *ret_n_same);

/*
 * The trace of a run to open: the largest export, else the largest report; NULL if it has none.
 * Whether only PATH.gz is there is written to *ret_is_gz.
 */
const struct wl_run_file *wl_run_trace(const struct wl_run_found *run, bool *ret_is_gz);

#endif

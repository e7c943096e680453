/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_info.h"

#include "analysis/axes.h"
#include "analysis/file_ranks.h"
#include "analysis/hosts.h"
#include "analysis/missing_ranks.h"

static void put_text(const struct wl_run *r, struct wl_table *out, const char *key, uint32_t string)
{
	if (string != WL_NONE)
		wl_put_str(out, wl_col_index(out, key), wl_str(r->trace, string));
}

int wl_facts_files(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_file_ranks *of = wl_file_ranks_find(r);

	if (!of)
		return wl_no_memory(wl_analysis_get("files"), reterr);
	for (size_t i = 0; i < t->n_files; i++) {
		const struct wl_trace_file *f = &t->files[i];

		wl_table_row(out);
		wl_file_ranks_put(&of[i], out, wl_col_index(out, "rank"));
		put_text(r, out, "host", f->host);
		wl_put_i64(out, wl_col_index(out, "processes"), of[i].n);
		if (f->utc > 0)
			wl_put_i64(out, wl_col_index(out, "offset"), f->offset);
		wl_put_i64(out, wl_col_index(out, "drift"), f->drift);
	}
	wl_table_note(out, "facts of several traces hold neither the names of files nor how long "
			   "captures took");
	wl_missing_ranks_note(t, out);
	return WL_OK;
}

int wl_facts_gpus(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	(void)reterr;
	for (size_t i = 0; i < r->trace->n_devices; i++) {
		wl_table_row(out);
		wl_put_i64(out, wl_col_index(out, "device"), (int64_t)i);
		put_text(r, out, "name", r->trace->devices[i].name);
		put_text(r, out, "uuid", r->trace->devices[i].uuid);
	}
	wl_table_note(out,
		      "facts of several traces hold models and ids of GPUs; the rest is in the "
		      "facts of a rank");
	return WL_OK;
}

int wl_facts_processes(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	int64_t *devices = WL_NEW(r->arena, int64_t, t->n_processes);
	bool *shown = WL_NEW(r->arena, bool, t->n_processes);
	size_t host = wl_col_index(out, "host"); /* which is not found where it is hidden */

	if (!devices || !shown)
		return wl_no_memory(wl_analysis_get("processes"), reterr);
	/* The key is that of the first rank of the process. */
	for (size_t i = 0; i < t->n_processes; i++) {
		devices[t->processes[i].key]++;
		shown[i] = t->processes[i].on_gpu;
	}
	if (!wl_hosts_hide(r, shown, out, host))
		return wl_no_memory(wl_analysis_get("processes"), reterr);
	for (uint32_t i = 0; i < t->n_processes; i++) {
		if (!shown[i])
			continue;
		wl_table_row(out);
		wl_put_pid(out, wl_col_index(out, "pid"), r, i);
		if (t->processes[i].host != WL_NONE)
			wl_put_str(out, host, wl_str(t, t->processes[i].host));
		if (t->processes[i].rank_source != WL_RANK_NONE)
			wl_put_i64(out, wl_col_index(out, "rank"), t->processes[i].rank);
		wl_put_i64(out, wl_col_index(out, "devices"), devices[i]);
	}
	wl_table_note(out, "facts of several traces hold neither names of processes nor their "
			   "threads, kernels and calls");
	return WL_OK;
}

/* SPDX-License-Identifier: MIT */
/* processes.c - the processes that have rows in the trace. */
#include "analysis/axes.h"
#include "analysis/hosts.h"

WL_DECLARE_ANALYSIS(processes);

enum { PID, HOST, NAME, RANK, RANK_FROM, DEVICES, THREADS, KERNELS, CALLS };

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process id." },
	[HOST] = WL_COL_HOST,
	[NAME] = { "name", "Name", WL_T_STR, WL_PLAIN, "Name of the executable." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process; empty if unknown." },
	[RANK_FROM] = { "rank_from", "Rank from", WL_T_ENUM, WL_MINOR, "Source of the rank." },
	[DEVICES] = { "devices", "GPUs", WL_T_COUNT, WL_PLAIN, "GPUs that the process used." },
	[THREADS] = { "threads", "Threads", WL_T_COUNT, WL_PLAIN,
		      "Threads with CUDA or NVTX events." },
	[KERNELS] = { "kernels", "Kernels", WL_T_COUNT, WL_SUM, "Kernels that the process ran." },
	[CALLS] = { "calls", "API calls", WL_T_COUNT, WL_SUM, "CUDA API calls of the process." },
};

static const enum wl_column_id uses[] = { WL_KERNELS_PLACE,     WL_API_THREAD,
					  WL_NVTX_THREAD,       WL_NVTX_NAME,
					  WL_NCCL_CALLS_THREAD, WL_NCCL_CALLS_RANKS,
					  WL_NCCL_CALLS_RANK,   WL_N_COLUMNS };

static const char *const sources[WL_N_RANK_SOURCES] = { [WL_RANK_LABEL] = "nvtx",
							[WL_RANK_PAYLOAD] = "nccl",
							[WL_RANK_MPI] = "mpi",
							[WL_RANK_ENV] = "environment",
							[WL_RANK_ENV_OMPI] = "environment",
							[WL_RANK_ENV_PMIX] = "environment",
							[WL_RANK_ENV_PMI] = "environment",
							[WL_RANK_ENV_SLURM] = "environment",
							[WL_RANK_FILE] = "file name",
							[WL_RANK_ORDER] = "order" };

struct tally {
	int64_t devices, threads, kernels, calls;
	bool is_there; /* it has rows of the families above */
};

/*
 * Count rows, not catalogue entries: the catalogue gains threads, places and processes as other
 * answers load columns.
 */
static void see(bool *seen, const uint32_t *index, size_t n)
{
	for (size_t i = 0; index && i < n; i++)
		seen[index[i]] = true;
}

/* Each pair of process and device counts once, regardless of its number of streams. */
static bool count_devices(const struct wl_run *r, struct tally *tally)
{
	const struct wl_trace *t = r->trace;
	bool *seen = WL_NEW(r->arena, bool, t->n_places);
	struct wl_intern pairs;
	bool ok = seen != NULL;

	for (size_t i = 0; ok && i < WL_N_OP_FAMILIES; i++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[i]);

		see(seen, ops.place, ops.n);
	}
	wl_intern_init(&pairs, 2 * sizeof(uint32_t), wl_arena_budget(r->arena));
	for (size_t i = 0; ok && i < t->n_places; i++) {
		const uint32_t pair[2] = { t->places[i].process, t->places[i].device };
		size_t before = pairs.items.n;

		if (!seen[i])
			continue;
		ok = wl_intern_put(&pairs, pair) != WL_NONE;
		tally[pair[0]].devices += pairs.items.n > before;
		tally[pair[0]].is_there = true;
	}
	wl_intern_release(&pairs);
	return ok;
}

static bool count_threads(const struct wl_run *r, struct tally *tally)
{
	const struct wl_trace *t = r->trace;
	bool *seen = WL_NEW(r->arena, bool, t->n_threads);

	if (!seen)
		return false;
	see(seen, wl_api_thread(t), t->family[WL_F_API].n);
	see(seen, wl_nvtx_thread(t), t->family[WL_F_NVTX].n);
	for (size_t i = 0; i < t->n_threads; i++) {
		tally[t->threads[i].process].threads += seen[i];
		tally[t->threads[i].process].is_there |= seen[i];
	}
	return true;
}

static bool hide_hosts(const struct wl_run *r, const struct tally *tally, struct wl_table *out)
{
	bool *shown = WL_NEW(r->arena, bool, r->trace->n_processes);

	for (size_t i = 0; shown && i < r->trace->n_processes; i++)
		shown[i] = tally[i].is_there;
	return shown && wl_hosts_hide(r, shown, out, HOST);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	struct tally *tally = WL_NEW(r->arena, struct tally, t->n_processes);

	if (!tally || !count_devices(r, tally) || !count_threads(r, tally) ||
	    !hide_hosts(r, tally, out))
		return wl_no_memory(&wl_analysis_processes, reterr);
	for (size_t i = 0; i < t->family[WL_F_KERNELS].n; i++)
		tally[t->places[wl_kernels_place(t)[i]].process].kernels++;
	for (size_t i = 0; i < t->family[WL_F_API].n; i++)
		tally[t->threads[wl_api_thread(t)[i]].process].calls++;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];

		if (!tally[i].is_there)
			continue;
		wl_table_row(out);
		wl_put_i64(out, PID, p->pid);
		wl_hosts_put(out, HOST, t, p);
		wl_put_str(out, NAME, p->name == WL_NONE ? NULL : wl_str(t, p->name));
		if (p->rank_source != WL_RANK_NONE)
			wl_put_i64(out, RANK, p->rank);
		wl_put_str(out, RANK_FROM, sources[p->rank_source]);
		wl_put_i64(out, DEVICES, tally[i].devices);
		wl_put_i64(out, THREADS, tally[i].threads);
		wl_put_i64(out, KERNELS, tally[i].kernels);
		wl_put_i64(out, CALLS, tally[i].calls);
	}
	return WL_OK;
}

/* Answers from facts of several traces. */
static int run_on_facts(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	int64_t *devices = WL_NEW(r->arena, int64_t, t->n_processes);
	bool *shown = WL_NEW(r->arena, bool, t->n_processes);

	if (!devices || !shown)
		return wl_no_memory(&wl_analysis_processes, reterr);
	/* The key is that of the first rank of the process. */
	for (size_t i = 0; i < t->n_processes; i++) {
		devices[t->processes[i].key]++;
		shown[i] = t->processes[i].on_gpu;
	}
	if (!wl_hosts_hide(r, shown, out, HOST))
		return wl_no_memory(&wl_analysis_processes, reterr);
	for (uint32_t i = 0; i < t->n_processes; i++) {
		if (!shown[i])
			continue;
		wl_table_row(out);
		wl_put_pid(out, PID, r, i);
		wl_hosts_put(out, HOST, t, &t->processes[i]);
		if (t->processes[i].rank_source != WL_RANK_NONE)
			wl_put_i64(out, RANK, t->processes[i].rank);
		wl_put_i64(out, DEVICES, devices[i]);
	}
	wl_table_note(out, "facts files of several traces contain no names of processes, "
			   "threads, kernels or calls");
	return WL_OK;
}

const struct wl_analysis wl_analysis_processes = {
	.name = "processes",
	.help = "List the processes that have rows",
	.on_host = true,
	.of_file = true,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.facts = WL_FACTS_RUN,
	.run = run,
	.run_on_facts = run_on_facts,
};

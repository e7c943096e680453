/* SPDX-License-Identifier: MIT */
/* files.c - the files of a job, with the rank, host and clock of each. */
#include "analysis/file_ranks.h"
#include "analysis/missing_ranks.h"
#include "base/file/file.h"

WL_DECLARE_ANALYSIS(files);

enum { RANK, FILE_NAME, HOST, GPUS, OFFSET, DRIFT, DURATION };

static const struct wl_col cols[] = {
	[RANK] = { "rank", "Rank", WL_T_STR, WL_KEY,
		   "Rank of its process on a GPU, or the lowest and the highest of several." },
	[FILE_NAME] = { "file", "File", WL_T_STR, WL_KEY, "Name of the file." },
	[HOST] = { "host", "Host", WL_T_STR, WL_PLAIN,
		   "Name of the machine; empty if the file does not state it." },
	[GPUS] = { "processes", "Processes", WL_T_COUNT, WL_SUM, "Its processes on GPUs." },
	[OFFSET] = { "offset", "Offset", WL_T_NS, WL_PLAIN,
		     "What is added to its times on the clock of the job." },
	[DRIFT] = { "drift", "Drift", WL_T_COUNT, WL_PLAIN,
		    "By how much its clock is slow, in parts per billion." },
	[DURATION] = { "duration", "Duration", WL_T_NS, WL_PLAIN, "Length of its capture." },
};

static const enum wl_column_id uses[] = { WL_KERNELS_PLACE,    WL_NVTX_THREAD,
					  WL_NVTX_NAME,        WL_NCCL_CALLS_THREAD,
					  WL_NCCL_CALLS_RANKS, WL_NCCL_CALLS_RANK,
					  WL_N_COLUMNS };

static void note_source(const struct wl_trace *t, struct wl_table *out)
{
	enum wl_rank_source source = WL_RANK_NONE;
	const char *variable;

	/*
	 * All ranks of a job come from one source (docs/definitions/jobs.md): the first process
	 * shows which.
	 */
	for (size_t i = 0; i < t->n_processes && source == WL_RANK_NONE; i++)
		source = t->processes[i].on_gpu ? t->processes[i].rank_source : WL_RANK_NONE;
	variable = wl_rank_variable(source);
	if (variable)
		wl_table_note(out, "ranks are from %s in the environment", variable);
	else if (source == WL_RANK_LABEL)
		wl_table_note(out, "ranks are from NVTX ranges named rank=N");
	else if (source == WL_RANK_PAYLOAD)
		wl_table_note(out, "ranks are from NCCL: those in the largest communicator");
	else if (source == WL_RANK_MPI)
		wl_table_note(out, "ranks are from the table MPI_RANKS");
	else if (source == WL_RANK_FILE)
		wl_table_note(out, "ranks are from the names of the files");
	else if (source == WL_RANK_ORDER)
		wl_table_note(out, "no rank was recorded: ranks are the order of the files");
}

static void note_clocks(const struct wl_trace *t, struct wl_table *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_files; i++)
		n += t->files[i].utc <= 0;
	if (n)
		wl_table_note(out,
			      "%zu file%s not aligned in time: the time of day was not recorded", n,
			      n == 1 ? "" : "s");
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_file_ranks *ranks;

	if (t->n_files == 0) {
		wl_table_note(out, "the trace is one file, not a job");
		return WL_OK;
	}
	ranks = wl_file_ranks_find(r);
	if (!ranks)
		return wl_no_memory(&wl_analysis_files, reterr);
	for (size_t i = 0; i < t->n_files; i++) {
		const struct wl_trace_file *f = &t->files[i];

		wl_table_row(out);
		wl_file_ranks_put(&ranks[i], out, RANK);
		wl_put_str(out, FILE_NAME, wl_path_name(wl_str(t, f->path)));
		wl_put_str(out, HOST, f->host == WL_NONE ? NULL : wl_str(t, f->host));
		wl_put_i64(out, GPUS, ranks[i].n);
		if (f->utc > 0)
			wl_put_i64(out, OFFSET, f->offset);
		wl_put_i64(out, DRIFT, f->drift);
		if (f->duration != WL_NO_TIME)
			wl_put_i64(out, DURATION, f->duration);
	}
	note_source(t, out);
	note_clocks(t, out);
	wl_missing_ranks_note(t, out);
	return WL_OK;
}

/* Answers from facts of several traces. */
static int run_on_facts(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	const struct wl_file_ranks *of = wl_file_ranks_find(r);

	if (!of)
		return wl_no_memory(&wl_analysis_files, reterr);
	for (size_t i = 0; i < t->n_files; i++) {
		const struct wl_trace_file *f = &t->files[i];

		wl_table_row(out);
		wl_file_ranks_put(&of[i], out, RANK);
		wl_put_str(out, HOST, f->host == WL_NONE ? NULL : wl_str(t, f->host));
		wl_put_i64(out, GPUS, of[i].n);
		if (f->utc > 0)
			wl_put_i64(out, OFFSET, f->offset);
		wl_put_i64(out, DRIFT, f->drift);
	}
	wl_table_note(out,
		      "facts files of several traces contain neither file names nor capture times");
	wl_missing_ranks_note(t, out);
	return WL_OK;
}

const struct wl_analysis wl_analysis_files = {
	.name = "files",
	.help = "List the files of a job",
	.on_host = true,
	.of_file = true,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.facts = WL_FACTS_RUN,
	.run = run,
	.run_on_facts = run_on_facts,
};

/* SPDX-License-Identifier: MIT */
#include "analysis/capture/coach.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

/* A kernel with its launch call, on a GPU of its own process. */
static void launch(struct asked *x, unsigned pid, wl_ns at, const char *name)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = at, .end = at + 2, .pid = pid, .tid = pid, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = at + 5, .end = at + 50, .pid = pid, .corr = corr,
	       .name = name);
}

static void range(struct asked *x, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .pid = 100, .tid = 100, .name = name);
}

static size_t row_of(const struct asked *x, const char *question)
{
	for (size_t i = 0; i < x->a.table.n_rows; i++) {
		if (strstr(answer_str(&x->a, i, "question"), question))
			return i;
	}
	fail_msg("no question has \"%s\"", question);
	return 0;
}

static void expect(const struct asked *x, const char *question, const char *state,
		   const char *lacks)
{
	size_t row = row_of(x, question);

	assert_string_equal(answer_str(&x->a, row, "state"), state);
	assert_int_equal(answer_is_set(&x->a, row, "lacks"), lacks != NULL);
	assert_int_equal(answer_is_set(&x->a, row, "change"), lacks != NULL);
	if (lacks)
		assert_string_equal(answer_str(&x->a, row, "lacks"), lacks);
}

TEST(an_empty_trace_answers_little)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	ask(&x, NULL);
	expect(&x, "complete", "answered", NULL);
	expect(&x, "steady state", "no", "nvtx");
	expect(&x, "step or layer", "no", "cuda,nvtx");
	expect(&x, "wait for the host", "no", "cuda,osrt");
	expect(&x, "CUDA graphs", "no", "cuda");
	expect(&x, "rank is late", "no", "cuda"); /* that may run on what was not recorded */
	expect(&x, "large are the collectives", "no", "cuda");
	expect(&x, "host do meanwhile", "no", "nvtx,osrt,sched");
	expect(&x, "host functions", "no", "samples");
	expect(&x, "GPU memory", "no", "memory");
	expect(&x, "roof", "no", "counters");
	assert_string_equal(answer_str(&x.a, row_of(&x, "host do meanwhile"), "change"),
			    "add nvtx,osrt to --trace; --cpuctxsw=process-tree");
}

TEST(what_is_there_is_not_missed)
{
	struct asked x;

	asked_init(&x, "coach");
	for (wl_ns i = 0; i < 12; i++) {
		range(&x, 1000 * i, 1000 * i + 900, "step");
		launch(&x, 100, 1000 * i + 10, "gemm");
	}
	MEM_OSRT(&x.mem, .start = 1, .end = 2, .pid = 100, .tid = 100);
	mem_sched(&x.mem, 1, 100, 100, true);
	mem_table(&x.mem, "SAMPLING_CALLCHAINS", 3, "id");
	mem_table(&x.mem, "CUDA_GPU_MEMORY_USAGE_EVENTS", 0, "id");
	ask(&x, NULL);
	expect(&x, "steady state", "answered", NULL);
	expect(&x, "step or layer", "answered", NULL);
	expect(&x, "wait for the host", "answered", NULL);
	expect(&x, "CUDA graphs", "answered", NULL);
	expect(&x, "stream waits", "partly", "cuda,events");
	expect(&x, "host do meanwhile", "answered", NULL);
	expect(&x, "host functions", "answered", NULL);
	expect(&x, "GPU memory", "no", "memory"); /* an empty table is no data */
	expect(&x, "roof", "no", "metrics,counters");
	assert_string_equal(answer_str(&x.a, row_of(&x, "roof"), "change"),
			    "--gpu-metrics-devices=all; ncu, after nsys");
	asked_release(&x);

	asked_init(&x, "coach");
	launch(&x, 100, 10, "gemm");
	mem_table(&x.mem, "GPU_METRICS", 3, "timestamp");
	ask(&x, NULL);
	expect(&x, "roof", "partly", "counters");
	asked_release(&x);

	asked_init(&x, "coach");
	launch(&x, 100, 10, "gemm");
	mem_allocation(&x.mem, 1, 100, 2, 8, false);
	ask(&x, NULL);
	expect(&x, "GPU memory", "answered", NULL);
	asked_release(&x);
}

TEST(few_steps_are_not_enough)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	for (wl_ns i = 0; i < 4; i++) {
		range(&x, 1000 * i, 1000 * i + 900, "step");
		launch(&x, 100, 1000 * i + 10, "gemm");
	}
	ask(&x, NULL);
	expect(&x, "steady state", "partly", "steps");
	assert_non_null(strstr(answer_str(&x.a, row_of(&x, "steady state"), "missing"), "only 4"));
}

TEST(kernels_outside_ranges)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	range(&x, 0, 100, "warm-up");
	launch(&x, 100, 10, "gemm");
	launch(&x, 100, 200, "gemm");
	ask(&x, NULL);
	expect(&x, "step or layer", "partly", "ranges");
	assert_string_equal(answer_str(&x.a, row_of(&x, "step or layer"), "missing"),
			    "50.0% of kernel time in no range");
}

TEST(kernels_without_launch_calls)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	launch(&x, 100, 10, "gemm");
	MEM_OP(&x.mem, WL_F_KERNELS, .start = 500, .end = 600);
	MEM_OSRT(&x.mem, .start = 1, .end = 2, .pid = 100, .tid = 100);
	ask(&x, NULL);
	expect(&x, "wait for the host", "partly", "launches");
	assert_string_equal(answer_str(&x.a, row_of(&x, "wait for the host"), "missing"),
			    "50.0% of GPU work not linked");
}

TEST(graphs_recorded_whole)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	MEM_OP(&x.mem, WL_F_GRAPHS, .start = 1, .end = 9);
	ask(&x, NULL);
	expect(&x, "CUDA graphs", "no", "graph_nodes");
	assert_string_equal(answer_str(&x.a, row_of(&x, "CUDA graphs"), "change"),
			    "--cuda-graph-trace=node");
}

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";

TEST(one_rank_that_communicates)
{
	struct asked x;

	asked_init(&x, "coach");
	launch(&x, 100, 10, all_reduce);
	ask(&x, NULL);
	expect(&x, "rank is late", "no", "ranks");
	expect(&x, "collectives", "no", "nvtx,payloads");
	asked_release(&x);
	asked_init(&x, "coach");
	launch(&x, 100, 10, all_reduce);
	launch(&x, 200, 10, all_reduce);
	range(&x, 0, 100, "step");
	ask(&x, NULL);
	expect(&x, "rank is late", "answered", NULL);
	expect(&x, "collectives", "no", "payloads");
	asked_release(&x);
}

/* Without work of a GPU all that is said of CUDA matters; a process beside it may have none. */
TEST(a_message_doubts_the_gpu_work)
{
	static const struct {
		const char *said, *of_nothing, *of_work;
	} cases[] = {
		{ "CUDA profiling might have not been started correctly.", "partly", "partly" },
		{ "Not all CUDA events might have been collected.", "partly", "partly" },
		{ "No CUDA events collected. Does the process use CUDA?", "partly", "answered" },
		{ "No NVTX events collected. Does the process use NVTX?", "answered", "answered" },
	};

	for (size_t i = 0; i < 2 * WL_COUNT(cases); i++) {
		const char *want = i % 2 ? cases[i / 2].of_work : cases[i / 2].of_nothing;
		struct asked x;

		asked_init(&x, "coach");
		mem_message(&x.mem, 2, cases[i / 2].said);
		if (i % 2)
			launch(&x, 100, 10, "gemm");
		ask(&x, NULL);
		expect(&x, "complete", want,
		       strcmp(want, "partly") ? NULL
		       : i % 2                ? "lost_events"
					      : "cuda");
		asked_release(&x);
	}
}

TEST(a_message_tells_of_lost_events)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	mem_message(&x.mem, 1, "0 events were lost"); /* information */
	mem_message(&x.mem, 2, "120 CUDA events were dropped");
	ask(&x, NULL);
	expect(&x, "complete", "no", "lost_events");
	assert_true(answer_has_note(&x.a, "120 CUDA events were dropped"));
}

TEST(expected_ranges_have_kernels)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));
	const char *const args[] = { "launch", "LLM@decode\nprefill\nidle\nprefill@LLM" };

	range(&x, 0, 100, "LLM@decode");
	range(&x, 200, 300, "idle");
	launch(&x, 100, 10, "gemm");
	ask(&x, args);
	/* of a goal: three questions of every trace, three of the goal, four ranges */
	assert_int_equal(x.a.table.n_rows, 10);
	expect(&x, "\"LLM@decode\"", "answered", NULL);
	expect(&x, "\"prefill\"", "no", "ranges");
	expect(&x, "\"idle\"", "no", "ranges");
	assert_string_equal(answer_str(&x.a, row_of(&x, "\"idle\""), "missing"),
			    "the range has no kernels");
	expect(&x, "\"prefill@LLM\"", "no", "ranges");
}

TEST(keys_of_lacks_are_parsed)
{
	assert_int_equal(wl_lacks_parse(NULL), 0);
	assert_int_equal(wl_lacks_parse("osrt,no such,sched"),
			 1 << WL_LACK_OSRT | 1 << WL_LACK_SCHED);
	for (unsigned i = 0; i < WL_N_LACKS; i++)
		assert_int_equal(wl_lacks_parse(wl_lack_key((enum wl_lack)i)), 1 << i);
}

static void overhead(struct asked *x, unsigned tid, wl_ns start, wl_ns end)
{
	const uint32_t thread = mem_thread(&x->mem, 100, tid), name = mem_string(&x->mem, "flush");

	mem_row(&x->mem, WL_F_OVERHEAD, start, end);
	mem_put(&x->mem, WL_OVERHEAD_THREAD, &thread);
	mem_put(&x->mem, WL_OVERHEAD_NAME, &name);
}

/* Thread 100: 0 to 10; thread 101: 0 to 6, with 2 to 4 inside it, 5 to 9 across its end, 20 to 25.
 */
TEST(overhead_is_that_of_the_thread_with_the_most)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	launch(&x, 100, 30, "gemm");
	overhead(&x, 100, 0, 10);
	overhead(&x, 101, 0, 6);
	overhead(&x, 101, 2, 4);
	overhead(&x, 101, 5, 9);
	overhead(&x, 101, 20, 25);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "profiler overhead: 14 ns on thread 101"));
}

/* The one kernel is linked; no capture has a launch call of the nine migrations. */
TEST(migrations_lack_no_launch_calls)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	launch(&x, 100, 10, "gemm");
	for (unsigned i = 0; i < 9; i++)
		MEM_OP(&x.mem, WL_F_MEMCPYS, .start = 100 + 10 * i, .end = 105 + 10 * i, .pid = 100,
		       .kind = (uint8_t)(WL_COPY_UVM_H2D + i % 3));
	MEM_OSRT(&x.mem, .start = 1, .end = 2, .pid = 100, .tid = 100);
	ask(&x, NULL);
	expect(&x, "wait for the host", "answered", NULL);
	assert_true(
		answer_has_note(&x.a, "9 managed-memory migrations were started by the driver"));
	assert_true(answer_has_note(&x.a, "--cuda-um-gpu-page-faults=true"));
}

/* MPI_Sendrecv is neither a collective nor a send: jobs that only exchange halos have no others. */
TEST(other_mpi_calls_communicate)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coach"));

	launch(&x, 100, 10, "gemm");
	MEM_MPI_OTHER(&x.mem, .start = 1, .end = 2, .pid = 100, .tid = 100);
	ask(&x, NULL);
	expect(&x, "rank is late", "no", "ranks");
}

/* One rank of a job of eight; limits and coach agree that others are missing. */
TEST(limits_count_missing_ranks)
{
	struct wl_process process[1];
	struct wl_trace job;
	struct asked x;
	struct answer a;

	asked_init(&x, "coach");
	launch(&x, 100, 10, "gemm");
	MEM_MPI_OTHER(&x.mem, .start = 1, .end = 2, .pid = 100, .tid = 100);
	job = *mem_seal(&x.mem);
	assert_int_equal(job.n_processes, 1);
	process[0] = job.processes[0];
	process[0].rank = 3;
	process[0].rank_source = WL_RANK_ENV_OMPI;
	job.processes = process;
	job.n_files = 1;
	job.world = 8;
	answer_get(&a, &(struct question){ .analysis = "limits", .trace = &job });
	assert_true(a.table.n_rows > 0);
	assert_string_equal(answer_str(&a, a.table.n_rows - 1, "question"), "7 of the job's ranks");
	assert_true(answer_has_note(&a, "coach lists the open questions"));
	answer_release(&a);
	mem_release(&x.mem);
}

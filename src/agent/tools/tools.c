/* SPDX-License-Identifier: MIT */
/* tools.c - the list of tools. */
#include "agent/tools/tools.h"

#include <string.h>

#include "agent/tools/call.h"

/* Lists show the first sentence; models read the whole text. */
#define SAYS(first, rest) .help = (first), .description = first ". " rest

const struct wl_tool wl_tools[] = {
	{ .name = "open_trace",
	  .title = "Open a trace",
	  SAYS("Open an NVIDIA Nsight Systems trace and get a handle with a summary: "
	       "GPUs, what a step is, where its time goes, the largest findings, what "
	       "this trace cannot answer, and which calls come next",
	       "Start here. Times are integers in nanoseconds."),
	  .input = wl_schema_open_input,
	  .output = wl_schema_open_output,
	  .run = wl_tool_open_trace },
	{ .name = "findings",
	  .title = "What to do next",
	  SAYS("Performance problems of a trace, the largest saving first: what it is, "
	       "how much of the run fixing it saves (saves_share; saves, in ns), "
	       "whether that is a prediction or a bound (saves_kind), why we think so, "
	       "what to change, and a command that shows the evidence",
	       "Use it for \"why is this slow\" and \"what should I do\". A trace "
	       "without findings has none above 1% of the run."),
	  .input = wl_schema_findings_input,
	  .output = wl_schema_findings_output,
	  .run = wl_tool_findings },
	{ .name = "analyze",
	  .title = "Ask a verb",
	  SAYS("One table of a trace, by verb: kernels (time by kernel), ops (single "
	       "operations), overlap and budget (compute, communication, copies, idle), "
	       "idle and gaps (why GPUs wait), iters (steps), ranks (who is late), nccl "
	       "(collectives), transfers (copies), launch (launch overhead), graphs, "
	       "streams, sync, api, osrt, threads (host), nvtx, tree, nvtx-kernels, "
	       "phases (ranges), categories, mfu, path (critical path), whatif, search, "
	       "gpus, processes, coverage",
	       "Narrow it with window, gpu, where; order it with sort; rows are "
	       "aggregated already, so do not add them up from ops. Columns in base "
	       "units (ns, bytes, ratio 0-1). Cite the key of a row or the command in "
	       "how."),
	  .input = wl_schema_analyze_input,
	  .output = wl_schema_table_output,
	  .run = wl_tool_analyze },
	{ .name = "sql",
	  .title = "Run SQL",
	  SAYS("A SELECT on the trace in SQLite, read-only, for what no verb answers: "
	       "every verb is a table with the same columns (SELECT category, sum(sum) "
	       "FROM kernels GROUP BY 1), and so are the tables of the export, ops, "
	       "launches and nvtx_ranges",
	       "Functions: union_ns(start, \"end\"), percentile(x, p), nvtx_at, "
	       "iter_of, category, short_name. Let SQL aggregate: a reply has 50 rows "
	       "unless limit says more. Times in ns. Environment variables and program "
	       "output are hidden."),
	  .input = wl_schema_sql_input,
	  .output = wl_schema_table_output,
	  .run = wl_tool_sql },
	{ .name = "skill",
	  .title = "Run a skill",
	  SAYS("A question kept under a name, with parameters and thresholds that "
	       "become findings; some abstain and say what to record",
	       "Names: nccl_anomaly, kernel_instances, h2d_distribution, "
	       "memory_bandwidth, stream_concurrency, cpu_gpu_pipeline, "
	       "code_attribution_candidates, nccl_communicator_analysis, "
	       "nvtx_layer_breakdown, iteration_detail, region_mfu, theoretical_flops, "
	       "arithmetic_intensity, speedup_estimator and the other names of nsys-ai, "
	       "and the user's own."),
	  .input = wl_schema_skill_input,
	  .output = wl_schema_table_output,
	  .run = wl_tool_skill },
	{ .name = "diff",
	  .title = "Compare two traces",
	  SAYS("Whether a change made a step faster, by how much and why: the verdict "
	       "accounts for noise, and parts add up to the change",
	       "Sections: budget (parts of a step), kernels, ranges, idle, categories, "
	       "copies, ranks. Both traces must be of the same program."),
	  .input = wl_schema_diff_input,
	  .output = wl_schema_table_output,
	  .run = wl_tool_diff },
	{ .name = "describe",
	  .title = "Explain a name",
	  SAYS("What a verb, column, table of the export, finding's code, term or "
	       "kernel name means: definition, options, columns with units, and of a "
	       "finding cause, fix and how to verify it",
	       "Without a name, lists verbs and findings."),
	  .input = wl_schema_describe_input,
	  .output = wl_schema_describe_output,
	  .run = wl_tool_describe },
	{ .name = "plan_capture",
	  .title = "Plan a capture",
	  SAYS("Command lines that record what is missing: nsys for launch overhead, "
	       "communication, host or memory, ncu for why a kernel is slow; under "
	       "torchrun, mpirun, Slurm, containers or Kubernetes",
	       "With a trace it lists which questions that leaves open. Nothing is run: "
	       "show the lines to the user."),
	  .input = wl_schema_plan_input,
	  .output = wl_schema_plan_output,
	  .run = wl_tool_plan_capture },
	{ .name = "show",
	  .title = "Show a window to the user",
	  SAYS("Move the browser page of \"warplens serve\" that the user looks at to a "
	       "window of the trace, to point at what you found: a step (iter:7), times "
	       "(39s..42s), a range (nvtx:NAME#k)",
	       "Needs a server that was started with --page."),
	  .input = wl_schema_show_input,
	  .output = wl_schema_show_output,
	  .run = wl_tool_show,
	  .changes_view = true },
	{ .name = NULL },
};

const struct wl_tool *wl_tool_find(const char *name)
{
	for (const struct wl_tool *t = wl_tools; t->name; t++) {
		if (strcmp(t->name, name) == 0)
			return t;
	}
	return NULL;
}

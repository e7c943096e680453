/* SPDX-License-Identifier: MIT */
/* report.c - the sections of a report in order, with their charts and their files. */
#include "analysis/comm/lateness.h"
#include "analysis/gpu/kernel_blocks.h"
#include "analysis/gpu/roofline.h"
#include "session/document/document_info.h"
#include "table/chart.h"

static const struct wl_chart iterations = {
	.kind = WL_CHART_COLUMNS,
	.title = "Iteration time",
	.shows = "A column per iteration, as high as it took, divided into where its time went.",
	.label = "iter",
	.group = "device",
	.flag = "outlier",
	.parts = { "compute", "exposed_comm", "exposed_copy", "idle" },
};

static const struct wl_chart by_iteration = {
	.kind = WL_CHART_HEAT,
	.title = "Time without compute by GPU and iteration",
	.shows = "A row per GPU and a column per iteration: exposed communication, exposed copies "
		 "and idle time together. A pale row among others is a GPU for which they wait.",
	.label = "iter",
	.group = "device",
	.named = { "rank" },
	.parts = { "exposed_comm", "exposed_copy", "idle" },
	.also = { "period" },
	.says = "without compute",
};

static const struct wl_chart classes = {
	.kind = WL_CHART_STACKS,
	.title = "Where the time goes",
	.shows = "A bar per GPU: all of its window. Shares are of the window; those in the legend "
		 "of all windows together.",
	.label = "device",
	.parts = { "compute", "exposed_comm", "exposed_copy", "idle" },
};

static const struct wl_chart causes = {
	.kind = WL_CHART_BARS,
	.title = "Idle time by cause",
	.shows = "Idle time of all GPUs by its cause. Shares are of all idle time.",
	.label = "cause",
	.group = "device",
	.parts = { "sum" },
	.ranked = true,
};

static const struct wl_chart host_stacks = {
	.kind = WL_CHART_FLAME,
	.title = "Flame graph of host code while GPUs are idle",
	.shows = "A box per function, as wide as its time, below its caller: what the launching "
		 "threads ran while their GPU was idle. Colours are modules; time without a stack "
		 "is "
		 "grey.",
	.label = "function",
	.group = "module",
	.parts = { "total", "self" },
	.wide = true,
};

static const struct wl_chart categories = {
	.kind = WL_CHART_BARS,
	.title = "Busy time by category",
	.shows = "Busy time of all GPUs by category of work; time in which several run is divided "
		 "among them. "
		 "Shares are of all busy time.",
	.label = "category",
	.group = "device",
	.parts = { "elapsed" },
	.ranked = true,
};

static const struct wl_chart durations = {
	.kind = WL_CHART_RANGES,
	.title = "Durations of the top kernels",
	.shows = "Per kernel a line from its shortest to its longest run, a bar from the median to "
		 "the 90th percentile and a stroke at the 99th. The axis is logarithmic. Below the "
		 "name: its share of the time of all kernels, as a bar of the whole width, in the "
		 "colour of its category. At the right: the sum of its runs, and this share.",
	.label = "name",
	.group = "category",
	.parts = { "min", "p50", "p90", "p99", "max" },
	.also = { "sum", "share" },
	.wide = true,
};

static const struct wl_chart sizes = {
	.kind = WL_CHART_BARS,
	.title = "Transfers by size",
	.shows = "Summed time of copies and memory sets of all GPUs by their size and direction. "
		 "Shares are of all that time.",
	.label = "size",
	.group = "kind",
	.parts = { "sum" },
	.also = { "ops", "bytes" },
	.by_group = true,
};

/* Sections that are shown come first. */
static const struct wl_section_info sections[] = {
	{ .title = "What to do next", .analysis = "findings", .file = "findings" },
	{ .title = "Why there is no GPU work", .analysis = "reasons", .of = WL_OF_HOST },
	{ .title = "Recorded on the host",
	  .analysis = "host",
	  .of = WL_OF_HOST,
	  .needed = true,
	  .file = "host" },
	{ .title = "Top functions",
	  .analysis = "stacks",
	  .of = WL_OF_HOST,
	  .args = { "all", "function" },
	  .sort = "self",
	  .file = "functions",
	  .only_data = true },
	{ .title = "Threads",
	  .analysis = "threads",
	  .of = WL_OF_HOST,
	  .file = "host_threads",
	  .only_data = true },
	{ .title = "OS calls",
	  .analysis = "osrt",
	  .of = WL_OF_HOST,
	  .file = "os_calls",
	  .only_data = true },
	{ .title = "CUDA calls",
	  .analysis = "api",
	  .of = WL_OF_HOST,
	  .file = "cuda_calls",
	  .only_data = true },
	{ .title = "By rank",
	  .analysis = "ranks",
	  .columns = "rank,device,host,compute,wait,transfer,idle,lateness,saving,why",
	  .file = "ranks",
	  .only_in_job = true },
	{ .title = "Iterations",
	  .analysis = "iters",
	  .chart = &iterations,
	  .other = &by_iteration,
	  .file = "iterations" },
	{ .title = "Where a step goes", .analysis = "budget", .file = "step_budget" },
	{ .title = "By GPU",
	  .analysis = "overlap",
	  .needed = true,
	  .chart = &classes,
	  .columns = "device,rank,window,compute,exposed_comm,exposed_copy,idle,busy_share,"
		     "overlap,kernel_busy",
	  .file = "gpu_time" },
	{ .title = "Lateness by rank and step",
	  .analysis = "ranks",
	  .args = { "step" },
	  .chart = &wl_lateness_chart,
	  .columns = "rank,device,step,compute,wait,transfer,idle,lateness",
	  .sort = "lateness",
	  .file = "ranks_by_step",
	  .only_data = true },
	{ .title = "Why the GPUs were idle",
	  .analysis = "idle",
	  .chart = &causes,
	  .file = "idle_causes" },
	{ .title = "What the host ran while GPUs were idle",
	  .analysis = "stacks",
	  .chart = &host_stacks,
	  .file = "idle_stacks",
	  .only_data = true },
	{ .title = "Idle gaps", .analysis = "gaps", .file = "gpu_idle_gaps" },
	{ .title = "By category",
	  .analysis = "categories",
	  .chart = &categories,
	  .file = "categories" },
	{ .title = "Transfers by size",
	  .analysis = "transfers",
	  .args = { NULL, "size" },
	  .chart = &sizes,
	  .file = "transfers_by_size" },
	{ .title = "Top kernels",
	  .analysis = "kernels",
	  .args = { NULL, "name" },
	  .chart = &durations,
	  .columns = "name,calls,sum,share,avg,p50,p90,p99,max",
	  .file = "kernels" },
	{ .title = "Tails of kernels",
	  .analysis = "kernels",
	  .args = { NULL, "block" },
	  .chart = &wl_blocks_chart,
	  .file = "kernel_blocks",
	  .only_data = true },
	{ .title = "Roofline",
	  .analysis = "roofline",
	  .only_with_ncu = true,
	  .chart = &wl_roofline_chart,
	  .file = "roofline" },
	{ .title = "Kernels by GPU",
	  .analysis = "kernels",
	  .args = { NULL, "device" },
	  .columns = "name,device,calls,sum,share,avg,p50,p90",
	  .file = "kernels_by_gpu" },
	{ .title = "Kernels by process",
	  .analysis = "kernels",
	  .args = { NULL, "pid" },
	  .columns = "name,pid,calls,sum,share,avg,p50,p90",
	  .file = "kernels_by_pid" },
	{ .title = "Communication", .analysis = "nccl", .file = "communication" },
	{ .title = "Transfers", .analysis = "transfers", .file = "transfers" },
	{ .title = "Waits of the host", .analysis = "sync", .file = "sync" },
	{ .title = "Waits of the host by process",
	  .analysis = "sync",
	  .args = { "pid" },
	  .file = "sync_by_pid" },
	{ .title = "Launches", .analysis = "launch", .file = "launches" },
	{ .title = "Launch rate",
	  .analysis = "launch",
	  .args = { "device" },
	  .file = "launch_rate" },
	{ .title = "CUDA graphs", .analysis = "graphs", .file = "cuda_graphs" },
	{ .title = "NVTX ranges", .analysis = "nvtx", .of = WL_OF_ANY, .file = "nvtx_ranges" },
	{ .title = "Kernels of NVTX ranges", .analysis = "nvtx-kernels", .file = "nvtx_kernels" },
	{ .title = "Phases", .analysis = "phases", .file = "phases" },
	{ .title = "Streams", .analysis = "streams", .file = "streams" },
	{ .title = "Processes", .analysis = "pids", .file = "processes" },
	{ .title = "GPUs", .analysis = "gpus", .file = "gpus" },
	{ .title = "Not recorded", .analysis = "limits", .of = WL_OF_ANY },
	{ .title = "Recorded, not used", .analysis = "unused", .of = WL_OF_ANY },
	{ .title = "Profiler's own diagnostics",
	  .analysis = "diagnostics",
	  .of = WL_OF_ANY,
	  .file = "diagnostics" },
	{ .analysis = "nvtx",
	  .args = { NULL, NULL, NULL, NULL, "pid" },
	  .file = "nvtx_by_pid",
	  .only_file = true,
	  .only_data = true },
	{ .analysis = "api", .file = "api", .only_file = true },
	{ .analysis = "osrt", .file = "osrt", .only_file = true },
	{ .analysis = "threads", .file = "threads", .only_file = true },
};

const struct wl_document_info wl_report_document = {
	.name = "report",
	.sections = sections,
	.n_sections = WL_COUNT(sections),
	.explains = true,
};

/* SPDX-License-Identifier: MIT */
#include "compare/diff/diff_cols.h"

#include <string.h>

/*
 * Keys, titles and types that several tables share: a reader of JSON finds the same words in
 * each.
 */
#define BEFORE_COL "before", "Before", WL_T_NS
#define AFTER_COL  "after", "After", WL_T_NS
#define CHANGE_COL "change", "Change", WL_T_NS
#define RATIO_COL  "change_ratio", "Change %", WL_T_RATIO
#define RATIO_HELP "The change relative to before; empty where that is 0."

static const struct wl_col verdict_cols[WL_N_VERDICT_COLS] = {
	[WL_VERDICT_METRIC] = { "metric", "Metric", WL_T_ENUM, WL_KEY,
				"step: the median step. mean_step: the mean, which the other "
				"tables add up to. compute_skew: compute of the rank that has "
				"most above the mean of all. window: where there are no steps." },
	[WL_VERDICT_BEFORE] = { BEFORE_COL, WL_PLAIN, "Of the first side." },
	[WL_VERDICT_AFTER] = { AFTER_COL, WL_PLAIN, "Of the second side." },
	[WL_VERDICT_CHANGE] = { CHANGE_COL, WL_CHANGE, "after - before; above 0 is slower." },
	[WL_VERDICT_RATIO] = { RATIO_COL, WL_CHANGE, RATIO_HELP },
	[WL_VERDICT_LOW] = { "low", "Low", WL_T_NS, WL_MINOR | WL_CHANGE,
			     "Lower end of the 95% interval of the change." },
	[WL_VERDICT_HIGH] = { "high", "High", WL_T_NS, WL_MINOR | WL_CHANGE,
			      "Upper end of that interval." },
	[WL_VERDICT_VERDICT] = { "verdict", "Verdict", WL_T_ENUM, WL_PLAIN,
				 "slower, faster, same, inconclusive; incomparable: other work; "
				 "totals: windows were compared. Nothing is judged in the last two "
				 "cases." },
	[WL_VERDICT_N_BEFORE] = { "n_before", "Steps", WL_T_COUNT, WL_MINOR,
				  "Steps in the first sample." },
	[WL_VERDICT_N_AFTER] = { "n_after", "Steps after", WL_T_COUNT, WL_MINOR,
				 "Steps in the second sample." },
	[WL_VERDICT_LEFT_BEFORE] = { "left_out_before", "Left out", WL_T_COUNT, WL_MINOR,
				     "Iterations of the first side that are not in the sample: "
				     "the first, the last and outliers." },
	[WL_VERDICT_LEFT_AFTER] = { "left_out_after", "Left out after", WL_T_COUNT, WL_MINOR,
				    "The same of the second side." },
	[WL_VERDICT_SCENARIO] = { "scenario", "Scenario", WL_T_STR, WL_MINOR,
				  "Of the step: the standard what-if scenario that brings the "
				  "slower side nearest to the other; empty where none is slower." },
	[WL_VERDICT_REPLAYED] = { "replayed", "Replayed", WL_T_NS, WL_MINOR,
				  "Step of the slower side in that scenario." },
	[WL_VERDICT_RESIDUAL] = { "residual", "Residual", WL_T_NS, WL_MINOR | WL_CHANGE,
				  "That minus the step of the other side." },
};

static const struct wl_col budget_cols[WL_N_BUDGET_COLS] = {
	[WL_BUDGET_PART] = { "part", "Part", WL_T_ENUM, WL_KEY,
			     "What the time went to; of idle time the cause, as in idle. "
			     "rank_skew: what the slowest process is above the mean." },
	[WL_BUDGET_KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN,
			     "compute, exposed, idle or skew." },
	[WL_BUDGET_BEFORE] = { BEFORE_COL, WL_SUM, "Per step, mean of the first side." },
	[WL_BUDGET_AFTER] = { AFTER_COL, WL_SUM, "Per step, mean of the second side." },
	[WL_BUDGET_CHANGE] = { CHANGE_COL, WL_SUM | WL_CHANGE,
			       "after - before; adds up to that of the step." },
	[WL_BUDGET_SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
			      "Of the change of the mean step." },
};

#define STATE_HELP "same, slower or faster by the threshold or more, new, removed, renamed."

#define ROWS_COLS(what, flags)                                                                     \
	[WL_ROWS_NAME] = { "name", what, WL_T_STR, WL_KEY | (flags),                               \
			   "Name on the second side; on the first, where only that has it." },     \
	[WL_ROWS_STATE] = { "state", "State", WL_T_ENUM, WL_PLAIN, STATE_HELP },                   \
	[WL_ROWS_CALLS_BEFORE] = { "calls_before", "Calls", WL_T_REAL, WL_MINOR,                   \
				   "Per step on the first side." },                                \
	[WL_ROWS_CALLS_AFTER] = { "calls_after", "Calls after", WL_T_REAL, WL_MINOR,               \
				  "Per step on the second side." },                                \
	[WL_ROWS_BEFORE] = { BEFORE_COL, WL_SUM, "Sum of durations per step, first side." },       \
	[WL_ROWS_AFTER] = { AFTER_COL, WL_SUM, "Sum of durations per step, second side." },        \
	[WL_ROWS_CHANGE] = { CHANGE_COL, WL_SUM | WL_CHANGE, "after - before." },                  \
	[WL_ROWS_COUNT_EFFECT] = { "count_effect", "By count", WL_T_NS,                            \
				   WL_SUM | WL_MINOR | WL_CHANGE,                                  \
				   "Part of the change that comes from more or fewer calls." },    \
	[WL_ROWS_RATIO] = { RATIO_COL, WL_CHANGE, RATIO_HELP },                                    \
	[WL_ROWS_DURATION_EFFECT] = { "duration_effect", "By duration", WL_T_NS,                   \
				      WL_SUM | WL_MINOR | WL_CHANGE,                               \
				      "What comes from longer or shorter ones: the rest." }

static const struct wl_col kernel_cols[WL_N_ROWS_COLS] = {
	ROWS_COLS("Kernel", WL_KERNEL),
	[WL_ROWS_WAS] = { "was", "Was", WL_T_STR, WL_MINOR | WL_KERNEL,
			  "Of a renamed kernel, its name on the first side." },
};

/* Without the last column: categories are never renamed. */
static const struct wl_col category_cols[WL_ROWS_WAS] = { ROWS_COLS("Category", WL_PLAIN) };

static const struct wl_col copy_cols[WL_ROWS_WAS] = { ROWS_COLS("Copy", WL_PLAIN) };

static const struct wl_col range_cols[WL_N_RANGES_COLS] = {
	ROWS_COLS("Range", WL_PLAIN),
	[WL_RANGES_GPU_BEFORE] = { "gpu_before", "GPU", WL_T_NS, WL_MINOR,
				   "Durations of operations launched inside, per step." },
	[WL_RANGES_GPU_AFTER] = { "gpu_after", "GPU after", WL_T_NS, WL_MINOR,
				  "The same of the second side." },
	[WL_RANGES_GPU_CHANGE] = { "gpu_change", "GPU change", WL_T_NS, WL_CHANGE,
				   "gpu_after - gpu_before." },
};

static const struct wl_col idle_cols[WL_N_IDLE_COLS] = {
	[WL_IDLE_CAUSE] = { "cause", "Cause", WL_T_ENUM, WL_KEY, "Cause of the idle time." },
	[WL_IDLE_DETAIL] = { "detail", "Detail", WL_T_STR, WL_KEY,
			     "The call, OS function or NVTX range the launching thread was in." },
	[WL_IDLE_BEFORE] = { BEFORE_COL, WL_SUM, "Per step, first side." },
	[WL_IDLE_AFTER] = { AFTER_COL, WL_SUM, "Per step, second side." },
	[WL_IDLE_CHANGE] = { CHANGE_COL, WL_SUM | WL_CHANGE, "after - before." },
};

static const struct wl_col function_cols[WL_N_FUNCTIONS_COLS] = {
	[WL_FUNCTIONS_NAME] = { "function", "Function", WL_T_STR, WL_KEY,
				"What the launching thread ran while the GPU was idle; [no stack] "
				"if that is not known." },
	[WL_FUNCTIONS_BEFORE] = { BEFORE_COL, WL_SUM, "Per step, first side." },
	[WL_FUNCTIONS_AFTER] = { AFTER_COL, WL_SUM, "Per step, second side." },
	[WL_FUNCTIONS_CHANGE] = { CHANGE_COL, WL_SUM | WL_CHANGE, "after - before." },
	[WL_FUNCTIONS_ERROR] = { "error", "Error", WL_T_NS, WL_PLAIN,
				 "What the chance of sampling may have of the change: two standard "
				 "deviations." },
};

static const struct wl_col rank_cols[WL_N_RANKS_COLS] = {
	[WL_RANKS_RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY,
			    "Rank of the process; empty if unknown." },
	[WL_RANKS_PID_BEFORE] = { "pid_before", "PID", WL_T_COUNT, WL_KEY | WL_MINOR,
				  "Process of the rank, first side." },
	[WL_RANKS_PID_AFTER] = { "pid_after", "PID after", WL_T_COUNT, WL_MINOR | WL_NUMBER,
				 "Process of the rank, second side." },
	[WL_RANKS_BEFORE] = { BEFORE_COL, WL_PLAIN, "Median period, first side." },
	[WL_RANKS_AFTER] = { AFTER_COL, WL_PLAIN, "Median period, second side." },
	[WL_RANKS_CHANGE] = { CHANGE_COL, WL_CHANGE, "after - before." },
	[WL_RANKS_LOW] = { "low", "Low", WL_T_NS, WL_MINOR | WL_CHANGE,
			   "Lower end of the 95% interval of the change." },
	[WL_RANKS_HIGH] = { "high", "High", WL_T_NS, WL_MINOR | WL_CHANGE,
			    "Upper end of that interval." },
	[WL_RANKS_VERDICT] = { "verdict", "Verdict", WL_T_ENUM, WL_PLAIN, "As of the step." },
	[WL_RANKS_DEVICE] = { "device", "GPU", WL_T_COUNT, WL_PLAIN,
			      "GPU on which the rank spends most time, second side." },
	[WL_RANKS_COMPUTE_BEFORE] = { "compute_before", "Compute before", WL_T_NS, WL_MINOR,
				      "Mean per step, first side." },
	[WL_RANKS_COMPUTE_AFTER] = { "compute_after", "Compute after", WL_T_NS, WL_MINOR,
				     "Mean per step, second side." },
	[WL_RANKS_COMPUTE_CHANGE] = { "compute_change", "Compute", WL_T_NS, WL_CHANGE,
				      "Change of its compute per step." },
	[WL_RANKS_COMM_BEFORE] = { "exposed_comm_before", "Exposed comm before", WL_T_NS, WL_MINOR,
				   "Mean per step, first side." },
	[WL_RANKS_COMM_AFTER] = { "exposed_comm_after", "Exposed comm after", WL_T_NS, WL_MINOR,
				  "Mean per step, second side." },
	[WL_RANKS_COMM_CHANGE] = { "exposed_comm_change", "Exposed comm", WL_T_NS, WL_CHANGE,
				   "Change of its exposed communication per step, which includes "
				   "the wait for slower ranks." },
};

static const struct wl_col gate_cols[WL_N_GATES_COLS] = {
	[WL_GATES_GATE] = { "gate", "Gate", WL_T_STR, WL_KEY, "The gate as given." },
	[WL_GATES_OUTCOME] = { "outcome", "Outcome", WL_T_ENUM, WL_PLAIN,
			       "passed, failed, inconclusive, or skipped: not comparable." },
	[WL_GATES_MESSAGE] = { "message", "Because", WL_T_STR, WL_PROSE, "Why, in words." },
	[WL_GATES_METRIC] = { "metric", "Metric", WL_T_ENUM, WL_MINOR,
			      "Metric that the gate limits." },
	[WL_GATES_BEFORE] = { BEFORE_COL, WL_MINOR, "Old median; not of launches." },
	[WL_GATES_AFTER] = { AFTER_COL, WL_MINOR, "New median; not of launches." },
	[WL_GATES_CHANGE] = { CHANGE_COL, WL_MINOR | WL_CHANGE, "after - before." },
	[WL_GATES_LIMIT] = { "limit", "Limit", WL_T_NS, WL_MINOR,
			     "The limit applies to the change if the gate is in percent, else to "
			     "after." },
	[WL_GATES_LOW] = { "low", "Low", WL_T_NS, WL_MINOR,
			   "Lower end of the 95% interval of the value that the limit applies "
			   "to." },
	[WL_GATES_HIGH] = { "high", "High", WL_T_NS, WL_MINOR, "Upper end of that interval." },
	[WL_GATES_LAUNCHES_BEFORE] = { "launches_before", "Launches", WL_T_COUNT, WL_MINOR,
				       "Old median, of a gate about launches." },
	[WL_GATES_LAUNCHES_AFTER] = { "launches_after", "Launches after", WL_T_COUNT, WL_MINOR,
				      "New median." },
};

const struct wl_table_info wl_diff_tables[] = {
	[WL_DIFF_VERDICT] = { "verdict", "Verdict", verdict_cols, WL_COUNT(verdict_cols) },
	[WL_DIFF_BUDGET] = { "budget", "Where the time went", budget_cols, WL_COUNT(budget_cols) },
	[WL_DIFF_KERNELS] = { "kernels", "Kernels", kernel_cols, WL_COUNT(kernel_cols) },
	[WL_DIFF_RANGES] = { "ranges", "NVTX ranges", range_cols, WL_COUNT(range_cols) },
	[WL_DIFF_IDLE] = { "idle", "Idle time by cause", idle_cols, WL_COUNT(idle_cols) },
	[WL_DIFF_CATEGORIES] = { "categories", "Categories", category_cols,
				 WL_COUNT(category_cols) },
	[WL_DIFF_COPIES] = { "copies", "Copies", copy_cols, WL_COUNT(copy_cols) },
	[WL_DIFF_RANKS] = { "ranks", "Ranks", rank_cols, WL_COUNT(rank_cols) },
	[WL_DIFF_FUNCTIONS] = { "functions", "Host functions while GPUs are idle", function_cols,
				WL_COUNT(function_cols) },
	[WL_DIFF_GATES] = { "gates", "Gates", gate_cols, WL_COUNT(gate_cols) },
	/* Ends the list for readers that do not know its length. */
	[WL_N_DIFF_SECTIONS] = { NULL, NULL, NULL, 0 },
};

enum wl_diff_section wl_diff_section_find(const char *name)
{
	enum wl_diff_section s = WL_DIFF_VERDICT;

	while (s < WL_N_DIFF_SECTIONS && strcmp(wl_diff_tables[s].name, name) != 0)
		s++;
	return s;
}

/* SPDX-License-Identifier: MIT */
/* kernel_blocks.h - the columns of kernels --by block, and their chart. */
#ifndef WL_ANALYSIS_KERNEL_BLOCKS_H
#define WL_ANALYSIS_KERNEL_BLOCKS_H

#include "analysis/analysis.h"
#include "derive/use/block_use.h"
#include "table/chart.h"

enum { WL_N_BLOCK_COLS = 12 };

/* clang-format off */
/* The columns of a table, in this order. */
#define WL_BLOCK_COLS \
	{ "blocks", "Blocks", WL_T_COUNT, WL_PLAIN, "Their thread blocks." }, \
	{ "sms", "SMs", WL_T_COUNT, WL_PLAIN, "Multiprocessors that ran any, the most of one execution." }, \
	{ "span", "Span", WL_T_NS, WL_SUM, "From the begin of the first block to the end of the last, over executions." }, \
	{ "tail", "Tail", WL_T_NS, WL_SUM | WL_ANSWER, "Part of that since a multiprocessor finished its last block." }, \
	{ "tail_share", "Tail share", WL_T_RATIO, WL_ANSWER, "Share of the span." }, \
	{ "tail_idle", "Idle in tail", WL_T_RATIO, WL_PLAIN, "Share of multiprocessor time behind the last block of each." }, \
	{ "imbalance", "Imbalance", WL_T_RATIO, WL_ANSWER, "What multiprocessors lack on average to the time that the busiest runs blocks." }, \
	{ "block_avg", "Block avg", WL_T_NS, WL_MINOR, "Mean duration of a block." }, \
	{ "block_max", "Longest block", WL_T_NS, WL_MINOR, "Duration of the longest block." }, \
	{ "block_ratio", "Longest/avg", WL_T_REAL, WL_MINOR, "The longest block, in means." }, \
	{ "warps", "Warps", WL_T_COUNT, WL_MINOR, "Their warps that were recorded." }, \
	{ "warp_imbalance", "Warp imbalance", WL_T_RATIO, WL_MINOR, "What warps lack on average to the longest of their block." }
/* clang-format on */

extern const struct wl_chart wl_blocks_chart;

/* Put the cells from column first on. */
void wl_blocks_put(const struct wl_block_use *use, size_t first, struct wl_table *out);

/* Note how many blocks belong to no kernel, if any. */
void wl_blocks_note(const struct wl_run *run, const struct wl_block_runs *runs,
		    struct wl_table *out);

/* Why there are no blocks; NULL if there are. */
const char *wl_blocks_lack(const struct wl_trace *trace);

#endif

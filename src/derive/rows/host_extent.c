/* SPDX-License-Identifier: MIT */
#include "derive/rows/host_extent.h"

#include "known/exports/codes.h"

bool wl_host_extent(const struct wl_trace *trace, const struct wl_scope *scope,
		    enum wl_family_id family, struct wl_interval *ret)
{
	const struct wl_thread_rows rows = wl_trace_thread_rows(trace, family);
	const uint8_t *kind = family == WL_F_NVTX ? wl_nvtx_kind(trace) : NULL;
	bool any = false;

	/*
	 * Linear: the rows of a thread are ordered by start but not by end, and threads are not in
	 * order of time.
	 */
	for (size_t i = 0; rows.start && rows.thread && i < rows.n; i++) {
		wl_ns start = rows.start[i], end = rows.dur ? wl_thread_row_end(&rows, i) : start;

		/* Other NVTX rows only name domains and categories; their times are meaningless. */
		if (!scope->process_on[trace->threads[rows.thread[i]].process] ||
		    (kind && kind[i] != WL_NVTX_MARK && !wl_nvtx_is_range(kind[i])))
			continue;
		ret->begin = any && ret->begin < start ? ret->begin : start;
		ret->end = any && ret->end > end ? ret->end : end;
		any = true;
	}
	return any;
}

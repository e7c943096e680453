/* SPDX-License-Identifier: MIT */
#include "derive/rows/host_extent.h"

#include "known/codes.h"

bool wl_host_extent(const struct wl_trace *trace, const struct wl_scope *scope,
		    enum wl_family_id family, struct wl_interval *ret)
{
	const struct wl_family *f = &trace->family[family];
	const struct wl_key_columns c = wl_family_keys(family);
	const wl_ns *start = trace->column[c.start];
	const uint32_t *dur = c.dur < WL_N_COLUMNS ? trace->column[c.dur] : NULL;
	const uint32_t *thread = trace->column[c.owner];
	const uint8_t *kind = family == WL_F_NVTX ? wl_nvtx_kind(trace) : NULL;
	bool any = false;

	/*
	 * Linear: rows of a thread are in order of their starts, but ends are not, and threads are
	 * not in order of time.
	 */
	for (size_t i = 0; start && thread && i < f->n; i++) {
		wl_ns end = start[i] + (dur ? wl_dur(f, dur, i) : 0);

		/* Other NVTX rows name domains and categories; their times say nothing. */
		if (!scope->process_on[trace->threads[thread[i]].process] ||
		    (kind && kind[i] != WL_NVTX_MARK && !wl_nvtx_is_range(kind[i])))
			continue;
		ret->begin = any && ret->begin < start[i] ? ret->begin : start[i];
		ret->end = any && ret->end > end ? ret->end : end;
		any = true;
	}
	return any;
}

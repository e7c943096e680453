/* SPDX-License-Identifier: MIT */
#include "derive/rows/ops.h"

#include "base/memory/bound.h"
#include "derive/rows/scope.h"
#include "known/exports/codes.h"

/*
 * Each family is ordered by start on a device, so four cursors yield all operations in order
 * without sorting.
 */
void wl_ops_begin(const struct wl_trace *trace, uint32_t device, struct wl_op_cursor *ret)
{
	*ret = (struct wl_op_cursor){ .trace = trace, .until = INT64_MIN };
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		ret->ops[i] = wl_trace_ops(trace, wl_op_families[i]);
		wl_ops_on_device(trace, &ret->ops[i], device, &ret->row[i], &ret->end[i]);
	}
}

void wl_ops_skip(struct wl_op_cursor *c, wl_ns to)
{
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		/* A family without rows may have no column. */
		if (c->row[i] < c->end[i])
			c->row[i] +=
				WL_BELOW(c->ops[i].start + c->row[i], c->end[i] - c->row[i], to);
	}
	c->until = INT64_MIN;
}

/* If families start together, the first one goes first and may continue up to another's start. */
bool wl_ops_turn(struct wl_op_cursor *c)
{
	wl_ns start[WL_N_OP_FAMILIES];
	unsigned best = WL_N_OP_FAMILIES;

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		start[i] = c->row[i] < c->end[i] ? c->ops[i].start[c->row[i]] : INT64_MAX;
		if (c->row[i] < c->end[i] && (best == WL_N_OP_FAMILIES || start[i] < start[best]))
			best = i;
	}
	if (best == WL_N_OP_FAMILIES)
		return false;
	c->kind = (enum wl_op_kind)best;
	c->until = INT64_MAX;
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		/*
		 * A later family that starts at the same time must wait, so its bound is one
		 * further.
		 */
		wl_ns until = i > best && start[i] < INT64_MAX ? start[i] + 1 : start[i];

		if (i != best && until < c->until)
			c->until = until;
	}
	return true;
}

const char *wl_op_name(const struct wl_trace *trace, enum wl_family_id family, size_t row)
{
	if (family == WL_F_KERNELS)
		return wl_str(trace, trace->kernel_names[wl_kernels_name(trace)[row]].demangled);
	if (family == WL_F_MEMCPYS)
		return wl_copy_kind_title(wl_memcpys_kind(trace)[row]);
	return family == WL_F_MEMSETS ? "[CUDA memset]" : "(graph)";
}

#include "derive/ops.h"

#include "derive/scope.h"
#include "facts/codes.h"

void wl_ops_begin(const struct wl_trace *trace, uint32_t device, struct wl_op_cursor *ret)
{
	ret->trace = trace;
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		ret->ops[i] = wl_trace_ops(trace, wl_op_families[i]);
		wl_ops_on_device(trace, &ret->ops[i], device, &ret->row[i], &ret->end[i]);
	}
}

bool wl_ops_next(struct wl_op_cursor *c, struct wl_op *ret)
{
	unsigned best = WL_N_OP_FAMILIES;
	wl_ns start = 0;
	size_t row;

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++) {
		if (c->row[i] < c->end[i] &&
		    (best == WL_N_OP_FAMILIES || c->ops[i].start[c->row[i]] < start)) {
			best = i;
			start = c->ops[i].start[c->row[i]];
		}
	}
	if (best == WL_N_OP_FAMILIES)
		return false;
	row = c->row[best]++;
	*ret = (struct wl_op){
		.family = wl_op_families[best],
		.kind = (enum wl_op_kind)best,
		.place = c->ops[best].place[row],
		.row = row,
		.start = start,
		.end = start + wl_dur(c->ops[best].family, c->ops[best].dur, row),
	};
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

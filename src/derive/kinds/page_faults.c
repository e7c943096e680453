/* SPDX-License-Identifier: MIT */
#include "derive/kinds/page_faults.h"

#include "derive/derived.h"
#include "known/exports/codes.h"

bool wl_migrates_by_fault(const struct wl_trace *t, size_t row)
{
	const uint8_t *kind = wl_memcpys_kind(t), *cause = wl_memcpys_cause(t);

	/* Prefetched pages migrate, too, but nothing faults on them. */
	return kind && cause && wl_copy_is_managed(kind[row]) &&
	       (cause[row] == WL_MIGRATES_BY_FAULT || cause[row] == WL_MIGRATES_NEAR_FAULT);
}

bool wl_is_page_fault(const struct wl_trace *t, size_t row)
{
	return wl_migrates_by_fault(t, row) && wl_memcpys_kind(t)[row] == WL_COPY_UVM_H2D;
}

struct asking {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_classes *classes;
	uint32_t device;
};

/* Whether a row is a compute kernel or a fault migration. */
static bool is_meant(const struct asking *a, enum wl_family_id family, size_t row)
{
	if (family == WL_F_MEMCPYS)
		return wl_is_page_fault(a->trace, row);
	return wl_class_of(a->trace, a->classes, family, row) == WL_COMPUTE;
}

/* Rows of a device are in order of start. */
static bool unite(const struct asking *a, enum wl_family_id family, struct wl_arena *arena,
		  struct wl_intervals *ret)
{
	const struct wl_ops ops = wl_trace_ops(a->trace, family);
	struct wl_interval *list;
	size_t lo, hi, n = 0;

	wl_ops_on_device(a->trace, &ops, a->device, &lo, &hi);
	list = WL_NEW(arena, struct wl_interval, hi - lo);
	for (size_t i = lo; list && i < hi; i++) {
		if (is_meant(a, family, i) &&
		    wl_op_clip(a->trace, a->scope, &ops, i, &list[n].begin, &list[n].end))
			n++;
	}
	return list && wl_intervals_union(list, n, arena, ret);
}

bool wl_page_faults_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 uint32_t device, struct wl_arena *arena, struct wl_page_faults *ret)
{
	const struct asking a = { derived->trace, scope, derived->classes, device };

	return unite(&a, WL_F_MEMCPYS, arena, &ret->migrations) &&
	       unite(&a, WL_F_KERNELS, arena, &ret->kernels) &&
	       wl_intervals_intersect(&ret->migrations, &ret->kernels, arena, &ret->both);
}

/* SPDX-License-Identifier: MIT */
/*
 * page_faults.h - intervals in which page faults of kernels migrate managed memory to a device.
 *
 * A kernel that touches a page in host memory waits until the page has migrated. That time is the
 * kernel's, so the accounts call it compute. Prefetched pages and pages moved by access counters
 * while kernels work on them are not counted, nor are migrations whose cause the trace does not
 * record.
 */
#ifndef WL_DERIVE_PAGE_FAULTS_H
#define WL_DERIVE_PAGE_FAULTS_H

#include "derive/kinds/classes.h"
#include "derive/kinds/intervals.h"

struct wl_derived;

struct wl_page_faults {
	struct wl_intervals migrations; /* caused by faults, from the host to the device */
	struct wl_intervals kernels;    /* that compute */
	struct wl_intervals both;       /* both: kernels may be stalled */
};

/* Whether a row of memcpys is a migration caused by a page fault, including what the driver adds to
 * it. */
bool wl_migrates_by_fault(const struct wl_trace *trace, size_t memcpy_row);

/* Whether a row of memcpys is a migration to the device caused by a fault of a kernel. */
bool wl_is_page_fault(const struct wl_trace *trace, size_t memcpy_row);

/*
 * Find the intervals of a device, from operations that the scope admits. Owned by the arena; false
 * when that is exhausted. Linear in the device's kernels and copies.
 */
bool wl_page_faults_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 uint32_t device, struct wl_arena *arena,
			 struct wl_page_faults *ret) WL_MUST_CHECK;

#endif

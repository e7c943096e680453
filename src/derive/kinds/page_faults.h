/* SPDX-License-Identifier: MIT */
/*
 * page_faults.h - intervals in which page faults of kernels bring managed memory to a device.
 *
 * A kernel that touches a page in host memory waits until the page has migrated. That time
 * is the kernel's, so the accounts call it compute. Pages that the program prefetches, and
 * those that access counters move while kernels work on them, are not counted; nor are
 * migrations of which the trace does not say the cause.
 */
#ifndef WL_DERIVE_PAGE_FAULTS_H
#define WL_DERIVE_PAGE_FAULTS_H

#include "derive/kinds/classes.h"
#include "derive/kinds/intervals.h"

struct wl_derived;

struct wl_page_faults {
	struct wl_intervals migrations; /* by faults, from the host to the device */
	struct wl_intervals kernels;    /* that compute */
	struct wl_intervals both;       /* kernels may be stalled */
};

/* A row of memcpys is a migration that a page fault caused, with what the driver adds to it. */
bool wl_migrates_by_fault(const struct wl_trace *trace, size_t memcpy_row);

/* A row of memcpys is a migration to the device that a fault of a kernel caused. */
bool wl_is_page_fault(const struct wl_trace *trace, size_t memcpy_row);

/*
 * On a device, as far as the scope admits the operations. Owned by the arena; false when
 * that is exhausted. Linear in the device's kernels and copies.
 */
bool wl_page_faults_find(const struct wl_derived *derived, const struct wl_scope *scope,
			 uint32_t device, struct wl_arena *arena,
			 struct wl_page_faults *ret) WL_MUST_CHECK;

#endif

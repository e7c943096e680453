/* SPDX-License-Identifier: MIT */
/* category_kernels.h - the kernels and copies of a device by name, each with its category. */
#ifndef WL_DERIVE_CATEGORY_KERNELS_H
#define WL_DERIVE_CATEGORY_KERNELS_H

#include "derive/kinds/category_times.h"

struct wl_category_kernel {
	enum wl_family_id family;
	size_t row; /* row of one of its operations: wl_op_name() names them all */
	uint8_t category;
	int64_t instances; /* with a part in the window */
	int64_t sum;       /* total length of their parts; saturates at INT64_MAX */
};

/*
 * Sorted by sum, largest first, then by name. Owned by the arena; NULL when that is exhausted.
 * Linear in the device's operations, plus a sort of the names.
 */
const struct wl_category_kernel *wl_category_kernels_find(
	const struct wl_category_question *question, struct wl_arena *arena,
	size_t *ret_n) WL_MUST_CHECK;

#endif

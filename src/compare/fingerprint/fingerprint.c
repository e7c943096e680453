/* SPDX-License-Identifier: MIT */
#include "compare/fingerprint/fingerprint.h"

const char *wl_part_name(enum wl_part part)
{
	switch (part) {
	case WL_PART_COMPUTE:
		return "compute";
	case WL_PART_EXPOSED_COMM:
		return "exposed_comm";
	case WL_PART_EXPOSED_COPY:
		return "exposed_copy";
	case WL_PART_RANK_SKEW:
		return "rank_skew";
	case WL_PART_IDLE:
	case WL_N_PARTS:
		break;
	}
	return wl_cause_name((enum wl_cause)(part - WL_PART_IDLE));
}

int64_t wl_fp_divisor(const struct wl_fingerprint *f, enum wl_extent extent)
{
	return extent == WL_OF_STEPS ? (int64_t)(f->n_steps * f->n_processes)
				     : (int64_t)f->n_devices;
}

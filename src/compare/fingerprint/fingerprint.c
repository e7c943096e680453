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

/* Parts of idle time are by cause already. */
static bool keep_causes(struct wl_fingerprint *f, struct wl_arena *arena)
{
	struct wl_fp_wait *wait = WL_NEW(arena, struct wl_fp_wait, WL_N_CAUSES);

	f->n_waits = 0;
	for (size_t c = 0; wait && c < WL_N_CAUSES; c++) {
		struct wl_fp_wait *w = &wait[f->n_waits];

		*w = (struct wl_fp_wait){ .cause = (enum wl_cause)c };
		for (size_t x = 0; x < WL_N_EXTENTS; x++)
			w->ns[x] = f->part[x][WL_PART_IDLE + c];
		f->n_waits += w->ns[WL_OF_STEPS] || w->ns[WL_OF_WINDOW];
	}
	f->wait = wait;
	return wait != NULL;
}

bool wl_fp_keep_sums(struct wl_fingerprint *f, struct wl_arena *arena)
{
	static const struct wl_fp_list none = { .n = 0 };
	struct wl_fp_rank *rank = WL_NEW(arena, struct wl_fp_rank, f->n_ranks);
	int64_t *launches = WL_NEW(arena, int64_t, f->n_steps);

	if (!rank || !launches || !keep_causes(f, arena) ||
	    !wl_series_make(launches, f->n_steps, arena, &f->launch_series))
		return false;
	for (size_t i = 0; i < f->n_ranks; i++) {
		rank[i] = f->rank[i];
		rank[i].n_kernels = 0;
	}
	f->rank = rank;
	f->kernels = f->ranges = f->categories = f->copies = none;
	for (size_t x = 0; x < WL_N_EXTENTS; x++)
		f->launches[x] = 0;
	f->n_functions = f->n_whatifs = 0;
	f->is_of_sums = true;
	return true;
}

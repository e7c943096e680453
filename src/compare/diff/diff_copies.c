/* SPDX-License-Identifier: MIT */
/* diff_copies.c - whether copies within the GPU, which count with compute, explain its change. */
#include <stdlib.h>
#include <string.h>

#include "compare/diff/diff_parts.h"
#include "known/exports/codes.h"

/* By the name of a row of copies: "DtoD, device to device". */
static bool stays_on_gpu(const char *name)
{
	for (unsigned kind = 0; kind < 16; kind++) {
		const char *kind_name = wl_copy_kind_name(kind);
		size_t n = strlen(kind_name);

		if (wl_copy_is_on_device(kind) && strncmp(name, kind_name, n) == 0 &&
		    (name[n] == ',' || name[n] == '\0'))
			return true;
	}
	return false;
}

static bool is_comm(const struct wl_pair *p)
{
	const struct wl_fp_row *row = p->after.row ? p->after.row : p->before.row;

	return row && row->category && strcmp(row->category, "communication") == 0;
}

/* Whether a kernel that computes changed by more, in the same direction. */
static bool is_less_than_a_kernel(const struct wl_diff *d, wl_ns change)
{
	for (size_t i = 0; i < d->kernels.n; i++) {
		const struct wl_pair *p = &d->kernels.pair[i];

		if (!p->is_others && !is_comm(p) && (p->change > 0) == (change > 0) &&
		    llabs(p->change) > llabs(change))
			return true;
	}
	return false;
}

wl_ns wl_diff_copies_in_compute(const struct wl_diff *d, wl_ns compute)
{
	wl_ns change = 0;

	for (size_t i = 0; i < d->copies.n; i++) {
		const struct wl_pair *p = &d->copies.pair[i];

		change += !p->is_others && stays_on_gpu(p->name) ? p->change : 0;
	}
	if (change == 0 || (change > 0) != (compute > 0) || 2 * llabs(change) < llabs(compute) ||
	    is_less_than_a_kernel(d, change))
		return 0;
	return change;
}

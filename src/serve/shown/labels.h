/* SPDX-License-Identifier: MIT */
/*
 * labels.h - the labels of the names of a page, each text once.
 *
 * A label says how ranges that differ only in what counts are called together
 * (derive/nvtx/range_names.h), or is what screens call a kernel (known/kernels/labels.h).
 */
#ifndef WL_SERVE_LABELS_H
#define WL_SERVE_LABELS_H

#include "serve/shown/names.h"

struct wl_labels {
	size_t n;
	const char *const *text; /* in the order of the first names that have them */
	const uint32_t *of_name; /* by name: its label, WL_NONE where that is its text */
};

/* Owned by the arena; false without memory. Sorts the names that have a label. */
bool wl_labels_find(const struct wl_names *names, struct wl_arena *arena,
		    struct wl_labels *ret) WL_MUST_CHECK;

#endif

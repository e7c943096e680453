/* SPDX-License-Identifier: MIT */
/*
 * ncu.h - the kernel launches of an Nsight Compute report, each with its metrics.
 *
 * Values are in base units whatever units the file uses: ns, bytes, cycles, percent, and per
 * second.
 */
#ifndef WL_NCU_NCU_H
#define WL_NCU_NCU_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/vec.h"

struct wl_ncu_value {
	uint32_t metric;  /* number of its name */
	const char *text; /* NULL: a number */
	double number;
};

/* Numbers missing from the file are -1, dimensions 0. */
struct wl_ncu_launch {
	int64_t id;         /* as ncu counts them, from 0 */
	const char *kernel; /* demangled name */
	int64_t pid;        /* of the process */
	int64_t context;    /* CUDA context */
	int64_t stream;     /* CUDA stream */
	int64_t device;     /* ordinal */
	uint32_t cc;        /* compute capability times 10: 89 is 8.9; 0 if unknown */
	uint32_t grid[3];   /* blocks */
	uint32_t block[3];  /* threads */
	int64_t shared;     /* bytes per block, static and dynamic */
	size_t first, n;    /* its values */
};

/* The contents of a file. Texts belong to the arena, arrays to the vectors. */
struct wl_ncu {
	struct wl_vec metrics;  /* const char *: names, by number */
	struct wl_vec launches; /* struct wl_ncu_launch, in the order of the file */
	struct wl_vec values;   /* struct wl_ncu_value, launch by launch */
	size_t n_ranges;        /* results for ranges instead of kernels: skipped */
};

/* Initialise an empty struct whose vectors use this budget. Must be released. */
void wl_ncu_init(struct wl_ncu *ncu, struct wl_budget *budget);
void wl_ncu_release(struct wl_ncu *ncu); /* accepts a zeroed one */

/* The number of a name, or WL_NONE. Time is linear in the names. */
uint32_t wl_ncu_find(const struct wl_ncu *ncu, const char *metric);

const char *wl_ncu_metric(const struct wl_ncu *ncu, size_t i);
const struct wl_ncu_launch *wl_ncu_launch(const struct wl_ncu *ncu, size_t i);

/* The l->n values of a launch; NULL if no launch has any. */
const struct wl_ncu_value *wl_ncu_values(const struct wl_ncu *ncu, const struct wl_ncu_launch *l);

#endif

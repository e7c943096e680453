/* SPDX-License-Identifier: MIT */
/* select.h - order statistics of unsorted numbers. */
#ifndef WL_BASE_SELECT_H
#define WL_BASE_SELECT_H

#include <stddef.h>
#include <stdint.h>

/*
 * For each of the ranks (from 0, each below n, in ascending order) the number that
 * would stand there if all n < 2^32 were sorted. Destroys the numbers. Linear whatever
 * they are: by counting, in a few passes.
 */
void wl_select_u32(uint32_t *v, size_t n, const size_t *rank, size_t n_ranks, uint32_t *ret);

#endif

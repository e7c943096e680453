/* SPDX-License-Identifier: MIT */
/*
 * forks.h - the places at which sorted sequences differ from each other.
 *
 * Sequences in order form a tree of common beginnings. What a sequence has at each fork of
 * its path tells it from all others; everything else it shares with its neighbours.
 */
#ifndef WL_KNOWN_FORKS_H
#define WL_KNOWN_FORKS_H

#include <stddef.h>
#include <stdint.h>

/* Sequence i differs from another one for the first time at this element. */
typedef void wl_fork_mark(void *ctx, size_t i, uint32_t at);

/*
 * Mark the forks of n sequences, in order, of which shared[i] elements at the beginning are
 * those of sequence i - 1. stack has room for n. Each place is marked at most twice, so the
 * work is linear in the length of all sequences.
 */
void wl_forks_mark(const uint32_t *shared, size_t n, uint32_t *stack, wl_fork_mark *mark,
		   void *ctx);

#endif

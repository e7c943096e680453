/* SPDX-License-Identifier: MIT */
/*
 * memo.h - a cache from cells to the numbers they became.
 *
 * Places, names and configurations are tuples with few distinct values in many rows. A memo
 * remembers the numbers of the latest tuples by their raw cells, so that most rows need one
 * comparison but no lookup or check.
 */
#ifndef WL_READ_MEMO_H
#define WL_READ_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/bind.h"

enum { WL_MEMO_BITS = 9, WL_MEMO_SLOTS = 1 << WL_MEMO_BITS };

/* In states: the slot is used. The lower bits say which cells are OK. */
#define WL_MEMO_USED ((uint64_t)1 << 63)

struct wl_memo_slot {
	uint64_t states;
	uint32_t number;
	uint32_t n_mistyped;            /* cells of the tuple that did not fit */
	int64_t value[WL_BIND_SOURCES]; /* 0 if the cell is not OK */
};

struct wl_memo {
	struct wl_memo_slot slot[WL_MEMO_SLOTS];
};

/*
 * The slot for the n cells of a row; *ret_hit says whether it holds them. Inline, so that n is a
 * constant.
 */
static inline struct wl_memo_slot *wl_memo_find(struct wl_memo *memo, const int64_t *const *column,
						size_t row, uint64_t states, size_t n,
						bool *ret_hit)
{
	/* Odd, and without a pattern: the fractional part of the golden ratio, times odd numbers.
	 */
	const uint64_t step = UINT64_C(0x3c6ef372fe94f82a);
	uint64_t factor = UINT64_C(0x9e3779b97f4a7c15), sum = states, differ;
	struct wl_memo_slot *slot;

	for (size_t i = 0; i < n; i++, factor += step)
		sum += (uint64_t)column[i][row] * factor;
	slot = &memo->slot[(sum ^ sum >> 32) * UINT64_C(0xd6e8feb86659fd93) >> (64 - WL_MEMO_BITS)];
	differ = slot->states ^ states;
	for (size_t i = 0; i < n; i++)
		differ |= (uint64_t)slot->value[i] ^ (uint64_t)column[i][row];
	*ret_hit = !differ;
	return slot;
}

#endif

/*
 * memo.h - what the same cells became the last time.
 *
 * Places, names and configurations are tuples of few distinct values in many rows.
 * A memo remembers the numbers of the latest tuples by their raw cells, so that most
 * rows cost one comparison and neither a lookup nor a check.
 */
#ifndef WL_READ_MEMO_H
#define WL_READ_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/bind.h"

enum { WL_MEMO_BITS = 9, WL_MEMO_SLOTS = 1 << WL_MEMO_BITS };

/* In states: the slot holds something. The bits below tell which cells are OK. */
#define WL_MEMO_USED ((uint64_t)1 << 63)

struct wl_memo_slot {
	uint64_t states;
	uint32_t number;
	uint32_t n_mistyped;            /* cells of the tuple that did not fit */
	int64_t value[WL_BIND_SOURCES]; /* 0 where a cell is not OK */
};

struct wl_memo {
	struct wl_memo_slot slot[WL_MEMO_SLOTS];
};

/* The slot where these n cells belong; *ret_hit tells whether it holds them. Inline: n is known. */
static inline struct wl_memo_slot *wl_memo_find(struct wl_memo *memo, const int64_t *value,
						uint64_t states, size_t n, bool *ret_hit)
{
	uint64_t h = states, differ;
	struct wl_memo_slot *slot;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint64_t)value[i]) * UINT64_C(0x9e3779b97f4a7c15);
	slot = &memo->slot[(h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93) >> (64 - WL_MEMO_BITS)];
	differ = slot->states ^ states;
	for (size_t i = 0; i < n; i++)
		differ |= (uint64_t)slot->value[i] ^ (uint64_t)value[i];
	*ret_hit = !differ;
	return slot;
}

#endif

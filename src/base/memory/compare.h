/* SPDX-License-Identifier: MIT */
/* compare.h - functions that order by one number: for qsort(), and for wl_sort_index() (sort.h). */
#ifndef WL_BASE_COMPARE_H
#define WL_BASE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/* Of qsort(): structs by a member, ascending. */
#define WL_COMPARE_BY(name, type, member)                                                          \
	static int name(const void *va, const void *vb)                                            \
	{                                                                                          \
		const struct type *a = va, *b = vb;                                                \
                                                                                                   \
		return (a->member > b->member) - (a->member < b->member);                          \
	}

/* Of wl_sort_index(), where ctx is the array: numbers, and structs by a member, ascending. */
#define WL_LESS(name, type)                                                                        \
	static bool name(const void *ctx, uint32_t a, uint32_t b)                                  \
	{                                                                                          \
		const type *at = ctx;                                                              \
                                                                                                   \
		return at[a] < at[b];                                                              \
	}
#define WL_LESS_BY(name, type, member)                                                             \
	static bool name(const void *ctx, uint32_t a, uint32_t b)                                  \
	{                                                                                          \
		const struct type *at = ctx;                                                       \
                                                                                                   \
		return at[a].member < at[b].member;                                                \
	}

#endif

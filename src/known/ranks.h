/* SPDX-License-Identifier: MIT */
/* ranks.h - parses ranks as people write them. */
#ifndef WL_KNOWN_RANKS_H
#define WL_KNOWN_RANKS_H

#include <stdint.h>

enum wl_rank_text {
	WL_RANK_IN_LABEL,     /* rank=3, but not tp_rank=3 */
	WL_RANK_IN_FILE_NAME, /* also rank3, rank_3, rank-3, rank.3 */
};

/*
 * The number after "rank", in any case, where that begins a word; -1 if there is
 * none. What follows the number goes to *ret_rest unless that is NULL.
 */
int64_t wl_rank_find(const char *text, enum wl_rank_text where, const char **ret_rest);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * all_to_all.h - whether SendRecv kernels are an all-to-all, by the NVTX ranges around their
 * launches.
 *
 * NCCL makes an all-to-all of sends and receives, and its kernel says only that.
 */
#ifndef WL_FINDINGS_ALL_TO_ALL_H
#define WL_FINDINGS_ALL_TO_ALL_H

#include "findings/rule_state.h"

/*
 * The name of the first such range where more than half of the SendRecv kernels of a GPU whose
 * launches are known are in one; else NULL. The rule declares COLLECTIVES, LINKS, FOREST and
 * RANGE_NAMES.
 */
const char *wl_all_to_all_find(const struct wl_rule_state *d, size_t gpu);

#endif

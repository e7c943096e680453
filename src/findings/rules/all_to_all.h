/* SPDX-License-Identifier: MIT */
/*
 * all_to_all.h - whether SendRecv kernels form an all-to-all, judged by the NVTX ranges around
 * their launches.
 *
 * NCCL implements an all-to-all with sends and receives, and its kernel name shows only those.
 */
#ifndef WL_FINDINGS_ALL_TO_ALL_H
#define WL_FINDINGS_ALL_TO_ALL_H

#include "findings/rule_state.h"

/*
 * The name of the first such range if more than half of a GPU's SendRecv kernels with known
 * launches are in one; else NULL. The rule must declare COLLECTIVES, LINKS, FOREST and RANGE_NAMES.
 */
const char *wl_all_to_all_find(const struct wl_rule_state *d, size_t gpu);

#endif

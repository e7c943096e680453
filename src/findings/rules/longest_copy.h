/* SPDX-License-Identifier: MIT */
/*
 * longest_copy.h - the longest exposed copy of a step.
 */
#ifndef WL_FINDINGS_LONGEST_COPY_H
#define WL_FINDINGS_LONGEST_COPY_H

#include "findings/rule_state.h"

/* "a DtoH copy of 1.07 GB": of several of its kind, the longest that starts in the step. */
struct wl_longest_copy {
	wl_ns exposed; /* 0: none, and the rest is not valid */
	const char *kind;
	int64_t bytes; /* -1: not recorded */
};

/* The longest exposed copy in a tile of a GPU. Linear in the copies of the device. */
struct wl_longest_copy wl_longest_copy_find(const struct wl_rule_state *d, size_t gpu,
					    uint32_t tile);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * sight.h - the place in a timeline where a finding is seen best.
 *
 * A finding sums over a loop and has no time of its own, so a viewer shows the clearest
 * example: the longest gap of these kinds on its GPU, the slowest iteration, or else
 * an iteration that counts as steady.
 */
#ifndef WL_FINDINGS_SIGHT_H
#define WL_FINDINGS_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct wl_sight {
	uint32_t losses; /* bits of enum wl_loss and enum wl_cause; 0: it is about no gaps */
	bool slowest;    /* the slowest iteration shows it */
};

/* By the code of a finding; nothing for an unknown one. */
struct wl_sight wl_finding_sight(const char *code);

#endif

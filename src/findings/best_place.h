/* SPDX-License-Identifier: MIT */
/*
 * best_place.h - where in a timeline a finding is seen best.
 *
 * A finding sums over a loop and has no single time. A viewer shows the clearest example instead:
 * the longest gap of these kinds on its GPU, the slowest iteration, or else an iteration that
 * counts as steady.
 */
#ifndef WL_FINDINGS_BEST_PLACE_H
#define WL_FINDINGS_BEST_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct wl_best_place {
	uint32_t losses; /* bits of enum wl_loss and enum wl_cause; 0: not about gaps */
	bool slowest;    /* the slowest iteration shows it */
};

/* The best place for a finding code; zeroed for an unknown one. */
struct wl_best_place wl_finding_best_place(const char *code);

#endif

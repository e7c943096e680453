/* SPDX-License-Identifier: MIT */
/* take_parts.h - declarations that the sources of take.h share. */
#ifndef WL_COMPARE_TAKE_PARTS_H
#define WL_COMPARE_TAKE_PARTS_H

#include "compare/fingerprint/events.h"
#include "compare/fingerprint/take.h"

/* A fingerprint under construction. */
struct wl_taking {
	const struct wl_run *run;
	const struct wl_iterations *iterations;
	const struct wl_ledger *ledger;
	struct wl_sample sample;
	struct wl_fingerprint *f;
	const wl_ns *rank_kernel; /* by member and row of the kernels: sum over the steps */
};

/* Called for an atom of idle time that counts. */
typedef void wl_idle_atom_fn(void *ctx, size_t lane, size_t atom, enum wl_extent extent);

/* Visit all of them: those of devices, and those of the steps of the sample. False without memory.
 */
bool wl_take_idle(const struct wl_taking *k, struct wl_arena *scratch, wl_idle_atom_fn *take,
		  void *ctx) WL_MUST_CHECK;

/* Each fills in its members of the fingerprint; false without memory. */
bool wl_take_lists(struct wl_taking *k) WL_MUST_CHECK;     /* all sums by name, and launches */
bool wl_take_waits(struct wl_taking *k) WL_MUST_CHECK;     /* idle time by cause and detail */
bool wl_take_names(struct wl_taking *k) WL_MUST_CHECK;     /* GPUs, ranks, how steps were found */
bool wl_take_functions(struct wl_taking *k) WL_MUST_CHECK; /* idle time by function */
bool wl_take_whatifs(struct wl_taking *k) WL_MUST_CHECK;   /* replays; waits are there */

#endif

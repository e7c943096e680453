/* SPDX-License-Identifier: MIT */
/* ledger_parts.h - how one lane is filled; shared by the sources of ledger.h. */
#ifndef WL_DERIVE_LEDGER_PARTS_H
#define WL_DERIVE_LEDGER_PARTS_H

#include "derive/calls/blocking.h"
#include "derive/kinds/classes.h"
#include "derive/ledger/ledger.h"
#include "derive/ledger/ledger_basis.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/stages.h"

/* The data that all lanes are filled from. */
struct wl_ledger_sources {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_idle *idle;
	const struct wl_classes *classes;
	const struct wl_activity *activity; /* by device */
	const struct wl_links *links;
	const struct wl_blocking *blocking;
	const struct wl_collectives *collectives;
	const struct wl_iterations *iterations;
	/* NULL if NVTX was not loaded. */
	const struct wl_forest *forest;
	const struct wl_stages *stages;
	struct wl_ledger_basis basis;
};

/* The key of an atom; see struct wl_atom. No padding. */
struct wl_atom_key {
	const char *detail, *stage, *opener, *opener_range;
	uint32_t tile;
	uint16_t flags;
	uint8_t loss, copy;
};

/* The part of the key that is the same for all parts of a gap. */
struct wl_atom_key wl_gap_key(const struct wl_ledger_sources *from, const struct wl_gap *gap);

/* Whether the part is in one call that does not wait for the GPU and takes unusually long. */
bool wl_is_long_call(const struct wl_gap_part *part);

/* Whether the thread slept in a part of a gap whose launch is known; see WL_LOST_ASLEEP. */
bool wl_is_asleep(const struct wl_ledger_sources *from, const struct wl_gap *gap,
		  const struct wl_gap_part *part);

/* The key of an operation of WL_COMM or WL_COPY. computes: by stream, whether it has a compute
 * kernel. */
struct wl_atom_key wl_exposed_key(const struct wl_ledger_sources *from, const struct wl_op *op,
				  enum wl_class class, const bool *computes);

/* Fill tiles and atoms of a lane whose device and process are set. False if out of memory. */
bool wl_ledger_lane_fill(const struct wl_ledger_sources *from, struct wl_ledger_lane *lane,
			 struct wl_arena *arena) WL_MUST_CHECK;

#endif

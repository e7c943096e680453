/* SPDX-License-Identifier: MIT */
/*
 * managed.h - intervals in which a process waits for pages of managed memory.
 *
 * They come from GPU page faults, from fault-driven migrations to the host, and from the time
 * between CPU page faults and the migrations that serve them: docs/definitions/idle.md.
 */
#ifndef WL_DERIVE_MANAGED_H
#define WL_DERIVE_MANAGED_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_managed_span {
	uint32_t process;
	uint32_t ordinal; /* of its device; WL_NONE if it stalls all devices of the process */
	wl_ns begin, end;
	const char *detail; /* lives as long as the trace */
};

struct wl_managed {
	size_t n;
	const struct wl_managed_span *at; /* by process, ordinal and time; they do not overlap */
	const bool *sees_faults;          /* by process: the trace has its CPU page faults */
};

/*
 * CPU page faults of processes with skewed clocks are ignored. Owned by the arena; false when that
 * is exhausted. Sorts the spans found; linear in copies.
 */
bool wl_managed_find(const struct wl_trace *trace, const bool *skewed, struct wl_arena *arena,
		     struct wl_managed *ret) WL_MUST_CHECK;

/*
 * The span around t of the process and its device, or NULL; *until is lowered to the time at which
 * the answer changes. Logarithmic.
 */
const struct wl_managed_span *wl_managed_at(const struct wl_managed *managed, uint32_t process,
					    uint32_t ordinal, wl_ns t, wl_ns *until);

#endif

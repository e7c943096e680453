/*
 * matches.h - the same collective on several processes of one trace.
 *
 * Operations of one kind and stream number are taken in order on each process, and
 * the first of all processes are one collective, then the second, and so on: only
 * where all processes that communicate have as many. All begin when their process
 * arrives and end together, so the shortest is about the transfer itself and
 * belongs to the process that arrived last; what another one lasts longer, it
 * waited.
 */
#ifndef WL_DERIVE_MATCHES_H
#define WL_DERIVE_MATCHES_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/collectives.h"
#include "model/trace.h"

struct wl_derived;

/* An operation that communicates. */
struct wl_match {
	uint32_t row; /* of kernels, or of memcpys */
	uint32_t place;
	enum wl_collective type;
	bool is_copy;
	bool is_matched;
	wl_ns start, dur;
	wl_ns shortest; /* of all processes, where it is matched */
};

struct wl_matches {
	const struct wl_match *at; /* by kind, stream number, process and start */
	size_t n;
	size_t n_processes; /* that communicate */
};

/*
 * On the whole trace. A sort of what communicates. Owned by the arena; false when
 * that is exhausted.
 */
bool wl_matches_find(struct wl_derived *derived, struct wl_arena *arena,
		     struct wl_matches *ret) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * ledger.h - the time account of all steps: compute, and each loss in atoms.
 *
 * A lane is a device as used by one process. Its window is cut into the tiles of the process's
 * iterations and the rest. In each tile, compute and the losses add up exactly to its length. A
 * loss is idle time by cause, exposed communication or an exposed copy. Losses are kept in atoms
 * fine enough for rules to tell remedies apart; each lost nanosecond is in exactly one atom.
 */
#ifndef WL_DERIVE_LEDGER_H
#define WL_DERIVE_LEDGER_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/comm/collectives.h"
#include "derive/idle/idle.h"
#include "derive/iters/iters.h"
#include "derive/rows/scope.h"
#include "derive/rows/small.h"

struct wl_derived;

/* The causes of idle.h come first, with the same numbers. */
enum wl_loss { WL_LOSS_EXPOSED_COMM = WL_N_CAUSES, WL_LOSS_EXPOSED_COPY, WL_N_LOSSES };

const char *wl_loss_name(
	enum wl_loss loss); /* for idle time its cause; else "exposed_comm" or "exposed_copy" */

/* What the rows prove about a loss. */
enum wl_loss_flags {
	WL_LOST_IN_SHORT = 1 << 0,    /* idle: the whole gap is at most WL_SHORT_GAP_NS long */
	WL_LOST_TO_PAGEABLE = 1 << 1, /* idle: the gap ends with a copy from or to pageable memory;
					 exposed_copy: the copy is such a copy */
	WL_LOST_TO_BLOCKING = 1 << 2, /* exposed_copy: its call blocks */
	WL_LOST_ON_MIXED = 1 << 3,    /* exposed_comm: the stream also computes in the window */
	WL_LOST_IN_BRIDGED = 1 << 4,  /* exposed_comm: the stage comes from the anchor thread */
	WL_LOST_TO_READ = 1 << 5,  /* idle: a tiny read ended or opened the gap; exposed_copy: the
				      copy is a tiny read */
	WL_LOST_TO_FIRST = 1 << 6, /* idle: the gap ends with the first run of its kernel */
	WL_LOST_IN_LONG = 1 << 7,  /* idle: one call with at least WL_LONG_CALL_NS of idle time; for
				      a launch WL_LONG_LAUNCH_NS */
	WL_LOST_IN_SAME = 1 << 8,  /* idle: in the same NVTX range as the opener, or both in none */
	WL_LOST_BEFORE = 1 << 9, /* before the first iteration of the lane's process, or before the
				    end of its warm-up */
	WL_LOST_TO_SMALL = 1 << 10,  /* exposed_copy: at most WL_SMALL_COPY_BYTES */
	WL_LOST_TO_PINNED = 1 << 11, /* exposed_copy: the host memory is pinned */
	WL_LOST_ASLEEP =
		1
		<< 12, /* host, os: the thread is off the CPU for most of it, or in an OS call that
			  waits; only the latter if scheduling is not loaded (derived.def, SLEEP) */
	WL_LOST_AFTER = 1 << 13, /* exposed_copy, idle: it starts after the device's last kernel or
				    graph replay, and no GPU work waits for it */
};

enum {
	WL_SHORT_GAP_NS = 100000,
	WL_LONG_CALL_NS = 1000000,
	WL_LONG_LAUNCH_NS = 100000, /* a launch takes a few us, unless it loads a module */
};

enum { WL_N_PEAKS = 8 };

/* The part of a loss in one gap. */
struct wl_peak {
	wl_ns at; /* when the gap begins */
	wl_ns ns; /* 0 if there is none */
};

/*
 * One kind of loss in one tile. The detail is that of the gap's parts (idle.h), the name of the
 * collective ("AllReduce") or the direction of the copy ("HtoD"); NULL for none. If several
 * operations communicate or copy at once, the moment belongs to the one that started first.
 */
struct wl_atom {
	uint32_t tile;  /* index of the lane's tiles */
	uint16_t flags; /* enum wl_loss_flags */
	uint8_t loss;   /* enum wl_loss */
	uint8_t copy;   /* exposed_copy: enum wl_copy_kind; else 0 */
	uint32_t n;     /* number of gaps or operations in it */
	const char *detail;
	const char *stage;        /* exposed_comm: stage as in stages.h, or "(none)"; else NULL */
	const char *opener;       /* idle: the call that opened the gap (idle.h); NULL for none */
	const char *opener_range; /* the NVTX range around that call; NULL for none */
	wl_ns ns;                 /* > 0 */
	wl_ns longest; /* idle: call or range of a part, else the part; otherwise exposed piece of
			  an operation */
	struct wl_peak peak[WL_N_PEAKS]; /* idle: the gaps with the most, in no order */
};

/* Add to the peak of the gap that begins there; keeps only the largest peaks. */
void wl_peak_add(struct wl_peak peak[WL_N_PEAKS], wl_ns at, wl_ns ns);

struct wl_tile {
	uint32_t iter;      /* of the process; WL_NONE for the rest of the window, the last tile */
	uint32_t n_kernels; /* kernels that start in it */
	bool is_whole;      /* an iteration with a period that the window does not clip */
	wl_ns begin, end;   /* clipped to the window; for the rest: the window */
	wl_ns length;       /* for the rest: the time outside all iterations */
	wl_ns compute;
	wl_ns copies; /* time in which copies run, hidden or not */
	wl_ns loss[WL_N_LOSSES];
};

struct wl_ledger_lane {
	uint32_t device;
	uint32_t process; /* process whose iterations these are; WL_NONE: none, in one tile */
	/* Without iterations: the warm-up of the process that uses the device most; NULL for
	 * none. */
	const struct wl_warm_up *warm_up;
	bool of_device;  /* the device's main lane: its process has the most time there */
	bool of_process; /* the process's main lane: its device has the most of its time */
	const struct wl_tile *tile; /* in order */
	size_t n_tiles;
	const struct wl_atom *atom; /* by tile, loss, then the other parts of their key */
	size_t n_atoms;
};

struct wl_ledger_sources; /* derive/ledger/ledger_parts.h */

struct wl_ledger {
	const struct wl_ledger_lane *lane; /* by device, then process */
	size_t n;
	const struct wl_idle *idle; /* for its data on processes */
	/* By device: end of its last kernel or graph replay; INT64_MAX if it has none. */
	const wl_ns *last_work;
	const struct wl_ledger_sources *from; /* what the lanes were filled from */
};

/*
 * Each selected device has at least one lane, and exactly one with of_device; each process with
 * iterations and operations in the scope has one with of_process. Takes one pass over gaps and one
 * over operations per lane; lanes are processed in parallel. Owned by the arena; false when that is
 * exhausted.
 */
bool wl_ledger_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_ledger *ret) WL_MUST_CHECK;

/* Called in order of time for each piece of a lane's gaps that is in an atom. */
typedef void wl_lost_fn(void *ctx, const struct wl_gap *gap, uint32_t atom, wl_ns begin, wl_ns end);

/*
 * Visit the idle time of a lane again; the lengths of an atom's pieces add up to the atom. Takes as
 * long as filling the lane with gaps did. The arena is scratch space; false when it is exhausted.
 */
bool wl_ledger_visit(const struct wl_ledger *ledger, const struct wl_ledger_lane *lane,
		     struct wl_arena *arena, wl_lost_fn *take, void *ctx) WL_MUST_CHECK;

/* Index of the tile of the iteration that contains this time; n_tiles if none does. Logarithmic. */
size_t wl_ledger_step_at(const struct wl_ledger_lane *lane, wl_ns at);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * late_suspects.h - members that may be stragglers, found from arrivals alone, before any replay.
 *
 * A cell is one member in one step. Its lateness is the largest difference, over the matches of the
 * step, between its arrival and that of the median member (comm/arrivals.h). The sum is not used,
 * because one delay shows at every collective of a step. A cell is suspect if its lateness is at
 * least a hundredth of the median step and exceeds the clock error. A member is a suspect if its
 * suspect cells sum up to a hundredth of the run of the members that it meets. If the lateness of
 * the latest member of each step sums up to a hundredth of the run, these members are suspects as
 * well: they are late in turn.
 *
 * If each collective holds up the kernels behind it, as in tensor parallelism, a delay shows at one
 * collective only, and a slow member is slightly late at each of many. The lateness of a cell is
 * then the sum (WL_LATE_IN_ALL), which counts delays that show again several times; such suspects
 * prove nothing until a replay names them. They count only if their kernels compute longer than
 * those of the median member by a hundredth of the run, and if they are at least a quarter as late
 * as the latest one of their part.
 *
 * Cells exist for members with the most common number of steps; if fewer than two members have
 * steps, the whole run is one step. Groups that share no rank do not delay each other, so each part
 * of the job (members that meet directly or through others) has its own run.
 */
#ifndef WL_DERIVE_LATE_SUSPECTS_H
#define WL_DERIVE_LATE_SUSPECTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

struct wl_derived;
struct wl_step_bounds;

/* An operation that takes longer on a suspect: its median there, and the median of the others'
 * medians. */
struct wl_late_op {
	const char *name; /* NULL for none */
	wl_ns own, others;
};

/* A member, with the group in which it is latest (matches.h). */
struct wl_late_suspect {
	uint32_t member, group;
	wl_ns late;              /* lateness of all suspect cells */
	uint32_t n_late;         /* number of suspect cells */
	wl_ns run;               /* measured run of the members that it meets */
	struct wl_late_op op[2]; /* in facts: the operations with the largest excess over the
				    others' median */
};

/* How the lateness of a cell is computed from the lateness at its matches. */
enum wl_late_by {
	WL_LATE_AT_MOST, /* the largest */
	WL_LATE_IN_ALL,  /* the sum */
};

enum wl_late_cell {
	WL_CELL_SUSPECT = 1 << 0,
	WL_CELL_CHANGED = 1 << 1, /* a suspect's suspect cell, or the cell before it, where the
				     delay may arise */
};

struct wl_late_suspects {
	bool is_refused;            /* more than a fifth of all communication time is unmatched */
	bool no_clock;              /* the clocks of the hosts contradict each other */
	const uint32_t *part;       /* by process: the same number for processes that meet */
	struct wl_late_suspect *at; /* by lateness, then by rank */
	size_t n;
	size_t n_steps;        /* cells per member, at least 1 */
	bool is_whole;         /* the run is one step */
	bool is_of_stages;     /* judged by the own time of pipeline stages (late_stages.h) */
	wl_ns step;            /* the median period, or the length of the run if it is one step */
	const bool *has;       /* by member: it has cells */
	const uint8_t *cell;   /* by member and step: enum wl_late_cell */
	const uint64_t *meets; /* by member: a bit for each member that it meets */
	size_t n_members;
};

/*
 * bounds: where steps begin (step_lists.h); NULL for facts, where an operation belongs to the step
 * in which it starts. extent: by process, from the start of its first operation to the end of its
 * last; begin > end if it has none. Needs matches, host_clocks, ranks and iterations. Linear in
 * matched operations, quadratic in the members of groups. The arena owns the result; false when it
 * is exhausted.
 */
bool wl_late_suspects_find(const struct wl_derived *given, const struct wl_step_bounds *bounds,
			   const struct wl_interval *extent, enum wl_late_by by,
			   struct wl_arena *arena, struct wl_late_suspects *ret) WL_MUST_CHECK;

/* Whether two members are in one group. */
static inline bool wl_members_meet(const struct wl_late_suspects *s, uint32_t a, uint32_t b)
{
	size_t words = (s->n_members + 63) / 64;

	return s->meets[a * words + b / 64] >> b % 64 & 1;
}

static inline uint8_t wl_late_cell(const struct wl_late_suspects *s, uint32_t member, size_t step)
{
	return s->cell[member * s->n_steps + step];
}

#endif

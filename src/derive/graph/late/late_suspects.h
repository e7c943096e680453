/* SPDX-License-Identifier: MIT */
/*
 * late_suspects.h - the members that may be stragglers: by arrivals alone, before any replay.
 *
 * A cell is a member in a step. Its lateness is the largest, over the matches of the step, of its
 * arrival less that of the median member (comm/arrivals.h): the largest and not the sum, because
 * one delay shows at every collective of a step. A cell is suspect from a hundredth of the median
 * step on, where the error of the clocks is less. A member is a suspect if its suspect cells sum
 * up to a hundredth of the run of the members that it meets. Where the lateness of the latest
 * member of each step sums up to a hundredth of the run, these are suspects as well: they are
 * late in turn.
 *
 * Where each collective holds up the kernels behind it, as those of tensor parallelism do, a delay
 * shows at one collective only, and a slow member is late by little at each of many. Then the
 * lateness of a cell is the sum (WL_LATE_IN_ALL), which counts delays that show again several
 * times: such suspects prove nothing until a replay names them. Only those count whose kernels
 * compute longer than those of the median member by a hundredth of the run, and that are late by a
 * quarter of the latest one of their part or more.
 *
 * Cells exist for members with the commonest number of steps; where fewer than two have steps, the
 * run is one step of all. Groups that share no rank do not delay each other, so each part of the
 * job, of members that meet directly or by others, has a run of its own.
 */
#ifndef WL_DERIVE_LATE_SUSPECTS_H
#define WL_DERIVE_LATE_SUSPECTS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/rows/scope.h"

struct wl_derived;
struct wl_step_bounds;

/* An operation that takes longer on a suspect: its median there, and that of the others' medians.
 */
struct wl_late_op {
	const char *name; /* NULL: there is none */
	wl_ns own, others;
};

/* A member, with the group in which it is late most (matches.h). */
struct wl_late_suspect {
	uint32_t member, group;
	wl_ns late;              /* of all suspect cells */
	uint32_t n_late;         /* how many these are */
	wl_ns run;               /* of the members that it meets, as measured */
	struct wl_late_op op[2]; /* of facts: those with most time more than the others' median */
};

/* What the lateness of a cell is, of those of its matches. */
enum wl_late_by {
	WL_LATE_AT_MOST, /* the largest */
	WL_LATE_IN_ALL,  /* the sum */
};

enum wl_late_cell {
	WL_CELL_SUSPECT = 1 << 0,
	WL_CELL_CHANGED = 1 << 1, /* a suspect's suspect cell, or the one before: it shows there */
};

struct wl_late_suspects {
	bool is_refused;            /* more than a fifth of all communication time is unmatched */
	bool no_clock;              /* the clocks of the hosts contradict each other */
	const uint32_t *part;       /* by process: the same number for those that meet */
	struct wl_late_suspect *at; /* by how late they are, then by rank */
	size_t n;
	size_t n_steps;        /* cells of a member; at least 1 */
	bool is_whole;         /* the run is one step */
	bool is_of_stages;     /* by the own time of stages of a pipeline (late_stages.h) */
	wl_ns step;            /* the median period; of a whole run its length */
	const bool *has;       /* by member: it has cells */
	const uint8_t *cell;   /* by member and step: enum wl_late_cell */
	const uint64_t *meets; /* by member: a bit for each member that it meets */
	size_t n_members;
};

/*
 * bounds: where steps begin (step_lists.h); NULL of facts, where an operation is of the step in
 * which it starts. extent: by process, from its first operation to the end of its last; begin > end
 * where it has none. Needs matches, host_clocks, ranks and iterations. Linear in matched
 * operations, and in the members of groups squared. Owned by the arena; false when that is
 * exhausted.
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

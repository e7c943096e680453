/* SPDX-License-Identifier: MIT */
/*
 * suspects.h - members that make the others of their groups wait, and the members that they
 * wait for themselves.
 *
 * A suspect is a member in one group; suspects are numbered group by group, in the order of
 * the group's members. It is costly if the time by which it alone is late, or all stragglers of its
 * set together (derive/graph/late/late.h), is at least a hundredth of the sample of some GPU;
 * without steps it must be the last ten times. Its root is its set where it is a straggler by
 * replay, else, where it waited in other groups for at least half of that time, the root of the one
 * it waited for most.
 */
#ifndef WL_FINDINGS_SUSPECTS_H
#define WL_FINDINGS_SUSPECTS_H

#include "derive/comm/match/matches.h"
#include "findings/rule_state.h"

struct wl_suspects {
	const struct wl_rule_state *state;
	const struct wl_matches *matches;
	size_t n;            /* 0: there is no straggler */
	const size_t *begin; /* by group: its first suspect */
	uint32_t *group;     /* by suspect */
	bool *is_costly;     /* by suspect */
	uint32_t *root;      /* by suspect: a set; WL_NONE: not costly, or no straggler's doing */
	uint32_t *set_of;    /* by member: of the stragglers; WL_NONE: it is not one */
	bool *is_in_turn;    /* by set: its members wait for each other */
	wl_ns *alone; /* by match: how much later the last one is than all that are not of its set
		       */
	uint32_t *gpu_of; /* by member: its GPU of the rule state; WL_NONE: not selected */
};

/*
 * On the whole trace; the sample decides only who is costly. None where no replay names a
 * straggler. Linear in what communicates, and for each costly
 * suspect in the queues. False when the arena of the run is exhausted.
 */
bool wl_suspects_find(struct wl_rule_state *d, struct wl_suspects *ret) WL_MUST_CHECK;

/* The member that a suspect is. */
static inline uint32_t wl_suspect_member(const struct wl_suspects *s, uint32_t suspect)
{
	uint32_t group = s->group[suspect];

	return s->matches->group[group].member[suspect - s->begin[group]];
}

/* Whether two members are late together, as stragglers that do not take turns. */
bool wl_suspects_are_one(const struct wl_suspects *s, uint32_t a, uint32_t b);

/* The suspect that made the operation wait; WL_NONE: none did. */
static inline uint32_t wl_suspect_of(const struct wl_suspects *s, const struct wl_comm_op *op)
{
	const struct wl_match *match;

	if (op->match == WL_NONE || op->late == 0)
		return WL_NONE;
	match = &s->matches->at[op->match];
	return (uint32_t)(s->begin[s->matches->set[match->set].group] + match->last);
}

/* Whether an operation waits for a message of one that waits for the root itself. */
static inline bool wl_suspect_passes_on(const struct wl_suspects *s, const bool *is_victim,
					const struct wl_comm_op *op)
{
	uint32_t suspect = wl_suspect_of(s, op);

	return suspect != WL_NONE && s->matches->set[s->matches->at[op->match].set].by_message &&
	       is_victim[wl_suspect_member(s, suspect)];
}

/*
 * By member: whether it waits for the set. Messages pass a delay on from one neighbour to the
 * next, as long as each loses a hundredth of its sample. Linear in messages for each step of that.
 */
void wl_suspects_find_victims(const struct wl_suspects *suspects, uint32_t set, bool *is_victim);

#endif

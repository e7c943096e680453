/* SPDX-License-Identifier: MIT */
/*
 * rule.h - the descriptor of a rule. To add one, read alloc_in_loop.c and copy its shape; what
 * rules may look at is in rule_state.h.
 *
 * A rule turns time that the ledger knows as lost into advice. It claims atoms, and
 * what it has claimed no later rule can: two findings never promise the same time.
 */
#ifndef WL_FINDINGS_RULE_H
#define WL_FINDINGS_RULE_H

#include "findings/advice.h"
#include "findings/best_place.h"
#include "findings/rule_state.h"

/* Fewer occurrences in a window without steps are no habit of a loop. */
enum { WL_HABIT = 10 };

/*
 * Idle time of launching: inside and after the call, and host code in a short gap. Work that waits
 * longer than that on average after its call was not late: something else holds it back.
 */
static inline bool wl_atom_is_launching(const struct wl_atom *atom)
{
	switch (atom->loss) {
	case WL_CAUSE_LAUNCH:
		return true;
	case WL_CAUSE_LATENCY:
		return atom->ns <= (wl_ns)atom->n * WL_SHORT_GAP_NS;
	case WL_CAUSE_API:
	case WL_CAUSE_OS:
	case WL_CAUSE_HOST:
		return (atom->flags & WL_LOST_IN_SHORT) != 0;
	default:
		return false;
	}
}

/* Rows of the verb idle: in blocking calls, and after them until the next launch. */
#define WL_AFTER_CALLS "cause = sync or opened_by ~ . and cause != mpi"

/*
 * What its claims depend on besides the rank: facts of several traces have what each rank found by
 * itself, and leave out what the job decides.
 */
enum wl_reach {
	WL_REACH_RANK,      /* nothing */
	WL_REACH_TRANSFERS, /* transfers: without a straggler they are each rank's */
	WL_REACH_LATE,      /* which rank is late */
	WL_REACH_MPI,       /* which MPI calls wait for one that is late */
};

struct wl_rule {
	const char *code;                /* stable: what programs know the finding by */
	const char *title;               /* 10 to 55 characters, no full stop; "explain" lists it */
	struct wl_advice fix;            /* what to do; all NULL where each finding has its own */
	const char *limits;              /* the caveat of the finding */
	struct wl_best_place best_place; /* where to look for it */
	enum wl_reach reach;
	bool is_of_steps; /* of several ranks it is one finding, whatever its subjects are */
	/* What it reads besides the ledger and what that is from; NULL and 0 for nothing. */
	uint64_t from;
	const enum wl_column_id *columns;
	/*
	 * Either an atom of the sample is of the rule: all such atoms are claimed
	 * and become one finding, which tell() puts into words;
	 */
	bool (*wants)(const struct wl_atom *atom);
	/* Without steps it takes this many to make a habit; below, nothing is claimed. */
	unsigned min_without_steps;
	wl_name_of *name; /* NULL: the atoms' details */
	const char *(*tell)(struct wl_rule_state *d, const struct wl_claim *claim);
	/* Better advice than the rule's for what was claimed, by what the rows prove; or NULL. */
	const struct wl_advice *(*advise)(const struct wl_rule_state *d,
					  const struct wl_claim *claim);
	/* the verb and options that show the rows, without GPU and window; */
	struct wl_cmdline evidence;
	/* or by what was taken, where other rows have most of it; NULL: the one above; */
	const struct wl_cmdline *(*evidence_of)(const struct wl_rule_state *d,
						const struct wl_claim *claim);
	/*
	 * What-if scenario without what is claimed, as "whatif --with" takes it (derive/graph/
	 * scenario.h): that of all its findings, or by claim ("" for none); or why there is none.
	 */
	const char *scenario;
	const char *(*scenario_of)(struct wl_rule_state *d, const struct wl_claim *claim);
	const char *unreplayed;
	const char *scenario_of_all; /* what the code stands for, unless it is scenario */
	/* The blocking call that its scenario lets go, and the one behind which what it claims is
	 * exposed, whose finding goes first (findings/replayed.h); NULL for none. */
	const char *(*lets_go)(const struct wl_claim *claim);
	const char *(*behind)(const struct wl_rule_state *d, const struct wl_claim *claim);
	/* or the rule does all that itself. False when memory is exhausted. */
	bool (*apply)(const struct wl_rule *rule, struct wl_rule_state *d);
};

/*
 * Put down what was claimed; nothing for a claim of nothing. Action, advice and limits are
 * the rule's, unless the claim has better. sentence NULL is a lack of memory. The evidence
 * gets GPU and window where it has none.
 */
bool wl_rule_state_put(struct wl_rule_state *d, const struct wl_rule *rule,
		       const struct wl_claim *claim, const char *subject, const char *sentence,
		       const struct wl_cmdline *evidence) WL_MUST_CHECK;

/* The same for a finding that has no claim; the rule's members are filled in. */
bool wl_rule_state_put_plain(struct wl_rule_state *d, const struct wl_rule *rule,
			     const struct wl_finding *f) WL_MUST_CHECK;

/* One rule, for the files that define or ask it; all of them are in findings/registered.h. */
#define WL_DECLARE_RULE(name) extern const struct wl_rule wl_rule_##name

/* All of them, in the order of findings.def. */
extern const struct wl_rule *const wl_rules[];
extern const size_t wl_n_rules;

/* Apply one, or those that come before one, NULL for all: it may claim what they leave. */
bool wl_rule_apply(const struct wl_rule *rule, struct wl_rule_state *d) WL_MUST_CHECK;
bool wl_rules_apply_before(const struct wl_rule *rule, struct wl_rule_state *d) WL_MUST_CHECK;

#endif

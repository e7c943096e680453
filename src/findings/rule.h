/* SPDX-License-Identifier: MIT */
/*
 * rule.h - the descriptor of a rule. To add a rule, copy the structure of alloc_in_loop.c;
 * rule_state.h has the data that rules may read.
 *
 * A rule turns time that the ledger counts as lost into advice. It claims atoms, which no later
 * rule can then claim: two findings never promise the same time.
 */
#ifndef WL_FINDINGS_RULE_H
#define WL_FINDINGS_RULE_H

#include "findings/advice.h"
#include "findings/best_place.h"
#include "findings/rule_state.h"

/* In a window without steps, fewer occurrences are not taken for a loop. */
enum { WL_HABIT = 10 };

/*
 * Whether idle time is due to launching: inside and after the call, and host code in a short gap.
 * Work that waits longer than a short gap on average after its call was not launched late:
 * something else holds it back.
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
 * What a rule's claims depend on besides the rank. Facts of several traces keep what each rank
 * found by itself, and leave out what depends on the job.
 */
enum wl_reach {
	WL_REACH_RANK,      /* nothing */
	WL_REACH_TRANSFERS, /* transfers: each rank's own if there is no straggler */
	WL_REACH_LATE,      /* which rank is late */
	WL_REACH_MPI,       /* which MPI calls wait for a late rank */
};

struct wl_rule {
	const char *code;                /* stable: programs identify the finding by it */
	const char *title;               /* 10 to 55 characters, no full stop; "explain" lists it */
	struct wl_advice fix;            /* advice; all NULL if each finding has its own */
	const char *limits;              /* the caveat of the finding */
	struct wl_best_place best_place; /* where to look for it */
	enum wl_reach reach;
	bool is_of_steps; /* several ranks make one finding, whatever the subjects */
	/* Data read besides the ledger and its inputs; 0 and NULL for nothing. */
	uint64_t from;
	const enum wl_column_id *columns;
	/*
	 * Either wants() says which atoms of the sample are the rule's: all of them are claimed
	 * and become one finding, which tell() puts into words;
	 */
	bool (*wants)(const struct wl_atom *atom);
	/* Without steps, nothing is claimed if there are fewer occurrences than this. */
	unsigned min_without_steps;
	wl_name_of *name; /* NULL: the atoms' details */
	const char *(*tell)(struct wl_rule_state *d, const struct wl_claim *claim);
	/* Better advice than the rule's for a claim, if the rows prove it fits; or NULL. */
	const struct wl_advice *(*advise)(const struct wl_rule_state *d,
					  const struct wl_claim *claim);
	/* The verb and options that show the rows, without GPU and window; */
	struct wl_cmdline evidence;
	/* or chosen by claim, if other rows have most of it; NULL: the one above. */
	const struct wl_cmdline *(*evidence_of)(const struct wl_rule_state *d,
						const struct wl_claim *claim);
	/*
	 * The what-if scenario that removes the claim, as "whatif --with" takes it (derive/graph/
	 * scenario.h): one for all findings of the rule, or by claim ("" for none); or why there is
	 * none.
	 */
	const char *scenario;
	const char *(*scenario_of)(struct wl_rule_state *d, const struct wl_claim *claim);
	const char *unreplayed;
	const char *scenario_of_all; /* the scenario of the code, unless it is scenario */
	/* The blocking call that the rule's scenario removes, and the one that exposes the claimed
	 * time, whose finding goes first (findings/replayed.h); NULL for none. */
	const char *(*lets_go)(const struct wl_claim *claim);
	const char *(*behind)(const struct wl_rule_state *d, const struct wl_claim *claim);
	/* Or the rule does all of this itself. False when memory is exhausted. */
	bool (*apply)(const struct wl_rule *rule, struct wl_rule_state *d);
};

/*
 * Add the finding of a claim; an empty claim adds none. Action, advice and limits are the rule's,
 * unless the claim has better ones. sentence NULL means that memory ran out. GPU and window are
 * added to the evidence if it has none.
 */
bool wl_rule_state_put(struct wl_rule_state *d, const struct wl_rule *rule,
		       const struct wl_claim *claim, const char *subject, const char *sentence,
		       const struct wl_cmdline *evidence) WL_MUST_CHECK;

/* The same for a finding without a claim; the rule's members are filled in. */
bool wl_rule_state_put_plain(struct wl_rule_state *d, const struct wl_rule *rule,
			     const struct wl_finding *f) WL_MUST_CHECK;

/* Declares one rule, for files that define or query it; findings/registered.h declares all. */
#define WL_DECLARE_RULE(name) extern const struct wl_rule wl_rule_##name

/* All rules, in the order of findings.def. */
extern const struct wl_rule *const wl_rules[];
extern const size_t wl_n_rules;

/* Apply one rule, or all rules before one (NULL: all), which may then claim what they leave. */
bool wl_rule_apply(const struct wl_rule *rule, struct wl_rule_state *d) WL_MUST_CHECK;
bool wl_rules_apply_before(const struct wl_rule *rule, struct wl_rule_state *d) WL_MUST_CHECK;

#endif

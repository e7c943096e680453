/* SPDX-License-Identifier: MIT */
/*
 * rule_state.h - the data that rules work on: the ledger's atoms with their unclaimed time, the
 * steps that count, and the findings so far.
 *
 * Here, a GPU is a device as used by one process: a lane of the ledger. Its sample is all steps of
 * the lane's process in the window, except the first, which warms up, and the last; if there are
 * fewer than three, all of them. A lane without steps is sampled as a whole.
 */
#ifndef WL_FINDINGS_RULE_STATE_H
#define WL_FINDINGS_RULE_STATE_H

#include "analysis/ncu_join.h"
#include "base/text/units.h"
#include "derive/ledger/ledger.h"
#include "derive/use/lost_stacks.h"
#include "derive/use/stack_names.h"
#include "findings/advice.h"
#include "findings/saves.h"
#include "known/calls/os_calls.h"

struct wl_rule_gpu {
	const struct wl_ledger_lane *lane;
	bool by_step;          /* figures are per step, else of the whole window */
	const bool *in_sample; /* by tile */
	size_t n_steps;        /* 1 if by_step is false */
	uint32_t first, last;  /* iterations of the sample; valid if by_step */
	wl_ns begin, end;      /* of the sample, including time between its tiles */
	wl_ns length;          /* of the sample */
	wl_ns busy;            /* of the sample: compute and exposed time */
	wl_ns window;          /* of all tiles */
	/* Label of the NVTX range that is the step; NULL if there is none, or it only begins the
	 * step. */
	const char *marker;
	wl_ns *left;    /* by atom: not claimed yet; 0 outside the sample */
	wl_ns *compute; /* by tile: not claimed yet */
	/* Losses, as bits, that make several steps slow: they are not start-up, and other rules
	 * claim them. */
	uint32_t recurring;
	/* Call stacks of the lane's atoms; NULL if the trace has none. */
	const struct wl_group_stacks *stacks;
};

/*
 * The time that a rule has claimed. A step has the cause of a claim if it loses at least half of
 * the mean to it. If at most half of the steps have it, the claim is rare: it is not about steps,
 * and its figures are of the window.
 */
struct wl_claim {
	uint32_t number;   /* of all claims, from 1 */
	wl_ns *ns;         /* by GPU: of the whole sample */
	wl_ns *extra;      /* by GPU: compute that is not lost but can be saved */
	uint64_t *n;       /* by GPU: occurrences of the most frequent cause */
	uint32_t *n_steps; /* by GPU: steps that have it */
	bool *is_rare;     /* by GPU: its figures are of the window */
	uint32_t **step;   /* by GPU: if it is rare, the steps that have it, ascending; or NULL */
	/* by GPU, for idle time: the gaps that have most of it, in no order */
	struct wl_peak (*peak)[WL_N_PEAKS];
	wl_ns all; /* on all GPUs, without extra */
	/* On the GPU where it is largest, which sentences name: */
	const char *detail; /* the largest named part; NULL for none */
	const char *stage;  /* that detail's stage; NULL for none */
	wl_ns named_of;     /* all time claimed there, including these parts */
	wl_ns detail_ns;
	wl_ns unnamed_ns;           /* without a detail */
	wl_ns by_loss[WL_N_LOSSES]; /* by loss of the atoms taken */
	/* On all GPUs: */
	wl_ns os_ns[WL_N_OS_CLASSES]; /* in OS calls, by class */
	wl_ns asleep_ns;              /* in which the thread slept (WL_LOST_ASLEEP) */
	wl_ns operator_ns;        /* host code in framework operators (known/calls/operators.h) */
	const char *opener;       /* the call that opened most of it (idle.h); NULL for none */
	const char *opener_range; /* the NVTX range around that call; NULL for none */
	wl_ns opened_ns;          /* by that call */
	unsigned always;          /* flags that all its exposed copies have */
	/*
	 * What the launching threads of that GPU ran (docs/definitions/stacks.md); NULL if not
	 * named.
	 */
	const char *function, *under, *holder;
	wl_ns function_ns, held_ns; /* with these on the stack: function inside holder or under */
	size_t stacks_of;           /* the GPU */
	wl_ns stack_ns;             /* with a stack */
	wl_ns account_ns;           /* accounted time; atoms count whole, as in finding:N */
	bool is_elsewhere;          /* another device shows the cause: look_at */
	uint32_t look_at;
	bool names_who;       /* as in struct wl_finding */
	bool is_placed;       /* the sentence names a step other than that of the longest gap */
	wl_ns at;             /* where that begins */
	struct wl_advice fix; /* better than the rule's; none if action is NULL */
	/* Replaces the rule's; zeroed: none. If it has GPUs or steps, none are added. */
	struct wl_cmdline evidence;
	/* The scenario, or why there is none; replaces the rule's unless NULL. */
	const char *scenario, *unreplayed;
};

enum wl_finding_kind {
	WL_FINDING_SAVING, /* time that can be saved */
	WL_FINDING_SHARE,  /* about compute: a share of the step, not a saving */
	WL_FINDING_TRACE,  /* about the trace itself */
};

/* The result of replaying a finding's scenario (findings/replayed.h). */
struct wl_replayed {
	bool is_known;
	wl_ns saving; /* per step or of the window, like the finding's; may be negative */
	wl_ns error;  /* of the saving; -1 if replays of the trace are not validated */
};

/* A finding. Texts are constant or owned by the arena of the run. */
struct wl_finding {
	const char *code, *subject; /* subject: a kernel, a stage; NULL for none */
	enum wl_finding_kind kind;
	uint32_t claim;      /* number of its claim; 0 for none */
	const char *part;    /* part of the time accounts with most of it; NULL for none */
	wl_ns part_time;     /* claimed of that part, in the samples of all GPUs */
	size_t gpu;          /* on which it is largest; unused for a TRACE */
	bool of_window;      /* saving and share are of the window, not of a step */
	bool is_once;        /* a longer run does not spend more on it */
	bool comes_first;    /* it puts others in doubt: counters contradict idle time */
	bool is_doubted;     /* by such a finding on its device */
	wl_ns saving;        /* per step of that GPU, or of the window */
	double share;        /* of the step, or of the window; < 0 if there is none */
	double window_share; /* share of the GPU's window that it claims */
	bool hides_most;     /* its scenario removes more than can be hidden, which is its claim */
	double accounts_for; /* share of step or window, if more than can be saved; else 0 */
	wl_ns gpu_time;      /* claimed on all devices in the whole sample */
	bool is_elsewhere;   /* a device other than the GPU's shows the cause: look_at */
	uint32_t look_at;
	bool is_placed; /* it has a time: that of the gap or step in the sentence */
	wl_ns at;
	struct wl_advice fix; /* action NULL: the rule's */
	const char *sentence;
	struct wl_cmdline evidence; /* what shows it */
	bool shows_stacks;          /* as evidence, the stacks of its claim */
	const char *limits;         /* NULL: the rule's */
	/* For a SAVING: the what-if scenario that removes it, or why there is none; NULL: the
	 * rule's. */
	const char *scenario, *unreplayed;
	struct wl_replayed replayed;
	double late; /* run share lost to a rank that cannot be replayed: its severity; or 0 */
	wl_ns alone; /* saving if it alone is fixed */
	wl_ns alone_whole; /* the same, including time outside the steps */
	uint32_t place;    /* in the order in which savings add up, from 1; 0: none */
	/* Findings with one scenario: the first has the saving of all. */
	bool is_first_of_joint, is_joint;
	bool names_who; /* it says who is late; other findings say when */
	/* Blocking calls: the one that its scenario removes, and the one that causes it. */
	const char *lets_go, *behind;
	struct wl_saves saves;  /* beyond those before it: the number printed in front */
	struct wl_parts fixing; /* in words (findings/say_saving.h); no parts for no saving */
};

/* An atom from which a claim has taken time. */
struct wl_taken {
	uint32_t claim, gpu, atom;
	wl_ns ns;
};

/* The part of a claim with one call stack. */
struct wl_claim_stack {
	wl_ns ns;              /* accounted time (docs/definitions/stacks.md) */
	wl_ns exact;           /* part of it in calls and off the CPU, without samples */
	uint64_t n;            /* samples taken during the claim */
	bool is_on, is_around; /* has the frame searched for, or the one around it */
};

struct wl_rule_state {
	const struct wl_run *run;
	const struct wl_ledger *ledger;
	struct wl_rule_gpu *gpu; /* by device */
	size_t n_gpus;
	unsigned frameworks;            /* proven by the trace (advice.h) */
	bool has_reads;                 /* the trace has copies from a device to the host */
	bool has_bubble;                /* waits for other pipeline stages are claimed */
	const struct wl_ncu_join *join; /* kernels that ncu measured; NULL for none */
	struct wl_function_tally tally; /* for the current claim */
	struct wl_claim_stack *stack;   /* of that claim, by stack; NULL if the trace has none */
	struct wl_vec stacked;          /* struct wl_taken: its atoms that have stacks */
	double min_coverage;            /* of kernel time by NVTX ranges; a finding reports less */
	struct wl_vec findings;         /* struct wl_finding */
	uint32_t n_claims;
	struct wl_vec taken; /* struct wl_taken, of idle and exposed time */
};

/* Release even after a failure. False when the arena of the run is exhausted. */
bool wl_rule_state_init(struct wl_rule_state *d, const struct wl_run *run) WL_MUST_CHECK;
void wl_rule_state_release(struct wl_rule_state *d);

typedef bool wl_wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom);

/* Whether an atom is host code in the step's own NVTX range and in no range inside it. */
bool wl_atom_is_in_step_alone(const struct wl_rule_gpu *gpu, const struct wl_atom *atom);

/* The name of an atom; NULL for none. */
typedef const char *wl_name_of(const struct wl_atom *atom);

/* Claim the unclaimed time of all wanted atoms. False without memory. */
bool wl_rule_state_claim(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			 struct wl_claim *ret) WL_MUST_CHECK;

/* The same, with names other than the atoms' details. */
bool wl_rule_state_claim_by(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			    wl_name_of *name, struct wl_claim *ret) WL_MUST_CHECK;

/*
 * Record that a claim has atom i of GPU g; then name the function shown by the stacks of one GPU,
 * the claim's largest. One claim at a time. The second is false without memory.
 */
void wl_claim_add_stacks(struct wl_rule_state *d, const struct wl_claim *c, size_t g, size_t i);
bool wl_claim_name_function(struct wl_rule_state *d, size_t gpu,
			    struct wl_claim *claim) WL_MUST_CHECK;

/* The number of wanted, unclaimed occurrences on a GPU, for the most frequent cause. */
uint64_t wl_rule_state_count(const struct wl_rule_state *d, size_t gpu, wl_wants *wants,
			     const void *ctx);

/* Begin an empty claim, for take(). */
bool wl_claim_init(struct wl_rule_state *d, struct wl_claim *ret) WL_MUST_CHECK;

/* Take at most this much of a loss in one tile of a GPU; returns the time taken. */
wl_ns wl_rule_state_take(struct wl_rule_state *d, size_t gpu, uint32_t tile, enum wl_loss loss,
			 wl_ns most, struct wl_claim *claim);

/* The same for a tile's compute, which counts as extra. */
wl_ns wl_rule_state_take_compute(struct wl_rule_state *d, size_t gpu, uint32_t tile, wl_ns most,
				 struct wl_claim *claim);

/* Record that a claim has taken time from an atom, for rules that take it themselves. */
void wl_rule_state_keep(struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu,
			size_t atom, wl_ns ns);

/* Count the steps of a GPU that have the claim, from its time in each tile. */
void wl_claim_count_steps(const struct wl_rule_state *d, struct wl_claim *claim, size_t gpu,
			  const wl_ns *by_tile);

/* Whether a claim's figures on a GPU are per step rather than of the window. */
bool wl_claim_is_of_steps(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);

/* A claim's share of a GPU's step, or of its window; its share of the window; its time per step or
 * in the window. */
double wl_claim_share(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);
double wl_claim_window_share(const struct wl_rule_state *d, const struct wl_claim *claim,
			     size_t gpu);
wl_ns wl_claim_per_step(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);

/* On the GPU that sentences name: the idle time taken, without exposed work. */
wl_ns wl_claim_idle(const struct wl_claim *claim);

/* The claim's longest gap on a GPU; 0 ns long if it has none. */
struct wl_peak wl_claim_longest(const struct wl_claim *c, size_t t);

/* The GPU on which the claim has the largest share of the window; the first of equals. */
size_t wl_claim_gpu(const struct wl_rule_state *d, const struct wl_claim *claim);

/* The mean length of a step of the GPU. */
wl_ns wl_rule_state_step(const struct wl_rule_gpu *gpu);

/* Add the coverage of the list: the idle time with a known cause, which is all that rules can
 * claim. */
void wl_rule_state_cover(const struct wl_rule_state *d, struct wl_table *out);

/* Note which steps the figures are based on. There must be at least one GPU. */
void wl_rule_state_note(const struct wl_rule_state *d, struct wl_table *out);

/* The first selected process whose host and GPU clocks are apart, which a note reports; or
 * WL_NONE. */
uint32_t wl_rule_state_skewed(const struct wl_rule_state *d);

/* Text in the arena of the run; NULL when that is exhausted. */
const char *wl_say(struct wl_rule_state *d, const char *fmt, ...) WL_PRINTF(2, 3);

/*
 * A name of the trace for a sentence, without the counters of operators (", op_id = #"), and cut in
 * the middle if it is long. If it is NULL, or without memory, returns other.
 */
const char *wl_say_detail(struct wl_rule_state *d, const char *detail, const char *other);

/* The same in backquotes, for the name of a call or a range. other is not quoted. */
const char *wl_say_quoted(struct wl_rule_state *d, const char *detail, const char *other);

/* The label of a kernel name, shortened in the same way. */
const char *wl_say_kernel(struct wl_rule_state *d, uint32_t kernel_name);

/*
 * "1.85 ms per step (2.8%) on GPU 0", "of the window", or if it is rare "in 2 of 18 steps: 7, 12
 * (1.2% of the window) on GPU 0; longest gap: 1.2 ms in step 7 (at 12.3 ms)". NULL as above.
 */
const char *wl_say_claim(struct wl_rule_state *d, const struct wl_claim *claim);

/*
 * Which steps, to follow their number: ": 4, 9, 14", ", every 5th: 2, 7, 12, ..."; "" for none.
 * Steps must be ascending. NULL as above.
 */
const char *wl_say_which_steps(struct wl_rule_state *d, const uint32_t *step, size_t n);

/*
 * ", 98.0% of it in `X`", or if no name has half of it "; largest named part: `X` (13.0%)"; if
 * unnamed time has half, preceded by "98.7% of it " and unnamed. in: "in " or other text before the
 * name of a call or range; "" before words. unnamed NULL: unnamed time is not mentioned. "" if
 * there is nothing to say; NULL as above.
 */
const char *wl_say_parts(struct wl_rule_state *d, const struct wl_claim *claim, const char *in,
			 const char *unnamed);

/* Whether the trace has NVTX ranges: only then is "outside any NVTX range" informative. */
bool wl_has_ranges(const struct wl_rule_state *d);

/*
 * "; call stacks show `read` under `load_batch` for 61.3% of this time (no stack: 4.0%)", or ";
 * call stacks show `load_batch` for 61.3% of this time, in it `read` for 8.2%"; "" if no function
 * is worth it. NULL as above.
 */
const char *wl_say_stacks(struct wl_rule_state *d, const struct wl_claim *claim);

/* The name of a kind of loss in a sentence: "host code", "exposed copies". */
const char *wl_say_loss(enum wl_loss loss);

/* A count in a sentence: "12", "22,564". NULL as above. */
const char *wl_say_count(struct wl_rule_state *d, uint64_t n);

/* Restrict a command to where a finding on a GPU can be seen: its device and the steps. */
void wl_show(const struct wl_rule_state *d, size_t gpu, struct wl_cmdline *command);

/* The same on a device other than the GPU's. */
void wl_show_on(const struct wl_rule_state *d, size_t gpu, uint32_t device,
		struct wl_cmdline *command);

#endif

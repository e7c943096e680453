/* SPDX-License-Identifier: MIT */
/*
 * rule_state.h - the material of rules: the ledger's atoms with what is left of them, the steps
 * that count, and the findings so far.
 *
 * A GPU, here, is a device as one process uses it: a lane of the ledger. Its sample is all steps of
 * the lane's process that lie in the window, but for the first and the last, which warm up and end;
 * of fewer than three, those there are. A lane without steps is looked at as a whole.
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
	bool by_step;          /* figures are per step; else of the whole window */
	const bool *in_sample; /* by tile */
	size_t n_steps;        /* 1 where by_step is false */
	uint32_t first, last;  /* iterations of the sample; valid by step */
	wl_ns begin, end;      /* of the sample, with what lies between its tiles */
	wl_ns length;          /* of the sample */
	wl_ns busy;            /* of the sample: compute and what is exposed */
	wl_ns window;          /* of all tiles */
	/* Label of the NVTX range that is the step; NULL for none, and where it only begins it. */
	const char *marker;
	wl_ns *left;    /* by atom: not claimed yet; 0 outside the sample */
	wl_ns *compute; /* by tile: not claimed yet */
	/* Losses, as bits, that make several steps slow: they are no start-up, and have rules. */
	uint32_t recurring;
	/* Call stacks of the lane's atoms; NULL where the trace has none. */
	const struct wl_group_stacks *stacks;
};

/*
 * What a rule has taken. A step has the cause of a claim where it loses at least half of
 * the mean to it. Where at most half of the steps have it, the claim is not about
 * steps: it is rare, and its figures are of the window.
 */
struct wl_claim {
	uint32_t number;   /* of all claims, from 1 */
	wl_ns *ns;         /* by GPU: of the whole sample */
	wl_ns *extra;      /* by GPU: compute that is no loss but can be saved */
	uint64_t *n;       /* by GPU: how often, of the cause that is there most often */
	uint32_t *n_steps; /* by GPU: steps that have it */
	bool *is_rare;     /* by GPU: its figures are of the window */
	uint32_t **step;   /* by GPU: where it is rare the steps that have it, ascending; or NULL */
	/* by GPU: idle: the gaps that have most of it, in no order */
	struct wl_peak (*peak)[WL_N_PEAKS];
	wl_ns all; /* on all GPUs, without extra */
	/* On the GPU where it is largest, which sentences name: */
	const char *detail; /* the largest that has a name; NULL for none */
	const char *stage;  /* of that detail; NULL for none */
	wl_ns named_of;     /* all that is claimed there, which these are parts of */
	wl_ns detail_ns;
	wl_ns unnamed_ns;           /* without a detail */
	wl_ns by_loss[WL_N_LOSSES]; /* what atoms were taken of */
	/* On all GPUs: */
	wl_ns os_ns[WL_N_OS_CLASSES]; /* in calls of the operating system, by what they do */
	wl_ns asleep_ns;              /* in which the thread slept (WL_LOST_ASLEEP) */
	wl_ns operator_ns;  /* host code in operators of a framework (known/calls/operators.h) */
	const char *opener; /* the call that opened most of it (idle.h); NULL for none */
	const char *opener_range; /* the NVTX range around that call; NULL for none */
	wl_ns opened_ns;          /* by that call */
	unsigned always;          /* flags that all its exposed copies have */
	/*
	 * What the launching threads of that GPU ran (docs/definitions/stacks.md); NULL where none
	 * is named.
	 */
	const char *function, *under, *holder;
	wl_ns function_ns, held_ns; /* with these on the stack: function in holder, or under */
	size_t stacks_of;           /* the GPU */
	wl_ns stack_ns;             /* with a stack */
	wl_ns account_ns;           /* of the account: atoms count whole, as in finding:N */
	bool is_elsewhere;          /* another device shows the cause: look_at */
	uint32_t look_at;
	bool names_who;       /* that of the finding */
	bool is_placed;       /* the sentence names a step that is not the one of the longest gap */
	wl_ns at;             /* where that begins */
	struct wl_advice fix; /* better than the rule's; action NULL for none */
	/* In place of the rule's; zeroed: none. One with GPUs or steps gets no others. */
	struct wl_cmdline evidence;
	/* The scenario, or why there is none, in place of the rule's; or NULL. */
	const char *scenario, *unreplayed;
};

enum wl_finding_kind {
	WL_FINDING_SAVING, /* time that can be returned */
	WL_FINDING_SHARE,  /* about compute: a share of the step and no saving */
	WL_FINDING_TRACE,  /* about the trace itself */
};

/* What a replay of a finding's scenario gives (findings/replayed.h). */
struct wl_replayed {
	bool is_known;
	wl_ns saving; /* per step or of the window, as that of the finding; may be negative */
	wl_ns error;  /* of that; -1 where replays of the trace are not validated */
};

/* Texts are owned by the arena of the run, or constant. */
struct wl_finding {
	const char *code, *subject; /* subject: a kernel, a stage; NULL for none */
	enum wl_finding_kind kind;
	uint32_t claim;      /* its number; 0 for none */
	const char *part;    /* of the account of time, that most of it is of; NULL for none */
	wl_ns part_time;     /* of that part, in the sample of all GPUs */
	size_t gpu;          /* on which it is largest; of a TRACE unused */
	bool of_window;      /* saving and share are of the window, and not of a step */
	bool is_once;        /* a longer run does not spend more on it */
	bool comes_first;    /* it puts others in doubt: counters contradict what is idle */
	bool is_doubted;     /* by such a one, on its device */
	wl_ns saving;        /* per step of that GPU, or of the window */
	double share;        /* of the step, or of the window; < 0 where there is none */
	double window_share; /* all that it claims, of the GPU's window */
	bool hides_most; /* its scenario takes away more than can be hidden: that is its claim */
	double accounts_for; /* of the step or window, where that is more than can be saved; 0 */
	wl_ns gpu_time;      /* claimed on all devices in the whole sample */
	bool is_elsewhere;   /* another device than the GPU's shows the cause: look_at */
	uint32_t look_at;
	bool is_placed; /* it is at a time: the gap or the step that the sentence names */
	wl_ns at;
	struct wl_advice fix; /* action NULL: the rule's */
	const char *sentence;
	struct wl_cmdline evidence; /* what shows it */
	bool shows_stacks;          /* with the stacks of what it claims */
	const char *limits;         /* NULL: the rule's */
	/* Of a SAVING: the what-if scenario without it, or why it has none; NULL: the rule's. */
	const char *scenario, *unreplayed;
	struct wl_replayed replayed;
	double late; /* of the run, by a rank whose cost cannot be replayed: its severity; else 0 */
	wl_ns alone; /* what it saves if it is fixed alone */
	wl_ns alone_whole; /* that with what lies outside of the steps */
	uint32_t place;    /* in the order in which savings add up, from 1; 0: not of them */
	/* Findings of one scenario: the first has the saving of all. */
	bool is_first_of_joint, is_joint;
	bool names_who; /* it says who is late, where others say when */
	/* Blocking calls: the one that its scenario lets go, the one that it is a result of. */
	const char *lets_go, *behind;
	struct wl_saves saves;  /* besides those before it: the number that is printed in front */
	struct wl_parts fixing; /* that in words (findings/say_saving.h); no part for no saving */
};

/* An atom that a claim has taken time of. */
struct wl_taken {
	uint32_t claim, gpu, atom;
	wl_ns ns;
};

/* What a claim has of a stack. */
struct wl_claim_stack {
	wl_ns ns;              /* of the account (docs/definitions/stacks.md) */
	wl_ns exact;           /* of that: in calls and off the CPU, without samples */
	uint64_t n;            /* samples taken in the time of the claim */
	bool is_on, is_around; /* has the frame that is looked for, the one around it */
};

struct wl_rule_state {
	const struct wl_run *run;
	const struct wl_ledger *ledger;
	struct wl_rule_gpu *gpu; /* by device */
	size_t n_gpus;
	unsigned frameworks;            /* that the trace proves (advice.h) */
	bool has_reads;                 /* copies from a device to the host are in the trace */
	bool has_bubble;                /* waits for other stages of a pipeline are claimed */
	const struct wl_ncu_join *join; /* kernels that ncu measured; NULL for none */
	struct wl_function_tally tally; /* of the claim that is made */
	struct wl_claim_stack *stack;   /* of that claim, by stack; NULL where there are none */
	struct wl_vec stacked;          /* struct wl_taken: its atoms that have stacks */
	double min_coverage;    /* of kernel time by NVTX ranges: below, a finding says so */
	struct wl_vec findings; /* struct wl_finding */
	uint32_t n_claims;
	struct wl_vec taken; /* struct wl_taken, of idle and exposed time */
};

/* Release also after a failure. False when the arena of the run is exhausted. */
bool wl_rule_state_init(struct wl_rule_state *d, const struct wl_run *run) WL_MUST_CHECK;
void wl_rule_state_release(struct wl_rule_state *d);

typedef bool wl_wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom);

/* Host code in the NVTX range that is the step, and in no range inside it. */
bool wl_atom_is_in_step_alone(const struct wl_rule_gpu *gpu, const struct wl_atom *atom);

/* What to call an atom; NULL for no name. */
typedef const char *wl_name_of(const struct wl_atom *atom);

/* Take what is left of all atoms that are wanted. False without memory. */
bool wl_rule_state_claim(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			 struct wl_claim *ret) WL_MUST_CHECK;

/* The same with other names than the atoms' details. */
bool wl_rule_state_claim_by(struct wl_rule_state *d, wl_wants *wants, const void *ctx,
			    wl_name_of *name, struct wl_claim *ret) WL_MUST_CHECK;

/*
 * Note that a claim has atom i of GPU g; then name the function that the stacks of one GPU, its
 * largest, show. One claim after another. The latter is false without memory.
 */
void wl_claim_add_stacks(struct wl_rule_state *d, const struct wl_claim *c, size_t g, size_t i);
bool wl_claim_name_function(struct wl_rule_state *d, size_t gpu,
			    struct wl_claim *claim) WL_MUST_CHECK;

/* How often what is left and wanted is there on a GPU, of the cause with most. */
uint64_t wl_rule_state_count(const struct wl_rule_state *d, size_t gpu, wl_wants *wants,
			     const void *ctx);

/* An empty claim, for take(). */
bool wl_claim_init(struct wl_rule_state *d, struct wl_claim *ret) WL_MUST_CHECK;

/* Take at most so much of a loss in one tile of a GPU; returns what was taken. */
wl_ns wl_rule_state_take(struct wl_rule_state *d, size_t gpu, uint32_t tile, enum wl_loss loss,
			 wl_ns most, struct wl_claim *claim);

/* The same of a tile's compute, which is then extra. */
wl_ns wl_rule_state_take_compute(struct wl_rule_state *d, size_t gpu, uint32_t tile, wl_ns most,
				 struct wl_claim *claim);

/* Note that a claim has taken time of an atom, for rules that take it themselves. */
void wl_rule_state_keep(struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu,
			size_t atom, wl_ns ns);

/* Find in how many steps of a GPU the claim is, from what each tile has of it. */
void wl_claim_count_steps(const struct wl_rule_state *d, struct wl_claim *claim, size_t gpu,
			  const wl_ns *by_tile);

/* Its figures on a GPU are of steps, and not of the window. */
bool wl_claim_is_of_steps(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);

/* What of a claim falls on a step of a GPU, or on its window; its share of that; of the window.
 */
double wl_claim_share(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);
double wl_claim_window_share(const struct wl_rule_state *d, const struct wl_claim *claim,
			     size_t gpu);
wl_ns wl_claim_per_step(const struct wl_rule_state *d, const struct wl_claim *claim, size_t gpu);

/* Of the GPU of sentences: what was taken of idle time, and not of exposed work. */
wl_ns wl_claim_idle(const struct wl_claim *claim);

/* The longest gap that the claim has on a GPU; of 0 ns where it has none. */
struct wl_peak wl_claim_longest(const struct wl_claim *c, size_t t);

/* The GPU on which the claim is the largest share of the window; the first of several. */
size_t wl_claim_gpu(const struct wl_rule_state *d, const struct wl_claim *claim);

/* The mean length of a step of the GPU. */
wl_ns wl_rule_state_step(const struct wl_rule_gpu *gpu);

/* Rules can claim idle time only where its cause is known: that is what a list covers. */
void wl_rule_state_cover(const struct wl_rule_state *d, struct wl_table *out);

/* Say in a note which steps all figures speak of. At least one GPU is there. */
void wl_rule_state_note(const struct wl_rule_state *d, struct wl_table *out);

/* The first process shown whose clocks of host and GPU are apart, which a note says; WL_NONE. */
uint32_t wl_rule_state_skewed(const struct wl_rule_state *d);

/* Text in the arena of the run; NULL when that is exhausted. */
const char *wl_say(struct wl_rule_state *d, const char *fmt, ...) WL_PRINTF(2, 3);

/*
 * A name of the trace in a sentence, without the counters of operators (", op_id = #"), and cut
 * in its middle where it is long. It may be NULL: then, and without memory, other stands for it.
 */
const char *wl_say_detail(struct wl_rule_state *d, const char *detail, const char *other);

/* The same in backquotes: the name of a call or a range. other has none. */
const char *wl_say_quoted(struct wl_rule_state *d, const char *detail, const char *other);

/* The label of a kernel name, shortened as these. */
const char *wl_say_kernel(struct wl_rule_state *d, uint32_t kernel_name);

/*
 * "1.85 ms per step (2.8%) on GPU 0", "of the window", or where it is rare "in 2 of 18
 * steps: 7, 12 (1.2% of the window) on GPU 0; longest gap: 1.2 ms in step 7 (at 12.3 ms)".
 * NULL as above.
 */
const char *wl_say_claim(struct wl_rule_state *d, const struct wl_claim *claim);

/*
 * Which steps, after their number: ": 4, 9, 14", ", every 5th: 2, 7, 12, ..."; "" for none. Steps
 * are ascending. NULL as above.
 */
const char *wl_say_which_steps(struct wl_rule_state *d, const uint32_t *step, size_t n);

/*
 * ", 98.0% of it in `X`", or where no name has half of it "; largest named part: `X` (13.0%)",
 * after "98.7% of it " and unnamed where that has. in: "in " or what comes before the name of a
 * call or range; "" before words. unnamed NULL: time without a name is not said.
 * "" where there is nothing to say; NULL as above.
 */
const char *wl_say_parts(struct wl_rule_state *d, const struct wl_claim *claim, const char *in,
			 const char *unnamed);

/* The trace has NVTX ranges: only then "outside any NVTX range" says something. */
bool wl_has_ranges(const struct wl_rule_state *d);

/*
 * "; call stacks show `read` under `load_batch` for 61.3% of this time (no stack: 4.0%)", or
 * "; call stacks show `load_batch` for 61.3% of this time, in it `read` for 8.2%"; "" where no
 * function is worth it. NULL as above.
 */
const char *wl_say_stacks(struct wl_rule_state *d, const struct wl_claim *claim);

/* "host code", "exposed copies": what a kind of loss is called in a sentence. */
const char *wl_say_loss(enum wl_loss loss);

/* "12", "22,564": a number of things. NULL as above. */
const char *wl_say_count(struct wl_rule_state *d, uint64_t n);

/* Make a command show where a finding on a GPU is to be seen: its device, and the steps. */
void wl_show(const struct wl_rule_state *d, size_t gpu, struct wl_cmdline *command);

/* The same on another device than the GPU's. */
void wl_show_on(const struct wl_rule_state *d, size_t gpu, uint32_t device,
		struct wl_cmdline *command);

#endif

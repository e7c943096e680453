/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - what-if scenarios: how long the run would take if something were different.
 *
 * A scenario is a name with arguments, as a user writes it: "comm-free", "rank=3:0.8",
 * "kernel=gemm:1/2". It changes lengths, lags and candidates of activities; a replay computes when
 * the run would have ended. Several scenarios compose: factors multiply, and a time that one of
 * them sets to zero stays zero.
 *
 * Order of calls: wl_whatif_begin once, then wl_whatif_run as often as needed.
 */
#ifndef WL_DERIVE_SCENARIO_H
#define WL_DERIVE_SCENARIO_H

#include "base/err.h"
#include "derive/graph/refusal.h"
#include "derive/graph/replay/replay.h"
#include "derive/graph/replay/replay_plan.h"
#include "derive/rows/scope.h"

struct wl_derived;
struct wl_asked;
struct wl_step_change;
struct wl_step_lists;
struct wl_holders;
struct wl_whatif;

/* How far to trust the saving of a scenario. */
enum wl_forecast {
	WL_PREDICTION,
	WL_UPPER_BOUND, /* an upper bound */
	WL_LOWER_BOUND, /* a lower bound: ranks of the job are missing, or calls or operations are
			   held for unknown reasons (rank_holds.h) */
	WL_NO_BOUND,    /* an upper bound, except that held calls keep their time */
};

/* What a scenario found besides its saving; reported with it. */
enum wl_remark_kind {
	WL_REMARK_NONE,
	WL_REMARK_NO_SLOW_STEP,
	WL_REMARK_SET_UP,      /* n of of_n slow steps are one-time set-up of a run of steps */
	WL_REMARK_STEP_CHANGE, /* change: its slower steps are set to the median of the others */
	WL_REMARK_OTHER_MPI, /* time of of_time of the critical path stays in unmatched MPI calls */
	WL_REMARK_MISSING_RANKS, /* waiting for missing ranks stays, as transfer */
	WL_REMARK_ONLY_ORDER, /* n of of_n waits are the only thing that orders MPI calls or work on
				 other streams */
	WL_REMARK_NO_PINNED,  /* there are no pinned copies from which to take the rate of some
				 pageable ones */
};

struct wl_whatif_remark {
	enum wl_remark_kind kind;
	size_t n, of_n;
	wl_ns time, of_time;
	const struct wl_step_change *change;
};

/* A few long operations that account for most of the time that operations lose; n is 0 if there are
 * none. */
struct wl_few_operations {
	size_t n;
	wl_ns time, of_time;
};

/* The process whose operations start later than known causes explain; share is 0 for none. */
struct wl_rank_hold {
	int64_t rank;    /* below 0 if not known */
	uint32_t device; /* first device of the process */
	double share;    /* of the run */
};

/* The scenarios, in the order of wl_scenario_kinds. */
enum wl_scenario_id {
	WL_SCENARIO_NO_STRAGGLER,
	WL_SCENARIO_SLOW_STEPS,
	WL_SCENARIO_RANK,
	WL_SCENARIO_KERNEL,
	WL_SCENARIO_CATEGORY,
	WL_SCENARIO_CLASS,
	WL_SCENARIO_COMM_FREE,
	WL_SCENARIO_NO_WAIT,
	WL_SCENARIO_OVERLAP,
	WL_SCENARIO_LAUNCH_FREE,
	WL_SCENARIO_HOST_FREE,
	WL_SCENARIO_NO_SYNC,
	WL_SCENARIO_COPIES_FREE,
	WL_SCENARIO_PINNED,
	WL_SCENARIO_DATA,
	/* Scenarios of findings, named after their codes. */
	WL_SCENARIO_SLOW_ITERATIONS,
	WL_SCENARIO_STEP_TIME_CHANGED,
	WL_SCENARIO_EXPOSED_COMM,
	WL_SCENARIO_EXPOSED_COPY,
	WL_SCENARIO_BLOCKING_COPY,
	WL_SCENARIO_TINY_READS,
	WL_SCENARIO_ALLOC_IN_LOOP,
	WL_SCENARIO_MODULE_LOAD,
	WL_SCENARIO_LAYOUT_CHANGE,
	WL_SCENARIO_TINY_KERNELS,
	WL_SCENARIO_HOST_STARVED,
	WL_SCENARIO_OVERLAP_MPI,
	WL_SCENARIO_HOST_CALLBACK,
	WL_N_SCENARIOS
};

/* An entry of the table of scenarios, wl_scenario_kinds. */
struct wl_scenario_kind {
	enum wl_scenario_id id;
	const char *name; /* "kernel" */
	const char *form; /* "kernel=PATTERN:FACTOR" */
	enum wl_forecast forecast;
	bool is_standard; /* tried without being asked for */
	bool takes_what, takes_factor;
	/* Private. refuse: why it has no answer; NULL if it always has one. apply: makes its
	 * changes. */
	enum wl_refusal (*refuse)(const struct wl_whatif *w);
	int (*apply)(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
};

extern const struct wl_scenario_kind wl_scenario_kinds[WL_N_SCENARIOS];

/* A scenario with its arguments. */
struct wl_asked {
	const struct wl_scenario_kind *kind;
	const char *text;      /* as written, borrowed */
	const char *what;      /* text before the colon; NULL if the kind takes none */
	int64_t times, out_of; /* the factor is times / out_of */
};

enum {
	WL_MOST_ASKS = 16,
	WL_TINY_KERNEL_NS = 5000, /* a kernel is tiny if it takes no longer */
};

/*
 * Read a scenario: NAME, NAME=WHAT, NAME=WHAT:FACTOR; a factor is "0.8", "80%" or "4/5". An unknown
 * or malformed part gives WL_E_USAGE with a list of what is valid. The text must outlive ret.
 */
int wl_ask_parse(const char *text, struct wl_arena *arena, struct wl_asked *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* List the standard scenarios, without arguments; at most WL_MOST_ASKS. Returns their number. */
size_t wl_standard_asks(struct wl_asked *ret);

/* Categories of time spent in a run. */
enum wl_spent {
	WL_SPENT_COMPUTE,
	WL_SPENT_COMM, /* transfers and unmatched communication */
	WL_SPENT_COPY,
	WL_SPENT_HOST,  /* calls, host gaps, returns */
	WL_SPENT_RIGID, /* latency, dispatch, dependency, unknown */
	WL_N_SPENT
};

const char *wl_spent_name(enum wl_spent spent); /* "compute", "communication", ... */

struct wl_whatif_result {
	enum wl_refusal refused; /* why there is no answer; 0 if there is one */
	wl_ns measured;          /* from the first start to the last end of all operations */
	wl_ns replayed;          /* measured from the same start */
	wl_ns saving;            /* measured - replayed; below 0 if the run gets longer */
	wl_ns per_step; /* from the ends of the first and the last step, at most the saving over the
			   steps between these; wl_whatif_per_step() says whether it is meaningful
			 */
	wl_ns in_steps; /* part of the saving from the start of the first step to the end of the
			   last one */
	bool is_once;   /* it saves time in single steps, so a saving per step is meaningless */
	enum wl_forecast forecast;
	size_t n_changed;               /* activities with a changed length, lag or candidates */
	struct wl_whatif_remark remark; /* the remark of the last scenario that has one */
	struct wl_rank_hold hold;       /* makes the saving a lower bound */
	struct wl_few_operations few;   /* make is_once true */
	wl_ns held;   /* time of its critical path in calls that seem to wait for another thread's
			 call that ends sooner; may be saved in addition */
	wl_ns queued; /* the same for long launch calls that a full queue may hold */
	wl_ns spent[WL_N_SPENT]; /* along the critical path of the replay */
};

/* Whether so much time is in held calls, above a thousandth of the run, that the saving is no upper
 * bound. */
static inline bool wl_whatif_is_held(const struct wl_whatif_result *result)
{
	return result->held + result->queued > result->measured / 1000;
}

/* What an activity does, for scenarios. */
enum wl_does {
	WL_DOES_COMPUTE, /* an operation */
	WL_DOES_COMM,    /* an unmatched operation that communicates */
	WL_DOES_MEET,    /* a matched operation that communicates */
	WL_DOES_COPY,    /* a copy between host and device, or between devices */
	WL_DOES_LOCAL,   /* a copy within a GPU, which has class compute (classes.h) */
	WL_DOES_LAUNCH,  /* a call that launches, and does not block */
	WL_DOES_BLOCK,   /* a call that blocks */
	WL_DOES_CALL,    /* any other CUDA call */
	WL_DOES_MPI,
};

/* The steps from the end of the first to the end of the last, over all processes that have both. */
struct wl_whole_steps {
	const uint32_t *first, *last; /* positions of the operations of these two steps */
	size_t n_first, n_last;
	size_t n; /* steps after the first one; 0 for none */
};

struct wl_whatif {
	const struct wl_derived *given;
	const struct wl_replay_plan *plan;
	struct wl_arena *arena;
	struct wl_window_plan window;
	const uint8_t *does;         /* by position: enum wl_does */
	struct wl_changes changes;   /* of the current run */
	struct wl_changes room;      /* arrays for changes to use; allocated when first needed */
	struct wl_shifts shifts;     /* of the current run */
	struct wl_step_lists *steps; /* wl_whatif_steps() */
	struct wl_holders *holders;  /* wl_held_begin() */
	const uint32_t
		*tip; /* operations of the window without a predecessor or a successor on their
			 stream in it; the first start and the last end are among them */
	size_t n_tips;
	bool *in_job;          /* by process: the run consists of these processes */
	const uint32_t *early; /* calls of the window that start before the first operation */
	size_t n_early;
	struct wl_whole_steps whole; /* the steps for the saving per step */
	struct wl_interval measured; /* from the first start to the last end of all operations */
	size_t n_steps;              /* steps in the window, as most processes have; 0 for none */
	size_t n_changed;            /* number of activities changed by the current run */
	enum wl_forecast forecast;   /* of the current run */
	bool crosses; /* of the current run: ranks that arrive sooner shorten others (rank_holds.h)
		       */
	bool is_once; /* of the current run: it changes single steps */
	struct wl_whatif_remark remark; /* of the current run: what its scenarios found */
};

/*
 * Prepare to replay the activities that start in a window; NULL for the whole trace. Earlier
 * activities keep their measured times. given must have what WL_FROM(WHATIF) names. The arena owns
 * the result; false when it is exhausted.
 */
bool wl_whatif_begin(const struct wl_derived *given, const struct wl_interval *window,
		     struct wl_arena *arena, struct wl_whatif *ret) WL_MUST_CHECK;

/*
 * Replay n scenarios together; with none, the result is the measured times. Linear in the
 * activities and candidates of the window. WL_E_NOMATCH if nothing has the given name; WL_E_NOMEM.
 */
int wl_whatif_run(struct wl_whatif *w, const struct wl_asked *asks, size_t n,
		  struct wl_whatif_result *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Scenarios of findings besides the standard ones: those of a code without arguments, no-sync for
 * the call with the longest total wait, and no MPI if its calls were recorded. The arena of w owns
 * the result; false when it is exhausted.
 */
enum { WL_MORE_ASKS = 10 };
bool wl_more_asks(const struct wl_whatif *w, struct wl_asked ret[WL_MORE_ASKS],
		  size_t *ret_n) WL_MUST_CHECK;

/* The saving per step in a run of w; false if there are no steps or if single steps account for the
 * saving. */
bool wl_whatif_per_step(const struct wl_whatif *w, const struct wl_whatif_result *result,
			wl_ns *ret);

#endif

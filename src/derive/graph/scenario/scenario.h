/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - what-if scenarios: what would the run take if something were different.
 *
 * A scenario is a name with arguments, as a user writes it: "comm-free", "rank=3:0.8",
 * "kernel=gemm:1/2". It changes lengths, lags and candidates of activities; a replay says
 * when the run would have ended. Several at once compose: factors multiply, and what one of
 * them sets to nothing stays nothing.
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

/* How far to trust what a scenario saves. */
enum wl_forecast {
	WL_PREDICTION,
	WL_UPPER_BOUND, /* an upper bound */
	WL_LOWER_BOUND, /* a lower bound: ranks of the job are missing, calls are held, or
			   operations are, by nothing that is known (rank_holds.h) */
	WL_NO_BOUND,    /* an upper bound but for calls that are held, which keep their time */
};

/* What a scenario found besides what it saves; said there as well. */
enum wl_remark_kind {
	WL_REMARK_NONE,
	WL_REMARK_NO_SLOW_STEP,
	WL_REMARK_SET_UP,      /* n of of_n slow steps set up a run of steps, which happens once */
	WL_REMARK_STEP_CHANGE, /* change: its slower steps take the median of the others */
	WL_REMARK_OTHER_MPI,   /* time of of_time of the critical path stays in MPI calls that no
				  match covers */
	WL_REMARK_MISSING_RANKS, /* what ranks wait for those stays, as transfer */
	WL_REMARK_ONLY_ORDER,    /* n of of_n waits are the only order before MPI calls, or work on
				    other    streams */
	WL_REMARK_NO_PINNED, /* some pageable copies have no pinned ones to take the rate from */
};

struct wl_whatif_remark {
	enum wl_remark_kind kind;
	size_t n, of_n;
	wl_ns time, of_time;
	const struct wl_step_change *change;
};

/* Few long operations that have most of the time that operations lose; n is 0 where none have. */
struct wl_few_operations {
	size_t n;
	wl_ns time, of_time;
};

/* The process whose operations start later than anything known explains; share is 0 for none. */
struct wl_rank_hold {
	int64_t rank;    /* below 0: it is not known */
	uint32_t device; /* of the process, the first */
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
	/* Of findings, by their codes. */
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

/* A line of the table of scenarios; see wl_scenario_kinds. */
struct wl_scenario_kind {
	enum wl_scenario_id id;
	const char *name; /* "kernel" */
	const char *form; /* "kernel=PATTERN:FACTOR" */
	enum wl_forecast forecast;
	bool is_standard; /* one of those that are tried without being asked for */
	bool takes_what, takes_factor;
	/* Private: why it has no answer, NULL where it always has one; and what it does. */
	enum wl_refusal (*refuse)(const struct wl_whatif *w);
	int (*apply)(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr);
};

extern const struct wl_scenario_kind wl_scenario_kinds[WL_N_SCENARIOS];

/* A scenario with its arguments. */
struct wl_asked {
	const struct wl_scenario_kind *kind;
	const char *text;      /* as written, borrowed */
	const char *what;      /* before the colon; NULL where the kind takes none */
	int64_t times, out_of; /* the factor is times / out_of */
};

enum {
	WL_MOST_ASKS = 16,
	WL_TINY_KERNEL_NS = 5000, /* a kernel that takes no longer is tiny */
};

/*
 * Read a scenario: NAME, NAME=WHAT, NAME=WHAT:FACTOR; a factor is "0.8", "80%" or "4/5". An
 * unknown or malformed part is WL_E_USAGE and says what there is. The text must outlive it.
 */
int wl_ask_parse(const char *text, struct wl_arena *arena, struct wl_asked *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

/* The standard scenarios, without arguments; at most WL_MOST_ASKS. Returns how many. */
size_t wl_standard_asks(struct wl_asked *ret);

/* What the time of a run is spent on. */
enum wl_spent {
	WL_SPENT_COMPUTE,
	WL_SPENT_COMM, /* transfers, and communication that is not matched */
	WL_SPENT_COPY,
	WL_SPENT_HOST,  /* calls, host gaps, returns */
	WL_SPENT_RIGID, /* latency, dispatch, dependency, unknown */
	WL_N_SPENT
};

const char *wl_spent_name(enum wl_spent spent); /* "compute", "communication", ... */

struct wl_whatif_result {
	enum wl_refusal refused; /* why there is no answer; 0: there is one */
	wl_ns measured;          /* from the first start of an operation to the last end */
	wl_ns replayed;          /* from that same time on */
	wl_ns saving;            /* measured - replayed; below 0: the run gets longer */
	wl_ns per_step;          /* by the ends of the first and the last step, never more than the
				    saving over the steps between these; wl_whatif_per_step() says
				    whether it means anything */
	wl_ns in_steps; /* of the saving: from the begin of the first step to the end of the
			   last one */
	bool is_once;   /* it saves time of single steps: a saving per step means nothing */
	enum wl_forecast forecast;
	size_t n_changed;               /* activities that have another length, lag or candidates */
	struct wl_whatif_remark remark; /* what the last scenario that found anything found */
	struct wl_rank_hold hold;       /* makes the saving a lower bound */
	struct wl_few_operations few;   /* make is_once true */
	wl_ns held;              /* of its critical path, in calls that seem to wait for the call of
				    another thread that ends sooner: what may be saved besides */
	wl_ns queued;            /* the same in long launch calls that a full queue may hold */
	wl_ns spent[WL_N_SPENT]; /* along the critical path of the replay */
};

/* Calls that are held make the saving no upper bound: from a thousandth of the run on. */
static inline bool wl_whatif_is_held(const struct wl_whatif_result *result)
{
	return result->held + result->queued > result->measured / 1000;
}

/* What an activity does, for scenarios. */
enum wl_does {
	WL_DOES_COMPUTE, /* an operation */
	WL_DOES_COMM,    /* an operation that communicates and is not matched */
	WL_DOES_MEET,    /* one that is */
	WL_DOES_COPY,    /* between host and device, or between devices */
	WL_DOES_LOCAL,   /* a copy within a GPU: its class is compute (classes.h) */
	WL_DOES_LAUNCH,  /* a call that launches, and does not block */
	WL_DOES_BLOCK,   /* a call that blocks */
	WL_DOES_CALL,    /* another one of CUDA */
	WL_DOES_MPI,
};

/* From the end of the first step to that of the last one, over all processes that have these. */
struct wl_whole_steps {
	const uint32_t *first, *last; /* positions of the operations of these two steps */
	size_t n_first, n_last;
	size_t n; /* steps after the first one; 0: there are none */
};

struct wl_whatif {
	const struct wl_derived *given;
	const struct wl_replay_plan *plan;
	struct wl_arena *arena;
	struct wl_window_plan window;
	const uint8_t *does;         /* by position: enum wl_does */
	struct wl_changes changes;   /* of the run under way */
	struct wl_changes room;      /* arrays that changes may use, as far as they were needed */
	struct wl_shifts shifts;     /* of the run under way */
	struct wl_step_lists *steps; /* wl_whatif_steps() */
	struct wl_holders *holders;  /* wl_held_begin() */
	const uint32_t *tip; /* operations of the window that follow none of their stream in it, or
				that none follows: the first start and the last end are theirs */
	size_t n_tips;
	bool *in_job;          /* by process: the run is that of these */
	const uint32_t *early; /* calls of the window that start before the first operation */
	size_t n_early;
	struct wl_whole_steps whole; /* the steps that a saving per step is of */
	struct wl_interval measured; /* from the first start of an operation to the last end */
	size_t n_steps;              /* in the window, of most processes; 0: there are none */
	size_t n_changed;            /* by the run under way */
	enum wl_forecast forecast;   /* of the run under way */
	bool crosses;                /* of the run under way: others get shorter by ranks that come
					sooner (rank_holds.h) */
	bool is_once;                /* of the run under way: it changes single steps */
	struct wl_whatif_remark remark; /* of the run under way: what its scenarios found */
};

/*
 * Get ready to replay what starts in a window; NULL for the whole trace. What starts before it
 * keeps its measured times. given is what WL_FROM(WHATIF) names. Owned by the arena; false when
 * that is exhausted.
 */
bool wl_whatif_begin(const struct wl_derived *given, const struct wl_interval *window,
		     struct wl_arena *arena, struct wl_whatif *ret) WL_MUST_CHECK;

/*
 * Replay n scenarios at once; no scenario at all gives the measured times. Linear in the
 * activities and candidates of the window. WL_E_NOMATCH: nothing is called so; WL_E_NOMEM.
 */
int wl_whatif_run(struct wl_whatif *w, const struct wl_asked *asks, size_t n,
		  struct wl_whatif_result *ret, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Scenarios of findings besides the standard ones: those of a code without arguments, no-sync of
 * the call that waits longest in all, and no MPI where its calls were recorded. Owned by the arena
 * of w; false when that is exhausted.
 */
enum { WL_MORE_ASKS = 10 };
bool wl_more_asks(const struct wl_whatif *w, struct wl_asked ret[WL_MORE_ASKS],
		  size_t *ret_n) WL_MUST_CHECK;

/* What a step saves in a run of w; false without steps, or where single steps save it. */
bool wl_whatif_per_step(const struct wl_whatif *w, const struct wl_whatif_result *result,
			wl_ns *ret);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * stack_sums.h - the time of call stacks, over idle gaps or whole threads: piece by piece, or as
 * sums by stack.
 *
 * Defined in docs/definitions/stacks.md.
 */
#ifndef WL_DERIVE_STACK_SUMS_H
#define WL_DERIVE_STACK_SUMS_H

#include "derive/derived.h"
#include "derive/idle/idle.h"
#include "derive/use/stack_names.h"
#include "derive/use/thread_stacks.h"

/* Time of a thread: all that was counted, and the part without a stack. */
struct wl_stack_time {
	wl_ns all;
	wl_ns without[WL_N_STACK_STATES]; /* by state; 0 for those that always have a stack */
};

struct wl_stack_sums {
	wl_ns *self;                  /* by stack */
	struct wl_stack_time *thread; /* by thread */
	struct wl_stack_time total;   /* the sum of self and of total.without is total.all */
	/* For gaps: idle time of the causes outside the account. */
	wl_ns outside[WL_N_CAUSES];
	wl_ns unlinked; /* busy time of operations whose launch is not known */
};

/* Which time counts. */
struct wl_stack_choice {
	unsigned causes; /* bits of enum wl_cause, for gaps; 0: the next member decides */
	bool is_busy;    /* launching threads while their GPU runs something; else threads from
			    first to last piece */
	int64_t tid;     /* this thread only; -1: all threads */
};

/* The causes of the account: docs/definitions/stacks.md. */
#define WL_STACK_CAUSES                                                                            \
	(1u << WL_CAUSE_HOST | 1u << WL_CAUSE_OS | 1u << WL_CAUSE_API | 1u << WL_CAUSE_SYNC |      \
	 1u << WL_CAUSE_ALLOC | 1u << WL_CAUSE_LOAD | 1u << WL_CAUSE_MPI)

/* The words that --during takes, and the default. */
enum {
	WL_STACK_DURING_IDLE = 0,
	WL_STACK_DURING_BUSY = 8,
	WL_STACK_DURING_ALL,
	WL_N_STACK_DURINGS
};
extern const char *const wl_stack_durings[WL_N_STACK_DURINGS + 1]; /* NULL-terminated */

/* The time that a word of --during stands for, over all threads. */
struct wl_stack_choice wl_stack_during(size_t word);

/* Add what the functions below need, and operations, without which a scope has no devices. */
void wl_stack_want(struct wl_wanted *wanted, const struct wl_stack_choice *choice);

/*
 * Called for the pieces that count, cut to the time that counts. Pieces of one device and thread
 * come in order of time; device is WL_NONE if whole threads count.
 */
typedef void wl_stack_time_fn(void *ctx, uint32_t device, uint32_t thread,
			      const struct wl_stack_piece *piece);

/*
 * Visit all time that counts inside the scope. Needs what wl_stack_want() adds. False when the
 * arena is exhausted. Linear in operations, host rows and pieces.
 */
bool wl_stack_time_visit(const struct wl_derived *derived, const struct wl_scope *scope,
			 const struct wl_stack_choice *choice, struct wl_arena *arena,
			 wl_stack_time_fn *take, void *ctx) WL_MUST_CHECK;

/* The same as sums, owned by the arena. */
bool wl_stack_sums_find(const struct wl_derived *derived, const struct wl_scope *scope,
			const struct wl_stack_choice *choice, struct wl_arena *arena,
			struct wl_stack_sums *ret) WL_MUST_CHECK;

/*
 * The same for times that the caller chooses. Start with empty sums (false when the arena is
 * exhausted), then add [begin, end) of a thread, one after another.
 */
bool wl_stack_sums_init(const struct wl_trace *trace, struct wl_arena *arena,
			struct wl_stack_sums *ret) WL_MUST_CHECK;
void wl_stack_sums_add(struct wl_stack_sums *sums, const struct wl_thread_stacks *stacks,
		       uint32_t thread, wl_ns begin, wl_ns end);

/* "[off CPU]": the name of time in a state without a stack; NULL for states that always have
 * one. */
extern const char *const wl_stack_without[WL_N_STACK_STATES];

/*
 * "main;step;read": its functions from the outermost inwards; a ; in a name becomes a colon. Owned
 * by the arena; NULL when that is exhausted.
 */
const char *wl_stack_folded(const struct wl_trace *trace, uint32_t stack, struct wl_arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * stack_names.h - the functions that represent a call stack, and a time with several stacks.
 *
 * Defined in docs/definitions/stacks.md, "The function of a time".
 */
#ifndef WL_DERIVE_STACK_NAMES_H
#define WL_DERIVE_STACK_NAMES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "base/memory/vec.h"
#include "model/trace.h"

struct wl_derived;

/* Members are frames; WL_NONE for none. */
struct wl_stack_name {
	uint32_t function; /* the innermost function, else the innermost module */
	uint32_t under;    /* nearest function of the program around it, else the outermost one */
	uint32_t outer;    /* outermost function of the program around it */
	uint32_t holder;   /* innermost function of the program, else the outermost function */
	uint32_t library;  /* outermost shared library whose addresses have no names */
};

struct wl_stack_names {
	const struct wl_stack_name *of; /* by stack */
};

/* Owned by the arena; false when that is exhausted. Linear in stacks and frames. */
bool wl_stack_names_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_stack_names *ret) WL_MUST_CHECK;

/* The function that represents a time. */
struct wl_top_function {
	uint32_t function; /* a frame; WL_NONE: no stack was added */
	uint32_t under;    /* the frame that it was mostly called under; WL_NONE for none */
	wl_ns time;        /* in the function */
	uint64_t n;        /* samples that this is based on */
	uint32_t holder;   /* the frame with most time, including its callees; WL_NONE for none */
	wl_ns held;        /* in that */
	uint32_t library;  /* the same for shared libraries; WL_NONE for none */
	wl_ns with_stack;  /* all time with a stack */
};

/* Minimum samples to judge a time, and minimum in a function to judge the function. */
enum { WL_MIN_SAMPLES = 10, WL_MIN_IN_FUNCTION = 3 };

static inline bool wl_top_is_sound(const struct wl_top_function *top)
{
	return top->time > 0 && (top->n == 0 || top->n >= WL_MIN_IN_FUNCTION);
}

/* Adds up times by stack to find the top function; reused for one time after another. */
struct wl_function_tally {
	const struct wl_trace *trace;
	const struct wl_stack_names *names;
	struct wl_vec added; /* struct wl_stack_share */
	wl_ns sampled;       /* time that samples stand for */
	uint64_t n_samples;
	struct wl_frame_sum *by_frame; /* stamped, not cleared */
	uint64_t stamp;
};

/* Release it even after a failure. False when the arena is exhausted. */
bool wl_function_tally_init(struct wl_function_tally *tally, const struct wl_trace *trace,
			    const struct wl_stack_names *names,
			    struct wl_arena *arena) WL_MUST_CHECK;
void wl_function_tally_release(struct wl_function_tally *tally);

/*
 * Add time with a stack, and samples with it; if both are 0, nothing is added. With WL_NONE: time
 * that samples stand for, and samples without a stack. added.failed is set if out of memory.
 */
void wl_function_tally_add(struct wl_function_tally *tally, uint32_t stack, wl_ns ns, uint32_t n);

/*
 * The top function of what was added since the last call; of equal functions, the first added. The
 * time that samples stand for is divided evenly among them, and has no stack if they are fewer than
 * WL_MIN_SAMPLES. Linear in what was added.
 */
struct wl_top_function wl_function_tally_take(struct wl_function_tally *tally);

/* The name of a module, or a placeholder if it is unknown. */
const char *wl_module_name(const struct wl_trace *trace, uint32_t module);

/* "cudaMalloc", "(libcuda.so.1)" for unresolved addresses; the latter is allocated in the arena. */
const char *wl_frame_name(const struct wl_trace *trace, const struct wl_stack_frame *frame,
			  struct wl_arena *arena);

/* The same without return type, template arguments and parameters. NULL if out of memory. */
const char *wl_function_label(const struct wl_trace *trace, uint32_t frame, struct wl_arena *arena);

/*
 * The labels of a top function and of what it is under: NULL for none, and if that has the same
 * label, as does the template that wraps cudaMalloc. False if out of memory.
 */
bool wl_top_labels(const struct wl_trace *trace, const struct wl_top_function *top,
		   struct wl_arena *arena, const char **function, const char **under) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
#include "derive/use/stack_names.h"

#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "known/calls/frames.h"
#include "known/kernels/names.h"

/* ---- One stack ---- */

/* The frames found in a stack, including its own innermost frame. */
struct around {
	uint32_t function, module; /* innermost with a meaningful name; innermost address */
	uint32_t own, outer;       /* innermost and outermost of the program */
	uint32_t outermost;        /* outermost of a library */
	uint32_t library;          /* outermost address of a shared library */
};

static const struct around nothing = { WL_NONE, WL_NONE, WL_NONE, WL_NONE, WL_NONE, WL_NONE };

static void add_function(struct around *a, uint32_t frame, enum wl_frame_role role)
{
	/* A name from inside a library counts only if no other frame has one. */
	if (role != WL_FRAME_IS_INSIDE || a->function == WL_NONE)
		a->function = frame;
	if (role == WL_FRAME_IS_OWN) {
		a->own = frame;
		a->outer = a->outer == WL_NONE ? frame : a->outer;
	}
	if (role == WL_FRAME_IS_LIBRARY && a->outermost == WL_NONE)
		a->outermost = frame;
}

static void add_module(const struct wl_trace *t, struct around *a, uint32_t frame)
{
	const uint32_t module = t->frames[frame].module;

	a->module = frame;
	if (a->library == WL_NONE && module != WL_NONE && wl_module_is_shared(wl_str(t, module)))
		a->library = frame;
}

/* By frame; NULL if out of memory. */
static const uint8_t *find_roles(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *role = WL_NEW(arena, uint8_t, t->n_frames + 1);

	for (size_t i = 0; role && i < t->n_frames; i++) {
		const struct wl_stack_frame *f = &t->frames[i];

		if (f->kind == WL_FRAME_FUNCTION)
			role[i] = (uint8_t)wl_frame_role(
				wl_str(t, f->symbol),
				f->module == WL_NONE ? NULL : wl_module_name(t, f->module));
	}
	return role;
}

/* The frames around the function itself name its caller; a function does not count as its own
 * caller. */
static struct wl_stack_name name_of(const struct around *self, const struct around *caller)
{
	struct wl_stack_name name = {
		.function = self->function != WL_NONE ? self->function : self->module,
		.under = caller->own != WL_NONE ? caller->own : caller->outermost,
		.outer = caller->outer,
		.holder = self->own != WL_NONE ? self->own : self->outermost
	};

	name.under = name.under == name.function ? WL_NONE : name.under;
	name.outer = name.outer == name.function ? WL_NONE : name.outer;
	return name;
}

bool wl_stack_names_find(const struct wl_derived *given, struct wl_arena *arena,
			 struct wl_stack_names *ret)
{
	const struct wl_trace *t = given->trace;
	struct wl_stack_name *name = WL_NEW(arena, struct wl_stack_name, t->n_stacks + 1);
	struct wl_arena scratch;
	struct around *all;
	const uint8_t *role;

	wl_arena_init_child(&scratch, arena);
	all = WL_NEW(&scratch, struct around, t->n_stacks + 1);
	role = find_roles(t, &scratch);
	/* Callers come before their callees. */
	for (size_t i = 0; name && all && role && i < t->n_stacks; i++) {
		const struct wl_stack *s = &t->stacks[i];
		const struct around *caller = s->caller == WL_NONE ? &nothing : &all[s->caller];
		uint32_t kind = t->frames[s->frame].kind;

		all[i] = *caller;
		if (kind == WL_FRAME_ADDRESS)
			add_module(t, &all[i], s->frame);
		if (kind == WL_FRAME_FUNCTION)
			add_function(&all[i], s->frame, (enum wl_frame_role)role[s->frame]);
		/* An inner frame without a meaningful name belongs to the function around it. */
		name[i] = all[i].function != WL_NONE && all[i].function == caller->function
				  ? name[s->caller]
				  : name_of(&all[i], caller);
		name[i].library = all[i].library;
	}
	wl_arena_release(&scratch);
	ret->of = name;
	return name && all && role;
}

/* ---- A time ---- */

struct wl_stack_share {
	uint32_t stack, n;
	wl_ns ns;
};

struct wl_frame_sum {
	uint64_t stamp, n;
	wl_ns exact;
};

bool wl_function_tally_init(struct wl_function_tally *tally, const struct wl_trace *trace,
			    const struct wl_stack_names *names, struct wl_arena *arena)
{
	*tally = (struct wl_function_tally){
		.trace = trace,
		.names = names,
		.by_frame = WL_NEW(arena, struct wl_frame_sum, trace->n_frames + 1),
	};
	wl_vec_init(&tally->added, sizeof(struct wl_stack_share), wl_arena_budget(arena));
	return tally->by_frame != NULL;
}

void wl_function_tally_release(struct wl_function_tally *tally)
{
	wl_vec_release(&tally->added);
}

void wl_function_tally_add(struct wl_function_tally *tally, uint32_t stack, wl_ns ns, uint32_t n)
{
	tally->n_samples += n;
	if (stack == WL_NONE)
		tally->sampled += ns;
	else if (ns > 0 || n > 0)
		wl_vec_push(&tally->added, &(struct wl_stack_share){ stack, n, ns });
}

/*
 * Exact time plus what n samples stand for. Only sums are rounded, not their terms: half of the
 * samples get half of the time.
 */
static wl_ns time_of(const struct wl_function_tally *tally, wl_ns ns, uint64_t n)
{
	return n ? ns + (wl_ns)((double)tally->sampled * (double)n / (double)tally->n_samples) : ns;
}

/* Drop the samples if they are too few. Returns all time with a stack. */
static wl_ns settle(struct wl_function_tally *tally)
{
	struct wl_stack_share *share = tally->added.data;
	wl_ns ns = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < tally->added.n; i++) {
		if (tally->n_samples < WL_MIN_SAMPLES)
			share[i].n = 0;
		ns += share[i].ns;
		n += share[i].n;
	}
	return time_of(tally, ns, n);
}

/* Which frame of a stack is summed. */
typedef uint32_t frame_of(const struct wl_stack_name *name);

static uint32_t function_of(const struct wl_stack_name *name)
{
	return name->function;
}

static uint32_t under_of(const struct wl_stack_name *name)
{
	return name->under;
}

static uint32_t holder_of(const struct wl_stack_name *name)
{
	return name->holder;
}

static uint32_t library_of(const struct wl_stack_name *name)
{
	return name->library;
}

static uint32_t outer_of(const struct wl_stack_name *name)
{
	return name->outer;
}

struct most {
	uint32_t frame;
	uint64_t n;
	wl_ns sum, all; /* all: over all frames */
};

/* A module comes before functions only if it has more than half of the time. */
static bool is_more(const struct wl_trace *t, uint32_t frame, wl_ns sum, const struct most *most)
{
	bool named, was_named;

	if (most->frame == WL_NONE)
		return true;
	named = t->frames[frame].kind == WL_FRAME_FUNCTION;
	was_named = t->frames[most->frame].kind == WL_FRAME_FUNCTION;
	if (named == was_named)
		return sum > most->sum;
	return 2 * (named ? most->sum : sum) > most->all ? !named : named;
}

/* The frame with most time over stacks whose function is within; WL_NONE: over all stacks. */
static struct most find_most(struct wl_function_tally *tally, frame_of *of, uint32_t within)
{
	const struct wl_stack_share *share = tally->added.data;
	struct most most = { .frame = WL_NONE };
	wl_ns exact = 0;
	uint64_t n = 0;

	tally->stamp++;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < tally->added.n; i++) {
			const struct wl_stack_name *name = &tally->names->of[share[i].stack];
			uint32_t frame = of(name);
			struct wl_frame_sum *sum;
			wl_ns time;

			if (frame == WL_NONE || (within != WL_NONE && name->function != within))
				continue;
			sum = &tally->by_frame[frame];
			if (sum->stamp != tally->stamp)
				*sum = (struct wl_frame_sum){ .stamp = tally->stamp };
			if (pass == 0) {
				sum->exact += share[i].ns;
				sum->n += share[i].n;
				exact += share[i].ns;
				n += share[i].n;
				continue;
			}
			time = time_of(tally, sum->exact, sum->n);
			if (is_more(tally->trace, frame, time, &most)) {
				most.frame = frame;
				most.sum = time;
				most.n = sum->n;
			}
		}
		most.all = time_of(tally, exact, n);
	}
	return most;
}

/* The frame that a function was mostly called under; WL_NONE if none has more than half. */
static uint32_t find_caller(struct wl_function_tally *tally, uint32_t function)
{
	struct most most = find_most(tally, under_of, function);

	if (2 * most.sum <= most.all)
		most = find_most(tally, outer_of, function);
	return 2 * most.sum > most.all ? most.frame : WL_NONE;
}

struct wl_top_function wl_function_tally_take(struct wl_function_tally *tally)
{
	const wl_ns all = settle(tally);
	const struct most function = find_most(tally, function_of, WL_NONE);
	const struct most holder = find_most(tally, holder_of, WL_NONE);
	struct wl_top_function top = { .function = function.frame,
				       .under = WL_NONE,
				       .time = function.sum,
				       .n = function.n,
				       .holder = holder.frame,
				       .held = holder.sum,
				       .library = find_most(tally, library_of, WL_NONE).frame,
				       .with_stack = all };

	if (top.function != WL_NONE)
		top.under = find_caller(tally, top.function);
	tally->added.n = 0;
	tally->sampled = 0;
	tally->n_samples = 0;
	return top;
}

/* ---- Names ---- */

const char *wl_module_name(const struct wl_trace *trace, uint32_t module)
{
	return module == WL_NONE ? "unknown module" : wl_str(trace, module);
}

const char *wl_frame_name(const struct wl_trace *trace, const struct wl_stack_frame *frame,
			  struct wl_arena *arena)
{
	const char *module = wl_module_name(trace, frame->module);
	size_t size = strlen(module) + sizeof("()");
	char *text;

	if (frame->kind != WL_FRAME_ADDRESS)
		return wl_str(trace, frame->symbol);
	text = wl_arena_calloc(arena, size, 1);
	if (text)
		(void)snprintf(text, size, "(%s)", module);
	return text;
}

const char *wl_function_label(const struct wl_trace *trace, uint32_t frame, struct wl_arena *arena)
{
	const struct wl_stack_frame *f = &trace->frames[frame];
	const char *name = wl_frame_name(trace, f, arena);
	size_t size = name ? strlen(name) + 1 : 0;
	char *text, *at;

	if (!name || f->kind != WL_FRAME_FUNCTION)
		return name;
	text = WL_NEW(arena, char, size);
	if (!text)
		return NULL;
	(void)wl_name_base(name, text, size);
	at = strchr(text, '@'); /* the version of a symbol: "write@GLIBC_2" */
	if (at && at > text)
		*at = '\0';
	return text;
}

bool wl_top_labels(const struct wl_trace *trace, const struct wl_top_function *top,
		   struct wl_arena *arena, const char **function, const char **under)
{
	*function = wl_function_label(trace, top->function, arena);
	*under = NULL;
	if (!*function || top->under == WL_NONE)
		return *function != NULL;
	*under = wl_function_label(trace, top->under, arena);
	if (!*under)
		return false;
	if (strcmp(*function, *under) == 0)
		*under = NULL;
	return true;
}

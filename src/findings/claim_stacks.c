/* SPDX-License-Identifier: MIT */
/* claim_stacks.c - finds the function that the launching threads ran during a claim. */
#include <string.h>

#include "derive/use/stack_sums.h"
#include "findings/rule_state.h"
#include "known/calls/frames.h"

void wl_claim_add_stacks(struct wl_rule_state *d, const struct wl_claim *c, size_t g, size_t i)
{
	const struct wl_rule_gpu *gpu = &d->gpu[g];

	if (gpu->stacks && WL_STACK_CAUSES >> gpu->lane->atom[i].loss & 1)
		wl_vec_push(&d->stacked,
			    &(struct wl_taken){ c->number, (uint32_t)g, (uint32_t)i, 0 });
}

/* Atoms count whole, even if other findings claim a part of them, as in finding_stacks.c. */
static void add_atom(struct wl_rule_state *d, struct wl_claim *c, const struct wl_taken *taken)
{
	const struct wl_rule_gpu *gpu = &d->gpu[taken->gpu];
	const struct wl_slice rows = wl_group_stacks_of(gpu->stacks, taken->atom);

	for (size_t k = rows.lo; k < rows.hi; k++) {
		const struct wl_group_stack *s = &gpu->stacks->at[k];

		c->account_ns += s->account;
		if (s->stack == WL_NONE)
			continue;
		c->stack_ns += s->account;
		d->stack[s->stack].ns += s->account;
		d->stack[s->stack].exact += s->ns;
		d->stack[s->stack].n += s->n;
	}
}

/* Sum the stacks that have a frame below another one, around (WL_NONE: any); 0 if frame is
 * WL_NONE. */
static struct wl_claim_stack sum_with(struct wl_rule_state *d, uint32_t frame, uint32_t around)
{
	const struct wl_trace *t = d->run->trace;
	struct wl_claim_stack sum = { .ns = 0 };

	/* Callers come before their callees. */
	for (size_t i = 0; frame != WL_NONE && i < t->n_stacks; i++) {
		const uint32_t caller = t->stacks[i].caller;
		struct wl_claim_stack *s = &d->stack[i];

		s->is_on = caller != WL_NONE && d->stack[caller].is_on;
		s->is_around =
			around == WL_NONE || (caller != WL_NONE && d->stack[caller].is_around);
		s->is_on = s->is_on || (s->is_around && t->stacks[i].frame == frame);
		s->is_around = s->is_around || t->stacks[i].frame == around;
		if (!s->is_on)
			continue;
		sum.ns += s->ns;
		sum.exact += s->exact;
		sum.n += s->n;
	}
	return sum;
}

/* Functions that start programs or make an interpreter's calls say nothing about the program. */
static bool is_entry(const struct wl_trace *t, const struct wl_stack_frame *f)
{
	return f->kind == WL_FRAME_FUNCTION &&
	       wl_frame_role(wl_str(t, f->symbol),
			     f->module == WL_NONE ? NULL : wl_module_name(t, f->module)) ==
		       WL_FRAME_IS_ENTRY;
}

/* A module, usually the driver, is worth a sentence only if it has most of the time. */
static bool is_worth(const struct wl_rule_state *d, const struct wl_claim *c, uint32_t frame,
		     const struct wl_claim_stack *sum)
{
	const struct wl_trace *t = d->run->trace;
	const double least = 0.05;
	bool is_module;

	if (frame == WL_NONE || sum->ns == 0 || is_entry(t, &t->frames[frame]))
		return false;
	is_module = t->frames[frame].kind != WL_FRAME_FUNCTION;
	return (sum->n >= WL_MIN_SAMPLES || 2 * sum->exact >= sum->ns) &&
	       (double)sum->ns >= (is_module ? 0.5 : least) * (double)c->ns[c->stacks_of];
}

/* Whether more than half of the time is in a frame and its callees. */
static bool is_held(struct wl_rule_state *d, struct wl_claim *c, uint32_t frame)
{
	const struct wl_claim_stack sum = sum_with(d, frame, WL_NONE);

	c->held_ns = sum.ns;
	return 2 * sum.ns > c->account_ns && is_worth(d, c, frame, &sum);
}

/* If no function has most of the time: name the holder that has, and the function if it is in the
 * holder. */
static bool name_holder(struct wl_rule_state *d, struct wl_claim *c, struct wl_top_function *top)
{
	const uint32_t holder = is_held(d, c, top->holder)    ? top->holder
				: is_held(d, c, top->library) ? top->library
							      : WL_NONE;
	struct wl_claim_stack in;

	if (holder == WL_NONE)
		return true;
	c->holder = wl_function_label(d->run->trace, holder, d->run->arena);
	in = sum_with(d, top->function, holder);
	c->function_ns = in.ns;
	if (!is_worth(d, c, top->function, &in))
		top->function = WL_NONE;
	return c->holder != NULL;
}

/* Name the function under a caller only if most of its time is there; then only that time
 * counts. */
static struct wl_claim_stack sum_of(struct wl_rule_state *d, struct wl_top_function *top)
{
	const struct wl_claim_stack all = sum_with(d, top->function, WL_NONE);
	struct wl_claim_stack both;

	if (top->under == WL_NONE)
		return all;
	both = sum_with(d, top->function, top->under);
	if (2 * both.ns > all.ns)
		return both;
	top->under = WL_NONE;
	return all;
}

static bool name_labels(struct wl_rule_state *d, struct wl_claim *c, struct wl_top_function *top)
{
	const struct wl_claim_stack sum = sum_of(d, top);

	c->function_ns = sum.ns;
	if (!is_worth(d, c, top->function, &sum) || 2 * sum.ns <= c->account_ns) {
		if (!name_holder(d, c, top))
			return false;
	}
	if (top->function == WL_NONE || (!c->holder && !is_worth(d, c, top->function, &sum)))
		return true;
	return wl_top_labels(d->run->trace, top, d->run->arena, &c->function, &c->under);
}

/* Sentences are about one GPU, and so are the stacks in them: other GPUs may differ. */
static void add_atoms(struct wl_rule_state *d, struct wl_claim *c)
{
	const struct wl_taken *taken = d->stacked.data;

	for (size_t i = 0; i < d->stacked.n; i++) {
		if (taken[i].claim == c->number && taken[i].gpu == c->stacks_of)
			add_atom(d, c, &taken[i]);
	}
	d->stacked.n = 0;
}

bool wl_claim_name_function(struct wl_rule_state *d, size_t gpu, struct wl_claim *c)
{
	struct wl_top_function top;
	bool ok;

	if (d->stacked.failed)
		return false;
	c->stacks_of = gpu;
	add_atoms(d, c);
	if (!d->stack || c->account_ns == 0)
		return true;
	for (size_t i = 0; i < d->run->trace->n_stacks; i++)
		wl_function_tally_add(&d->tally, (uint32_t)i, d->stack[i].ns, 0);
	top = wl_function_tally_take(&d->tally);
	ok = !d->tally.added.failed && name_labels(d, c, &top);
	memset(d->stack, 0, d->run->trace->n_stacks * sizeof(*d->stack));
	return ok;
}

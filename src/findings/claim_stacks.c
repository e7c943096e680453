/* SPDX-License-Identifier: MIT */
/* claim_stacks.c - the function that the launching threads ran in the time of a claim. */
#include "derive/use/stack_sums.h"
#include "findings/docket.h"

void wl_claim_add_stacks(struct wl_docket *d, struct wl_claim *c, size_t g, size_t i, wl_ns ns)
{
	const struct wl_docket_gpu *gpu = &d->gpu[g];
	const struct wl_atom *atom = &gpu->lane->atom[i];
	struct wl_slice rows;

	if (!gpu->stacks || !(WL_STACK_CAUSES >> atom->loss & 1))
		return;
	c->account_ns += ns;
	rows = wl_group_stacks_of(gpu->stacks, i);
	for (size_t k = rows.lo; k < rows.hi; k++) {
		const struct wl_group_stack *s = &gpu->stacks->at[k];

		/* A loss that other findings have a part of is divided with its stacks. */
		wl_function_tally_add(
			&d->tally, s->stack,
			ns == atom->ns ? s->ns
				       : (wl_ns)((double)s->ns * (double)ns / (double)atom->ns),
			s->n);
	}
}

/*
 * A module, most often the driver, is worth a sentence only where most of the time is in it.
 */
static bool is_worth(const struct wl_docket *d, const struct wl_claim *c,
		     const struct wl_top_function *top)
{
	const double least = 0.05;
	const bool is_module = top->function != WL_NONE &&
			       d->run->trace->frames[top->function].kind != WL_FRAME_FUNCTION;

	return wl_top_is_sound(top) &&
	       (double)top->time >= (is_module ? 0.5 : least) * (double)c->all;
}

bool wl_claim_name_function(struct wl_docket *d, struct wl_claim *c)
{
	const struct wl_top_function top = wl_function_tally_take(&d->tally);
	const bool ok = !d->tally.added.failed;

	c->function_ns = top.time;
	c->held_ns = top.held;
	c->stack_ns = top.with_stack;
	if (!is_worth(d, c, &top))
		return ok;
	if (top.holder != WL_NONE)
		c->holder = wl_function_label(d->run->trace, top.holder, d->run->arena);
	return ok && (c->holder || top.holder == WL_NONE) &&
	       wl_top_labels(d->run->trace, &top, d->run->arena, &c->function, &c->under);
}

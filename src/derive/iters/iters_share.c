/* SPDX-License-Identifier: MIT */
/* iters_share.c - computes the share of the GPU's time that launches in markers own. */
#include "derive/iters/iters_parts.h"
#include "derive/rows/stats.h"

static wl_ns busy_of_owned(const struct wl_iter_process *p, const struct wl_markers *markers,
			   struct wl_interval *ret_stretch)
{
	struct wl_interval stretch = { INT64_MAX, INT64_MIN };
	wl_ns sum = 0;

	for (size_t r = 0; r < p->n_runs; r++) {
		/* Busy time is a union per device: operations of one run are in order of start. */
		struct wl_busy b = { 0, INT64_MIN };
		size_t hint = 0;

		for (size_t i = p->run[r].lo; i < p->run[r].hi; i++) {
			const struct wl_iter_op *op = &p->op[i];

			if (op->launch == WL_NO_TIME ||
			    wl_marker_at(markers, op->launch, &hint) == markers->n)
				continue;
			wl_busy_add(&b, op->start, op->end);
			stretch.begin = op->start < stretch.begin ? op->start : stretch.begin;
			stretch.end = op->end > stretch.end ? op->end : stretch.end;
		}
		sum = wl_add_up(sum, b.sum);
	}
	*ret_stretch = stretch;
	return sum;
}

static wl_ns busy_inside(const struct wl_iter_process *p, struct wl_interval stretch)
{
	wl_ns sum = 0;

	for (size_t r = 0; r < p->n_runs; r++) {
		struct wl_busy b = { 0, stretch.begin };

		for (size_t i = p->run[r].lo; i < p->run[r].hi && p->op[i].start < stretch.end; i++)
			wl_busy_add(&b, p->op[i].start,
				    p->op[i].end < stretch.end ? p->op[i].end : stretch.end);
		sum = wl_add_up(sum, b.sum);
	}
	return sum;
}

/*
 * The markers must own 80% of the busy time between their first and last operation, which rules out
 * parts of steps. That stretch must have half of the process's busy time, which rules out short
 * phases.
 */
bool wl_iter_owns_enough(const struct wl_iter_process *p, const struct wl_markers *markers,
			 double *ret_share)
{
	struct wl_interval stretch;
	wl_ns owned = busy_of_owned(p, markers, &stretch), inside = busy_inside(p, stretch);

	*ret_share = inside > 0 ? (double)owned / (double)inside : 0;
	return inside > 0 && 10 * (double)owned >= 8 * (double)inside &&
	       2 * (double)inside >= (double)p->busy;
}

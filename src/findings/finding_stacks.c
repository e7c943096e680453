/* SPDX-License-Identifier: MIT */
#include "findings/finding_stacks.h"

#include <inttypes.h>
#include <string.h>

#include "findings/ordered.h"

void wl_finding_stacks_want(struct wl_wanted *wanted)
{
	wl_stack_want(wanted, &(struct wl_stack_choice){ .causes = WL_STACK_CAUSES });
	wl_findings_want(wanted);
}

struct collecting {
	const struct wl_run *run;
	const struct wl_analysis *asking;
	const struct wl_ledger_lane *lane;
	const bool *is_taken; /* by atom of the lane */
	int64_t tid;
	wl_ns idle; /* of all threads */
	struct wl_stack_sums *sums;
};

static void take_lost(void *ctx, const struct wl_gap *gap, uint32_t atom, wl_ns begin, wl_ns end)
{
	struct collecting *c = ctx;
	const struct wl_trace *t = c->run->trace;
	const enum wl_loss cause = (enum wl_loss)c->lane->atom[atom].loss;
	uint32_t thread;

	if (!c->is_taken[atom])
		return;
	c->idle += end - begin;
	thread = gap->call == WL_NONE ? WL_NONE : wl_api_thread(t)[gap->call];
	if (c->tid >= 0 && (thread == WL_NONE || t->threads[thread].tid != (uint64_t)c->tid))
		return;
	if (thread != WL_NONE && WL_STACK_CAUSES >> cause & 1)
		wl_stack_sums_add(c->sums, c->run->derived->thread_stacks, thread, begin, end);
	else
		c->sums->outside[cause] += end - begin;
}

static bool collect_gpu(struct collecting *c, const struct wl_rule_state *d, uint32_t gpu,
			uint32_t claim)
{
	const struct wl_taken *taken = d->taken.data;
	bool *is_taken = WL_NEW(c->run->arena, bool, d->gpu[gpu].lane->n_atoms + 1);

	if (!is_taken)
		return false;
	for (size_t i = 0; i < d->taken.n; i++) {
		if (taken[i].claim == claim && taken[i].gpu == gpu)
			is_taken[taken[i].atom] = true;
	}
	c->is_taken = is_taken;
	c->lane = d->gpu[gpu].lane;
	return wl_ledger_visit(d->ledger, c->lane, c->run->arena, take_lost, c);
}

/* A finding without a claim has claim 0, which has taken nothing. */
static int collect(struct collecting *c, const struct wl_ordered *list, int64_t number,
		   struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_finding *f = wl_ordered_at(list, (size_t)number - 1);
	char text[WL_UNITS_BUF];
	bool ok = wl_stack_sums_init(c->run->trace, c->run->arena, c->sums);

	ok = ok &&
	     (list->state.n_gpus == 0 || collect_gpu(c, &list->state, (uint32_t)f->gpu, f->claim));
	if (!ok)
		return wl_no_memory(c->asking, reterr);
	if (c->idle == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "finding %" PRId64 " (%s) is not about idle time: use --during "
			       "busy or all",
			       number, f->code);
	wl_table_note(out, "of finding %" PRId64 ", %s: %s of idle time on GPU %u", number, f->code,
		      wl_fmt_ns(text, c->idle, WL_UNIT_AUTO), list->state.gpu[f->gpu].lane->device);
	return WL_OK;
}

/* Find the number of the finding in the list, from 1. */
static int find_number(const struct wl_finding_choice *choice, const struct wl_ordered *list,
		       int64_t *ret, struct wl_err *reterr)
{
	*ret = choice->number;
	for (size_t i = 0; choice->code && i < list->n; i++) {
		*ret = (int64_t)i + 1;
		if (strcmp(wl_ordered_at(list, i)->code, choice->code) == 0)
			return WL_OK;
	}
	if (choice->code)
		return wl_fail(reterr, WL_E_NODATA,
			       "--during finding:%s: findings lists none of this code here",
			       choice->code);
	if (*ret < 1 || (uint64_t)*ret > list->n)
		return wl_fail(reterr, WL_E_USAGE,
			       "--during finding:%" PRId64
			       ": findings lists %zu here; use a number from 1 on",
			       *ret, list->n);
	return WL_OK;
}

int wl_finding_stacks_find(const struct wl_run *r, const struct wl_analysis *asking,
			   const struct wl_finding_choice *choice, struct wl_table *out,
			   struct wl_stack_sums *ret, struct wl_err *reterr)
{
	const struct wl_ordered_ask ask = { .min_coverage = WL_COVERAGE_WARN_RATIO };
	struct collecting c = { .run = r, .asking = asking, .tid = choice->tid, .sums = ret };
	int64_t number;
	struct wl_ordered list;
	struct wl_table remarks; /* discarded: they are about savings, which are not shown here */
	int status;

	wl_table_init(&remarks, r->arena, NULL, 0);
	status = wl_ordered_init(&list, r, asking, &ask, &remarks, reterr);
	if (status == WL_OK)
		status = find_number(choice, &list, &number, reterr);
	if (status == WL_OK)
		status = collect(&c, &list, number, out, reterr);
	wl_ordered_release(&list);
	return status;
}

/* SPDX-License-Identifier: MIT */
#include "findings/rules/late_collective.h"

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "model/ranks.h"

static bool runs_in(const struct wl_comm_op *op, const struct wl_tile *tile)
{
	return op->start < tile->end && wl_comm_end(op) > tile->begin;
}

static const struct wl_comm_op *longest_in(const struct wl_comm_queues *q, uint32_t device,
					   const struct wl_tile *tile)
{
	const struct wl_comm_op *longest = NULL;

	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = q->queue[i].lo; q->queue[i].device == device && k < q->queue[i].hi;
		     k++) {
			if (runs_in(&q->op[k], tile) && (!longest || q->op[k].dur > longest->dur))
				longest = &q->op[k];
		}
	}
	return longest;
}

/* WL_NO_TIME without memory. */
static wl_ns median_of(const struct wl_comm_queues *q, uint32_t device, uint8_t type,
		       struct wl_arena *arena)
{
	struct wl_arena scratch;
	wl_ns *room, median = WL_NO_TIME;
	size_t n = 0;

	wl_arena_init_child(&scratch, arena);
	room = WL_NEW(&scratch, wl_ns, q->n_ops);
	for (size_t i = 0; room && i < q->n; i++) {
		for (size_t k = q->queue[i].lo; q->queue[i].device == device && k < q->queue[i].hi;
		     k++) {
			if (q->op[k].type == type)
				room[n++] = q->op[k].dur;
		}
	}
	if (n) {
		wl_sort_i64(room, n);
		median = room[wl_rank(n, 50)];
	}
	wl_arena_release(&scratch);
	return median;
}

/* The device that arrived last, if that is not the one that waited. */
static uint32_t last_of(const struct wl_matches *m, const struct wl_comm_op *op, uint32_t device)
{
	const struct wl_match *match;
	uint32_t last;

	if (op->match == WL_NONE || op->late == 0)
		return WL_NONE;
	match = &m->at[op->match];
	last = m->member[m->group[m->set[match->set].group].member[match->last]].device;
	return last == device ? WL_NONE : last;
}

bool wl_late_collective_find(struct wl_rule_state *d, size_t gpu, uint32_t tile,
			     struct wl_late_collective *ret)
{
	const struct wl_matches *m = d->run->derived->matches;
	const struct wl_ledger_lane *lane = d->gpu[gpu].lane;
	const struct wl_comm_op *op = longest_in(&m->queues, lane->device, &lane->tile[tile]);

	*ret = (struct wl_late_collective){ .name = NULL };
	if (!op)
		return true;
	ret->length = op->dur;
	ret->median = median_of(&m->queues, lane->device, op->type, d->run->arena);
	ret->last = last_of(m, op, lane->device);
	ret->is_transfer = op->match != WL_NONE && !wl_ranks_missing(d->run->trace) &&
			   wl_match_wait(m, op) < op->dur / 2;
	ret->may_be_elsewhere = ret->is_transfer && wl_ranks_may_be_missing(d->run->trace);
	if (ret->median > 0 && ret->length / 2 >= ret->median)
		ret->name = wl_collective_title(op->type);
	return ret->median != WL_NO_TIME;
}

const char *wl_say_late_collective(struct wl_rule_state *d, const struct wl_late_collective *late)
{
	char length[WL_UNITS_BUF], median[WL_UNITS_BUF];
	double times = late->median ? (double)late->length / (double)late->median : 0;
	const char *who =
		late->may_be_elsewhere
			? "no rank of these files is late: the transfer itself takes that long, or "
			  "a rank without a file arrived late"
		: late->is_transfer     ? "no rank is late: the transfer itself takes that long"
		: late->last == WL_NONE ? "probably a rank that is not in this trace arrived late"
					: wl_say(d, "GPU %u arrived last", late->last);

	return who ? wl_say(d, "one %s takes %s, %.0f times the median (%s); %s", late->name,
			    wl_fmt_ns(length, late->length, WL_UNIT_AUTO), times,
			    wl_fmt_ns(median, late->median, WL_UNIT_AUTO), who)
		   : NULL;
}

/* SPDX-License-Identifier: MIT */
/* whatif_walk.c - finds the critical path of a replay, walking back from its last end. */
#include "derive/graph/scenario/scenario_parts.h"

/* Where the walk is: at the start or the end of an activity. */
struct walk {
	const struct wl_whatif *w;
	const struct wl_graph *g;
	struct wl_whatif_result *ret;
	uint32_t shift; /* index of a time (replay_plan.h); 0 or 1: it keeps its measured value */
};

static wl_ns time_of(const struct walk *k, uint32_t shift)
{
	uint32_t activity = k->w->plan->activity[shift >> 1];

	return (shift & 1 ? wl_graph_end(k->g, activity) : wl_graph_start(k->g, activity)) +
	       k->w->shifts.at[shift];
}

/* Go back to another time. The time between is booked as spent and returned. Stops at the start of
 * the run. */
static wl_ns go(struct walk *k, uint32_t to, enum wl_spent as)
{
	wl_ns from = time_of(k, k->shift), begin = k->w->measured.begin;
	wl_ns until = to > 1 ? time_of(k, to) : from;

	k->shift = until > begin ? to : 0;
	until = until > begin ? until : begin;
	if (from <= until)
		return 0;
	k->ret->spent[as] += from - until;
	return from - until;
}

static enum wl_spent spent_by(const struct walk *k, uint32_t position)
{
	switch ((enum wl_does)k->w->does[position]) {
	case WL_DOES_COMPUTE:
	case WL_DOES_LOCAL:
		return WL_SPENT_COMPUTE;
	case WL_DOES_COMM:
	case WL_DOES_MEET:
	case WL_DOES_MPI:
		return WL_SPENT_COMM;
	case WL_DOES_COPY:
		return WL_SPENT_COPY;
	case WL_DOES_LAUNCH:
	case WL_DOES_BLOCK:
	case WL_DOES_CALL:
		break;
	}
	return WL_SPENT_HOST;
}

/* The arrival that released a member. */
static uint32_t last_arrival(const struct walk *k, uint32_t position)
{
	const struct wl_meet_slot *slot =
		&k->g->slot[wl_graph_slot(k->g, k->w->plan->activity[position])];
	uint32_t lo = k->g->meeting[slot->meeting].lo, best = 2 * position;

	for (uint32_t i = lo; i < lo + slot->released; i++) {
		uint32_t at = 2 * k->w->plan->at[k->g->slot[i].activity];

		if (time_of(k, at) > time_of(k, best))
			best = at;
	}
	return best;
}

static void leave_end(struct walk *k)
{
	const struct wl_replay_plan *plan = k->w->plan;
	uint32_t position = k->shift >> 1, activity = plan->activity[position];
	uint32_t op = plan->flags[position] & WL_PLAN_CALL ? k->g->releaser[activity - k->g->n_ops]
							   : WL_NONE;
	uint32_t to = 2 * position, room = wl_graph_room(k->g, activity);
	wl_ns spent;

	if (wl_graph_slot(k->g, activity) != WL_NONE && !k->w->changes.no_wait) {
		to = last_arrival(k, position);
	} else if (op != WL_NONE && !(k->w->changes.lone && k->w->changes.lone[position])) {
		uint32_t end = 2 * plan->at[op] + 1;
		wl_ns own = time_of(k, to) + wl_changed_length(k->w, position);

		if (wl_graph_end(k->g, op) >= wl_graph_start(k->g, activity)
			    ? time_of(k, end) > time_of(k, to)
			    : time_of(k, k->shift) > own)
			to = end;
	} else if (room != WL_NONE &&
		   time_of(k, k->shift) > time_of(k, to) + wl_changed_length(k->w, position)) {
		to = 2 * plan->at[room];
	}
	spent = go(k, to, spent_by(k, position));
	if (!(plan->flags[position] & WL_PLAN_CALL) || to != 2 * position || spent <= 0)
		return;
	if (wl_graph_is_crowded(k->g, activity))
		k->ret->queued += spent;
	else
		k->ret->held += wl_held_time(k->w, activity, spent);
}

static void leave_start(struct walk *k)
{
	const struct wl_replay_plan *plan = k->w->plan;
	const struct wl_changes *c = &k->w->changes;
	uint32_t position = k->shift >> 1, end = plan->first[position + 1], best = 0;
	bool is_call = plan->flags[position] & WL_PLAN_CALL;
	wl_ns most = INT64_MIN, spent;

	for (uint32_t i = plan->first[position]; i < end; i++) {
		wl_ns shift = k->w->shifts.at[plan->from[i]] - wl_replay_plan_slack(plan, i);

		if (c->drop && c->drop[i])
			continue;
		if (c->sent && c->sent[position] && i + 1 == end)
			shift -= plan->latency[position];
		if (shift > most) {
			most = shift;
			best = plan->from[i];
		}
	}
	if (c->after && c->after[position] &&
	    k->w->shifts.at[c->after[position]] -
			    wl_slack_after(plan, position, c->after[position]) >
		    most)
		best = c->after[position];
	spent = go(k, best, is_call ? WL_SPENT_HOST : WL_SPENT_RIGID);
	/* If a call is delayed, its operation also begins late. */
	if (!is_call && plan->flags[position] & WL_PLAN_LAUNCHED && best == plan->from[end - 1] &&
	    spent > 0)
		k->ret->held += wl_held_time(k->w, plan->activity[best >> 1], spent);
}

static void note_end(const struct walk *k, uint32_t p, uint32_t *best)
{
	if (!*best || time_of(k, 2 * p + 1) > time_of(k, *best))
		*best = 2 * p + 1;
}

/* The operation that ends last of all. */
static uint32_t last_end(const struct walk *k)
{
	const struct wl_whatif *w = k->w;
	uint32_t best = 0;

	for (size_t i = 0; !w->changes.drop && i < w->n_tips; i++)
		note_end(k, w->tip[i], &best);
	for (uint32_t i = 0; w->changes.drop && i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		if (!(w->plan->flags[p] & WL_PLAN_CALL))
			note_end(k, p, &best);
	}
	return best;
}

void wl_whatif_walk(const struct wl_whatif *w, struct wl_whatif_result *ret)
{
	struct walk k = { .w = w, .g = w->plan->graph, .ret = ret };
	size_t n = 0;

	for (unsigned i = 0; i < WL_N_SPENT; i++)
		ret->spent[i] = 0;
	ret->held = ret->queued = 0;
	k.shift = last_end(&k);
	/* Each step goes back in the plan; the bound guards against cycles that were cut. */
	while (k.shift > 1 && n++ < 2 * ((size_t)w->plan->n + 1)) {
		if (k.shift & 1)
			leave_end(&k);
		else
			leave_start(&k);
	}
}

/* SPDX-License-Identifier: MIT */
#include "derive/graph/replay/replay.h"

bool wl_shifts_make(const struct wl_replay_plan *plan, struct wl_arena *arena,
		    struct wl_shifts *ret)
{
	const struct wl_graph *g = plan->graph;

	*ret = (struct wl_shifts){ .at = WL_NEW(arena, wl_ns, 2 * ((size_t)plan->n + 1)),
				   .arrived = WL_NEW(arena, wl_ns, g->n_slots),
				   .n_there = WL_NEW(arena, uint32_t, g->n_meetings) };
	return ret->at && ret->arrived && ret->n_there;
}

/* The data that one replay reads and writes. */
struct running {
	const struct wl_replay_plan *plan;
	const struct wl_changes *changes;
	struct wl_shifts *shifts;
};

static wl_ns later(wl_ns a, wl_ns b)
{
	return a > b ? a : b;
}

/* The measured value of a time. */
static wl_ns measured(const struct wl_replay_plan *plan, uint32_t number)
{
	uint32_t activity = plan->activity[number >> 1];

	return number & 1 ? wl_graph_end(plan->graph, activity)
			  : wl_graph_start(plan->graph, activity);
}

wl_ns wl_slack_after(const struct wl_replay_plan *plan, uint32_t position, uint32_t number)
{
	uint32_t i = plan->first[position];
	wl_ns released = measured(plan, plan->from[i]) + wl_replay_plan_slack(plan, i);
	wl_ns slack = released - measured(plan, number);

	return slack > 0 ? slack : 0;
}

/* A shift to an earlier time, but not to before begin. */
static wl_ns not_before(const struct running *r, uint32_t position, wl_ns shift)
{
	const struct wl_replay_plan *plan = r->plan;
	wl_ns start = wl_graph_start(plan->graph, plan->activity[position]);
	wl_ns most = r->changes->begin - start;

	return later(shift, most < 0 ? most : 0);
}

/* A start with candidates left out or added, another lag, or a launch that takes no time. */
static wl_ns start_changed(const struct running *r, uint32_t position)
{
	const struct wl_replay_plan *plan = r->plan;
	const struct wl_changes *c = r->changes;
	uint32_t end = plan->first[position + 1];
	wl_ns most = INT64_MIN;

	for (uint32_t i = plan->first[position]; i < end; i++) {
		wl_ns shift;

		if (c->drop && c->drop[i])
			continue;
		shift = r->shifts->at[plan->from[i]] - wl_replay_plan_slack(plan, i);
		if (c->sent && c->sent[position] && i + 1 == end)
			shift -= plan->latency[position];
		most = later(most, shift);
	}
	if (c->after && c->after[position])
		most = later(most, r->shifts->at[c->after[position]] -
					   wl_slack_after(plan, position, c->after[position]));
	if (most == INT64_MIN)
		return 0;
	most += c->gap ? c->gap[position] : 0;
	return c->holds_begin && most < 0 ? not_before(r, position, most) : most;
}

/* The hot loop: positions [lo, hi) without changes of starts. */
static void run_plain(const struct running *r, uint32_t lo, uint32_t hi)
{
	const struct wl_replay_plan *plan = r->plan;
	const uint32_t *from = plan->from, *slack = plan->slack, *first = plan->first;
	const wl_ns *length = r->changes->length;
	wl_ns *shift = r->shifts->at;

	for (uint32_t p = lo, i = first[lo]; p < hi; p++) {
		uint32_t end = first[p + 1];
		wl_ns most = i < end ? INT64_MIN : 0;

		for (; i < end; i++) {
			wl_ns by = slack[i] != WL_LONG ? (wl_ns)slack[i]
						       : wl_replay_plan_long_slack(plan, i);

			most = later(most, shift[from[i]] - by);
		}
		shift[2 * (size_t)p] = most;
		shift[2 * (size_t)p + 1] = most + (length ? length[p] : 0);
	}
}

/*
 * The same with other gaps, for a step that takes the times of another step: six hundred pairs of
 * steps are replayed this way (held_out.h).
 */
static void run_gaps(const struct running *r, uint32_t lo, uint32_t hi)
{
	const struct wl_replay_plan *plan = r->plan;
	const uint32_t *from = plan->from, *slack = plan->slack, *first = plan->first;
	const wl_ns *length = r->changes->length, *gap = r->changes->gap;
	wl_ns *shift = r->shifts->at;

	for (uint32_t p = lo, i = first[lo]; p < hi; p++) {
		uint32_t end = first[p + 1];
		wl_ns most = INT64_MIN;

		/* A start without candidates has nothing that its gap could follow. */
		if (i == end)
			most = -gap[p];
		for (; i < end; i++) {
			wl_ns by = slack[i] != WL_LONG ? (wl_ns)slack[i]
						       : wl_replay_plan_long_slack(plan, i);

			most = later(most, shift[from[i]] - by);
		}
		most += gap[p];
		if (r->changes->holds_begin && most < 0)
			most = not_before(r, p, most);
		shift[2 * (size_t)p] = most;
		shift[2 * (size_t)p + 1] = most + (length ? length[p] : 0);
	}
}

static void run_changed(const struct running *r, uint32_t lo, uint32_t hi)
{
	const wl_ns *length = r->changes->length;
	wl_ns *shift = r->shifts->at;

	for (uint32_t p = lo; p < hi; p++) {
		shift[2 * (size_t)p] = start_changed(r, p);
		shift[2 * (size_t)p + 1] = shift[2 * (size_t)p] + (length ? length[p] : 0);
	}
}

static void run_starts(const struct running *r, uint32_t lo, uint32_t hi)
{
	const struct wl_changes *c = r->changes;

	if (c->gap && !c->drop && !c->sent && !c->after)
		run_gaps(r, lo, hi);
	else if (c->gap || c->drop || c->sent || c->no_wait)
		run_changed(r, lo, hi);
	else
		run_plain(r, lo, hi);
}

/* The end without waiting for others; a call that began before the run does not end before it. */
static wl_ns leave_alone(const struct running *r, const struct wl_late_end_of *late)
{
	const struct wl_graph *g = r->plan->graph;
	uint32_t activity = r->plan->activity[late->at];
	wl_ns shift = r->shifts->at[2 * (size_t)late->at] - late->after, most;

	if (!r->changes->holds_begin || shift >= 0 ||
	    wl_graph_start(g, activity) >= r->changes->begin)
		return shift;
	most = r->changes->begin - wl_graph_end(g, activity);
	return later(shift, most < 0 ? most : 0);
}

static wl_ns leave(const struct running *r, const struct wl_late_end_of *late)
{
	const struct wl_graph *g = r->plan->graph;
	const struct wl_meet_slot *slot = &g->slot[late->from];
	uint32_t lo = g->meeting[slot->meeting].lo, *n = &r->shifts->n_there[slot->meeting];
	wl_ns *arrived = r->shifts->arrived + lo;
	wl_ns begin = wl_graph_start(g, g->slot[lo].activity);

	if (r->changes->no_wait)
		return leave_alone(r, late);
	for (; *n < slot->released; ++*n) {
		uint32_t activity = g->slot[lo + *n].activity;
		wl_ns at = wl_graph_start(g, activity) - begin +
			   r->shifts->at[2 * (size_t)r->plan->at[activity]];

		arrived[*n] = *n ? later(arrived[*n - 1], at) : at;
	}
	return arrived[slot->released - 1] - (wl_graph_last_arrival(g, late->from) - begin);
}

static void run_late(const struct running *r, const struct wl_late_end_of *late)
{
	const struct wl_changes *c = r->changes;
	wl_ns *shift = r->shifts->at, start = shift[2 * (size_t)late->at];
	wl_ns *end = &shift[2 * (size_t)late->at + 1], change = c->length ? c->length[late->at] : 0;
	bool is_alone = c->lone && c->lone[late->at];

	switch ((enum wl_late_end)late->kind) {
	case WL_END_MEETS:
		*end = leave(r, late) + change;
		break;
	case WL_END_BINDS:
		*end = start - late->after;
		*end = (is_alone ? *end : later(*end, shift[late->from])) + change;
		break;
	case WL_END_FOLLOWS:
		*end = start + change;
		if (!is_alone)
			*end = later(*end, shift[late->from] - late->after);
		break;
	}
}

static void run_all(const struct running *r)
{
	const struct wl_replay_plan *plan = r->plan;
	uint32_t at = 1;

	for (size_t i = 0; i < r->plan->graph->n_meetings; i++)
		r->shifts->n_there[i] = 0;
	for (size_t i = 0; i < plan->n_late; i++) {
		run_starts(r, at, plan->late[i].before);
		at = plan->late[i].before;
		run_late(r, &plan->late[i]);
	}
	run_starts(r, at, plan->n + 1);
}

static void forget_meetings(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
			    struct wl_shifts *shifts)
{
	for (size_t i = 0; i < window->n_late; i++) {
		const struct wl_late_end_of *late = &plan->late[window->late[i]];

		if (late->kind == WL_END_MEETS)
			shifts->n_there[plan->graph->slot[late->from].meeting] = 0;
	}
}

/* Replay the positions of a window, starting with the at-th, that come before a given one, run by
 * run. */
static uint32_t run_window(const struct running *r, const struct wl_window_plan *window,
			   uint32_t at, uint32_t before)
{
	const uint32_t *p = window->at;

	while (at < window->n && p[at] < before) {
		uint32_t end = at + 1;

		while (end < window->n && p[end] == p[end - 1] + 1 && p[end] < before)
			end++;
		run_starts(r, p[at], p[end - 1] + 1);
		at = end;
	}
	return at;
}

void wl_shifts_run(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		   const struct wl_changes *changes, struct wl_shifts *shifts)
{
	const struct running r = { .plan = plan, .changes = changes, .shifts = shifts };
	uint32_t at = 0;

	if (!window->at) {
		run_all(&r);
		return;
	}
	forget_meetings(plan, window, shifts);
	for (size_t i = 0; i < window->n_late; i++) {
		const struct wl_late_end_of *late = &plan->late[window->late[i]];

		at = run_window(&r, window, at, late->before);
		run_late(&r, late);
	}
	(void)run_window(&r, window, at, plan->n + 1);
}

void wl_shifts_clear(const struct wl_replay_plan *plan, const struct wl_window_plan *window,
		     struct wl_shifts *shifts)
{
	for (uint32_t i = 0; i < window->n; i++) {
		size_t p = window->at ? window->at[i] : (size_t)i + 1;

		shifts->at[2 * p] = shifts->at[2 * p + 1] = 0;
	}
	if (window->at)
		forget_meetings(plan, window, shifts);
}

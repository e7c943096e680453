/* SPDX-License-Identifier: MIT */
/*
 * scenario_overlap.c - the scenario in which communication and compute wait for each other only
 * through events.
 *
 * Stream order between the two is removed; the order within each stays. An operation that came
 * after one of the other kind follows the last one before it on its stream that is not of that
 * kind. Copies are of neither kind and follow the last ones of both. Compute on a stream therefore
 * never takes less than its sum.
 */
#include "derive/graph/scenario/scenario_parts.h"

static bool is_comm(const struct wl_whatif *w, uint32_t position)
{
	return w->does[position] == WL_DOES_COMM || w->does[position] == WL_DOES_MEET;
}

static bool is_compute(const struct wl_whatif *w, uint32_t position)
{
	return w->does[position] == WL_DOES_COMPUTE;
}

/* Whether one of two operations communicates and the other computes. */
static bool are_mixed(const struct wl_whatif *w, uint32_t a, uint32_t b)
{
	return (is_comm(w, a) && is_compute(w, b)) || (is_comm(w, b) && is_compute(w, a));
}

/* The operations of a stream with the latest end so far; WL_NONE for none. */
struct last_of {
	uint32_t no_comm;    /* among those that do not communicate */
	uint32_t no_compute; /* among those that do not compute */
};

struct overlapping {
	struct wl_whatif *w;
	const struct wl_graph *g;
	struct last_of *last; /* by lane */
	uint32_t *follows; /* by position: the last earlier operation that is not of the same kind
			      as the one directly before it; WL_NONE */
	bool *is_over;     /* by position: its late end is placed */
};

static void keep_later(const struct wl_graph *g, uint32_t op, uint32_t *last)
{
	if (*last == WL_NONE || wl_graph_end(g, op) >= wl_graph_end(g, *last))
		*last = op;
}

/* Visit operations by start, which keeps the order of each stream. */
static void find_order(struct overlapping *o)
{
	const struct wl_graph *g = o->g;

	for (size_t i = 0; i < g->n_lanes; i++)
		o->last[i] = (struct last_of){ WL_NONE, WL_NONE };
	for (size_t i = 0; i < g->n_order; i++) {
		uint32_t op = g->order[i], p = o->w->plan->at[op];
		struct last_of *last;
		uint32_t before;

		if (op >= g->n_ops)
			continue;
		last = &o->last[g->lane[wl_graph_place(g, op)]];
		before = g->previous[op] == WL_NONE ? p : o->w->plan->at[g->previous[op]];
		o->follows[p] = is_comm(o->w, before)      ? last->no_comm
				: is_compute(o->w, before) ? last->no_compute
							   : WL_NONE;
		if (!is_comm(o->w, p))
			keep_later(g, op, &last->no_comm);
		if (!is_compute(o->w, p))
			keep_later(g, op, &last->no_compute);
	}
}

/* Find the number of the time that it follows; false if that is not placed yet. */
static bool find_after(const struct overlapping *o, uint32_t p, uint32_t *ret)
{
	const struct wl_replay_plan *plan = o->w->plan;
	uint32_t before = o->follows[p], at = before == WL_NONE ? 0 : plan->at[before];
	bool is_over = at && wl_graph_end(o->g, before) <= wl_graph_start(o->g, plan->activity[p]);

	*ret = at ? 2 * at + is_over : 0;
	return at < p && !(is_over && plan->flags[at] & WL_PLAN_LATE && !o->is_over[at]);
}

/* Change the stream order of a position. True if it changes. */
static bool change_order(const struct overlapping *o, uint32_t p)
{
	struct wl_changes *c = &o->w->changes;
	uint32_t i = o->w->plan->first[p], before = o->w->plan->from[i] >> 1, after;
	bool is_copy = o->w->does[p] == WL_DOES_COPY || o->w->does[p] == WL_DOES_LOCAL;

	if ((!is_copy && !are_mixed(o->w, p, before)) || !find_after(o, p, &after))
		return false;
	c->after[p] = after;
	c->drop[i] = !is_copy;
	return !is_copy;
}

/* Drop the candidates of an operation that only stream order or inference gives. */
static void drop_unproven(const struct overlapping *o, uint32_t p)
{
	const struct wl_replay_plan *plan = o->w->plan;
	uint32_t op = plan->activity[p], i = plan->first[p];
	bool is_changed = false;

	if (plan->flags[p] & WL_PLAN_ORDERED) {
		is_changed = change_order(o, p);
		i++;
	}
	for (uint32_t k = o->g->edge_first[op]; k < o->g->edge_first[op + 1]; k++, i++) {
		if (o->g->edge_kind[k] == WL_EDGE_INFERRED &&
		    are_mixed(o->w, p, plan->from[i] >> 1)) {
			o->w->changes.drop[i] = 1;
			is_changed = true;
		}
	}
	o->w->n_changed += is_changed;
}

/* Visit positions in the order of the plan, with the late ends that come before each. */
static void drop_all(const struct overlapping *o)
{
	const struct wl_whatif *w = o->w;
	const struct wl_replay_plan *plan = w->plan;
	size_t late = 0;

	for (uint32_t i = 0; i < w->window.n; i++) {
		uint32_t p = wl_window_at(&w->window, i);

		for (; late < plan->n_late && plan->late[late].before <= p; late++)
			o->is_over[plan->late[late].at] = true;
		/* A forced position has no candidates. */
		if (!(plan->flags[p] & WL_PLAN_CALL) && plan->first[p] < plan->first[p + 1])
			drop_unproven(o, p);
	}
}

int wl_apply_overlap(struct wl_whatif *w, const struct wl_asked *ask, struct wl_err *reterr)
{
	struct overlapping o = { .w = w, .g = w->plan->graph };
	struct wl_arena scratch;
	bool ok = wl_change_candidates(w);

	(void)ask;
	wl_arena_init_child(&scratch, w->arena);
	o.last = WL_NEW(&scratch, struct last_of, o.g->n_lanes);
	o.follows = WL_NEW(&scratch, uint32_t, (size_t)w->plan->n + 1);
	o.is_over = WL_NEW(&scratch, bool, (size_t)w->plan->n + 1);
	ok = ok && o.last && o.follows && o.is_over;
	if (ok) {
		find_order(&o);
		drop_all(&o);
	}
	wl_arena_release(&scratch);
	return ok ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "not enough memory for the replay");
}

/* SPDX-License-Identifier: MIT */
#include "derive/graph/no_straggler.h"

#include "base/sort.h"
#include "derive/derived.h"
#include "derive/kinds/classes.h"
#include "derive/rows/stats.h"

/* Of an even number the mean of the middle two: the lower one of two would make a member faster
 * than those that it is compared with. */
static wl_ns median(int64_t *v, size_t n)
{
	wl_sort_i64(v, n);
	return v[(n - 1) / 2] + (v[n / 2] - v[(n - 1) / 2]) / 2;
}

struct wl_counterpart wl_counterpart_of(const struct wl_graph *g, const struct wl_positions *p,
					size_t key, size_t k)
{
	int64_t length[WL_MOST_COMPARED];
	double sum = 0;
	size_t n = 0;

	for (size_t i = 1; i < p->n; i++) {
		uint32_t activity = wl_position_at(p, i, key, k);

		if (activity == WL_NONE)
			continue;
		length[n] = wl_graph_length(g, activity);
		sum += (double)length[n++];
	}
	return (struct wl_counterpart){ n ? median(length, n) : 0, n ? sum / (double)n : 0, n };
}

static bool has_counterpart(const struct wl_positions *p, size_t key, size_t k)
{
	for (size_t i = 1; i < p->n; i++) {
		if (wl_position_at(p, i, key, k) != WL_NONE)
			return true;
	}
	return false;
}

static double time_of(const struct wl_graph *g, const struct wl_positions *p, size_t member,
		      size_t key, size_t k)
{
	uint32_t activity = wl_position_at(p, member, key, k);

	return activity == WL_NONE ? 0 : (double)wl_graph_length(g, activity);
}

/* Time of operations, and of those that have a counterpart. */
struct alike {
	double all, common;
};

static void add_key(const struct wl_graph *g, const struct wl_positions *p, size_t member,
		    size_t key, struct alike *to)
{
	const struct wl_positions_of *of = &p->of[member];
	size_t n = of->first[key + 1] - of->first[key];

	for (size_t k = 0; k < n; k++) {
		double time = time_of(g, p, member, key, k);
		bool is_common = member == 0 ? has_counterpart(p, key, k)
					     : wl_position_at(p, 0, key, k) != WL_NONE;

		to->all += time;
		to->common += is_common ? time : 0;
	}
}

/* Members of a pipeline do different work: less than two thirds of their time is alike. */
static bool is_alike(const struct wl_graph *g, const struct wl_positions *p)
{
	struct alike own = { 0, 0 }, others = { 0, 0 };

	for (size_t key = 0; key < p->n_keys; key++) {
		for (size_t i = 0; i < p->n; i++)
			add_key(g, p, i, key, i == 0 ? &own : &others);
	}
	return 3 * own.common >= 2 * own.all && 3 * others.common >= 2 * others.all;
}

bool wl_no_straggler_begin(const struct wl_compared_by *by, const struct wl_peers *who,
			   struct wl_arena *arena, struct wl_no_straggler *ret)
{
	*ret = (struct wl_no_straggler){ .is_comparable = false };
	wl_vec_init(&ret->changes, sizeof(struct wl_evened), wl_arena_budget(arena));
	if (!wl_op_positions(by, who, arena, &ret->ops) ||
	    !wl_call_positions(by, who, arena, &ret->calls))
		return false;
	ret->is_comparable = is_alike(by->graph, &ret->ops);
	return true;
}

void wl_no_straggler_end(struct wl_no_straggler *s)
{
	wl_vec_release(&s->changes);
}

static void change(struct wl_no_straggler *s, uint32_t activity, wl_ns length, wl_ns gap)
{
	wl_vec_push(&s->changes, &(struct wl_evened){ activity, length, gap });
}

/* Add to the time of a share, before and after. */
static void account(struct wl_no_straggler *s, enum wl_late_share share, wl_ns own, wl_ns others)
{
	s->own[share] = wl_add_up(s->own[share], own);
	s->others[share] = wl_add_up(s->others[share], others);
}

static bool is_copy(const struct wl_compared_by *by, uint32_t op)
{
	const struct wl_graph *g = by->graph;

	return wl_graph_kind(g, op) == WL_OP_MEMCPY &&
	       wl_class_of_copy(by->given->classes, op - g->first[WL_OP_MEMCPY]) == WL_COPY;
}

/* An operation that none of the others has is more work: without it the member is like them. */
static void change_ops(const struct wl_compared_by *by, struct wl_no_straggler *s,
		       enum wl_late_share share)
{
	const struct wl_positions *p = &s->ops;

	for (size_t key = 0; key < p->n_keys; key++) {
		size_t n = p->of[0].first[key + 1] - p->of[0].first[key];

		for (size_t k = 0; k < n; k++) {
			uint32_t op = wl_position_at(p, 0, key, k);
			wl_ns length;

			if (is_copy(by, op) != (share == WL_LATE_BY_COPIES))
				continue;
			length = wl_counterpart_of(by->graph, p, key, k).length;
			account(s, share, wl_graph_length(by->graph, op), length);
			s->is_other[share] |= length != wl_graph_length(by->graph, op);
			change(s, op, length, 0);
		}
	}
}

/* The time that a call's thread spent before it since what the call started after. */
static wl_ns gap_of(const struct wl_graph *g, uint32_t call)
{
	uint32_t row = call - g->n_ops, before = g->call_before[row], wake = g->wake[row];
	wl_ns from = before == WL_NONE ? wl_graph_start(g, call)
				       : wl_graph_end(g, wl_graph_call(g, before));

	if (wake != WL_NONE && wl_graph_end(g, wl_graph_call(g, wake)) > from)
		from = wl_graph_end(g, wl_graph_call(g, wake));
	return wl_graph_start(g, call) - from;
}

/*
 * The length of the call is not the host's: an operation ended inside it, or it is one of MPI,
 * which may wait for another process.
 */
static bool is_held(const struct wl_graph *g, uint32_t call)
{
	uint32_t op = g->releaser[call - g->n_ops];

	return wl_graph_is_mpi(g, call) ||
	       (op != WL_NONE && wl_graph_end(g, op) >= wl_graph_start(g, call));
}

static void change_call(const struct wl_graph *g, struct wl_no_straggler *s, size_t key, size_t k)
{
	const struct wl_positions *p = &s->calls;
	uint32_t call = wl_position_at(p, 0, key, k);
	int64_t length[WL_MOST_COMPARED], gap[WL_MOST_COMPARED];
	size_t n_lengths = 0, n_gaps = 0;
	wl_ns new_length = wl_graph_length(g, call), new_gap = gap_of(g, call);

	for (size_t i = 1; i < p->n; i++) {
		uint32_t other = wl_position_at(p, i, key, k);

		if (other == WL_NONE)
			continue;
		if (!is_held(g, other))
			length[n_lengths++] = wl_graph_length(g, other);
		if (g->call_before[other - g->n_ops] != WL_NONE)
			gap[n_gaps++] = gap_of(g, other);
	}
	new_length = n_lengths ? median(length, n_lengths) : new_length;
	new_gap = n_gaps ? median(gap, n_gaps) : new_gap;
	account(s, WL_LATE_BY_HOST, gap_of(g, call), new_gap);
	if (!is_held(g, call))
		account(s, WL_LATE_BY_HOST, wl_graph_length(g, call), new_length);
	s->is_other[WL_LATE_BY_HOST] |=
		new_gap != gap_of(g, call) || new_length != wl_graph_length(g, call);
	change(s, call, new_length, new_gap);
}

bool wl_no_straggler_change(const struct wl_compared_by *by, struct wl_no_straggler *s,
			    enum wl_late_share share)
{
	const struct wl_positions *p = &s->calls;

	if (share != WL_LATE_BY_HOST)
		change_ops(by, s, share);
	for (size_t key = 0; share == WL_LATE_BY_HOST && key < p->n_keys; key++) {
		size_t n = p->of[0].first[key + 1] - p->of[0].first[key];

		for (size_t k = 0; k < n; k++)
			change_call(by->graph, s, key, k);
	}
	s->first[share + 1] = s->changes.n;
	return !s->changes.failed;
}

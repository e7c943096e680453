/* SPDX-License-Identifier: MIT */
#include "derive/graph/late/no_straggler.h"

#include "derive/derived.h"
#include "derive/graph/replay/replay_plan.h"
#include "derive/iters/change.h"
#include "derive/kinds/classes.h"
#include "derive/rows/stats.h"

bool wl_late_peers_find(const struct wl_compared_by *by, const struct wl_peers *who,
			struct wl_arena *arena, struct wl_late_peers *ret)
{
	*ret = (struct wl_late_peers){ .by = *by, .who = *who };
	return wl_op_positions(by, who, arena, &ret->ops) &&
	       wl_call_positions(by, who, arena, &ret->calls);
}

/* The members that a member meets, or all of its part, without itself. */
static size_t list_others(const struct wl_late_peers *all, uint32_t member, bool met, uint32_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < all->who.n; i++) {
		uint32_t other = all->who.member[i];

		if (other != member && (!met || wl_members_meet(all->by.cells, member, other)))
			ret[n++] = other;
	}
	return n;
}

static void choose(const struct wl_late_suspects *cells, const uint32_t *met, size_t n, size_t step,
		   struct wl_references *ret)
{
	size_t n_usable = 0, k = 0, most;

	for (size_t i = 0; i < n; i++)
		n_usable += !(wl_late_cell(cells, met[i], step) & WL_CELL_CHANGED);
	most = n_usable < WL_MOST_COMPARED ? n_usable : (size_t)WL_MOST_COMPARED;
	for (size_t i = 0; i < n; i++) {
		if (wl_late_cell(cells, met[i], step) & WL_CELL_CHANGED)
			continue;
		if (ret->n < (k + 1) * most / n_usable)
			ret->member[ret->n++] = met[i];
		k++;
	}
}

const struct wl_references *wl_references_find(const struct wl_late_peers *all, uint32_t member,
					       struct wl_arena *arena)
{
	const struct wl_late_suspects *cells = all->by.cells;
	struct wl_references *ret = WL_NEW(arena, struct wl_references, cells->n_steps);
	struct wl_arena scratch;
	uint32_t *met;
	size_t n;

	wl_arena_init_child(&scratch, arena);
	met = WL_NEW(&scratch, uint32_t, all->who.n);
	n = met ? list_others(all, member, true, met) : 0;
	for (size_t i = 0; ret && n && i < cells->n_steps; i++)
		choose(cells, met, n, i, &ret[i]);
	n = met ? list_others(all, member, false, met) : 0;
	for (size_t i = 0; ret && n && i < cells->n_steps; i++) {
		if (ret[i].n == 0)
			choose(cells, met, n, i, &ret[i]);
	}
	wl_arena_release(&scratch);
	return met ? ret : NULL;
}

static bool follows_one(const struct wl_graph *g, uint32_t call)
{
	return g->call_before[call - g->n_ops] != WL_NONE || g->wake[call - g->n_ops] != WL_NONE;
}

/* Index of the counterpart among a reference's activities with the key; WL_NONE for none. */
static uint32_t counterpart_in(const struct wl_late_peers *all, const struct wl_positions *p,
			       uint32_t member, const struct wl_own_position *at)
{
	size_t n = p->of[member].first[at->key + 1] - p->of[member].first[at->key];

	if (!all->by.cells->is_of_stages || n >= at->n)
		return wl_position_at(p, member, at->key, at->k);
	if ((at->k + 1) * n / at->n == at->k * n / at->n)
		return WL_NONE;
	return wl_position_at(p, member, at->key, at->k * n / at->n);
}

void wl_counterpart_find(const struct wl_late_peers *all, const struct wl_positions *p,
			 const struct wl_references *of, const struct wl_own_position *at,
			 struct wl_counterpart *ret)
{
	const struct wl_graph *g = all->by.graph;

	ret->n = ret->n_gaps = 0;
	for (size_t i = 0; i < of->n; i++) {
		uint32_t activity = counterpart_in(all, p, of->member[i], at);

		if (activity == WL_NONE)
			continue;
		ret->length[ret->n++] = wl_graph_room(g, activity) == WL_NONE
						? wl_graph_length(g, activity)
						: wl_graph_own_length(g, activity);
		if (activity >= g->n_ops && follows_one(g, activity))
			ret->gap[ret->n_gaps++] = wl_graph_gap(g, activity);
	}
}

struct evening {
	const struct wl_late_peers *all;
	const struct wl_graph *g;
	const struct wl_references *of; /* by step */
	struct wl_evened_member *to;
};

static bool is_changed(const struct evening *e, size_t step)
{
	return wl_late_cell(e->all->by.cells, e->to->member, step) & WL_CELL_CHANGED;
}

static void account(struct evening *e, enum wl_late_share share, size_t step, wl_ns own,
		    wl_ns others)
{
	struct wl_excess *of = &e->to->excess[step];

	of->all += own - others;
	of->own[share] = wl_add_up(of->own[share], own);
	of->others[share] = wl_add_up(of->others[share], others);
	e->to->is_other[share] |= own != others && is_changed(e, step);
}

static void change(struct evening *e, enum wl_late_share share, size_t step,
		   const struct wl_evened *to)
{
	if (is_changed(e, step))
		wl_vec_push(&e->to->change[share], to);
}

/* Copies within a device count as work, not as copies. */
enum wl_late_share wl_late_share_of(const struct wl_late_peers *all, uint32_t op)
{
	const struct wl_graph *g = all->by.graph;

	return wl_graph_kind(g, op) == WL_OP_MEMCPY &&
			       wl_class_of_copy(all->by.given->classes,
						op - g->first[WL_OP_MEMCPY]) == WL_COPY
		       ? WL_LATE_BY_COPIES
		       : WL_LATE_BY_KERNELS;
}

/* An operation that none of the others has is extra work; without it the member is like them. */
static void even_op(struct evening *e, size_t step, const struct wl_own_position *at)
{
	const struct wl_positions *p = &e->all->ops;
	uint32_t op = wl_position_at(p, e->to->member, at->key, at->k);
	enum wl_late_share share = wl_late_share_of(e->all, op);
	wl_ns own = wl_graph_length(e->g, op), length;
	struct wl_counterpart others;

	wl_counterpart_find(e->all, p, &e->of[step], at, &others);
	length = others.n ? wl_middle(others.length, others.n) : 0;
	account(e, share, step, own, length);
	if (op < e->g->first[WL_OP_KERNEL + 1]) {
		e->to->excess[step].kernels += own - length;
		e->to->excess[step].is_any = true;
	}
	change(e, share, step, &(struct wl_evened){ .activity = op, .length = length });
}

/*
 * Whether a call's length is its own time. The gap before any call is the host's own work: it
 * delays even an MPI call, or a wait for the GPU that is over by then.
 */
bool wl_call_has_own_length(const struct wl_graph *g, uint32_t call)
{
	return g->releaser[call - g->n_ops] == WL_NONE && wl_graph_room(g, call) == WL_NONE &&
	       !wl_graph_is_mpi(g, call);
}

bool wl_call_has_own_gap(const struct wl_graph *g, uint32_t call)
{
	return follows_one(g, call);
}

/* Note the gap before the first call of a step; it may belong to the previous step. */
static void note_first(struct evening *e, size_t step, uint32_t call, wl_ns own, wl_ns others)
{
	struct wl_excess *of = &e->to->excess[step];

	if (wl_graph_start(e->g, call) >= of->first)
		return;
	of->first = wl_graph_start(e->g, call);
	of->own_gap = own;
	of->others_gap = others;
}

static void even_call(struct evening *e, size_t step, const struct wl_own_position *at)
{
	const struct wl_positions *p = &e->all->calls;
	uint32_t call = wl_position_at(p, e->to->member, at->key, at->k);
	wl_ns own = wl_graph_length(e->g, call), gap = wl_graph_gap(e->g, call);
	struct wl_evened to = { .activity = call, .length = own, .gap = gap };
	struct wl_counterpart others;

	wl_counterpart_find(e->all, p, &e->of[step], at, &others);
	if (wl_call_has_own_length(e->g, call)) {
		to.length = others.n ? wl_middle(others.length, others.n) : 0;
		account(e, WL_LATE_BY_HOST, step, own, to.length);
	}
	to.is_dropped = others.n == 0 && e->g->releaser[call - e->g->n_ops] != WL_NONE;
	if ((wl_call_has_own_gap(e->g, call) || to.is_dropped) &&
	    (others.n_gaps || others.n == 0)) {
		to.gap = others.n_gaps ? wl_middle(others.gap, others.n_gaps) : 0;
		account(e, WL_LATE_BY_HOST, step, gap, to.gap);
		note_first(e, step, call, gap, to.gap);
	} else {
		note_first(e, step, call, 0, 0);
	}
	if (to.length != own || to.gap != gap || to.is_dropped)
		change(e, WL_LATE_BY_HOST, step, &to);
}

static void even_all(struct evening *e, const struct wl_positions *p,
		     void (*even)(struct evening *e, size_t step, const struct wl_own_position *at))
{
	const struct wl_positions_of *own = &p->of[e->to->member];

	for (size_t key = 0; key < p->n_keys; key++) {
		size_t n = own->first[key + 1] - own->first[key];

		/* If all cells are changed, there is nothing to compare with. */
		if (p->step[key] == WL_NONE || p->step[key] >= e->all->by.cells->n_steps ||
		    e->of[p->step[key]].n == 0)
			continue;
		for (size_t k = 0; k < n; k++)
			even(e, p->step[key], &(struct wl_own_position){ key, k, n });
	}
}

/* Time of all operations, and of those with a counterpart. */
struct alike {
	double all, common;
};

static void add_key(const struct wl_late_peers *all, uint32_t member, size_t key, size_t n_common,
		    struct alike *to)
{
	const struct wl_positions_of *of = &all->ops.of[member];
	size_t n = of->first[key + 1] - of->first[key];

	for (size_t k = 0; k < n; k++) {
		double time =
			(double)wl_graph_length(all->by.graph, of->activity[of->first[key] + k]);

		to->all += time;
		to->common += k < n_common ? time : 0;
	}
}

static size_t count(const struct wl_positions *p, uint32_t member, size_t key)
{
	return p->of[member].first[key + 1] - p->of[member].first[key];
}

/*
 * Members of a pipeline do different work: a member lacks more than a third of the work of those
 * that it meets. A member that does more than they do has all of theirs.
 */
static bool is_alike(const struct wl_late_peers *all, uint32_t member, struct wl_arena *arena,
		     bool *ret)
{
	struct alike others = { 0, 0 };
	struct wl_arena scratch;
	uint32_t *met;
	size_t n;

	wl_arena_init_child(&scratch, arena);
	met = WL_NEW(&scratch, uint32_t, all->who.n);
	n = met ? list_others(all, member, true, met) : 0;
	if (n > WL_MOST_COMPARED)
		n = WL_MOST_COMPARED;
	for (size_t key = 0; met && key < all->ops.n_keys; key++) {
		size_t mine = count(&all->ops, member, key);

		for (size_t i = 0; i < n; i++)
			add_key(all, met[i], key, mine, &others);
	}
	*ret = n && 3 * others.common >= 2 * others.all;
	wl_arena_release(&scratch);
	return met != NULL;
}

bool wl_even_out(const struct wl_late_peers *all, uint32_t member, struct wl_arena *arena,
		 struct wl_evened_member *ret)
{
	struct evening e = { .all = all, .g = all->by.graph, .to = ret };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_evened_member){ .member = member };
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
		wl_vec_init(&ret->change[i], sizeof(struct wl_evened), wl_arena_budget(arena));
	ret->excess = WL_NEW(arena, struct wl_excess, all->by.cells->n_steps);
	for (size_t i = 0; ret->excess && i < all->by.cells->n_steps; i++)
		ret->excess[i].first = INT64_MAX;
	if (!ret->excess || !is_alike(all, member, arena, &ret->is_comparable))
		return false;
	if (!ret->is_comparable)
		return true;
	wl_arena_init_child(&scratch, arena);
	e.of = wl_references_find(all, member, &scratch);
	if (e.of) {
		even_all(&e, &all->ops, even_op);
		even_all(&e, &all->calls, even_call);
	}
	ok = e.of != NULL;
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
		ok = ok && !ret->change[i].failed;
	wl_arena_release(&scratch);
	return ok;
}

void wl_evened_release(struct wl_evened_member *e)
{
	for (unsigned i = 0; i < WL_N_LATE_SHARES; i++)
		wl_vec_release(&e->change[i]);
}

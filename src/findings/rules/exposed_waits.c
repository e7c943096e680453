/* SPDX-License-Identifier: MIT */
#include "findings/rules/exposed_waits.h"

#include <string.h>

#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/kinds/activity.h"

/* A GPU's operations that communicate, as parts in which they wait or transfer. */
struct parts {
	struct wl_vec waits[WL_N_COLLECTIVES]; /* struct wl_interval */
	struct wl_vec transfers;
};

static void init_parts(struct parts *p, struct wl_budget *budget)
{
	for (size_t i = 0; i < WL_N_COLLECTIVES; i++)
		wl_vec_init(&p->waits[i], sizeof(struct wl_interval), budget);
	wl_vec_init(&p->transfers, sizeof(struct wl_interval), budget);
}

static void release_parts(struct parts *p)
{
	for (size_t i = 0; i < WL_N_COLLECTIVES; i++)
		wl_vec_release(&p->waits[i]);
	wl_vec_release(&p->transfers);
}

/* MPI calls are the host's. */
static void put_queue(const struct wl_matches *m, size_t queue, struct parts *to)
{
	const struct wl_comm_queue *q = &m->queues.queue[queue];

	for (size_t i = q->lo; !wl_comm_is_mpi(q) && i < q->hi; i++) {
		const struct wl_comm_op *op = &m->queues.op[i];
		wl_ns wait = wl_match_wait(m, op);

		if (wait > 0)
			wl_vec_push(&to->waits[q->type],
				    &(struct wl_interval){ op->start, op->start + wait });
		wl_vec_push(&to->transfers,
			    &(struct wl_interval){ op->start + wait, wl_comm_end(op) });
	}
}

static bool unite(const struct wl_vec *list, struct wl_arena *scratch, struct wl_intervals *ret)
{
	return !list->failed && wl_intervals_unite(list->data, list->n, scratch, ret);
}

static bool is_of(const struct wl_atom *atom, uint32_t tile, const char *collective)
{
	return atom->tile == tile && atom->loss == WL_LOSS_EXPOSED_COMM && atom->detail &&
	       strcmp(atom->detail, collective) == 0;
}

/*
 * Take waits that nobody claimed from the atoms of a tile and collective, from each by its share;
 * they stand together. Stragglers claim waits; what other rules claim may be transfers.
 */
static void leave_in_tile(struct wl_rule_gpu *gpu, size_t lo, size_t hi, const char *collective,
			  wl_ns waits, bool has_stragglers)
{
	wl_ns all = 0;

	for (size_t i = lo; i < hi; i++) {
		if (!is_of(&gpu->lane->atom[i], gpu->lane->atom[lo].tile, collective))
			continue;
		all += gpu->left[i];
		waits -= has_stragglers ? gpu->lane->atom[i].ns - gpu->left[i] : 0;
	}
	waits = waits < all ? waits : all;
	for (size_t i = lo; waits > 0 && i < hi; i++) {
		wl_ns part = gpu->left[i];

		if (!is_of(&gpu->lane->atom[i], gpu->lane->atom[lo].tile, collective))
			continue;
		part = (wl_ns)((double)part * (double)waits / (double)all);
		gpu->left[i] -= part < gpu->left[i] ? part : gpu->left[i];
	}
}

static void leave_waits(struct wl_rule_gpu *gpu, const char *collective,
			const struct wl_intervals *waits, bool has_stragglers)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	for (size_t lo = 0, hi; lo < lane->n_atoms; lo = hi) {
		const struct wl_tile *tile = &lane->tile[lane->atom[lo].tile];

		for (hi = lo; hi < lane->n_atoms && lane->atom[hi].tile == lane->atom[lo].tile;)
			hi++;
		leave_in_tile(gpu, lo, hi, collective,
			      wl_intervals_covered(waits, tile->begin, tile->end), has_stragglers);
	}
}

static bool leave_on(const struct wl_rule_state *d, struct wl_rule_gpu *gpu, const struct parts *p,
		     struct wl_arena *scratch)
{
	const struct wl_activity *activity =
		&d->run->derived->all_activity->device[gpu->lane->device];
	struct wl_intervals busy, transfers;

	if (!wl_activity_intervals(activity, WL_ON_COMPUTE, NULL, scratch, &busy) ||
	    !unite(&p->transfers, scratch, &transfers))
		return false;
	for (unsigned i = 0; i < WL_N_COLLECTIVES; i++) {
		struct wl_intervals waits, idle, alone;

		if (p->waits[i].n == 0)
			continue;
		if (!unite(&p->waits[i], scratch, &waits) ||
		    !wl_intervals_subtract(&waits, &busy, scratch, &idle) ||
		    !wl_intervals_subtract(&idle, &transfers, scratch, &alone))
			return false;
		leave_waits(gpu, wl_collective_title((enum wl_collective)i), &alone,
			    d->run->derived->stragglers->n > 0);
	}
	return true;
}

/* Queues are in the order of devices, as GPUs are. */
bool wl_exposed_waits_leave(struct wl_rule_state *d)
{
	const struct wl_matches *m = d->run->derived->matches;
	size_t queue = 0;
	bool ok = true;

	for (size_t g = 0; ok && m->n && g < d->n_gpus; g++) {
		struct wl_rule_gpu *gpu = &d->gpu[g];
		struct wl_arena scratch;
		struct parts p;

		wl_arena_init_child(&scratch, d->run->arena);
		init_parts(&p, wl_arena_budget(d->run->arena));
		while (queue < m->queues.n && m->queues.queue[queue].device < gpu->lane->device)
			queue++;
		for (size_t i = queue;
		     i < m->queues.n && m->queues.queue[i].device == gpu->lane->device; i++)
			put_queue(m, i, &p);
		ok = leave_on(d, gpu, &p, &scratch);
		release_parts(&p);
		wl_arena_release(&scratch);
	}
	return ok;
}

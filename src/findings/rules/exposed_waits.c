/* SPDX-License-Identifier: MIT */
#include "findings/rules/exposed_waits.h"

#include <string.h>

#include "base/memory/bound.h"
#include "derive/comm/match/matches.h"
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/kinds/activity.h"

/* The parts of a GPU's communication in which it waits or transfers. */
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

/* MPI calls run on the host and do not count. */
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

/* Where unclaimed waits go: nowhere, or to a claim, up to a limit per tile. */
struct leaving {
	struct wl_rule_state *d;
	size_t gpu;
	bool are_claimed; /* some waits are claimed: claimed time counts as waits first */
	struct wl_claim *claim;
	wl_ns *most; /* by tile; NULL without a claim */
};

/* The atoms [lo, hi) of a tile. */
struct tile_atoms {
	size_t lo, hi;
};

static wl_ns left_of(const struct leaving *l, struct tile_atoms at, const char *collective,
		     wl_ns *waits)
{
	const struct wl_rule_gpu *gpu = &l->d->gpu[l->gpu];
	uint32_t tile = gpu->lane->atom[at.lo].tile;
	wl_ns all = 0;

	for (size_t i = at.lo; i < at.hi; i++) {
		if (!is_of(&gpu->lane->atom[i], tile, collective))
			continue;
		all += gpu->left[i];
		*waits -= l->are_claimed ? gpu->lane->atom[i].ns - gpu->left[i] : 0;
	}
	*waits = *waits < all ? *waits : all;
	if (l->most && *waits > l->most[tile])
		*waits = l->most[tile];
	return all;
}

/*
 * Take unclaimed waits from the atoms of a tile and collective, in proportion to their time; the
 * atoms are adjacent. Stragglers and bubbles claim waits; other rules may claim transfers.
 */
static void leave_in_tile(const struct leaving *l, struct tile_atoms at, const char *collective,
			  wl_ns waits)
{
	struct wl_rule_gpu *gpu = &l->d->gpu[l->gpu];
	uint32_t tile = gpu->lane->atom[at.lo].tile;
	wl_ns all = left_of(l, at, collective, &waits);

	for (size_t i = at.lo; waits > 0 && i < at.hi; i++) {
		wl_ns part = gpu->left[i];

		if (!is_of(&gpu->lane->atom[i], tile, collective))
			continue;
		part = (wl_ns)((double)part * (double)waits / (double)all);
		part = part < gpu->left[i] ? part : gpu->left[i];
		gpu->left[i] -= part;
		if (!l->claim || part == 0)
			continue;
		l->most[tile] -= part;
		l->claim->ns[l->gpu] += part;
		wl_rule_state_keep(l->d, l->claim, l->gpu, i, part);
	}
}

static void leave_waits(const struct leaving *l, const struct wl_exposed_waits *waits)
{
	const struct wl_ledger_lane *lane = l->d->gpu[l->gpu].lane;
	struct tile_atoms at;

	for (at.lo = 0; at.lo < lane->n_atoms; at.lo = at.hi) {
		uint32_t tile = lane->atom[at.lo].tile;

		for (at.hi = at.lo; at.hi < lane->n_atoms && lane->atom[at.hi].tile == tile;)
			at.hi++;
		for (unsigned k = 0; k < WL_N_COLLECTIVES; k++) {
			if (waits->of[k])
				leave_in_tile(l, at, wl_collective_title((enum wl_collective)k),
					      waits->of[k][tile]);
		}
	}
}

static bool sum_waits(const struct wl_rule_gpu *gpu, const struct wl_intervals *alone,
		      struct wl_arena *arena, wl_ns **ret)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	*ret = WL_NEW(arena, wl_ns, lane->n_tiles);
	for (size_t i = 0; *ret && i < lane->n_tiles; i++)
		(*ret)[i] = wl_intervals_covered(alone, lane->tile[i].begin, lane->tile[i].end);
	return *ret != NULL;
}

static bool find_on(const struct wl_rule_state *d, size_t g, const struct parts *p,
		    struct wl_arena *scratch, struct wl_arena *arena, struct wl_exposed_waits *ret)
{
	const struct wl_activity *activity =
		&d->run->derived->all_activity->device[d->gpu[g].lane->device];
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
		    !wl_intervals_subtract(&idle, &transfers, scratch, &alone) ||
		    !sum_waits(&d->gpu[g], &alone, arena, &ret->of[i]))
			return false;
	}
	return true;
}

/* Queues are ordered by device. */
static size_t first_queue(const struct wl_comm_queues *q, uint32_t device)
{
	return WL_BELOW_BY(wl_comm_queue, device, q->queue, q->n, device);
}

bool wl_exposed_waits_find(const struct wl_rule_state *d, size_t g, struct wl_arena *arena,
			   struct wl_exposed_waits *ret)
{
	const struct wl_comm_queues *q = &d->run->derived->matches->queues;
	uint32_t device = d->gpu[g].lane->device;
	struct wl_arena scratch;
	struct parts p;
	bool ok;

	*ret = (struct wl_exposed_waits){ .of = { NULL } };
	wl_arena_init_child(&scratch, arena);
	init_parts(&p, wl_arena_budget(arena));
	for (size_t i = first_queue(q, device); i < q->n && q->queue[i].device == device; i++)
		put_queue(d->run->derived->matches, i, &p);
	ok = find_on(d, g, &p, &scratch, arena, ret);
	release_parts(&p);
	wl_arena_release(&scratch);
	return ok;
}

static bool leave(struct leaving *l)
{
	struct wl_exposed_waits waits;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, l->d->run->arena);
	l->are_claimed = l->d->run->derived->stragglers->n > 0 || l->d->has_bubble;
	ok = wl_exposed_waits_find(l->d, l->gpu, &scratch, &waits);
	if (ok)
		leave_waits(l, &waits);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_exposed_waits_claim(struct wl_rule_state *d, size_t gpu, wl_ns *most,
			    struct wl_claim *claim)
{
	return leave(&(struct leaving){ .d = d, .gpu = gpu, .most = most, .claim = claim });
}

bool wl_exposed_waits_leave(struct wl_rule_state *d)
{
	bool ok = true;

	for (size_t g = 0; ok && d->run->derived->matches->n && g < d->n_gpus; g++)
		ok = leave(&(struct leaving){ .d = d, .gpu = g });
	return ok;
}

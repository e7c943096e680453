/* SPDX-License-Identifier: MIT */
#include "derive/use/rank_use.h"

#include "base/memory/sort.h"
#include "derive/comm/clocks/host_clocks.h"
#include "derive/comm/match/arrivals.h"
#include "derive/derived.h"
#include "derive/kinds/activity.h"
#include "derive/rows/owners.h"
#include "derive/rows/stats.h"

struct finding {
	const struct wl_derived *derived;
	const struct wl_scope *scope;
	const struct wl_matches *m;
	struct wl_arena *arena, *scratch;
	struct wl_rank_uses *to;
	uint32_t *use_of; /* by device: its rank; WL_NONE: not selected */
	struct wl_arrivals arrivals;
	wl_ns *n_last; /* by match: number of members that may have arrived last; 0 for messages */
};

/* The tile that contains a time: a step, or the rest, which is the last tile. */
static size_t tile_at(const struct wl_ledger_lane *lane, wl_ns at)
{
	size_t i = wl_ledger_step_at(lane, at);

	return i < lane->n_tiles ? i : lane->n_tiles - 1;
}

static bool put_lane(struct finding *f, const struct wl_ledger_lane *lane, const uint32_t *owner)
{
	struct wl_rank_use *use = &f->to->at[f->to->n];

	*use = (struct wl_rank_use){
		.lane = lane,
		.process = lane->process != WL_NONE ? lane->process : owner[lane->device],
		.member = WL_NONE,
		.blocker = WL_NONE,
		.tile = WL_NEW(f->arena, struct wl_rank_sum, lane->n_tiles),
	};
	f->use_of[lane->device] = (uint32_t)f->to->n++;
	return use->tile != NULL;
}

static bool list_lanes(struct finding *f)
{
	const struct wl_ledger *ledger = f->derived->ledger;
	const uint32_t *owner = wl_owners_find(f->derived->trace, f->scratch);

	f->to->at = WL_NEW(f->arena, struct wl_rank_use, ledger->n);
	f->use_of = WL_NEW(f->scratch, uint32_t, f->derived->trace->n_devices);
	if (!owner || !f->to->at || !f->use_of)
		return false;
	for (size_t i = 0; i < f->derived->trace->n_devices; i++)
		f->use_of[i] = WL_NONE;
	for (size_t i = 0; i < ledger->n; i++) {
		const struct wl_ledger_lane *lane = &ledger->lane[i];

		if (lane->of_device && lane->n_tiles && !put_lane(f, lane, owner))
			return false;
	}
	for (uint32_t i = 0; i < f->m->n_members; i++) {
		uint32_t at = f->use_of[f->m->member[i].device];

		if (at != WL_NONE && f->to->at[at].process == f->m->member[i].process)
			f->to->at[at].member = i;
	}
	return true;
}

/* The rank that an operation belongs to, if it begins in the window; else NULL. */
static struct wl_rank_use *use_of(const struct finding *f, const struct wl_comm_op *op)
{
	uint32_t device = f->derived->trace->places[op->place].device;
	const struct wl_interval *w = &f->scope->device[device];

	if (f->use_of[device] == WL_NONE || !f->scope->place_on[op->place] ||
	    (!f->scope->whole && (op->start < w->begin || op->start >= w->end)))
		return NULL;
	return &f->to->at[f->use_of[device]];
}

/* Count who may have arrived last, for matches of collectives. */
static bool judge_matches(struct finding *f)
{
	f->n_last = WL_NEW(f->scratch, wl_ns, f->m->n);
	if (!f->n_last || !wl_arrivals_find(f->m, f->scratch, &f->arrivals))
		return false;
	for (size_t i = 0; i < f->m->queues.n_ops; i++) {
		const struct wl_comm_op *op = &f->m->queues.op[i];

		if (op->match != WL_NONE && !f->m->set[f->m->at[op->match].set].by_message)
			f->n_last[op->match] += op->late <= f->derived->host_clocks->error;
	}
	return true;
}

/* Divide what a match causes among those that may have arrived last. */
static void share(const struct finding *f, struct wl_rank_sum *sum, wl_ns caused, wl_ns n_last)
{
	wl_ns part = caused / n_last;

	sum->shared = wl_add_up(sum->shared, part);
	f->to->caused = wl_add_up(f->to->caused, part);
	if (n_last == 1)
		return;
	sum->tied = wl_add_up(sum->tied, part);
	f->to->tied = wl_add_up(f->to->tied, part);
}

static void add_arrival(const struct finding *f, const struct wl_comm_op *op,
			const struct wl_rank_use *use, struct wl_rank_sum *sum)
{
	const struct wl_match *at = &f->m->at[op->match];
	size_t number = (size_t)(op - f->m->queues.op);

	sum->lateness = wl_add_up(sum->lateness, wl_arrival_lateness(f->m, &f->arrivals, number));
	if (op->late <= f->derived->host_clocks->error)
		share(f, sum, at->caused, f->n_last[op->match]);
	if (op->late > 0 || use->member != f->m->member_of[f->m->set[at->set].queue[at->last]])
		return;
	sum->caused = wl_add_up(sum->caused, at->caused);
	sum->alone = wl_add_up(sum->alone, at->alone);
}

/*
 * In queue order, in which the next operation is usually of the same rank and in the same tile.
 */
static void add_arrivals(const struct finding *f)
{
	const struct wl_comm_queues *q = &f->m->queues;
	const struct wl_ledger_lane *lane = NULL;
	size_t tile = 0;

	for (size_t i = 0; i < q->n_ops; i++) {
		const struct wl_comm_op *op = &q->op[i];
		const struct wl_rank_use *use =
			op->match == WL_NONE || f->n_last[op->match] == 0 ? NULL : use_of(f, op);

		if (!use)
			continue;
		if (use->lane != lane || use->lane->tile[tile].iter == WL_NONE ||
		    op->start < use->lane->tile[tile].begin ||
		    op->start >= use->lane->tile[tile].end)
			tile = tile_at(use->lane, op->start);
		lane = use->lane;
		add_arrival(f, op, use, &use->tile[tile]);
	}
}

/* The rank that a message came from or goes to, if it arrived in the window; else NULL. */
static struct wl_rank_use *use_at(const struct finding *f, uint32_t member, wl_ns at)
{
	uint32_t device = f->m->member[member].device;
	const struct wl_interval *w = &f->scope->device[device];
	struct wl_rank_use *use =
		f->use_of[device] == WL_NONE ? NULL : &f->to->at[f->use_of[device]];

	if (!use || use->member != member || (!f->scope->whole && (at < w->begin || at >= w->end)))
		return NULL;
	return use;
}

/* A match of messages has one operation, which waits for the last of the others. */
static void add_message(const struct finding *f, uint32_t match)
{
	const struct wl_match *at = &f->m->at[match];
	uint32_t number = f->arrivals.op[f->arrivals.first[match]];
	const struct wl_comm_op *op = &f->m->queues.op[number];
	uint32_t last = f->m->member_of[f->m->set[at->set].queue[at->last]];
	struct wl_rank_use *own = use_of(f, op), *blamed = use_at(f, last, op->start + op->late);
	struct wl_rank_sum *sum;

	if (own && !f->m->group[f->m->set[at->set].group].no_clock) {
		sum = &own->tile[tile_at(own->lane, op->start)];
		sum->lateness =
			wl_add_up(sum->lateness, wl_arrival_lateness(f->m, &f->arrivals, number));
	}
	if (!blamed || op->late == 0)
		return;
	sum = &blamed->tile[tile_at(blamed->lane, op->start + op->late)];
	sum->caused = wl_add_up(sum->caused, at->caused);
	sum->alone = wl_add_up(sum->alone, at->alone);
	share(f, sum, at->caused, 1);
}

static bool add_matches(struct finding *f)
{
	if (!judge_matches(f))
		return false;
	add_arrivals(f);
	for (uint32_t i = 0; i < f->m->n; i++) {
		if (f->m->set[f->m->at[i].set].by_message)
			add_message(f, i);
	}
	return true;
}

/* Queues are in the order of members: sum what one member waited for at a time. */
static bool find_blockers(struct finding *f)
{
	const struct wl_comm_queues *q = &f->m->queues;
	wl_ns *waited = WL_NEW(f->scratch, wl_ns, f->m->n_members);
	uint32_t *of = WL_NEW(f->scratch, uint32_t, f->m->n_members);

	for (size_t i = 0; waited && of && i < q->n_ops; i++) {
		const struct wl_comm_op *op = &q->op[i];
		struct wl_rank_use *use = op->match == WL_NONE ? NULL : use_of(f, op);
		const struct wl_match *match = use ? &f->m->at[op->match] : NULL;
		uint32_t last;

		if (!match || op->late == 0 || use->member == WL_NONE)
			continue;
		last = f->m->member_of[f->m->set[match->set].queue[match->last]];
		if (of[last] != use->member + 1) {
			of[last] = use->member + 1;
			waited[last] = 0;
		}
		waited[last] = wl_add_up(waited[last], op->late);
		if (waited[last] > use->waited) {
			use->waited = waited[last];
			use->blocker = last;
		}
	}
	return waited && of;
}

/* The parts of the transfers that no compute hides. */
static bool find_transfers(const struct finding *f, const struct wl_rank_use *use,
			   const struct wl_vec *list, struct wl_arena *scratch,
			   struct wl_intervals *ret)
{
	struct wl_intervals transfers, compute;
	/* Transfers are clipped to the window, so the compute that hides them may be, too. */
	const struct wl_interval *window =
		f->scope->whole ? NULL : &f->scope->device[use->lane->device];

	return !list->failed && wl_intervals_unite(list->data, list->n, scratch, &transfers) &&
	       wl_activity_intervals(&f->derived->all_activity->device[use->lane->device],
				     WL_ON_COMPUTE, window, scratch, &compute) &&
	       wl_intervals_subtract(&transfers, &compute, scratch, ret);
}

static void add_sum(struct wl_rank_sum *to, const struct wl_rank_sum *s)
{
	to->window += s->window;
	to->compute += s->compute;
	to->wait += s->wait;
	to->transfer += s->transfer;
	to->copy += s->copy;
	to->mpi_wait = wl_add_up(to->mpi_wait, s->mpi_wait);
	for (unsigned i = 0; i < WL_N_CAUSES; i++)
		to->idle[i] += s->idle[i];
	to->lateness = wl_add_up(to->lateness, s->lateness);
	to->caused = wl_add_up(to->caused, s->caused);
	to->alone = wl_add_up(to->alone, s->alone);
	to->shared = wl_add_up(to->shared, s->shared);
	to->tied = wl_add_up(to->tied, s->tied);
}

/* The ledger's account, with exposed communication divided into wait and transfer. */
static void close_rank(struct wl_rank_use *use, const struct wl_intervals *transfers)
{
	const struct wl_ledger_lane *lane = use->lane;
	wl_ns rest = transfers->before[transfers->n];

	for (size_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];
		struct wl_rank_sum *sum = &use->tile[i];
		wl_ns exposed = tile->loss[WL_LOSS_EXPOSED_COMM];
		/* The rest of the window is what no step covers. */
		wl_ns transfer = tile->iter == WL_NONE && lane->n_tiles > 1
					 ? rest
					 : wl_intervals_covered(transfers, tile->begin, tile->end);

		rest -= transfer < rest ? transfer : rest;
		sum->window = tile->length;
		sum->compute = tile->compute;
		sum->transfer = transfer < exposed ? transfer : exposed;
		sum->wait = exposed - sum->transfer;
		sum->copy = tile->loss[WL_LOSS_EXPOSED_COPY];
		for (unsigned c = 0; c < WL_N_CAUSES; c++)
			sum->idle[c] = tile->loss[c];
		add_sum(&use->all, sum);
	}
}

static void add_mpi_wait(const struct finding *f, const struct wl_comm_op *op)
{
	struct wl_rank_use *use = use_of(f, op);
	struct wl_rank_sum *sum = use ? &use->tile[tile_at(use->lane, op->start)] : NULL;

	if (sum)
		sum->mpi_wait = wl_add_up(sum->mpi_wait, wl_match_wait(f->m, op));
}

/* Add the part of an operation in which data moves, clipped to the window. */
static void put_transfer(struct finding *f, const struct wl_comm_op *op, struct wl_rank_use *use,
			 struct wl_vec *list)
{
	uint32_t device = f->derived->trace->places[op->place].device;
	wl_ns start = op->start + wl_match_wait(f->m, op), end = wl_comm_end(op);

	f->to->comm = wl_add_up(f->to->comm, op->dur);
	f->to->matched = wl_add_up(f->to->matched, op->match == WL_NONE ? 0 : op->dur);
	if (wl_comm_is_mpi(&f->m->queues.queue[op->queue])) {
		use->has_mpi = true;
		add_mpi_wait(f, op);
		return;
	}
	use->has_gpu_comm = true;
	if (wl_clip(f->scope, f->scope->device[device], &start, &end))
		wl_vec_push(list, &(struct wl_interval){ start, end });
}

static bool close_use(struct finding *f, struct wl_rank_use *use, struct wl_vec *list)
{
	struct wl_intervals transfers;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, f->scratch);
	ok = find_transfers(f, use, list, &scratch, &transfers);
	if (ok)
		close_rank(use, &transfers);
	wl_arena_release(&scratch);
	list->n = 0;
	return ok;
}

/* Queues are in the order of devices, as ranks are. */
static bool close_all(struct finding *f)
{
	const struct wl_comm_queues *q = &f->m->queues;
	struct wl_vec list;
	size_t at = 0;
	bool ok = true;

	wl_vec_init(&list, sizeof(struct wl_interval), wl_arena_budget(f->arena));
	for (size_t i = 0; ok && i < f->to->n; i++) {
		uint32_t device = f->to->at[i].lane->device;

		while (at < q->n && q->queue[at].device < device)
			at++;
		for (; at < q->n && q->queue[at].device == device; at++) {
			for (size_t k = q->queue[at].lo; k < q->queue[at].hi; k++) {
				if (f->scope->place_on[q->op[k].place])
					put_transfer(f, &q->op[k], &f->to->at[i], &list);
			}
		}
		ok = close_use(f, &f->to->at[i], &list);
	}
	wl_vec_release(&list);
	return ok;
}

bool wl_rank_use_find(const struct wl_derived *derived, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_rank_uses *ret)
{
	struct wl_arena scratch;
	struct finding f = { .derived = derived,
			     .scope = scope,
			     .m = derived->matches,
			     .arena = arena,
			     .scratch = &scratch,
			     .to = ret };
	bool ok;

	*ret = (struct wl_rank_uses){ .n = 0 };
	wl_arena_init_child(&scratch, arena);
	ok = list_lanes(&f) && add_matches(&f) && find_blockers(&f) && close_all(&f);
	wl_arena_release(&scratch);
	return ok;
}

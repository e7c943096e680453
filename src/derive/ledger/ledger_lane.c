/* SPDX-License-Identifier: MIT */
/* ledger_lane.c - the account of one lane: each loss is cut at tile borders and added to its
 * atom. */
#include <string.h>

#include "base/memory/bound.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/exposed/exposed_pieces.h"
#include "derive/iters/iter_pieces.h"
#include "derive/kinds/sweep.h"
#include "derive/ledger/ledger_parts.h"
#include "derive/rows/ops.h"

void wl_peak_add(struct wl_peak peak[WL_N_PEAKS], wl_ns at, wl_ns ns)
{
	/*
	 * There are few peaks: a linear search per piece of a gap suffices. Pieces of one gap are
	 * consecutive and form one peak.
	 */
	struct wl_peak *least = peak;

	for (size_t i = 0; i < WL_N_PEAKS; i++) {
		if (peak[i].ns > 0 && peak[i].at == at) {
			peak[i].ns += ns;
			return;
		}
		least = peak[i].ns < least->ns ? &peak[i] : least;
	}
	if (ns > least->ns)
		*least = (struct wl_peak){ at, ns };
}

struct sum {
	wl_ns ns, longest;
	uint32_t n, in; /* in: the last gap or operation counted */
	struct wl_peak peak[WL_N_PEAKS];
};

struct booking {
	const struct wl_ledger_sources *from;
	uint32_t device;
	struct wl_interval window;
	struct wl_iter_pieces pieces;
	struct wl_tile *tile;
	size_t n_tiles;
	const uint32_t *tile_of; /* by piece */
	const bool *computes;    /* by stream: it has a compute kernel in the window */
	size_t n_before;         /* pieces before the first iteration */
	uint32_t serial;         /* of the gap or operation being booked */
	wl_ns gap;               /* start of the gap being booked */
	size_t at;               /* the piece of the last loss; each pass begins with 0 */
	struct wl_intern keys;
	struct wl_vec sums;  /* struct sum, by key */
	struct visit *visit; /* NULL while losses are booked */
};

/* A visit of a lane that was filled. */
struct visit {
	const struct wl_ledger_lane *lane;
	struct wl_vec *atom; /* uint32_t, by key */
	const struct wl_gap *gap;
	wl_lost_fn *take;
	void *ctx;
};

/*
 * An atom is all loss in one tile with the same evidence. The number of atoms is bounded by tiles
 * times kinds of evidence, not by gaps.
 */
static uint32_t number_of(struct booking *b, struct wl_atom_key *key)
{
	key->tile = b->tile_of[b->at];
	key->flags |= b->at < b->n_before ? WL_LOST_BEFORE : 0;
	return wl_intern_put(&b->keys, key);
}

/* length: the part of the loss that lies in the piece at b->at. */
static void add(struct booking *b, struct wl_atom_key key, wl_ns length, wl_ns whole)
{
	uint32_t i = number_of(b, &key);
	struct sum *sum;

	if (i == b->sums.n)
		wl_vec_push(&b->sums, &(struct sum){ .ns = 0 });
	if (i == WL_NONE || b->sums.failed) {
		b->sums.failed = true;
		return;
	}
	sum = (struct sum *)b->sums.data + i;
	sum->ns += length;
	/* A gap with several parts of one kind, or an operation in several pieces, counts once. */
	sum->n += sum->in != b->serial;
	sum->in = b->serial;
	if (key.loss < WL_N_CAUSES)
		wl_peak_add(sum->peak, b->gap, length);
	sum->longest = whole > sum->longest ? whole : sum->longest;
	b->tile[key.tile].loss[key.loss] += length;
}

/* Absent texts come first. */
static int compare_text(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return a == b ? 0 : strcmp(a, b);
}

static bool comes_before(const struct wl_atom_key *a, const struct wl_atom_key *b)
{
	int by_text;

	if (a->tile != b->tile)
		return a->tile < b->tile;
	if (a->loss != b->loss)
		return a->loss < b->loss;
	by_text = compare_text(a->detail, b->detail);
	if (by_text == 0)
		by_text = compare_text(a->stage, b->stage);
	if (by_text == 0)
		by_text = compare_text(a->opener, b->opener);
	if (by_text == 0)
		by_text = compare_text(a->opener_range, b->opener_range);
	/* Texts are compared rather than pointers to make the order the same in every run. */
	return by_text != 0 ? by_text < 0 : a->flags < b->flags;
}

static bool key_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_atom_key *key = ctx;

	return comes_before(&key[a], &key[b]);
}

struct sought {
	const struct wl_atom *atom;
	const struct wl_atom_key *key;
};

static bool is_before(const void *ctx, size_t i)
{
	const struct sought *s = ctx;
	const struct wl_atom *a = &s->atom[i];
	const struct wl_atom_key key = { .detail = a->detail,
					 .stage = a->stage,
					 .opener = a->opener,
					 .opener_range = a->opener_range,
					 .tile = a->tile,
					 .flags = a->flags,
					 .loss = a->loss,
					 .copy = a->copy };

	return comes_before(&key, s->key);
}

/* Each key was booked and therefore belongs to an atom. */
static void show(struct booking *b, struct wl_atom_key key, wl_ns begin, wl_ns end)
{
	const struct visit *v = b->visit;
	uint32_t i = number_of(b, &key), atom;

	if (i == v->atom->n) {
		atom = (uint32_t)wl_lower_bound(v->lane->n_atoms, is_before,
						&(struct sought){ v->lane->atom, &key });
		wl_vec_push(v->atom, &atom);
	}
	if (i == WL_NONE || v->atom->failed)
		v->atom->failed = true;
	else
		v->take(v->ctx, v->gap, ((const uint32_t *)v->atom->data)[i], begin, end);
}

/* Losses of a pass come in order of their start, so the pieces are walked once. */
static void book(struct booking *b, struct wl_atom_key key, wl_ns begin, wl_ns end, wl_ns whole)
{
	begin = begin > b->window.begin ? begin : b->window.begin;
	end = end < b->window.end ? end : b->window.end;
	while (begin < end) {
		wl_ns next;

		/* Pieces fill the window and begin is inside it, so the piece exists. */
		while (b->pieces.at[b->at].end <= begin)
			b->at++;
		next = b->pieces.at[b->at].end < end ? b->pieces.at[b->at].end : end;
		if (b->visit)
			show(b, key, begin, next);
		else
			add(b, key, next - begin, whole);
		begin = next;
	}
}

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	struct booking *b = ctx;
	struct wl_atom_key whole;

	whole = wl_gap_key(b->from, gap);
	b->serial++;
	b->gap = gap->begin;
	if (b->visit)
		b->visit->gap = gap;
	for (size_t i = 0; i < gap->n_parts; i++) {
		const struct wl_gap_part *p = &gap->part[i];
		struct wl_atom_key key = whole;

		key.detail = p->detail;
		key.loss = (uint8_t)p->cause;
		if (wl_is_long_call(p))
			key.flags |= WL_LOST_IN_LONG;
		if (wl_is_asleep(b->from, gap, p))
			key.flags |= WL_LOST_ASLEEP;
		/* Equal range labels share one pointer. */
		if (key.opener && p->cause == WL_CAUSE_HOST && p->detail == gap->opener_range)
			key.flags |= WL_LOST_IN_SAME;
		book(b, key, p->begin, p->end, p->whole ? p->whole : p->end - p->begin);
	}
}

/* Book idle time by cause, and the time before the device's first and after its last operation. */
static bool book_idle(struct booking *b, struct wl_arena *arena)
{
	const struct wl_atom_key unused = { .loss = WL_CAUSE_UNUSED };
	const struct wl_activity *activity = &b->from->activity[b->device];
	struct wl_interval used = b->window;

	b->at = 0;
	/* Usually the window lies between the first and the last operation. */
	if ((activity->n == 0 || activity->begin[0] > b->window.begin ||
	     activity->begin[activity->n] < b->window.end) &&
	    !wl_device_extent(b->from->trace, b->from->scope, b->device, &used)) {
		book(b, unused, b->window.begin, b->window.end, 0);
		return true;
	}
	book(b, unused, b->window.begin, used.begin, 0);
	/*
	 * The three passes are in order of time: before the first operation, between, after the
	 * last.
	 */
	if (!wl_idle_visit(b->from->idle, b->from->scope, b->device, arena,
			   &(struct wl_gap_visitor){ .take = take_gap,
						     .ctx = b,
						     .activity = activity,
						     .window = b->window }))
		return false;
	book(b, unused, used.end, b->window.end, 0);
	return true;
}

/* The exposed time of one class. The pieces of one operation are consecutive and share a key. */
struct exposed {
	struct booking *booking;
	enum wl_class class;
	struct wl_atom_key key;
	struct wl_op of; /* the operation that the key is for */
	bool has_key;
};

static void book_piece(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end)
{
	struct exposed *x = ctx;

	if (!x->has_key || x->of.kind != op->kind || x->of.row != op->row) {
		x->key = wl_exposed_key(x->booking->from, op, x->class, x->booking->computes);
		x->of = *op;
		x->has_key = true;
		x->booking->serial++;
	}
	book(x->booking, x->key, begin, end, end - begin);
}

static void book_exposed(struct booking *b, enum wl_class class, unsigned by)
{
	const struct wl_exposed_question q = { .trace = b->from->trace,
					       .scope = b->from->scope,
					       .classes = b->from->classes,
					       .device = b->device,
					       .class = class,
					       .activity = &b->from->activity[b->device],
					       .hides = by,
					       .from = b->window.begin,
					       .until = b->window.end };
	struct exposed x = { .booking = b, .class = class };

	b->at = 0;
	wl_exposed_visit(&q, book_piece, &x);
}

/* Operations of a device are in order of start. */
static void count_kernel(struct booking *b, wl_ns start)
{
	while (b->at + 1 < b->pieces.n && b->pieces.at[b->at].end <= start)
		b->at++;
	if (b->pieces.n)
		b->tile[b->tile_of[b->at]].n_kernels++;
}

/* Go over all kernels once: count them per tile and find the streams that compute. */
static bool look_at_kernels(struct booking *b, struct wl_arena *arena)
{
	const struct wl_ledger_sources *from = b->from;
	const struct wl_ops ops = wl_trace_ops(from->trace, WL_F_KERNELS);
	/* Operations that start earlier are over when the window begins. */
	wl_ns resumed = wl_activity_resumed(&from->activity[b->device], b->window.begin);
	bool *computes = WL_NEW(arena, bool, from->basis.streams.n);
	size_t lo, hi;

	if (!computes)
		return false;
	wl_ops_on_device(from->trace, &ops, b->device, &lo, &hi);
	/* Without rows, the column may be missing. */
	if (!from->scope->whole && lo < hi)
		lo += WL_BELOW(ops.start + lo, hi - lo, resumed);
	b->at = 0;
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		/* Kernels of a device are in order of start. */
		if (!from->scope->whole && ops.start[i] >= b->window.end)
			break;
		if (!wl_op_clip(from->trace, from->scope, &ops, i, &start, &end))
			continue;
		count_kernel(b, start);
		if (wl_class_of(from->trace, from->classes, WL_F_KERNELS, i) == WL_COMPUTE)
			computes[from->basis.streams.of_place[ops.place[i]]] = true;
	}
	b->computes = computes;
	return true;
}

/* Cut a window without iterations at the end of a warm-up. */
static bool cut_warm_up(struct booking *b, wl_ns end, struct wl_arena *arena)
{
	struct wl_interval *at = WL_NEW(arena, struct wl_interval, 2);
	uint32_t *iter = WL_NEW(arena, uint32_t, 2);

	if (!at || !iter)
		return false;
	at[0] = (struct wl_interval){ b->window.begin, end };
	at[1] = (struct wl_interval){ end, b->window.end };
	iter[0] = iter[1] = WL_NONE;
	b->pieces = (struct wl_iter_pieces){ .at = at, .iter = iter, .n = 2 };
	return true;
}

static bool cut(struct booking *b, const struct wl_process_iters *iters,
		const struct wl_warm_up *warm_up, struct wl_arena *arena)
{
	if (!wl_iter_cut(iters, b->window, arena, &b->pieces))
		return false;
	if (!warm_up || warm_up->end <= b->window.begin)
		return true;
	b->n_before = 1;
	return warm_up->end >= b->window.end || cut_warm_up(b, warm_up->end, arena);
}

/* Pieces outside iterations form one tile, the last. */
static bool make_tiles(struct booking *b, const struct wl_process_iters *iters,
		       struct wl_arena *arena, struct wl_arena *scratch)
{
	struct wl_tile *tile;
	uint32_t *tile_of;
	size_t n = 0, rest;

	/* One tile for each iteration, and one for the rest. */
	tile = WL_NEW(arena, struct wl_tile, b->pieces.n + 1);
	tile_of = WL_NEW(scratch, uint32_t, b->pieces.n);
	if (!tile || !tile_of)
		return false;
	for (size_t i = 0; i < b->pieces.n; i++)
		n += b->pieces.iter[i] != WL_NONE;
	rest = n;
	tile[rest] =
		(struct wl_tile){ .iter = WL_NONE, .begin = b->window.begin, .end = b->window.end };
	while (n > 0 && b->pieces.iter[b->n_before] == WL_NONE)
		b->n_before++;
	n = 0;
	for (size_t i = 0; i < b->pieces.n; i++) {
		struct wl_interval at = b->pieces.at[i];
		uint32_t iter = b->pieces.iter[i];

		tile_of[i] = (uint32_t)(iter == WL_NONE ? rest : n);
		if (iter == WL_NONE) {
			tile[rest].length += at.end - at.begin;
			continue;
		}
		tile[n++] = (struct wl_tile){
			.iter = iter,
			.is_whole = iters->at && !iters->at[iter].is_last &&
				    at.begin == iters->at[iter].tile.begin &&
				    at.end == iters->at[iter].tile.end,
			.begin = at.begin,
			.end = at.end,
			.length = at.end - at.begin,
		};
	}
	b->tile = tile;
	b->n_tiles = rest + (tile[rest].length > 0 || rest == 0);
	b->tile_of = tile_of;
	return true;
}

static bool put_busy(struct booking *b, struct wl_arena *scratch)
{
	struct wl_usage *usage = WL_NEW(scratch, struct wl_usage, b->pieces.n);

	if (!usage)
		return false;
	wl_sweep_times(&b->from->activity[b->device], b->pieces.at, b->pieces.n, usage);
	for (size_t i = 0; i < b->pieces.n; i++) {
		struct wl_tile *tile = &b->tile[b->tile_of[i]];

		tile->compute += wl_usage_any(&usage[i], WL_ON_COMPUTE);
		tile->copies += wl_usage_any(&usage[i], WL_ON_COPY);
	}
	return true;
}

static bool keep_atoms(const struct booking *b, struct wl_ledger_lane *lane, struct wl_arena *arena,
		       struct wl_arena *scratch)
{
	const struct wl_atom_key *key = b->keys.items.data;
	const struct sum *sum = b->sums.data;
	size_t n = b->keys.items.n;
	struct wl_atom *atom = WL_NEW(arena, struct wl_atom, n);
	uint32_t *order = WL_NEW(scratch, uint32_t, 2 * n);

	if (!atom || !order)
		return false;
	wl_sort_all(order, n, key_less, key);
	for (size_t i = 0; i < n; i++) {
		const struct wl_atom_key *k = &key[order[i]];
		const struct sum *of = &sum[order[i]];

		atom[i] = (struct wl_atom){ .tile = k->tile,
					    .loss = k->loss,
					    .flags = k->flags,
					    .copy = k->copy,
					    .n = of->n,
					    .detail = k->detail,
					    .stage = k->stage,
					    .opener = k->opener,
					    .opener_range = k->opener_range,
					    .ns = of->ns,
					    .longest = of->longest };
		memcpy(atom[i].peak, of->peak, sizeof(of->peak));
	}
	lane->atom = atom;
	lane->n_atoms = n;
	lane->tile = b->tile;
	lane->n_tiles = b->n_tiles;
	return true;
}

static bool fill(struct booking *b, const struct wl_process_iters *iters,
		 const struct wl_warm_up *warm_up, struct wl_arena *arena, struct wl_arena *scratch)
{
	if (!cut(b, iters, warm_up, scratch) || !make_tiles(b, iters, arena, scratch) ||
	    !look_at_kernels(b, scratch) || !put_busy(b, scratch) || !book_idle(b, scratch))
		return false;
	/*
	 * Compute, exposed communication, exposed copies and idle time are disjoint and fill each
	 * tile: the parts of a tile add up to its length.
	 */
	book_exposed(b, WL_COMM, WL_ON_COMPUTE);
	book_exposed(b, WL_COPY, WL_ON_COMPUTE | WL_ON_COMM);
	return !b->sums.failed;
}

static const struct wl_process_iters *iters_of(const struct wl_ledger_sources *from,
					       const struct wl_ledger_lane *lane)
{
	static const struct wl_process_iters none = { .n = 0 };

	return lane->process == WL_NONE ? &none : &from->iterations->process[lane->process];
}

bool wl_ledger_lane_fill(const struct wl_ledger_sources *from, struct wl_ledger_lane *lane,
			 struct wl_arena *arena)
{
	struct booking b = { .from = from,
			     .device = lane->device,
			     .window = from->scope->device[lane->device] };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	wl_intern_init(&b.keys, sizeof(struct wl_atom_key), wl_arena_budget(arena));
	wl_vec_init(&b.sums, sizeof(struct sum), wl_arena_budget(arena));
	ok = fill(&b, iters_of(from, lane), lane->warm_up, arena, &scratch) &&
	     keep_atoms(&b, lane, arena, &scratch);
	wl_vec_release(&b.sums);
	wl_intern_release(&b.keys);
	wl_arena_release(&scratch);
	return ok;
}

bool wl_ledger_visit(const struct wl_ledger *ledger, const struct wl_ledger_lane *lane,
		     struct wl_arena *arena, wl_lost_fn *take, void *ctx)
{
	const struct wl_ledger_sources *from = ledger->from;
	const struct wl_process_iters *iters = iters_of(from, lane);
	struct wl_vec atoms;
	struct visit v = { .lane = lane, .atom = &atoms, .take = take, .ctx = ctx };
	struct booking b = { .from = from,
			     .device = lane->device,
			     .window = from->scope->device[lane->device],
			     .visit = &v };
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	wl_intern_init(&b.keys, sizeof(struct wl_atom_key), wl_arena_budget(arena));
	wl_vec_init(&atoms, sizeof(uint32_t), wl_arena_budget(arena));
	ok = cut(&b, iters, lane->warm_up, &scratch) && make_tiles(&b, iters, &scratch, &scratch) &&
	     wl_idle_visit(from->idle, from->scope, lane->device, &scratch,
			   &(struct wl_gap_visitor){ .take = take_gap,
						     .ctx = &b,
						     .activity = &from->activity[lane->device],
						     .window = b.window }) &&
	     !atoms.failed;
	wl_vec_release(&atoms);
	wl_intern_release(&b.keys);
	wl_arena_release(&scratch);
	return ok;
}

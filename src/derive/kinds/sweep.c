/* SPDX-License-Identifier: MIT */
#include "derive/kinds/sweep.h"

#include "base/sort.h"
#include "derive/rows/ops.h"

/* One per class, and one for kernels of either class. */
enum { N_TRACKS = WL_N_CLASSES + 1 };

/*
 * Operations come in order of start, so each class is under way until the latest
 * end seen so far: one number per class is all the state a union needs.
 */
struct sweep {
	wl_ns now;
	wl_ns until[N_TRACKS];
	const struct wl_interval *tiles; /* not yet left behind */
	size_t n_tiles;
	struct wl_usage *usage; /* of the first of them; NULL when only covered time is asked for */
	bool counts_all;        /* one tile, and nothing is clipped: also what starts at its end */
	unsigned wanted;        /* for covered time */
	wl_ns covered;
	const wl_ns *times; /* questions not answered yet */
	size_t n_times;
	wl_ns *answers;
};

static unsigned mask_now(const struct sweep *s)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < N_TRACKS; i++)
		mask |= s->until[i] > s->now ? 1U << i : 0;
	return mask;
}

static void answer(struct sweep *s, wl_ns upto, bool is_covered)
{
	while (s->n_times && *s->times <= upto) {
		/* A question before the sweep's begin is answered as of that. */
		wl_ns at = *s->times > s->now ? *s->times : s->now;

		*s->answers++ = s->covered + (is_covered ? at - s->now : 0);
		s->times++;
		s->n_times--;
	}
}

/* The sums of the tile that now lies in, or NULL; *next is moved to where that changes. */
static struct wl_usage *usage_now(struct sweep *s, wl_ns *next)
{
	while (s->n_tiles && s->tiles->end <= s->now) {
		s->tiles++;
		s->n_tiles--;
		s->usage++;
	}
	if (s->n_tiles == 0)
		return NULL;
	if (s->tiles->begin > s->now) {
		*next = s->tiles->begin < *next ? s->tiles->begin : *next;
		return NULL;
	}
	*next = s->tiles->end < *next ? s->tiles->end : *next;
	return s->usage;
}

/* Move on to a later time, stopping wherever a class or a tile ends. */
static void advance(struct sweep *s, wl_ns to)
{
	while (s->now < to) {
		unsigned mask = mask_now(s);
		wl_ns next = to;
		struct wl_usage *usage = s->usage ? usage_now(s, &next) : NULL;

		for (unsigned i = 0; i < N_TRACKS; i++) {
			if (s->until[i] > s->now && s->until[i] < next)
				next = s->until[i];
		}
		if (usage)
			usage->ns[mask] += next - s->now;
		answer(s, next, (mask & s->wanted) != 0);
		s->covered += (mask & s->wanted) != 0 ? next - s->now : 0;
		s->now = next;
	}
}

struct searched {
	const struct wl_interval *tiles;
	wl_ns t;
};

static bool begins_before(const void *ctx, size_t i)
{
	const struct searched *w = ctx;

	return w->tiles[i].begin < w->t;
}

/* What an operation adds to the counts, noted where it begins and taken back after its end. */
static void count(struct wl_usage *u, enum wl_family_id family, enum wl_class class, size_t by)
{
	u->n_ops += by;
	u->n_graphs += family == WL_F_GRAPHS ? by : 0;
	u->n_comm += class == WL_COMM && family == WL_F_KERNELS ? by : 0;
}

/*
 * The tiles that an operation touches are neighbours, so its first tile counts
 * one up and the one after its last counts one down; summing up gives the counts.
 */
static void count_tiles(const struct sweep *s, const struct wl_op *op, enum wl_class class)
{
	size_t lo = 0, hi;

	/*
	 * advance() has dropped the tiles before now, so that this walks over few; the end is
	 * searched, because a long operation may touch many.
	 */
	while (lo < s->n_tiles && s->tiles[lo].end <= op->start)
		lo++;
	hi = lo + wl_lower_bound(s->n_tiles - lo, begins_before,
				 &(struct searched){ s->tiles + lo,
						     op->end > op->start ? op->end : op->end + 1 });
	if (hi == lo)
		return;
	count(&s->usage[lo], op->family, class, 1);
	/*
	 * Unsigned arithmetic wraps, so adding SIZE_MAX subtracts one. The sums over tiles are
	 * never negative.
	 */
	if (hi < s->n_tiles)
		count(&s->usage[hi], op->family, class, SIZE_MAX);
}

static void take(struct sweep *s, const struct wl_op *op, enum wl_class class)
{
	advance(s, op->start);
	if (s->counts_all)
		count(s->usage, op->family, class, 1);
	else if (s->usage)
		count_tiles(s, op, class);
	if (s->until[class] < op->end)
		s->until[class] = op->end;
	if (op->family == WL_F_KERNELS && s->until[WL_N_CLASSES] < op->end)
		s->until[WL_N_CLASSES] = op->end;
}

static void run(struct sweep *s, const struct wl_trace *t, const struct wl_scope *scope,
		const struct wl_classes *classes, uint32_t device, struct wl_interval over)
{
	struct wl_op_cursor cursor;
	struct wl_op op;

	s->now = over.begin;
	for (unsigned i = 0; i < N_TRACKS; i++)
		s->until[i] = over.begin;
	wl_ops_begin(t, device, &cursor);
	/* Operations are in order of start: none behind the end can matter. */
	while (wl_ops_next(&cursor, &op) && (s->counts_all || op.start < over.end)) {
		if (scope->place_on[op.place] &&
		    wl_clip(scope, scope->device[device], &op.start, &op.end))
			take(s, &op, wl_class_of(t, classes, op.family, op.row));
	}
	advance(s, over.end);
	/* Times behind the end get all that is covered. */
	answer(s, INT64_MAX, false);
}

/* All of over, tile by tile; usage has one element per tile. */
static void account(struct sweep *s, const struct wl_trace *t, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device)
{
	struct wl_usage *usage = s->usage;
	size_t n = s->n_tiles;

	for (size_t i = 0; i < n; i++)
		usage[i] = (struct wl_usage){ .n_ops = 0 };
	if (n == 0)
		return;
	run(s, t, scope, classes, device,
	    (struct wl_interval){ s->tiles[0].begin, s->tiles[n - 1].end });
	for (size_t i = 1; i < n; i++) {
		usage[i].n_ops += usage[i - 1].n_ops;
		usage[i].n_graphs += usage[i - 1].n_graphs;
		usage[i].n_comm += usage[i - 1].n_comm;
	}
}

void wl_sweep_usage(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device, struct wl_usage *ret)
{
	struct sweep s = { .tiles = &scope->device[device],
			   .n_tiles = 1,
			   .usage = ret,
			   .counts_all = scope->whole };

	account(&s, trace, scope, classes, device);
}

void wl_sweep_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		    const struct wl_classes *classes, uint32_t device,
		    const struct wl_interval *tiles, size_t n, struct wl_usage *ret)
{
	struct sweep s = { .tiles = tiles, .n_tiles = n, .usage = ret };

	account(&s, trace, scope, classes, device);
}

void wl_sweep_covered(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, uint32_t device, unsigned wanted,
		      const wl_ns *times, size_t n, wl_ns *ret_covered)
{
	struct sweep s = { .wanted = wanted, .times = times, .n_times = n };

	s.answers = ret_covered;
	run(&s, trace, scope, classes, device, scope->device[device]);
}

wl_ns wl_usage_any(const struct wl_usage *usage, unsigned wanted)
{
	return wl_usage_without(usage, wanted, 0);
}

wl_ns wl_usage_without(const struct wl_usage *usage, unsigned wanted, unsigned without)
{
	wl_ns sum = 0;

	for (unsigned mask = 0; mask < WL_N_MASKS; mask++) {
		if ((mask & wanted) && !(mask & without))
			sum += usage->ns[mask];
	}
	return sum;
}

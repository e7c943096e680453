/* SPDX-License-Identifier: MIT */
/*
 * Operations come in order of start. An operation's addition to the union of its group and class
 * therefore begins at the latest end of the group's earlier ones, and the exposed length of the
 * union is the sum of the exposed lengths of these additions.
 */
#include "derive/exposed/exposure.h"

#include "base/memory/bound.h"
#include "base/memory/vec.h"
#include "derive/rows/stats.h"

/* A group during the pass. */
struct group {
	struct wl_exposure sum;
	wl_ns until[WL_N_CLASSES];
};

static const struct group no_group = { .until = { INT64_MIN, INT64_MIN, INT64_MIN } };

/* The activity on the device that hides something. */
struct hiding {
	struct wl_intervals compute, compute_or_comm;
};

static bool next_admitted(const struct wl_scope *scope, uint32_t device,
			  struct wl_op_cursor *cursor, struct wl_op *op)
{
	while (wl_ops_next(cursor, op)) {
		/* Operations come in order of start. */
		if (!scope->whole && op->start >= scope->device[device].end)
			return false;
		if (scope->place_on[op->place] &&
		    wl_clip(scope, scope->device[device], &op->start, &op->end))
			return true;
	}
	return false;
}

/* The part of [begin, end) that the set does not cover. */
static wl_ns bare(const struct wl_intervals *set, wl_ns begin, wl_ns end)
{
	return begin < end ? end - begin - wl_intervals_covered(set, begin, end) : 0;
}

static void add_overlap(struct wl_comm_parts *p, wl_ns exposed, wl_ns length)
{
	/* length > 0: the caller leaves out operations of zero length. */
	double overlap = (double)(length - exposed) / (double)length;

	if (!p->has_overlap || overlap < p->overlap_min)
		p->overlap_min = overlap;
	if (!p->has_overlap || overlap > p->overlap_max)
		p->overlap_max = overlap;
	p->has_overlap = true;
}

/* n times a length > 0, or INT64_MAX on overflow. */
static wl_ns times(wl_ns length, size_t n)
{
	return n > (size_t)(INT64_MAX / length) ? INT64_MAX : length * (wl_ns)n;
}

/* Add a part that occurs n times. */
static void add_part(struct wl_comm_parts *p, wl_ns exposed, wl_ns length, size_t n)
{
	if (length == 0)
		return;
	add_overlap(p, exposed, length);
	p->sum = wl_add_up(p->sum, times(length, n));
	p->exposed_sum = wl_add_up(p->exposed_sum, exposed ? times(exposed, n) : 0);
}

static void add_operation(struct group *g, const struct hiding *by, const struct wl_op *op,
			  enum wl_class class)
{
	wl_ns from = op->start > g->until[class] ? op->start : g->until[class];
	wl_ns fresh = op->end > from ? op->end - from : 0;
	struct wl_exposure *s = &g->sum;

	s->n_ops++;
	s->n_graphs += op->family == WL_F_GRAPHS;
	if (class == WL_COMPUTE) {
		s->compute += fresh;
	} else if (class == WL_COPY) {
		s->copy += fresh;
		s->exposed_copy += bare(&by->compute_or_comm, from, op->end);
	} else {
		s->n_comm++;
		s->n_comm_kernels += op->family == WL_F_KERNELS;
		s->comm += fresh;
		/*
		 * Only the part that is new to the union counts here; add_part() takes the whole
		 * operation, as needed for the per-operation columns.
		 */
		s->exposed += bare(&by->compute, from, op->end);
		add_part(&s->parts, bare(&by->compute, op->start, op->end), op->end - op->start, 1);
	}
	if (g->until[class] < op->end)
		g->until[class] = op->end;
}

/* The group with this number, created if needed; NULL when memory is exhausted. */
static struct group *get_group(struct wl_vec *groups, uint32_t number)
{
	size_t n = groups->n;

	if (number >= n) {
		struct group *fresh = wl_vec_extend(groups, (size_t)number + 1 - n);

		for (size_t i = n; fresh && i <= number; i++)
			*fresh++ = no_group;
	}
	return groups->failed ? NULL : (struct group *)groups->data + number;
}

static bool copy_groups(const struct wl_vec *groups, struct wl_arena *arena,
			struct wl_exposures *ret)
{
	const struct group *from = groups->data;
	struct wl_exposure *to = WL_NEW(arena, struct wl_exposure, groups->n);

	for (size_t i = 0; to && i < groups->n; i++)
		to[i] = from[i].sum;
	ret->n = groups->n;
	ret->group = to;
	return to != NULL;
}

/* Ignores which streams the scope admits: compute on one stream hides communication on another. */
static bool hiding_find(const struct wl_activity *all, const struct wl_scope *scope,
			struct wl_arena *arena, struct hiding *ret)
{
	/* Operations are clipped to the window, so the activity that hides them may be clipped
	 * too. */
	const struct wl_interval *window = scope->whole ? NULL : &scope->device[all->device];

	return wl_activity_intervals(all, WL_ON_COMPUTE, window, arena, &ret->compute) &&
	       wl_activity_intervals(all, WL_ON_COMPUTE | WL_ON_COMM, window, arena,
				     &ret->compute_or_comm);
}

bool wl_exposure_find(const struct wl_trace *trace, const struct wl_scope *scope,
		      const struct wl_classes *classes, const struct wl_activity *all,
		      wl_group_of *group_of, void *ctx, struct wl_arena *arena,
		      struct wl_exposures *ret)
{
	struct group device = no_group;
	struct wl_op_cursor cursor;
	struct wl_arena scratch;
	struct hiding by;
	struct wl_vec groups;
	struct wl_op op;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&groups, sizeof(struct group), wl_arena_budget(arena));
	ok = hiding_find(all, scope, &scratch, &by);
	wl_ops_begin(trace, all->device, &cursor);
	if (!scope->whole)
		wl_ops_skip(&cursor, wl_activity_resumed(all, scope->device[all->device].begin));
	while (ok && next_admitted(scope, all->device, &cursor, &op)) {
		enum wl_class class = wl_class_of(trace, classes, op.family, op.row);
		uint32_t number = group_of ? group_of(ctx, &op) : WL_NO_GROUP;
		struct group *g = NULL;

		/*
		 * The device is a group of all operations. Its unions are not the sums of the
		 * groups' unions, because groups may overlap.
		 */
		add_operation(&device, &by, &op, class);
		if (number == WL_NO_GROUP)
			continue;
		ok = number != WL_GROUP_FAIL && (g = get_group(&groups, number)) != NULL;
		if (ok)
			add_operation(g, &by, &op, class);
	}
	ret->device = device.sum;
	ok = ok && copy_groups(&groups, arena, ret);
	wl_vec_release(&groups);
	wl_arena_release(&scratch);
	return ok;
}

void wl_exposure_of_comm(const struct wl_intervals *compute, const struct wl_interval *ops,
			 size_t n, struct wl_exposure *ret)
{
	const struct hiding by = { .compute = *compute };
	struct group g = no_group;

	for (size_t i = 0; i < n; i++) {
		const struct wl_op op = { .family = WL_F_KERNELS,
					  .start = ops[i].begin,
					  .end = ops[i].end };

		add_operation(&g, &by, &op, WL_COMM);
	}
	*ret = g.sum;
}

/* The part of an operation in one tile. */
static void add_to_tile(struct wl_comm_parts *p, const struct wl_intervals *compute,
			struct wl_interval tile, const struct wl_op *op)
{
	wl_ns begin = op->start > tile.begin ? op->start : tile.begin;
	wl_ns end = op->end < tile.end ? op->end : tile.end;

	if (begin < end)
		add_part(p, bare(compute, begin, end), end - begin, 1);
}

/*
 * An operation can cover only its first and last tile in part. It fills all tiles between them, so
 * counting how many operations fill each tile is enough.
 */
bool wl_exposure_tiles(const struct wl_trace *trace, const struct wl_scope *scope,
		       const struct wl_classes *classes, uint32_t device,
		       const struct wl_intervals *compute, const struct wl_interval *tiles,
		       size_t n, struct wl_arena *arena, struct wl_comm_parts *ret)
{
	size_t *begun = WL_NEW(arena, size_t, n + 1), *ended = WL_NEW(arena, size_t, n + 1);
	struct wl_op_cursor cursor;
	struct wl_op op;
	size_t lo = 0, filling = 0;

	if (!begun || !ended)
		return false;
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct wl_comm_parts){ .sum = 0 };
	wl_ops_begin(trace, device, &cursor);
	while (next_admitted(scope, device, &cursor, &op)) {
		size_t hi;

		if (wl_class_of(trace, classes, op.family, op.row) != WL_COMM)
			continue;
		/* Operations come in order of start, so the first tile never moves back. */
		while (lo < n && tiles[lo].end <= op.start)
			lo++;
		hi = lo + WL_BELOW_BY(wl_interval, begin, tiles + lo, n - lo, op.end);
		if (hi == lo)
			continue;
		add_to_tile(&ret[lo], compute, tiles[lo], &op);
		if (hi - lo == 1)
			continue;
		add_to_tile(&ret[hi - 1], compute, tiles[hi - 1], &op);
		begun[lo + 1]++;
		ended[hi - 1]++;
	}
	for (size_t i = 0; i < n; i++) {
		filling += begun[i];
		filling -= ended[i];
		if (filling)
			add_part(&ret[i], bare(compute, tiles[i].begin, tiles[i].end),
				 tiles[i].end - tiles[i].begin, filling);
	}
	return true;
}

void wl_comm_parts_join(struct wl_comm_parts *a, const struct wl_comm_parts *b)
{
	a->sum = wl_add_up(a->sum, b->sum);
	a->exposed_sum = wl_add_up(a->exposed_sum, b->exposed_sum);
	if (b->has_overlap && (!a->has_overlap || b->overlap_min < a->overlap_min))
		a->overlap_min = b->overlap_min;
	if (b->has_overlap && (!a->has_overlap || b->overlap_max > a->overlap_max))
		a->overlap_max = b->overlap_max;
	a->has_overlap = a->has_overlap || b->has_overlap;
}

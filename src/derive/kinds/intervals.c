/* SPDX-License-Identifier: MIT */
#include "derive/kinds/intervals.h"

#include "base/memory/bound.h"
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/rows/ops.h"

/* A set under construction; if at is NULL, intervals are only counted. */
struct building {
	struct wl_interval *at;
	size_t n;
	struct wl_interval last; /* not yet written; empty at first */
};

static void put_last(struct building *b)
{
	if (b->last.begin >= b->last.end)
		return;
	if (b->at)
		b->at[b->n] = b->last;
	b->n++;
}

/* Intervals are added in order of their start. */
static void add(struct building *b, wl_ns begin, wl_ns end)
{
	if (begin >= end)
		return;
	/* Intervals that touch are merged: no two neighbours of a set share an end. */
	if (b->last.begin < b->last.end && begin <= b->last.end) {
		b->last.end = end > b->last.end ? end : b->last.end;
		return;
	}
	put_last(b);
	b->last = (struct wl_interval){ begin, end };
}

/* Fills a set; called twice, to count and to write. */
typedef void source_fn(const void *ctx, struct building *b);

/*
 * Two passes instead of a vector: sets often have a thousandth as many entries as there are
 * operations, and the arena allocates exactly what is needed.
 */
static bool build(source_fn *source, const void *ctx, struct wl_arena *arena,
		  struct wl_intervals *ret)
{
	struct building count = { .n = 0 }, fill = { .n = 0 };
	wl_ns *before;

	source(ctx, &count);
	put_last(&count);
	fill.at = WL_NEW(arena, struct wl_interval, count.n);
	before = WL_NEW(arena, wl_ns, count.n + 1);
	if (!fill.at || !before)
		return false;
	source(ctx, &fill);
	put_last(&fill);
	/*
	 * Prefix sums allow any stretch to be measured with two searches. Intervals are disjoint,
	 * so the sum fits the range of times.
	 */
	for (size_t i = 0; i < fill.n; i++)
		before[i + 1] = before[i] + (fill.at[i].end - fill.at[i].begin);
	*ret = (struct wl_intervals){ fill.n, fill.at, before };
	return true;
}

/* The number of intervals that end by t, known to be at least `from`. Logarithmic in the
 * difference. */
static size_t count_ended(const struct wl_intervals *set, size_t from, wl_ns t)
{
	size_t step = 1;

	while (step <= set->n - from && set->at[from + step - 1].end <= t) {
		from += step;
		step *= 2;
	}
	step = step < set->n - from ? step : set->n - from;
	return from + WL_UPTO_BY(wl_interval, end, set->at + from, step, t);
}

/* The covered time before t, given that n intervals end by t. */
static wl_ns covered_before(const struct wl_intervals *set, size_t n, wl_ns t)
{
	return set->before[n] + (n < set->n && set->at[n].begin < t ? t - set->at[n].begin : 0);
}

wl_ns wl_intervals_covered(const struct wl_intervals *set, wl_ns begin, wl_ns end)
{
	size_t at_begin;

	if (begin >= end)
		return 0;
	at_begin = WL_UPTO_BY(wl_interval, end, set->at, set->n, begin);
	return covered_before(set, count_ended(set, at_begin, end), end) -
	       covered_before(set, at_begin, begin);
}

struct list {
	const struct wl_interval *at;
	size_t n;
};

static void from_list(const void *ctx, struct building *b)
{
	const struct list *l = ctx;

	for (size_t i = 0; i < l->n; i++)
		add(b, l->at[i].begin, l->at[i].end);
}

bool wl_intervals_union(const struct wl_interval *list, size_t n, struct wl_arena *arena,
			struct wl_intervals *ret)
{
	return build(from_list, &(struct list){ list, n }, arena, ret);
}

WL_LESS_BY(begin_less, wl_interval, begin)

struct wl_interval *wl_intervals_sort(const struct wl_interval *list, size_t n,
				      struct wl_arena *arena)
{
	struct wl_interval *sorted = WL_NEW(arena, struct wl_interval, n);
	struct wl_arena scratch;
	uint32_t *order;

	wl_arena_init_child(&scratch, arena);
	order = sorted ? WL_NEW(&scratch, uint32_t, 2 * n) : NULL;
	if (order)
		wl_sort_all(order, n, begin_less, list);
	for (size_t i = 0; order && i < n; i++)
		sorted[i] = list[order[i]];
	wl_arena_release(&scratch);
	return order ? sorted : NULL;
}

bool wl_intervals_unite(const struct wl_interval *list, size_t n, struct wl_arena *arena,
			struct wl_intervals *ret)
{
	const struct wl_interval *sorted;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	sorted = wl_intervals_sort(list, n, &scratch);
	ok = sorted && wl_intervals_union(sorted, n, arena, ret);
	wl_arena_release(&scratch);
	return ok;
}

struct pair {
	const struct wl_intervals *a, *b;
};

static void from_both(const void *ctx, struct building *out)
{
	const struct wl_intervals *a = ((const struct pair *)ctx)->a;
	const struct wl_intervals *b = ((const struct pair *)ctx)->b;

	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		wl_ns begin = a->at[i].begin > b->at[j].begin ? a->at[i].begin : b->at[j].begin;
		/*
		 * The interval that ends first overlaps nothing further in the other set; on a tie,
		 * either will do. Every step advances one of them: linear.
		 */
		bool a_first = a->at[i].end < b->at[j].end;

		add(out, begin, a_first ? a->at[i].end : b->at[j].end);
		i += a_first;
		j += !a_first;
	}
}

bool wl_intervals_intersect(const struct wl_intervals *a, const struct wl_intervals *b,
			    struct wl_arena *arena, struct wl_intervals *ret)
{
	return build(from_both, &(struct pair){ a, b }, arena, ret);
}

static void from_difference(const void *ctx, struct building *out)
{
	const struct wl_intervals *a = ((const struct pair *)ctx)->a;
	const struct wl_intervals *b = ((const struct pair *)ctx)->b;
	size_t j = 0;

	for (size_t i = 0; i < a->n; i++) {
		wl_ns begin = a->at[i].begin, end = a->at[i].end;

		/* j never moves back: intervals of b that end before this one also end before the
		 * next ones. */
		while (j < b->n && b->at[j].end <= begin)
			j++;
		for (; j < b->n && b->at[j].begin < end; j++) {
			add(out, begin, b->at[j].begin);
			begin = b->at[j].end;
			if (begin >= end)
				break; /* it may reach into the next interval of a */
		}
		add(out, begin, end);
	}
}

bool wl_intervals_subtract(const struct wl_intervals *a, const struct wl_intervals *b,
			   struct wl_arena *arena, struct wl_intervals *ret)
{
	return build(from_difference, &(struct pair){ a, b }, arena, ret);
}

struct device_source {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	uint32_t device;
};

static void from_device(const void *ctx, struct building *b)
{
	const struct device_source *s = ctx;
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(s->trace, s->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (s->scope &&
		    (!s->scope->place_on[op.place] ||
		     !wl_clip(s->scope, s->scope->device[s->device], &op.start, &op.end)))
			continue;
		add(b, op.start, op.end);
	}
}

bool wl_intervals_of_device(const struct wl_trace *trace, const struct wl_scope *scope,
			    uint32_t device, struct wl_arena *arena, struct wl_intervals *ret)
{
	return build(from_device, &(struct device_source){ trace, scope, device }, arena, ret);
}

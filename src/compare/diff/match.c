/* SPDX-License-Identifier: MIT */
#include "compare/diff/match.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/text/apportion.h"
#include "known/kernels/names.h"
#include "known/kernels/wrappers.h"

const char *wl_row_state_name(enum wl_row_state state)
{
	static const char *const names[] = {
		[WL_ROW_SAME] = "same", [WL_ROW_SLOWER] = "slower",   [WL_ROW_FASTER] = "faster",
		[WL_ROW_NEW] = "new",   [WL_ROW_REMOVED] = "removed", [WL_ROW_RENAMED] = "renamed",
	};

	return names[state];
}

/* One list while partners are looked for. */
struct side {
	const struct wl_fp_list *list;
	int64_t by;
	wl_ns shortest;    /* a row that is no longer may be among the others; -1: there are none */
	uint32_t *partner; /* by row: row of the other side, WL_NONE so far */
	uint32_t *order;   /* rows by place in a step; those without a place are last */
};

struct matching {
	const struct wl_pairing *how;
	struct side a, b; /* before, after */
	bool *renamed;    /* by row of b */
};

static bool place_less(const void *ctx, uint32_t x, uint32_t y)
{
	const struct wl_fp_row *row = ctx;

	/* -1, no place, is the largest number here. */
	return (uint64_t)row[x].position < (uint64_t)row[y].position;
}

/* The shortest time that a row of its own has; none may be among others if there are none. */
static wl_ns find_shortest(const struct side *s, enum wl_extent extent)
{
	const struct wl_fp_row *row = s->list->row;
	wl_ns least = INT64_MAX;

	assert(row || s->list->n == 0);
	if (s->list->n_others == 0)
		return -1;
	for (size_t i = 0; i < s->list->n; i++) {
		wl_ns ns = wl_rounded_mean(row[i].of[extent].ns, s->by);

		least = ns < least ? ns : least;
	}
	return least;
}

static bool make_side(struct side *s, const struct wl_fp_list *list, int64_t by,
		      enum wl_extent extent, struct wl_arena *arena)
{
	uint32_t *tmp = WL_NEW(arena, uint32_t, list->n);

	*s = (struct side){ .list = list, .by = by };
	s->shortest = find_shortest(s, extent);
	s->partner = WL_NEW(arena, uint32_t, list->n);
	s->order = WL_NEW(arena, uint32_t, list->n);
	if (!tmp || !s->partner || !s->order)
		return false;
	for (uint32_t i = 0; i < list->n; i++) {
		s->partner[i] = WL_NONE;
		s->order[i] = i;
	}
	wl_sort_index(s->order, list->n, tmp, place_less, list->row);
	return true;
}

typedef bool is_match(const struct matching *m, uint32_t in_a, uint32_t in_b);

static bool has_same_name(const struct matching *m, uint32_t in_a, uint32_t in_b)
{
	return strcmp(m->a.list->row[in_a].name, m->b.list->row[in_b].name) == 0;
}

static bool is_wrapper(const struct wl_fp_row *row)
{
	char base[WL_FP_NAME + 1];

	(void)wl_name_base(row->name, base, sizeof(base));
	return wl_name_is_wrapper(base);
}

/* Of wrappers: they do the same. */
static bool does_the_same(const struct wl_fp_row *a, const struct wl_fp_row *b)
{
	char of_a[WL_FP_NAME + 1], of_b[WL_FP_NAME + 1];

	if (a->category && b->category && strcmp(a->category, b->category) == 0)
		return true;
	return wl_name_functor(a->name, of_a, sizeof(of_a)) > 0 &&
	       wl_name_functor(b->name, of_b, sizeof(of_b)) > 0 && strcmp(of_a, of_b) == 0;
}

static bool has_same_base(const struct matching *m, uint32_t in_a, uint32_t in_b)
{
	const struct wl_fp_row *x = &m->a.list->row[in_a], *y = &m->b.list->row[in_b];
	char a[WL_FP_NAME + 1], b[WL_FP_NAME + 1];

	(void)wl_name_base(x->name, a, sizeof(a));
	(void)wl_name_base(y->name, b, sizeof(b));
	return strcmp(a, b) == 0 && (!wl_name_is_wrapper(a) || does_the_same(x, y));
}

/* How far behind its nearest matched predecessor a row stands, and which that is in b. */
static size_t distance(const struct matching *m, const struct side *s, uint32_t row,
		       uint32_t *ret_after)
{
	size_t at = 0, n = 0;

	/*
	 * Linear in rows, of which a fingerprint has at most WL_FP_KERNELS: comparing all pairs is
	 * cheap.
	 */
	while (s->order[at] != row)
		at++;
	*ret_after = WL_NONE;
	for (; at > 0; at--, n++) {
		uint32_t before = s->order[at - 1];

		if (s->partner[before] == WL_NONE)
			continue;
		*ret_after = s == &m->b ? before : s->partner[before];
		break;
	}
	return n;
}

static double calls_of(const struct matching *m, const struct side *s, uint32_t row)
{
	return (double)s->list->row[row].of[m->how->extent].calls / (double)s->by;
}

static bool has_same_place(const struct matching *m, uint32_t in_a, uint32_t in_b)
{
	const struct wl_fp_row *x = &m->a.list->row[in_a], *y = &m->b.list->row[in_b];
	uint32_t after_a, after_b;

	return x->position >= 0 && y->position >= 0 &&
	       calls_of(m, &m->a, in_a) == calls_of(m, &m->b, in_b) &&
	       distance(m, &m->a, in_a, &after_a) == distance(m, &m->b, in_b, &after_b) &&
	       after_a == after_b && ((!is_wrapper(x) && !is_wrapper(y)) || does_the_same(x, y));
}

/* Pair what is left and fits, in the order of a step. */
static void match(struct matching *m, is_match *fits, bool is_renamed)
{
	for (size_t i = 0; i < m->b.list->n; i++) {
		uint32_t in_b = m->b.order[i];

		for (size_t k = 0; m->b.partner[in_b] == WL_NONE && k < m->a.list->n; k++) {
			uint32_t in_a = m->a.order[k];

			if (m->a.partner[in_a] != WL_NONE || !fits(m, in_a, in_b))
				continue;
			m->a.partner[in_a] = in_b;
			m->b.partner[in_b] = in_a;
			m->renamed[in_b] = is_renamed;
		}
	}
}

static void add_total(struct wl_pair_side *to, const struct wl_fp_row *row, enum wl_extent extent)
{
	to->total.calls += row->of[extent].calls;
	to->total.ns += row->of[extent].ns;
	to->gpu_total += row->gpu[extent];
}

static struct wl_pair_side side_of(const struct wl_fp_row *row, enum wl_extent extent)
{
	struct wl_pair_side s = { .row = row };

	if (row)
		add_total(&s, row, extent);
	return s;
}

static bool is_used(const struct wl_fp_row *row, enum wl_extent extent)
{
	return row->of[extent].calls > 0;
}

/* Put a pair, or count a lone row with the others. */
static void put_pair(const struct matching *m, uint32_t in_a, uint32_t in_b, struct wl_pair *pair,
		     size_t *n, struct wl_pair *others)
{
	enum wl_extent x = m->how->extent;
	const struct wl_fp_row *a = in_a == WL_NONE ? NULL : &m->a.list->row[in_a];
	const struct wl_fp_row *b = in_b == WL_NONE ? NULL : &m->b.list->row[in_b];

	if ((!a || !is_used(a, x)) && (!b || !is_used(b, x)))
		return;
	/* The other side may have this row among its "others": to call it new would be a guess. */
	if (!a && wl_rounded_mean(b->of[x].ns, m->b.by) <= m->a.shortest) {
		add_total(&others->after, b, x);
	} else if (!b && wl_rounded_mean(a->of[x].ns, m->a.by) <= m->b.shortest) {
		add_total(&others->before, a, x);
	} else {
		pair[(*n)++] = (struct wl_pair){ .name = b ? b->name : a->name,
						 .before = side_of(a, x),
						 .after = side_of(b, x),
						 .state = b && m->renamed[in_b] ? WL_ROW_RENAMED
										: WL_ROW_SAME };
	}
}

static size_t put_pairs(const struct matching *m, struct wl_pair *pair)
{
	enum wl_extent x = m->how->extent;
	struct wl_pair others = { .name = "(others)", .is_others = true };
	size_t n = 0;

	add_total(&others.before, &m->a.list->others, x);
	add_total(&others.after, &m->b.list->others, x);
	for (uint32_t i = 0; i < m->b.list->n; i++)
		put_pair(m, m->b.partner[i], i, pair, &n, &others);
	for (uint32_t i = 0; i < m->a.list->n; i++) {
		if (m->a.partner[i] == WL_NONE)
			put_pair(m, i, WL_NONE, pair, &n, &others);
	}
	if (others.before.total.calls || others.after.total.calls)
		pair[n++] = others;
	return n;
}

/* Sums become figures per step: each column is rounded as one. */
static bool round_side(struct wl_pair *pair, size_t n, bool after, int64_t by,
		       struct wl_arena *arena)
{
	int64_t *sum = WL_NEW(arena, int64_t, n), *mean = WL_NEW(arena, int64_t, n), all = 0;

	if (!sum || !mean)
		return false;
	for (size_t i = 0; i < n; i++) {
		sum[i] = after ? pair[i].after.total.ns : pair[i].before.total.ns;
		all += sum[i];
	}
	if (!wl_apportion(sum, n, by, wl_rounded_mean(all, by), arena, mean))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct wl_pair_side *s = after ? &pair[i].after : &pair[i].before;

		s->ns = mean[i];
		s->gpu = wl_rounded_mean(s->gpu_total, by);
		s->calls = (double)s->total.calls / (double)by;
	}
	return true;
}

static void find_effects(struct wl_pair *p, double threshold)
{
	const struct wl_pair_side *a = &p->before, *b = &p->after;

	p->change = b->ns - a->ns;
	/*
	 * The count effect is at the old mean duration. The duration effect is the rest, so that
	 * both add up to the change exactly.
	 */
	if (a->total.calls == 0 || b->total.calls == 0)
		p->count_effect = p->change;
	else
		p->count_effect = llround((b->calls - a->calls) * (double)a->total.ns /
					  (double)a->total.calls);
	p->duration_effect = p->change - p->count_effect;
	if (a->total.calls == 0)
		p->state = WL_ROW_NEW;
	else if (b->total.calls == 0)
		p->state = WL_ROW_REMOVED;
	else if (p->state != WL_ROW_RENAMED && p->change != 0 &&
		 fabs((double)p->change) >= threshold * (double)a->ns)
		p->state = p->change > 0 ? WL_ROW_SLOWER : WL_ROW_FASTER;
}

static int larger_first(const void *va, const void *vb)
{
	const struct wl_pair *a = va, *b = vb;
	wl_ns change_a = llabs(a->change), change_b = llabs(b->change);
	wl_ns most_a = a->before.ns > a->after.ns ? a->before.ns : a->after.ns;
	wl_ns most_b = b->before.ns > b->after.ns ? b->before.ns : b->after.ns;

	if (a->is_others != b->is_others)
		return a->is_others - b->is_others;
	if (change_a != change_b)
		return change_a < change_b ? 1 : -1;
	if (most_a != most_b)
		return most_a < most_b ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Of the side where it is less: all of a small program may be part of a large one. */
static double find_matched(const struct wl_pair *pair, size_t n)
{
	double all[] = { 0, 0 }, both[] = { 0, 0 }, least = 1;

	for (size_t i = 0; i < n; i++) {
		const struct wl_pair_side *of[] = { &pair[i].before, &pair[i].after };

		for (size_t s = 0; s < WL_COUNT(of); s++) {
			all[s] += (double)of[s]->ns;
			both[s] += of[0]->total.calls && of[1]->total.calls ? (double)of[s]->ns : 0;
		}
	}
	for (size_t s = 0; s < WL_COUNT(all); s++)
		least = all[s] > 0 && both[s] / all[s] < least ? both[s] / all[s] : least;
	return least;
}

bool wl_row_pairs_make(const struct wl_pairing *how, struct wl_arena *arena,
		       struct wl_row_pairs *ret)
{
	struct matching m = { .how = how };
	struct wl_pair *pair = WL_NEW(arena, struct wl_pair, how->before->n + how->after->n + 1);
	size_t n;

	m.renamed = WL_NEW(arena, bool, how->after->n);
	if (!pair || !m.renamed ||
	    !make_side(&m.a, how->before, how->by_before, how->extent, arena) ||
	    !make_side(&m.b, how->after, how->by_after, how->extent, arena))
		return false;
	/*
	 * From certain to likely. Each pass only pairs what is left, so that a likely match never
	 * takes the partner of a certain one.
	 */
	match(&m, has_same_name, false);
	if (how->rename) {
		match(&m, has_same_base, true);
		match(&m, has_same_place, true);
	}
	n = put_pairs(&m, pair);
	if (!round_side(pair, n, false, how->by_before, arena) ||
	    !round_side(pair, n, true, how->by_after, arena))
		return false;
	for (size_t i = 0; i < n; i++)
		find_effects(&pair[i], how->threshold);
	qsort(pair, n, sizeof(*pair), larger_first);
	*ret = (struct wl_row_pairs){ pair, n, find_matched(pair, n) };
	return true;
}

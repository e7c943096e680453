#include "derive/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/vec.h"

/* A value that does not fit in 32 bits; its place in the group's slice holds UINT32_MAX. */
struct large {
	uint32_t group;
	int64_t value;
};

struct grouping {
	size_t n_rows;
	wl_visit_fn *visit;
	void *ctx;
	struct wl_vec groups; /* struct wl_stats */
	struct wl_vec large;  /* struct large, sorted by (group, value) */
};

int64_t wl_add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return wl_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

static bool count(struct grouping *g)
{
	for (size_t row = 0; row < g->n_rows; row++) {
		uint32_t group;
		int64_t value;
		struct wl_stats *s;
		enum wl_visit v = g->visit(g->ctx, row, &group, &value);

		if (v == WL_VISIT_FAIL)
			return false;
		if (v == WL_VISIT_SKIP)
			continue;
		while (g->groups.n <= group && !g->groups.failed)
			wl_vec_push(&g->groups, &(struct wl_stats){ .min = INT64_MAX });
		if (g->groups.failed)
			return false;
		s = (struct wl_stats *)g->groups.data + group;
		s->n++;
		s->sum = wl_add_up(s->sum, value);
		s->min = value < s->min ? value : s->min;
		s->max = value > s->max ? value : s->max;
		if (value >= UINT32_MAX)
			wl_vec_push(&g->large, &(struct large){ group, value });
	}
	return !g->large.failed;
}

/* Lay the values of each group side by side. next[i] is where group i's next value goes. */
static bool lay_out(struct grouping *g, uint32_t *values, size_t *next)
{
	for (size_t row = 0; row < g->n_rows; row++) {
		uint32_t group;
		int64_t value;
		enum wl_visit v = g->visit(g->ctx, row, &group, &value);

		if (v == WL_VISIT_FAIL)
			return false;
		if (v == WL_VISIT_TAKE)
			values[next[group]++] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	}
	return true;
}

static int by_group_and_value(const void *va, const void *vb)
{
	const struct large *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

struct wanted {
	const struct large *all;
	uint32_t group;
};

static bool group_before(const void *ctx, size_t i)
{
	const struct wanted *w = ctx;

	return w->all[i].group < w->group;
}

/* The large values of a group; they are its last ones in order. */
static const struct large *large_of(const struct grouping *g, uint32_t group, size_t *ret_n)
{
	const struct large *all = g->large.data;
	size_t lo = wl_lower_bound(g->large.n, group_before, &(struct wanted){ all, group });
	size_t n = 0;

	while (lo + n < g->large.n && all[lo + n].group == group)
		n++;
	*ret_n = n;
	return n ? all + lo : NULL;
}

static int64_t percentile(uint32_t *values, size_t n, const struct large *large, size_t n_large,
			  unsigned percent)
{
	size_t rank = wl_rank(n, percent);

	if (rank >= n - n_large)
		return large[rank - (n - n_large)].value;
	return wl_select_u32(values, n, rank);
}

static void finish(struct wl_stats *s, uint32_t *values, const struct large *large, size_t n_large)
{
	int64_t n = (int64_t)s->n;
	double mean = (double)s->sum / (double)n, squares = 0;

	s->avg = s->sum / n + (s->sum % n >= n - s->sum % n);
	s->p50 = percentile(values, s->n, large, n_large, 50);
	s->p90 = percentile(values, s->n, large, n_large, 90);
	s->p99 = percentile(values, s->n, large, n_large, 99);
	for (size_t i = 0; i < s->n; i++) {
		if (values[i] != UINT32_MAX)
			squares += ((double)values[i] - mean) * ((double)values[i] - mean);
	}
	for (size_t i = 0; i < n_large; i++)
		squares += ((double)large[i].value - mean) * ((double)large[i].value - mean);
	if (n > 1) {
		/* Only a sum that stopped, and so a wrong mean, can lead beyond 64 bits. */
		double deviation = sqrt(squares / (double)(n - 1));

		s->stddev = deviation < 0x1p63 ? (int64_t)llround(deviation) : INT64_MAX;
	}
}

static struct wl_stats *finish_all(struct grouping *g, struct wl_arena *arena)
{
	size_t n = g->groups.n, total = 0;
	const struct wl_stats *counted = g->groups.data;
	struct wl_stats *out = WL_NEW(arena, struct wl_stats, n);
	struct wl_arena scratch;
	uint32_t *values;
	size_t *next;
	bool ok = false;

	wl_arena_init_child(&scratch, arena);
	next = WL_NEW(&scratch, size_t, n);
	for (size_t i = 0; i < n; i++)
		total += counted[i].n;
	values = WL_NEW(&scratch, uint32_t, total);
	if (out && next && values) {
		for (size_t i = 0, at = 0; i < n; at += counted[i++].n) {
			out[i] = counted[i];
			next[i] = at;
		}
		ok = lay_out(g, values, next);
	}
	if (ok && g->large.n)
		qsort(g->large.data, g->large.n, sizeof(struct large), by_group_and_value);
	for (size_t i = 0, at = 0; ok && i < n; at += counted[i++].n) {
		size_t n_large;
		const struct large *large = large_of(g, (uint32_t)i, &n_large);

		if (out[i].n)
			finish(&out[i], values + at, large, n_large);
	}
	wl_arena_release(&scratch);
	return ok ? out : NULL;
}

const struct wl_stats *wl_stats_by_group(size_t n_rows, wl_visit_fn *visit, void *ctx,
					 struct wl_arena *arena, size_t *ret_n_groups)
{
	struct grouping g = { .n_rows = n_rows, .visit = visit, .ctx = ctx };
	const struct wl_stats *out = NULL;

	wl_vec_init(&g.groups, sizeof(struct wl_stats), wl_arena_budget(arena));
	wl_vec_init(&g.large, sizeof(struct large), wl_arena_budget(arena));
	if (count(&g))
		out = finish_all(&g, arena);
	*ret_n_groups = g.groups.n;
	wl_vec_release(&g.groups);
	wl_vec_release(&g.large);
	return out;
}

/* SPDX-License-Identifier: MIT */
#include "derive/rows/stats.h"

#include <stdlib.h>

#include "base/process/pool.h"
#include "derive/rows/stats_parts.h"

/* Minimum number of rows per task. With fewer, handing out tasks costs more than it saves. */
enum { TASK_ROWS = 1 << 16 };

/*
 * A counting sort: the number of values each task has in each group decides where it puts them.
 * They end up in row order however the rows are divided among tasks.
 */
struct grouping {
	struct wl_arena *scratch;
	size_t n_groups;
	size_t n_tasks, task_rows;
	uint32_t *count; /* by task and group: number of values, later where the next one goes */
	size_t *bound;   /* one per group, plus one */
	struct wl_vec values; /* uint32_t */
	struct wl_vec *large; /* by task: struct wl_large */
};

/* Turn counts into places, and allocate room for all values. */
static bool place(struct grouping *g)
{
	size_t at = 0;

	g->bound = WL_NEW(g->scratch, size_t, g->n_groups + 1);
	g->large = WL_NEW(g->scratch, struct wl_vec, g->n_tasks);
	if (!g->bound || !g->large)
		return false;
	for (size_t task = 0; task < g->n_tasks; task++)
		wl_vec_init(&g->large[task], sizeof(struct wl_large), g->values.budget);
	for (size_t i = 0; i < g->n_groups; i++) {
		g->bound[i] = at;
		for (size_t task = 0; task < g->n_tasks; task++) {
			uint32_t *count = &g->count[task * g->n_groups + i];
			size_t n = *count;

			/* Rows have 32-bit indexes, so there are never more values than that. */
			*count = (uint32_t)at;
			at += n;
		}
	}
	g->bound[g->n_groups] = at;
	return at == 0 || wl_vec_extend(&g->values, at);
}

static inline void put(struct grouping *g, size_t task, uint32_t *next, uint32_t group,
		       int64_t value)
{
	uint32_t *values = g->values.data;

	/*
	 * UINT32_MAX itself marks a large value, so this length is stored as a large value, too.
	 * Four seconds and more are rare; halving the memory of all others is worth it.
	 */
	if (value >= UINT32_MAX)
		wl_vec_push(&g->large[task], &(struct wl_large){ group, value });
	values[next[group]++] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static int by_group_and_value(const void *va, const void *vb)
{
	const struct wl_large *a = va, *b = vb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

/* Collect the large values of all tasks in the first one's vector, sorted. */
static bool join_large(struct grouping *g)
{
	struct wl_vec *all = &g->large[0];
	bool failed = all->failed;

	for (size_t task = 1; task < g->n_tasks; task++) {
		const struct wl_large *own = g->large[task].data;

		for (size_t i = 0; i < g->large[task].n; i++)
			wl_vec_push(all, &own[i]);
		failed |= g->large[task].failed;
		wl_vec_release(&g->large[task]);
	}
	/*
	 * Sorted, so that the order does not depend on the division into tasks, and for the search
	 * in find_large().
	 */
	if (all->n)
		qsort(all->data, all->n, sizeof(struct wl_large), by_group_and_value);
	return !failed && !all->failed;
}

/* Compute the statistics, once all values are in place. */
static struct wl_stats *find(struct grouping *g, struct wl_pool *pool, struct wl_arena *arena)
{
	struct wl_stats *out = WL_NEW(arena, struct wl_stats, g->n_groups);
	struct wl_grouped layout = { .n_groups = g->n_groups,
				     .bound = g->bound,
				     .value = g->values.data };

	if (!out || !join_large(g))
		return NULL;
	layout.large = g->large[0].data;
	layout.n_large = g->large[0].n;
	return wl_grouped_find(&layout, pool, g->scratch, out) ? out : NULL;
}

static void release(struct grouping *g)
{
	for (size_t task = 0; g->large && task < g->n_tasks; task++)
		wl_vec_release(&g->large[task]);
	wl_vec_release(&g->values);
	wl_arena_release(g->scratch);
}

/* Count the values of each group. The largest group number determines the number of groups. */
static bool count_visits(size_t n_rows, wl_visit_fn *visit, void *ctx, struct wl_vec *counts)
{
	for (size_t row = 0; row < n_rows; row++) {
		uint32_t group;
		int64_t value;
		enum wl_visit v = visit(ctx, row, &group, &value);

		if (v == WL_VISIT_FAIL)
			return false;
		if (v == WL_VISIT_SKIP)
			continue;
		/* Linear in total: each group is added once. */
		while (counts->n <= group && !counts->failed)
			wl_vec_push(counts, &(uint32_t){ 0 });
		if (counts->failed)
			return false;
		((uint32_t *)counts->data)[group]++;
	}
	return true;
}

static bool put_visits(size_t n_rows, wl_visit_fn *visit, void *ctx, struct grouping *g)
{
	for (size_t row = 0; row < n_rows; row++) {
		uint32_t group;
		int64_t value;
		enum wl_visit v = visit(ctx, row, &group, &value);

		if (v == WL_VISIT_FAIL)
			return false;
		if (v == WL_VISIT_TAKE)
			put(g, 0, g->count, group, value);
	}
	return true;
}

const struct wl_stats *wl_stats_by_group(size_t n_rows, wl_visit_fn *visit, void *ctx,
					 struct wl_arena *arena, size_t *ret_n_groups)
{
	struct wl_arena scratch;
	struct grouping g = { .scratch = &scratch, .n_tasks = 1 };
	const struct wl_stats *out = NULL;
	struct wl_vec counts;

	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&counts, sizeof(uint32_t), wl_arena_budget(arena));
	wl_vec_init(&g.values, sizeof(uint32_t), wl_arena_budget(arena));
	if (count_visits(n_rows, visit, ctx, &counts)) {
		g.n_groups = counts.n;
		g.count = counts.data;
		if (place(&g) && put_visits(n_rows, visit, ctx, &g))
			out = find(&g, NULL, arena);
	}
	*ret_n_groups = counts.n;
	release(&g);
	wl_vec_release(&counts);
	return out;
}

struct blocks {
	const struct wl_block_spec *spec;
	struct grouping *grouping;
};

static size_t task_end(const struct blocks *b, size_t task)
{
	size_t end = (task + 1) * b->grouping->task_rows;

	return end < b->spec->n_rows ? end : b->spec->n_rows;
}

static size_t block_rows(size_t row, size_t end)
{
	return end - row < WL_BLOCK_ROWS ? end - row : WL_BLOCK_ROWS;
}

static bool count_task(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct blocks *b = ctx;
	uint32_t group[WL_BLOCK_ROWS];
	uint32_t *count = b->grouping->count + task * b->grouping->n_groups;
	size_t end = task_end(b, task), n;

	(void)arena;
	for (size_t row = task * b->grouping->task_rows; row < end; row += n) {
		n = block_rows(row, end);
		b->spec->block(b->spec->ctx, row, n, group, NULL);
		for (size_t i = 0; i < n; i++) {
			if (group[i] != WL_NONE)
				count[group[i]]++;
		}
	}
	return true;
}

static bool put_task(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct blocks *b = ctx;
	uint32_t group[WL_BLOCK_ROWS];
	int64_t value[WL_BLOCK_ROWS];
	uint32_t *next = b->grouping->count + task * b->grouping->n_groups;
	size_t end = task_end(b, task), n;

	(void)arena;
	for (size_t row = task * b->grouping->task_rows; row < end; row += n) {
		n = block_rows(row, end);
		b->spec->block(b->spec->ctx, row, n, group, value);
		for (size_t i = 0; i < n; i++) {
			if (group[i] != WL_NONE)
				put(b->grouping, task, next, group[i], value[i]);
		}
	}
	return !b->grouping->large[task].failed;
}

/* Divide the rows into few enough tasks that the counts stay small compared with the values. */
static bool divide(struct grouping *g, size_t n_rows)
{
	g->task_rows = TASK_ROWS;
	/*
	 * Counts take four bytes per task and group, values four per row: keep counts to an eighth
	 * of values.
	 */
	while (g->task_rows < n_rows && (n_rows / g->task_rows + 1) * g->n_groups > n_rows / 8)
		g->task_rows *= 2;
	g->n_tasks = n_rows ? (n_rows - 1) / g->task_rows + 1 : 1;
	g->count = WL_NEW(g->scratch, uint32_t, g->n_tasks * g->n_groups);
	return g->count != NULL;
}

struct wl_stats *wl_stats_by_block(const struct wl_block_spec *spec, struct wl_arena *arena)
{
	struct wl_arena scratch;
	struct grouping g = { .scratch = &scratch, .n_groups = spec->n_groups };
	struct blocks b = { spec, &g };
	struct wl_stats *out = NULL;

	wl_arena_init_child(&scratch, arena);
	wl_vec_init(&g.values, sizeof(uint32_t), wl_arena_budget(arena));
	if (divide(&g, spec->n_rows) &&
	    wl_pool_map(spec->pool, g.n_tasks, count_task, &b, &scratch) && place(&g) &&
	    wl_pool_map(spec->pool, g.n_tasks, put_task, &b, &scratch))
		out = find(&g, spec->pool, arena);
	release(&g);
	return out;
}

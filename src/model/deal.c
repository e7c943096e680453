/* SPDX-License-Identifier: MIT */
/*
 * deal.c - groups the rows of a family by owner.
 *
 * A counting sort: every task knows where its first row of each owner goes. It reads its rows from
 * front to back and appends them to one stream per owner, so that reads and writes are both
 * sequential. It releases the pages it has read.
 */
#include <string.h>

#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "model/order_parts.h"

/* Rows per block: their destinations are computed first, then their columns are moved. A block fits
 * in the L1 cache. */
enum { BLOCK = 2048 };

/* The smallest page size of any system. Where pages are larger, charges are slightly too low. */
enum { SMALL_PAGE = 4096 };

/* With more owners a task has few rows of each, and preparing their pages does not pay for the
 * call. */
enum { FEW_OWNERS = 64 };

struct dealing {
	struct wl_ordering *ordering;
	const uint32_t *owner;
	struct wl_vec *from; /* the family's columns */
	struct wl_vec *to;   /* the new columns; no data where a column has none */
	size_t n_columns;
	size_t *first_long; /* by task: its first long length; the last entry is the end */
	uint32_t *first;    /* by task and owner: where its rows go; NULL if owners are many */
};

/*
 * Long lengths move with their rows and are sorted after all have moved. The task's entries are
 * [next, end); returns the first one that belongs to a later block.
 */
static size_t follow(uint32_t *row, size_t next, size_t end, size_t lo, size_t n,
		     const uint32_t *at)
{
	for (; next < end && row[next] < lo + n; next++)
		row[next] = at[row[next] - lo];
	return next;
}

static void deal_block(const struct dealing *d, size_t lo, size_t n, const uint32_t *at)
{
	for (size_t c = 0; c < d->n_columns; c++) {
		size_t size = d->from[c].size;

		if (d->to[c].data)
			wl_scatter(d->to[c].data, (const char *)d->from[c].data + lo * size, at, n,
				   size);
	}
}

/* A task's rows of one owner are contiguous, so their pages are populated at once. */
static void expect_rows(const struct dealing *d, size_t task)
{
	const struct wl_ordering *o = d->ordering;
	const uint32_t *first = d->first + task * o->n_owners;

	for (size_t owner = 0; owner < o->n_owners; owner++) {
		size_t end =
			task + 1 < o->n_tasks ? first[o->n_owners + owner] : o->bound[owner + 1];

		for (size_t c = 0; c < d->n_columns && first[owner] < end; c++) {
			if (d->to[c].data)
				wl_vec_expect(&d->to[c], first[owner], end);
		}
	}
}

static bool deal_task(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct dealing *d = ctx;
	const struct wl_ordering *o = d->ordering;
	uint32_t at[BLOCK], *next = o->count + task * o->n_owners;
	size_t begin = task * o->task_rows;
	size_t end = begin + o->task_rows < o->f->n ? begin + o->task_rows : o->f->n;
	size_t next_long = d->first_long[task];

	(void)arena;
	if (d->first)
		expect_rows(d, task);
	for (size_t lo = begin; lo < end; lo += BLOCK) {
		size_t n = end - lo < BLOCK ? end - lo : BLOCK;

		for (size_t i = 0; i < n; i++)
			at[i] = next[o->rank[d->owner[lo + i]]]++;
		next_long =
			follow(o->f->long_row.data, next_long, d->first_long[task + 1], lo, n, at);
		deal_block(d, lo, n, at);
	}
	for (size_t c = 0; c < d->n_columns; c++)
		wl_vec_drop(&d->from[c], begin, end);
	return true;
}

WL_LESS(row_less, uint32_t)

/* Vectors for the sorted long lengths, allocated in advance, so that nothing can fail once rows
 * move. */
struct longs {
	struct wl_vec index, row, dur;
};

static bool reserve_longs(struct longs *l, const struct wl_ordering *o)
{
	size_t n = o->f->long_row.n;

	wl_vec_init(&l->index, sizeof(uint32_t), o->build->budget);
	wl_vec_init(&l->row, sizeof(uint32_t), o->build->budget);
	wl_vec_init(&l->dur, sizeof(wl_ns), o->build->budget);
	return n == 0 || (wl_vec_extend(&l->index, 2 * n) && wl_vec_extend(&l->row, n) &&
			  wl_vec_extend(&l->dur, n));
}

static void sort_longs(struct longs *l, struct wl_build_family *f)
{
	uint32_t *index = l->index.data, *row = l->row.data;
	const uint32_t *old_row = f->long_row.data;
	const wl_ns *old_dur = f->long_dur.data;
	wl_ns *dur = l->dur.data;
	size_t n = f->long_row.n;

	wl_sort_all(index, n, row_less, old_row);
	for (size_t i = 0; i < n; i++) {
		row[i] = old_row[index[i]];
		dur[i] = old_dur[index[i]];
	}
	wl_vec_replace(&f->long_row, &l->row);
	wl_vec_replace(&f->long_dur, &l->dur);
}

/*
 * Tasks start in order, so an owner's rows grow at one end, except for the page that each running
 * task has begun to fill.
 */
static bool make_twins(struct dealing *d)
{
	const struct wl_ordering *o = d->ordering;
	size_t n_threads = wl_pool_threads(o->build->pool), n_used = 0;

	for (size_t i = 0; i < o->n_owners; i++)
		n_used += o->bound[i] < o->bound[i + 1];
	for (size_t c = 0; c < d->n_columns; c++) {
		const struct wl_vec *v = &d->from[c];
		size_t n_begun = n_used * (SMALL_PAGE / v->size);

		if (v->n &&
		    !wl_vec_twin(&d->to[c], v, n_used, n_threads * (o->task_rows + n_begun)))
			return false;
	}
	return true;
}

static bool deal(struct dealing *d, struct longs *longs)
{
	const struct wl_ordering *o = d->ordering;

	if (!reserve_longs(longs, o) || !make_twins(d))
		return false;
	for (size_t i = 0; i <= o->n_tasks; i++)
		d->first_long[i] = wl_longs_from(o->f, i * o->task_rows);
	if (d->first)
		memcpy(d->first, o->count, o->n_tasks * o->n_owners * sizeof(*d->first));
	if (!wl_pool_map(o->build->pool, o->n_tasks, deal_task, d, o->arena))
		return false;
	for (size_t c = 0; c < d->n_columns; c++) {
		if (d->to[c].data)
			wl_vec_replace(&d->from[c], &d->to[c]);
	}
	if (o->f->long_row.n)
		sort_longs(longs, o->f);
	return true;
}

bool wl_ordering_deal(struct wl_ordering *o)
{
	size_t first = wl_family_infos[o->family].first_column;
	size_t n_columns = wl_family_end(o->family) - first;
	struct dealing d = { .ordering = o,
			     .owner = o->build->column[wl_family_keys(o->family).owner].data,
			     .from = o->build->column + first,
			     .to = WL_NEW(o->arena, struct wl_vec, n_columns),
			     .n_columns = n_columns,
			     .first_long = WL_NEW(o->arena, size_t, o->n_tasks + 1) };
	struct longs longs;
	bool ok;

	if (o->n_owners <= FEW_OWNERS)
		d.first = WL_NEW(o->arena, uint32_t, o->n_tasks * o->n_owners);
	if (!d.to || !d.first_long)
		return false;
	ok = deal(&d, &longs);
	/* Release the replaced columns. */
	for (size_t c = 0; c < n_columns; c++)
		wl_vec_release(&d.to[c]);
	wl_vec_release(&longs.index);
	wl_vec_release(&longs.row);
	wl_vec_release(&longs.dur);
	return ok;
}

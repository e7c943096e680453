/* SPDX-License-Identifier: MIT */
/*
 * settle.c - sorts the rows of each owner where they are out of order.
 *
 * Rows are divided into stretches such that no row belongs before a row of an earlier stretch. Most
 * stretches are one row. Only longer ones are sorted, so memory and time depend on the disorder,
 * not on the number of rows.
 */
#include <string.h>

#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "model/order_parts.h"

struct stretch {
	uint32_t lo, hi; /* rows [lo, hi) */
	uint32_t max;    /* the row that belongs last among those so far */
};

/* The state of one task, which sorts one stretch after another. */
struct settling {
	const struct wl_ordering *ordering;
	struct wl_order_keys keys;
	size_t first_long; /* the task's long lengths begin here */
	struct wl_vec stretches;
	struct wl_vec index; /* uint32_t */
	struct wl_vec room;  /* bytes */
};

static bool index_less(const void *ctx, uint32_t a, uint32_t b)
{
	return wl_row_less(ctx, a, b);
}

/*
 * Row i belongs before the largest so far. It merges the stretches of all rows that it belongs
 * before, and all in between. A stretch is merged once, so the search is linear overall.
 */
static void join(struct settling *s, size_t begin, uint32_t i, uint32_t max)
{
	struct stretch new = { i, i + 1, max };

	for (;;) {
		const struct stretch *top =
			s->stretches.n ? (struct stretch *)s->stretches.data + s->stretches.n - 1
				       : NULL;

		if (top && top->hi == new.lo) {
			if (!wl_row_less(&s->keys, i, top->max))
				break;
			new.lo = top->lo;
			s->stretches.n--;
		} else if (new.lo > begin && wl_row_less(&s->keys, i, new.lo - 1)) {
			new.lo--;
		} else {
			break;
		}
	}
	wl_vec_push(&s->stretches, &new);
}

/* Finds the stretches of more than one row among an owner's rows [begin, end). */
static void find_stretches(struct settling *s, size_t begin, size_t end)
{
	uint32_t max = (uint32_t)begin;

	s->stretches.n = 0;
	for (size_t i = begin + 1; i < end && !s->stretches.failed; i++) {
		if (wl_row_less(&s->keys, i, max))
			join(s, begin, (uint32_t)i, max);
		else
			max = (uint32_t)i;
	}
}

#define GATHER(type)                                                                               \
	for (size_t i = 0; i < n; i++)                                                             \
	((type *)to)[i] = ((const type *)from)[index[i]]

static void gather(void *to, const void *from, const uint32_t *index, size_t n, size_t size)
{
	switch (size) {
	case 1:
		GATHER(uint8_t);
		break;
	case 2:
		GATHER(uint16_t);
		break;
	case 4:
		GATHER(uint32_t);
		break;
	default:
		GATHER(uint64_t);
		break;
	}
}

/* Where the task's long lengths for rows from lo on begin in the family's vectors. */
static size_t own_longs_from(const struct settling *s, size_t lo)
{
	uint32_t *row = (uint32_t *)s->ordering->f->long_row.data + s->first_long;
	struct wl_build_family own = { .long_row = { .data = row, .n = s->keys.longs.n_long } };

	return s->first_long + wl_longs_from(&own, lo);
}

/* Moves long lengths with their rows; called before the columns move. room holds n lengths. */
static void move_longs(struct settling *s, size_t lo, const uint32_t *index, size_t n, wl_ns *room)
{
	const struct wl_family *longs = &s->keys.longs;
	uint32_t *row = s->ordering->f->long_row.data;
	wl_ns *dur = s->ordering->f->long_dur.data;
	size_t next, n_moved = 0;

	if (longs->n_long == 0)
		return;
	next = own_longs_from(s, lo);
	if (next == s->first_long + longs->n_long || row[next] >= lo + n)
		return;
	for (size_t i = 0; i < n; i++) {
		if (s->keys.dur[index[i]] == WL_LONG)
			room[n_moved++] = wl_long_dur(longs, index[i]);
	}
	memcpy(dur + next, room, n_moved * sizeof(*dur));
	for (size_t i = 0; i < n; i++) {
		if (s->keys.dur[index[i]] == WL_LONG)
			row[next++] = (uint32_t)(lo + i);
	}
}

static void move_columns(struct settling *s, size_t lo, const uint32_t *index, size_t n, void *room)
{
	const struct wl_ordering *o = s->ordering;

	for (size_t c = wl_family_infos[o->family].first_column; c < wl_family_end(o->family);
	     c++) {
		const struct wl_vec *v = &o->build->column[c];

		if (v->n == 0)
			continue;
		gather(room, v->data, index, n, v->size);
		memcpy((char *)v->data + lo * v->size, room, n * v->size);
	}
}

static bool sort_stretch(struct settling *s, const struct stretch *stretch)
{
	size_t n = stretch->hi - stretch->lo;
	uint32_t *index;

	s->index.n = s->room.n = 0;
	index = wl_vec_extend(&s->index, 2 * n);
	if (!index)
		return false;
	for (size_t i = 0; i < n; i++)
		index[i] = stretch->lo + (uint32_t)i;
	wl_sort_index(index, n, index + n, index_less, &s->keys);
	s->index.n = n;
	if (n > WL_TASK_ROWS)
		wl_vec_trim(&s->index);
	index = s->index.data;
	if (!wl_vec_extend(&s->room, n * sizeof(uint64_t)))
		return false;
	move_longs(s, stretch->lo, index, n, s->room.data);
	move_columns(s, stretch->lo, index, n, s->room.data);
	return true;
}

static bool settle_owner(struct settling *s, size_t begin, size_t end)
{
	const struct stretch *all;

	find_stretches(s, begin, end);
	all = s->stretches.data;
	for (size_t i = 0; i < s->stretches.n; i++) {
		if (!sort_stretch(s, &all[i]))
			return false;
	}
	return !s->stretches.failed;
}

struct tasks {
	const struct wl_ordering *ordering;
	size_t *first_owner; /* by task; the last entry is the end */
	size_t *first_long;  /* by task; the last entry is the end */
};

/* Sorts the rows of the task's owners. It reads only their long lengths, because other tasks change
 * the rest. */
static bool settle_task(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct tasks *t = ctx;
	const struct wl_ordering *o = t->ordering;
	struct settling s = { .ordering = o,
			      .keys = wl_ordering_keys(o),
			      .first_long = t->first_long[task] };
	bool ok = true;

	(void)arena;
	s.keys.longs.n_long = t->first_long[task + 1] - s.first_long;
	if (s.keys.longs.n_long) {
		s.keys.longs.long_row += s.first_long;
		s.keys.longs.long_dur += s.first_long;
	}
	wl_vec_init(&s.stretches, sizeof(struct stretch), o->build->budget);
	wl_vec_init(&s.index, sizeof(uint32_t), o->build->budget);
	wl_vec_init(&s.room, 1, o->build->budget);
	for (size_t i = t->first_owner[task]; ok && i < t->first_owner[task + 1]; i++)
		ok = settle_owner(&s, o->bound[i], o->bound[i + 1]);
	wl_vec_release(&s.stretches);
	wl_vec_release(&s.index);
	wl_vec_release(&s.room);
	return ok;
}

/* An owner belongs to the task in whose rows it begins. */
bool wl_ordering_settle(struct wl_ordering *o)
{
	struct tasks t = { .ordering = o,
			   .first_owner = WL_NEW(o->arena, size_t, o->n_tasks + 1),
			   .first_long = WL_NEW(o->arena, size_t, o->n_tasks + 1) };
	size_t owner = 0;

	if (!t.first_owner || !t.first_long)
		return false;
	for (size_t task = 0; task < o->n_tasks; task++) {
		while (owner < o->n_owners && o->bound[owner] < task * o->task_rows)
			owner++;
		t.first_owner[task] = owner;
		t.first_long[task] = wl_longs_from(o->f, o->bound[owner]);
	}
	t.first_owner[o->n_tasks] = o->n_owners;
	t.first_long[o->n_tasks] = o->f->long_row.n;
	return wl_pool_map(o->build->pool, o->n_tasks, settle_task, &t, o->arena);
}

/* SPDX-License-Identifier: MIT */
/*
 * order.c - sorts the rows of a family into their fixed order.
 *
 * Rows in files are nearly in order of start, with owners (devices or threads) mixed. Rows are
 * first grouped by owner, which keeps their order, and then the few that are out of order within an
 * owner are sorted. One pass over the rows finds which of these steps are needed.
 */

#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "model/order_parts.h"

struct thread_ctx {
	const uint64_t *global;
};

static bool thread_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct thread_ctx *c = ctx;

	return c->global[a] < c->global[b];
}

/*
 * For each owner tuple (place or thread), its owner's position among all owners. Places on one
 * device share an owner; places without a device come last.
 */
static bool rank_owners(struct wl_ordering *o, enum wl_order order)
{
	struct wl_build *b = o->build;
	size_t n = order == WL_BY_DEVICE ? b->places.n : b->threads.n;
	uint32_t *rank = WL_NEW(o->arena, uint32_t, n);
	uint32_t *index;

	if (!rank)
		return false;
	o->rank = rank;
	if (order == WL_BY_DEVICE) {
		const struct wl_place *place = b->places.data;

		for (size_t i = 0; i < n; i++)
			rank[i] = place[i].device == WL_NONE ? (uint32_t)b->devices.n
							     : place[i].device;
		o->n_owners = b->devices.n + 1;
		return true;
	}
	index = WL_NEW(o->arena, uint32_t, 2 * n);
	if (!index)
		return false;
	wl_sort_all(index, n, thread_less, &(struct thread_ctx){ b->thread_keys.items.data });
	for (size_t i = 0; i < n; i++)
		rank[index[i]] = (uint32_t)i;
	o->n_owners = n;
	return true;
}

/* Divides the rows into one stretch per task, few enough that there are no more counts per task and
 * owner than rows. */
static bool divide(struct wl_ordering *o)
{
	o->task_rows = WL_TASK_ROWS;
	while (o->task_rows < o->f->n && (o->f->n / o->task_rows + 1) * o->n_owners > o->f->n / 8)
		o->task_rows *= 2;
	o->n_tasks = (o->f->n - 1) / o->task_rows + 1;
	o->count = WL_NEW(o->arena, uint32_t, o->n_tasks * o->n_owners);
	o->bound = WL_NEW(o->arena, uint32_t, o->n_owners + 1);
	return o->count && o->bound;
}

/* What one task found that needs to be done. */
struct found {
	bool mixed;      /* rows of different owners are interleaved */
	bool disordered; /* rows of one owner are not in order; only set if not mixed */
};

struct survey {
	const struct wl_ordering *ordering;
	const uint32_t *owner;
	struct wl_order_keys keys;
	struct found *found; /* by task */
};

/* Also compares the first row with the one before the stretch. */
static bool look(void *ctx, size_t task, struct wl_arena *arena)
{
	struct survey *s = ctx;
	const struct wl_ordering *o = s->ordering;
	const uint32_t *rank = o->rank, *owner = s->owner;
	uint32_t *count = o->count + task * o->n_owners;
	size_t row = task * o->task_rows;
	size_t end = row + o->task_rows < o->f->n ? row + o->task_rows : o->f->n;
	uint32_t last = row ? rank[owner[row - 1]] : 0;
	struct found found = { false, false };

	(void)arena;
	for (; row < end && !found.mixed; row++) {
		uint32_t r = rank[owner[row]];

		count[r]++;
		if (r < last)
			found.mixed = true;
		else if (r == last && row && wl_row_less(&s->keys, row, row - 1))
			found.disordered = true;
		last = r;
	}
	for (; row < end; row++)
		count[rank[owner[row]]]++;
	s->found[task] = found;
	return true;
}

static bool survey(const struct wl_ordering *o, struct found *ret)
{
	struct survey s = { .ordering = o,
			    .owner = o->build->column[wl_family_keys(o->family).owner].data,
			    .keys = wl_ordering_keys(o),
			    .found = WL_NEW(o->arena, struct found, o->n_tasks) };

	if (!s.found || !wl_pool_map(o->build->pool, o->n_tasks, look, &s, o->arena))
		return false;
	*ret = (struct found){ false, false };
	for (size_t i = 0; i < o->n_tasks; i++) {
		ret->mixed |= s.found[i].mixed;
		ret->disordered |= s.found[i].disordered;
	}
	return true;
}

/* Turns the number of rows per task and owner into the position where the task writes them. */
static void place(struct wl_ordering *o)
{
	uint32_t at = 0;

	for (size_t i = 0; i < o->n_owners; i++) {
		o->bound[i] = at;
		for (size_t task = 0; task < o->n_tasks; task++) {
			uint32_t *count = &o->count[task * o->n_owners + i];
			uint32_t n = *count;

			*count = at;
			at += n;
		}
	}
	o->bound[o->n_owners] = at;
}

static bool bring_in_order(struct wl_ordering *o)
{
	struct found found;

	if (!rank_owners(o, wl_family_infos[o->family].order) || !divide(o) || !survey(o, &found))
		return false;
	place(o);
	return (!found.mixed || wl_ordering_deal(o)) &&
	       ((!found.mixed && !found.disordered) || wl_ordering_settle(o));
}

int wl_build_order(struct wl_build *b, enum wl_family_id family, struct wl_err *reterr)
{
	struct wl_build_family *f = &b->family[family];
	struct wl_arena arena;
	struct wl_ordering o = { .build = b, .arena = &arena, .family = family, .f = f };
	bool ok;

	f->ordered = true;
	if (wl_family_infos[family].order == WL_BY_ROW || f->n < 2)
		return WL_OK;
	wl_arena_init_on(&arena, b->budget);
	ok = bring_in_order(&o);
	wl_arena_release(&arena);
	return ok ? WL_OK
		  : wl_fail(reterr, WL_E_NOMEM, "%s: no memory to sort %zu %s", b->path, f->n,
			    wl_family_infos[family].help);
}

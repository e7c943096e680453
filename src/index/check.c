/* SPDX-License-Identifier: MIT */
/*
 * check.c - the columns of a family, in stretches of rows that stay in the cache between
 * copying them, summing them and looking at their values.
 */
#include "index/check.h"

#include <stdio.h>

#include "base/file/checksum.h"
#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "index/image.h"

/*
 * Tasks are whole stretches of a checksum, because its sums of stretches can be added in any
 * order.
 */
enum { TASK_ROWS = 16 * WL_SUM_ROWS, MAX_COLUMNS = 16 };

/* What the values of a column may be. */
enum rule {
	ANY,
	INDEX,         /* below the limit */
	INDEX_OR_NONE, /* the same, or WL_NONE */
	SIZE,          /* not negative */
	TIME_OR_NONE,
};

struct column {
	enum wl_column_id id;
	enum rule rule;
	size_t limit;
	const struct wl_index_section *section;
};

/* A family under check; shared by all tasks. */
struct checking {
	const struct wl_index_file *file;
	const struct wl_trace *all;
	const struct wl_family *family;
	enum wl_family_id id;
	struct column column[MAX_COLUMNS];
	size_t n_columns;
	bool order;     /* the columns that order it are new */
	bool by_length; /* its rows that start together are ordered by length */
	struct wl_key_columns key;
	const uint32_t *rank; /* by place or thread: see rank_owners */
	size_t n_owners;
	uint64_t rank_end;            /* no row has a rank from there on */
	uint64_t (*sum)[MAX_COLUMNS]; /* by task */
};

static void set_index(struct column *c, enum rule rule, size_t limit)
{
	c->rule = rule;
	c->limit = limit;
}

/*
 * Starts and lengths of a family in an order are looked at in rows_in_order, where a start
 * plus its length must be a time as well; a family in no order has neither.
 */
static void set_rule(const struct wl_trace *t, struct column *c)
{
	switch (wl_column_infos[c->id].domain) {
	case WL_D_START:
	case WL_D_LENGTH:
	case WL_D_CODE:
		break;
	case WL_D_TIME:
		c->rule = TIME_OR_NONE;
		break;
	case WL_D_SIZE:
		c->rule = SIZE;
		break;
	case WL_D_PLACE:
		set_index(c, INDEX, t->n_places);
		break;
	case WL_D_THREAD:
		set_index(c, INDEX, t->n_threads);
		break;
	case WL_D_THREAD_OR_NONE:
		set_index(c, INDEX_OR_NONE, t->n_threads);
		break;
	case WL_D_KERNEL_NAME:
		set_index(c, INDEX, t->n_kernel_names);
		break;
	case WL_D_CONFIG:
		set_index(c, INDEX, t->n_configs);
		break;
	case WL_D_TEXT:
		set_index(c, INDEX_OR_NONE, t->strings.n);
		break;
	case WL_D_STACK:
		set_index(c, INDEX_OR_NONE, t->n_stacks);
		break;
	case WL_D_SERIES:
		set_index(c, INDEX, t->n_series);
		break;
	}
}

/* One branch per stretch and none per value, so that the compiler takes several at a time. */
static bool values_ok(const struct column *c, const void *data, size_t lo, size_t hi)
{
	const uint32_t *u32 = data;
	const int64_t *i64 = data;
	bool bad = false;

	switch (c->rule) {
	case ANY:
		break;
	case INDEX:
		for (size_t i = lo; i < hi; i++)
			bad |= u32[i] >= c->limit;
		break;
	case INDEX_OR_NONE:
		for (size_t i = lo; i < hi; i++)
			bad |= u32[i] >= c->limit && u32[i] != WL_NONE;
		break;
	case SIZE:
		for (size_t i = lo; i < hi; i++)
			bad |= i64[i] < 0;
		break;
	case TIME_OR_NONE:
		for (size_t i = lo; i < hi; i++)
			bad |= (i64[i] < -WL_TIME_MAX || i64[i] > WL_TIME_MAX) &&
			       i64[i] != WL_NO_TIME;
		break;
	}
	return !bad;
}

/* Where a row stands in the order of its family. */
struct position {
	uint32_t owner; /* rank of the device or thread, see rank_owners */
	wl_ns start, dur;
};

/* The length of a long row; -1 when it is not in the side table. */
static wl_ns long_length(const struct wl_family *f, size_t row)
{
	size_t i = WL_BELOW(f->long_row, f->n_long, row);

	return i < f->n_long && f->long_row[i] == row ? f->long_dur[i] : -1;
}

/*
 * Bitwise operators: all conditions are cheap, and a branch per row would cost more than it
 * saves.
 */
static inline bool position_ok(const struct checking *c, const struct position *last,
			       const struct position *here)
{
	return (here->owner < c->rank_end) & (here->start >= -WL_TIME_MAX) & (here->dur >= 0) &
	       (here->start <= WL_TIME_MAX - here->dur) &
	       ((here->owner > last->owner) |
		((here->owner == last->owner) &
		 ((here->start > last->start) |
		  ((here->start == last->start) & (!c->by_length | (here->dur >= last->dur))))));
}

/* Its owner is known to be in range. */
static inline struct position position_of(const struct checking *c, size_t row)
{
	const uint32_t *owner = c->all->column[c->key.owner];
	const wl_ns *start = c->all->column[c->key.start];
	const uint32_t *dur = c->key.dur < WL_N_COLUMNS ? c->all->column[c->key.dur] : NULL;
	wl_ns length = dur ? dur[row] : 0;

	if (length == WL_LONG)
		length = long_length(c->family, row);
	return (struct position){ c->rank[owner[row]], start[row], length };
}

/* Each row is compared with the one before it; that of another task, once all have run. */
static bool rows_in_order(const struct checking *c, size_t lo, size_t hi)
{
	struct position last = { 0, -WL_TIME_MAX, 0 };
	bool ok = true;

	if (lo % TASK_ROWS != 0)
		last = position_of(c, lo - 1);
	for (size_t i = lo; i < hi; i++) {
		struct position here = position_of(c, i);

		ok &= position_ok(c, &last, &here);
		last = here;
	}
	return ok;
}

static bool tasks_in_order(const struct checking *c, size_t n_tasks)
{
	bool ok = true;

	for (size_t task = 1; ok && task < n_tasks; task++) {
		struct position last = position_of(c, task * TASK_ROWS - 1);
		struct position here = position_of(c, task * TASK_ROWS);

		ok = position_ok(c, &last, &here);
	}
	return ok;
}

static bool check_rows(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct checking *c = ctx;
	size_t end = (task + 1) * TASK_ROWS < c->family->n ? (task + 1) * TASK_ROWS : c->family->n;
	bool ok = true;

	(void)arena;
	for (size_t lo = task * TASK_ROWS; ok && lo < end; lo += WL_SUM_ROWS) {
		size_t hi = end - lo < WL_SUM_ROWS ? end : lo + WL_SUM_ROWS;

		/*
		 * Indexes are checked here before rows_in_order() uses them: the owner column is
		 * among the columns of this stretch, or was checked before.
		 */
		for (size_t i = 0; ok && i < c->n_columns; i++) {
			const struct column *col = &c->column[i];
			const void *data = c->all->column[col->id];

			ok = wl_index_section_read(c->file, col->section, lo, hi);
			if (!ok)
				break;
			c->sum[task][i] +=
				wl_checksum_rows(data, wl_column_infos[col->id].size, lo, hi);
			ok = values_ok(col, data, lo, hi);
		}
		ok = ok && (!c->order || rows_in_order(c, lo, hi));
	}
	return ok;
}

/* The side table of long rows is small, and needed before any row can be looked at. */
static bool longs_ok(struct wl_index_file *file, const struct wl_family *f, enum wl_family_id id)
{
	static const char *const parts[] = { "row", "dur" };
	const size_t sizes[] = { sizeof(*f->long_row), sizeof(*f->long_dur) };

	for (size_t i = 0; i < WL_COUNT(parts); i++) {
		char name[WL_SECTION_NAME];
		const struct wl_index_section *s;

		(void)snprintf(name, sizeof(name), "%s.long_%s", wl_family_infos[id].name,
			       parts[i]);
		s = wl_index_section_find(file, name, sizes[i]);
		if (!s || !wl_index_section_take(file, s))
			return false;
	}
	for (size_t i = 0; i < f->n_long; i++) {
		/*
		 * A length that fits in 32 bits is not long, and none exceeds the distance of two
		 * times.
		 */
		if (f->long_row[i] >= f->n || (i > 0 && f->long_row[i] <= f->long_row[i - 1]) ||
		    f->long_dur[i] < WL_LONG || f->long_dur[i] > 2 * WL_TIME_MAX)
			return false;
	}
	return true;
}

static bool gather(struct wl_index_file *file, const struct wl_columns *columns, struct checking *c)
{
	for (size_t id = wl_family_infos[c->id].first_column; id < wl_family_end(c->id); id++) {
		struct column *col = &c->column[c->n_columns];
		const struct wl_index_section *s;
		char name[WL_SECTION_NAME];

		if (!wl_columns_has(columns, (enum wl_column_id)id))
			continue;
		*col = (struct column){ .id = (enum wl_column_id)id };
		set_rule(c->all, col);
		wl_image_column_name(col->id, name);
		s = wl_index_section_find(file, name, wl_column_infos[id].size);
		if (!s || c->n_columns + 1 == MAX_COLUMNS || !wl_index_section_reserve(file, s))
			return false;
		col->section = s;
		c->n_columns++;
	}
	return true;
}

static bool sums_fit(const struct checking *c, size_t n_tasks)
{
	for (size_t i = 0; i < c->n_columns; i++) {
		uint64_t sum = 0;

		for (size_t task = 0; task < n_tasks; task++)
			sum += c->sum[task][i];
		if (sum != c->column[i].section->checksum)
			return false;
	}
	return true;
}

static bool thread_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = ctx;

	return t->threads[a].global < t->threads[b].global;
}

/*
 * The number of the device, or of the thread in the order of ids, that a row of each place
 * or thread is ordered by. Only a synchronisation may be on no device, and stands last.
 */
static bool rank_owners(struct checking *c, struct wl_arena *arena)
{
	const struct wl_trace *t = c->all;
	bool by_device = wl_family_infos[c->id].order == WL_BY_DEVICE;
	uint32_t *rank, *order, *tmp;

	c->n_owners = by_device ? t->n_places : t->n_threads;
	c->rank_end = by_device && c->id != WL_F_SYNCS ? t->n_devices : UINT64_MAX;
	c->rank = rank = WL_NEW(arena, uint32_t, c->n_owners);
	order = WL_NEW(arena, uint32_t, 2 * c->n_owners);
	if (!rank || !order)
		return false;
	tmp = order + c->n_owners;
	for (uint32_t i = 0; i < c->n_owners; i++) {
		order[i] = i;
		if (by_device)
			rank[i] = t->places[i].device;
	}
	if (by_device)
		return true;
	wl_sort_index(order, c->n_owners, tmp, thread_less, t);
	for (uint32_t i = 0; i < c->n_owners; i++)
		rank[order[i]] = i;
	return true;
}

/* Every row of the side table is marked as long: lengths of others would be read from two places.
 */
static bool longs_are_marked(const struct checking *c)
{
	const uint32_t *dur = c->key.dur < WL_N_COLUMNS ? c->all->column[c->key.dur] : NULL;
	bool ok = true;

	for (size_t i = 0; dur && i < c->family->n_long; i++)
		ok &= dur[c->family->long_row[i]] == WL_LONG;
	return ok;
}

bool wl_check_family(struct wl_index_file *file, const struct wl_trace *all,
		     enum wl_family_id family, const struct wl_columns *columns,
		     struct wl_pool *pool)
{
	struct checking c = {
		.file = file, .all = all, .family = &all->family[family], .id = family
	};
	size_t n_tasks = (c.family->n + TASK_ROWS - 1) / TASK_ROWS;
	struct wl_arena arena;
	bool ok = gather(file, columns, &c);

	c.key = wl_family_keys(family);
	c.by_length = wl_family_infos[family].order == WL_BY_THREAD;
	c.order = wl_family_infos[family].order != WL_BY_ROW &&
		  wl_columns_has(columns, (enum wl_column_id)c.key.start);
	ok = ok && (!c.order || longs_ok(file, c.family, family));
	wl_arena_init_on(&arena, NULL);
	c.sum = wl_arena_calloc(&arena, n_tasks, sizeof(*c.sum));
	ok = ok && c.sum && (!c.order || rank_owners(&c, &arena)) &&
	     wl_pool_map(pool, n_tasks, check_rows, &c, &arena) && sums_fit(&c, n_tasks) &&
	     (!c.order || (tasks_in_order(&c, n_tasks) && longs_are_marked(&c)));
	wl_arena_release(&arena);
	return ok;
}

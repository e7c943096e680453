/*
 * check.c - the columns of a family, in stretches of rows that stay in the cache between
 * summing them and looking at their values.
 */
#include "index/check.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/pool.h"
#include "base/sort.h"
#include "index/image.h"

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
	uint64_t checksum; /* as the directory says */
};

/* A family under check; shared by all tasks. */
struct checking {
	const struct wl_trace *all;
	const struct wl_family *family;
	enum wl_family_id id;
	struct column column[MAX_COLUMNS];
	size_t n_columns;
	bool order; /* the columns that order it are new */
	struct wl_key_columns key;
	uint64_t (*sum)[MAX_COLUMNS]; /* by task */
};

static bool is_called(const struct wl_column_info *info, const char *name)
{
	return strcmp(info->name, name) == 0;
}

/* The columns that order a family have rules of their own: see rows_in_order. */
static void set_rule(const struct wl_trace *t, struct column *c)
{
	const struct wl_column_info *info = &wl_column_infos[c->id];

	if (c->id == WL_KERNELS_NAME || c->id == WL_KERNELS_CONFIG) {
		c->rule = INDEX;
		c->limit = c->id == WL_KERNELS_NAME ? t->n_kernel_names : t->n_configs;
	} else if (is_called(info, "place") || is_called(info, "thread")) {
		c->rule = INDEX;
		c->limit = is_called(info, "place") ? t->n_places : t->n_threads;
	} else if (is_called(info, "end_thread")) {
		c->rule = INDEX_OR_NONE;
		c->limit = t->n_threads;
	} else if (is_called(info, "name") || is_called(info, "text")) {
		c->rule = INDEX_OR_NONE;
		c->limit = t->strings.n;
	} else if (is_called(info, "bytes") || is_called(info, "rows")) {
		c->rule = SIZE;
	} else if (is_called(info, "time")) {
		c->rule = TIME_OR_NONE;
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

struct long_row {
	const struct wl_family *family;
	size_t row;
};

static bool long_before(const void *ctx, size_t i)
{
	const struct long_row *w = ctx;

	return w->family->long_row[i] < w->row;
}

/* -1 when a long row is not in the side table. */
static wl_ns length(const struct wl_family *f, const uint32_t *dur, size_t row)
{
	size_t i;

	if (!dur || dur[row] != WL_LONG)
		return dur ? dur[row] : 0;
	i = wl_lower_bound(f->n_long, long_before, &(struct long_row){ f, row });
	return i < f->n_long && f->long_row[i] == row ? f->long_dur[i] : -1;
}

/* What a row is ordered by. */
struct place_in_order {
	uint64_t owner;
	wl_ns start, dur;
};

/* False when the row cannot be. */
static bool get_place(const struct checking *c, size_t row, struct place_in_order *ret)
{
	const struct wl_trace *t = c->all;
	bool by_device = wl_family_infos[c->id].order == WL_BY_DEVICE;
	uint32_t owner = ((const uint32_t *)t->column[c->key.owner])[row];
	const uint32_t *dur = c->key.dur < WL_N_COLUMNS ? t->column[c->key.dur] : NULL;

	if (owner >= (by_device ? t->n_places : t->n_threads))
		return false;
	ret->owner = by_device ? t->places[owner].device : t->threads[owner].global;
	ret->start = ((const wl_ns *)t->column[c->key.start])[row];
	ret->dur = length(c->family, dur, row);
	return ret->start >= -WL_TIME_MAX && ret->start <= WL_TIME_MAX && ret->dur >= 0 &&
	       ret->dur <= WL_TIME_MAX - ret->start &&
	       (ret->owner != WL_NONE || !by_device || c->id == WL_F_SYNCS);
}

static bool rows_in_order(const struct checking *c, size_t lo, size_t hi)
{
	struct place_in_order last, here;

	if (!get_place(c, lo > 0 ? lo - 1 : 0, &last))
		return false;
	for (size_t i = lo; i < hi; i++, last = here) {
		if (!get_place(c, i, &here) || here.owner < last.owner ||
		    (here.owner == last.owner &&
		     (here.start < last.start ||
		      (here.start == last.start && here.dur < last.dur))))
			return false;
	}
	return true;
}

static bool check_rows(void *ctx, size_t task, struct wl_arena *arena)
{
	const struct checking *c = ctx;
	size_t end = (task + 1) * TASK_ROWS < c->family->n ? (task + 1) * TASK_ROWS : c->family->n;
	bool ok = true;

	(void)arena;
	for (size_t lo = task * TASK_ROWS; ok && lo < end; lo += WL_SUM_ROWS) {
		size_t hi = end - lo < WL_SUM_ROWS ? end : lo + WL_SUM_ROWS;

		for (size_t i = 0; ok && i < c->n_columns; i++) {
			const struct column *col = &c->column[i];
			const void *data = c->all->column[col->id];

			c->sum[task][i] +=
				wl_checksum_rows(data, wl_column_infos[col->id].size, lo, hi);
			ok = values_ok(col, data, lo, hi);
		}
		ok = ok && (!c->order || rows_in_order(c, lo, hi));
	}
	return ok;
}

/* The side table of long rows is small, and needed before any row can be looked at. */
static bool longs_ok(const struct wl_index_file *file, const struct wl_family *f,
		     enum wl_family_id id)
{
	static const char *const parts[] = { "row", "dur" };
	const size_t sizes[] = { sizeof(*f->long_row), sizeof(*f->long_dur) };

	for (size_t i = 0; i < WL_COUNT(parts); i++) {
		char name[WL_SECTION_NAME];
		const struct wl_index_section *s;

		(void)snprintf(name, sizeof(name), "%s.long_%s", wl_family_infos[id].name,
			       parts[i]);
		s = wl_index_section_find(file, name, sizes[i]);
		if (!s || wl_checksum_rows(wl_index_section_data(file, s), sizes[i], 0,
					   f->n_long) != s->checksum)
			return false;
	}
	for (size_t i = 0; i < f->n_long; i++) {
		if (f->long_row[i] >= f->n || (i > 0 && f->long_row[i] <= f->long_row[i - 1]) ||
		    f->long_dur[i] < WL_LONG || f->long_dur[i] > 2 * WL_TIME_MAX)
			return false;
	}
	return true;
}

static bool gather(const struct wl_index_file *file, const struct wl_columns *columns,
		   struct checking *c)
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
		if (!s || c->n_columns + 1 == MAX_COLUMNS)
			return false;
		col->checksum = s->checksum;
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
		if (sum != c->column[i].checksum)
			return false;
	}
	return true;
}

bool wl_check_family(const struct wl_index_file *file, const struct wl_trace *all,
		     enum wl_family_id family, const struct wl_columns *columns,
		     struct wl_pool *pool)
{
	struct checking c = { .all = all, .family = &all->family[family], .id = family };
	size_t n_tasks = (c.family->n + TASK_ROWS - 1) / TASK_ROWS;
	struct wl_arena arena;
	bool ok = gather(file, columns, &c);

	c.key = wl_family_keys(family);
	c.order = wl_family_infos[family].order != WL_BY_ROW &&
		  wl_columns_has(columns, (enum wl_column_id)c.key.start);
	ok = ok && (!c.order || longs_ok(file, c.family, family));
	wl_arena_init(&arena, SIZE_MAX / 2);
	c.sum = wl_arena_calloc(&arena, n_tasks, sizeof(*c.sum));
	ok = ok && c.sum && wl_pool_map(pool, n_tasks, check_rows, &c, &arena) &&
	     sums_fit(&c, n_tasks);
	wl_arena_release(&arena);
	return ok;
}

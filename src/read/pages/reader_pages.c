/* SPDX-License-Identifier: MIT */
/*
 * reader_pages.c - the fast reader: walks the pages of the mapped file itself.
 *
 * SQLite opens the file too: it provides the schema and reads every table that the pages reader
 * does not fully understand. Such a file therefore gives the same rows or errors as with SQLite.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/pages/rows.h"

/* A table left to SQLite. The reason is a string constant. */
struct detour {
	char *table; /* owned */
	const char *why;
};

struct pages_reader {
	struct wl_reader base;
	char *path;
	const atomic_int *cancel;
	struct wl_reader *sqlite;
	struct wl_db_file db;
	const char *why_not;     /* why no table can be read here; usually NULL */
	struct wl_budget budget; /* budget of the vectors; child of the given one */
	struct wl_vec detours;   /* struct detour */
	struct wl_vec told;      /* char: the last result of detours() */
};

struct scanning {
	struct wl_scanning base;
	struct pages_reader *reader;
	const struct wl_scan *scan;
	struct wl_scanning *by_sqlite; /* if not NULL, it reads the whole table */
	struct wl_shape shape;
	struct wl_leaves leaves;
	struct wl_rows rows;
	size_t first_leaf[WL_SCAN_PARTS + 1];
};

static struct pages_reader *of(struct wl_reader *reader)
{
	return (struct pages_reader *)reader;
}

static void close_reader(struct wl_reader *reader)
{
	struct pages_reader *r = of(reader);

	if (!r)
		return;
	for (size_t i = 0; i < r->detours.n; i++)
		free(((struct detour *)r->detours.data)[i].table);
	wl_vec_release(&r->detours);
	wl_vec_release(&r->told);
	wl_db_file_close(&r->db);
	wl_reader_sqlite.close(r->sqlite);
	free(r->path);
	free(r);
}

static int open_reader(const char *path, const atomic_int *cancel, struct wl_budget *budget,
		       struct wl_reader **ret_reader, struct wl_err *reterr)
{
	struct pages_reader *r = calloc(1, sizeof(*r));
	int result;

	if (!r)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	r->budget.of = budget;
	wl_vec_init(&r->detours, sizeof(struct detour), &r->budget);
	wl_vec_init(&r->told, 1, &r->budget);
	r->base.ops = &wl_reader_pages;
	r->cancel = cancel;
	r->path = strdup(path);
	result = r->path ? wl_reader_sqlite.open(path, cancel, budget, &r->sqlite, reterr)
			 : wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	if (result == WL_OK)
		result = wl_db_file_open(path, &r->db, &r->why_not, reterr);
	if (result < 0) {
		close_reader(&r->base);
		return result;
	}
	*ret_reader = &r->base;
	return WL_OK;
}

static int list(struct wl_reader *reader, wl_list_fn *fn, void *ctx, struct wl_err *reterr)
{
	const struct pages_reader *r = of(reader);

	return wl_reader_sqlite.list(r->sqlite, fn, ctx, reterr);
}

static int estimate(struct wl_reader *reader, const char *table, int64_t *ret_rows,
		    struct wl_err *reterr)
{
	const struct pages_reader *r = of(reader);

	return wl_reader_sqlite.estimate(r->sqlite, table, ret_rows, reterr);
}

static const char *find_detour(const struct pages_reader *r, const char *table)
{
	const struct detour *d = r->detours.data;

	if (r->why_not)
		return r->why_not;
	for (size_t i = 0; i < r->detours.n; i++) {
		if (strcmp(d[i].table, table) == 0)
			return d[i].why;
	}
	return NULL;
}

static int put_detour(struct pages_reader *r, const char *table, const char *why,
		      struct wl_err *reterr)
{
	struct detour d = { strdup(table), why };

	if (d.table)
		wl_vec_push(&r->detours, &d);
	if (!d.table || r->detours.failed) {
		free(d.table);
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read it", r->path);
	}
	return WL_OK;
}

/* Finds the table's leaves; *ret_why as in wl_leaves_find. */
static int find_leaves(struct pages_reader *r, const struct wl_scan *scan, struct wl_shape *shape,
		       struct wl_leaves *ret, const char **ret_why, struct wl_err *reterr)
{
	struct wl_err err;
	int result = wl_sqlite_shape(r->sqlite, scan, shape, reterr);

	if (result == WL_OK)
		result = wl_leaves_find(&r->db, shape->root, r->cancel, &r->budget, ret, ret_why,
					&err);
	else
		return result;
	return result < 0 ? wl_fail(reterr, err.code, "%s: %s", r->path, err.msg) : WL_OK;
}

static int shrank(const struct pages_reader *r, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_IO,
		       "%s: changed while it was read: it is shorter now; wait until it is written",
		       r->path);
}

static int count(struct wl_reader *reader, const char *table, int64_t *ret_rows,
		 struct wl_err *reterr)
{
	struct pages_reader *r = of(reader);
	const struct wl_scan scan = { .table = table };
	struct wl_leaves leaves = { .rows = 0 };
	struct wl_shape shape;
	const char *why = find_detour(r, table);
	int result = WL_OK;

	if (!why)
		result = find_leaves(r, &scan, &shape, &leaves, &why, reterr);
	if (result == WL_OK && !why)
		*ret_rows = leaves.rows;
	wl_leaves_release(&leaves);
	if (result == WL_OK && why)
		result = wl_reader_sqlite.count(r->sqlite, table, ret_rows, reterr);
	if (result == WL_OK && !r->why_not && !wl_map_is_whole(&r->db.map))
		result = shrank(r, reterr);
	return result;
}

/* Splits the leaves evenly: rows of one table are of similar size. */
static void cut(struct scanning *s, size_t max_parts)
{
	const uint16_t *cells = s->leaves.cells.data;
	size_t n = s->leaves.page.n;

	max_parts = max_parts < WL_SCAN_PARTS ? max_parts : WL_SCAN_PARTS;
	s->base.n_parts = n < max_parts ? n : max_parts;
	s->base.n_parts = s->base.n_parts ? s->base.n_parts : 1;
	for (size_t part = 0; part <= s->base.n_parts; part++)
		s->first_leaf[part] = n * part / s->base.n_parts;
	for (size_t part = 0; part < s->base.n_parts; part++) {
		for (size_t i = s->first_leaf[part]; i < s->first_leaf[part + 1]; i++)
			s->base.rows[part] += cells[i];
	}
}

static void end(struct wl_scanning *scanning)
{
	struct scanning *s = (struct scanning *)scanning;

	if (s->by_sqlite)
		wl_reader_sqlite.end(s->by_sqlite);
	wl_leaves_release(&s->leaves);
	free(s);
}

static int leave_to_sqlite(struct scanning *s, struct wl_err *reterr)
{
	int result = wl_reader_sqlite.begin(s->reader->sqlite, s->scan, 1, &s->by_sqlite, reterr);

	if (result == WL_OK)
		s->base = *s->by_sqlite;
	return result;
}

static int begin(struct wl_reader *reader, const struct wl_scan *scan, size_t max_parts,
		 struct wl_scanning **ret_scanning, struct wl_err *reterr)
{
	struct pages_reader *r = of(reader);
	struct scanning *s = calloc(1, sizeof(*s));
	const char *why = find_detour(r, scan->table);
	bool is_known = why != NULL;
	int result = WL_OK;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to read %s", r->path,
			       scan->table);
	s->reader = r;
	s->scan = scan;
	if (!why)
		result = find_leaves(r, scan, &s->shape, &s->leaves, &why, reterr);
	if (result == WL_OK && why && !is_known)
		result = put_detour(r, scan->table, why, reterr);
	if (result == WL_OK && why)
		result = leave_to_sqlite(s, reterr);
	if (result < 0) {
		end(&s->base);
		return result;
	}
	if (!s->by_sqlite) {
		s->rows = (struct wl_rows){ .path = r->path,
					    .db = &r->db,
					    .scan = scan,
					    .shape = &s->shape,
					    .leaves = &s->leaves,
					    .cancel = r->cancel,
					    .budget = &r->budget,
					    .overflow_left = 2 * (int64_t)r->db.map.size };
		cut(s, max_parts);
	}
	*ret_scanning = &s->base;
	return WL_OK;
}

static int read_part(struct wl_scanning *scanning, size_t part, wl_batch_fn *fn, void *ctx,
		     struct wl_err *reterr)
{
	struct scanning *s = (struct scanning *)scanning;
	int result;

	if (s->by_sqlite)
		return wl_reader_sqlite.read_part(s->by_sqlite, part, fn, ctx, reterr);
	result = wl_rows_read(&s->rows, s->first_leaf[part], s->first_leaf[part + 1], fn, ctx,
			      reterr);
	if (!wl_map_is_whole(&s->reader->db.map))
		return shrank(s->reader, reterr);
	return result;
}

static void end_scan(struct wl_scanning *scanning)
{
	struct scanning *s = (struct scanning *)scanning;
	const char *why = atomic_load(&s->rows.why);

	/* If there is no memory for the note, the next scan fails again, which is no worse than
	 * failing now. */
	if (why)
		(void)put_detour(s->reader, s->scan->table, why, NULL);
	end(scanning);
}

static int check(struct wl_reader *reader, struct wl_err *reterr)
{
	struct pages_reader *r = of(reader);

	if (!r->why_not && !wl_map_is_whole(&r->db.map))
		return shrank(r, reterr);
	return wl_reader_sqlite.check(r->sqlite, reterr);
}

static void note_left_to_sqlite(struct pages_reader *r, const char *table, const char *why)
{
	size_t n = strlen(table) + strlen(why) + 4;
	char *to = wl_vec_extend(&r->told, n);

	if (!to)
		return;
	(void)snprintf(to, n, "%s: %s\n", table, why);
	r->told.n--; /* the next line overwrites the NUL */
}

static const char *detours(struct wl_reader *reader)
{
	struct pages_reader *r = of(reader);
	const struct detour *d = r->detours.data;

	r->told.n = 0;
	if (r->why_not)
		note_left_to_sqlite(r, "all tables", r->why_not);
	for (size_t i = 0; i < r->detours.n; i++)
		note_left_to_sqlite(r, d[i].table, d[i].why);
	return r->told.n ? r->told.data : NULL;
}

const struct wl_reader_ops wl_reader_pages = {
	.name = "pages",
	.open = open_reader,
	.close = close_reader,
	.list = list,
	.estimate = estimate,
	.count = count,
	.begin = begin,
	.read_part = read_part,
	.end = end_scan,
	.check = check,
	.detours = detours,
};

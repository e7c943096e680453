/* SPDX-License-Identifier: MIT */
#include "support/compare_readers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/pool.h"
#include "support/cells.h"
#include "support/random.h"

enum { N_THREADS = 3, ARENA_BYTES = 1 << 20 };

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* All tables: for each column the names of table, column and type, each with its NUL. */
struct listing {
	char *text;
	size_t n_bytes, room;
	size_t n_columns;
};

struct comparer {
	struct wl_pool *pool;
	uint64_t random;
	enum compare_how how;
	struct compared total;
	struct listing list[2]; /* of the oracle, and of the other */
	struct cells want, got[WL_SCAN_PARTS];
	bool retried; /* the table at hand */
	bool stopped; /* the file is damaged: what SQLite says from now on depends on its cache */
	char why[2048];
};

struct comparer *comparer_new(void)
{
	struct comparer *c = must(calloc(1, sizeof(*c)));

	c->pool = must(wl_pool_new(N_THREADS));
	return c;
}

void comparer_free(struct comparer *c)
{
	wl_pool_free(c->pool);
	free(c->list[0].text);
	free(c->list[1].text);
	cells_release(&c->want);
	for (size_t i = 0; i < WL_SCAN_PARTS; i++)
		cells_release(&c->got[i]);
	free(c);
}

struct compared comparer_total(const struct comparer *c)
{
	return c->total;
}

WL_PRINTF(2, 3) static bool differ(struct comparer *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, a line above */
	(void)vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
	return false;
}

/* Both are status 3 to the user, and who notices damage first is left open. */
static int class_of(int code)
{
	return code == WL_E_IO ? WL_E_FORMAT : code;
}

/* How a call ended. */
struct ending {
	int code;
	struct wl_err err;
};

static bool well(const struct ending *a, const struct ending *b)
{
	return a->code == WL_OK && b->code == WL_OK;
}

/* Whether both calls ended alike. A damaged file may be refused by one of the two. */
static bool same_end(struct comparer *c, const char *what, const struct ending *want,
		     const struct ending *got)
{
	c->stopped |= c->how == COMPARE_DAMAGED && !well(want, got);
	if (class_of(want->code) == class_of(got->code)) {
		c->total.refused += want->code != WL_OK;
		return true;
	}
	if (c->how == COMPARE_DAMAGED)
		return true;
	return differ(c, "%s: sqlite ends with %d (%s), pages with %d (%s)", what, want->code,
		      want->code ? want->err.msg : "well", got->code,
		      got->code ? got->err.msg : "well");
}

static void put_name(struct listing *l, const char *name)
{
	size_t n = strlen(name) + 1;

	if (l->room - l->n_bytes < n) {
		l->room = (l->n_bytes + n) * 2 + 256;
		l->text = must(realloc(l->text, l->room));
	}
	memcpy(l->text + l->n_bytes, name, n);
	l->n_bytes += n;
}

static int take_name(void *ctx, const char *table, const char *column, const char *type,
		     struct wl_err *reterr)
{
	struct listing *l = ctx;

	(void)reterr;
	put_name(l, table);
	put_name(l, column);
	put_name(l, type);
	l->n_columns++;
	return WL_OK;
}

static const char *after(const char *name)
{
	return name + strlen(name) + 1;
}

static bool same_lists(struct comparer *c)
{
	const char *want = c->list[0].text;
	const char *got = c->list[1].text;
	size_t n = c->list[0].n_columns;

	if (n != c->list[1].n_columns)
		return differ(c, "sqlite lists %zu columns, pages %zu", n, c->list[1].n_columns);
	for (size_t i = 0; i < 3 * n; i++, want = after(want), got = after(got)) {
		if (strcmp(want, got) != 0)
			return differ(c, "column %zu of the list: sqlite has \"%s\", pages \"%s\"",
				      i / 3, want, got);
	}
	return true;
}

static struct ending read_wanted(struct comparer *c, struct wl_reader *reader,
				 const struct wl_scan *scan)
{
	struct cells_reading r = { scan, &c->want };
	struct wl_scanning *s = NULL;
	struct ending end = { .code = WL_OK };

	cells_forget(&c->want);
	end.code = wl_reader_sqlite.begin(reader, scan, 1, &s, &end.err);
	if (end.code < 0)
		return end;
	for (size_t i = 0; i < s->n_parts && end.code == WL_OK; i++)
		end.code = wl_reader_sqlite.read_part(s, i, cells_take, &r, &end.err);
	wl_reader_sqlite.end(s);
	return end;
}

enum order { FORWARDS, BACKWARDS, THREADS, N_ORDERS };

/* How a scan is cut, and in which order its parts are read. */
struct way {
	size_t max_parts;
	enum order order;
};

/* A scan of the pages reader under way. */
struct parts {
	struct comparer *comparer;
	const struct wl_scan *scan;
	struct wl_scanning *scanning;
	struct ending end[WL_SCAN_PARTS];
};

static bool read_one(void *ctx, size_t i, struct wl_arena *arena)
{
	struct parts *p = ctx;
	struct cells_reading r = { p->scan, &p->comparer->got[i] };

	(void)arena;
	cells_forget(r.cells);
	p->end[i].code = wl_reader_pages.read_part(p->scanning, i, cells_take, &r, &p->end[i].err);
	return true;
}

static void read_all(struct parts *p, enum order order)
{
	struct wl_arena arena;
	size_t n = p->scanning->n_parts;

	if (order == THREADS && n > 1) {
		wl_arena_init(&arena, ARENA_BYTES);
		if (!wl_pool_map(p->comparer->pool, n, read_one, p, &arena))
			abort();
		wl_arena_release(&arena);
		return;
	}
	for (size_t i = 0; i < n; i++)
		(void)read_one(p, order == BACKWARDS ? n - 1 - i : i, NULL);
}

/* The first part that failed, but any that asks to begin again. */
static struct ending end_of(const struct parts *p)
{
	struct ending end = { .code = WL_OK };

	for (size_t i = p->scanning->n_parts; i-- > 0 && end.code != WL_E_RETRY;) {
		if (p->end[i].code != WL_OK)
			end = p->end[i];
	}
	return end;
}

static bool parts_are_true(struct comparer *c, const struct parts *p, size_t max_parts)
{
	size_t n = p->scanning->n_parts;

	if (n < 1 || n > max_parts)
		return differ(c, "table %s: %zu parts where at most %zu were asked for",
			      p->scan->table, n, max_parts);
	for (size_t i = 0; i < n; i++) {
		int64_t rows = p->scanning->rows[i];

		if (c->got[i].broken)
			return differ(c, "table %s, part %zu: %s", p->scan->table, i,
				      c->got[i].broken);
		if (p->end[i].code == WL_OK && rows >= 0 && rows != c->got[i].rows)
			return differ(c,
				      "table %s, part %zu of %zu: %" PRId64 " rows instead of the "
				      "%" PRId64 " it was said to have",
				      p->scan->table, i, n, c->got[i].rows, rows);
	}
	return true;
}

/* One attempt; *ret_end is what the reader said. */
static bool try_parts(struct comparer *c, struct wl_reader *reader, const struct wl_scan *scan,
		      struct way way, struct ending *ret_end)
{
	struct parts p = { .comparer = c, .scan = scan };
	bool same = true;

	ret_end->code =
		wl_reader_pages.begin(reader, scan, way.max_parts, &p.scanning, &ret_end->err);
	if (ret_end->code < 0)
		return true;
	if (p.scanning->n_parts >= 1 && p.scanning->n_parts <= way.max_parts) {
		read_all(&p, way.order);
		*ret_end = end_of(&p);
	}
	if (ret_end->code != WL_E_RETRY)
		same = parts_are_true(c, &p, way.max_parts);
	for (size_t i = 1; same && ret_end->code == WL_OK && i < p.scanning->n_parts; i++)
		cells_append(&c->got[0], &c->got[i]);
	c->total.parts += p.scanning->n_parts - 1;
	wl_reader_pages.end(p.scanning);
	return same;
}

static bool read_got(struct comparer *c, struct wl_reader *reader, const struct wl_scan *scan,
		     struct way way, struct ending *ret_end)
{
	if (!try_parts(c, reader, scan, way, ret_end))
		return false;
	if (ret_end->code == WL_E_RETRY && !c->retried) {
		c->retried = true;
		c->total.retries++;
		if (!try_parts(c, reader, scan, way, ret_end))
			return false;
	}
	return ret_end->code != WL_E_RETRY ||
	       differ(c, "table %s is begun again for the second time", scan->table);
}

static bool same_cells(struct comparer *c, const struct wl_scan *scan)
{
	c->total.rows += (uint64_t)c->want.rows;
	c->total.cells += (uint64_t)c->want.rows * scan->n_columns;
	return cells_same(&c->want, &c->got[0], scan, c->why, sizeof(c->why));
}

static const size_t part_counts[] = { 1, 2, 7, WL_SCAN_PARTS };

/* One file that both readers have open. */
struct both {
	struct wl_reader *sqlite, *pages;
};

static bool compare_parts(struct comparer *c, const struct both *both, const struct wl_scan *scan,
			  struct way way, const struct ending *want)
{
	struct ending got = { .code = WL_OK };

	c->total.scans++;
	if (!read_got(c, both->pages, scan, way, &got) || !same_end(c, scan->table, want, &got))
		return false;
	return !well(want, &got) || same_cells(c, scan);
}

enum { N_WAYS = WL_COUNT(part_counts) * N_ORDERS };

static struct way way_at(size_t i)
{
	return (struct way){ part_counts[i / N_ORDERS], (enum order)(i % N_ORDERS) };
}

/* A fuzzer wants no threads. */
static struct way choose_way(struct comparer *c)
{
	struct way way = way_at(random_below(&c->random, N_WAYS));

	if (c->how == COMPARE_DAMAGED && way.order == THREADS)
		way.order = FORWARDS;
	return way;
}

static bool compare_scan(struct comparer *c, const struct both *both, const struct wl_scan *scan)
{
	static const size_t tries[] = {
		[COMPARE_SOME] = 2, [COMPARE_ALL] = N_WAYS, [COMPARE_DAMAGED] = 1
	};
	struct ending want = read_wanted(c, both->sqlite, scan);

	if (c->want.broken)
		return differ(c, "sqlite: table %s: %s", scan->table, c->want.broken);
	for (size_t i = 0; i < tries[c->how] && !c->stopped; i++) {
		struct way way = c->how == COMPARE_ALL ? way_at(i) : choose_way(c);

		if (!compare_parts(c, both, scan, way, &want))
			return false;
	}
	return true;
}

static bool compare_counts(struct comparer *c, const struct both *both, const char *table)
{
	struct ending want = { .code = WL_OK }, got = { .code = WL_OK };
	int64_t rows = 0, other = 0, guess = 0;

	want.code = wl_reader_sqlite.count(both->sqlite, table, &rows, &want.err);
	got.code = wl_reader_pages.count(both->pages, table, &other, &got.err);
	if (!same_end(c, table, &want, &got))
		return false;
	if (!well(&want, &got))
		return true;
	if (rows != other)
		return differ(c, "table %s: sqlite counts %" PRId64 " rows, pages %" PRId64, table,
			      rows, other);
	got.code = wl_reader_pages.estimate(both->pages, table, &guess, &got.err);
	if (got.code < 0)
		return differ(c, "table %s: pages guesses no rows: %s", table, got.err.msg);
	if (guess < 0 || (guess == 0) != (rows == 0))
		return differ(c, "table %s: pages guesses %" PRId64 " rows, there are %" PRId64,
			      table, guess, rows);
	return true;
}

/* The columns of a table, in a listing. */
struct columns {
	const char *table, *first;
	size_t n;
};

static const char *column_at(const struct columns *columns, size_t i)
{
	const char *name = columns->first;

	while (i-- > 0)
		name = after(after(after(name))); /* type, table */
	return name;
}

enum { N_KINDS = 6 };

/* Kinds 0 to 2: neighbours, all as one want. The others: any columns, any wants. */
static void choose(struct comparer *c, const struct columns *columns, unsigned kind,
		   struct wl_scan *ret)
{
	size_t n = columns->n < WL_SCAN_COLUMNS ? columns->n : WL_SCAN_COLUMNS;
	size_t first = random_below(&c->random, (uint32_t)(columns->n - n + 1));

	*ret = (struct wl_scan){ .table = columns->table, .n_columns = n };
	if (kind > 2)
		ret->n_columns = 1 + random_below(&c->random, WL_SCAN_COLUMNS);
	for (size_t i = 0; i < ret->n_columns; i++) {
		size_t at = kind <= 2 ? first + i : random_below(&c->random, (uint32_t)columns->n);

		ret->column[i] = column_at(columns, at);
		ret->want[i] = (enum wl_want)(kind <= 2 ? kind : random_below(&c->random, 3));
	}
}

static bool compare_table(struct comparer *c, const struct both *both,
			  const struct columns *columns)
{
	bool counted_late = random_below(&c->random, 2);
	struct wl_scan scan;

	c->total.tables++;
	c->retried = false;
	if (!counted_late && !compare_counts(c, both, columns->table))
		return false;
	for (unsigned kind = 0; kind < N_KINDS && !c->stopped; kind++) {
		if (c->how != COMPARE_ALL && random_below(&c->random, 2))
			continue;
		choose(c, columns, kind, &scan);
		if (!compare_scan(c, both, &scan))
			return false;
	}
	return !counted_late || c->stopped || compare_counts(c, both, columns->table);
}

static bool compare_tables(struct comparer *c, const struct both *both)
{
	const char *name = c->list[0].text;
	size_t left = c->list[0].n_columns;

	while (left > 0 && !c->stopped) {
		struct columns columns = { .table = name, .first = after(name) };

		for (; left > 0 && strcmp(name, columns.table) == 0; left--, columns.n++)
			name = after(after(after(name)));
		if (!compare_table(c, both, &columns))
			return false;
	}
	return true;
}

/*
 * SQLite wrote the file, so that there are few reasons to leave a table to it; any other
 * would hide a mistake of the pages reader.
 */
static bool detours_are_right(struct comparer *c, const struct both *both)
{
	static const char *const right[] = { ": WITHOUT ROWID", "not stored as UTF-8",
					     "a column that has a default" };
	const char *line = wl_reader_pages.detours(both->pages);

	while (c->how == COMPARE_SOME && line && *line) {
		size_t n = strcspn(line, "\n"), known = 0;

		for (size_t i = 0; i < WL_COUNT(right); i++)
			known += memmem(line, n, right[i], strlen(right[i])) != NULL;
		if (known == 0)
			return differ(c, "left to sqlite: %.*s", (int)n, line);
		line += n + (line[n] != 0);
	}
	return true;
}

static bool compare_open(struct comparer *c, const struct both *both)
{
	struct ending want = { .code = WL_OK }, got = { .code = WL_OK };

	for (size_t i = 0; i < 2; i++)
		c->list[i].n_bytes = c->list[i].n_columns = 0;
	want.code = wl_reader_sqlite.list(both->sqlite, take_name, &c->list[0], &want.err);
	got.code = wl_reader_pages.list(both->pages, take_name, &c->list[1], &got.err);
	if (!same_end(c, "list", &want, &got))
		return false;
	if (!well(&want, &got))
		return true;
	if (!same_lists(c) || !compare_tables(c, both) || !detours_are_right(c, both))
		return false;
	want.code = wl_reader_sqlite.check(both->sqlite, &want.err);
	got.code = wl_reader_pages.check(both->pages, &got.err);
	return same_end(c, "check", &want, &got);
}

const char *comparer_run(struct comparer *c, const char *path, uint64_t seed, enum compare_how how)
{
	struct ending want = { .code = WL_OK }, got = { .code = WL_OK };
	struct both both = { NULL, NULL };
	bool same;

	c->random = seed;
	c->how = how;
	c->stopped = false;
	want.code = wl_reader_sqlite.open(path, NULL, NULL, &both.sqlite, &want.err);
	got.code = wl_reader_pages.open(path, NULL, NULL, &both.pages, &got.err);
	same = same_end(c, "open", &want, &got);
	if (same && well(&want, &got))
		same = compare_open(c, &both);
	if (got.code == WL_OK)
		wl_reader_pages.close(both.pages);
	if (want.code == WL_OK)
		wl_reader_sqlite.close(both.sqlite);
	return same ? NULL : c->why;
}

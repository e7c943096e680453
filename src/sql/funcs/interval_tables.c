/* SPDX-License-Identifier: MIT */
/*
 * interval_tables.c - each_interval and overlap_count: rows of a set of intervals.
 *
 * Both are tables without a name in the schema whose hidden columns are their arguments. A cursor
 * holds a reference to the set and makes a row at a time; overlap_count adds the ends in order,
 * eight bytes for each interval.
 */
#include <stdlib.h>

#include "base/memory/sort.h"
#include "base/num.h"
#include "sql/funcs/funcs_parts.h"
#include "sql/funcs/span_set.h"

struct set_table {
	sqlite3_vtab base;
	struct wl_sql_context *ctx;
	bool counts; /* overlap_count */
};

struct set_cursor {
	sqlite3_vtab_cursor base;
	struct wl_span_set *set; /* NULL before the first filter */
	struct wl_vec ends;      /* wl_ns, in order; of overlap_count */
	size_t at;               /* each_interval: which; overlap_count: rows so far */
	bool eof;
	/* overlap_count: what began and ended up to time, and the row. */
	size_t begun, ended;
	wl_ns bin;  /* 0: steps */
	wl_ns time; /* where the row begins */
	wl_ns until;
	double mean;
	size_t value, peak; /* value of steps */
};

enum each_column { EACH_START, EACH_END, EACH_DURATION, EACH_SET };
enum count_column { COUNT_TIME, COUNT_VALUE, COUNT_DURATION, COUNT_PEAK, COUNT_SET, COUNT_BIN };

static int connect_any(sqlite3 *db, struct wl_sql_context *ctx, bool counts, sqlite3_vtab **ret,
		       const char *schema)
{
	struct set_table *t;
	int r = wl_sql_context_declare(ctx, db, schema);

	if (r != SQLITE_OK)
		return r;
	t = sqlite3_malloc64(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct set_table){ .ctx = ctx, .counts = counts };
	*ret = &t->base;
	return SQLITE_OK;
}

static int connect_each(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **ret, char **reterr)
{
	(void)argc;
	(void)argv;
	(void)reterr;
	return connect_any(db, aux, false, ret,
			   "CREATE TABLE x(start INTEGER TIME, \"end\" INTEGER TIME, duration "
			   "INTEGER NS, \"set\" HIDDEN)");
}

static int connect_count(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **reterr)
{
	(void)argc;
	(void)argv;
	(void)reterr;
	return connect_any(db, aux, true, ret,
			   "CREATE TABLE x(time INTEGER TIME, value, duration INTEGER NS, peak "
			   "INTEGER COUNT, \"set\" HIDDEN, bin INTEGER NS HIDDEN)");
}

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* The set is the first argument of xFilter, the bin the second; idxNum says which there are. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct set_table *t = (const struct set_table *)vtab;
	int first = t->counts ? COUNT_SET : EACH_SET;
	int at[2] = { -1, -1 };

	for (int i = 0; i < info->nConstraint; i++) {
		int arg = info->aConstraint[i].iColumn - first;

		if (arg < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		at[arg] = i;
	}
	for (int arg = 0, n = 0; arg < 2; arg++) {
		if (at[arg] < 0)
			continue;
		info->aConstraintUsage[at[arg]].argvIndex = ++n;
		info->aConstraintUsage[at[arg]].omit = 1;
		info->idxNum |= 1 << arg;
	}
	info->estimatedCost = 1000;
	info->estimatedRows = 1000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **ret)
{
	const struct set_table *t = (const struct set_table *)vtab;
	struct set_cursor *c = sqlite3_malloc64(sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct set_cursor){ .eof = true };
	wl_vec_init(&c->ends, sizeof(wl_ns), t->ctx->budget);
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct set_cursor *c = (struct set_cursor *)cursor;

	wl_span_set_unref(c->set);
	wl_vec_release(&c->ends);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int refuse(sqlite3_vtab *vtab, const char *fmt, const char *name)
{
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf(fmt, name);
	return SQLITE_ERROR;
}

/* ---- overlap_count ---- */

static const struct wl_interval *begins(const struct set_cursor *c)
{
	return c->set->list.data;
}

static size_t under_way(const struct set_cursor *c)
{
	return c->begun - c->ended;
}

/* When the number changes next; false past the last end, which comes after all begins. */
static bool next_event(const struct set_cursor *c, wl_ns *ret)
{
	const wl_ns *end = c->ends.data;

	if (c->ended >= c->ends.n)
		return false;
	*ret = end[c->ended];
	if (c->begun < c->ends.n && begins(c)[c->begun].begin < *ret)
		*ret = begins(c)[c->begun].begin;
	return true;
}

/* All that begins or ends by then has. */
static void pass(struct set_cursor *c, wl_ns time)
{
	const wl_ns *end = c->ends.data;

	while (c->begun < c->ends.n && begins(c)[c->begun].begin <= time)
		c->begun++;
	while (c->ended < c->ends.n && end[c->ended] <= time)
		c->ended++;
}

/* The next stretch of time with one number: from where the last one ended. */
static void next_step(struct set_cursor *c)
{
	wl_ns event;

	/* The row before was the last: nothing is under way any more. */
	if (!next_event(c, &event)) {
		c->eof = true;
		return;
	}
	c->time = event;
	pass(c, event);
	c->value = c->peak = under_way(c);
	c->until = c->time;
	/* What ends where another one begins is no change. */
	while (next_event(c, &event)) {
		size_t begun = c->begun, ended = c->ended;

		c->until = event;
		pass(c, event);
		if (under_way(c) == c->value)
			continue;
		c->begun = begun;
		c->ended = ended;
		return;
	}
}

/* The largest multiple of the bin up to the time. */
static wl_ns bin_of(wl_ns time, wl_ns bin)
{
	wl_ns rest = time % bin;

	return time - (rest < 0 ? rest + bin : rest);
}

static void next_bin(struct set_cursor *c)
{
	wl_u128 area = 0;
	wl_ns event, from;

	c->time = c->at ? c->until : bin_of(begins(c)[0].begin, c->bin);
	/* What ends where the bin begins is not in it. */
	pass(c, c->time);
	c->until = from = c->time;
	if (!next_event(c, &event)) {
		c->eof = true;
		return;
	}
	c->until += c->bin;
	c->peak = under_way(c);
	for (; next_event(c, &event) && event < c->until; from = event) {
		area += (wl_u128)under_way(c) * (wl_u128)(event - from);
		pass(c, event);
		c->peak = under_way(c) > c->peak ? under_way(c) : c->peak;
	}
	area += (wl_u128)under_way(c) * (wl_u128)(c->until - from);
	c->mean = (double)area / (double)c->bin;
}

static int begin_count(struct set_cursor *c)
{
	wl_ns *end;

	c->begun = c->ended = 0;
	c->ends.n = 0;
	if (c->set->list.n == 0)
		return SQLITE_OK;
	end = wl_vec_extend(&c->ends, c->set->list.n);
	if (!end)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < c->ends.n; i++)
		end[i] = begins(c)[i].end;
	wl_sort_i64(end, c->ends.n);
	return SQLITE_OK;
}

/* ---- both ---- */

static int next(sqlite3_vtab_cursor *cursor)
{
	struct set_cursor *c = (struct set_cursor *)cursor;

	c->at++;
	if (!((const struct set_table *)cursor->pVtab)->counts)
		c->eof = c->at >= c->set->join.n;
	else if (c->bin)
		next_bin(c);
	else
		next_step(c);
	return SQLITE_OK;
}

static int take_bin(struct set_cursor *c, sqlite3_value *value)
{
	c->bin = sqlite3_value_int64(value);
	if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER && c->bin > 0 &&
	    c->bin <= WL_TIME_MAX)
		return SQLITE_OK;
	return refuse(c->base.pVtab, "%s: the bin is a number of nanoseconds above 0",
		      "overlap_count");
}

static int filter(sqlite3_vtab_cursor *cursor, int idx, const char *idx_str, int n,
		  sqlite3_value **arg)
{
	struct set_cursor *c = (struct set_cursor *)cursor;
	const struct set_table *t = (const struct set_table *)cursor->pVtab;
	struct wl_span_set *set = idx & 1 ? wl_span_set_of(arg[0]) : NULL;
	int r = SQLITE_OK;

	(void)idx_str;
	wl_span_set_unref(c->set);
	c->set = NULL;
	c->eof = true;
	if (!set)
		return refuse(cursor->pVtab, WL_NO_SPAN_SET,
			      t->counts ? "overlap_count" : "each_interval");
	c->set = wl_span_set_ref(set);
	c->bin = 0;
	c->at = 0;
	if (idx & 2)
		r = take_bin(c, arg[n - 1]);
	if (r == SQLITE_OK && t->counts)
		r = begin_count(c);
	if (r != SQLITE_OK)
		return r;
	c->eof = c->set->join.n == 0;
	if (!c->eof && c->bin)
		next_bin(c);
	else if (!c->eof && t->counts)
		next_step(c);
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((const struct set_cursor *)cursor)->eof;
}

static void put_each(const struct set_cursor *c, sqlite3_context *to, int column)
{
	const struct wl_interval *at = &c->set->join.at[c->at];

	if (column == EACH_START)
		sqlite3_result_int64(to, at->begin);
	else if (column == EACH_END)
		sqlite3_result_int64(to, at->end);
	else if (column == EACH_DURATION)
		sqlite3_result_int64(to, at->end - at->begin);
}

static void put_count(const struct set_cursor *c, sqlite3_context *to, int column)
{
	if (column == COUNT_TIME)
		sqlite3_result_int64(to, c->time);
	else if (column == COUNT_VALUE && c->bin)
		sqlite3_result_double(to, c->mean);
	else if (column == COUNT_VALUE)
		sqlite3_result_int64(to, (sqlite3_int64)c->value);
	else if (column == COUNT_DURATION)
		sqlite3_result_int64(to, c->until - c->time);
	else if (column == COUNT_PEAK)
		sqlite3_result_int64(to, (sqlite3_int64)c->peak);
	else if (column == COUNT_BIN && c->bin)
		sqlite3_result_int64(to, c->bin);
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int which)
{
	const struct set_cursor *c = (const struct set_cursor *)cursor;

	if (((const struct set_table *)cursor->pVtab)->counts)
		put_count(c, to, which);
	else
		put_each(c, to, which);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct set_cursor *)cursor)->at;
	return SQLITE_OK;
}

#define SET_MODULE(connect)                                                                        \
	{                                                                                          \
		.xCreate = (connect), .xConnect = (connect), .xBestIndex = best_index,             \
		.xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = open_cursor,           \
		.xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = at_end,          \
		.xColumn = column, .xRowid = rowid                                                 \
	}

const sqlite3_module wl_sqlm_each_interval = SET_MODULE(connect_each);
const sqlite3_module wl_sqlm_overlap_count = SET_MODULE(connect_count);

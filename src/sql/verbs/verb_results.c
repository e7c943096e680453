/* SPDX-License-Identifier: MIT */
#include "sql/verbs/verb_results.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "session/open/session.h"

/* What is kept over runs at most. */
enum { MAX_KEPT = 64, MAX_KEPT_BYTES = 256 << 20 };

/* Bytes for an empty table, of which only the columns are looked at. */
enum { COLUMNS_BUDGET = 1 << 20 };

struct entry {
	struct entry *next;
	char *key;             /* of the call; the arena's */
	const char *name;      /* of the verb */
	struct wl_arena arena; /* of everything in it */
	struct wl_sql_result result;
	bool is_used; /* in the run */
};

struct wl_sql_results {
	struct entry *first;
	size_t n;
};

/* ---- Keys ---- */

static size_t add_key(char *to, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	if (to) {
		*to++ = text ? '=' : '-';
		if (n)
			memcpy(to, text, n);
	}
	return n + 1;
}

/* All that decides the answer, each text with its NUL. Returns the bytes; to may be NULL. */
static size_t make_key(const struct wl_sql_call *c, char *to)
{
	struct wl_request request = c->ask.is;
	size_t used = sizeof(c->trace);

	if (to)
		memcpy(to, &c->trace, sizeof(c->trace));
	used += add_key(to ? to + used : NULL, c->shape->name);
	for (size_t i = 0; i < WL_N_SELECTING; i++)
		used += add_key(to ? to + used : NULL,
				*wl_request_place(&request, wl_common_keys[i]));
	for (size_t i = 0; i < c->shape->analysis->n_params; i++)
		used += add_key(to ? to + used : NULL, c->ask.args[i]);
	return used;
}

static struct entry *find(const struct wl_sql_results *all, const char *key, size_t n)
{
	for (struct entry *e = all->first; e; e = e->next) {
		size_t length;

		memcpy(&length, e->key, sizeof(length));
		if (length == n && memcmp(e->key + sizeof(length), key, n) == 0)
			return e;
	}
	return NULL;
}

/* ---- Results ---- */

static void free_entry(struct entry *e)
{
	wl_arena_release(&e->arena);
	free(e);
}

/* Texts may be the session's; those of one column mostly repeat. */
static bool own_texts(struct wl_table *t, struct wl_arena *arena)
{
	for (size_t col = 0; col < t->n_cols; col++) {
		const char *from = NULL, *copy = NULL;

		if (!wl_type_is_text(t->cols[col].type) || t->hidden >> col & 1)
			continue;
		for (size_t row = 0; row < t->n_rows; row++) {
			struct wl_cell c = wl_table_at(t, row, col);

			if (!c.set)
				continue;
			if (c.str != from)
				copy = wl_arena_strdup(arena, c.str);
			if (!copy)
				return false;
			from = c.str;
			wl_table_replace(t, row, col, copy);
		}
	}
	return true;
}

static int no_memory(const struct wl_sql_call *call, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for its table", call->shape->name);
}

/* Where the columns are: an answer by a coordinate of ranks has them in another order. */
static void place_columns(const struct wl_analysis *a, struct wl_sql_result *r)
{
	for (size_t i = 0; i < a->n_cols; i++) {
		size_t at;

		r->at[i] = -1;
		if (wl_table_find_col(r->table, a->cols[i].key, &at))
			r->at[i] = (int16_t)at;
	}
}

static int ask(struct wl_sql *sql, const struct wl_sql_call *call, struct entry *e,
	       struct wl_err *reterr)
{
	const struct wl_sql_shape *shape = call->shape;
	struct wl_request request = call->ask.is;
	struct wl_table *table = WL_NEW(&e->arena, struct wl_table, 1);
	struct wl_document doc;
	int r;

	if (!table)
		return no_memory(call, reterr);
	request.marker = sql->opts.marker;
	request.conventions = sql->opts.conventions;
	request.no_limits = true;
	request.pool = sql->opts.pool;
	request.stop = &sql->stop;
	r = wl_session_run(sql->opts.traces[call->trace].session, &request, &e->arena, &doc,
			   reterr);
	if (r < 0)
		return r;
	*table = *doc.sections[0].view.table;
	e->result.table = table;
	e->result.rows = doc.sections[0].view.rows;
	e->result.n_rows = doc.sections[0].view.n_rows;
	if (!own_texts(table, &e->arena))
		return no_memory(call, reterr);
	place_columns(shape->analysis, &e->result);
	return WL_OK;
}

static int add(struct wl_sql *sql, const struct wl_sql_call *call, size_t n_key, struct entry **ret,
	       struct wl_err *reterr)
{
	struct entry *e = calloc(1, sizeof(*e));
	int r;

	if (!e)
		return no_memory(call, reterr);
	wl_arena_init_on(&e->arena, sql->opts.budget);
	e->key = wl_arena_calloc(&e->arena, 1, sizeof(n_key) + n_key);
	e->name = wl_arena_strdup(&e->arena, call->shape->name);
	r = e->key && e->name ? ask(sql, call, e, reterr) : no_memory(call, reterr);
	if (r < 0) {
		free_entry(e);
		return r;
	}
	memcpy(e->key, &n_key, sizeof(n_key));
	(void)make_key(call, e->key + sizeof(n_key));
	e->next = sql->results->first;
	sql->results->first = e;
	sql->results->n++;
	*ret = e;
	return WL_OK;
}

int wl_sql_result_get(struct wl_sql *sql, const struct wl_sql_call *call,
		      const struct wl_sql_result **ret, struct wl_err *reterr)
{
	size_t n = make_key(call, NULL);
	char *key = malloc(n);
	struct entry *e = NULL;
	int r = WL_OK;

	if (!sql->results)
		sql->results = calloc(1, sizeof(*sql->results));
	if (!key || !sql->results) {
		free(key);
		return no_memory(call, reterr);
	}
	(void)make_key(call, key);
	e = find(sql->results, key, n);
	free(key);
	if (!e)
		r = add(sql, call, n, &e, reterr);
	if (r == WL_OK && e) {
		e->is_used = true;
		*ret = &e->result;
	}
	return r;
}

struct wl_cell wl_sql_result_cell(const struct wl_sql_result *r, const struct wl_sql_shape *s,
				  size_t row, size_t column, enum wl_type *ret_type)
{
	size_t n_tree = s->n_cols - s->analysis->n_cols;
	int at = column < n_tree ? 0 : r->at[column - n_tree];

	*ret_type = column < n_tree ? wl_tree_cols[column].type
		    : at >= 0       ? r->table->cols[at].type
				    : s->analysis->cols[column - n_tree].type;
	if (column < n_tree)
		return wl_tree_at(r->table, r->rows[row], column);
	return at >= 0 ? wl_table_at(r->table, r->rows[row], (size_t)at)
		       : (struct wl_cell){ .set = false };
}

uint64_t wl_sql_call_unfilled(const struct wl_sql_call *call)
{
	const struct wl_analysis *a = call->shape->analysis;
	struct wl_args args;
	struct wl_arena arena;
	struct wl_table empty;
	struct wl_err err;
	uint64_t unfilled = 0;

	if (call->shape->document)
		return 0;
	wl_arena_init(&arena, COLUMNS_BUDGET);
	/* What is wrong with the arguments is said when the verb is asked. */
	if (wl_args_init(&args, a, call->ask.args, NULL, &err) == WL_OK) {
		wl_analysis_table(a, args.value, &arena, &empty);
		for (size_t i = 0; i < a->n_cols; i++)
			unfilled |=
				(uint64_t)!wl_table_find_col(&empty, a->cols[i].key, &(size_t){ 0 })
				<< i;
	}
	wl_args_release(&args);
	wl_arena_release(&arena);
	return unfilled;
}

/* ---- Runs ---- */

static void forget_all(struct wl_sql_results *all)
{
	while (all->first) {
		struct entry *e = all->first;

		all->first = e->next;
		free_entry(e);
	}
	all->n = 0;
}

void wl_sql_results_begin(struct wl_sql *sql)
{
	size_t bytes = 0;

	if (!sql->results)
		return;
	for (struct entry *e = sql->results->first; e; e = e->next) {
		e->is_used = false;
		bytes += e->arena.used;
	}
	if (sql->results->n > MAX_KEPT || bytes > MAX_KEPT_BYTES)
		forget_all(sql->results);
}

void wl_sql_results_note(const struct wl_sql *sql, struct wl_table *table)
{
	char buf[WL_COVERAGE_BUF];

	for (const struct entry *e = sql->results ? sql->results->first : NULL; e; e = e->next) {
		const struct wl_table *t = e->result.table;

		if (!e->is_used)
			continue;
		for (size_t i = 0; i < t->n_coverage; i++) {
			if (t->coverage[i].have < t->coverage[i].of)
				wl_table_note(table, "%s: %s", e->name,
					      wl_coverage_text(&t->coverage[i], buf));
		}
		for (const struct wl_note *n = t->notes; n; n = n->next) {
			if (!n->is_minor)
				wl_table_note(table, "%s: %s", e->name, n->text);
		}
	}
}

void wl_sql_results_free(struct wl_sql *sql)
{
	if (sql->results)
		forget_all(sql->results);
	free(sql->results);
	sql->results = NULL;
}

/* SPDX-License-Identifier: MIT */
#include "fleet/past/verdicts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/sort.h"
#include "fleet/store/push.h"

/* Columns of verdicts after its keys, in this order here and in the question. */
static const enum wl_facts_column_id columns[] = {
	WL_FACTS_VERDICTS_BASE_ID,    WL_FACTS_VERDICTS_VERDICT, WL_FACTS_VERDICTS_BEFORE,
	WL_FACTS_VERDICTS_AFTER,      WL_FACTS_VERDICTS_DELTA,   WL_FACTS_VERDICTS_LO,
	WL_FACTS_VERDICTS_HI,         WL_FACTS_VERDICTS_NOISE,   WL_FACTS_VERDICTS_RUNS_BEFORE,
	WL_FACTS_VERDICTS_RUNS_AFTER,
};

enum {
	N_COLUMNS = WL_COUNT(columns),
	N_TEXTS = 2,
	N_NUMBERS = N_COLUMNS - N_TEXTS,
	FIRST = WL_STORED_KIND + 1
};

static const char metric[] = WL_PAST_METRIC, withdrawn[] = "withdrawn";

/* A row: two texts, then numbers, WL_FACTS_NONE for what is not known. */
struct row {
	const struct wl_past_run *run;
	const char *kind, *text[N_TEXTS];
	int64_t number[N_NUMBERS];
};

bool wl_past_verdicts_add(struct wl_past_verdicts *v, const struct wl_past_verdict *one,
			  struct wl_arena *arena)
{
	struct wl_past_verdict *copy = WL_NEW(arena, struct wl_past_verdict, 1);

	if (!copy)
		return false;
	*copy = *one;
	copy->next = v->first;
	v->first = copy;
	return true;
}

static struct row row_of(const struct wl_past_verdict *v)
{
	const struct wl_hist_verdict *h = &v->judged;
	const struct wl_judgement *j = &h->judged;
	struct row row = {
		.run = &v->runs[h->at],
		.kind = v->is_change ? "change" : "run",
		.text = { h->at > h->from ? v->runs[h->at - 1].id : "", v->name },
	};
	const int64_t known[] = {
		j->before,      j->after, j->after - j->before,       j->change.low,
		j->change.high, h->noise, (int64_t)(h->at - h->from), (int64_t)(h->end - h->at)
	};

	for (size_t i = 0; i < WL_COUNT(known); i++)
		row.number[i] = known[i];
	/* Of too few runs only their number is known, and the value of this one. */
	for (size_t i = 0; !h->is_sufficient && i + 2 < WL_COUNT(known); i++)
		row.number[i] = WL_FACTS_NONE;
	if (!h->is_sufficient)
		row.number[1] = row.run->step;
	return row;
}

static bool is_number(int64_t number, const char *cell)
{
	char text[24] = "";

	if (number != WL_FACTS_NONE)
		(void)snprintf(text, sizeof(text), "%" PRId64, number);
	return strcmp(text, cell) == 0;
}

static bool is_stored(const struct row *row, char *const *cell)
{
	bool is_same = true;

	for (size_t i = 0; is_same && i < N_TEXTS; i++)
		is_same = strcmp(row->text[i], cell[FIRST + i]) == 0;
	for (size_t i = 0; is_same && i < N_NUMBERS; i++)
		is_same = is_number(row->number[i], cell[FIRST + N_TEXTS + i]);
	return is_same;
}

static void put_row(struct wl_facts *f, const struct row *row)
{
	/* A database may say any time. */
	const bool is_time = row->run->t_ms > 0 && row->run->t_ms < INT64_MAX / 1000000;
	const int64_t begin = is_time ? row->run->t_ms * 1000000 : 0;

	wl_facts_row(f, WL_FACTS_RUNS);
	wl_facts_put_str(f, WL_FACTS_RUNS_RUN_ID, row->run->id);
	wl_facts_put_str(f, WL_FACTS_RUNS_VERSION, row->run->version);
	wl_facts_put(f, WL_FACTS_RUNS_BEGIN, begin);
	wl_facts_row(f, WL_FACTS_VERDICTS);
	wl_facts_put_str(f, WL_FACTS_VERDICTS_METRIC, metric);
	wl_facts_put_str(f, WL_FACTS_VERDICTS_KIND, row->kind);
	for (size_t i = 0; i < N_TEXTS; i++)
		wl_facts_put_str(f, columns[i], row->text[i]);
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (row->number[i] != WL_FACTS_NONE)
			wl_facts_put(f, columns[N_TEXTS + i], row->number[i]);
}

static int store_row(const struct wl_store *store, const struct row *row, struct wl_err *reterr)
{
	struct wl_budget budget = { 0 };
	struct wl_facts facts;
	int r;

	wl_facts_init(&facts, &budget);
	put_row(&facts, row);
	r = facts.failed ? wl_fail(reterr, WL_E_NOMEM, "no memory for a verdict")
			 : wl_store_put(store, &facts, WL_FACTS_VERDICTS, reterr);
	wl_facts_release(&facts);
	return r;
}

int wl_past_verdicts_has(const struct wl_store *store, const char *run_id, bool *ret,
			 struct wl_err *reterr)
{
	struct wl_text question = { 0 }, answer = { 0 };
	int r;

	wl_text_printf(&question,
		       "SELECT count() FROM %s.verdicts WHERE kind = 'run' AND run_id = ",
		       store->database);
	wl_store_quote(&question, run_id);
	r = question.failed ? wl_past_no_memory(reterr)
			    : wl_store_ask(store, 0, question.bytes, &answer, reterr);
	*ret = r == WL_OK && strtoul(wl_text_get(&answer), NULL, 10) != 0;
	wl_text_release(&question);
	wl_text_release(&answer);
	return r;
}

int wl_past_verdicts_read(const struct wl_store *store, const char *run_id, struct wl_arena *arena,
			  struct wl_past_rows *ret, struct wl_err *reterr)
{
	struct wl_text question = { 0 };
	int r;

	wl_text_puts(&question, "SELECT run_id, kind");
	for (size_t i = 0; i < N_COLUMNS; i++)
		wl_text_printf(&question, ", %s", wl_facts_columns[columns[i]].name);
	wl_text_printf(&question, " FROM %s.verdicts WHERE metric = '%s'", store->database, metric);
	if (run_id) {
		wl_text_puts(&question, " AND run_id = ");
		wl_store_quote(&question, run_id);
	}
	wl_text_puts(&question, " ORDER BY run_id, kind FORMAT TabSeparated");
	r = wl_past_ask(store, &question, FIRST + N_COLUMNS, arena, ret, reterr);
	wl_text_release(&question);
	return r;
}

struct place {
	const struct wl_past_rows *stored;
	const char *id;
};

static bool is_before(const void *context, size_t i)
{
	const struct place *p = context;

	return strcmp(wl_past_row(p->stored, i)[WL_STORED_RUN], p->id) < 0;
}

size_t wl_past_verdicts_first(const struct wl_past_rows *stored, const char *run_id)
{
	return wl_lower_bound(stored->n, is_before, &(struct place){ stored, run_id });
}

static char **find_stored(const struct wl_past_rows *stored, const struct row *row)
{
	for (size_t i = wl_past_verdicts_first(stored, row->run->id); i < stored->n; i++) {
		char **cell = wl_past_row(stored, i);

		if (strcmp(cell[WL_STORED_RUN], row->run->id) != 0)
			break;
		if (strcmp(cell[WL_STORED_KIND], row->kind) == 0)
			return cell;
	}
	return NULL;
}

static int store_if_new(const struct wl_store *store, const struct wl_past_rows *s,
			const struct row *row, size_t *n_written, struct wl_err *reterr)
{
	char **cell = find_stored(s, row);
	int r;

	if (cell && is_stored(row, cell))
		return WL_OK;
	r = store_row(store, row, reterr);
	*n_written += r == WL_OK;
	return r;
}

static bool is_found(const struct wl_past_verdicts *v, const char *id)
{
	for (const struct wl_past_verdict *at = v->first; at; at = at->next)
		if (at->is_change && strcmp(at->runs[at->judged.at].id, id) == 0)
			return true;
	return false;
}

/* The changes that are stored for runs that were judged, and that are none. */
static int withdraw(const struct wl_store *store, const struct wl_past_rows *s,
		    const struct wl_past *past, struct wl_past_verdicts *v, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < s->n; i++) {
		struct row row = { .kind = "change", .text = { "", withdrawn } };

		if (strcmp(wl_past_row(s, i)[WL_STORED_KIND], row.kind) != 0 ||
		    is_found(v, wl_past_row(s, i)[WL_STORED_RUN]))
			continue;
		for (size_t k = 0; k < past->n && !row.run; k++)
			if (strcmp(past->run[k].id, wl_past_row(s, i)[WL_STORED_RUN]) == 0)
				row.run = &past->run[k];
		for (size_t k = 0; k < N_NUMBERS; k++)
			row.number[k] = WL_FACTS_NONE;
		if (row.run)
			r = store_if_new(store, s, &row, &v->n_written, reterr);
	}
	return r;
}

int wl_past_verdicts_store(const struct wl_store *store, const struct wl_past *past,
			   struct wl_past_verdicts *v, struct wl_arena *arena,
			   struct wl_err *reterr)
{
	const bool is_one = !v->has_all_changes && v->first && !v->first->next;
	struct wl_past_rows stored;
	int r = wl_past_verdicts_read(store, is_one ? v->first->runs[v->first->judged.at].id : NULL,
				      arena, &stored, reterr);

	for (const struct wl_past_verdict *at = v->first; r == WL_OK && at; at = at->next) {
		const struct row row = row_of(at);

		r = store_if_new(store, &stored, &row, &v->n_written, reterr);
	}
	if (r == WL_OK && v->has_all_changes)
		r = withdraw(store, &stored, past, v, reterr);
	return r;
}

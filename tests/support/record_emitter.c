/* SPDX-License-Identifier: MIT */
#include "support/record_emitter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "support/unit.h"

/* Room for one more element. */
static void *grow(void *at, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return at;
	*cap = *cap ? 2 * *cap : 8;
	at = realloc(at, *cap * size);
	assert_non_null(at);
	return at;
}

static struct record_row *row_of(struct record *r, uint32_t id)
{
	assert_in_range(id, 1, r->n_rows);
	assert_false(r->finished);
	return &r->row[id - 1];
}

static char *copy_text(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	assert_true(!text || (copy && wl_utf8_is_valid(text, strlen(text))));
	return copy;
}

static void check_parent(const struct record *r, const struct wl_emit_row *row)
{
	const struct wl_emit_row *parent = row->parent ? &r->row[row->parent - 1].row : NULL;

	assert_true(row->parent < row->id);
	assert_true(!parent || parent->kind == WL_EMIT_GROUP || parent->kind == WL_EMIT_PROCESS ||
		    parent->kind == WL_EMIT_THREAD);
	assert_true(row->kind != WL_EMIT_PROCESS || !parent || parent->kind == WL_EMIT_GROUP);
	if (row->kind != WL_EMIT_THREAD)
		return;
	assert_true(parent && parent->kind == WL_EMIT_PROCESS);
	assert_true(parent && parent->pid == row->pid);
}

static void on_row(struct wl_emitter *e, const struct wl_emit_row *row)
{
	struct record *r = (struct record *)e;
	struct record_row *at;

	assert_false(r->finished);
	assert_int_equal(row->id, r->n_rows + 1);
	assert_non_null(row->name);
	assert_true(row->kind != WL_EMIT_COUNTER || row->unit);
	assert_true(row->decimals <= WL_EMIT_DECIMALS);
	check_parent(r, row);
	r->row = grow(r->row, r->n_rows, &r->cap_rows, sizeof(*r->row));
	at = &r->row[r->n_rows++];
	*at = (struct record_row){ .row = *row, .last_start = INT64_MIN };
	at->row.name = at->name = copy_text(row->name);
	at->row.description = at->description = copy_text(row->description);
	at->row.unit = at->unit = copy_text(row->unit);
}

/* In order, and inside what is under way or after it. */
static void check_slice(const struct record *r, struct record_row *row,
			const struct wl_emit_slice *s)
{
	assert_true(row->row.kind == WL_EMIT_SLICES || row->row.kind == WL_EMIT_THREAD);
	assert_false(row->closed);
	assert_true(s->start <= s->end);
	if (s->start < row->last_start || (s->start == row->last_start && s->end > row->last_end))
		fail_msg("%s: %" PRId64 "..%" PRId64 " comes after %" PRId64 "..%" PRId64,
			 row->row.name, s->start, s->end, row->last_start, row->last_end);
	row->last_start = s->start;
	row->last_end = s->end;
	while (row->n_open && row->open[row->n_open - 1] <= s->start)
		row->n_open--;
	if (row->n_open && (r->ops.flat || s->end > row->open[row->n_open - 1]))
		fail_msg("%s: %" PRId64 "..%" PRId64 " lies across one that ends at %" PRId64,
			 row->row.name, s->start, s->end, row->open[row->n_open - 1]);
	if (s->start == s->end)
		return;
	row->open = grow(row->open, row->n_open, &row->cap_open, sizeof(*row->open));
	row->open[row->n_open++] = s->end;
}

static char *print_args(const struct wl_emit_slice *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (s->n_args == 0)
		return NULL;
	out = open_memstream(&text, &size);
	assert_non_null(out);
	for (size_t i = 0; i < s->n_args; i++) {
		const struct wl_emit_arg *a = &s->args[i];

		assert_non_null(a->key);
		assert_true(a->type == WL_ARG_INT || a->text);
		(void)fprintf(out, "%s%s=", i ? " " : "", a->key);
		if (a->type == WL_ARG_INT)
			(void)fprintf(out, "%" PRId64, a->number);
		else
			(void)fputs(a->text, out);
	}
	(void)fclose(out);
	return text;
}

static void on_slice(struct wl_emitter *e, uint32_t id, const struct wl_emit_slice *s)
{
	struct record *r = (struct record *)e;
	struct record_row *row = row_of(r, id);

	check_slice(r, row, s);
	assert_non_null(s->name);
	r->slice = grow(r->slice, r->n_slices, &r->cap_slices, sizeof(*r->slice));
	r->slice[r->n_slices++] =
		(struct record_slice){ .row = id,
				       .start = s->start,
				       .end = s->end,
				       .handed = s->name,
				       .text = r->drops_texts ? NULL : copy_text(s->name),
				       .category = s->category,
				       .flow_out = s->flow_out,
				       .flow_in = s->flow_in,
				       .has_correlation = s->has_correlation,
				       .correlation = s->correlation,
				       .args = r->drops_texts ? NULL : print_args(s) };
	r->slice[r->n_slices - 1].name = r->drops_texts ? s->name : r->slice[r->n_slices - 1].text;
	row->n_slices++;
}

/* Shares of time are written where they change; samples have no decimals, or six. */
static void check_share(const struct record_row *row, wl_ns at, int64_t value)
{
	const struct record_value *last = row->n_values ? &row->value[row->n_values - 1] : NULL;

	assert_in_range(value, 0, 10000);
	assert_true(!last || (at > last->at && value != last->value));
}

static void on_count(struct wl_emitter *e, uint32_t id, wl_ns at, int64_t value)
{
	struct record_row *row = row_of((struct record *)e, id);

	assert_int_equal(row->row.kind, WL_EMIT_COUNTER);
	assert_false(row->closed);
	assert_true(row->n_values == 0 || at >= row->value[row->n_values - 1].at);
	if (row->row.decimals == 2)
		check_share(row, at, value);
	row->value = grow(row->value, row->n_values, &row->cap_values, sizeof(*row->value));
	row->value[row->n_values++] = (struct record_value){ at, value };
}

static void on_close(struct wl_emitter *e, uint32_t id)
{
	struct record_row *row = row_of((struct record *)e, id);

	assert_false(row->closed);
	assert_true(row->n_slices || row->n_values);
	row->closed = true;
	free(row->open);
	row->open = NULL;
}

/* Two rows that must differ in a number. */
struct number {
	uint64_t of, number;
};

static int by_number(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void expect_distinct(struct number *at, size_t n)
{
	qsort(at, n, sizeof(*at), by_number);
	for (size_t i = 1; i < n; i++)
		assert_true(by_number(&at[i - 1], &at[i]) < 0);
}

static void check_rows(const struct record *r)
{
	struct number *order = calloc(r->n_rows + 1, sizeof(*order));
	struct number *pid = calloc(r->n_rows + 1, sizeof(*pid));
	struct number *tid = calloc(r->n_rows + 1, sizeof(*tid));
	size_t n_pids = 0, n_tids = 0;

	assert_true(order && pid && tid);
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct wl_emit_row *row = &r->row[i].row;

		assert_true(r->row[i].closed == (r->row[i].n_slices || r->row[i].n_values));
		order[i] = (struct number){ row->parent, row->order };
		if (row->kind == WL_EMIT_PROCESS)
			pid[n_pids++] = (struct number){ 0, row->pid };
		if (row->kind == WL_EMIT_THREAD)
			tid[n_tids++] = (struct number){ row->parent, row->tid };
	}
	expect_distinct(order, r->n_rows);
	expect_distinct(pid, n_pids);
	expect_distinct(tid, n_tids);
	free(tid);
	free(pid);
	free(order);
}

struct end {
	uint64_t flow;
	wl_ns at;
};

static int by_flow(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* Each arrow has two ends, and none runs backward. */
static void check_flows(const struct record *r)
{
	struct end *from = calloc(r->n_slices + 1, sizeof(*from));
	struct end *to = calloc(r->n_slices + 1, sizeof(*to));
	size_t n_from = 0, n_to = 0;

	assert_true(from && to);
	for (size_t i = 0; i < r->n_slices; i++) {
		const struct record_slice *s = &r->slice[i];

		if (s->flow_out)
			from[n_from++] = (struct end){ s->flow_out, s->start };
		if (s->flow_in)
			to[n_to++] = (struct end){ s->flow_in, s->start };
	}
	assert_int_equal(n_from, n_to);
	qsort(from, n_from, sizeof(*from), by_flow);
	qsort(to, n_to, sizeof(*to), by_flow);
	for (size_t i = 0; i < n_from; i++) {
		assert_true(i == 0 || from[i].flow > from[i - 1].flow);
		assert_int_equal(from[i].flow, to[i].flow);
		assert_true(from[i].at <= to[i].at);
	}
	free(to);
	free(from);
}

/* Names are still where they were. */
static void check_names(const struct record *r)
{
	for (size_t i = 0; i < r->n_slices; i++) {
		const struct record_slice *s = &r->slice[i];

		assert_true(wl_utf8_is_valid(s->handed, strlen(s->handed)));
		assert_true(!s->text || strcmp(s->text, s->handed) == 0);
		assert_true(!s->category || *s->category);
	}
}

static void on_finish(struct wl_emitter *e)
{
	struct record *r = (struct record *)e;

	assert_false(r->finished);
	r->finished = true;
	check_rows(r);
	check_flows(r);
	check_names(r);
}

void record_init(struct record *r, bool flat)
{
	*r = (struct record){ .ops = { .flat = flat,
				       .row = on_row,
				       .slice = on_slice,
				       .count = on_count,
				       .close = on_close,
				       .finish = on_finish } };
	r->emitter.ops = &r->ops;
}

void record_release(struct record *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		free(r->row[i].name);
		free(r->row[i].description);
		free(r->row[i].unit);
		free(r->row[i].value);
		free(r->row[i].open);
	}
	for (size_t i = 0; i < r->n_slices; i++) {
		free(r->slice[i].args);
		free(r->slice[i].text);
	}
	free(r->slice);
	free(r->row);
	*r = (struct record){ .finished = false };
}

static const struct record_row *find(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (strcmp(r->row[i].row.name, name) == 0)
			return &r->row[i];
	}
	return NULL;
}

bool record_has(const struct record *r, const char *name)
{
	return find(r, name) != NULL;
}

const struct record_row *record_find(const struct record *r, const char *name)
{
	const struct record_row *row = find(r, name);

	if (!row)
		fail_msg("there is no row %s", name);
	return row;
}

const struct record_slice *record_slice_of(const struct record *r, const struct record_row *row,
					   size_t i)
{
	for (size_t k = 0; k < r->n_slices; k++) {
		if (r->slice[k].row == row->row.id && i-- == 0)
			return &r->slice[k];
	}
	fail_msg("%s has no such slice", row->row.name);
	return NULL;
}

void record_expect_from(const struct record *r, wl_ns time)
{
	for (size_t i = 0; i < r->n_slices; i++)
		assert_true(r->slice[i].start >= time);
	for (size_t i = 0; i < r->n_rows; i++)
		assert_true(r->row[i].n_values == 0 || r->row[i].value[0].at >= time);
}

static void print_row(const struct record *r, const struct record_row *row, FILE *out)
{
	const char *separator = ": ";

	(void)fputs(row->row.name, out);
	for (size_t i = 0; i < r->n_slices; i++) {
		const struct record_slice *s = &r->slice[i];

		if (s->row != row->row.id)
			continue;
		(void)fprintf(out, "%s%s %" PRId64 "-%" PRId64, separator, s->name, s->start,
			      s->end);
		separator = ", ";
	}
	for (size_t i = 0; i < row->n_values; i++) {
		(void)fprintf(out, "%s%" PRId64 " from %" PRId64, separator, row->value[i].value,
			      row->value[i].at);
		separator = ", ";
	}
	(void)fputc('\n', out);
}

/* The children of a row in their order: each is the one with the next larger order. */
static void print_children(const struct record *r, uint32_t parent, int depth, FILE *out)
{
	int64_t last = -1;

	for (;;) {
		const struct record_row *next = NULL;

		for (size_t i = 0; i < r->n_rows; i++) {
			const struct wl_emit_row *row = &r->row[i].row;

			if (row->parent == parent && row->order > last &&
			    (!next || row->order < next->row.order))
				next = &r->row[i];
		}
		if (!next)
			return;
		(void)fprintf(out, "%*s", 2 * depth, "");
		print_row(r, next, out);
		print_children(r, next->row.id, depth + 1, out);
		last = next->row.order;
	}
}

char *record_print(const struct record *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print_children(r, 0, 0, out);
	(void)fclose(out);
	return text;
}

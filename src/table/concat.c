/* SPDX-License-Identifier: MIT */
#include "table/concat.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

enum { TRACE, N_OWN };

static const struct wl_col own_cols[N_OWN] = {
	/* Marked as the origin: the first text of a tree is indented, which must stay the name. */
	[TRACE] = { "trace", "Trace", WL_T_STR, WL_KEY | WL_ORIGIN, "Which trace the row is of." },
};

static const struct wl_table *first_table(const struct wl_concat_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (parts[i].table)
			return parts[i].table;
	}
	assert(false && "no part has a table");
	return NULL;
}

static const struct wl_col *make_cols(const struct wl_table *t, struct wl_arena *arena)
{
	struct wl_col *cols = WL_NEW(arena, struct wl_col, t->n_cols + N_OWN);

	if (!cols)
		return NULL;
	memcpy(cols, own_cols, sizeof(own_cols));
	for (size_t i = 0; i < t->n_cols; i++) {
		assert(strcmp(t->cols[i].key, own_cols[TRACE].key) != 0);
		cols[N_OWN + i] = t->cols[i];
	}
	return cols;
}

/* What all tables hide stays hidden; one tree among them makes a tree of the whole. */
static void join_shape(const struct wl_concat_part *parts, size_t n, struct wl_table *out)
{
	uint64_t hidden = UINT64_MAX;
	bool is_tree = false;

	for (size_t i = 0; i < n; i++) {
		if (!parts[i].table)
			continue;
		assert(parts[i].table->n_cols == out->n_cols - N_OWN);
		hidden &= parts[i].table->hidden;
		is_tree = is_tree || parts[i].table->is_tree;
	}
	for (size_t col = N_OWN; col < out->n_cols; col++) {
		if (hidden >> (col - N_OWN) & 1)
			wl_table_hide(out, col);
	}
	if (is_tree)
		wl_table_tree(out);
}

static void put_cell(struct wl_table *out, size_t col, struct wl_cell cell)
{
	if (!cell.set)
		return;
	if (wl_type_is_text(out->cols[col].type))
		wl_put_str(out, col, cell.str);
	else if (wl_type_is_real(out->cols[col].type))
		wl_put_f64(out, col, cell.f64);
	else
		wl_put_i64(out, col, cell.i64);
}

static void put_rows(const struct wl_concat_part *part, struct wl_table *out)
{
	const struct wl_table *t = part->table;
	size_t before = out->n_rows;

	for (size_t row = 0; row < t->n_rows && wl_table_ok(out); row++) {
		uint32_t parent = wl_table_parent(t, row);

		wl_table_row(out);
		wl_put_str(out, TRACE, part->label);
		if (parent != WL_NO_ROW)
			wl_put_parent(out, before + parent);
		for (size_t col = 0; col < t->n_cols; col++)
			put_cell(out, N_OWN + col, wl_table_at(t, row, col));
	}
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	return wl_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

static void add_coverage(struct wl_table *out, const struct wl_coverage *c)
{
	for (size_t i = 0; i < out->n_coverage; i++) {
		struct wl_coverage *have = &out->coverage[i];

		if (strcmp(have->name, c->name) != 0)
			continue;
		have->have = add(have->have, c->have);
		have->of = add(have->of, c->of);
		return;
	}
	if (c->type == WL_T_NS)
		wl_table_cover_ns(out, c->name, c->have, c->of);
	else
		wl_table_cover(out, c->name, c->have, c->of);
}

/* Where several traces are incomplete, the one with the lowest share stands for them. */
static void note_coverage(const struct wl_concat_part *parts, size_t n, const char *name,
			  struct wl_table *out)
{
	const struct wl_coverage *lowest = NULL;
	const char *label = NULL;
	char text[WL_COVERAGE_BUF];
	size_t n_incomplete = 0;

	for (size_t i = 0; i < n; i++) {
		const struct wl_table *t = parts[i].table;

		for (size_t k = 0; t && k < t->n_coverage; k++) {
			const struct wl_coverage *c = &t->coverage[k];

			if (strcmp(c->name, name) != 0 || c->have >= c->of)
				continue;
			n_incomplete++;
			if (lowest && (double)c->have / (double)c->of >=
					      (double)lowest->have / (double)lowest->of)
				continue;
			lowest = c;
			label = parts[i].label;
		}
	}
	if (lowest && n_incomplete > 1)
		wl_table_note(out, "%s: coverage: %s, the lowest of %zu traces", label,
			      wl_coverage_text(lowest, text), n_incomplete);
	else if (lowest)
		wl_table_note(out, "%s: coverage: %s", label, wl_coverage_text(lowest, text));
}

static bool says(const struct wl_concat_part *part, const char *text)
{
	const struct wl_note *note = part->table ? part->table->notes : NULL;

	if (!part->table)
		return strcmp(part->missing, text) == 0;
	while (note && strcmp(note->text, text) != 0)
		note = note->next;
	return note != NULL;
}

/* "a.sqlite, b.sqlite and 6 more", of the n parts from the first on that say it. */
static void list_labels(const struct wl_concat_part *parts, size_t n, const char *text, char *buf,
			size_t size)
{
	enum { NAMED = 3 };
	size_t used = 0, n_said = 0;

	for (size_t i = 0; i < n; i++) {
		if (!says(&parts[i], text))
			continue;
		if (n_said++ < NAMED && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%.100s",
						 used ? ", " : "", parts[i].label);
	}
	if (n_said > NAMED && used < size)
		(void)snprintf(buf + used, size - used, " and %zu more", n_said - NAMED);
}

/* What several traces say is said once; what all say needs no name. */
static void put_note(const struct wl_concat_part *parts, size_t n, size_t part, const char *text,
		     struct wl_table *out)
{
	size_t n_said = 0;
	char labels[400];

	for (size_t i = 0; i < n; i++) {
		if (i < part && says(&parts[i], text))
			return;
		n_said += says(&parts[i], text);
	}
	if (n_said == n && n > 1) {
		wl_table_note(out, "%s", text);
		return;
	}
	list_labels(parts, n, text, labels, sizeof(labels));
	wl_table_note(out, "%s: %s", labels, text);
}

/* Commands of several traces are of any of them, so that what all say is one text. */
static void name_any_trace(const struct wl_concat_part *parts, size_t n, struct wl_table *out)
{
	for (size_t i = 0; i < n; i++) {
		struct wl_note *note = parts[i].table ? parts[i].table->notes : NULL;

		for (; note; note = note->next) {
			if (note->command && note->command->verb &&
			    !wl_note_respell(note, WL_CMDLINE_TRACE, out->arena))
				out->failed = true;
		}
	}
}

static void put_remarks(const struct wl_concat_part *parts, size_t n, struct wl_table *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct wl_table *t = parts[i].table;

		for (size_t k = 0; t && k < t->n_coverage; k++)
			add_coverage(out, &t->coverage[k]);
	}
	if (n > 1)
		name_any_trace(parts, n, out);
	for (size_t i = 0; i < out->n_coverage; i++)
		note_coverage(parts, n, out->coverage[i].name, out);
	for (size_t i = 0; i < n; i++) {
		const struct wl_note *note = parts[i].table ? parts[i].table->notes : NULL;

		if (!parts[i].table)
			put_note(parts, n, i, parts[i].missing, out);
		for (; note; note = note->next)
			put_note(parts, n, i, note->text, out);
	}
}

void wl_concat(const struct wl_concat_part *parts, size_t n_parts, struct wl_arena *arena,
	       struct wl_table *out)
{
	const struct wl_table *first = first_table(parts, n_parts);
	const struct wl_col *cols = make_cols(first, arena);

	wl_table_init(out, arena, cols, cols ? first->n_cols + N_OWN : 0);
	if (!cols) {
		out->failed = true;
		return;
	}
	join_shape(parts, n_parts, out);
	for (size_t i = 0; i < n_parts; i++) {
		if (parts[i].table)
			put_rows(&parts[i], out);
	}
	put_remarks(parts, n_parts, out);
}

/* SPDX-License-Identifier: MIT */
#include "table/pack.h"

#include <string.h>

static void put_cell(struct wl_vec *bytes, const struct wl_col *col, struct wl_cell cell)
{
	wl_pack_u64(bytes, cell.set);
	if (!cell.set)
		return;
	if (wl_type_is_text(col->type))
		wl_pack_str(bytes, cell.str);
	else
		wl_pack_u64(bytes, (uint64_t)cell.i64); /* also the bits of a double */
}

static void put_command(struct wl_vec *bytes, const struct wl_cmdline *c)
{
	wl_pack_str(bytes, c->verb);
	for (size_t i = 0; i < WL_CMDLINE_OPTIONS; i++) {
		wl_pack_str(bytes, c->option[i].name);
		wl_pack_str(bytes, c->option[i].value);
	}
	wl_pack_u64(bytes, c->gpus);
	wl_pack_u64(bytes, c->has_steps);
	for (size_t i = 0; i < 2; i++) {
		wl_pack_u64(bytes, c->gpu[i]);
		wl_pack_u64(bytes, c->step[i]);
	}
}

static void put_note(struct wl_vec *bytes, const struct wl_note *note)
{
	wl_pack_str(bytes, note->text);
	wl_pack_u64(bytes, note->stop);
	wl_pack_u64(bytes, note->is_minor);
	wl_pack_u64(bytes, note->is_of_steps);
	wl_pack_u64(bytes, note->is_of_window);
	wl_pack_u64(bytes, note->is_of_limit);
	wl_pack_u64(bytes, note->is_verdict);
	wl_pack_u64(bytes, note->command != NULL);
	if (!note->command)
		return;
	put_command(bytes, note->command);
	wl_pack_u64(bytes, note->at);
	wl_pack_u64(bytes, note->n);
}

static void put_shell_cells(struct wl_vec *bytes, const struct wl_table *t)
{
	for (const struct wl_shell_cell *c = t->shell_cells; c; c = c->next) {
		wl_pack_u64(bytes, 1);
		wl_pack_u64(bytes, c->row);
		wl_pack_u64(bytes, c->col);
		put_command(bytes, &c->command);
	}
	wl_pack_u64(bytes, 0);
}

static void put_parted_cells(struct wl_vec *bytes, const struct wl_table *t)
{
	for (const struct wl_parted_cell *c = t->parted_cells; c; c = c->next) {
		wl_pack_u64(bytes, 1);
		wl_pack_u64(bytes, c->row);
		wl_pack_u64(bytes, c->col);
		/*
		 * From the last to the first, so that a reader can bound each end by the one behind
		 * it.
		 */
		for (size_t i = WL_MAX_PARTS; i > 0; i--)
			wl_pack_u64(bytes, c->end[i - 1]);
	}
	wl_pack_u64(bytes, 0);
}

void wl_table_pack(const struct wl_table *t, struct wl_vec *bytes)
{
	wl_pack_u64(bytes, t->n_cols);
	wl_pack_u64(bytes, t->is_tree);
	wl_pack_u64(bytes, t->hidden);
	wl_pack_u64(bytes, t->whole);
	wl_pack_u64(bytes, t->n_coverage);
	for (size_t i = 0; i < t->n_coverage; i++) {
		wl_pack_str(bytes, t->coverage[i].name);
		wl_pack_u64(bytes, (uint64_t)t->coverage[i].have);
		wl_pack_u64(bytes, (uint64_t)t->coverage[i].of);
		wl_pack_u64(bytes, t->coverage[i].type == WL_T_NS);
	}
	wl_pack_u64(bytes, t->n_notes);
	for (const struct wl_note *note = t->notes; note; note = note->next)
		put_note(bytes, note);
	wl_pack_u64(bytes, t->n_rows);
	for (size_t row = 0; row < t->n_rows && !bytes->failed; row++) {
		wl_pack_u64(bytes, wl_table_parent(t, row));
		for (size_t col = 0; col < t->n_cols; col++)
			put_cell(bytes, &t->cols[col], wl_table_at(t, row, col));
	}
	put_shell_cells(bytes, t);
	put_parted_cells(bytes, t);
}

static void get_cell(struct wl_unpack *from, struct wl_table *out, size_t col)
{
	enum wl_type type = out->cols[col].type;
	struct wl_cell cell;

	if (!wl_unpack_upto(from, 1))
		return;
	if (wl_type_is_text(type)) {
		wl_put_str(out, col, wl_unpack_str(from));
		return;
	}
	cell.i64 = (int64_t)wl_unpack_u64(from);
	if (wl_type_is_real(type))
		wl_put_f64(out, col, cell.f64);
	else
		wl_put_i64(out, col, cell.i64);
}

static void get_rows(struct wl_unpack *from, struct wl_table *out)
{
	uint64_t n = wl_unpack_u64(from);

	/* The number is of the file: where it is too large, reading ends with the bytes. */
	for (uint64_t row = 0; row < n && !from->failed && wl_table_ok(out); row++) {
		uint64_t parent = wl_unpack_upto(from, WL_NO_ROW);

		wl_table_row(out);
		/*
		 * A parent precedes its children, so that bytes from anywhere cannot make a circle.
		 */
		if (parent < row && out->is_tree)
			wl_put_parent(out, (size_t)parent);
		else if (parent != WL_NO_ROW)
			from->failed = true;
		for (size_t col = 0; col < out->n_cols && !from->failed && wl_table_ok(out); col++)
			get_cell(from, out, col);
	}
}

/* A verb or an option, no matter which program wrote the bytes: no shell reads more into it. */
static bool is_word(const char *word)
{
	return *word && *word != '-' &&
	       !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static void get_options(struct wl_unpack *from, struct wl_cmdline *ret)
{
	for (size_t i = 0; i < WL_CMDLINE_OPTIONS; i++) {
		struct wl_cmdline_option *o = &ret->option[i];

		o->name = wl_unpack_str(from);
		o->value = wl_unpack_str(from);
		from->failed = from->failed || (o->name && !is_word(o->name));
	}
}

static void get_command(struct wl_unpack *from, struct wl_cmdline *ret)
{
	ret->verb = wl_unpack_str(from);
	get_options(from, ret);
	ret->gpus = (enum wl_cmdline_gpus)wl_unpack_upto(from, WL_GPUS_RANGE);
	ret->has_steps = wl_unpack_upto(from, 1) != 0;
	for (size_t i = 0; i < 2; i++) {
		ret->gpu[i] = (uint32_t)wl_unpack_upto(from, UINT32_MAX);
		ret->step[i] = (uint32_t)wl_unpack_upto(from, UINT32_MAX);
	}
	from->failed = from->failed || (ret->verb && !is_word(ret->verb));
}

static void get_note(struct wl_unpack *from, struct wl_table *out)
{
	struct wl_note note = { .text = wl_unpack_str(from) };
	struct wl_cmdline *command = NULL;

	note.stop = (size_t)wl_unpack_upto(from, note.text ? strlen(note.text) : 0);
	note.is_minor = wl_unpack_upto(from, 1) != 0;
	note.is_of_steps = wl_unpack_upto(from, 1) != 0;
	note.is_of_window = wl_unpack_upto(from, 1) != 0;
	note.is_of_limit = wl_unpack_upto(from, 1) != 0;
	note.is_verdict = wl_unpack_upto(from, 1) != 0;
	from->failed = from->failed || !note.text;
	if (wl_unpack_upto(from, 1) && !from->failed) {
		command = WL_NEW(out->arena, struct wl_cmdline, 1);
		if (!command) {
			out->failed = true;
			return;
		}
		get_command(from, command);
		note.command = command;
		note.at = (size_t)wl_unpack_upto(from, strlen(note.text));
		note.n = (size_t)wl_unpack_upto(from, strlen(note.text) - note.at);
	}
	if (!from->failed)
		wl_table_copy_note(out, &note);
}

/* Whether bytes from anywhere name a cell that holds a text. */
static bool has_text(const struct wl_table *t, uint64_t row, uint64_t col)
{
	return row < t->n_rows && col < t->n_cols && wl_type_is_text(t->cols[col].type) &&
	       wl_table_at(t, (size_t)row, (size_t)col).set;
}

/* Each is of a cell that is a command. */
static void get_shell_cells(struct wl_unpack *from, struct wl_table *out)
{
	while (wl_unpack_upto(from, 1) && !from->failed && wl_table_ok(out)) {
		uint64_t row = wl_unpack_u64(from), col = wl_unpack_u64(from);
		struct wl_shell_cell *cell = WL_NEW(out->arena, struct wl_shell_cell, 1);

		if (!cell) {
			out->failed = true;
			return;
		}
		from->failed = from->failed || !has_text(out, row, col) ||
			       !(out->cols[col].flags & WL_SHELL);
		*cell = (struct wl_shell_cell){ .row = (size_t)row,
						.col = (size_t)col,
						.next = out->shell_cells };
		get_command(from, &cell->command);
		out->shell_cells = cell;
	}
}

/* Ends of parts are in order and within the text. */
static void get_parted_cells(struct wl_unpack *from, struct wl_table *out)
{
	while (!from->failed && wl_table_ok(out) && wl_unpack_upto(from, 1)) {
		uint64_t row = wl_unpack_u64(from), col = wl_unpack_u64(from);
		struct wl_parted_cell *cell = WL_NEW(out->arena, struct wl_parted_cell, 1);
		size_t last;

		if (!cell) {
			out->failed = true;
			return;
		}
		from->failed = from->failed || !has_text(out, row, col);
		last = from->failed ? 0 : strlen(wl_table_at(out, (size_t)row, (size_t)col).str);
		*cell = (struct wl_parted_cell){ .row = (size_t)row, .col = (size_t)col };
		for (size_t i = WL_MAX_PARTS; i > 0; i--) {
			last = (size_t)wl_unpack_upto(from, last);
			cell->end[i - 1] = (uint32_t)last;
		}
		cell->next = out->parted_cells;
		out->parted_cells = cell;
	}
}

static void get_remarks(struct wl_unpack *from, struct wl_table *out)
{
	/* More would be a bug to wl_table_cover(), which ends the program. */
	uint64_t n = wl_unpack_upto(from, WL_MAX_COVERAGE);

	for (uint64_t i = 0; i < n && !from->failed; i++) {
		const char *name = wl_unpack_str(from);
		int64_t have = (int64_t)wl_unpack_u64(from), of = (int64_t)wl_unpack_u64(from);

		if (wl_unpack_upto(from, 1))
			wl_table_cover_ns(out, name, have, of);
		else
			wl_table_cover(out, name, have, of);
		from->failed = from->failed || !name;
	}
	n = wl_unpack_u64(from);
	for (uint64_t i = 0; i < n && !from->failed && wl_table_ok(out); i++)
		get_note(from, out);
}

bool wl_table_unpack(struct wl_unpack *from, const struct wl_col *cols, size_t n_cols,
		     struct wl_arena *arena, struct wl_table *out)
{
	wl_table_init(out, arena, cols, n_cols);
	if (wl_unpack_u64(from) != n_cols)
		return false;
	if (wl_unpack_upto(from, 1))
		wl_table_tree(out);
	out->hidden = wl_unpack_u64(from);
	out->whole = wl_unpack_u64(from);
	get_remarks(from, out);
	get_rows(from, out);
	/* Behind the rows, whose cells these name. */
	if (!from->failed && wl_table_ok(out))
		get_shell_cells(from, out);
	get_parted_cells(from, out);
	return !from->failed && wl_table_ok(out);
}

/* SPDX-License-Identifier: MIT */
#include "table/pack.h"

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

void wl_table_pack(const struct wl_table *t, struct wl_vec *bytes)
{
	wl_pack_u64(bytes, t->n_cols);
	wl_pack_u64(bytes, t->is_tree);
	wl_pack_u64(bytes, t->hidden);
	wl_pack_u64(bytes, t->n_coverage);
	for (size_t i = 0; i < t->n_coverage; i++) {
		wl_pack_str(bytes, t->coverage[i].name);
		wl_pack_u64(bytes, (uint64_t)t->coverage[i].have);
		wl_pack_u64(bytes, (uint64_t)t->coverage[i].of);
		wl_pack_u64(bytes, t->coverage[i].type == WL_T_NS);
	}
	wl_pack_u64(bytes, t->n_notes);
	for (const struct wl_note *note = t->notes; note; note = note->next) {
		wl_pack_str(bytes, note->text);
		wl_pack_u64(bytes, note->is_minor);
	}
	wl_pack_u64(bytes, t->n_rows);
	for (size_t row = 0; row < t->n_rows && !bytes->failed; row++) {
		wl_pack_u64(bytes, wl_table_parent(t, row));
		for (size_t col = 0; col < t->n_cols; col++)
			put_cell(bytes, &t->cols[col], wl_table_at(t, row, col));
	}
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

static void get_remarks(struct wl_unpack *from, struct wl_table *out)
{
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
	for (uint64_t i = 0; i < n && !from->failed; i++) {
		const char *text = wl_unpack_str(from);
		bool is_minor = wl_unpack_upto(from, 1) != 0;

		from->failed = from->failed || !text;
		if (text && is_minor)
			wl_table_remark(out, "%s", text);
		else if (text)
			wl_table_note(out, "%s", text);
	}
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
	get_remarks(from, out);
	get_rows(from, out);
	return !from->failed && wl_table_ok(out);
}

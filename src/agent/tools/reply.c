/* SPDX-License-Identifier: MIT */
#include "agent/tools/reply.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/cut.h"
#include "agent/tools/suggested.h"
#include "base/text/units.h"
#include "render/data/json_row.h"
#include "render/words/frame.h"
#include "render/words/human.h"

enum {
	KEY_BUF = 96,
	NAME_CAP = 200, /* most bytes of a name in a row, and of a sentence */
	PROSE_CAP = 600,
	WHOLE_CAP = 4000,
	MAX_NOTES = 12,
	TAIL = 500 /* most bytes needed after the rows */
};

/* FNV-1a: keys and cursors are the same in every run, unlike hashes from hash.h. */
static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ at[i]) * UINT64_C(0x100000001b3);
	return h;
}

#define MIX_BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t mix_cell(uint64_t h, enum wl_type type, struct wl_cell cell)
{
	h = mix(h, "\x1F", 1);
	if (!cell.set)
		return h;
	if (wl_type_is_text(type))
		return mix(h, cell.str, strlen(cell.str));
	return wl_type_is_real(type) ? mix(h, &cell.f64, sizeof(cell.f64))
				     : mix(h, &cell.i64, sizeof(cell.i64));
}

/* "kernels:5e8a01c4d2": a hash of the columns that identify a row, or of all if none does. */
static void key_of(const struct wl_table *t, size_t row, const char *verb, char buf[KEY_BUF])
{
	uint64_t h = MIX_BEGIN;
	bool has_keys = false;

	for (size_t col = 0; col < t->n_cols; col++)
		has_keys = has_keys || (t->cols[col].flags & WL_KEY);
	for (size_t col = 0; col < t->n_cols; col++) {
		if (!has_keys || (t->cols[col].flags & WL_KEY))
			h = mix_cell(h, t->cols[col].type, wl_table_at(t, row, col));
	}
	if (t->is_tree)
		h = mix_cell(h, wl_tree_cols[WL_TREE_ID].type, wl_tree_at(t, row, WL_TREE_ID));
	(void)snprintf(buf, KEY_BUF, "%.60s:%010" PRIx64, verb, h & UINT64_C(0xffffffffff));
}

/* ---- Cursors ---- */

static void cursor_of(size_t offset, const char *how, char buf[KEY_BUF])
{
	(void)snprintf(buf, KEY_BUF, "%zu-%08" PRIx64, offset,
		       mix(MIX_BEGIN, how, strlen(how)) & UINT64_C(0xffffffff));
}

int wl_cursor_parse(const char *cursor, const char *how, size_t *ret, struct wl_err *reterr)
{
	char again[KEY_BUF];

	*ret = (size_t)strtoull(cursor, NULL, 10);
	cursor_of(*ret, how, again);
	if (strcmp(cursor, again) != 0)
		return wl_fail(
			reterr, WL_E_USAGE,
			"cursor: it belongs to another question; repeat the arguments of the "
			"reply it came with, or leave it out");
	return WL_OK;
}

/* ---- The frame ---- */

/* A ratio with seventeen digits would cost a model as many tokens as the rest of a row. */
void wl_reply_put_cell(struct wl_jsonw *w, enum wl_type type, struct wl_cell cell)
{
	if (cell.set && wl_type_is_real(type)) {
		char digits[32];

		(void)snprintf(digits, sizeof(digits), "%.6g", cell.f64);
		cell.f64 = strtod(digits, NULL);
	}
	wl_json_cell(w, type, cell);
}

void wl_reply_put_window(struct wl_jsonw *w, const struct wl_document *doc)
{
	struct wl_doc_window all;

	if (!wl_document_bounds(doc, &all))
		return;
	wl_jsonw_open_object(w, "window");
	wl_jsonw_put_str(w, "spec", doc->window_spec ? doc->window_spec : "all");
	wl_jsonw_put_i64(w, "begin_ns", all.begin);
	wl_jsonw_put_i64(w, "end_ns", all.end);
	wl_jsonw_put_i64(w, "length_ns", wl_frame_length(all));
	wl_jsonw_end_object(w);
}

void wl_reply_put_step(struct wl_tool_call *c, const struct wl_document *doc)
{
	const struct wl_doc_step *s = doc->step;

	if (!s)
		return;
	wl_jsonw_open_object(&c->w, "step");
	wl_call_put(c, "what", s->what, NAME_CAP);
	wl_jsonw_put_i64(&c->w, "count", s->count);
	wl_jsonw_put_i64(&c->w, "median_ns", s->median);
	wl_jsonw_put_bool(&c->w, "is_guess", s->is_guess > 0);
	wl_jsonw_end_object(&c->w);
}

void wl_reply_put_notes(struct wl_tool_call *c, const struct wl_table *t, const char *extra)
{
	size_t n = 0;

	wl_jsonw_open_array(&c->w, "notes");
	if (extra)
		wl_jsonw_str(&c->w, wl_cut_text(extra, PROSE_CAP, &c->arena));
	for (const struct wl_note *note = t ? t->notes : NULL; note && n < MAX_NOTES;
	     note = note->next, n++)
		wl_jsonw_str(&c->w, wl_cut_text(wl_suggested_note(c, note), PROSE_CAP, &c->arena));
	wl_jsonw_end_array(&c->w);
}

/* The i-th column of a row; the columns of a tree come first. */
static const struct wl_col *col_at(const struct wl_view *v, size_t i)
{
	if (v->table->is_tree && i < WL_N_TREE_COLS)
		return &wl_tree_cols[i];
	return &v->table->cols[v->cols[i - (v->table->is_tree ? WL_N_TREE_COLS : 0)]];
}

static size_t count_cols(const struct wl_view *v)
{
	return v->n_cols + (v->table->is_tree ? WL_N_TREE_COLS : 0);
}

static struct wl_cell cell_at(const struct wl_view *v, size_t row, size_t i)
{
	if (v->table->is_tree && i < WL_N_TREE_COLS)
		return wl_tree_at(v->table, row, i);
	return wl_table_at(v->table, row, v->cols[i - (v->table->is_tree ? WL_N_TREE_COLS : 0)]);
}

static void put_columns(struct wl_jsonw *w, const struct wl_view *v)
{
	wl_jsonw_open_array(w, "columns");
	for (size_t i = 0; i < count_cols(v); i++)
		wl_jsonw_str(w, col_at(v, i)->key);
	wl_jsonw_end_array(w);
	wl_jsonw_open_object(w, "units");
	for (size_t i = 0; i < count_cols(v); i++) {
		const char *unit = wl_type_unit(col_at(v, i)->type);

		if (!unit)
			continue;
		wl_jsonw_put_str(w, col_at(v, i)->key, unit);
	}
	wl_jsonw_end_object(w);
}

static struct wl_cell cell_of(const struct wl_view *v, size_t row, const char *key)
{
	size_t col;

	if (!wl_table_find_col(v->table, key, &col))
		return (struct wl_cell){ .set = false };
	return wl_table_at(v->table, v->rows[row], col);
}

const char *wl_reply_finding(struct wl_tool_call *c, const struct wl_view *v, size_t row)
{
	const struct wl_cell text = cell_of(v, row, "finding"), code = cell_of(v, row, "code"),
			     saving = cell_of(v, row, "saving"), share = cell_of(v, row, "share");
	char ns[WL_UNITS_BUF], ratio[WL_UNITS_BUF];

	if (text.set && text.str[0])
		return text.str;
	if (!code.set || !saving.set)
		return code.set ? code.str : NULL;
	return wl_call_printf(c, "%s, claims %s%s%s%s", code.str,
			      wl_fmt_ns(ns, saving.i64, WL_UNIT_AUTO), share.set ? " (" : "",
			      share.set ? wl_fmt_ratio(ratio, share.f64) : "",
			      share.set ? ")" : "");
}

/* "3 findings; the largest: GPU idle between kernels: ..."; NULL if the table has none. */
static const char *say_finding(struct wl_tool_call *c, const struct wl_view *v, size_t row)
{
	const char *finding;
	size_t col;

	if (!wl_table_find_col(v->table, "finding", &col))
		return NULL;
	finding = wl_reply_finding(c, v, row);
	return wl_call_printf(c, "%zu finding%s%s%s", v->n_total, v->n_total == 1 ? "" : "s",
			      finding ? "; the largest: " : "", finding ? finding : "");
}

/* "kernels: 154 rows; first: Name gemm, Calls 12, Sum 1.5 ms" */
static const char *say(struct wl_tool_call *c, const struct wl_view *v, const struct wl_told *told)
{
	enum { FEW = 6 };
	size_t total = told->n_before + v->n_total + told->has_more;
	const char *said =
		wl_call_printf(c, "%s: %s%zu row%s", told->verb, told->has_more ? "at least " : "",
			       total, total == 1 ? "" : "s");
	size_t n = 0;

	if (v->n_rows > told->offset && say_finding(c, v, told->offset))
		return say_finding(c, v, told->offset);
	for (size_t i = 0; said && v->n_rows > told->offset && i < v->n_cols && n < FEW; i++) {
		const struct wl_col *col = &v->table->cols[v->cols[i]];
		const struct wl_cell cell =
			wl_table_at(v->table, v->rows[told->offset], v->cols[i]);
		char buf[WL_UNITS_BUF];
		const char *text;

		if (!cell.set || (col->flags & WL_MINOR))
			continue;
		text = wl_cut_text(wl_human_cell(col, cell, WL_UNIT_AUTO, buf), 120, &c->arena);
		said = wl_call_printf(c, "%s%s%s %s", said, n ? ", " : "; first: ", col->title,
				      text ? text : "");
		n++;
	}
	return said;
}

static void put_frame(struct wl_tool_call *c, const struct wl_document *doc,
		      const struct wl_view *v, const struct wl_told *told)
{
	wl_call_put(c, "answer", told->answer ? told->answer : say(c, v, told), 2000);
	if (told->handle)
		wl_call_put(c, "trace", told->handle, 16);
	wl_call_put(c, "verb", told->verb, 64);
	wl_reply_put_window(&c->w, doc);
	wl_reply_put_step(c, doc);
	wl_json_put_coverage(&c->w, v->table);
	wl_reply_put_notes(c, v->table, told->extra);
	wl_call_put(c, "how", told->how, 2000);
	wl_jsonw_put_i64(&c->w, "total_rows",
			 (int64_t)(told->n_before + v->n_total + told->has_more));
	if (told->has_more)
		wl_jsonw_put_bool(&c->w, "total_is_at_least", true);
	put_columns(&c->w, v);
}

/* ---- Rows ---- */

/* A list under construction with a member for each row; it is written after the rows. */
struct side {
	FILE *out;
	struct wl_jsonw w;
	char *text;
	size_t n;
};

struct rows {
	const struct wl_view *view;
	const struct wl_told *told;
	size_t cap;              /* bytes of a name */
	size_t n_cut;            /* texts that were cut */
	size_t room;             /* bytes left */
	struct side keys, calls; /* of the rows */
};

static void put_text(struct wl_tool_call *c, struct rows *r, struct wl_jsonw *w,
		     const struct wl_col *col, const char *text)
{
	size_t cap = (col->flags & WL_PROSE) && r->cap < PROSE_CAP && r->cap == NAME_CAP ? PROSE_CAP
											 : r->cap;

	r->n_cut += wl_cut_is_needed(text, cap);
	wl_jsonw_str(w, wl_cut_text(text, cap, &c->arena));
}

/* A row as separate text, for the caller to free(); NULL if memory runs out. */
static char *row_text(struct wl_tool_call *c, struct rows *r, size_t row, size_t *ret_n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_n);
	struct wl_jsonw w;

	if (!out)
		return NULL;
	wl_jsonw_init(&w, out);
	wl_jsonw_begin_array(&w);
	for (size_t i = 0; i < count_cols(r->view); i++) {
		const struct wl_col *col = col_at(r->view, i);
		const struct wl_cell cell = cell_at(r->view, row, i);

		if (cell.set && wl_type_is_text(col->type))
			put_text(c, r, &w, col, cell.str);
		else
			wl_reply_put_cell(&w, col->type, cell);
	}
	wl_jsonw_end_array(&w);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	*ret_n = wl_json_relax(text, *ret_n);
	return text;
}

/* Add a row; false if it does not fit or memory runs out. */
static bool put_row(struct wl_tool_call *c, struct rows *r, size_t row, const char *key)
{
	const char *call = r->told->has_calls
				   ? wl_suggested_of(c, r->view->table, row, r->told->handle)
				   : NULL;
	size_t n, cost, cut = r->n_cut;
	char *text = row_text(c, r, row, &n);

	cost = text ? n + strlen(key) + 4 + (call ? strlen(call) : 4) + 1 : 0;
	if (!text || cost > r->room) {
		r->n_cut = cut;
		free(text);
		return false;
	}
	r->room -= cost;
	wl_jsonw_raw(&c->w, text, n);
	wl_jsonw_str(&r->keys.w, key);
	wl_jsonw_raw(&r->calls.w, call ? call : "{}", call ? strlen(call) : 2);
	free(text);
	return true;
}

/* Add the rows from the offset on; returns how many were added. */
static size_t put_rows(struct wl_tool_call *c, struct rows *r)
{
	const struct wl_view *v = r->view;
	char key[KEY_BUF];
	size_t i = r->told->offset, n = 0;

	for (; i < v->n_rows && n < r->told->limit; i++) {
		key_of(v->table, v->rows[i], r->told->verb, key);
		if (r->told->key && strcmp(r->told->key, key) != 0)
			continue;
		if (!put_row(c, r, v->rows[i], key))
			break;
		n++;
	}
	return n;
}

/* Write the members known only after the rows. */
static void put_tail(struct wl_tool_call *c, const struct rows *r, size_t n)
{
	const struct wl_told *told = r->told;
	size_t first = told->n_before + told->offset, end = first + n;
	size_t total = told->n_before + r->view->n_rows + told->has_more;
	char cursor[KEY_BUF], cut[300] = "";

	if (!told->key && end < total) {
		cursor_of(end, told->how, cursor);
		wl_call_put(c, "next_cursor", cursor, sizeof(cursor));
		(void)snprintf(cut, sizeof(cut), "rows %zu to %zu of %s%zu%s; next_cursor has more",
			       first + 1, end, told->has_more ? "at least " : "", total,
			       n < told->limit ? ", which is what fits into a reply" : "");
	}
	if (r->n_cut > 0)
		(void)snprintf(cut + strlen(cut), sizeof(cut) - strlen(cut),
			       "%s%zu long text%s shortened%s%s", cut[0] ? "; " : "", r->n_cut,
			       r->n_cut == 1 ? "" : "s", told->whole ? ": " : "",
			       told->whole ? told->whole : "");
	if (cut[0])
		wl_call_put(c, "cut", cut, sizeof(cut));
}

static bool begin_side(struct side *s)
{
	s->out = open_memstream(&s->text, &s->n);
	if (!s->out)
		return false;
	wl_jsonw_init(&s->w, s->out);
	wl_jsonw_begin_array(&s->w);
	return true;
}

/* Write the list unless the key is NULL; false if memory runs out. */
static bool end_side(struct wl_tool_call *c, struct side *s, const char *key)
{
	bool ok = s->out != NULL;

	if (ok) {
		wl_jsonw_end_array(&s->w);
		ok = fclose(s->out) == 0;
	}
	if (ok && key)
		wl_jsonw_put_raw(&c->w, key, s->text, s->n);
	free(s->text);
	return ok;
}

static int begin_rows(struct wl_tool_call *c, struct rows *r, struct wl_err *reterr)
{
	bool ok = begin_side(&r->keys);

	ok = begin_side(&r->calls) && ok;
	if (!ok || fflush(c->out) != 0) {
		(void)end_side(c, &r->keys, NULL);
		(void)end_side(c, &r->calls, NULL);
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	}
	r->room = c->how.bytes > c->n_text + TAIL ? c->how.bytes - c->n_text - TAIL : 0;
	wl_jsonw_open_array(&c->w, "rows");
	return WL_OK;
}

static int end_rows(struct wl_tool_call *c, struct rows *r, size_t n, struct wl_err *reterr)
{
	bool ok;

	wl_jsonw_end_array(&c->w);
	ok = end_side(c, &r->keys, "keys");
	ok = end_side(c, &r->calls, r->told->has_calls ? "evidence_calls" : NULL) && ok;
	if (ok)
		put_tail(c, r, n);
	if (!ok)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the reply");
	if (n == 0 && r->told->key)
		return wl_fail(reterr, WL_E_USAGE, "no row has the key \"%.80s\"", r->told->key);
	if (n == 0 && r->view->n_rows > r->told->offset)
		return wl_fail(reterr, WL_E_USAGE,
			       "a row takes more than the %zu bytes of a reply: name a few columns",
			       c->how.bytes);
	return WL_OK;
}

int wl_reply_table(struct wl_tool_call *c, const struct wl_document *doc,
		   const struct wl_section *section, const struct wl_told *told,
		   struct wl_err *reterr)
{
	uint16_t cols[WL_MAX_COLS];
	const struct wl_view view = wl_view_filled(&section->view, cols);
	struct rows rows = { .view = &view, .told = told, .cap = told->key ? WHOLE_CAP : NAME_CAP };
	int r = wl_call_begin(c, reterr);
	size_t n;

	if (r < 0)
		return r;
	put_frame(c, doc, &view, told);
	r = begin_rows(c, &rows, reterr);
	if (r < 0)
		return r;
	n = put_rows(c, &rows);
	if (n == 0 && view.n_rows > told->offset && !told->key) {
		/* Wide rows with long names: with shorter names, at least one row may fit. */
		rows.cap = 24;
		n = put_rows(c, &rows);
	}
	r = end_rows(c, &rows, n, reterr);
	return r < 0 ? r : wl_call_end(c, reterr);
}

/* SPDX-License-Identifier: MIT */
/* head_compare.c - the comparison of two traces in the head, as sentences and tables. */
#include <stdio.h>
#include <string.h>

#include "compare/diff/diff_cols.h"
#include "compare/diff/diff_tables.h"
#include "compare/diff/diff_words.h"
#include "render/data/json_row.h"
#include "serve/page/head_parts.h"
#include "serve/shown/compared.h"
#include "serve/shown/redact.h"

enum { MAX_ROWS = 500 }; /* of a table; fingerprints have fewer */

/* What is written, and with what. */
struct writing {
	const struct wl_diff *diff;
	struct wl_jsonw *out;
	struct wl_arena *arena;
	bool redacted;
};

/* ---- Names that are hashed ---- */

static bool is_host(const struct wl_table *t, size_t row)
{
	const struct wl_cell cause = wl_table_at(t, row, WL_IDLE_CAUSE);

	return cause.set && strcmp(cause.str, wl_cause_name(WL_CAUSE_HOST)) == 0;
}

/* As in names.c: only host code is named by a range. NULL without memory. */
static const char *redact(enum wl_diff_section section, const struct wl_table *t, size_t row,
			  size_t col, struct wl_arena *arena)
{
	const char *text = wl_table_at(t, row, col).str;

	if (strcmp(text, "(others)") == 0)
		return text;
	if (section == WL_DIFF_KERNELS && (col == WL_ROWS_NAME || col == WL_ROWS_WAS))
		return wl_redact_kernel(text, arena);
	if (section == WL_DIFF_RANGES && col == WL_ROWS_NAME)
		return wl_redact_path(text, arena);
	if (section == WL_DIFF_FUNCTIONS && strcmp(text, WL_NO_STACK) != 0)
		return wl_redact_word("function", text, arena);
	if (section == WL_DIFF_IDLE && col == WL_IDLE_DETAIL && is_host(t, row))
		return wl_redact_range(text, arena);
	return text;
}

/* ---- Tables ---- */

static bool put_row(const struct writing *w, enum wl_diff_section section,
		    const struct wl_view *view, size_t row)
{
	const struct wl_table *t = view->table;

	wl_jsonw_newline(w->out);
	wl_jsonw_begin_array(w->out);
	for (size_t i = 0; i < view->n_cols; i++) {
		enum wl_type type = t->cols[view->cols[i]].type;
		struct wl_cell cell = wl_table_at(t, row, view->cols[i]);

		if (w->redacted && cell.set && wl_type_is_text(type)) {
			cell.str = redact(section, t, row, view->cols[i], w->arena);
			if (!cell.str)
				return false;
		}
		wl_json_cell(w->out, type, cell);
	}
	wl_jsonw_end_array(w->out);
	return true;
}

/* By row, what screens call a kernel; null where names are redacted. */
static void put_labels(const struct writing *w, const struct wl_view *view)
{
	wl_jsonw_open_array(w->out, "labels");
	for (size_t i = 0; i < view->n_rows; i++)
		wl_jsonw_str(w->out, w->redacted ? NULL : w->diff->kernel_label[view->rows[i]]);
	wl_jsonw_end_array(w->out);
}

static bool put_table(const struct writing *w, enum wl_diff_section section,
		      const struct wl_table *table)
{
	struct wl_view view;
	struct wl_err err;

	if (wl_view_make(table, &(struct wl_view_opts){ .limit = MAX_ROWS }, w->arena, &view,
			 &err) < 0)
		return false;
	wl_jsonw_newline(w->out);
	wl_jsonw_begin_object(w->out);
	wl_jsonw_put_str(w->out, "name", wl_diff_tables[section].name);
	wl_jsonw_put_str(w->out, "title", wl_diff_tables[section].title);
	wl_json_columns(w->out, &view);
	wl_jsonw_open_array(w->out, "rows");
	for (size_t i = 0; i < view.n_rows; i++) {
		if (!put_row(w, section, &view, view.rows[i]))
			return false;
	}
	wl_jsonw_end_array(w->out);
	if (section == WL_DIFF_KERNELS)
		put_labels(w, &view);
	wl_jsonw_put_i64(w->out, "total", (int64_t)view.n_total);
	wl_jsonw_end_object(w->out);
	return true;
}

/* Notes name markers and GPUs. */
static void put_notes(const struct writing *w, const struct wl_table *verdict)
{
	wl_jsonw_open_array(w->out, "notes");
	for (const struct wl_note *n = verdict->notes; n && !w->redacted; n = n->next)
		wl_jsonw_str(w->out, n->text);
	wl_jsonw_end_array(w->out);
}

static bool put_tables(const struct writing *w)
{
	struct wl_table *table = WL_NEW(w->arena, struct wl_table, WL_N_DIFF_SECTIONS);
	bool ok = table != NULL;

	for (size_t s = 0; ok && s < WL_N_DIFF_SECTIONS; s++) {
		wl_table_init(&table[s], w->arena, wl_diff_tables[s].cols,
			      wl_diff_tables[s].n_cols);
		wl_diff_fill(w->diff, (enum wl_diff_section)s, &table[s]);
		ok = wl_table_ok(&table[s]);
	}
	if (!ok)
		return false;
	put_notes(w, &table[WL_DIFF_VERDICT]);
	wl_jsonw_open_array(w->out, "tables");
	for (size_t s = 0; ok && s < WL_N_DIFF_SECTIONS; s++) {
		if (wl_diff_has(w->diff, (enum wl_diff_section)s))
			ok = put_table(w, (enum wl_diff_section)s, &table[s]);
	}
	wl_jsonw_end_array(w->out);
	return ok;
}

/* ---- Sentences ---- */

static void put_periods(const struct writing *w)
{
	bool has_steps = w->diff->extent == WL_OF_STEPS;

	wl_jsonw_open_array(w->out, "periods");
	for (size_t s = 0; s < WL_N_SIDES; s++) {
		const struct wl_fingerprint *f = w->diff->side[s];

		wl_jsonw_begin_array(w->out);
		for (size_t i = 0; has_steps && i < f->n_steps; i++)
			wl_jsonw_i64(w->out, f->step[i]);
		wl_jsonw_end_array(w->out);
	}
	wl_jsonw_end_array(w->out);
}

/* The first sentence has figures only, the second names what changed. */
static bool put_diff(const struct writing *w)
{
	const struct wl_diff *d = w->diff;
	bool has_steps = d->extent == WL_OF_STEPS;
	char words[WL_WORDS], lead[WL_WORDS];

	wl_jsonw_put_str(w->out, "verdict", has_steps ? wl_verdict_name(d->step.verdict) : NULL);
	wl_jsonw_put_str(w->out, "line", wl_diff_line(d, words));
	wl_jsonw_put_str(w->out, "lead", wl_diff_lead(d, lead));
	wl_jsonw_put_str(w->out, "rest", words + strlen(lead));
	wl_jsonw_put_str(w->out, "why", w->redacted ? "" : wl_diff_why(d, words));
	wl_jsonw_put_str(w->out, "extent", has_steps ? "step" : "window");
	put_periods(w);
	return put_tables(w);
}

static void put_refusal(const struct wl_head *head, struct wl_jsonw *out)
{
	static const char *const sides[] = { "the first trace: ", "the second trace: " };
	const struct wl_compared *c = head->compared;
	char text[sizeof(c->refusal.msg) + 32];

	(void)snprintf(text, sizeof(text), "%s%s", c->refused < 0 ? "" : sides[c->refused],
		       head->naming == WL_NAMES_REDACTED ? "cannot be compared" : c->refusal.msg);
	wl_jsonw_put_str(out, "error", text);
}

bool wl_head_compare(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	bool ok = true;

	wl_jsonw_key(out, "compare");
	if (!head->compared) {
		wl_jsonw_null(out);
		return true;
	}
	wl_jsonw_begin_object(out);
	if (head->compared->refusal.code != WL_OK)
		put_refusal(head, out);
	else
		ok = put_diff(&(struct writing){ .diff = &head->compared->diff,
						 .out = out,
						 .arena = arena,
						 .redacted = head->naming == WL_NAMES_REDACTED });
	wl_jsonw_end_object(out);
	return ok;
}

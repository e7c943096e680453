/* SPDX-License-Identifier: MIT */
/* Several answers as one: names of traces, the view, and traces without data. */
#include "session/open/join.h"

#include <string.h>

#include "support/unit.h"

enum { NAME, SIZE, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[SIZE] = { "size", "Size", WL_T_BYTES, WL_SUM, "A size." },
};

enum { MAX_DOCS = 4 };

/* Answers as sessions give them. */
struct world {
	struct wl_arena arena;
	struct wl_request request;
	struct wl_table table[MAX_DOCS];
	struct wl_section section[MAX_DOCS];
	struct wl_fact fact[MAX_DOCS];
	struct wl_document doc[MAX_DOCS], out;
	size_t n;
	struct wl_err err;
};

static void init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	wl_arena_init(&w->arena, 1 << 20);
	w->request.analysis = wl_analysis_get("kernels");
	w->request.several = true;
}

/* A trace with one row. */
static void add(struct world *w, const char *path, const char *name, int64_t size)
{
	size_t i = w->n++;

	wl_table_init(&w->table[i], &w->arena, cols, N_COLS);
	wl_table_row(&w->table[i]);
	wl_put_str(&w->table[i], NAME, name);
	wl_put_i64(&w->table[i], SIZE, size);
	w->section[i] =
		(struct wl_section){ .analysis = "kernels", .view = { .table = &w->table[i] } };
	w->fact[i] = (struct wl_fact){ .key = "path", .str = path };
	w->doc[i] = (struct wl_document){ .name = "kernels",
					  .trace = &w->fact[i],
					  .n_trace = 1,
					  .n_devices = (int64_t)i + 1,
					  .sections = &w->section[i],
					  .n_sections = 1,
					  .single = true };
}

static void add_missing(struct world *w, const char *path, const char *why)
{
	if (wl_join_missing(&w->request, path, why, &w->arena, &w->doc[w->n++], &w->err) < 0)
		fail_msg("%s", w->err.msg);
}

static const struct wl_view *join(struct world *w)
{
	if (wl_join(&w->request, w->doc, NULL, w->n, &w->arena, &w->out, &w->err) < 0)
		fail_msg("%s", w->err.msg);
	assert_int_equal(w->out.n_sections, 1);
	assert_true(w->out.single);
	return &w->out.sections[0].view;
}

static const char *label(const struct wl_view *v, size_t i)
{
	return wl_table_at(v->table, v->rows[i], 0).str;
}

TEST(base_names_that_differ_are_enough)
{
	const struct wl_view *v;
	struct world w;

	init(&w);
	add(&w, "/runs/1/before.sqlite", "x", 1);
	add(&w, "after.sqlite", "x", 2);
	v = join(&w);
	assert_string_equal(label(v, 0), "before.sqlite");
	assert_string_equal(label(v, 1), "after.sqlite");
	wl_arena_release(&w.arena);
}

TEST(equal_base_names_are_told_apart_by_paths)
{
	const struct wl_view *v;
	struct world w;

	init(&w);
	add(&w, "a/run.sqlite", "x", 1);
	add(&w, "b/other.sqlite", "x", 2);
	add(&w, "c/run.sqlite", "x", 3);
	v = join(&w);
	assert_string_equal(label(v, 0), "a/run.sqlite");
	assert_string_equal(label(v, 1), "b/other.sqlite");
	assert_string_equal(label(v, 2), "c/run.sqlite");
	wl_arena_release(&w.arena);
}

TEST(the_view_is_of_the_joined_table)
{
	const struct wl_view *v;
	struct world w;

	init(&w);
	add(&w, "c", "x", 1);
	add(&w, "b", "y", 2);
	add(&w, "a", "x", 3);
	w.request.view = (struct wl_view_opts){ .where = "trace != b or name = y",
						.sort = "trace",
						.columns = "size,trace",
						.limit = 2 };
	v = join(&w);
	assert_int_equal(v->n_rows, 3); /* the limit is of each trace */
	assert_int_equal(v->n_total, 3);
	assert_int_equal(v->n_cols, 2);
	assert_string_equal(label(v, 0), "a");
	assert_string_equal(label(v, 1), "b");
	assert_string_equal(label(v, 2), "c");
	wl_arena_release(&w.arena);
}

TEST(the_frame_is_that_of_the_first_and_lists_all)
{
	struct world w;

	init(&w);
	add(&w, "a", "x", 1);
	add(&w, "b", "y", 2);
	(void)join(&w);
	assert_string_equal(w.out.name, "kernels");
	assert_string_equal(w.out.sections[0].analysis, "kernels");
	assert_string_equal(w.out.trace[0].str, "a");
	assert_int_equal(w.out.n_devices, 1);
	assert_int_equal(w.out.n_traces, 2);
	assert_string_equal(w.out.traces[1].trace[0].str, "b");
	assert_int_equal(w.out.traces[1].n_devices, 2);
	wl_arena_release(&w.arena);
}

TEST(a_trace_without_data_has_a_note_and_no_rows)
{
	const struct wl_view *v;
	struct world w;

	init(&w);
	add_missing(&w, "dir/none", "nothing ran");
	add(&w, "dir/some", "x", 1);
	v = join(&w);
	assert_int_equal(v->n_rows, 1);
	assert_string_equal(label(v, 0), "some");
	assert_int_equal(v->table->n_notes, 1);
	assert_string_equal(v->table->notes->text, "none: nothing ran");
	assert_string_equal(w.out.trace[0].str, "dir/none");
	assert_int_equal(w.out.n_devices, -1);
	assert_string_equal(w.out.traces[0].sections[0].missing, "nothing ran");
	assert_null(w.out.traces[1].sections[0].missing);
	wl_arena_release(&w.arena);
}

TEST(no_data_anywhere_is_told_with_the_first_reason)
{
	struct world w;

	init(&w);
	add_missing(&w, "a", "nothing ran");
	add_missing(&w, "b", "--window +1s..: no operation");
	assert_int_equal(wl_join(&w.request, w.doc, NULL, w.n, &w.arena, &w.out, &w.err),
			 WL_E_NODATA);
	assert_string_equal(w.err.msg, "kernels: a: nothing ran");
	wl_arena_release(&w.arena);
}

TEST(every_budget_joins_or_says_no)
{
	int r = WL_E_NOMEM;
	struct world w;

	init(&w);
	add(&w, "a", "x", 1);
	add(&w, "b", "y", 2);
	w.n = 3;
	for (size_t budget = 0; r == WL_E_NOMEM; budget += 16) {
		struct wl_arena small;

		assert_in_range(budget, 0, 1 << 20);
		wl_arena_init(&small, budget);
		r = wl_join_missing(&w.request, "c", "nothing", &small, &w.doc[2], &w.err);
		if (r == WL_OK)
			r = wl_join(&w.request, w.doc, NULL, w.n, &small, &w.out, &w.err);
		assert_true(r == WL_OK || r == WL_E_NOMEM);
		wl_arena_release(&small);
	}
	wl_arena_release(&w.arena);
}

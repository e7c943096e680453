/* SPDX-License-Identifier: MIT */
/*
 * The tree's model against the verbs: all rows of "tree" and "nvtx-kernels" on every
 * fixture, with and without a window, have the same figures here.
 */
#include "tui/tree/tree_model.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "session/open/session.h"
#include "support/mem.h"
#include "support/traces.h"
#include "support/unit.h"

enum { BUDGET = 256 << 20 };

struct made {
	struct wl_tree_model model;
	enum wl_tree_mode mode;
	struct wl_budget *budget;
};

static int visit(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		 struct wl_err *reterr)
{
	struct made *m = ctx;

	(void)notes;
	return wl_tree_model_make(&m->model, run, m->mode, m->budget, reterr);
}

static void make_of(struct wl_session *session, struct made *m, const char *window)
{
	struct wl_visitor visitor = { .name = "tree", .visit = visit, .ctx = m };
	const struct wl_request request = { .visitor = &visitor, .selection.window = window };
	struct wl_document doc;
	struct wl_arena arena;
	struct wl_err err;
	int r;

	wl_tree_model_want(&visitor.wanted);
	wl_arena_init(&arena, BUDGET);
	r = wl_session_run(session, &request, &arena, &doc, &err);
	if (r < 0)
		fail_msg("%s", err.msg);
	wl_arena_release(&arena);
}

/* The answer of a verb; false where the trace has no data for it. */
static bool ask_verb(struct wl_session *session, const char *verb, const char *window,
		     struct wl_arena *arena, const struct wl_table **ret)
{
	const struct wl_request request = { .analysis = wl_analysis_get(verb),
					    .selection.window = window };
	struct wl_document doc;
	struct wl_err err;

	wl_arena_init(arena, BUDGET);
	if (wl_session_run(session, &request, arena, &doc, &err) < 0)
		return false;
	*ret = doc.sections[0].view.table;
	return true;
}

static int64_t number(const struct wl_table *t, size_t row, const char *key)
{
	size_t col;
	struct wl_cell cell;

	assert_non_null(wl_table_find_col(t, key, &col));
	cell = wl_table_at(t, row, col);
	return cell.set ? cell.i64 : 0;
}

static const char *text(const struct wl_table *t, size_t row, const char *key)
{
	size_t col;

	assert_non_null(wl_table_find_col(t, key, &col));
	return wl_table_at(t, row, col).str;
}

static bool is_range(const struct wl_tree_node *n)
{
	return n->kind == WL_TREE_RANGE || n->kind == WL_TREE_SPAN;
}

/* The node of a row of the verb, which is the child of another row's node. */
static uint32_t node_of(const struct wl_tree_model *m, uint32_t parent, const char *label,
			bool is_span)
{
	for (uint32_t i = 0; i < wl_tree_n(m); i++) {
		const struct wl_tree_node *n = wl_tree_get(m, i);

		if (n->parent == parent && n->kind == (is_span ? WL_TREE_SPAN : WL_TREE_RANGE) &&
		    strcmp(n->label, label) == 0)
			return i;
	}
	return WL_NONE;
}

static size_t compare_ranges(const struct wl_tree_model *m, const struct wl_table *t)
{
	uint32_t *node = calloc(t->n_rows + 1, sizeof(*node));
	size_t n_ranges = 0, n_rows = 0;

	assert_non_null(node);
	for (uint32_t i = 0; i < wl_tree_n(m); i++)
		n_ranges += is_range(wl_tree_get(m, i));
	/* Kernels follow all ranges; nvtx-kernels has the same ones. */
	while (n_rows < t->n_rows && strcmp(text(t, n_rows, "style"), "kernel") != 0)
		n_rows++;
	assert_int_equal(n_ranges, n_rows);
	assert_int_equal(m->n_paths, n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t above = wl_table_parent(t, i);
		const struct wl_tree_node *n;

		node[i] = node_of(m, above == WL_NO_ROW ? WL_NONE : node[above], text(t, i, "name"),
				  strcmp(text(t, i, "style"), "start/end") == 0);
		assert_int_not_equal(node[i], WL_NONE);
		n = wl_tree_get(m, node[i]);
		assert_int_equal(n->is.calls, number(t, i, "count"));
		assert_int_equal(n->is.wall, number(t, i, "host_sum"));
		assert_int_equal(n->is.p50, number(t, i, "host_p50"));
		assert_int_equal(n->is.gpu, number(t, i, "gpu_busy"));
		assert_int_equal(n->is.ops, number(t, i, "gpu_ops"));
		assert_int_equal(n->is.bridged, number(t, i, "bridged_busy"));
		assert_true(n->is.own <= n->is.gpu && n->is.exposed <= n->is.comm);
	}
	free(node);
	return n_ranges;
}

/* Kernels below ranges are the rows of the verb, which joins paths that read alike. */
static void compare_kernels(const struct wl_tree_model *m, const struct wl_table *t)
{
	int64_t sum = 0, calls = 0, sum_here = 0, calls_here = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		sum += number(t, i, "sum");
		calls += number(t, i, "calls");
	}
	for (uint32_t i = 0; i < wl_tree_n(m); i++) {
		const struct wl_tree_node *n = wl_tree_get(m, i);

		if (wl_tree_kernel_name(m, n) == WL_NONE ||
		    wl_tree_get(m, n->parent)->kind == WL_TREE_OUTSIDE)
			continue;
		sum_here += n->is.gpu;
		calls_here += (int64_t)n->is.calls;
	}
	assert_int_equal(sum_here, sum);
	assert_int_equal(calls_here, calls);
	assert_int_equal(m->kernels_in, sum);
}

/* In order of time, the ranges below all are those that aggregated count. */
static void open_all(struct wl_tree_model *m)
{
	for (uint32_t i = 0; i < wl_tree_n(m); i++) {
		while (wl_tree_get(m, i)->kind == WL_TREE_MORE)
			wl_tree_list_more(m, i);
		wl_tree_list(m, i);
	}
}

static void compare_modes(const struct wl_tree_model *folded, struct wl_tree_model *single)
{
	wl_ns wall = 0, gpu = 0, wall_here = 0, gpu_here = 0;
	size_t calls = 0, calls_here = 0;

	open_all(single);
	for (uint32_t i = 0; i < wl_tree_n(folded); i++) {
		const struct wl_tree_node *n = wl_tree_get(folded, i);

		wall += is_range(n) ? n->is.wall : 0;
		calls += is_range(n) ? n->is.calls : 0;
		gpu += n->kind == WL_TREE_OP ? n->is.gpu : 0;
	}
	for (uint32_t i = 0; i < wl_tree_n(single); i++) {
		const struct wl_tree_node *n = wl_tree_get(single, i);

		wall_here += n->is.wall;
		calls_here += is_range(n) ? n->is.calls : 0;
		gpu_here += n->kind == WL_TREE_OP ? n->is.gpu : 0;
	}
	assert_int_equal(wall_here, wall);
	assert_int_equal(calls_here, calls);
	assert_int_equal(gpu_here, gpu);
	assert_memory_equal(&single->all, &folded->all, sizeof(folded->all));
	assert_int_equal(single->kernels, folded->kernels);
	assert_int_equal(single->kernels_bridged, folded->kernels_bridged);
}

struct seen {
	size_t n_ranges;
};

static void compare_with_verbs(struct wl_session *session, const char *window, struct seen *seen)
{
	struct wl_budget budget = { .limit = BUDGET };
	struct made folded = { .mode = WL_TREE_AGGREGATED, .budget = &budget };
	struct made single = { .mode = WL_TREE_CHRONOLOGICAL, .budget = &budget };
	const struct wl_table *t;
	struct wl_arena arena;

	make_of(session, &folded, window);
	make_of(session, &single, window);
	if (ask_verb(session, "tree", window, &arena, &t))
		seen->n_ranges += compare_ranges(&folded.model, t);
	wl_arena_release(&arena);
	if (ask_verb(session, "nvtx-kernels", window, &arena, &t))
		compare_kernels(&folded.model, t);
	wl_arena_release(&arena);
	compare_modes(&folded.model, &single.model);
	wl_tree_model_drop(&folded.model);
	wl_tree_model_drop(&single.model);
	assert_int_equal(budget.used, 0);
}

static void look_at(void *ctx, const struct test_trace *trace)
{
	struct wl_session *session;
	struct wl_err err;

	if (trace->damaged)
		return;
	if (wl_session_open(trace->path, &(struct wl_input_opts){ .budget = NULL }, &session,
			    &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(wl_session_load_all(session, &err), WL_OK);
	compare_with_verbs(session, NULL, ctx);
	if (wl_session_trace(session)->n_devices)
		compare_with_verbs(session, "+1us..+1ms", ctx);
	wl_session_close(session);
}

TEST(figures_are_those_of_the_verbs)
{
	struct seen seen = { 0 };
	struct test_traces n = for_each_trace(look_at, &seen);

	if (!n.n_fixtures)
		skip();
	assert_true(seen.n_ranges > 50);
}

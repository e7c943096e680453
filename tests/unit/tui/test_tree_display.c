/* SPDX-License-Identifier: MIT */
/* The tree without a screen: rows, order, cells, and what nodes are asked. */
#include "tui/tree/tree_display.h"

#include <stdio.h>
#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

enum { ENOUGH = 64 << 20 };

struct world {
	struct mem mem;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_budget budget;
	struct wl_tree_model model;
	struct wl_tree_display display;
	struct wl_vec rows;
};

static void world_init(struct world *w)
{
	*w = (struct world){ .budget.limit = ENOUGH };
	mem_init(&w->mem);
	wl_arena_init(&w->arena, ENOUGH);
}

static int make_within(struct world *w, enum wl_tree_mode mode, struct wl_budget *budget)
{
	const struct wl_run run = { .trace = w->mem.derived.trace,
				    .scope = &w->scope.scope,
				    .derived = &w->mem.derived,
				    .arena = &w->arena };
	struct wl_err err;

	return wl_tree_model_make(&w->model, &run, mode, budget, &err);
}

static void make(struct world *w, enum wl_tree_mode mode)
{
	if (!w->mem.derived.trace)
		mem_scope_whole(&w->scope, mem_seal(&w->mem));
	wl_tree_model_drop(&w->model);
	assert_int_equal(make_within(w, mode, &w->budget), WL_OK);
	w->display.model = &w->model;
	w->display.sort = WL_TREE_COL_MEASURE;
	if (!w->rows.size)
		wl_vec_init(&w->rows, sizeof(uint32_t), &w->budget);
}

static void world_release(struct world *w)
{
	wl_tree_model_drop(&w->model);
	if (w->rows.size)
		wl_vec_release(&w->rows);
	assert_int_equal(w->budget.used, 0);
	wl_arena_release(&w->arena);
	mem_release(&w->mem);
}

static void push(struct world *w, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&w->mem, .start = start, .end = end, .name = name);
}

static void launch(struct world *w, unsigned corr, wl_ns at, wl_ns start, wl_ns end,
		   const char *name)
{
	MEM_API(&w->mem, .start = at, .end = at + 1, .corr = corr);
	MEM_OP(&w->mem, WL_F_KERNELS, .start = start, .end = end, .corr = corr, .name = name);
}

/* A layer with attention and mlp, twice; attention of the second takes longer. */
static void put_layers(struct world *w)
{
	push(w, 0, 1000, "run");
	for (unsigned i = 0; i < 2; i++) {
		wl_ns at = 100 + 400 * (wl_ns)i;

		push(w, at, at + 300, i ? "layer 1" : "layer 0");
		push(w, at + 10, at + 100, "attention");
		push(w, at + 110, at + 150 + (i ? 40 : 0), "mlp");
		launch(w, 10 * i + 1, at + 20, at + 30, at + 80, "flash");
		launch(w, 10 * i + 2, at + 120, at + 130, at + 140, "gemm");
		launch(w, 10 * i + 3, at + 130, at + 140, at + 160, "gemm");
		launch(w, 10 * i + 4, at + 290, at + 300, at + 305, "norm");
	}
	launch(w, 99, 1100, 1200, 1230, "stray");
}

/* The labels of the rows, with a blank before each level: "run, layer #". */
static const char *rows_of(struct world *w, enum wl_tree_extent extent)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	assert_true(wl_tree_rows(&w->display, extent, &w->rows));
	for (size_t i = 0; i < w->rows.n; i++) {
		const struct wl_tree_node *x =
			wl_tree_get(&w->model, ((uint32_t *)w->rows.data)[i]);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%*s%s", i ? "," : "",
				      (int)x->depth, "",
				      x->kind == WL_TREE_MORE ? "..." : x->label);
	}
	return text;
}

static uint32_t node_called(const struct world *w, const char *label)
{
	for (uint32_t i = 0; i < wl_tree_n(&w->model); i++) {
		if (strcmp(wl_tree_get(&w->model, i)->label, label) == 0)
			return i;
	}
	fail_msg("no node %s", label);
	return WL_NONE;
}

static const char *cell(const struct world *w, const char *label, enum wl_tree_col col)
{
	static char buf[WL_TREE_CELL];

	return wl_tree_cell(&w->display, col, node_called(w, label), buf);
}

TEST(rows_follow_what_is_open_and_the_order)
{
	WITH(struct world, w, world_release, world_init(&w));

	put_layers(&w);
	make(&w, WL_TREE_AGGREGATED);
	assert_string_equal(rows_of(&w, WL_TREE_OPEN_ONES), "run,(no NVTX)");
	assert_string_equal(rows_of(&w, WL_TREE_EVERYTHING),
			    "run, layer #,  attention,   flash,  mlp,   gemm,  norm,"
			    "(no NVTX), stray");
	wl_tree_get(&w.model, node_called(&w, "run"))->is_open = true;
	assert_string_equal(rows_of(&w, WL_TREE_OPEN_ONES), "run, layer #,(no NVTX)");
	w.display.is_reversed = true;
	assert_string_equal(rows_of(&w, WL_TREE_EVERYTHING),
			    "run, layer #,  norm,  mlp,   gemm,  attention,   flash,"
			    "(no NVTX), stray");
	w.display.sort = WL_TREE_COL_PATH;
	w.display.is_reversed = false;
	w.display.hides_ops = true;
	assert_string_equal(rows_of(&w, WL_TREE_EVERYTHING),
			    "run, layer #,  attention,  mlp,(no NVTX)");
	w.display.min = 61;
	assert_string_equal(rows_of(&w, WL_TREE_EVERYTHING), "run, layer #,  attention");
}

TEST(figures_are_as_counted_by_hand)
{
	WITH(struct world, w, world_release, world_init(&w));
	const struct wl_tree_node *layer;
	char buf[WL_TREE_NAME], path[256];

	put_layers(&w);
	make(&w, WL_TREE_AGGREGATED);
	layer = wl_tree_get(&w.model, node_called(&w, "layer #"));
	assert_int_equal(layer->n_names, 2);
	assert_string_equal(wl_tree_node_name(layer, buf), "layer ×2");
	assert_int_equal(layer->is.gpu, 2 * (50 + 30 + 5));
	assert_int_equal(layer->is.own, 2 * 5);
	assert_int_equal(layer->is.wall, 600);
	assert_int_equal(layer->is.calls, 2);
	assert_string_equal(cell(&w, "layer #", WL_TREE_COL_SELF), "6%");
	assert_string_equal(cell(&w, "layer #", WL_TREE_COL_SHARE), "85%");
	assert_string_equal(cell(&w, "gemm", WL_TREE_COL_CALLS), "4");
	assert_string_equal(cell(&w, "gemm", WL_TREE_COL_P99), "20ns");
	assert_string_equal(cell(&w, "(no NVTX)", WL_TREE_COL_CALLS), "-");
	assert_string_equal(wl_tree_path(&w.model, node_called(&w, "mlp"), path, sizeof(path)),
			    "run › layer ×2 › mlp");
	assert_string_equal(wl_tree_path(&w.model, node_called(&w, "mlp"), path, 9), " › mlp");
}

TEST(a_window_clips)
{
	WITH(struct world, w, world_release, world_init(&w));

	put_layers(&w);
	make(&w, WL_TREE_AGGREGATED);
	mem_scope_window(&w.scope, w.mem.derived.trace, 500, 1000);
	make(&w, WL_TREE_AGGREGATED);
	assert_int_equal(wl_tree_get(&w.model, node_called(&w, "layer #"))->is.gpu, 50 + 30 + 5);
	assert_int_equal(wl_tree_get(&w.model, node_called(&w, "run"))->is.wall, 500);
}

TEST(the_median_range_stands_for_a_node)
{
	WITH(struct world, w, world_release, world_init(&w));
	uint32_t row;

	push(&w, 0, 30, "a");
	push(&w, 100, 110, "a");
	push(&w, 200, 220, "a");
	push(&w, 300, 320, "a");
	push(&w, 400, 440, "a");
	make(&w, WL_TREE_AGGREGATED);
	row = wl_tree_median_range(&w.model, node_called(&w, "a"));
	assert_int_equal(wl_nvtx_start(w.model.trace)[row], 200);
	make(&w, WL_TREE_CHRONOLOGICAL);
	row = wl_tree_median_range(&w.model, 0);
	assert_int_equal(wl_nvtx_start(w.model.trace)[row], 0);
}

TEST(kernels_below_add_up)
{
	WITH(struct world, w, world_release, world_init(&w));
	static const enum wl_tree_mode modes[] = { WL_TREE_AGGREGATED, WL_TREE_CHRONOLOGICAL };

	put_layers(&w);
	for (size_t i = 0; i < WL_COUNT(modes); i++) {
		struct wl_tree_top top[2];

		make(&w, modes[i]);
		assert_int_equal(wl_tree_tops(&w.model, node_called(&w, "run"), top, 2), 2);
		assert_string_equal(top[0].name, "flash");
		assert_int_equal(top[0].sum, 100);
		assert_string_equal(top[1].name, "gemm");
		assert_int_equal(top[1].sum, 60);
		assert_int_equal(top[1].calls, 4);
	}
}

TEST(single_ranges_are_made_when_opened)
{
	WITH(struct world, w, world_release, world_init(&w));
	enum { N = 2 * WL_TREE_CHUNK + 7 };
	static char name[N][16];
	uint32_t run, last;

	push(&w, 0, 10 * N + 10, "run");
	for (unsigned i = 0; i < N; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "it %u", i);
		push(&w, 10 * (wl_ns)i, 10 * (wl_ns)i + 5, name[i]);
	}
	make(&w, WL_TREE_CHRONOLOGICAL);
	w.display.sort = WL_TREE_COL_PATH;
	run = node_called(&w, "run");
	assert_int_equal(wl_tree_n(&w.model), 1);
	wl_tree_list(&w.model, run);
	wl_tree_list(&w.model, run);
	assert_int_equal(wl_tree_n(&w.model), 1 + WL_TREE_CHUNK + 1);
	wl_tree_get(&w.model, run)->is_open = true;
	last = wl_tree_get(&w.model, run)->last;
	assert_int_equal(wl_tree_get(&w.model, last)->kind, WL_TREE_MORE);
	assert_int_equal(wl_tree_get(&w.model, last)->n_names, N - WL_TREE_CHUNK);
	wl_tree_list_more(&w.model, last);
	assert_int_equal(wl_tree_get(&w.model, last)->kind, WL_TREE_RANGE);
	assert_int_equal(wl_tree_n(&w.model), 1 + 2 * WL_TREE_CHUNK + 1);
	/* The last of all, by its number. */
	last = wl_tree_of_item(&w.model, N);
	assert_string_equal(wl_tree_get(&w.model, last)->label, name[N - 1]);
	assert_int_equal(wl_tree_n(&w.model), 1 + N);
	assert_true(wl_tree_rows(&w.display, WL_TREE_OPEN_ONES, &w.rows));
	assert_int_equal(w.rows.n, 1 + N);
	for (size_t i = 1; i < w.rows.n; i++)
		assert_string_equal(wl_tree_get(&w.model, ((uint32_t *)w.rows.data)[i])->label,
				    name[i - 1]);
}

TEST(another_trace_is_matched_by_path)
{
	struct world a, b;
	struct wl_arena arena;
	uint32_t *match, gemm;
	char buf[WL_TREE_CELL];

	world_init(&a);
	put_layers(&a);
	make(&a, WL_TREE_AGGREGATED);
	world_init(&b);
	push(&b, 0, 1000, "run");
	push(&b, 100, 900, "layer 7");
	push(&b, 110, 140, "mlp");
	launch(&b, 1, 120, 130, 180, "gemm");
	launch(&b, 2, 200, 210, 220, "flash");
	make(&b, WL_TREE_AGGREGATED);
	wl_arena_init(&arena, ENOUGH);
	match = wl_tree_match(&a.model, &b.model, &arena);
	assert_non_null(match);
	assert_int_equal(match[node_called(&a, "layer #")], node_called(&b, "layer #"));
	assert_int_equal(match[node_called(&a, "attention")], WL_NONE);
	/* It is there, but not on this path. */
	assert_int_equal(match[node_called(&a, "flash")], WL_NONE);
	gemm = node_called(&a, "gemm");
	assert_int_equal(match[gemm], node_called(&b, "gemm"));
	a.display.second = &b.model;
	a.display.match = match;
	assert_string_equal(wl_tree_cell(&a.display, WL_TREE_COL_DELTA, gemm, buf), "▲+40ns");
	assert_int_equal(wl_tree_change(&a.display, gemm), 1);
	wl_arena_release(&arena);
	world_release(&a);
	world_release(&b);
}

/* Each range holds the next: nothing recurses, or takes a square of anything. */
TEST(a_tree_may_be_deep)
{
	WITH(struct world, w, world_release, world_init(&w));
	enum { DEEP = 20000 };
	char path[300];

	for (wl_ns i = 0; i < DEEP; i++)
		push(&w, i, 3 * (wl_ns)DEEP - i, "a");
	make(&w, WL_TREE_AGGREGATED);
	assert_true(wl_tree_rows(&w.display, WL_TREE_EVERYTHING, &w.rows));
	assert_int_equal(w.rows.n, DEEP);
	assert_true(strlen(wl_tree_path(&w.model, DEEP - 1, path, sizeof(path))) < sizeof(path));
	make(&w, WL_TREE_CHRONOLOGICAL);
	for (uint32_t i = 0; i < wl_tree_n(&w.model); i++)
		wl_tree_list(&w.model, i);
	assert_int_equal(wl_tree_n(&w.model), DEEP);
	assert_int_equal(wl_tree_of_item(&w.model, DEEP - 1), WL_NONE);
}

TEST(any_budget_is_survived)
{
	static const enum wl_tree_mode modes[] = { WL_TREE_AGGREGATED, WL_TREE_CHRONOLOGICAL };

	for (size_t m = 0; m < WL_COUNT(modes); m++) {
		struct world w;
		size_t n_failed = 0;

		world_init(&w);
		put_layers(&w);
		make(&w, modes[m]);
		wl_tree_model_drop(&w.model);
		for (size_t limit = 1; limit < 1 << 20; limit += limit / 16 + 1) {
			struct wl_budget budget = { .limit = limit };

			n_failed += make_within(&w, modes[m], &budget) != WL_OK;
			wl_tree_model_drop(&w.model);
			assert_int_equal(budget.used, 0);
		}
		assert_true(n_failed > 10);
		world_release(&w);
	}
}

TEST(lengths_are_short)
{
	char buf[WL_TREE_CELL];

	assert_string_equal(wl_tree_length(999, buf), "999ns");
	assert_string_equal(wl_tree_length(1000, buf), "1.00us");
	assert_string_equal(wl_tree_length(12345, buf), "12.3us");
	assert_string_equal(wl_tree_length(999499, buf), "999us");
	assert_string_equal(wl_tree_length(999500, buf), "1.00ms");
	assert_string_equal(wl_tree_length(INT64_MAX, buf), "9223372037s");
}

/* SPDX-License-Identifier: MIT */
#include "export/ops_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

/* A trace that a test fills, and all rows of it in one table. */
struct asking {
	struct mem mem;
	const struct wl_trace *trace;
	struct mem_scope scope;
	struct wl_ops_rows_opts opts;
	struct wl_budget budget;
	atomic_int stop;
	struct wl_arena arena;
	struct wl_table all;
	struct wl_err err;
	size_t n_parts, largest; /* tables that came, and rows of the longest */
	size_t enough;           /* so many tables are taken; 0 for all */
	unsigned corr;
};

static void begin(struct asking *a)
{
	*a = (struct asking){ .corr = 0 };
	mem_init(&a->mem);
	a->opts.budget = &a->budget;
	a->opts.stop = &a->stop;
}

static void end(struct asking *a)
{
	wl_arena_release(&a->arena);
	mem_release(&a->mem);
}

static void copy_row(struct wl_table *to, const struct wl_table *from, size_t row)
{
	wl_table_row(to);
	for (size_t c = 0; c < from->n_cols; c++) {
		struct wl_cell cell = wl_table_at(from, row, c);

		if (!cell.set)
			continue;
		if (wl_type_is_text(from->cols[c].type))
			wl_put_copy(to, c, cell.str);
		else
			wl_put_i64(to, c, cell.i64);
	}
}

static bool take(void *ctx, const struct wl_table *rows)
{
	struct asking *a = ctx;

	assert_true(rows->n_rows > 0);
	for (size_t i = 0; i < rows->n_rows; i++)
		copy_row(&a->all, rows, i);
	a->n_parts++;
	a->largest = rows->n_rows > a->largest ? rows->n_rows : a->largest;
	return a->n_parts != a->enough;
}

static int try(struct asking *a)
{
	wl_arena_release(&a->arena);
	wl_arena_init(&a->arena, (size_t)256 << 20);
	wl_table_init(&a->all, &a->arena, wl_ops_cols, WL_N_OPS_COLS);
	a->n_parts = a->largest = 0;
	a->opts.scope = &a->scope.scope;
	return wl_ops_rows(&a->mem.derived, &a->opts, take, a, &a->err);
}

/* Ask again, in the scope that is set. */
static void again(struct asking *a)
{
	if (try(a) < 0)
		fail_msg("%s", a->err.msg);
	assert_true(wl_table_ok(&a->all));
}

static void ask(struct asking *a)
{
	a->trace = mem_seal(&a->mem);
	mem_scope_whole(&a->scope, a->trace);
	again(a);
}

static struct wl_cell cell_of(const struct asking *a, size_t row, const char *column)
{
	size_t col;

	assert_non_null(wl_table_find_col(&a->all, column, &col));
	return wl_table_at(&a->all, row, col);
}

static void expect_number(const struct asking *a, size_t row, const char *column, int64_t want)
{
	struct wl_cell cell = cell_of(a, row, column);

	if (!cell.set || cell.i64 != want)
		fail_msg("row %zu, %s: %lld, not %lld", row, column,
			 cell.set ? (long long)cell.i64 : -1, (long long)want);
}

static void expect_text(const struct asking *a, size_t row, const char *column, const char *want)
{
	struct wl_cell cell = cell_of(a, row, column);

	assert_true(cell.set);
	assert_string_equal(cell.str, want);
}

static void expect_none(const struct asking *a, size_t row, const char *columns)
{
	char *list = strdup(columns), *rest = NULL;

	assert_non_null(list);
	for (char *c = strtok_r(list, " ", &rest); c; c = strtok_r(NULL, " ", &rest)) {
		if (cell_of(a, row, c).set)
			fail_msg("row %zu, %s is set", row, c);
	}
	free(list);
}

/* A kernel that begins 20 after its call did; the call takes 5. */
static void launch(struct asking *a, wl_ns start, unsigned tid, const char *name)
{
	a->corr++;
	MEM_API(&a->mem, .start = start, .end = start + 5, .tid = tid, .corr = a->corr);
	MEM_OP(&a->mem, WL_F_KERNELS, .start = start + 20, .end = start + 30, .corr = a->corr,
	       .name = name);
}

static void range(struct asking *a, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&a->mem, .start = start, .end = end, .tid = 1, .name = name);
}

TEST(a_kernel_has_place_names_and_shape)
{
	WITH(struct asking, a, end, begin(&a));

	MEM_OP(&a.mem, WL_F_KERNELS, .start = 100, .end = 190, .pid = 42, .context = 3, .stream = 9,
	       .corr = 77, .grid = 64, .registers = 32, .name = "ncclDevKernel_AllReduce",
	       .brief = "short");
	ask(&a);
	assert_int_equal(a.all.n_rows, 1);
	expect_text(&a, 0, "kind", "kernel");
	expect_text(&a, 0, "name", "ncclDevKernel_AllReduce");
	expect_text(&a, 0, "class", "comm");
	expect_text(&a, 0, "category", "communication");
	expect_number(&a, 0, "device", 0);
	expect_number(&a, 0, "pid", 42);
	expect_number(&a, 0, "context", 3);
	expect_number(&a, 0, "stream", 9);
	expect_number(&a, 0, "start", 100);
	expect_number(&a, 0, "end", 190);
	expect_number(&a, 0, "dur", 90);
	expect_number(&a, 0, "correlation", 77);
	expect_number(&a, 0, "grid_x", 64);
	expect_number(&a, 0, "registers", 32);
	expect_none(&a, 0, "bytes copy_kind src dst graph graph_node rank");
	expect_none(&a, 0, "launch launch_name launch_dur thread queue latency nvtx iteration");
}

TEST(copies_sets_and_replays_fill_columns_of_their_own)
{
	WITH(struct asking, a, end, begin(&a));

	MEM_OP(&a.mem, WL_F_GRAPHS, .start = 400, .end = 500);
	MEM_OP(&a.mem, WL_F_MEMSETS, .start = 300, .end = 301, .bytes = 64, .kind = 2);
	MEM_OP(&a.mem, WL_F_MEMCPYS, .start = 200, .end = 240, .bytes = 4096, .kind = 1, .dst = 2);
	ask(&a);
	assert_int_equal(a.all.n_rows, 3);
	expect_text(&a, 0, "kind", "memcpy");
	expect_text(&a, 0, "name", "[CUDA memcpy HtoD]");
	expect_text(&a, 0, "class", "copy");
	expect_text(&a, 0, "category", "memory");
	expect_text(&a, 0, "copy_kind", "HtoD");
	expect_text(&a, 0, "src", "pageable");
	expect_text(&a, 0, "dst", "device");
	expect_number(&a, 0, "bytes", 4096);
	expect_none(&a, 0, "correlation grid_x grid_y grid_z block_x block_y block_z registers");
	expect_none(&a, 0, "static_shared dynamic_shared graph");
	expect_text(&a, 1, "kind", "memset");
	expect_text(&a, 1, "class", "compute");
	expect_text(&a, 1, "dst", "device");
	expect_number(&a, 1, "bytes", 64);
	expect_none(&a, 1, "copy_kind src");
	expect_text(&a, 2, "kind", "graph");
	expect_text(&a, 2, "name", "(graph)");
	expect_text(&a, 2, "category", "(graph)");
	expect_none(&a, 2, "bytes dst graph");
}

TEST(rows_come_by_device_and_start)
{
	WITH(struct asking, a, end, begin(&a));

	MEM_OP(&a.mem, WL_F_KERNELS, .start = 5, .end = 6, .device = 1);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 30, .end = 31);
	MEM_OP(&a.mem, WL_F_MEMCPYS, .start = 20, .end = 20, .kind = 2);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 20, .end = 29);
	ask(&a);
	assert_int_equal(a.all.n_rows, 4);
	expect_text(&a, 0, "kind", "kernel");
	expect_number(&a, 0, "start", 20);
	expect_text(&a, 1, "kind", "memcpy");
	expect_number(&a, 1, "dur", 0);
	expect_number(&a, 2, "start", 30);
	expect_number(&a, 3, "device", 1);
	expect_number(&a, 3, "ordinal", 1);
}

TEST(a_launch_is_told_with_its_delays)
{
	WITH(struct asking, a, end, begin(&a));

	MEM_API(&a.mem, .start = 100, .end = 110, .tid = 8, .corr = 1, .name = "cudaGraphLaunch");
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 90, .end = 91, .corr = 1);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 109, .end = 120, .corr = 1);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 110, .end = 120, .corr = 1);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 150, .end = 160, .corr = 1);
	ask(&a);
	for (size_t i = 0; i < 4; i++) {
		expect_number(&a, i, "launch", 100);
		expect_number(&a, i, "launch_dur", 10);
		expect_number(&a, i, "thread", 8);
		expect_text(&a, i, "launch_name", "cudaGraphLaunch");
	}
	expect_number(&a, 0, "latency", -10);
	expect_none(&a, 0, "queue nvtx");
	expect_number(&a, 1, "latency", 9);
	expect_none(&a, 1, "queue");
	expect_number(&a, 2, "queue", 0);
	expect_number(&a, 3, "queue", 40);
	expect_number(&a, 3, "latency", 50);
}

TEST(a_fused_kernel_says_what_else_it_does)
{
	WITH(struct asking, a, end, begin(&a));
	static const char *const names[] = {
		"void flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<__nv_bfloat16>(T1 *)",
		"void deep_gemm::sm100_bf16_mega_moe_impl<(unsigned int)8>(void *)",
		"void vllm::cross_device_reduce_1stage<__nv_bfloat16, (int)2>(x)",
	};

	for (wl_ns i = 0; i < (wl_ns)WL_COUNT(names); i++)
		MEM_OP(&a.mem, WL_F_KERNELS, .start = 10 * i, .end = 10 * i + 5, .name = names[i]);
	ask(&a);
	expect_text(&a, 0, "class", "comm");
	expect_text(&a, 0, "category", "communication");
	expect_text(&a, 0, "fused", "compute");
	expect_text(&a, 1, "class", "compute");
	expect_text(&a, 1, "category", "moe");
	expect_text(&a, 1, "fused", "comm");
	expect_text(&a, 2, "class", "comm");
	expect_none(&a, 2, "fused");
}

TEST(ranges_and_iterations_are_those_of_the_launch)
{
	WITH(struct asking, a, end, begin(&a));
	static const char *const steps[] = { "step 0", "step 1", "step 2", "step 3" };

	for (size_t i = 0; i < WL_COUNT(steps); i++) {
		wl_ns t = 1000 + 100 * (wl_ns)i;

		range(&a, t, t + 90, steps[i]);
		range(&a, t + 5, t + 40, "layer 3");
		launch(&a, t + 10, 1, "inside");
		launch(&a, t + 50, 2, "of another thread");
	}
	ask(&a);
	assert_int_equal(a.all.n_rows, 8);
	for (size_t i = 0; i < 8; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "step %zu > layer 3", i / 2);
		expect_number(&a, i, "iteration", (int64_t)i / 2);
		if (i % 2 == 0)
			expect_text(&a, i, "nvtx", path);
		else
			expect_none(&a, i, "nvtx");
	}
}

TEST(a_window_takes_operations_whole)
{
	WITH(struct asking, a, end, begin(&a));

	MEM_OP(&a.mem, WL_F_KERNELS, .start = 0, .end = 10);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 8, .end = 30);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 20, .end = 20);
	MEM_OP(&a.mem, WL_F_KERNELS, .start = 25, .end = 26, .device = 1);
	ask(&a);
	assert_int_equal(a.all.n_rows, 4);
	mem_scope_window(&a.scope, a.trace, 10, 26);
	again(&a);
	assert_int_equal(a.all.n_rows, 3);
	expect_number(&a, 0, "start", 8);
	expect_number(&a, 0, "end", 30);
	expect_number(&a, 1, "start", 20);
	a.scope.device_on[1] = false;
	again(&a);
	assert_int_equal(a.all.n_rows, 2);
	a.opts.min_dur = 22;
	again(&a);
	assert_int_equal(a.all.n_rows, 1);
	a.opts.min_dur = 23;
	again(&a);
	assert_int_equal(a.all.n_rows, 0);
	assert_int_equal(a.n_parts, 0);
}

TEST(many_rows_come_in_parts)
{
	WITH(struct asking, a, end, begin(&a));
	enum { N = 2 * WL_OPS_ROWS_AT_ONCE + 5 };

	for (wl_ns i = 0; i < N; i++)
		MEM_OP(&a.mem, WL_F_KERNELS, .start = 2 * i, .end = 2 * i + 1);
	ask(&a);
	assert_int_equal(a.all.n_rows, N);
	assert_int_equal(a.n_parts, 3);
	assert_int_equal(a.largest, WL_OPS_ROWS_AT_ONCE);
	for (size_t i = 0; i < N; i++)
		expect_number(&a, i, "start", 2 * (int64_t)i);
	a.enough = 2;
	again(&a);
	assert_int_equal(a.n_parts, 2);
}

TEST(long_paths_make_parts_short)
{
	enum { N = 600, LONG = 100000 };
	FREED char *name = malloc(LONG + 1);
	struct asking a;

	assert_non_null(name);
	memset(name, 'x', LONG);
	name[LONG] = '\0';
	begin(&a);
	range(&a, 0, (wl_ns)N * 100, name);
	for (wl_ns i = 0; i < N; i++) {
		range(&a, i * 100, i * 100 + 99, i % 2 ? "odd" : "even");
		launch(&a, i * 100 + 10, 1, NULL);
	}
	ask(&a);
	assert_int_equal(a.all.n_rows, N);
	assert_true(a.n_parts > 10);
	assert_int_equal(strlen(cell_of(&a, 1, "nvtx").str), LONG + strlen(" > odd"));
	end(&a);
}

TEST(a_stop_is_obeyed)
{
	WITH(struct asking, a, end, begin(&a));

	launch(&a, 0, 1, NULL);
	ask(&a);
	assert_int_equal(a.all.n_rows, 1);
	a.stop = 1;
	assert_int_equal(try(&a), WL_E_CANCELED);
	assert_int_equal(a.all.n_rows, 0);
}

TEST(without_memory_it_fails_and_leaves_nothing)
{
	WITH(struct asking, a, end, begin(&a));
	size_t failures = 0;

	for (wl_ns i = 0; i < 300; i++) {
		range(&a, i * 100, i * 100 + 99, "step");
		launch(&a, i * 100 + 10, 1, NULL);
	}
	ask(&a);
	for (size_t limit = 1; limit < 1 << 20; limit += limit / 8 + 1) {
		int r;

		a.budget = (struct wl_budget){ .limit = limit };
		r = try(&a);
		assert_int_equal(a.budget.used, 0);
		if (r == WL_OK)
			assert_int_equal(a.all.n_rows, 300);
		else
			assert_int_equal(r, WL_E_NOMEM);
		failures += r < 0;
	}
	assert_true(failures > 0);
}

TEST(no_operations_are_no_rows)
{
	WITH(struct asking, a, end, begin(&a));

	range(&a, 0, 10, "alone");
	ask(&a);
	assert_int_equal(a.all.n_rows, 0);
}

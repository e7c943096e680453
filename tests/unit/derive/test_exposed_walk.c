/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposed_walk.h"

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

enum { MAX_PIECES = 16 };

/* A trace of one device, and the pieces of a walk over it. */
struct walked {
	struct mem m;
	struct mem_scope scope;
	struct wl_budget budget;
	struct wl_interval piece[MAX_PIECES];
	wl_ns op_start[MAX_PIECES];
	size_t n;
};

static void begin(struct walked *x)
{
	*x = (struct walked){ .n = 0 };
	mem_init(&x->m);
}

static void end(struct walked *x)
{
	mem_release(&x->m);
}

static void compute(struct walked *x, wl_ns start, wl_ns stop)
{
	MEM_OP(&x->m, WL_F_KERNELS, .start = start, .end = stop);
}

static void comm(struct walked *x, wl_ns start, wl_ns stop, unsigned stream)
{
	MEM_OP(&x->m, WL_F_KERNELS, .start = start, .end = stop, .stream = stream,
	       .name = "ncclDevKernel_AllReduce");
}

static void copy(struct walked *x, wl_ns start, wl_ns stop)
{
	MEM_OP(&x->m, WL_F_MEMCPYS, .start = start, .end = stop, .kind = WL_COPY_H2D);
}

static void take(void *ctx, const struct wl_op *op, wl_ns from, wl_ns to)
{
	struct walked *x = ctx;

	assert_in_range(x->n, 0, MAX_PIECES - 1);
	x->op_start[x->n] = op->start;
	x->piece[x->n++] = (struct wl_interval){ from, to };
}

/* Walk in one go, or by way of a time at which nothing is under way. */
static bool walk(struct walked *x, wl_ns by_way_of)
{
	struct wl_exposed_question q = { .scope = &x->scope.scope };
	struct wl_exposed_walk w;
	bool ok = true;

	q.trace = x->m.derived.trace;
	q.classes = x->m.derived.classes;
	assert_non_null(q.classes);
	x->n = 0;
	wl_exposed_walk_init(&w, &q, &x->budget, take, x);
	if (by_way_of != WL_NO_TIME)
		ok = wl_exposed_walk_to(&w, by_way_of);
	ok = ok && wl_exposed_walk_to(&w, INT64_MAX);
	wl_exposed_walk_release(&w);
	assert_int_equal(x->budget.used, 0);
	return ok;
}

static void seal(struct walked *x)
{
	mem_scope_whole(&x->scope, mem_seal(&x->m));
}

static void expect(const struct walked *x, size_t i, wl_ns from, wl_ns to, wl_ns op_start)
{
	assert_in_range(i, 0, x->n - 1);
	assert_int_equal(x->piece[i].begin, from);
	assert_int_equal(x->piece[i].end, to);
	assert_int_equal(x->op_start[i], op_start);
}

TEST(compute_hides_all_and_communication_hides_copies)
{
	WITH(struct walked, x, end, begin(&x));

	compute(&x, 20, 40);
	comm(&x, 10, 60, 20);
	copy(&x, 0, 100);
	seal(&x);
	assert_true(walk(&x, WL_NO_TIME));
	assert_int_equal(x.n, 4);
	expect(&x, 0, 0, 10, 0);
	expect(&x, 1, 10, 20, 10);
	expect(&x, 2, 40, 60, 10);
	expect(&x, 3, 60, 100, 0);
}

TEST(a_moment_belongs_to_the_first)
{
	WITH(struct walked, x, end, begin(&x));

	comm(&x, 0, 50, 20);
	comm(&x, 10, 40, 21);
	comm(&x, 20, 70, 22);
	comm(&x, 30, 80, 23);
	seal(&x);
	assert_true(walk(&x, WL_NO_TIME));
	assert_int_equal(x.n, 3);
	expect(&x, 0, 0, 50, 0);
	expect(&x, 1, 50, 70, 20);
	expect(&x, 2, 70, 80, 30);
}

TEST(others_that_start_do_not_split_a_piece)
{
	WITH(struct walked, x, end, begin(&x));

	comm(&x, 0, 50, 20);
	compute(&x, 10, 10);
	copy(&x, 20, 30);
	comm(&x, 30, 30, 21);
	seal(&x);
	assert_true(walk(&x, WL_NO_TIME));
	assert_int_equal(x.n, 1);
	expect(&x, 0, 0, 50, 0);
}

TEST(a_walk_may_rest)
{
	WITH(struct walked, x, end, begin(&x));

	comm(&x, 0, 10, 20);
	comm(&x, 30, 40, 20);
	seal(&x);
	for (wl_ns t = 10; t <= 30; t += 10) {
		assert_true(walk(&x, t));
		assert_int_equal(x.n, 2);
		expect(&x, 0, 0, 10, 0);
		expect(&x, 1, 30, 40, 30);
	}
}

TEST(a_place_that_is_off_neither_hides_nor_shows)
{
	WITH(struct walked, x, end, begin(&x));

	compute(&x, 0, 100);
	comm(&x, 10, 20, 20);
	seal(&x);
	x.scope.place_on[0] = false;
	assert_true(walk(&x, WL_NO_TIME));
	assert_int_equal(x.n, 1);
	expect(&x, 0, 10, 20, 10);
	x.scope.place_on[0] = true;
	x.scope.place_on[1] = false;
	assert_true(walk(&x, WL_NO_TIME));
	assert_int_equal(x.n, 0);
}

TEST(a_budget_is_honoured)
{
	WITH(struct walked, x, end, begin(&x));

	comm(&x, 0, 10, 20);
	seal(&x);
	x.budget.limit = 1;
	assert_false(walk(&x, WL_NO_TIME));
}

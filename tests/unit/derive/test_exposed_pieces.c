/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposed_pieces.h"

#include "derive/derived.h"
#include "derive/kinds/activity.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

struct piece {
	size_t row;
	wl_ns begin, end;
};

struct pieces {
	struct piece at[8];
	size_t n;
};

static void take(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end)
{
	struct pieces *p = ctx;

	assert_in_range(p->n, 0, WL_COUNT(p->at) - 1);
	p->at[p->n++] = (struct piece){ op->row, begin, end };
}

static void copy(struct mem *m, wl_ns start, wl_ns end)
{
	MEM_OP(m, WL_F_MEMCPYS, .start = start, .end = end, .kind = WL_COPY_H2D);
}

static void kernel(struct mem *m, wl_ns start, wl_ns end)
{
	MEM_OP(m, WL_F_KERNELS, .start = start, .end = end);
}

/* What is exposed of the copies from a time on. */
static void visit(struct mem *m, wl_ns from, struct pieces *ret)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_trace *t = mem_seal(m);
	struct wl_exposed_question q = {
		.trace = t, .device = 0, .class = WL_COPY, .from = from, .until = INT64_MAX
	};
	struct wl_activity activity;
	struct mem_scope scope;

	mem_scope_whole(&scope, t);
	q.scope = &scope.scope;
	q.classes = m->derived.classes;
	q.activity = &activity;
	q.hides = WL_ON_COMPUTE;
	assert_non_null(q.classes);
	assert_true(wl_activity_of_device(t, q.scope, q.classes, 0, &arena, &activity));
	wl_exposed_visit(&q, take, ret);
}

static void expect(const struct pieces *p, const struct piece *want, size_t n)
{
	assert_int_equal(p->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(p->at[i].row, want[i].row);
		assert_int_equal(p->at[i].begin, want[i].begin);
		assert_int_equal(p->at[i].end, want[i].end);
	}
}

TEST(what_hides_an_operation_cuts_it)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const struct piece want[] = { { 0, 0, 10 }, { 0, 20, 30 }, { 0, 40, 50 } };
	struct pieces p = { .n = 0 };

	copy(&m, 0, 50);
	copy(&m, 60, 60); /* of no length: no piece */
	kernel(&m, 10, 20);
	kernel(&m, 30, 40);
	visit(&m, INT64_MIN, &p);
	expect(&p, want, WL_COUNT(want));
}

TEST(a_moment_belongs_to_what_started_first)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const struct piece want[] = { { 0, 5, 10 }, { 2, 15, 20 }, { 3, 20, 30 } };
	struct pieces p = { .n = 0 };

	copy(&m, 0, 10);
	copy(&m, 2, 5); /* inside: the first has it all */
	copy(&m, 3, 20);
	copy(&m, 4, 30);
	kernel(&m, 10, 15);
	visit(&m, 5, &p);
	expect(&p, want, WL_COUNT(want));
}

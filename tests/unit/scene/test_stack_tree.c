/* SPDX-License-Identifier: MIT */
/* The tree of call stacks of the fixture stacks.sql: what is kept, and what adds up. */
#include "scene/stack_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { MANY = 1000, BUDGET = 1 << 20 };

struct asking {
	struct wl_session *session;
	struct wl_arena arena;
	struct wl_err err;
	struct wl_stack_tree tree;
};

static void begin(struct asking *x, const char *fixture, size_t budget)
{
	const char *dir = getenv("WARPLENS_FIXTURES");
	char path[4096];

	if (!dir)
		skip();
	(void)snprintf(path, sizeof(path), "%s/%s", dir, fixture);
	if (wl_session_open(path, &(struct wl_input_opts){ .budget = NULL }, &x->session, &x->err) <
	    0)
		fail_msg("%s", x->err.msg);
	wl_arena_init(&x->arena, budget);
}

static void end(struct asking *x)
{
	wl_arena_release(&x->arena);
	wl_session_close(x->session);
}

static int ask(struct asking *x, size_t during, size_t max)
{
	const struct wl_request request = { .marker = NULL };
	const struct wl_stack_choice choice = wl_stack_during(during);

	return wl_stack_tree_find(x->session, &request, &choice, max, &x->arena, &x->tree, &x->err);
}

/* Of nodes that are all there: callers have what they call, and everything is in one node. */
static void expect_sums(const struct wl_stack_tree *t)
{
	wl_ns outermost = 0, self = 0;

	for (size_t i = 0; i < t->n; i++) {
		wl_ns inside = t->node[i].self;

		for (size_t k = 0; k < t->n; k++)
			inside += t->node[k].parent == i ? t->node[k].total : 0;
		assert_int_equal(inside, t->node[i].total);
		outermost += t->node[i].parent == WL_NONE ? t->node[i].total : 0;
		self += t->node[i].self;
		if (t->node[i].parent != WL_NONE)
			assert_true(t->node[i].parent < i);
	}
	assert_int_equal(outermost, t->total);
	assert_int_equal(self, t->total);
}

static void expect_node(const struct wl_stack_tree *t, size_t i, const char *function,
			uint32_t parent, wl_ns total, wl_ns self)
{
	assert_string_equal(t->node[i].function, function);
	assert_int_equal(t->node[i].parent, parent);
	assert_int_equal(t->node[i].total, total);
	assert_int_equal(t->node[i].self, self);
}

TEST(nodes_add_up_to_the_time_of_the_verb)
{
	WITH(struct asking, x, end, begin(&x, "stacks.sqlite", BUDGET));

	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, MANY), WL_OK);
	assert_int_equal(x.tree.total, 62000);
	assert_int_equal(x.tree.n, x.tree.n_all);
	expect_sums(&x.tree);
	expect_node(&x.tree, 0, "main", WL_NONE, 36000, 0);
	expect_node(&x.tree, 1, "step", 0, 28000, 5000);
	expect_node(&x.tree, 2, "format_number", 1, 18000, 18000);
	assert_int_equal(ask(&x, WL_STACK_DURING_BUSY, MANY), WL_OK);
	assert_int_equal(x.tree.total, 30000);
	expect_sums(&x.tree);
	assert_int_equal(ask(&x, WL_STACK_DURING_ALL, MANY), WL_OK);
	expect_sums(&x.tree);
}

/* Time without a stack has its two nodes always: it is not part of another. */
TEST(the_largest_nodes_are_kept_with_their_callers)
{
	WITH(struct asking, x, end, begin(&x, "stacks.sqlite", BUDGET));
	size_t n_all;

	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, MANY), WL_OK);
	n_all = x.tree.n_all;
	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, 2), WL_OK);
	assert_int_equal(x.tree.n, 2 + 2);
	assert_int_equal(x.tree.n_all, n_all);
	assert_int_equal(x.tree.total, 62000);
	expect_node(&x.tree, 0, "main", WL_NONE, 36000, 0);
	expect_node(&x.tree, 1, "step", 0, 28000, 5000);
	expect_node(&x.tree, 2, "[no sample]", WL_NONE, 11000, 11000);
	expect_node(&x.tree, 3, "[off CPU: blocked]", WL_NONE, 10000, 10000);
	assert_string_equal(x.tree.node[2].module, "");
	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, 0), WL_OK);
	assert_int_equal(x.tree.n, 2);
}

TEST(a_trace_without_stacks_has_no_tree)
{
	WITH(struct asking, x, end, begin(&x, "tiny.sqlite", BUDGET));

	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, MANY), WL_E_NODATA);
	assert_non_null(strstr(x.err.msg, "no call stacks"));
	assert_int_equal(x.tree.n, 0);
}

TEST(without_memory_it_fails)
{
	WITH(struct asking, x, end, begin(&x, "stacks.sqlite", 256));

	assert_int_equal(ask(&x, WL_STACK_DURING_IDLE, MANY), WL_E_NOMEM);
}

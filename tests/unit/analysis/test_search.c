/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void search(struct asked *x, const char *pattern, const char *in)
{
	const char *const args[WL_MAX_PARAMS] = { pattern, in };

	ask(x, args);
}

static void expect_hit(const struct asked *x, size_t row, const char *kind, const char *name,
		       int64_t count, wl_ns first)
{
	assert_string_equal(answer_str(&x->a, row, "kind"), kind);
	assert_string_equal(answer_str(&x->a, row, "name"), name);
	expect_i64(&x->a, row, "count", count);
	expect_i64(&x->a, row, "first", first);
}

static void put_names(struct asked *x)
{
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 50, .end = 60, .name = "step_k");
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 20, .end = 30, .name = "step_k");
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 10, .end = 11, .device = 1, .name = "step_k");
	MEM_OP(&x->mem, WL_F_KERNELS, .start = 1, .end = 2, .name = "other", .brief = "step");
	MEM_NVTX(&x->mem, .start = 5, .end = 9, .name = "step");
	MEM_NVTX(&x->mem, .start = 3, .end = 9, .tid = 4, .name = "step");
	MEM_NVTX(&x->mem, .start = 4, .kind = WL_NVTX_MARK, .name = "step mark");
	MEM_NVTX(&x->mem, .start = 1, .kind = WL_NVTX_DOMAIN_CREATE, .name = "step domain");
	MEM_NVTX(&x->mem, .start = 2, .end = 70);
	MEM_API(&x->mem, .start = 8, .end = 9, .name = "cudaStep");
	MEM_API(&x->mem, .start = 7, .end = 9, .name = "step_k");
}

TEST(names_of_each_kind_are_counted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "search"));

	put_names(&x);
	search(&x, "(?-i)step", NULL);
	assert_int_equal(x.a.table.n_rows, 4);
	expect_hit(&x, 0, "kernel", "step_k", 3, 10);
	expect_hit(&x, 1, "nvtx", "step", 2, 3);
	expect_hit(&x, 2, "nvtx", "step mark", 1, 4);
	expect_hit(&x, 3, "api", "step_k", 1, 7);
	search(&x, "step", NULL); /* and cudaStep */
	assert_int_equal(x.a.table.n_rows, 5);
	assert_int_equal(x.a.table.n_notes, 0);
	search(&x, "STEP", NULL);
	assert_int_equal(x.a.table.n_rows, 0);
	assert_string_equal(x.a.table.notes->text,
			    "no match; 5 if case is ignored (write the pattern in lower case)");
	search(&x, "(?i)STEP", "api");
	assert_int_equal(x.a.table.n_rows, 2);
	expect_hit(&x, 0, "api", "cudaStep", 1, 8);
	search(&x, "step", "kernels");
	assert_int_equal(x.a.table.n_rows, 1);
	search(&x, "step", "nvtx");
	assert_int_equal(x.a.table.n_rows, 2);
	search(&x, "nothing of this kind", NULL);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(ranges_without_a_name_are_found)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "search"));

	put_names(&x);
	search(&x, "^.unnamed.$", NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_hit(&x, 0, "nvtx", "(unnamed)", 1, 2);
}

TEST(the_window_decides_what_counts_and_not_when_it_began)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "search"));
	static const char *const args[WL_MAX_PARAMS] = { "step|unnamed", NULL };

	put_names(&x);
	search(&x, "step|unnamed", NULL);
	mem_scope_window(&x.scope, x.q.trace, 25, 40);
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_hit(&x, 0, "kernel", "step_k", 1, 20);
	expect_hit(&x, 1, "nvtx", "(unnamed)", 1, 2);
	x.scope.process_on[0] = false;
	memset(x.scope.place_on, 0, sizeof(x.scope.place_on));
	ask(&x, args);
	assert_int_equal(x.a.table.n_rows, 0);
}

TEST(patterns_that_take_for_ever_are_given_up_and_said)
{
	char name[4001];
	struct asked x;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 2] = '!';
	name[sizeof(name) - 1] = '\0';
	asked_init(&x, "search");
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .name = name);
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .name = "aaa");
	search(&x, "^(a|aa)+$", NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	assert_true(answer_has_note(&x.a, "too complex for 1 names"));
	asked_release(&x);
}

/* Without a match a second search ignores case: what it gives up is not of the first. */
TEST(a_name_that_is_given_up_counts_once)
{
	char name[4001];
	struct asked x;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 2] = '!';
	name[sizeof(name) - 1] = '\0';
	asked_init(&x, "search");
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .name = name);
	search(&x, "^(a|aa)+$|B", NULL);
	assert_int_equal(x.a.table.n_rows, 0);
	assert_true(answer_has_note(&x.a, "too complex for 1 names"));
	asked_release(&x);
}

TEST(one_family_is_enough)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "search"));

	MEM_API(&x.mem, .start = 8, .end = 9, .name = "cudaStep");
	search(&x, ".", NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_hit(&x, 0, "api", "cudaStep", 1, 8);
}

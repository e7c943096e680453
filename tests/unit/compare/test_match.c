/* SPDX-License-Identifier: MIT */
#include "compare/diff/match.h"

#include <string.h>

#include "base/text/apportion.h"
#include "support/unit.h"

enum { BUDGET = 1 << 20, MOST = 8 };

struct lists {
	struct wl_fp_row before[MOST], after[MOST];
	struct wl_fp_list a, b;
	int64_t by_a, by_b;
	struct wl_arena arena;
	struct wl_row_pairs pairs;
};

static void begin(struct lists *x, int64_t by_a, int64_t by_b)
{
	*x = (struct lists){ .by_a = by_a, .by_b = by_b };
	wl_arena_init(&x->arena, BUDGET);
	x->a.row = x->before;
	x->b.row = x->after;
}

/* Rows come in the order of a step. */
static void row(struct wl_fp_list *l, const char *name, int64_t calls, wl_ns ns)
{
	l->row[l->n] = (struct wl_fp_row){ .name = name,
					   .of = { [WL_OF_STEPS] = { calls, ns } },
					   .position = (int64_t)l->n };
	l->n++;
}

static void match(struct lists *x)
{
	const struct wl_pairing how = { .before = &x->a,
					.after = &x->b,
					.extent = WL_OF_STEPS,
					.by_before = x->by_a,
					.by_after = x->by_b,
					.rename = true,
					.threshold = 0.01 };

	assert_true(wl_row_pairs_make(&how, &x->arena, &x->pairs));
	for (size_t i = 0; i < x->pairs.n; i++) {
		const struct wl_pair *p = &x->pairs.pair[i];

		assert_int_equal(p->change, p->after.ns - p->before.ns);
		assert_int_equal(p->change, p->count_effect + p->duration_effect);
	}
}

static const struct wl_pair *pair(const struct lists *x, const char *name)
{
	for (size_t i = 0; i < x->pairs.n; i++) {
		if (strcmp(x->pairs.pair[i].name, name) == 0)
			return &x->pairs.pair[i];
	}
	fail_msg("no pair %s", name);
	return NULL;
}

TEST(effects_are_of_calls_and_of_lengths)
{
	struct lists x;

	begin(&x, 10, 5);
	row(&x.a, "more", 20, 2000); /* 2 of 100 per step */
	row(&x.b, "more", 15, 1500); /* 3 of 100 */
	row(&x.a, "longer", 10, 1000);
	row(&x.b, "longer", 5, 750);
	row(&x.a, "both", 10, 1000);
	row(&x.b, "both", 10, 1200); /* 2 of 120 */
	row(&x.a, "gone", 10, 500);
	row(&x.b, "fresh", 15, 300);
	row(&x.a, "still", 10, 100000);
	row(&x.b, "still", 5, 50400); /* 0.8% */
	match(&x);
	assert_int_equal(pair(&x, "more")->change, 100);
	assert_int_equal(pair(&x, "more")->count_effect, 100);
	assert_int_equal(pair(&x, "more")->state, WL_ROW_SLOWER);
	assert_int_equal(pair(&x, "longer")->duration_effect, 50);
	assert_int_equal(pair(&x, "longer")->count_effect, 0);
	assert_int_equal(pair(&x, "both")->count_effect, 100);
	assert_int_equal(pair(&x, "both")->duration_effect, 40);
	assert_int_equal(pair(&x, "gone")->state, WL_ROW_REMOVED);
	assert_int_equal(pair(&x, "gone")->count_effect, -50);
	assert_int_equal(pair(&x, "fresh")->state, WL_ROW_NEW);
	assert_int_equal(pair(&x, "fresh")->count_effect, 60);
	assert_int_equal(pair(&x, "still")->state, WL_ROW_SAME);
	assert_int_equal(x.pairs.pair[0].change, 140); /* the largest first */
	wl_arena_release(&x.arena);
}

TEST(columns_add_up_after_rounding)
{
	struct lists x;
	wl_ns before = 0, after = 0;

	begin(&x, 3, 7);
	row(&x.a, "a", 3, 100);
	row(&x.a, "b", 3, 100);
	row(&x.a, "c", 3, 101);
	row(&x.b, "a", 3, 10);
	row(&x.b, "b", 3, 11);
	row(&x.b, "d", 3, 12);
	match(&x);
	for (size_t i = 0; i < x.pairs.n; i++) {
		before += x.pairs.pair[i].before.ns;
		after += x.pairs.pair[i].after.ns;
	}
	assert_int_equal(before, wl_rounded_mean(301, 3));
	assert_int_equal(after, wl_rounded_mean(33, 7));
	wl_arena_release(&x.arena);
}

TEST(kernels_that_got_other_names_are_renamed)
{
	struct lists x;

	begin(&x, 1, 1);
	row(&x.a, "void gemm<128>(float*)", 4, 400);
	row(&x.a, "first", 1, 10);
	row(&x.a, "old", 2, 50);
	row(&x.a, "last", 1, 10);
	row(&x.b, "void gemm<256>(float*)", 3, 450);
	row(&x.b, "first", 1, 10);
	row(&x.b, "young", 2, 40);
	row(&x.b, "last", 1, 10);
	row(&x.b, "added", 2, 40);
	match(&x);
	assert_int_equal(x.pairs.n, 5);
	assert_int_equal(pair(&x, "void gemm<256>(float*)")->state, WL_ROW_RENAMED);
	assert_string_equal(pair(&x, "void gemm<256>(float*)")->before.row->name,
			    "void gemm<128>(float*)");
	assert_int_equal(pair(&x, "young")->state, WL_ROW_RENAMED);
	assert_string_equal(pair(&x, "young")->before.row->name, "old");
	assert_int_equal(pair(&x, "added")->state, WL_ROW_NEW);
	assert_true(x.pairs.matched > 0.9 && x.pairs.matched < 1);
	wl_arena_release(&x.arena);
}

static void kernel(struct wl_fp_list *l, const char *name, const char *category)
{
	row(l, name, 1, 100);
	l->row[l->n - 1].category = category;
}

/* One wrapper around another functor is another kernel, whatever place it has. */
TEST(a_wrapper_matches_by_what_it_does)
{
	struct lists x;

	begin(&x, 1, 1);
	kernel(&x.a, "void cutlass::device_kernel<flash::FlashAttnFwdSm90<2>>(T1::Params)",
	       "attention");
	kernel(&x.b, "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<4>>(T1)",
	       "gemm");
	match(&x);
	assert_int_equal(x.pairs.n, 2);
	wl_arena_release(&x.arena);
	begin(&x, 1, 1);
	kernel(&x.a, "void cutlass::device_kernel<flash::FlashAttnFwdSm90<2>>(T1::Params)",
	       "attention");
	kernel(&x.b, "void cutlass::device_kernel<flash::FlashAttnFwdSm100<2>>(T1::Params)",
	       "attention");
	match(&x);
	assert_int_equal(x.pairs.n, 1);
	assert_int_equal(x.pairs.pair[0].state, WL_ROW_RENAMED);
	wl_arena_release(&x.arena);
	begin(&x, 1, 1);
	kernel(&x.a, "void at::native::reduce_kernel<512, at::native::MyOp<float>>(T)", NULL);
	kernel(&x.b, "void at::native::reduce_kernel<256, at::native::MyOp<double>>(T)", NULL);
	match(&x);
	assert_int_equal(x.pairs.n, 1);
	wl_arena_release(&x.arena);
	begin(&x, 1, 1);
	kernel(&x.a, "void at::native::reduce_kernel<512, at::native::MyOp<float>>(T)", NULL);
	kernel(&x.b, "young", NULL);
	match(&x);
	assert_int_equal(x.pairs.n, 2);
	wl_arena_release(&x.arena);
}

TEST(another_number_of_calls_is_another_kernel)
{
	struct lists x;

	begin(&x, 1, 1);
	row(&x.a, "first", 1, 10);
	row(&x.a, "old", 2, 50);
	row(&x.b, "first", 1, 10);
	row(&x.b, "young", 3, 40);
	match(&x);
	assert_int_equal(pair(&x, "old")->state, WL_ROW_REMOVED);
	assert_int_equal(pair(&x, "young")->state, WL_ROW_NEW);
	wl_arena_release(&x.arena);
}

/* Before has others, and its shortest row is 50: a row of 20 may be one of them, one of 70 not. */
TEST(what_may_be_among_others_is_not_new)
{
	struct lists x;

	begin(&x, 1, 1);
	row(&x.a, "long", 1, 100);
	row(&x.a, "short", 1, 50);
	x.a.others = (struct wl_fp_row){ .of = { { 5, 30 } } };
	x.a.n_others = 3;
	row(&x.b, "long", 1, 100);
	row(&x.b, "short", 2, 50);
	row(&x.b, "maybe", 1, 20);
	row(&x.b, "surely", 1, 70);
	match(&x);
	assert_int_equal(x.pairs.n, 4);
	assert_int_equal(pair(&x, "surely")->state, WL_ROW_NEW);
	assert_true(pair(&x, "(others)")->is_others);
	assert_int_equal(pair(&x, "(others)")->before.ns, 30);
	assert_int_equal(pair(&x, "(others)")->after.ns, 20);
	assert_ptr_equal(&x.pairs.pair[3], pair(&x, "(others)"));
	wl_arena_release(&x.arena);
}

TEST(nothing_matches_nothing)
{
	struct lists x;

	begin(&x, 1, 1);
	match(&x);
	assert_int_equal(x.pairs.n, 0);
	assert_true(x.pairs.matched == 1);
	wl_arena_release(&x.arena);
}

TEST(remainders_go_to_the_largest)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, BUDGET));
	const int64_t sum[] = { 10, 15, 19, 0 };
	int64_t mean[4];

	assert_true(wl_apportion(sum, 4, 10, 4, &arena, mean));
	assert_int_equal(mean[0], 1);
	assert_int_equal(mean[1], 1);
	assert_int_equal(mean[2], 2);
	assert_int_equal(mean[3], 0);
	assert_true(wl_apportion(sum, 4, 10, 5, &arena, mean));
	assert_int_equal(mean[1], 2);
	assert_int_equal(wl_rounded_mean(15, 10), 2);
	assert_int_equal(wl_rounded_mean(14, 10), 1);
}

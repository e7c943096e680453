/* SPDX-License-Identifier: MIT */
/* Which function stands for a stack, and for a time. */
#include "derive/use/stack_names.h"

#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

enum { TID = 7 };

struct testing {
	struct mem mem;
	struct wl_arena arena;
	struct wl_function_tally tally;
};

/* The stacks are known to the trace, each by one sample. */
static void begin(struct testing *x, const char *const *stacks, size_t n)
{
	mem_init(&x->mem);
	wl_arena_init(&x->arena, 1 << 20);
	for (size_t i = 0; i < n; i++)
		MEM_SAMPLE(&x->mem, .start = (wl_ns)i, .tid = TID, .stack = stacks[i]);
	(void)mem_seal(&x->mem);
	assert_true(wl_function_tally_init(&x->tally, &x->mem.build.trace,
					   x->mem.derived.stack_names, &x->arena));
}

static void end(struct testing *x)
{
	wl_function_tally_release(&x->tally);
	wl_arena_release(&x->arena);
	mem_release(&x->mem);
}

/* Samples are in the order in which they were made. */
static void add(struct testing *x, size_t sample, wl_ns ns, uint32_t n)
{
	wl_function_tally_add(&x->tally, wl_samples_stack(&x->mem.build.trace)[sample], ns, n);
}

static void expect_name(struct testing *x, uint32_t frame, const char *want)
{
	const char *name =
		frame == WL_NONE ? "-" : wl_function_label(&x->mem.build.trace, frame, &x->arena);

	assert_string_equal(name, want);
}

static void expect(struct testing *x, const char *function, const char *under, wl_ns time)
{
	struct wl_top_function top = wl_function_tally_take(&x->tally);

	expect_name(x, top.function, function);
	expect_name(x, top.under, under);
	assert_int_equal(top.time, time);
}

TEST(the_nearest_function_of_the_program_is_around)
{
	static const char *const stacks[] = {
		"_start;main;train(int);load_batch(File&);libc.so.6!read@GLIBC_2",
		"main;libtorch.so!at::item;libtorch.so!inner;libcudart.so!cudaMemcpyAsync",
		"main",
		"main;step;step",
		"train;cudaMemcpy;__cudart12",
		"__cudart12",
	};
	WITH(struct testing, x, end, begin(&x, stacks, WL_COUNT(stacks)));

	add(&x, 0, 5, 0);
	expect(&x, "read", "load_batch", 5);
	add(&x, 1, 5, 0);
	expect(&x, "cudaMemcpyAsync", "at::item", 5);
	add(&x, 2, 5, 0);
	expect(&x, "main", "-", 5);
	add(&x, 3, 5, 0);
	expect(&x, "step", "-", 5);
	add(&x, 4, 5, 0);
	expect(&x, "cudaMemcpy", "train", 5);
	add(&x, 5, 5, 0);
	expect(&x, "__cudart12", "-", 5);
	expect(&x, "-", "-", 0);
}

/* write is called by log and by save; both are in run. */
TEST(callers_need_more_than_half)
{
	static const char *const stacks[] = { "run;log;libc.so.6!write", "run;save;libc.so.6!write",
					      "other;compute", "libc.so.6!write" };
	WITH(struct testing, x, end, begin(&x, stacks, WL_COUNT(stacks)));
	struct wl_top_function top;

	add(&x, 0, 30, 0);
	add(&x, 1, 20, 0);
	add(&x, 2, 40, 0);
	add(&x, 3, 500, 0); /* whose caller is not known */
	expect(&x, "write", "log", 550);
	add(&x, 0, 20, 0);
	add(&x, 1, 20, 0);
	expect(&x, "write", "run", 40);
	add(&x, 2, 40, 0);
	add(&x, 0, 39, 0);
	top = wl_function_tally_take(&x.tally);
	expect_name(&x, top.holder, "compute");
	assert_int_equal(top.with_stack, 79);
}

/* 100 ns for which samples stand: ten samples have 10 each, nine say nothing. */
TEST(samples_share_their_time)
{
	static const char *const stacks[] = { "main;step", "main;load" };
	WITH(struct testing, x, end, begin(&x, stacks, WL_COUNT(stacks)));
	struct wl_top_function top;

	wl_function_tally_add(&x.tally, WL_NONE, 100, 1);
	add(&x, 0, 0, 6);
	add(&x, 1, 5, 3);
	top = wl_function_tally_take(&x.tally);
	expect_name(&x, top.function, "step");
	assert_int_equal(top.time, 60);
	assert_int_equal(top.n, 6);
	assert_int_equal(top.with_stack, 60 + 30 + 5);
	wl_function_tally_add(&x.tally, WL_NONE, 100, 1);
	add(&x, 0, 0, 6);
	add(&x, 1, 5, 2);
	top = wl_function_tally_take(&x.tally);
	expect_name(&x, top.function, "load");
	assert_int_equal(top.time, 5);
	assert_int_equal(top.n, 0);
	assert_true(wl_top_is_sound(&top));
	wl_function_tally_add(&x.tally, WL_NONE, 100, 1);
	add(&x, 0, 0, 6);
	top = wl_function_tally_take(&x.tally);
	assert_false(wl_top_is_sound(&top));
}

/* The header of CUDA wraps functions in templates of the same name. */
/* 101 ns: six of twelve samples have 50, and three functions 16 each. */
TEST(a_module_with_half_of_the_samples_is_not_before_functions)
{
	static const char *const stacks[] = { "libcuda.so!", "main;first", "main;second",
					      "main;third" };
	WITH(struct testing, x, end, begin(&x, stacks, WL_COUNT(stacks)));

	wl_function_tally_add(&x.tally, WL_NONE, 101, 0);
	for (size_t i = 0; i < WL_COUNT(stacks); i++)
		add(&x, i, 0, i == 0 ? 6 : 2);
	expect(&x, "first", "-", 16);
}

TEST(a_wrapper_of_the_same_name_is_not_around)
{
	static const char *const stacks[] = { "main;cudaError f<double>(double**);libx.so!f",
					      "main;cudaError g<double>(double**);libx.so!f" };
	static const char *const around[] = { NULL, "g" };
	WITH(struct testing, x, end, begin(&x, stacks, WL_COUNT(stacks)));

	for (size_t i = 0; i < WL_COUNT(stacks); i++) {
		struct wl_top_function top;
		const char *function, *under;

		add(&x, i, 5, 0);
		top = wl_function_tally_take(&x.tally);
		assert_true(wl_top_labels(&x.mem.build.trace, &top, &x.arena, &function, &under));
		assert_string_equal(function, "f");
		assert_int_equal(!under, !around[i]);
		if (under)
			assert_string_equal(under, around[i]);
	}
}

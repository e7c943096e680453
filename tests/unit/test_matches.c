#include "derive/matches.h"

#include "derive/derived.h"
#include "support/mem.h"
#include "support/unit.h"

struct matched {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_matches found;
};

static void comm(struct matched *m, unsigned pid, unsigned stream, wl_ns start, wl_ns end,
		 const char *name)
{
	mem_op(&m->mem, WL_F_KERNELS,
	       &(struct mem_op){
		       .start = start, .end = end, .pid = pid, .stream = stream, .name = name });
}

static void find(struct matched *m)
{
	m->trace = mem_seal(&m->mem);
	wl_arena_init(&m->arena, 1 << 20);
	assert_true(wl_matches_find(&m->mem.derived, &m->arena, &m->found));
}

static void release(struct matched *m)
{
	wl_arena_release(&m->arena);
	mem_release(&m->mem);
}

static void the_same_turn_of_every_process_is_one_collective(void **state)
{
	static const wl_ns shortest[] = { 10, 20, 10, 20 };
	struct matched m;

	(void)state;
	mem_init(&m.mem);
	comm(&m, 1, 20, 100, 130, "ncclDevKernel_AllReduce_x"); /* put in any order */
	comm(&m, 1, 20, 0, 10, "ncclDevKernel_AllReduce_y");
	comm(&m, 2, 20, 110, 130, "ncclDevKernel_AllReduce_x");
	comm(&m, 2, 20, 1, 15, "ncclDevKernel_AllReduce_x");
	comm(&m, 1, 21, 0, 10, "ncclDevKernel_AllReduce_x"); /* the other has none there */
	comm(&m, 1, 20, 0, 10, "ncclDevKernel_AllGather_x"); /* nor of these as many */
	comm(&m, 1, 20, 20, 30, "ncclDevKernel_AllGather_x");
	comm(&m, 2, 20, 0, 10, "ncclDevKernel_AllGather_x");
	comm(&m, 1, 20, 0, 5, "gemm");
	find(&m);
	assert_int_equal(m.found.n_processes, 2);
	assert_int_equal(m.found.n, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(m.found.at[i].is_matched, i < 4);
		if (i < 4)
			assert_int_equal(m.found.at[i].shortest, shortest[i]);
	}
	assert_int_equal(m.found.at[0].dur, 10);
	assert_int_equal(m.found.at[1].dur, 30);
	assert_int_equal(m.found.at[2].dur, 14);
	release(&m);
}

static void all_processes_that_communicate_must_take_part(void **state)
{
	struct matched m;

	(void)state;
	mem_init(&m.mem);
	for (unsigned pid = 1; pid <= 2; pid++)
		comm(&m, pid, 20, 0, 10, "ncclDevKernel_AllReduce_x");
	comm(&m, 3, 21, 0, 10, "ncclDevKernel_AllReduce_x");
	comm(&m, 4, 20, 0, 10, "gemm");
	find(&m);
	assert_int_equal(m.found.n_processes, 3);
	for (size_t i = 0; i < m.found.n; i++)
		assert_false(m.found.at[i].is_matched);
	release(&m);
}

/* As many in all, but not from each. */
static void uneven_numbers_do_not_match(void **state)
{
	struct matched m;

	(void)state;
	mem_init(&m.mem);
	for (wl_ns i = 0; i < 3; i++)
		comm(&m, 1, 20, 10 * i, 10 * i + 5, "ncclDevKernel_AllReduce_x");
	comm(&m, 2, 20, 0, 5, "ncclDevKernel_AllReduce_x");
	find(&m);
	for (size_t i = 0; i < m.found.n; i++)
		assert_false(m.found.at[i].is_matched);
	release(&m);
}

static void one_process_alone_matches_nothing(void **state)
{
	struct matched m;

	(void)state;
	mem_init(&m.mem);
	comm(&m, 1, 20, 0, 10, "ncclDevKernel_AllReduce_x");
	find(&m);
	assert_int_equal(m.found.n_processes, 1);
	assert_false(m.found.at[0].is_matched);
	release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_turn_of_every_process_is_one_collective),
		cmocka_unit_test(all_processes_that_communicate_must_take_part),
		cmocka_unit_test(uneven_numbers_do_not_match),
		cmocka_unit_test(one_process_alone_matches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

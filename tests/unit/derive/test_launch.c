/* SPDX-License-Identifier: MIT */
#include "derive/calls/launch.h"

#include <string.h>

#include "base/attr.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

struct links {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_links links;
	const uint32_t *kernel;
};

static void find(struct links *l)
{
	l->trace = mem_seal(&l->mem);
	wl_arena_init(&l->arena, 1 << 20);
	assert_true(wl_links_find(&l->mem.derived, &l->arena, &l->links));
	l->kernel = l->links.of[WL_OP_KERNEL];
}

static void release(struct links *l)
{
	wl_arena_release(&l->arena);
	mem_release(&l->mem);
}

/* When the launch of the i-th kernel began; -1 for none. Tests give each call its own start. */
static wl_ns launched_at(const struct links *l, size_t i)
{
	return l->kernel[i] == WL_NONE ? -1 : wl_api_start(l->trace)[l->kernel[i]];
}

static void kernel(struct links *l, wl_ns start, unsigned pid, unsigned corr)
{
	MEM_OP(&l->mem, WL_F_KERNELS, .start = start, .end = start + 1, .pid = pid, .corr = corr);
}

static void call(struct links *l, wl_ns start, wl_ns end, unsigned corr, const char *name)
{
	MEM_API(&l->mem, .start = start, .end = end, .corr = corr, .name = name);
}

TEST(several_operations_share_a_call)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	call(&l, 1, 2, 5, "cudaGraphLaunch");
	kernel(&l, 10, 100, 5);
	kernel(&l, 20, 100, 5);
	kernel(&l, 30, 100, 5);
	find(&l);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(launched_at(&l, i), 1);
}

TEST(an_operation_may_have_no_call)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	kernel(&l, 10, 100, 0); /* without an id */
	kernel(&l, 20, 100, 6); /* whose call is not there */
	kernel(&l, 30, 100, 5);
	call(&l, 1, 2, 5, "cudaLaunchKernel");
	call(&l, 3, 4, 0, "cudaLaunchKernel"); /* no id is nobody's id */
	find(&l);
	assert_int_equal(launched_at(&l, 0), -1);
	assert_int_equal(launched_at(&l, 1), -1);
	assert_int_equal(launched_at(&l, 2), 1);
}

TEST(ids_are_of_one_process)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	for (unsigned pid = 1; pid <= 3; pid++) {
		kernel(&l, 10 + pid, pid, 5);
		if (pid != 2)
			MEM_API(&l.mem, .start = pid, .end = 9, .pid = pid, .corr = 5);
	}
	find(&l);
	assert_int_equal(launched_at(&l, 0), 1);
	assert_int_equal(launched_at(&l, 1), -1);
	assert_int_equal(launched_at(&l, 2), 3);
}

TEST(a_call_that_launches_is_preferred_to_a_longer_one)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	call(&l, 1, 100, 5, "cudaStreamIsCapturing");
	call(&l, 2, 3, 5, "cuLaunchKernel");
	call(&l, 4, 200, 5, "cudaEventRecord");
	kernel(&l, 300, 100, 5);
	find(&l);
	assert_int_equal(launched_at(&l, 0), 2);
}

TEST(of_calls_alike_the_longest_is_taken)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	call(&l, 1, 2, 5, "cuLaunchKernel");
	call(&l, 3, 6, 5, "cudaLaunchKernel");
	call(&l, 7, 9, 5, "cudaMemcpyAsync");
	kernel(&l, 300, 100, 5);
	call(&l, 20, (wl_ns)1 << 33, 6, "a"); /* lengths beyond 32 bits count whole */
	call(&l, 21, (wl_ns)1 << 34, 6, "b");
	kernel(&l, 301, 100, 6);
	find(&l);
	assert_int_equal(launched_at(&l, 0), 3);
	assert_int_equal(launched_at(&l, 1), 21);
}

TEST(of_equally_long_calls_the_first_is_taken)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	/* Rows are ordered by thread, so the first by row is not the first by time. */
	MEM_API(&l.mem, .start = 5, .end = 6, .tid = 1, .corr = 5);
	MEM_API(&l.mem, .start = 3, .end = 4, .tid = 2, .corr = 5);
	MEM_API(&l.mem, .start = 4, .end = 5, .tid = 3, .corr = 5);
	kernel(&l, 300, 100, 5);
	find(&l);
	assert_int_equal(launched_at(&l, 0), 3);
}

TEST(without_calls_nothing_is_linked)
{
	WITH(struct links, l, release, mem_init(&l.mem));

	kernel(&l, 10, 100, 5);
	find(&l);
	assert_int_equal(launched_at(&l, 0), -1);
	assert_int_equal(wl_link_of(&l.links, WL_OP_MEMSET, 0), WL_NONE);
}

/* The definition, for one row: look at all calls. */
static uint32_t slow_link(const struct wl_trace *t, size_t row)
{
	uint32_t process = t->places[wl_kernels_place(t)[row]].process;
	const struct wl_family *api = &t->family[WL_F_API];
	uint32_t best = WL_NONE;
	wl_ns score[3] = { -1, -1, 0 }; /* launches, length, minus start */

	for (uint32_t i = 0; i < api->n; i++) {
		const wl_ns mine[3] = { wl_is_launch_call(wl_str(t, wl_api_name(t)[i])),
					wl_dur(api, wl_api_dur(t), i), -wl_api_start(t)[i] };
		int k = 0;

		if (wl_kernels_corr(t)[row] == WL_NONE ||
		    wl_api_corr(t)[i] != wl_kernels_corr(t)[row] ||
		    t->threads[wl_api_thread(t)[i]].process != process)
			continue;
		while (k < 2 && mine[k] == score[k])
			k++;
		if (mine[k] > score[k]) {
			best = i;
			memcpy(score, mine, sizeof(score));
		}
	}
	return best;
}

TEST(links_equal_a_search_of_all_calls)
{
	static const char *const names[] = { "cudaLaunchKernel", "cudaMalloc", "cudaGraphLaunch" };
	uint64_t seed = 1;

	for (int round = 0; round < 200; round++) {
		/* Ids that follow each other, and ids so far apart that a table would not hold
		 * them. */
		unsigned apart = round % 2 ? 100000007U : 1U;
		struct links l;

		mem_init(&l.mem);
		for (uint32_t i = random_below(&seed, 40); i > 0; i--)
			kernel(&l, random_below(&seed, 100), 1 + random_below(&seed, 3),
			       apart * random_below(&seed, 12));
		for (uint32_t i = random_below(&seed, 40); i > 0; i--)
			mem_api(&l.mem,
				&(struct mem_call){ .start = i, /* distinct: no tie is left open */
						    .end = i + random_below(&seed, 4),
						    .pid = 1 + random_below(&seed, 3),
						    .tid = random_below(&seed, 3),
						    .corr = apart * random_below(&seed, 12),
						    .name = names[random_below(&seed, 3)] });
		find(&l);
		for (size_t i = 0; i < l.trace->family[WL_F_KERNELS].n; i++)
			assert_int_equal(l.kernel[i], slow_link(l.trace, i));
		release(&l);
	}
}

/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/nccl.h"

#include "base/attr.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

struct ranges {
	struct mem mem;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_nccl_ranges found;
};

static void find(struct ranges *r)
{
	r->trace = mem_seal(&r->mem);
	wl_arena_init(&r->arena, 1 << 20);
	assert_true(wl_nccl_ranges_find(&r->mem.derived, &r->arena, &r->found));
}

static void release(struct ranges *r)
{
	wl_arena_release(&r->arena);
	mem_release(&r->mem);
}

TEST(ranges_of_the_domain_or_named_like_a_call_count)
{
	static const struct mem_range rows[] = {
		{ .name = "NCCL", .kind = WL_NVTX_DOMAIN_CREATE, .domain = 3 },
		{ .name = "other", .kind = WL_NVTX_DOMAIN_CREATE, .domain = 4 },
		{ .start = 10, .end = 20, .name = "ncclAllReduce", .domain = 4 },
		{ .start = 11, .end = 20, .name = "nccl:all_reduce" },
		{ .start = 12, .end = 20, .name = "whatever", .domain = 3 },
		{ .start = 13, .end = 20, .domain = 3 }, /* without a name */
		{ .start = 14,
		  .end = 20,
		  .name = "x",
		  .kind = WL_NVTX_PUSH_POP_IMPORTED,
		  .domain = 3 },
		{ .start = 15, .end = 20, .name = "forward" },
		{ .start = 16, .end = 20, .name = "my nccl", .domain = 4 },
		{ .start = 17, .end = 20, .name = "ncclAllReduce", .kind = WL_NVTX_START_END },
		{ .start = 18, .end = 20, .name = "ncclAllReduce", .kind = WL_NVTX_MARK },
		{ .start = 19, .end = 20, .name = "x", .domain = 3, .pid = 5 }, /* not its NCCL */
		{ .start = 20, .end = 20 },
	};
	WITH(struct ranges, r, release, mem_init(&r.mem));

	for (size_t i = 0; i < WL_COUNT(rows); i++)
		mem_nvtx(&r.mem, &rows[i]);
	find(&r);
	assert_int_equal(r.found.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(r.found.start[i], 10 + (wl_ns)i);
}

/* Some range of the thread begins at or before start and ends at or after end. */
static bool slow_contains(const struct ranges *r, uint32_t thread, wl_ns start, wl_ns end)
{
	const struct wl_trace *t = r->trace;

	for (size_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		wl_ns begin = wl_nvtx_start(t)[i];

		if (wl_nvtx_thread(t)[i] == thread && begin <= start &&
		    begin + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), i) >= end)
			return true;
	}
	return false;
}

TEST(containment_equals_a_search_of_all_ranges)
{
	uint64_t seed = 1;

	for (int round = 0; round < 200; round++) {
		struct ranges r;

		mem_init(&r.mem);
		(void)mem_thread(&r.mem, 9, 9); /* threads that have no range */
		(void)mem_thread(&r.mem, 1, 0);
		for (uint32_t i = random_below(&seed, 12); i > 0; i--) {
			wl_ns start = random_below(&seed, 20);

			MEM_NVTX(&r.mem, .start = start, .end = start + random_below(&seed, 15),
				 .pid = 2 + random_below(&seed, 2), .tid = random_below(&seed, 3),
				 .name = "ncclX");
		}
		find(&r);
		for (int i = 0; i < 200; i++) {
			uint32_t thread = random_below(&seed, (uint32_t)r.trace->n_threads);
			wl_ns start = (wl_ns)random_below(&seed, 40) - 3;
			wl_ns end = start + random_below(&seed, 8);

			assert_int_equal(wl_nccl_contains(r.trace, &r.found, thread, start, end),
					 slow_contains(&r, thread, start, end));
		}
		release(&r);
	}
}

TEST(long_ranges_reach_their_end)
{
	WITH(struct ranges, r, release, mem_init(&r.mem));

	MEM_NVTX(&r.mem, .start = 0, .end = (wl_ns)1 << 40, .name = "ncclX");
	MEM_NVTX(&r.mem, .start = 5, .end = 6, .name = "ncclY");
	find(&r);
	assert_true(wl_nccl_contains(r.trace, &r.found, 0, (wl_ns)1 << 39, (wl_ns)1 << 40));
	assert_false(wl_nccl_contains(r.trace, &r.found, 0, (wl_ns)1 << 39, ((wl_ns)1 << 40) + 1));
}

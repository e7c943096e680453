/* SPDX-License-Identifier: MIT */
#include "session/document/method.h"

#include "support/mem.h"
#include "support/unit.h"

/* What is said of a trace with a kernel and nothing else. */
static void expect_from(const char *analysis, const char *want)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;
	struct wl_arena arena;
	const char *got;

	MEM_OP(&m, WL_F_KERNELS, .start = 1, .end = 2);
	t = mem_seal(&m);
	wl_arena_init(&arena, 1 << 20);
	got = wl_method_from(t, analysis, &arena);
	assert_non_null(got);
	assert_string_equal(got, want);
	wl_arena_release(&arena);
}

TEST(what_is_there_and_what_is_not_are_told_apart)
{
	expect_from("kernels", "From kernels, by \"warplens kernels\".");
	expect_from("sync", "From kernels, by \"warplens sync\". Not in this trace: memory copies, "
			    "memory sets, CUDA graph replays, CUDA API calls, synchronisations, "
			    "NVTX ranges and marks.");
}

/* overlap shows ranks, which may come from payloads; nccl has bytes from them. */
TEST(payloads_are_missed_where_bytes_are_asked_for)
{
	expect_from("overlap",
		    "From kernels, by \"warplens overlap\". Not in this trace: memory copies, "
		    "memory sets, CUDA graph replays, CUDA API calls, NVTX ranges and "
		    "marks.");
	expect_from("nccl", "From kernels, by \"warplens nccl\". Not in this trace: memory copies, "
			    "memory sets, CUDA graph replays, CUDA API calls, NVTX ranges and "
			    "marks, NCCL payloads, MPI collectives.");
}

TEST(a_part_is_of_no_verb)
{
	expect_from("limits", "From what the file says of itself.");
}

TEST(memory_may_be_short)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1));

	assert_null(wl_method_from(mem_seal(&m), "kernels", &arena));
}

/* SPDX-License-Identifier: MIT */
#include "derive/comm/collectives.h"

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

TEST(names_tell_the_kind)
{
	static const struct {
		const char *name;
		enum wl_collective type;
	} cases[] = {
		{ "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		  WL_ALL_REDUCE },
		{ "ncclKernel_ReduceScatter_RING_LL_Sum_float", WL_REDUCE_SCATTER },
		{ "ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", WL_REDUCE },
		{ "ncclDevKernel_SendRecv(x)", WL_SEND_RECV },
		{ "ncclDevKernel_AllGather_RING_LL(x)", WL_ALL_GATHER },
		{ "ncclDevKernel_Broadcast_RING_LL(x)", WL_BROADCAST },
		{ "void vllm::cross_device_reduce_1stage<__half, 2>(x)", WL_ALL_REDUCE },
		{ "void (anonymous namespace)::two_shot_all_reduce_kernel<float>(x)",
		  WL_ALL_REDUCE },
		{ "void <unnamed>::multimem_all_gather_kernel<(int)16>(x)", WL_ALL_GATHER },
		{ "void deep_ep::internode::dispatch<false, 4>(x)", WL_ALL_TO_ALL },
		{ "moeA2ADispatchKernel", WL_ALL_TO_ALL },
		{ "void tensorrt_llm::ar_fusion::kernel<1>(x)", WL_ALL_REDUCE },
		{ "userbuffers_fp16_sum_inplace_gpu_rr", WL_ALL_REDUCE },
		{ "kuserbuffers_pushsend", WL_SEND_RECV },
		{ "ncclSend", WL_SEND_RECV },
		{ "x_bcast_y", WL_BROADCAST },
		{ "a::bcast", WL_BROADCAST },
		{ "mybcast", WL_OTHER },
		{ "mybcast_bcast", WL_BROADCAST },
		{ "all_to_all", WL_ALL_TO_ALL },
		{ "void f<AllReduce>(AllGather)", WL_OTHER }, /* only the function's own name */
		{ "nvshmem_barrier", WL_OTHER },
		{ "", WL_OTHER },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		enum wl_collective got = wl_collective_named(cases[i].name);

		if (got != cases[i].type)
			fail_msg("%s is %s", cases[i].name, wl_collective_title(got));
	}
	assert_string_equal(wl_collective_title(WL_ALL_TO_ALL), "AllToAll");
	assert_string_equal(wl_collective_key(WL_ALL_TO_ALL), "alltoall");
}

static void copy(struct mem *m, wl_ns call, wl_ns call_end, unsigned corr, unsigned tid)
{
	MEM_API(m, .start = call, .end = call_end, .corr = corr, .tid = tid);
	MEM_OP(m, WL_F_MEMCPYS, .start = (wl_ns)1000 + corr, .end = (wl_ns)1001 + corr,
	       .corr = corr, .kind = WL_COPY_P2P);
}

static void range(struct mem *m, wl_ns start, wl_ns end, unsigned tid, const char *name)
{
	MEM_NVTX(m, .start = start, .end = end, .tid = tid, .name = name);
}

TEST(copies_take_it_from_the_innermost_nccl_range)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const enum wl_collective want[] = { WL_OTHER,      WL_ALL_GATHER, WL_BROADCAST,
						   WL_ALL_GATHER, WL_SEND_RECV,  WL_ALL_REDUCE };
	const struct wl_collectives *c;
	const struct wl_trace *t;

	range(&m, 0, 100, 1, "ncclAllGather");
	range(&m, 5, 90, 1, "forward");
	range(&m, 10, 30, 1, "ncclBroadcast");
	range(&m, 15, 20, 1, "backward");
	range(&m, 90, 150, 1, "ncclSend"); /* crosses the first */
	range(&m, 0, 100, 2, "nccl:all_reduce");
	copy(&m, 6, 8, 1, 1);
	copy(&m, 16, 18, 2, 1);
	copy(&m, 25, 40, 3, 1); /* the inner one ends too early */
	copy(&m, 95, 99, 4, 1); /* in both that cross: the later one */
	copy(&m, 16, 18, 5, 2);
	copy(&m, 160, 170, 6, 1); /* in none: a copy */
	MEM_OP(&m, WL_F_KERNELS, .end = 1, .name = "ncclDevKernel_Reduce_x");
	t = mem_seal(&m);
	c = m.derived.collectives;
	assert_non_null(c);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(wl_collective_of(t, c, WL_F_MEMCPYS, i), want[i + 1]);
	assert_int_equal(wl_collective_of(t, c, WL_F_KERNELS, 0), WL_REDUCE);
}

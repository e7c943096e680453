/* SPDX-License-Identifier: MIT */
#include "known/kernels/kernels.h"

#include <string.h>

#include "base/attr.h"
#include "known/palette.h"
#include "support/unit.h"

/* Kernels as libraries name them, of every pattern that the domain knows. */
static const char *const comm[] = {
	"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
	"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
	"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
	"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
	"ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
	"ncclSymkDevKernel_ReduceScatter_LL_sum_bf16(ncclSymkDevWorkArgs)",
	"void some::ncclDevKernel_Broadcast<int>(int)",
	"void vllm::cross_device_reduce_1stage<__nv_bfloat16, (int)2>(vllm::RankData *)",
	"void vllm::cross_device_reduce_2stage<half, 8>(vllm::RankData*, vllm::RankSignals)",
	"void sglang::cross_device_reduce_2stage<half, 8>(sglang::RankData *)",
	"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<4>(P)",
	"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_twoshot_sync<int>(int)",
	"void tensorrt_llm::kernels::ar_fusion::moe::moereduce_kernel_oneshot<int>(int)",
	"void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<int>(int)",
	"void tensorrt_llm::kernels::mnnvl_throughput::moeA2ADispatchKernel<int>(int)",
	"void flashinfer::moeA2ACombineKernel<8>(int)",
	"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)",
	"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(__nv_bfloat16*)",
	"void deep_ep::intranode::notify_dispatch<8>(int const*)",
	"void deep_ep::intranode::cached_notify_dispatch<8>(int const*)",
	"void deep_ep::intranode::cached_notify_combine<8>(void**)",
	"void deep_ep::internode::dispatch<false, 2, false, 512>(int4*)",
	"void deep_ep::internode::combine<false, 2>(int4*)",
	"void deep_ep::internode::notify_dispatch<false, 2>(int const*)",
	"void deep_ep::internode_ll::dispatch<true, false, 7168>(void*)",
	"void deep_ep::internode_ll::combine<true, 7168, 9>(void*)",
	"void c10d::symmetric_memory::multimem_all_reduce_kernel<c10::BFloat16, 16>(float*)",
	"void multimem_one_shot_reduce_kernel<float, 16>(float*)",
	"void multimem_all_gather_kernel<16>(void*)",
	"void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8>(float*)",
	"void two_shot_all_reduce_kernel<float, 16, 8, 1>(float**)",
	"one_shot_all_reduce_kernel_0d1d2d3d",
	"void userbuffers_fp16_sum_inplace_gpu_rr_blocked<4>(int)",
	"userbuffers_fp16_sum_inplace_gpu_mc(int, int)",
	"kuserbuffers_pushsend(int *, int *)",
	"kuserbuffers_pushrecv_multiatomic(int)",
	"nvshmemi_proxy_kernel(int)",
	"void nvshmemi_transfer::nvshmemx_kernel<1>(int)",
	"void mscclpp::allreduce7<int>(int)",
	"mscclKernel_Sum_int8_t_Simple(ncclDevComm*)",
};

static bool is_comm(const char *name)
{
	const struct wl_kernel_facts facts = wl_kernel_named(name);

	return wl_kernel_is_comm(&facts);
}

TEST(every_known_pattern_communicates)
{
	for (size_t i = 0; i < WL_COUNT(comm); i++) {
		if (!is_comm(comm[i]))
			fail_msg("not communication: %s", comm[i]);
	}
}

static const char *const compute[] = {
	"",
	"dispatch",
	"combine",
	"barrier",
	"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(ReduceOp)",
	"void cub::DeviceReduceSingleTileKernel<cub::Policy600, int*>(int*)",
	"void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)",
	"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<int>(int)",
	"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)",
	"void deep_ep::internode_ll::clean_low_latency_buffer<512>(long*)",
	"void my::dispatch<deep_ep::intranode::dispatch>(int)",
	"void k<ncclDevComm>(ncclDevComm *)",
	"k(vllm::cross_device_reduce_1stage *)",
	"void vllm::rms_norm_kernel<float>(float*)",
	"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
	"triton_poi_fused_all_gather_into_tensor_0",
	"void mynccl::kernel<int>(int)",
	"not_nccl_kernel(int)",
	"MSCCL",
};

TEST(compute_kernels_do_not_communicate)
{
	for (size_t i = 0; i < WL_COUNT(compute); i++) {
		if (is_comm(compute[i]))
			fail_msg("communication: %s", compute[i]);
	}
}

static void overwrite(char *at, const char *text)
{
	for (; *text; text++)
		*at++ = *text;
}

TEST(names_of_64_kb_are_handled)
{
	enum { SIZE = 65536 };
	static const char *const units[] = { "<",     "(",         "a::",
					     "<a>",   "operator(", "deep_ep::",
					     " ",     "_0",        "(anonymous namespace)",
					     "moeA2A" };
	static char name[SIZE + 1];

	for (size_t i = 0; i < WL_COUNT(units); i++) {
		for (size_t k = 0; k < SIZE; k++)
			name[k] = units[i][k % strlen(units[i])];
		assert_false(is_comm(name));
	}
	memset(name, 'x', SIZE);
	overwrite(name, "ncclDevKernel_");
	assert_true(is_comm(name));
	overwrite(name, "void k<"); /* whatever stands in its arguments */
	overwrite(name + SIZE - 20, "nccl::ncclKernel>(x)");
	assert_false(is_comm(name));
}

/* Of names that were misfiled: category, kind of collective (NULL: computes), fused. */
static const struct {
	const char *name, *category, *collective;
	bool fused;
} cases[] = {
	{ "void deep_ep::elastic::dispatch_impl<(int)7168>(int)", "communication", "alltoall",
	  false },
	{ "void deep_ep::elastic::barrier_impl<(int)7168>(int)", "communication", "other", false },
	{ "void deep_ep::elastic::pp_send_impl<(int)32>(int)", "communication", "sendrecv", false },
	{ "void deep_ep::elastic::engram_fetch_wait_impl<(int)7168>(int)", "communication", "other",
	  false },
	{ "void deep_ep::elastic::dispatch_copy_epilogue_impl<(int)7168>(int)", "moe", NULL,
	  false },
	{ "void deep_ep::elastic::combine_reduce_epilogue_impl<(int)7168>(int)", "moe", NULL,
	  false },
	{ "void deep_ep::legacy::layout::get_dispatch_layout<(int)8>(int4 *)", "moe", NULL, false },
	{ "void deep_ep::legacy::intranode::combine<(int)8>(int4 *)", "communication", "alltoall",
	  false },
	{ "void flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<__nv_bfloat16>(T1 *)",
	  "communication", "allreduce", true },
	{ "void flashinfer::mixed_comm::reducescatter_kernel<__nv_bfloat16>(x)", "communication",
	  "reducescatter", false },
	{ "void vllm::mnnvl_lamport_all_gather<__nv_bfloat16, (int)8>(x)", "communication",
	  "allgather", false },
	{ "userbuffers_fp16_sum_inplace_gpu_rr<(int)8>(int, int)", "communication", "allreduce",
	  false },
	{ "userbuffers_fp16_sum_inplace_gpu_mc_ag<(int)8>(int, int)", "communication", "allgather",
	  false },
	{ "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_fp8<(int)8>(int, int)", "communication",
	  "reducescatter", false },
	{ "void c10d::symmetric_memory::wait_signal_kernel(unsigned int **)", "communication",
	  "other", false },
	{ "void deep_gemm::sm100_fp8_fp4_mega_moe_impl<(unsigned int)8192>(void *)", "moe", NULL,
	  true },
	{ "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128",
	  "attention", NULL, false },
	{ "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<int>(x)",
	  "loss", NULL, false },
	{ "void cub::DeviceReduceSingleTileKernel<x>(y)", "reduction", NULL, false },
	{ "_lora_expand_kernel", "lora", NULL, false },
	{ "_selective_scan_update_kernel", "ssm", NULL, false },
	{ "triton_unk_fused_x_0", "triton", NULL, false },
	{ "triton_poi_fused__to_copy_add_addmm_cat_0", "elementwise", NULL, false },
	{ "triton_poi_fused_addmm", "elementwise", NULL, false },
	{ "triton_red_fused_bmm", "reduction", NULL, false },
	{ "triton_per_fused_mm", "reduction", NULL, false },
	{ "triton_tem_fused_addmm", "gemm", NULL, false },
	{ "_matmul_ogs_NNT_bf16xbf16xmxfp4_128x256x128x1", "moe_gemm", NULL, false },
	{ "jacobi_kernel(float*, float const*)", NULL, NULL, false },
};

TEST(a_name_has_one_line_of_the_table)
{
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		const struct wl_kernel_facts f = wl_kernel_named(cases[i].name);
		const char *got = f.category == WL_CATEGORY_OTHER
					  ? "(other)"
					  : wl_category_word((enum wl_category)f.category);
		const char *want = cases[i].category ? cases[i].category : "(other)";

		if (strcmp(got, want) != 0)
			fail_msg("%s is %s", cases[i].name, got);
		assert_int_equal(wl_kernel_is_comm(&f), cases[i].collective != NULL);
		if (cases[i].collective)
			assert_string_equal(wl_collective_key((enum wl_collective)f.collective),
					    cases[i].collective);
		assert_int_equal(f.fused, cases[i].fused);
	}
}

/* What a line says of where it comes from, and that every pattern can be found. */
static const struct {
	const char *library, *since, *pattern;
} sources[] = {
#define FIRST(a, ...)                            a
#define WL_KERNEL(CATEGORY, library, since, ...) { library, since, FIRST(__VA_ARGS__, 0) },
#define WL_KERNEL_COMM(COLLECTIVE, FUSED, library, since, ...)                                     \
	{ library, since, FIRST(__VA_ARGS__, 0) },
#define WL_KERNEL_ALSO_COMM(CATEGORY, library, since, ...)                                         \
	{ library, since, FIRST(__VA_ARGS__, 0) },
#define WL_KERNEL_INSIDE(CATEGORY, library, since, wrapper, ...)                                   \
	{ library, since, FIRST(__VA_ARGS__, 0) },
#include "known/kernels/kernels.def"
};

TEST(every_line_has_its_source)
{
	for (size_t i = 0; i < WL_COUNT(sources); i++) {
		const char *year = sources[i].since + strlen(sources[i].since) - 4;

		assert_true(*sources[i].library && *sources[i].pattern);
		assert_in_range(strlen(sources[i].since), 4, 16);
		assert_true(strncmp(year, "20", 2) == 0); /* a version, then the year */
	}
}

TEST(every_category_has_a_fill_of_its_own)
{
	for (int i = 0; i < (int)WL_N_NAMED_CATEGORIES; i++) {
		struct wl_swatch a = wl_swatch_of(wl_category_word((enum wl_category)i), 0);

		for (int k = 0; k < i; k++) {
			struct wl_swatch b = wl_swatch_of(wl_category_word((enum wl_category)k), 0);

			if (a.colour == b.colour && a.hatch == b.hatch)
				fail_msg("%s looks like %s", wl_category_word((enum wl_category)i),
					 wl_category_word((enum wl_category)k));
		}
	}
}

# SPDX-License-Identifier: MIT
"""Kernels, collectives and API calls that the workloads are made of."""
# (short name, demangled name, mean ns, grid, block, regs, smem)
FWD = [
 ("vectorized_layer_norm_kernel", "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, float const*, float*)", 9000, (4096,1,1), (128,1,1), 40, 0),
 ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas", 210000, (132,1,1), (384,1,1), 168, 213000),
 ("flash_fwd_kernel", "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128, (int)64, (int)4, (bool)0, (bool)0, cutlass::bfloat16_t>>(flash::Flash_fwd_params)", 320000, (32,16,4), (128,1,1), 255, 65536),
 ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas", 95000, (132,1,1), (384,1,1), 168, 197000),
 ("vectorized_elementwise_kernel", "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<c10::BFloat16>>(int)", 12000, (16384,1,1), (128,1,1), 26, 0),
 ("vectorized_layer_norm_kernel", "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, float const*, float*)", 9000, (4096,1,1), (128,1,1), 40, 0),
 ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas", 280000, (132,1,1), (384,1,1), 168, 213000),
 ("elementwise_kernel", "void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<at::native::GeluCUDAKernelImpl>>(int)", 26000, (32768,1,1), (128,1,1), 32, 0),
 ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas", 270000, (132,1,1), (384,1,1), 168, 213000),
 ("vectorized_elementwise_kernel", "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<c10::BFloat16>>(int)", 12000, (16384,1,1), (128,1,1), 26, 0),
]
BWD_EXTRA = [
 ("flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel", "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<(int)128>>(flash::Flash_bwd_params)", 610000, (32,16,4), (256,1,1), 255, 131072),
 ("layer_norm_grad_input_kernel_vectorized", "void at::native::layer_norm_grad_input_kernel_vectorized<float, float>(float const*)", 15000, (4096,1,1), (128,1,1), 48, 0),
 ("GammaBetaBackwardCUDAKernel", "void at::native::GammaBetaBackwardCUDAKernel<float, float>(long, long)", 11000, (64,1,1), (32,16,1), 40, 4352),
]
OPT = [("multi_tensor_apply_kernel", "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<(int)4>, at::native::FusedAdamMathFunctor<float, (int)4>>(at::native::TensorListMetadata<(int)4>)", 140000, (320,1,1), (512,1,1), 64, 0)]
NCCL = {"ncclDevKernel_AllGather_RING_LL": ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)", 180000),
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL": ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)", 240000),
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL": ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)", 60000)}
API = {"launch": "cudaLaunchKernel_v7000", "launchexc": "cudaLaunchKernelExC_v11060", "memcpy": "cudaMemcpyAsync_v3020", "memset": "cudaMemsetAsync_v3020",
       "ssync": "cudaStreamSynchronize_v3020", "wait": "cudaStreamWaitEvent_v3020", "record": "cudaEventRecord_v3020", "graph": "cudaGraphLaunch_v10000"}

NCCL["ncclDevKernel_SendRecv"] = ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)", 150000)
NCCL["ncclDevKernel_AllReduce_Sum_bf16_RING_LL"] = ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)", 48000)
NCCL["ncclDevKernel_AllReduce_Sum_i32_RING_LL"] = ("ncclDevKernel_AllReduce_Sum_i32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)", 9000)
NCCL["cross_device_reduce_1stage"] = ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, (int)2>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, T1*, int, int)", 7000)
# One message of a collective: what a rank sends (AllGather) or receives (ReduceScatter).
BYTES = {"AllGather": 25165824, "ReduceScatter": 25165824, "AllReduce_Sum_f32": 4, "AllReduce_Sum_bf16": 16777216, "AllReduce_Sum_i32": 1024, "SendRecv": 8388608, "cross": 131072}
def bytes_of(name): return next(b for n, b in BYTES.items() if n in name)
def type_of(name): return name.split("_")[1] if name.startswith("nccl") else "AllReduce"
def is_comm(short): return short.startswith("nccl") or short.startswith("cross_device_reduce")
MOE_EXPERT = [
 ("permute_kernel", "void moe::permute_kernel<__nv_bfloat16>(int const*, __nv_bfloat16 const*, __nv_bfloat16*)", 21000, (4096,1,1), (256,1,1), 40, 0),
 ("sm90_fp8_gemm_1d2d_impl", "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(unsigned int)0, (unsigned int)4096, (unsigned int)7168>(float*, int*)", 310000, (132,1,1), (384,1,1), 168, 199000),
 ("silu_mul_quant_kernel", "void moe::silu_mul_quant_kernel<__nv_bfloat16>(__nv_bfloat16 const*, __nv_fp8_e4m3*)", 24000, (8192,1,1), (256,1,1), 32, 0),
 ("sm90_fp8_gemm_1d2d_impl", "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(unsigned int)0, (unsigned int)4096, (unsigned int)7168>(float*, int*)", 170000, (132,1,1), (384,1,1), 168, 199000),
]
MOE_AGG = [("unpermute_reduce_kernel", "void moe::unpermute_reduce_kernel<__nv_bfloat16>(__nv_bfloat16 const*, float const*, __nv_bfloat16*)", 38000, (4096,1,1), (256,1,1), 48, 0)]
SERVE = [                                       # one layer; the scale below turns prefill times into decode times
 ("rms_norm_kernel", "void vllm::rms_norm_kernel<c10::BFloat16, (int)8, (int)2>(c10::BFloat16*, c10::BFloat16 const*, float, int, int)", 14000, (2048,1,1), (1024,1,1), 32, 0, .25),
 ("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 160000, (132,1,1), (384,1,1), 168, 199000, .06),
 ("rotary_embedding_kernel", "void vllm::rotary_embedding_kernel<c10::BFloat16, (bool)1>(long const*, c10::BFloat16*, c10::BFloat16*, int)", 9000, (2048,1,1), (512,1,1), 28, 0, .25),
 ("FlashAttnFwdSm90", "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<(int)2>>>>(T1::Params)", 120000, (132,1,1), (384,1,1), 168, 197000, .11),
 ("nvjet_tst_64x128_64x8_1x2_h_bz_TNT", "nvjet_tst_64x128_64x8_1x2_h_bz_TNT", 70000, (132,1,1), (384,1,1), 168, 199000, .09),
 "allreduce",
 ("rms_norm_kernel", "void vllm::rms_norm_kernel<c10::BFloat16, (int)8, (int)2>(c10::BFloat16*, c10::BFloat16 const*, float, int, int)", 14000, (2048,1,1), (1024,1,1), 32, 0, .25),
 ("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 210000, (132,1,1), (384,1,1), 168, 199000, .06),
 ("act_and_mul_kernel", "void vllm::act_and_mul_kernel<c10::BFloat16, vllm::silu_kernel<c10::BFloat16>, (bool)1>(c10::BFloat16*, c10::BFloat16 const*, int)", 17000, (2048,1,1), (1024,1,1), 32, 0, .2),
 ("nvjet_tst_64x128_64x8_1x2_h_bz_TNT", "nvjet_tst_64x128_64x8_1x2_h_bz_TNT", 110000, (132,1,1), (384,1,1), 168, 199000, .08),
 "allreduce",
]
SAMPLE = [
 ("nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNN", "nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNN", 62000, (132,1,1), (384,1,1), 168, 199000),
 ("cunn_SoftMaxForward", "void at::native::cunn_SoftMaxForward<(int)4, float, float, float>(float*, float const*, int)", 18000, (64,1,1), (1024,1,1), 32, 4096),
 ("gatherTopK", "void at::native::sbtopk::gatherTopK<float, unsigned int, (int)2, (bool)0>(float const*, unsigned int)", 29000, (64,1,1), (1024,1,1), 40, 0),
 ("distribution_elementwise_grid_stride_kernel", "void at::native::distribution_elementwise_grid_stride_kernel<float, (int)4>(long, at::PhiloxCudaState)", 5000, (64,1,1), (256,1,1), 40, 0),
]

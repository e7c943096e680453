/* SPDX-License-Identifier: MIT */
#include "known/kernels/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static void expect_base(const char *name, const char *want)
{
	char buf[512];
	size_t n = wl_name_base(name, buf, sizeof(buf));

	assert_string_equal(buf, want);
	assert_int_equal(n, strlen(want));
}

TEST(return_type_templates_and_parameters_are_left_out)
{
	expect_base("void a::f<4, b>(int)", "a::f");
	expect_base("saxpy(int, float *)", "saxpy");
	expect_base("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn");
	expect_base("unsigned long long const f<int>(int)", "f");
	expect_base("std::vector<int, std::allocator<int>> make<int>(int)", "make");
	expect_base("void at::native::vectorized_elementwise_kernel<(int)4, "
		    "at::native::FillFunctor<float>, at::detail::Array<char *, (int)1>>(int, T2, "
		    "T3)",
		    "at::native::vectorized_elementwise_kernel");
	expect_base("void cutlass::Kernel<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_"
		    "256x128_32x3_nn_align8>(T1::Params)",
		    "cutlass::Kernel");
	expect_base("void flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)4>, "
		    "(bool)1>(Flash_fwd_params)",
		    "flash_fwd_kernel");
	expect_base("void outer<int>::inner<float>::run<(bool)0>(int)", "outer::inner::run");
}

TEST(brackets_that_are_part_of_a_name_stay)
{
	expect_base("void (anonymous namespace)::softmax_warp_forward<float, (int)7>(T1 *)",
		    "(anonymous namespace)::softmax_warp_forward");
	expect_base("void at::native::(anonymous namespace)::"
		    "CatArrayBatchedCopy<float, unsigned int>(float *)",
		    "at::native::(anonymous namespace)::CatArrayBatchedCopy");
	expect_base("void at::native::<unnamed>::multi_tensor_apply_kernel<A<int>>(T1)",
		    "at::native::<unnamed>::multi_tensor_apply_kernel");
	expect_base("void run::functor<int>::operator()<4>(int)", "run::functor::operator()");
	expect_base("void a::operator<<<int>(int)", "a::operator<<");
	expect_base("bool b::operator>=(int)", "b::operator>=");
	expect_base("bool b::operator<(int)", "b::operator<");
}

TEST(lambdas_in_arguments_go_with_them)
{
	expect_base("void at::native::elementwise_kernel<(int)128, (int)2, void "
		    "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda("
		    "at::TensorIteratorBase &)::[lambda() (instance 3)]::operator ()() const::"
		    "[lambda() (instance 12)]>(at::TensorIteratorBase &, T1 const&)::"
		    "[lambda(int) (instance 1)]>(int, T3)",
		    "at::native::elementwise_kernel");
	expect_base("void cub::DeviceFor<{lambda(int)#1}>(T1)", "cub::DeviceFor");
	expect_base("void k<f::<lambda(int)>>(T1)", "k");
}

TEST(trailing_hashes_are_left_out)
{
	expect_base("triton_poi_fused_add_relu_0", "triton_poi_fused_add_relu_0");
	expect_base("triton_red_fused__to_copy_native_layer_norm_12",
		    "triton_red_fused__to_copy_native_layer_norm_12");
	expect_base("matmul_kernel_0d1d2d3d4d5d6c7d8c9d10c", "matmul_kernel");
	expect_base("_fwd_kernel_1a2b3c4d", "_fwd_kernel");
	expect_base("k_1A2B3C4D5E6F", "k");
	expect_base("nvfuser_pointwise_f0_c1_r0_g4", "nvfuser_pointwise_f0_c1_r0_g4");
}

TEST(what_is_no_hash_stays)
{
	expect_base("k_1a2b3c4", "k_1a2b3c4");     /* seven digits */
	expect_base("k_deadbeef", "k_deadbeef");   /* a word: no digit */
	expect_base("k1a2b3c4d5e", "k1a2b3c4d5e"); /* no underscore */
	expect_base("_1a2b3c4d5e", "_1a2b3c4d5e"); /* nothing else is left */
	expect_base("conv_depthwise2d_forward_kernel", "conv_depthwise2d_forward_kernel");
	expect_base("k_1a2b3c4d_x", "k_1a2b3c4d_x");
}

TEST(odd_names_come_out_in_some_form)
{
	expect_base("", "");
	expect_base(" ", " ");
	expect_base("(int)", "(int)");
	expect_base("<int>", "<int>");
	expect_base("f<g<h", "f");
	expect_base("f<int>>", "f");
	expect_base(">f", "f");
	expect_base("f(", "f");
	expect_base("void ", "void ");
	expect_base("\xe6\xa0\xb8<int>(x)", "\xe6\xa0\xb8");
}

TEST(a_small_buffer_is_never_overrun)
{
	static const char *const names[] = { "void a::f<4, b>(int)", "(anonymous namespace)::f",
					     "f_1a2b3c4d5e", "(no name)", "" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		for (size_t size = 1; size < 40; size++) {
			char *buf = malloc(size); /* exact, so that ASan sees one byte more */
			char whole[64];
			size_t n, all = wl_name_base(names[i], whole, sizeof(whole));

			assert_non_null(buf);
			n = wl_name_base(names[i], buf, size);
			assert_int_equal(n, strlen(buf));
			assert_in_range(n, 0, size - 1);
			if (size > strlen(names[i]))
				assert_string_equal(buf, whole);
			assert_true(n <= all || all < size);
			free(buf);
		}
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
	static char name[SIZE + 1], base[SIZE + 1];
	size_t n;

	for (size_t i = 0; i < WL_COUNT(units); i++) {
		for (size_t k = 0; k < SIZE; k++)
			name[k] = units[i][k % strlen(units[i])];
		n = wl_name_base(name, base, sizeof(base));
		assert_int_equal(n, strlen(base));
	}
	memset(name, 'x', SIZE);
	overwrite(name, "void k<"); /* whatever stands in its arguments */
	assert_int_equal(wl_name_base(name, base, sizeof(base)), 1);
}

TEST(only_names_of_libraries_are_known)
{
	static const char *const known[] = {
		"void at::native::vectorized_elementwise_kernel<4, acme::Op>(int)",
		"void cutlass::Kernel2<cutlass_80_tensorop>(Params)",
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"sm80_xmma_gemm_f16f16",
		"ampere_sgemm_128x64_nn",
	};
	static const char *const unknown[] = {
		"", "acme_ncclDevKernel", "void acme::at::native::f<1>()", "ampere_acme", "gemm",
	};

	for (size_t i = 0; i < WL_COUNT(known); i++)
		assert_true(wl_name_is_known(known[i]));
	for (size_t i = 0; i < WL_COUNT(unknown); i++)
		assert_false(wl_name_is_known(unknown[i]));
}

/* SPDX-License-Identifier: MIT */
#include "known/kernels/wrappers.h"

#include <string.h>

#include "known/kernels/names.h"
#include "support/unit.h"

TEST(wrappers_are_known_by_their_base_name)
{
	static const char *const are[] = { "cutlass::device_kernel",
					   "cutlass::Kernel2",
					   "at::native::vectorized_elementwise_kernel",
					   "at::native::reduce_kernel",
					   "thrust::cuda_cub::core::_kernel_agent",
					   "cub::DeviceReduceKernel" };
	static const char *const are_not[] = { "flash::flash_fwd_kernel",
					       "cutlass_80_tensorop_gemm", "gemm", "" };

	for (size_t i = 0; i < sizeof(are) / sizeof(are[0]); i++)
		assert_true(wl_name_is_wrapper(are[i]));
	for (size_t i = 0; i < sizeof(are_not) / sizeof(are_not[0]); i++)
		assert_false(wl_name_is_wrapper(are_not[i]));
}

TEST(the_functor_is_the_first_argument_that_says_something)
{
	static const struct {
		const char *name, *functor;
	} cases[] = {
		{ "void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::Main<(int)2>>>(T1)",
		  "flash::FlashAttnFwdSm90" },
		{ "void at::native::vectorized_elementwise_kernel<(int)4, "
		  "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char *, (unsigned "
		  "long)3>>(int, T2, T3)",
		  "at::native::CUDAFunctor_add" },
		{ "void at::native::vectorized_elementwise_kernel<(int)4, "
		  "at::native::BinaryFunctor<float, float, float, "
		  "at::native::binary_internal::MulFunctor<float>>, std::array<char *, 3>>(int)",
		  "at::native::binary_internal::MulFunctor" },
		{ "void k<4, float, T1>(int)", "" },
		{ "gemm", "" },
		{ "void k<", "" },
		{ "", "" },
	};
	char buf[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = wl_name_functor(cases[i].name, buf, sizeof(buf));

		assert_string_equal(buf, cases[i].functor);
		assert_int_equal(n, strlen(buf));
	}
}

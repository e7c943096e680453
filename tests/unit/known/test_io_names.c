/* SPDX-License-Identifier: MIT */
/* What names of ranges say about input and output, and names of kernels about layouts. */
#include "known/calls/io_names.h"

#include "base/attr.h"
#include "known/kernels/layouts.h"
#include "support/unit.h"

TEST(ranges_name_input_and_output)
{
	static const struct {
		const char *name;
		enum wl_io io;
	} ranges[] = {
		{ "IO #", WL_IO_ANY },
		{ "saveResults", WL_IO_OUTPUT },
		{ "write_output", WL_IO_OUTPUT },
		{ "Checkpointing", WL_IO_OUTPUT },
		{ "load batch", WL_IO_INPUT },
		{ "DataLoader.next", WL_IO_INPUT },
		{ "MPI", WL_IO_MPI },
		{ "MPI_Sendrecv halo", WL_IO_MPI },
		{ "ratio", WL_IO_NONE },
		{ "thread_pool", WL_IO_NONE },
		{ "unload", WL_IO_NONE },
		{ "forward", WL_IO_NONE },
		{ "", WL_IO_NONE },
	};

	for (size_t i = 0; i < WL_COUNT(ranges); i++) {
		if (wl_io_named(ranges[i].name) != ranges[i].io)
			fail_msg("%s is %d", ranges[i].name, wl_io_named(ranges[i].name));
	}
}

TEST(kernels_that_only_change_the_layout_are_known)
{
	static const char *const change[] = {
		"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, true, true>(int)",
		"void cudnn::ops::nhwcToNchwKernel<float, float, float, true>(int)",
		"nhwcToNchwKernel",
		"void cudnn::ops::nhwcToFoldedNhwcKernel<float>(int)",
		"void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<uint>(int)",
	};
	static const char *const others[] = {
		"sm80_xmma_fprop_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128",
		"void bias_nhwc(float*)",
		"void at::native::transpose_kernel(float*)",
		"gemm",
		"",
	};

	for (size_t i = 0; i < WL_COUNT(change); i++) {
		if (!wl_kernel_changes_layout(change[i]))
			fail_msg("%s", change[i]);
	}
	for (size_t i = 0; i < WL_COUNT(others); i++) {
		if (wl_kernel_changes_layout(others[i]))
			fail_msg("%s", others[i]);
	}
}

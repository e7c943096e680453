/* SPDX-License-Identifier: MIT */
/* What names say about frames of call stacks. */
#include "known/calls/frames.h"

#include "base/attr.h"
#include "support/unit.h"

TEST(frames_have_a_role)
{
	static const struct {
		const char *symbol, *module;
		enum wl_frame_role role;
	} frames[] = {
		{ "main", "app", WL_FRAME_IS_ENTRY },
		{ "__libc_start_main@@GLIBC_2.34", "libc.so.6", WL_FRAME_IS_ENTRY },
		{ "_PyEval_EvalFrameDefault", "python3.11", WL_FRAME_IS_ENTRY },
		{ "dispatcher_vectorcall", "_multiarray_umath.so", WL_FRAME_IS_ENTRY },
		{ "<module>", "train.py", WL_FRAME_IS_ENTRY },
		{ "hydro(global_variables&, parallel_&)", "cloverleaf", WL_FRAME_IS_OWN },
		{ "train", "train.py", WL_FRAME_IS_OWN },
		{ "load", "python_tools.py", WL_FRAME_IS_OWN },
		{ "mainloop", "app.sock", WL_FRAME_IS_OWN },
		{ "PyNumber_Remainder", "python3.11", WL_FRAME_IS_LIBRARY },
		{ "at::native::item(at::Tensor const&)", "libtorch_cpu.so", WL_FRAME_IS_LIBRARY },
		{ "write", "libc.so.6", WL_FRAME_IS_LIBRARY },
		{ "entry", "[kernel.kallsyms]", WL_FRAME_IS_LIBRARY },
		{ "f", NULL, WL_FRAME_IS_LIBRARY },
		{ "cudaError cudaMalloc<float>(float**, unsigned long)", "app",
		  WL_FRAME_IS_LIBRARY },
		{ "std::ostream::flush()", "app", WL_FRAME_IS_LIBRARY },
		{ "__cudart1030", "app", WL_FRAME_IS_INSIDE },
		{ "libcudart_static_58f95088c96b3eda011d739033c2a2afd4fe0cab", "app",
		  WL_FRAME_IS_INSIDE },
		{ "", "app", WL_FRAME_IS_OWN },
	};

	for (size_t i = 0; i < WL_COUNT(frames); i++) {
		enum wl_frame_role role = wl_frame_role(frames[i].symbol, frames[i].module);

		if (role != frames[i].role)
			fail_msg("%s of %s is %d", frames[i].symbol,
				 frames[i].module ? frames[i].module : "-", (int)role);
	}
}

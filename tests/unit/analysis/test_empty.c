/* SPDX-License-Identifier: MIT */
/* Why a trace has no GPU operations. */
#include "analysis/empty.h"

#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

static void put(struct mem *m, const char *name, wl_ns start, wl_ns end, unsigned corr,
		int32_t result)
{
	MEM_API(m, .start = start, .end = end, .tid = 101, .corr = corr, .name = name,
		.result = result);
}

/* The driver's part of a runtime call is no launch of its own, and what failed launched nothing. */
TEST(each_launch_that_succeeded_counts_once)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_err err;

	put(&m, "cudaLaunchKernel", 100, 200, 1, 0);
	put(&m, "cuLaunchKernel", 120, 180, 1, 0);
	put(&m, "cuLaunchKernelEx", 300, 400, 2, 0);
	put(&m, "cuGraphLaunch", 500, 600, 3, 1);
	put(&m, "cudaLaunchHostFunc", 700, 800, 4, 0);
	put(&m, "cudaLaunchCooperativeKernel", 900, 950, 5, 0);
	assert_int_equal(wl_fail_empty(mem_seal(&m), WL_F_KERNELS, &err), WL_E_NODATA);
	if (!strstr(err.msg, "nothing that ran on a GPU (3 launches)"))
		fail_msg("%s", err.msg);
	assert_non_null(strstr(err.msg, "driver newer than nsys"));
	assert_non_null(strstr(err.msg, "\"nsys status -e\""));
}

/* Its words stand for the usual reasons. */
TEST(what_the_profiler_said_is_the_reason)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_err err;

	put(&m, "cudaLaunchKernel", 100, 200, 1, 0);
	mem_message(&m, 3, "CUDA driver is not supported.");
	assert_int_equal(wl_fail_empty(mem_seal(&m), WL_F_KERNELS, &err), WL_E_NODATA);
	assert_non_null(strstr(err.msg, "(1 launch)"));
	assert_non_null(strstr(err.msg, "\"CUDA driver is not supported.\""));
	assert_null(strstr(err.msg, "usual reasons"));
}

/* A query that is not ready and a value that is refused fail no program; an illegal address does.
 */
TEST(a_fatal_error_comes_before_the_usual_reasons)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_err err;

	put(&m, "cudaLaunchKernel", 100, 200, 1, 0);
	put(&m, "cudaEventQuery", 300, 400, 2, 600);
	put(&m, "cudaFuncGetAttributes", 500, 600, 3, 1);
	put(&m, "cuEventSynchronize", 5000000, 5000100, 4, 700);
	put(&m, "cudaFree", 6000000, 6000100, 5, 700);
	assert_int_equal(wl_fail_empty(mem_seal(&m), WL_F_KERNELS, &err), WL_E_NODATA);
	if (!strstr(err.msg, "(1 launch): 2 calls returned 700 (illegal memory access), the first "
			     "cuEventSynchronize at 5 ms; the program failed"))
		fail_msg("%s", err.msg);
	assert_non_null(strstr(err.msg, "compute-sanitizer"));
	assert_null(strstr(err.msg, "update nsys"));
}

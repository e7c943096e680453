/* SPDX-License-Identifier: MIT */
/* Why a trace has no GPU operations. */
#include "analysis/empty.h"

#include <string.h>

#include "support/mem.h"
#include "support/unit.h"

static void put(struct mem *m, const char *name, wl_ns start, wl_ns end, unsigned corr,
		int32_t result)
{
	mem_api(m, &(struct mem_call){ .start = start,
				       .end = end,
				       .tid = 101,
				       .corr = corr,
				       .name = name,
				       .result = result });
}

/* The driver's part of a runtime call is no launch of its own, and what failed launched nothing. */
static void each_launch_that_succeeded_counts_once(void **state)
{
	struct mem m;
	struct wl_err err;

	(void)state;
	mem_init(&m);
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
	mem_release(&m);
}

/* Its words stand for the usual reasons. */
static void what_the_profiler_said_is_the_reason(void **state)
{
	struct mem m;
	struct wl_err err;

	(void)state;
	mem_init(&m);
	put(&m, "cudaLaunchKernel", 100, 200, 1, 0);
	mem_message(&m, 3, "CUDA driver is not supported.");
	assert_int_equal(wl_fail_empty(mem_seal(&m), WL_F_KERNELS, &err), WL_E_NODATA);
	assert_non_null(strstr(err.msg, "(1 launch)"));
	assert_non_null(strstr(err.msg, "\"CUDA driver is not supported.\""));
	assert_null(strstr(err.msg, "usual reasons"));
	mem_release(&m);
}

/* A query that is not ready and a value that is refused fail no program; an illegal address does.
 */
static void a_fatal_error_comes_before_the_usual_reasons(void **state)
{
	struct mem m;
	struct wl_err err;

	(void)state;
	mem_init(&m);
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
	mem_release(&m);
}

TEST_MAIN(empty)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_launch_that_succeeded_counts_once),
		cmocka_unit_test(what_the_profiler_said_is_the_reason),
		cmocka_unit_test(a_fatal_error_comes_before_the_usual_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

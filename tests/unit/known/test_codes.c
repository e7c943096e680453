/* SPDX-License-Identifier: MIT */
#include "known/exports/codes.h"

#include <string.h>

#include "support/unit.h"

static void ranges_are_push_pop_and_start_end(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 300; kind++)
		assert_int_equal(wl_nvtx_is_range(kind),
				 kind == 59 || kind == 60 || kind == 70 || kind == 71);
}

static void copy_kinds_have_the_names_of_nsys(void **state)
{
	(void)state;
	assert_string_equal(wl_copy_kind_name(WL_COPY_H2D), "HtoD");
	assert_string_equal(wl_copy_kind_name(WL_COPY_D2H), "DtoH");
	assert_string_equal(wl_copy_kind_name(WL_COPY_D2D), "DtoD");
	assert_string_equal(wl_copy_kind_name(WL_COPY_P2P), "PtoP");
	assert_string_equal(wl_copy_kind_name(9), "HtoH");
	assert_string_equal(wl_copy_kind_name(WL_COPY_UVM_D2D), "managed DtoD");
	assert_string_equal(wl_copy_kind_name(0), "unknown");
	assert_string_equal(wl_copy_kind_name(14), "unknown");
	assert_string_equal(wl_copy_kind_name(255), "unknown");
}

static void copies_on_a_device_and_migrations_are_told_apart(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 256; kind++) {
		assert_int_equal(wl_copy_is_on_device(kind), kind >= 5 && kind <= 8);
		assert_int_equal(wl_copy_is_managed(kind), kind >= 11 && kind <= 13);
	}
}

static void memory_kinds_have_names_unless_absent(void **state)
{
	(void)state;
	assert_string_equal(wl_memory_kind_name(WL_MEMORY_PAGEABLE), "pageable");
	assert_string_equal(wl_memory_kind_name(WL_MEMORY_PINNED), "pinned");
	assert_string_equal(wl_memory_kind_name(2), "device");
	assert_string_equal(wl_memory_kind_name(6), "managed-static");
	assert_string_equal(wl_memory_kind_name(7), "unknown");
	assert_string_equal(wl_memory_kind_name(254), "unknown");
	assert_null(wl_memory_kind_name(255));
}

/* Groups are made of known codes, so all codes without a name must be one. */
static void codes_without_a_name_are_one_code(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		uint8_t copy = wl_known_copy_kind((uint8_t)code);
		uint8_t memory = wl_known_memory_kind((uint8_t)code);

		assert_ptr_equal(wl_copy_kind_name(copy), wl_copy_kind_name(code));
		assert_int_equal(copy, code >= 1 && code <= 13 ? code : 0);
		assert_int_equal(memory, code == 255 ? 255 : code <= 6 ? code : 7);
	}
}

static void severities_have_names(void **state)
{
	(void)state;
	assert_string_equal(wl_severity_name(0), "unknown");
	assert_string_equal(wl_severity_name(1), "information");
	assert_string_equal(wl_severity_name(2), "warning");
	assert_string_equal(wl_severity_name(3), "error");
	assert_string_equal(wl_severity_name(4), "verbose");
	assert_string_equal(wl_severity_name(5), "unknown");
}

static void calls_that_start_operations_are_known(void **state)
{
	static const char *const launches[] = {
		"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
		"cuLaunchKernel",   "cuLaunchKernelEx",    "cudaGraphLaunch",
		"cuGraphLaunch",    "cudaMemcpyAsync",     "cuMemcpyHtoDAsync",
		"cudaMemset",       "cuMemsetD32Async",    "cudaMemcpyPeerAsync",
	};
	static const char *const others[] = {
		"cudaStreamSynchronize", "cudaMalloc", "cudaGraphInstantiate", "cuMemAlloc",
		"cudaEventRecord",       "xcuLaunch",  "cudaGraphLaunc",       "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++)
		assert_true(wl_is_launch_call(launches[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(wl_is_launch_call(others[i]));
}

TEST_MAIN(codes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_push_pop_and_start_end),
		cmocka_unit_test(copy_kinds_have_the_names_of_nsys),
		cmocka_unit_test(copies_on_a_device_and_migrations_are_told_apart),
		cmocka_unit_test(memory_kinds_have_names_unless_absent),
		cmocka_unit_test(codes_without_a_name_are_one_code),
		cmocka_unit_test(severities_have_names),
		cmocka_unit_test(calls_that_start_operations_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

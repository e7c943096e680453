/* SPDX-License-Identifier: MIT */
#include "known/exports/codes.h"

#include <string.h>

#include "support/unit.h"

TEST(ranges_are_push_pop_and_start_end)
{
	for (unsigned kind = 0; kind < 300; kind++)
		assert_int_equal(wl_nvtx_is_range(kind),
				 kind == 59 || kind == 60 || kind == 70 || kind == 71);
}

TEST(copy_kinds_have_the_names_of_nsys)
{
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

TEST(copies_on_a_device_and_migrations_are_told_apart)
{
	for (unsigned kind = 0; kind < 256; kind++) {
		assert_int_equal(wl_copy_is_on_device(kind), kind >= 5 && kind <= 8);
		assert_int_equal(wl_copy_is_managed(kind), kind >= 11 && kind <= 13);
	}
}

TEST(memory_kinds_have_names_unless_absent)
{
	assert_string_equal(wl_memory_kind_name(WL_MEMORY_PAGEABLE), "pageable");
	assert_string_equal(wl_memory_kind_name(WL_MEMORY_PINNED), "pinned");
	assert_string_equal(wl_memory_kind_name(2), "device");
	assert_string_equal(wl_memory_kind_name(6), "managed-static");
	assert_string_equal(wl_memory_kind_name(7), "unknown");
	assert_string_equal(wl_memory_kind_name(254), "unknown");
	assert_null(wl_memory_kind_name(255));
}

/* Groups are made of known codes, so all codes without a name must be one. */
TEST(codes_without_a_name_are_one_code)
{
	for (unsigned code = 0; code < 256; code++) {
		uint8_t copy = wl_known_copy_kind((uint8_t)code);
		uint8_t memory = wl_known_memory_kind((uint8_t)code);

		assert_ptr_equal(wl_copy_kind_name(copy), wl_copy_kind_name(code));
		assert_int_equal(copy, code >= 1 && code <= 13 ? code : 0);
		assert_int_equal(memory, code == 255 ? 255 : code <= 6 ? code : 7);
	}
}

TEST(severities_have_names)
{
	assert_string_equal(wl_severity_name(0), "unknown");
	assert_string_equal(wl_severity_name(1), "information");
	assert_string_equal(wl_severity_name(2), "warning");
	assert_string_equal(wl_severity_name(3), "error");
	assert_string_equal(wl_severity_name(4), "verbose");
	assert_string_equal(wl_severity_name(5), "unknown");
}

TEST(calls_that_start_operations_are_known)
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

	for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++)
		assert_true(wl_is_launch_call(launches[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(wl_is_launch_call(others[i]));
}

/* SPDX-License-Identifier: MIT */
#include "known/exports/formats.h"

#include "support/unit.h"

TEST(bytes_tell_a_format)
{
	assert_string_equal(wl_format_of_bytes("PAR1\x15", 5), "Apache Parquet");
	assert_string_equal(wl_format_of_bytes("ARROW1\0\0", 8), "Apache Arrow");
	assert_string_equal(wl_format_of_bytes("\x89HDF\r\n\x1a\n", 8), "HDF5");
	assert_null(wl_format_of_bytes("PAR", 3));
	assert_null(wl_format_of_bytes("", 0));
	assert_null(wl_format_of_bytes("SQLite format 3", 16));
	assert_null(wl_format_of_bytes("{\"traceEvents\":[]}", 18));
}

TEST(names_tell_a_format)
{
	assert_string_equal(wl_format_of_name("run/StringIds.parquet"), "Apache Parquet");
	assert_string_equal(wl_format_of_name("run.arrows"), "Apache Arrow");
	assert_null(wl_format_of_name(".parquet"));
	assert_null(wl_format_of_name("run.parquet.sqlite"));
	assert_null(wl_format_of_name("run.json"));
}

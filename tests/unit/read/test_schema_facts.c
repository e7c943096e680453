/* SPDX-License-Identifier: MIT */
#include "known/exports/schema.h"

#include <string.h>

#include "base/attr.h"
#include "read/bind.h"
#include "read/reads.h"
#include "support/unit.h"

static void knows(const char *table, const char *column)
{
	if (!wl_schema_meaning(table, column))
		fail_msg("schema.def lacks %s.%s", table, column ? column : "");
}

TEST(every_column_that_the_reader_binds_has_a_meaning)
{
	for (size_t t = 0; t < wl_n_family_tables; t++) {
		const struct wl_family_table *table = &wl_family_tables[t];

		knows(table->table, NULL);
		for (size_t c = wl_family_infos[table->family].first_column;
		     c < wl_family_end(table->family); c++) {
			const struct wl_binding *b = &table->binding[c];

			for (size_t i = 0; i < WL_BIND_SOURCES && b->source[i]; i++) {
				if (!*b->source[i])
					continue; /* its schema has no such column */
				knows(table->table, b->source[i]);
				assert_true(wl_reads_column(table->table, b->source[i]));
			}
		}
	}
}

/* Small tables that read/catalogue.c takes whole. */
TEST(every_column_of_the_catalogue_has_a_meaning)
{
	static const char *const columns[][2] = {
		{ "META_DATA_CAPTURE", "name" },
		{ "META_DATA_CAPTURE", "value" },
		{ "META_DATA_EXPORT", "name" },
		{ "META_DATA_EXPORT", "value" },
		{ "EXPORT_META_DATA", "name" },
		{ "EXPORT_META_DATA", "value" },
		{ "TARGET_INFO_SYSTEM_ENV", "name" },
		{ "TARGET_INFO_SYSTEM_ENV", "value" },
		{ "PROCESSES", "globalPid" },
		{ "PROCESSES", "name" },
		{ "MPI_RANKS", "globalTid" },
		{ "MPI_RANKS", "rank" },
		{ "TARGET_INFO_GPU", "id" },
		{ "TARGET_INFO_GPU", "name" },
		{ "TARGET_INFO_GPU", "busLocation" },
		{ "TARGET_INFO_GPU", "uuid" },
		{ "TARGET_INFO_GPU", "totalMemory" },
		{ "TARGET_INFO_GPU", "memoryBandwidth" },
		{ "TARGET_INFO_GPU", "clockRate" },
		{ "TARGET_INFO_GPU", "smCount" },
		{ "TARGET_INFO_GPU", "cuDevice" },
		{ "TARGET_INFO_GPU", "deviceId" },
		{ "TARGET_INFO_GPU", "computeMajor" },
		{ "TARGET_INFO_GPU", "computeMinor" },
		{ "TARGET_INFO_CUDA_DEVICE", "pid" },
		{ "TARGET_INFO_CUDA_DEVICE", "cudaId" },
		{ "TARGET_INFO_CUDA_DEVICE", "gpuId" },
		{ "TARGET_INFO_CUDA_DEVICE", "uuid" },
		{ "ANALYSIS_DETAILS", "duration" },
		{ "TARGET_INFO_SESSION_START_TIME", "utcEpochNs" },
		{ "StringIds", "id" },
		{ "StringIds", "value" },
		{ "ThreadNames", "nameId" },
		{ "ThreadNames", "globalTid" },
	};

	for (size_t i = 0; i < WL_COUNT(columns); i++) {
		knows(columns[i][0], columns[i][1]);
		assert_true(wl_reads_column(columns[i][0], columns[i][1]));
	}
	assert_false(wl_reads_column("PROCESSES", "pid"));
	assert_false(wl_reads_column("CUPTI_ACTIVITY_KIND_KERNEL", "gridId"));
	assert_false(wl_reads_column("NO_SUCH_TABLE", "start"));
}

TEST(a_table_of_a_family_tells_how_to_record_it)
{
	assert_string_equal(wl_reads_capture("OSRT_API"), "nsys profile --trace=osrt");
	assert_string_equal(wl_reads_capture("CUDA_GRAPH_EVENTS"),
			    "nsys profile --cuda-graph-trace=node");
	assert_null(wl_reads_capture("StringIds"));
}

TEST(a_table_is_read_if_it_fills_a_family)
{
	const struct wl_family_table *filled_by[WL_N_FAMILIES] = { NULL };

	assert_int_equal(wl_reads_table("StringIds", filled_by), WL_USE_READ);
	assert_int_equal(wl_reads_table("PROCESSES", filled_by), WL_USE_READ);
	assert_int_equal(wl_reads_table("CUDA_CALLCHAINS", filled_by), WL_USE_READ);
	assert_int_equal(wl_reads_table("NO_SUCH_TABLE", filled_by), WL_USE_NONE);
	for (size_t i = 0; i < wl_n_family_tables; i++) {
		const struct wl_family_table *t = &wl_family_tables[i];
		const struct wl_family_table other = { t->family, "OTHER", { NULL }, t->binding };

		memset(filled_by, 0, sizeof(filled_by));
		assert_int_equal(wl_reads_table(t->table, filled_by), WL_USE_SHAPE);
		filled_by[t->family] = &other;
		assert_int_equal(wl_reads_table(t->table, filled_by), WL_USE_INSTEAD);
		filled_by[t->family] = t;
		assert_int_equal(wl_reads_table(t->table, filled_by), WL_USE_READ);
	}
}

TEST(no_table_and_no_column_stands_twice)
{
	for (size_t i = 0; i < wl_n_schema; i++) {
		const struct wl_schema_entry *a = &wl_schema[i];

		assert_true((a->table != NULL) != (a->column != NULL));
		for (size_t j = i + 1; j < wl_n_schema; j++) {
			const struct wl_schema_entry *b = &wl_schema[j];

			if (a->table && b->table)
				assert_string_not_equal(a->table, b->table);
			if (a->column && b->table)
				break; /* the next table's columns are others */
			if (a->column)
				assert_string_not_equal(a->column, b->column);
		}
	}
}

TEST(every_meaning_is_a_short_fragment)
{
	assert_non_null(wl_schema[0].table);
	for (size_t i = 0; i < wl_n_schema; i++) {
		size_t n = strlen(wl_schema[i].meaning);

		assert_in_range(n, 2, 60);
		assert_int_not_equal(wl_schema[i].meaning[n - 1], ' ');
		if (wl_schema[i].meaning[n - 1] == '.')
			assert_string_equal(wl_schema[i].meaning + n - 3, "...");
	}
}

/* "3.7.2", "" or the year of files without a version. */
static void is_version(const char *text)
{
	size_t dots = 0;

	if (strcmp(text, "") == 0 || strcmp(text, "2021") == 0)
		return;
	for (const char *c = text; *c; c++) {
		assert_true((*c >= '0' && *c <= '9') || *c == '.');
		dots += *c == '.';
	}
	assert_int_equal(dots, 2);
}

TEST(bounds_are_versions)
{
	for (size_t i = 0; i < wl_n_schema; i++) {
		is_version(wl_schema[i].since);
		is_version(wl_schema[i].until);
		assert_string_not_equal(wl_schema[i].since, "2021");
	}
}

TEST(a_column_is_as_old_as_its_table_unless_it_says_so)
{
	assert_null(wl_schema_since("CUPTI_ACTIVITY_KIND_KERNEL", "start"));
	assert_string_equal(wl_schema_since("CUPTI_ACTIVITY_KIND_KERNEL", "clusterX"), "3.23.3");
	assert_string_equal(wl_schema_since("TARGET_INFO_CUDA_DEVICE", "pid"), "3.17.1");
	assert_string_equal(wl_schema_since("TARGET_INFO_CUDA_DEVICE", "uuid"), "3.24.7");
	assert_string_equal(wl_schema_since("MPI_RANKS", NULL), "3.7.2");
	assert_null(wl_schema_since("MPI_RANKS", "no such column"));
	assert_null(wl_schema_since("NO_SUCH_TABLE", NULL));
}

TEST(a_column_is_looked_up_in_its_own_table)
{
	assert_string_equal(wl_schema_meaning("StringIds", "value"), "the text");
	assert_string_equal(wl_schema_meaning("META_DATA_EXPORT", "value"), "the value, as text");
	assert_null(wl_schema_meaning("StringIds", "start"));
	assert_null(wl_schema_meaning("NO_SUCH_TABLE", NULL));
	assert_null(wl_schema_meaning("NO_SUCH_TABLE", "start"));
	assert_null(wl_schema_meaning("", ""));
}

TEST(enum_tables_have_one_meaning)
{
	assert_string_equal(wl_schema_meaning("ENUM_CUDA_MEMCPY_OPER", NULL), "names of a code");
	assert_string_equal(wl_schema_meaning("ENUM_ANYTHING", "id"), "the code");
	assert_null(wl_schema_meaning("ENUM_ANYTHING", "start"));
}

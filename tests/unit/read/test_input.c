/* SPDX-License-Identifier: MIT */
/* What becomes of the rows of a file: which are kept, in which order, with which values. */
#include "read/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known/exports/codes.h"
#include "support/db.h"
#include "support/dump.h"
#include "support/invariants.h"
#include "support/unit.h"

#define SECOND INT64_C(1000000000)

/* The text of everything that a database says; free it. */
static char *dump(struct db *db)
{
	struct wl_input *in = db_load(db);
	char *text = dump_trace(wl_input_trace(in));

	assert_non_null(text);
	wl_input_close(in);
	return text;
}

TEST_WITH(negative_times_survive, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	DB_KERNEL(db, .start = -350 * SECOND, .end = -349 * SECOND);
	DB_NVTX(db, .start = -7, .end = 9, .text = "early");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 1);
	assert_true(wl_kernels_start(t)[0] == -350 * SECOND);
	assert_int_equal(wl_kernels_dur(t)[0], SECOND);
	assert_true(wl_nvtx_start(t)[0] == -7);
	assert_int_equal(wl_nvtx_dur(t)[0], 16);
}

TEST_WITH(a_kernel_before_its_launch_loads, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_2_9_1);
	db_string(db, 1, "cudaLaunchKernel_v7000");
	DB_KERNEL(db, .start = 100, .end = 200, .corr = 5);
	DB_API(db, .start = 900, .end = 950, .tid = 1, .corr = 5, .name = 1);
	t = db_trace(db);
	assert_int_equal(wl_kernels_corr(t)[0], wl_api_corr(t)[0]);
	assert_true(wl_kernels_start(t)[0] < wl_api_start(t)[0]);
	assert_string_equal(wl_str(t, wl_api_name(t)[0]), "cudaLaunchKernel");
}

TEST_WITH(ranges_without_names_are_kept, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	db_string(db, 3, "registered");
	DB_NVTX(db, .start = 1, .end = 2);
	DB_NVTX(db, .start = 2, .end = 3, .text = "");
	DB_NVTX(db, .start = 3, .end = 4);
	db_run(db, "UPDATE NVTX_EVENTS SET textId = 3 WHERE start = 3");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_NVTX].n, 3);
	assert_int_equal(wl_nvtx_name(t)[0], WL_NONE);
	assert_int_equal(wl_nvtx_name(t)[1], WL_NONE);
	assert_string_equal(wl_str(t, wl_nvtx_name(t)[2]), "registered");
}

/* Two ranges without end, a closed one that ends at 70, and a mark at 80. */
static void put_unclosed(struct db *db)
{
	db_make_tables(db, DB_3_7_2);
	DB_NVTX(db, .start = 10, .end = INT64_MIN, .type = 59);
	DB_NVTX(db, .start = 20, .end = INT64_MIN, .type = 60);
	DB_NVTX(db, .start = 30, .end = 70);
	DB_NVTX(db, .start = 80, .end = INT64_MIN, .type = 34);
}

static void expect_unclosed(struct db *db, wl_ns end)
{
	struct wl_input *in = db_load(db);
	const struct wl_trace *t = wl_input_trace(in);
	const struct wl_family *f = &t->family[WL_F_NVTX];

	assert_int_equal(f->n, 4);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(wl_nvtx_start(t)[i] + wl_dur(f, wl_nvtx_dur(t), i), end);
		assert_int_equal(wl_nvtx_flags(t)[i], WL_NVTX_UNCLOSED);
	}
	for (size_t i = 2; i < 4; i++)
		assert_int_equal(wl_nvtx_flags(t)[i], 0);
	assert_int_equal(wl_nvtx_dur(t)[2], 40);
	assert_int_equal(wl_nvtx_dur(t)[3], 0);
	wl_input_close(in);
}

TEST_WITH(unclosed_ranges_end_with_the_capture, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	put_unclosed(db);
	db_run(db, "CREATE TABLE ANALYSIS_DETAILS (globalVid, duration, startTime, stopTime);"
		   "INSERT INTO ANALYSIS_DETAILS VALUES (0, 1000, 5, 9), (1, 500, 5, 9)");
	expect_unclosed(db, 1000);
}

TEST_WITH(unclosed_ranges_end_with_the_table_where_no_duration_is_known, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	put_unclosed(db);
	expect_unclosed(db, 80);
}

TEST_WITH(an_unclosed_range_after_the_capture_has_no_length, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	DB_NVTX(db, .start = 10, .end = INT64_MIN);
	db_run(db, "CREATE TABLE ANALYSIS_DETAILS (duration);"
		   "INSERT INTO ANALYSIS_DETAILS VALUES (4)");
	t = db_trace(db);
	assert_int_equal(wl_nvtx_dur(t)[0], 0);
}

TEST_WITH(missing_meta_tables_are_no_error, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_2020);
	DB_KERNEL(db, .start = 1, .end = 2);
	t = db_trace(db);
	assert_int_equal(t->n_meta, 0);
	assert_int_equal(t->n_gpus, 0);
	assert_true(t->duration == WL_NO_TIME);
	assert_int_equal(t->utc_start, 0);
	assert_int_equal(t->host, WL_NONE);
	assert_null(wl_trace_meta(t, "EXPORT_SCHEMA_VERSION"));
}

TEST_WITH(meta_tables_of_both_names_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT);"
		   "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION', '2.9.1');"
		   "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, name, value);"
		   "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, 'Hostname', 'node7');"
		   "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime);"
		   "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000001, '')");
	t = db_trace(db);
	assert_string_equal(wl_trace_meta(t, "EXPORT_SCHEMA_VERSION"), "2.9.1");
	assert_string_equal(wl_str(t, t->host), "node7");
	assert_true(t->utc_start == INT64_C(1700000000000000001));
}

TEST_WITH(kernels_of_a_graph_share_a_correlation_id, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	for (int i = 0; i < 22; i++)
		DB_KERNEL(db, .start = i, .end = i + 1, .corr = 77,
			  .node = (INT64_C(3) << 32) + i + 1);
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 22);
	for (size_t i = 0; i < 22; i++) {
		assert_int_equal(wl_kernels_corr(t)[i], 77);
		assert_int_equal(wl_kernels_node(t)[i], (UINT64_C(3) << 32) + i + 1);
	}
}

static const char node_columns[] = "(start, end, eventClass, globalTid, nameId, graphNodeId,"
				   " originalGraphNodeId)";
static const char graph_columns[] = "(start, end, eventClass, globalTid, nameId, graphId,"
				    " originalGraphId, graphExecId)";

static void expect_nodes(struct db *db)
{
	struct wl_input *in = db_load(db);
	const struct wl_trace *t = wl_input_trace(in);

	assert_true(t->family[WL_F_NODES].present);
	assert_int_equal(t->family[WL_F_NODES].n, 1);
	assert_int_equal(wl_nodes_node(t)[0], 42);
	assert_true(wl_nodes_origin(t)[0] == WL_NO_U64);
	wl_input_close(in);
}

TEST_WITH(graph_nodes_are_found_under_the_old_name, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	db_run(db,
	       "CREATE TABLE CUDA_GRAPH_EVENTS %s;"
	       "INSERT INTO CUDA_GRAPH_EVENTS VALUES (1, 2, 0, 5, 0, 42, NULL)",
	       node_columns);
	expect_nodes(db);
}

TEST_WITH(graph_nodes_are_found_under_the_new_name, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	db_run(db,
	       "CREATE TABLE CUDA_GRAPH_EVENTS %s;"
	       "INSERT INTO CUDA_GRAPH_EVENTS VALUES (1, 2, 0, 5, 0, 6, 7, 8);"
	       "CREATE TABLE CUDA_GRAPH_NODE_EVENTS %s;"
	       "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (1, 2, 0, 5, 0, 42, NULL)",
	       graph_columns, node_columns);
	expect_nodes(db);
}

TEST_WITH(graphs_under_the_old_name_are_not_nodes, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE CUDA_GRAPH_EVENTS %s;"
	       "INSERT INTO CUDA_GRAPH_EVENTS VALUES (1, 2, 0, 5, 0, 6, 7, 8)",
	       graph_columns);
	t = db_trace(db);
	assert_false(t->family[WL_F_NODES].present);
	assert_int_equal(t->family[WL_F_NODES].n, 0);
}

TEST_WITH(a_thousand_streams_are_a_thousand_places, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	for (unsigned i = 0; i < 1000; i++)
		DB_KERNEL(db, .start = i, .end = i + 5, .stream = i + 1);
	t = db_trace(db);
	assert_int_equal(t->n_places, 1000);
	assert_int_equal(t->n_devices, 1);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(t->places[wl_kernels_place(t)[i]].stream, i + 1);
}

/* The same start and end, so that the row decides; the correlation id tells rows apart. */
TEST_WITH(rows_are_sorted_by_device_start_and_row, db_setup, db_teardown)
{
	static const struct db_kernel rows[] = {
		{ .device = 1, .start = 5, .end = 9, .corr = 6 },
		{ .device = 0, .start = 7, .end = 9, .corr = 4 },
		{ .device = 0, .start = 3, .end = 9, .corr = 1, .stream = 8 },
		{ .device = 0, .start = 3, .end = 9, .corr = 2 },
		{ .device = 1, .start = 1, .end = 2, .corr = 5 },
		{ .device = 0, .start = 3, .end = 4, .corr = 3 },
	};
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		db_kernel(db, &rows[i]);
	t = db_trace(db);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		assert_int_equal(wl_kernels_corr(t)[i], i + 1);
}

TEST_WITH(calls_are_sorted_by_thread_start_end_and_row, db_setup, db_teardown)
{
	static const struct db_api rows[] = {
		{ .tid = 9, .start = 5, .end = 9, .corr = 4 },
		{ .tid = 9, .start = 1, .end = 9, .corr = 3 },
		{ .tid = 2, .start = 8, .end = 9, .corr = 1 },
		{ .tid = 2, .start = 8, .end = 9, .corr = 2 },
	};
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		db_api(db, &rows[i]);
	t = db_trace(db);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		assert_int_equal(wl_api_corr(t)[i], i + 1);
}

TEST_WITH(an_end_before_the_start_is_zero_length, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_7_2);
	DB_KERNEL(db, .start = 10, .end = 3);
	DB_KERNEL(db, .start = 11, .end = 11);
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 2);
	assert_int_equal(wl_kernels_dur(t)[0], 0);
	assert_int_equal(wl_kernels_dur(t)[1], 0);
}

/* Out of order, so that the side table must follow; lengths on both sides of 2^32 - 1. */
TEST_WITH(long_lengths_survive_sorting, db_setup, db_teardown)
{
	static const wl_ns lengths[] = {
		100 * SECOND, 5, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX + INT64_C(1), 3600 * SECOND
	};
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const struct wl_family *f;

	db_make_tables(db, DB_3_7_2);
	for (size_t i = WL_COUNT(lengths); i-- > 0;)
		DB_KERNEL(db, .start = (int64_t)i, .end = (int64_t)i + lengths[i]);
	t = db_trace(db);
	f = &t->family[WL_F_KERNELS];
	assert_int_equal(f->n_long, 4);
	for (size_t i = 0; i < WL_COUNT(lengths); i++)
		assert_true(wl_dur(f, wl_kernels_dur(t), i) == lengths[i]);
}

static void put_some_of_everything(struct db *db)
{
	db_string(db, 1, "gemm");
	db_string(db, 2, "cudaLaunchKernel");
	for (unsigned i = 0; i < 40; i++) {
		DB_KERNEL(db, .start = i * 7 % 40, .end = i + 50, .device = i % 2, .corr = i,
			  .name = 1);
		DB_API(db, .start = i * 3 % 40, .end = i + 90, .tid = i % 3, .corr = i, .name = 2);
		DB_NVTX(db, .start = i * 11 % 40, .end = i % 5 ? i + 60 : INT64_MIN, .tid = i % 3,
			.text = i % 4 ? "step" : NULL);
	}
	db_run(db, "INSERT INTO ThreadNames VALUES (1, 0, %lld)", db_tid(100, 1));
}

TEST_WITH(all_eras_say_the_same, db_setup, db_teardown)
{
	char *first = NULL;

	for (int era = 0; era < DB_N_ERAS; era++) {
		char name[16], *text;
		struct db *db;

		(void)snprintf(name, sizeof(name), "era%d", era);
		db = db_open(state, name);
		db_make_tables(db, (enum db_era)era);
		put_some_of_everything(db);
		text = dump(db);
		if (first) {
			assert_string_equal(text, first);
			free(text);
		} else {
			first = text;
		}
	}
	free(first);
}

TEST_WITH(shuffled_and_unknown_columns_do_not_matter, db_setup, db_teardown)
{
	struct db *db = db_open(state, "plain");
	char *plain, *shuffled;

	db_run(db, "CREATE TABLE OSRT_API (start, end, globalTid, nameId, nestingLevel);"
		   "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
		   "INSERT INTO StringIds VALUES (4, 'poll');"
		   "INSERT INTO OSRT_API VALUES (1, 5, 77, 4, 2), (0, 9, 77, 4, 1)");
	plain = dump(db);
	db = db_open(state, "shuffled");
	db_run(db, "CREATE TABLE added_by_a_script (start, end);"
		   "INSERT INTO added_by_a_script VALUES (1, 2);"
		   "CREATE TABLE StringIds (extra DEFAULT 5, value, id INTEGER PRIMARY KEY);"
		   "INSERT INTO StringIds (id, value) VALUES (4, 'poll');"
		   "CREATE TABLE OSRT_API (kernel_name TEXT, nestingLevel, end, nameId, globalTid,"
		   " \"odd \"\"name\" BLOB, start);"
		   "INSERT INTO OSRT_API VALUES ('x', 2, 5, 4, 77, x'00', 1),"
		   " (NULL, 1, 9, 4, 77, 8, 0)");
	shuffled = dump(db);
	assert_string_equal(shuffled, plain);
	free(plain);
	free(shuffled);
}

/* typeId has the GPU in its low byte; what does not fit is absent, and counted. */
TEST_WITH(metrics_are_numbered_by_gpu_and_name, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const uint32_t *series;

	db_make_tables(db, DB_3_25_0);
	db_run(db, "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"
		   "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName);"
		   "INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
		   " (281479271677957, 2, 'SM Active'), (281479271677957, 2, 'again');"
		   "INSERT INTO GPU_METRICS VALUES (-5, 281479271677957, 2, 40),"
		   " (NULL, 281479271677957, 2, 41), (7, 281479271677957, 3, -1),"
		   " (8, 281479271677952, 2, 'x'), (9, 281479271677957, 2, 42)");
	t = db_trace(db);
	series = wl_metrics_series(t);
	assert_int_equal(t->family[WL_F_METRICS].n, 5);
	assert_int_equal(t->n_series, 3);
	assert_int_equal(wl_metrics_time(t)[0], -5);
	assert_true(wl_metrics_time(t)[1] == WL_NO_TIME);
	assert_int_equal(series[4], series[0]);
	assert_int_equal(t->series[series[0]].number, 5);
	assert_int_equal(t->series[series[0]].gpu, WL_NONE);
	assert_string_equal(wl_str(t, t->series[series[0]].name), "SM Active");
	assert_int_equal(t->series[series[2]].name, WL_NONE);
	assert_int_equal(t->series[series[3]].number, 0);
	assert_int_equal(wl_metrics_value(t)[2], 0);
	assert_int_equal(wl_metrics_value(t)[3], 0);
	assert_int_equal(wl_metrics_value(t)[4], 42);
	assert_int_equal(t->n_mistyped, 2);
}

/* What a table names is named; what none does stays a series of its own. */
TEST_WITH(metrics_of_adapters_are_numbered_by_port, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const uint32_t *series;

	db_make_tables(db, DB_3_25_0);
	db_run(db,
	       "CREATE TABLE NET_NIC_METRIC (start, \"end\", globalId, portId, metricsListId,"
	       " metricsIdx, value);"
	       "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId, metricsIdx, name, unit);"
	       "CREATE TABLE NIC_ID_MAP (nicId, globalId);"
	       "CREATE TABLE TARGET_INFO_NIC_INFO (nicId, name);"
	       "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (4, 6, 'IB: Bytes sent',"
	       " 'bytes/ms'), (4, 6, 'again', 'x'), (5, 6, 'other', NULL);"
	       "INSERT INTO NIC_ID_MAP VALUES (2, 900), (-1, 901);"
	       "INSERT INTO TARGET_INFO_NIC_INFO VALUES (2, 'mlx5_2');"
	       "INSERT INTO NET_NIC_METRIC VALUES (10, 20, 900, 1, 4, 6, 40),"
	       " (20, NULL, 900, 2, 4, 6, 41), (20, 30, 901, 1, 5, 6, -1),"
	       " (NULL, 5, 902, 1, 5, 6, 'x'), (20, 30, 900, 1, 4, 6, 42)");
	t = db_trace(db);
	series = wl_nic_metrics_series(t);
	assert_int_equal(t->family[WL_F_NIC_METRICS].n, 5);
	assert_int_equal(t->n_series, 4);
	assert_int_equal(series[4], series[0]);
	assert_int_equal(t->series[series[0]].of, WL_COUNTER_OF_NIC);
	assert_int_equal(t->series[series[0]].number, 2);
	assert_string_equal(wl_str(t, t->series[series[0]].nic), "mlx5_2");
	assert_string_equal(wl_str(t, t->series[series[0]].name), "IB: Bytes sent");
	assert_string_equal(wl_str(t, t->series[series[0]].unit), "bytes/ms");
	assert_int_equal(t->series[series[1]].port, 2);
	assert_int_equal(t->series[series[2]].adapter, 901);
	assert_int_equal(t->series[series[2]].number, WL_NONE);
	assert_int_equal(t->series[series[2]].nic, WL_NONE);
	assert_int_equal(t->series[series[2]].unit, WL_NONE);
	assert_true(wl_nic_metrics_end(t)[1] == WL_NO_TIME);
	assert_true(wl_nic_metrics_time(t)[3] == WL_NO_TIME);
	assert_int_equal(wl_nic_metrics_value(t)[2], 0);
	assert_int_equal(t->n_mistyped, 2);
}

TEST_WITH(a_missing_table_is_an_empty_table, db_setup, db_teardown)
{
	struct db *db = db_open(state, "with");
	char *with, *without;

	db_make_tables(db, DB_3_25_0);
	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId);"
		   "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
		   "CREATE TABLE ANALYSIS_DETAILS (duration);"
		   "CREATE TABLE TARGET_INFO_CUDA_DEVICE (pid, cudaId, gpuId)");
	put_some_of_everything(db);
	with = dump(db);
	db = db_open(state, "without");
	db_make_tables(db, DB_3_25_0);
	put_some_of_everything(db);
	without = dump(db);
	assert_string_equal(with, without);
	free(with);
	free(without);
}

TEST_WITH(an_empty_database_is_an_empty_trace, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE nothing_we_know (a)");
	t = db_trace(db);
	for (size_t f = 0; f < WL_F_TABLES; f++)
		assert_int_equal(t->family[f].n, 0);
	assert_int_equal(t->family[WL_F_TABLES].n, 1);
}

TEST_WITH(a_table_without_its_key_columns_is_not_used, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, deviceId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 0)");
	t = db_trace(db);
	assert_false(t->family[WL_F_KERNELS].present);
	assert_int_equal(t->family[WL_F_KERNELS].n, 0);
}

TEST_WITH(when_os_tracing_began_and_ended_is_no_call, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId);"
		   "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
		   "INSERT INTO OSRT_API VALUES (0, 0, 31, 1, NULL), (1, 5, 27, 1, NULL),"
		   " (3, 4, NULL, 1, NULL), (9, 9, 32, 1, NULL)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_OSRT].n, 2);
	assert_int_equal(t->family[WL_F_OSRT].n_dropped, 0);
	assert_true(wl_osrt_start(t)[0] == 1 && wl_osrt_start(t)[1] == 3);
	assert_int_equal(wl_tables_rows(t)[0], 4);
}

TEST_WITH(rows_without_a_time_or_a_device_are_dropped_and_counted, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, bytes);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) VALUES"
		   " (NULL, 2, 0), ('soon', 2, 0), (x'01', 2, 0), (0.5, 2, 0),"
		   " (9223372036854775807, 2, 0), (-9223372036854775808, 2, 0),"
		   " (2305843009213693953, 2305843009213693954, 0),"
		   " (1, 2, NULL), (1, 2, -1), (1, 2, 'zero'), (1, 2, 4294967295), (1, 2, 1e300),"
		   " (1, 2, 0), (3.0, 4.0, 1.0)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_KERNELS].n, 2);
	assert_int_equal(t->family[WL_F_KERNELS].n_dropped, 12);
	assert_true(wl_kernels_start(t)[1] == 3);
	assert_int_equal(wl_kernels_dur(t)[1], 1);
	/* Text, a blob, a fraction; text and a number too large. */
	assert_int_equal(t->n_mistyped, 5);
	assert_int_equal(wl_tables_rows(t)[0], 14);
}

TEST_WITH(cells_that_cannot_be_used_are_absent_and_counted, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId,"
		   " correlationId, bytes, copyKind, graphNodeId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
		   " (1, 'end', 0, 7, 1, 10, 1, 1),"               /* 1: the end */
		   " (2, 9223372036854775807, 0, 7, 1, 10, 1, 1)," /* dropped: when was it? */
		   " (3, NULL, 0, -1, 4294967296, -5, 255, NULL)," /* 3 */
		   " (4, 9, 0, NULL, NULL, 'x', 256, -1),"         /* 2 */
		   " (5, 9, 0, 4294967295, 4294967295, NULL, NULL, 9223372036854775807)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_MEMCPYS].n, 4);
	assert_int_equal(t->family[WL_F_MEMCPYS].n_dropped, 1);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(wl_memcpys_dur(t)[i], 0);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(t->places[wl_memcpys_place(t)[i]].stream, UINT32_MAX);
		assert_int_equal(wl_memcpys_corr(t)[i], UINT32_MAX);
		assert_int_equal(wl_memcpys_bytes(t)[i], 0);
		assert_int_equal(wl_memcpys_kind(t)[i], WL_NO_U8);
	}
	assert_true(wl_memcpys_node(t)[1] == WL_NO_U64);
	assert_int_equal(t->n_mistyped, 6);
}

TEST_WITH(copies_between_devices_are_told_by_their_ends, db_setup, db_teardown)
{
	static const uint8_t want[] = { 0, 1, 0, 0, 0 };
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, copyKind,"
		   " srcDeviceId, dstDeviceId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
		   " (1, 2, 0, 8, 0, 0), (2, 3, 0, 8, 0, 1), (3, 4, 0, 8, NULL, 1),"
		   " (4, 5, 0, 8, 0, NULL), (5, 6, 0, 8, NULL, NULL)");
	t = db_trace(db);
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_int_equal(wl_memcpys_across(t)[i], want[i]);
}

/* The pair of stream and event decides, whatever syncType says; without one syncType does. */
TEST_WITH(synchronisations_are_told_by_stream_and_event, db_setup, db_teardown)
{
	static const uint8_t want[] = { WL_SYNC_CONTEXT, WL_SYNC_EVENT,  WL_SYNC_STREAM_WAITS,
					WL_SYNC_STREAM,  WL_SYNC_STREAM, WL_NO_U8 };
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId,"
		   " contextId, streamId, correlationId, globalPid, syncType, eventId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
		   " (1, 2, 0, 1, 4294967295, 1, 0, 1, 4294967295),"
		   " (2, 3, 0, 1, 4294967295, 2, 0, 2, 5),"
		   " (3, 4, 0, 1, 7, 3, 0, 3, 5),"
		   " (4, 5, 0, 1, 7, 4, 0, 2, 4294967295),"
		   " (5, 6, 0, 1, 7, 5, 0, 3, NULL),"
		   " (6, 7, 0, 1, NULL, 6, 0, NULL, NULL)");
	t = db_trace(db);
	for (size_t i = 0; i < WL_COUNT(want); i++)
		assert_int_equal(wl_syncs_kind(t)[i], want[i]);
	assert_int_equal(wl_syncs_event(t)[2], 5);
	assert_int_equal(wl_syncs_event(t)[3], WL_NONE);
}

/* The table has the parts of a globalPid: 1 << 56 | 2 << 48 | 100 << 24 is the same process. */
TEST_WITH(a_stream_belongs_to_the_process_of_its_operations, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const struct wl_place *of_kernel, *of_stream;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,"
		   " streamId, globalPid);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		   " (1, 2, 0, 1, 7, 72620545669070848);"
		   "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId, hwId, vmId, processId,"
		   " contextId, priority, flag);"
		   "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7, 1, 2, 100, 1, 0, 3),"
		   " (13, 1, 2, 100, 1, 0, 1)");
	t = db_trace(db);
	assert_int_equal(t->n_processes, 1);
	assert_int_equal(t->n_devices, 1);
	assert_int_equal(t->family[WL_F_CUDA_STREAMS].n, 2);
	of_kernel = &t->places[wl_kernels_place(t)[0]];
	of_stream = &t->places[wl_cuda_streams_place(t)[0]];
	assert_int_equal(of_stream->process, of_kernel->process);
	assert_int_equal(of_stream->context, of_kernel->context);
	assert_int_equal(of_stream->stream, of_kernel->stream);
	assert_int_equal(of_stream->device, WL_NONE);
	assert_int_equal(wl_cuda_streams_flag(t)[0], 3);
	assert_int_equal(wl_cuda_streams_flag(t)[1], 1);
}

TEST_WITH(results_and_times_out_of_range_are_absent_and_counted, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, nameId, returnValue);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 3, 600),"
		   " (2, 3, 3, 4294967296), (3, 4, 3, NULL);"
		   "CREATE TABLE DIAGNOSTIC_EVENT (severity, text, timestamp);"
		   "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'a', -5),"
		   " (2, 'b', 9223372036854775807), (2, 'c', NULL)");
	t = db_trace(db);
	assert_int_equal(wl_api_result(t)[0], 600);
	assert_int_equal(wl_api_result(t)[1], -1);
	assert_int_equal(wl_api_result(t)[2], 0);
	assert_true(wl_diagnostics_time(t)[0] == -5);
	assert_true(wl_diagnostics_time(t)[1] == WL_NO_TIME);
	assert_true(wl_diagnostics_time(t)[2] == WL_NO_TIME);
	assert_int_equal(t->n_mistyped, 2);
}

TEST_WITH(strings_of_another_type_are_counted, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE StringIds (id, value);"
		   "INSERT INTO StringIds VALUES (1, 'ok'), (2, x'00'), ('three', 'text');"
		   "CREATE TABLE META_DATA_EXPORT (name, value);"
		   "INSERT INTO META_DATA_EXPORT VALUES ('a', 5), ('b', 'x');"
		   "CREATE TABLE OSRT_API (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, 1), (2, 3, 2)");
	t = db_trace(db);
	assert_int_equal(t->n_mistyped, 3);
	assert_int_equal(t->n_meta, 1);
	assert_string_equal(wl_str(t, wl_osrt_name(t)[0]), "ok");
	assert_int_equal(wl_osrt_name(t)[1], WL_NONE);
}

TEST_WITH(names_are_repaired_and_counted, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE StringIds (id, value);"
	       "CREATE TABLE OSRT_API (start, end, nameId);"
	       "INSERT INTO OSRT_API VALUES (1, 2, 1), (2, 3, 2), (3, 4, 3), (4, 5, 4);"
	       "INSERT INTO StringIds VALUES (1, CAST(x'61ff62' AS TEXT)),"
	       " (2, CAST(x'610062' AS TEXT)), (3, CAST(x'61c3' AS TEXT)), (4, 'a' || char(9))");
	t = db_trace(db);
	assert_string_equal(wl_str(t, wl_osrt_name(t)[0]), "a\xef\xbf\xbd"
							   "b");
	/* Both bad bytes became the same character, so both names are one string. */
	assert_int_equal(wl_osrt_name(t)[0], wl_osrt_name(t)[1]);
	assert_string_equal(wl_str(t, wl_osrt_name(t)[2]), "a\xef\xbf\xbd");
	assert_string_equal(wl_str(t, wl_osrt_name(t)[3]), "a\t");
	assert_int_equal(t->n_repaired, 2);
}

TEST_WITH(names_of_64_kb_come_through, db_setup, db_teardown)
{
	enum { LENGTH = 65536 };
	struct db *db = db_open(state, "t");
	char *name = malloc(LENGTH + 1);
	struct wl_input *in;
	const struct wl_trace *t;

	assert_non_null(name);
	memset(name, 'x', LENGTH);
	name[LENGTH] = '\0';
	db_make_tables(db, DB_3_7_2);
	db_string(db, 1, name);
	DB_KERNEL(db, .start = 1, .end = 2, .name = 1);
	DB_API(db, .start = 1, .end = 2, .name = 1);
	/* More than the reader puts into one batch of text. */
	for (int i = 0; i < 300; i++)
		DB_NVTX(db, .start = i, .end = i, .text = name);
	in = db_load(db);
	t = wl_input_trace(in);
	assert_string_equal(wl_str(t, t->kernel_names[wl_kernels_name(t)[0]].brief), name);
	assert_string_equal(wl_str(t, wl_api_name(t)[0]), name);
	assert_int_equal(t->family[WL_F_NVTX].n, 300);
	for (size_t i = 0; i < 300; i++)
		assert_string_equal(wl_str(t, wl_nvtx_name(t)[i]), name);
	wl_input_close(in);
	free(name);
}

TEST_WITH(strings_out_of_order_and_with_holes_are_found, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE StringIds (id, value);"
		   "INSERT INTO StringIds VALUES (900, 'c'), (-4, 'a'), (17, 'b');"
		   "CREATE TABLE OSRT_API (start, end, nameId);"
		   "INSERT INTO OSRT_API VALUES (1, 2, -4), (2, 3, 17), (3, 4, 900), (4, 5, 18),"
		   " (5, 6, -9223372036854775808), (6, 7, 9223372036854775807)");
	t = db_trace(db);
	assert_string_equal(wl_str(t, wl_osrt_name(t)[0]), "a");
	assert_string_equal(wl_str(t, wl_osrt_name(t)[1]), "b");
	assert_string_equal(wl_str(t, wl_osrt_name(t)[2]), "c");
	for (size_t i = 3; i < 6; i++)
		assert_int_equal(wl_osrt_name(t)[i], WL_NONE);
}

TEST_WITH(absent_kernel_names_repeat_one_that_is_there, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const struct wl_kernel_name *name;

	db_make_tables(db, DB_3_7_2);
	db_string(db, 1, "short");
	DB_KERNEL(db, .start = 1, .end = 2, .name = 1);
	db_run(db, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = NULL");
	t = db_trace(db);
	name = &t->kernel_names[wl_kernels_name(t)[0]];
	assert_int_equal(name->demangled, name->brief);
	assert_int_equal(name->mangled, name->brief);
	assert_string_equal(wl_str(t, name->brief), "short");
}

TEST_WITH(accesses_to_files_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "files");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
	       "CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId, threadId, startedAt, endedAt,"
	       " eventType, apiCallId, bytesProcessed);"
	       "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (3, 78, 10, 40, 3, 1, 4096),"
	       " (4, 78, NULL, 7, 1, 1, -1);"
	       "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId, processId, filePath);"
	       "INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (3, 77, '/data')");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_FILE_EVENTS].n, 2);
	assert_true(wl_file_events_start(t)[0] == 10 && wl_file_events_end(t)[0] == 40);
	assert_true(wl_file_events_start(t)[1] == WL_NO_TIME);
	assert_int_equal(wl_file_events_file(t)[0], 3);
	assert_int_equal(wl_file_events_kind(t)[0], 3);
	assert_true(wl_file_events_bytes(t)[0] == 4096 && wl_file_events_bytes(t)[1] == 0);
	assert_int_equal(t->family[WL_F_OPEN_FILES].n, 1);
	assert_true(wl_open_files_id(t)[0] == 3 && wl_open_files_pid(t)[0] == 77);
	assert_string_equal(wl_str(t, wl_open_files_path(t)[0]), "/data");
}

TEST_WITH(mpi_calls_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "mpi");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
	       "INSERT INTO StringIds VALUES (4, 'MPI_Allreduce'), (5, 'MPI_Barrier');"
	       "CREATE TABLE MPI_COLLECTIVES_EVENTS (start, end, globalTid, textId, commHandle,"
	       " rootRank, size, recvSize, requestHandle);"
	       "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES"
	       " (10, 40, 77, 4, 1140850688, NULL, 8, 8, NULL), (1, 5, 77, 4, NULL, 0, NULL, 0, 0);"
	       "CREATE TABLE MPI_OTHER_EVENTS (start, end, globalTid, textId);"
	       "INSERT INTO MPI_OTHER_EVENTS VALUES (7, 9, 78, 5);"
	       "INSERT INTO StringIds VALUES (6, 'MPI_Recv'), (7, 'MPI_Waitall');"
	       "CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId, commHandle, tag,"
	       " remoteRank, size, requestHandle);"
	       "INSERT INTO MPI_P2P_EVENTS VALUES (3, 8, 77, 6, 1140850688, 12, 3, 64, NULL),"
	       " (9, 11, 77, 6, 1140850688, NULL, -2, NULL, NULL);"
	       "CREATE TABLE MPI_START_WAIT_EVENTS (start, end, globalTid, textId, requestHandle);"
	       "INSERT INTO MPI_START_WAIT_EVENTS VALUES (20, 29, 77, 7, NULL)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_MPI_COLLS].n, 2);
	assert_int_equal(wl_mpi_colls_start(t)[0], 1);
	assert_true(wl_mpi_colls_comm(t)[0] == WL_NO_U64 && wl_mpi_colls_comm(t)[1] == 1140850688);
	assert_true(wl_mpi_colls_bytes(t)[0] == 0 && wl_mpi_colls_bytes(t)[1] == 8);
	assert_int_equal(wl_mpi_colls_dur(t)[1], 30);
	assert_string_equal(wl_str(t, wl_mpi_colls_name(t)[1]), "MPI_Allreduce");
	assert_int_equal(t->family[WL_F_MPI_OTHERS].n, 1);
	assert_string_equal(wl_str(t, wl_mpi_others_name(t)[0]), "MPI_Barrier");
	assert_int_equal(t->threads[wl_mpi_others_thread(t)[0]].tid, 78);
	assert_int_equal(t->family[WL_F_MPI_P2P].n, 2);
	assert_string_equal(wl_str(t, wl_mpi_p2p_name(t)[0]), "MPI_Recv");
	assert_true(wl_mpi_p2p_comm(t)[0] == 1140850688 && wl_mpi_p2p_bytes(t)[0] == 64);
	assert_true(wl_mpi_p2p_tag(t)[0] == 12 && wl_mpi_p2p_remote(t)[0] == 3);
	assert_true(wl_mpi_p2p_tag(t)[1] == WL_NO_U64);
	assert_int_equal((int64_t)wl_mpi_p2p_remote(t)[1], -2);
	assert_int_equal(t->family[WL_F_MPI_WAITS].n, 1);
	assert_int_equal(wl_mpi_waits_dur(t)[0], 9);
}

/* Of an output only the times are kept. */
TEST_WITH(step_times_of_outputs_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "outputs");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
		   "INSERT INTO StringIds VALUES (1, 'stdout'), (2, 'iter 1 52 ms' || char(10) ||"
		   " 'iter 2 52 ms' || char(10) || 'iter 3 52 ms'), (3, 'hello');"
		   "CREATE TABLE ProcessStreams (globalPid, filenameId, contentId);"
		   "INSERT INTO ProcessStreams VALUES (77, 1, 2), (77, 1, 3), (77, 1, NULL), (77, "
		   "1, 9)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_OUTPUTS].n, 4);
	assert_true(wl_outputs_step(t)[0] == 52000000 && wl_outputs_lines(t)[0] == 3);
	for (size_t i = 1; i < 4; i++)
		assert_true(wl_outputs_step(t)[i] == 0 && wl_outputs_lines(t)[i] == 0);
}

TEST_WITH(communicators_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "comms");
	const struct wl_trace *t;

	db_run(db,
	       "CREATE TABLE MPI_COMMUNICATORS (rank, timestamp, commHandle, parentHandle, "
	       "localRank,"
	       " size, groupRoot, groupRootUid, members);"
	       "INSERT INTO MPI_COMMUNICATORS VALUES (3, 10, 140736271962800, 0, 3, 4, NULL, NULL,"
	       " NULL), (3, 20, 7, 140736271962800, 1, 2, 2, 0, '2,3')");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_MPI_COMMS].n, 2);
	assert_true(wl_mpi_comms_time(t)[0] == 10 && wl_mpi_comms_rank(t)[0] == 3);
	assert_true(wl_mpi_comms_comm(t)[0] == 140736271962800 && wl_mpi_comms_parent(t)[0] == 0);
	assert_true(wl_mpi_comms_size(t)[0] == 4 && wl_mpi_comms_members(t)[0] == WL_NONE);
	assert_string_equal(wl_str(t, wl_mpi_comms_members(t)[1]), "2,3");
}

TEST_WITH(library_calls_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "libraries");
	const struct wl_trace *t;

	db_run(db, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
		   "INSERT INTO StringIds VALUES (1, 'cudnnCreate'), (2, 'cublasSgemm'),"
		   " (3, 'Enqueue Launch'), (4, 'Create'), (5, 'Wait'), (6, 'solve.f90');"
		   "CREATE TABLE CUDNN_EVENTS (start, end, eventClass, globalTid, nameId);"
		   "INSERT INTO CUDNN_EVENTS VALUES (10, 40, 28, 77, 1);"
		   "CREATE TABLE CUBLAS_EVENTS (start, end, eventClass, globalTid, nameId);"
		   "INSERT INTO CUBLAS_EVENTS VALUES (11, 42, 29, 78, 2);"
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH (start, end, nameId, globalTid,"
		   " eventKind, lineNo, srcFile);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH VALUES (1, 9, 3, 77, 4, 54, 6);"
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_DATA (start, end, nameId, globalTid,"
		   " eventKind, lineNo, srcFile);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_DATA VALUES (2, 8, 4, 77, 13, 51, 6);"
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER (start, end, nameId, globalTid,"
		   " eventKind, lineNo, srcFile);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_OTHER VALUES"
		   " (3, 7, 5, 77, 7, NULL, NULL)");
	t = db_trace(db);
	assert_true(wl_cudnn_start(t)[0] == 10 && wl_cudnn_dur(t)[0] == 30);
	assert_string_equal(wl_str(t, wl_cudnn_name(t)[0]), "cudnnCreate");
	assert_int_equal(t->threads[wl_cudnn_thread(t)[0]].tid, 77);
	assert_true(wl_cublas_start(t)[0] == 11 && wl_cublas_dur(t)[0] == 31);
	assert_string_equal(wl_str(t, wl_cublas_name(t)[0]), "cublasSgemm");
	assert_int_equal(t->threads[wl_cublas_thread(t)[0]].tid, 78);
	assert_true(wl_acc_launches_start(t)[0] == 1 && wl_acc_launches_dur(t)[0] == 8);
	assert_string_equal(wl_str(t, wl_acc_launches_name(t)[0]), "Enqueue Launch");
	assert_string_equal(wl_str(t, wl_acc_launches_file(t)[0]), "solve.f90");
	assert_int_equal(wl_acc_launches_line(t)[0], 54);
	assert_int_equal(t->threads[wl_acc_launches_thread(t)[0]].tid, 77);
	assert_true(wl_acc_data_start(t)[0] == 2 && wl_acc_data_dur(t)[0] == 6);
	assert_string_equal(wl_str(t, wl_acc_data_name(t)[0]), "Create");
	assert_true(wl_acc_data_file(t)[0] == wl_acc_launches_file(t)[0]);
	assert_int_equal(wl_acc_data_line(t)[0], 51);
	assert_true(wl_acc_others_start(t)[0] == 3 && wl_acc_others_dur(t)[0] == 4);
	assert_string_equal(wl_str(t, wl_acc_others_name(t)[0]), "Wait");
	assert_true(wl_acc_others_file(t)[0] == WL_NONE && wl_acc_others_line(t)[0] == WL_NONE);
}

/* Only ranges with a payload are NCCL calls; its fields are where the entries say. */
TEST_WITH(payloads_are_read, db_setup, db_teardown)
{
	struct db *db = db_open(state, "payloads");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	for (int i = 0; i < 5; i++)
		DB_NVTX(db, .start = i, .end = i + 1);
	db_run(db, "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, flags, type,"
		   " name TEXT, description, arrayOrUnionDetail, offset);"
		   "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
		   " (1, 16777220, 0, 0, 18, 'NCCL communicator ID', NULL, NULL, NULL),"
		   " (1, 16777220, 1, 0, 22, 'Message size [bytes]', NULL, NULL, 8),"
		   " (1, 16777216, 1, 0, 5, 'No. of ranks', NULL, NULL, 8);"
		   "UPDATE NVTX_EVENTS SET binaryData = x'01000000000000000400000100000000"
		   "100000000000000030000000000000000eb569f1e7a694790000800100000000'"
		   " WHERE start = 0;"
		   "UPDATE NVTX_EVENTS SET binaryData = '01000000000000000400000100000000"
		   "100000000000000030000000000000000EB569F1E7A694790000800100000000'"
		   " WHERE start = 1;"
		   "UPDATE NVTX_EVENTS SET jsonText = '{\"No. of ranks\": 8, \"Rank\": 5}' WHERE "
		   "start = 3;"
		   "CREATE TABLE NCCL_GPU_OPERATIONS (localId, text, start, end, commHash, "
		   "commRank, count, dataType, operationClass, operationId);"
		   "INSERT INTO NCCL_GPU_OPERATIONS VALUES"
		   " (0, 'ncclAllReduce', 7, 9, -5, 0, 64, 'bfloat16', 'collective', 3)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_NVTX].n, 5);
	assert_int_equal(t->family[WL_F_NCCL_CALLS].n, 3);
	assert_int_equal(t->family[WL_F_NCCL_CALLS].n_dropped, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(wl_nccl_calls_comm(t)[i] == UINT64_C(0x7994a6e7f169b50e));
		assert_true(wl_nccl_calls_bytes(t)[i] == 25165824);
	}
	assert_true(wl_nccl_calls_bytes(t)[2] == WL_NO_U64);
	assert_true(wl_nccl_calls_ranks(t)[2] == 8);
	assert_true(wl_nccl_calls_rank(t)[1] == WL_NO_U64);
	assert_true(wl_nccl_calls_rank(t)[2] == 5);
	assert_int_equal(wl_nccl_calls_start(t)[2], 3);
	assert_int_equal(t->family[WL_F_NCCL_OPS].n, 1);
	assert_true(wl_nccl_ops_start(t)[0] == 7 && wl_nccl_ops_end(t)[0] == 9);
	assert_true(wl_nccl_ops_comm(t)[0] == (uint64_t)-5 && wl_nccl_ops_count(t)[0] == 64);
	assert_string_equal(wl_str(t, wl_nccl_ops_type(t)[0]), "bfloat16");
	assert_int_equal(t->n_mistyped, 0);
}

/* As text, with the names of scopes and of numbers; what lies outside is not read. */
TEST_WITH(payloads_are_texts, db_setup, db_teardown)
{
	struct db *db = db_open(state, "texts");
	struct wl_input *in;
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	for (int i = 0; i < 4; i++)
		DB_NVTX(db, .start = i, .end = i + 1);
	db_run(db,
	       "ALTER TABLE NVTX_EVENTS ADD COLUMN eventId;"
	       "UPDATE NVTX_EVENTS SET eventId = start + 40;"
	       "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, flags, type,"
	       " name TEXT, description, arrayOrUnionDetail, offset);"
	       "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
	       " (1, 7, 0, NULL, 13, 'a', NULL, NULL, NULL), (1, 7, 1, 16, 12, 'b', NULL, 3, 2),"
	       " (1, 7, 2, NULL, 76, 'c', NULL, 3, 5), (1, 7, 3, NULL, 70, 'd', NULL, NULL, 8),"
	       " (1, 7, 4, NULL, 16777300, 'e', NULL, NULL, 16),"
	       " (1, 7, 0, NULL, 13, 'a', NULL, NULL, NULL),"
	       " (1, 8, 0, NULL, 18, 'out', NULL, NULL, 4), (1, 8, 1, NULL, 18, 'no', NULL, NULL, NULL);"
	       "CREATE TABLE NVTX_SCOPES (domainId, scopeId, path TEXT);"
	       "INSERT INTO NVTX_SCOPES VALUES (1, 9, 'node 0'), (2, 9, 'other');"
	       "CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES (domainId, schemaId, idx, name TEXT, value,"
	       " isFlag);"
	       "INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (1, 16777300, 0, 'decode', 2, 0);"
	       "UPDATE NVTX_EVENTS SET binaryData = x'01000000000000000700000000000000"
	       "14000000000000003400000000000000fffe010203686900090000000000000002000000'"
	       " WHERE start = 0;"
	       "UPDATE NVTX_EVENTS SET binaryData = x'01000000000000000800000000000000"
	       "080000000000000028000000000000000102030405060708' WHERE start = 1;"
	       "UPDATE NVTX_EVENTS SET binaryData = x'01000000000000000900000000000000"
	       "080000000000000028000000000000000102030405060708' WHERE start = 2;");
	in = db_load(db);
	t = wl_input_trace(in);
	assert_string_equal(wl_str(t, wl_nvtx_payload(t)[0]),
			    "a=-257, b=1 2 3, c=hi, d=node 0, e=decode");
	assert_string_equal(wl_str(t, wl_nvtx_payload(t)[1]), "out=?, no=?");
	assert_true(wl_nvtx_payload(t)[2] == WL_NONE && wl_nvtx_payload(t)[3] == WL_NONE);
	assert_true(wl_nvtx_read(t)[0] == 1 && wl_nvtx_read(t)[1] == 0);
	assert_true(wl_nvtx_read(t)[2] == 0 && wl_nvtx_read(t)[3] == WL_NO_U8);
	assert_true(wl_nvtx_event(t)[3] == 43);
	wl_input_close(in);
}

TEST_WITH(page_faults_have_a_process_and_a_device, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;

	db_make_tables(db, DB_3_25_0);
	db_run(db, "INSERT INTO StringIds VALUES (900, 'read_page');"
		   "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address, "
		   "CpuInstruction, module);"
		   "INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES"
		   " (5, 83886080, 4096, 900, 0), (NULL, 83886080, 4096, NULL, 0);"
		   "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start, end, globalPid, deviceId, "
		   "address, numberOfPageFaults, faultAccessType);"
		   "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES"
		   " (7, 9, 83886080, 1, 4096, 1, 1), (7, 9, 83886080, NULL, 4096, 1, 1)");
	t = db_trace(db);
	assert_int_equal(t->family[WL_F_CPU_FAULTS].n, 2);
	assert_true(wl_cpu_faults_time(t)[0] == 5 && wl_cpu_faults_time(t)[1] == WL_NO_TIME);
	assert_int_equal(t->places[wl_cpu_faults_place(t)[0]].device, WL_NONE);
	assert_string_equal(wl_str(t, wl_cpu_faults_name(t)[0]), "read_page");
	assert_int_equal(wl_cpu_faults_name(t)[1], WL_NONE);
	assert_int_equal(t->family[WL_F_GPU_FAULTS].n, 2);
	assert_true(wl_gpu_faults_start(t)[0] == 7 && wl_gpu_faults_end(t)[0] == 9);
	assert_int_equal(t->places[wl_gpu_faults_place(t)[0]].device, WL_NONE);
	assert_true(wl_gpu_faults_ordinal(t)[0] == 1 && wl_gpu_faults_ordinal(t)[1] == WL_NONE);
}

TEST_WITH(payloads_are_flagged, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	const struct wl_trace *t;
	const uint8_t *flags;

	db_make_tables(db, DB_3_25_0);
	for (int i = 0; i < 4; i++)
		DB_NVTX(db, .start = i, .end = i + 1);
	db_run(db, "UPDATE NVTX_EVENTS SET doubleValue = 0.5 WHERE start = 0;"
		   "UPDATE NVTX_EVENTS SET jsonText = '{}' WHERE start = 1;"
		   "UPDATE NVTX_EVENTS SET binaryData = x'00', int32Value = 1 WHERE start = 2");
	t = db_trace(db);
	flags = wl_nvtx_flags(t);
	assert_int_equal(flags[0], WL_NVTX_NUMBER);
	assert_int_equal(flags[1], WL_NVTX_JSON);
	assert_int_equal(flags[2], WL_NVTX_BINARY | WL_NVTX_NUMBER);
	assert_int_equal(flags[3], 0);
	assert_int_equal(t->n_mistyped, 0);
}

/* Rows of every family, some of them bad, with texts of their own. */
static void put_every_family(struct db *db)
{
	db_make_tables(db, DB_3_25_0);
	put_some_of_everything(db);
	db_run(db,
	       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid) VALUES"
	       " ('x', 1, 0, 0), (1, 'x', 0, 0), (2, 9000000000, 'x', 0), (3, 9000000000, 2, 0);"
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, streamId,"
	       " globalPid, syncType);"
	       "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (9, 10, 5, 3, 0, 300),"
	       " (4, 5, 0, 7, 1677721600, 3);"
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, streamId, eventId);"
	       "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (8, 1, 1), (0, 7, 2);"
	       "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, bytes);"
	       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 3, 4), (0, 1, 3, 'x');"
	       "CREATE TABLE OSRT_API (start, end, nameId, globalTid);"
	       "INSERT INTO OSRT_API VALUES (1, 2, 2, 9), (0, 1, 1, 8);"
	       "CREATE TABLE SCHED_EVENTS (start, isSchedIn, cpu, globalTid);"
	       "INSERT INTO SCHED_EVENTS VALUES (5, 1, 3, 4), (4, 0, 2, 3);"
	       "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
	       "INSERT INTO DIAGNOSTIC_EVENT VALUES (3, 'lost'), (NULL, 5)");
}

static void expect_load(struct wl_input *in, const struct wl_columns *want)
{
	struct wl_err err = { .code = WL_OK };

	if (wl_input_load(in, want, &err) < 0)
		fail_msg("%s", err.msg);
}

/* Column by column, from the last to the first: the worst order there is. */
TEST_WITH(columns_loaded_one_by_one_are_the_same, db_setup, db_teardown)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct db *db = db_open(state, "t");
	struct wl_input *in = NULL;
	char *once, *pieces;

	put_every_family(db);
	once = dump(db);
	assert_int_equal(wl_input_open(db->path, &opts, &in, NULL), WL_OK);
	for (size_t c = WL_N_COLUMNS; c-- > 0;) {
		struct wl_columns want = { { 0 } };
		const char *broken;

		wl_columns_add(&want, (enum wl_column_id)c);
		expect_load(in, &want);
		assert_true(wl_columns_has(&wl_input_trace(in)->loaded, (enum wl_column_id)c));
		broken = broken_invariant(wl_input_trace(in));
		if (broken)
			fail_msg("after column %zu: %s", c, broken);
	}
	pieces = dump_trace(wl_input_trace(in));
	assert_string_equal(pieces, once);
	free(once);
	free(pieces);
	wl_input_close(in);
}

static void count_batches(void *ctx, int64_t rows, int64_t total)
{
	int *n = ctx;

	(void)rows;
	(void)total;
	++*n;
}

TEST_WITH(columns_that_are_there_are_not_read_again, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");
	int n = 0;
	const struct wl_input_opts opts = { .progress = count_batches, .progress_ctx = &n };
	struct wl_columns all = all_columns(), some = { { 0 } };
	struct wl_input *in = NULL;

	put_every_family(db);
	assert_int_equal(wl_input_open(db_close(db), &opts, &in, NULL), WL_OK);
	wl_columns_add(&some, WL_OSRT_NAME);
	expect_load(in, &some);
	assert_int_equal(n, 1);
	assert_null(wl_kernels_start(wl_input_trace(in)));
	expect_load(in, &some);
	assert_int_equal(n, 1);
	expect_load(in, &all);
	n = 0;
	expect_load(in, &all);
	assert_int_equal(n, 0);
	wl_input_close(in);
}

TEST_WITH(any_column_of_a_gpu_brings_all_devices, db_setup, db_teardown)
{
	const struct wl_input_opts opts = { .budget = NULL };
	struct db *db = db_open(state, "t");
	struct wl_columns some = { { 0 } };
	struct wl_input *in = NULL;

	put_every_family(db);
	assert_int_equal(wl_input_open(db_close(db), &opts, &in, NULL), WL_OK);
	assert_int_equal(wl_input_trace(in)->n_devices, 0);
	wl_columns_add(&some, WL_EVENTS_EVENT);
	expect_load(in, &some);
	/* Two of process 100; of the kernels and the set without a process three. */
	assert_int_equal(wl_input_trace(in)->n_devices, 5);
	wl_input_close(in);
}

TEST_WITH(a_load_that_is_cancelled_says_so, db_setup, db_teardown)
{
	atomic_int cancel = 0;
	const struct wl_input_opts opts = { .cancel = &cancel };
	struct db *db = db_open(state, "t");
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;

	put_every_family(db);
	assert_int_equal(wl_input_open(db_close(db), &opts, &in, NULL), WL_OK);
	cancel = 1;
	assert_int_equal(wl_input_load(in, &all, NULL), WL_E_CANCELED);
	wl_input_close(in);
}

/* One attempt with a byte limit: WL_OK, or WL_E_NOMEM with a message and without a crash. */
static int load_within(const char *path, size_t limit)
{
	struct wl_budget budget = { .limit = limit };
	const struct wl_input_opts opts = { .budget = &budget };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_input_open(path, &opts, &in, &err);

	if (r == WL_OK)
		r = wl_input_load(in, &all, &err);
	if (r < 0) {
		assert_int_equal(r, WL_E_NOMEM);
		assert_int_equal(err.code, WL_E_NOMEM);
		assert_non_null(strstr(err.msg, "no memory"));
		if (in) /* and it stays so */
			assert_int_equal(wl_input_load(in, &all, &err), WL_E_NOMEM);
	} else {
		assert_null(broken_invariant(wl_input_trace(in)));
	}
	wl_input_close(in);
	return r;
}

static void expect_limits_kept(const char *path)
{
	size_t limit = 1;

	while (load_within(path, limit) < 0)
		limit += limit < 2048 ? 64 : limit / 64;
	assert_in_range(limit, 1000, 1000000);
	assert_int_equal(load_within(path, 2 * limit), WL_OK);
}

TEST_WITH(every_byte_limit_is_kept, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	put_every_family(db);
	expect_limits_kept(db_close(db));
}

/* Here sorting takes more than all else: many rows in the worst order, all of them long. */
TEST_WITH(every_byte_limit_is_kept_while_sorting, db_setup, db_teardown)
{
	struct db *db = db_open(state, "t");

	db_run(db, "CREATE TABLE OSRT_API (start, end, nameId, globalTid);"
		   "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i LIMIT 3000)"
		   " INSERT INTO OSRT_API SELECT n * 7919 %% 3001, 9000000000, 0, n %% 700 FROM i");
	expect_limits_kept(db_close(db));
}

/* SPDX-License-Identifier: MIT */
/* The tables that only documents such as info show, and schema. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <string.h>

#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void fact(struct asked *x, const char *name, const char *value)
{
	wl_vec_push(&x->mem.build.meta,
		    &(struct wl_meta){ mem_string(&x->mem, "META_DATA_CAPTURE"),
				       mem_string(&x->mem, name), mem_string(&x->mem, value) });
}

/* The value of a fact; "-" if the file does not say. */
static const char *told(const struct asked *x, const char *key)
{
	for (size_t row = 0; row < x->a.table.n_rows; row++) {
		if (strcmp(answer_str(&x->a, row, "key"), key) == 0)
			return answer_is_set(&x->a, row, "value") ? answer_str(&x->a, row, "value")
								  : "-";
	}
	fail_msg("nothing is told of %s", key);
	return NULL;
}

static void about_tells_what_the_file_says(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "about");
	fact(&x, "PROCESS_0:COMMAND", "python3");
	fact(&x, "PROCESS_0:ARGUMENT_1", "train.py");
	fact(&x, "PROCESS_0:ENVIRONMENT_VARIABLE_1", "A=B");
	fact(&x, "PROCESS_0:ARGUMENT_2", "--lr 3");
	fact(&x, "EXPORT_PRODUCT_VERSION", "2025.1");
	fact(&x, "EXPORT_PRODUCT_VERSION", "not the first");
	fact(&x, "NvDriverVersion", "");
	x.mem.build.host = mem_string(&x.mem, "node1");
	x.mem.build.duration = 1500000;
	x.mem.build.utc_start = INT64_C(1700000000123456789);
	x.mem.build.n_mistyped = 3;
	x.mem.build.family[WL_F_API].n_mistyped = 4;
	(void)wl_string_put(&x.mem.build.strings, "\xff", 1);
	ask(&x, NULL);
	assert_string_equal(told(&x, "command"), "python3 train.py --lr 3");
	assert_string_equal(told(&x, "exported by nsys"), "2025.1");
	assert_string_equal(told(&x, "driver"), "-");
	assert_string_equal(told(&x, "system"), "-");
	assert_string_equal(told(&x, "host"), "node1");
	assert_string_equal(told(&x, "duration"), "1.5 ms");
	assert_string_equal(told(&x, "started"), "2023-11-14 22:13:20 UTC");
	assert_true(answer_has_note(&x.a, "UTF-8"));
	assert_true(answer_has_note(&x.a, "7 cells"));
	asked_release(&x);
}

static void a_file_that_says_nothing_is_told_in_empty_cells(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "about");
	ask(&x, NULL);
	assert_string_equal(told(&x, "command"), "-");
	assert_string_equal(told(&x, "started"), "-");
	assert_string_equal(told(&x, "duration"), "-");
	assert_string_equal(told(&x, "host"), "-");
	assert_int_equal(x.a.table.n_notes, 0);
	asked_release(&x);
}

static void gpu(struct asked *x, int64_t id, int64_t memory)
{
	const struct wl_gpu g = { .id = id,
				  .memory = memory,
				  .clock = 1980000000,
				  .sm_count = 132,
				  .cc_major = 9,
				  .cc_minor = 0,
				  .bandwidth = 3000,
				  .name = mem_string(&x->mem, "H100"),
				  .bus = mem_string(&x->mem, "0000:01:00.0"),
				  .uuid = mem_string(&x->mem, "GPU-1") };

	wl_vec_push(&x->mem.build.gpus, &g);
}

static void op(struct asked *x, unsigned pid, unsigned device)
{
	mem_op(&x->mem, WL_F_KERNELS, &(struct mem_op){ .end = 5, .pid = pid, .device = device });
}

static void a_proven_device_has_all_that_is_known_of_its_gpu(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gpus");
	gpu(&x, 4, 80);
	gpu(&x, 5, 80);
	gpu(&x, 6, 80);
	wl_vec_push(&x.mem.build.cuda_devices, &(struct wl_cuda_device){ 100, 0, 5, WL_NONE });
	op(&x, 100, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "gpu_id", 5);
	expect_i64(&x.a, 0, "memory", 80);
	expect_i64(&x.a, 0, "clock_mhz", 1980);
	expect_i64(&x.a, 0, "sms", 132);
	assert_string_equal(answer_str(&x.a, 0, "compute_capability"), "9.0");
	assert_string_equal(answer_str(&x.a, 0, "uuid"), "GPU-1");
	assert_string_equal(answer_str(&x.a, 0, "bus"), "0000:01:00.0");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 3000.0);
	assert_false(answer_is_set(&x.a, 0, "pid"));
	assert_true(answer_has_note(&x.a, "not used: 2"));
	asked_release(&x);
}

static void an_unproven_device_has_what_all_gpus_share(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gpus");
	gpu(&x, 4, 80);
	gpu(&x, 5, 80);
	op(&x, 100, 3);
	op(&x, 101, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "pid", 100);
	expect_i64(&x.a, 0, "ordinal", 3);
	expect_i64(&x.a, 0, "memory", 80);
	expect_i64(&x.a, 0, "clock_mhz", 1980);
	assert_string_equal(answer_str(&x.a, 0, "compute_capability"), "9.0");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 3000.0);
	assert_string_equal(answer_str(&x.a, 0, "name"), "H100");
	assert_false(answer_is_set(&x.a, 0, "gpu_id"));
	assert_false(answer_is_set(&x.a, 0, "uuid"));
	assert_true(answer_has_note(&x.a, "physical GPUs of 2 devices were not recorded"));
	asked_release(&x);
}

static void what_gpus_do_not_share_is_not_said_of_an_unproven_device(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gpus");
	gpu(&x, 4, 80);
	gpu(&x, 5, 96);
	op(&x, 100, 0);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "memory"));
	assert_false(answer_is_set(&x.a, 0, "sms"));
	assert_int_equal(x.a.table.n_notes, 0); /* one alone can be no other's twin */
	asked_release(&x);
}

static void a_device_of_an_unknown_machine_has_its_numbers_only(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "gpus");
	op(&x, 100, 0);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "name"));
	assert_false(answer_is_set(&x.a, 0, "memory"));
	expect_i64(&x.a, 0, "device", 0);
	asked_release(&x);
}

/* A call of the system is no CUDA or NVTX event, and may be loaded or not. */
static void processes_are_the_same_whatever_else_is_loaded(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "processes");
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .end = 1, .pid = 101 });
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .end = 1, .pid = 102, .device = 1 });
	mem_op(&x.mem, WL_F_SYNCS, &(struct mem_op){ .end = 1, .pid = 101, .device = 1 });
	mem_api(&x.mem, &(struct mem_call){ .pid = 101, .tid = 1 });
	mem_osrt(&x.mem, &(struct mem_call){ .pid = 101, .tid = 2 });
	mem_osrt(&x.mem, &(struct mem_call){ .pid = 103, .tid = 1 });
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 0, "pid", 101);
	expect_i64(&x.a, 0, "threads", 1);
	expect_i64(&x.a, 0, "devices", 1);
	expect_i64(&x.a, 1, "pid", 102);
	expect_i64(&x.a, 1, "threads", 0);
	asked_release(&x);
}

static void processes_are_counted_by_what_they_did(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "processes");
	wl_vec_push(&x.mem.build.process_names,
		    &(struct wl_label){ .key = 101, .value = mem_string(&x.mem, "python") });
	wl_vec_push(&x.mem.build.mpi_ranks, &(struct wl_label){ .key = 101, .value = 3 });
	for (unsigned i = 0; i < 6; i++)
		mem_op(&x.mem, WL_F_KERNELS,
		       &(struct mem_op){
			       .end = 1, .pid = 101, .device = i % 2, .stream = 7 + i % 3 });
	mem_op(&x.mem, WL_F_MEMCPYS, &(struct mem_op){ .end = 1, .pid = 102, .device = 1 });
	mem_op(&x.mem, WL_F_SYNCS, &(struct mem_op){ .end = 1, .pid = 102, .device = 9 });
	mem_api(&x.mem, &(struct mem_call){ .pid = 101, .tid = 1 });
	mem_api(&x.mem, &(struct mem_call){ .pid = 101, .tid = 2 });
	mem_api(&x.mem, &(struct mem_call){ .pid = 99, .tid = 2 });
	mem_nvtx(&x.mem, &(struct mem_range){ .pid = 101, .tid = 3 });
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "pid", 99);
	expect_i64(&x.a, 0, "devices", 0);
	expect_i64(&x.a, 0, "calls", 1);
	assert_false(answer_is_set(&x.a, 0, "name"));
	assert_false(answer_is_set(&x.a, 0, "rank"));
	assert_false(answer_is_set(&x.a, 0, "rank_from"));
	expect_i64(&x.a, 1, "pid", 101);
	assert_string_equal(answer_str(&x.a, 1, "name"), "python");
	expect_i64(&x.a, 1, "rank", 3);
	assert_string_equal(answer_str(&x.a, 1, "rank_from"), "mpi");
	expect_i64(&x.a, 1, "devices", 2);
	expect_i64(&x.a, 1, "threads", 3);
	expect_i64(&x.a, 1, "kernels", 6);
	expect_i64(&x.a, 1, "calls", 2);
	expect_i64(&x.a, 2, "pid", 102);
	expect_i64(&x.a, 2, "devices", 1);
	expect_i64(&x.a, 2, "kernels", 0);
	asked_release(&x);
}

/* Kernels and their calls; the call of the first n_early begins after its kernel. */
static void put_launches(struct asked *x, unsigned n, unsigned n_early)
{
	for (unsigned i = 1; i <= n; i++) {
		wl_ns at = 100 * (wl_ns)i;

		mem_op(&x->mem, WL_F_KERNELS,
		       &(struct mem_op){ .start = at, .end = at + 1, .corr = i });
		mem_api(&x->mem, &(struct mem_call){ .start = i <= n_early ? at + 1 : at,
						     .end = at + 5,
						     .corr = i });
	}
}

static void coverage_counts_operations_with_a_launch(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "coverage");
	put_launches(&x, 3, 0);
	mem_op(&x.mem, WL_F_KERNELS, &(struct mem_op){ .end = 1, .corr = 77 });
	mem_op(&x.mem, WL_F_MEMSETS, &(struct mem_op){ .end = 1 });
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "what"), "kernels with a launch call");
	expect_i64(&x.a, 0, "have", 3);
	expect_i64(&x.a, 0, "of", 4);
	assert_true(answer_f64(&x.a, 0, "share") == 0.75);
	assert_string_equal(answer_str(&x.a, 1, "what"), "memory sets with a launch call");
	expect_i64(&x.a, 1, "have", 0);
	assert_int_equal(x.a.table.n_notes, 0);
	asked_release(&x);
}

static void skewed_clocks_are_noted(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "coverage");
	put_launches(&x, 4, 2);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "2 of 4 operations begin before"));
	assert_false(answer_has_note(&x.a, "causes of waiting are unknown"));
	asked_release(&x);
	asked_init(&x, "coverage");
	put_launches(&x, 4, 3);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "causes of waiting are unknown"));
	asked_release(&x);
}

static bool has_question(const struct asked *x, const char *words)
{
	for (size_t row = 0; row < x->a.table.n_rows; row++) {
		if (strstr(answer_str(&x->a, row, "question"), words))
			return true;
	}
	return false;
}

static void limits_are_what_was_not_recorded(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "limits");
	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		x.mem.build.family[f].present = f != WL_F_GRAPHS;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 0);
	assert_true(answer_has_note(&x.a, "coach lists what other questions need"));
	asked_release(&x);

	asked_init(&x, "limits");
	x.mem.build.family[WL_F_GRAPHS].present = true;
	ask(&x, NULL);
	assert_true(has_question(&x, "inside CUDA graphs"));
	assert_false(has_question(&x, "GPU kernels"));
	assert_true(has_question(&x, "API calls"));
	assert_int_equal(x.a.table.n_notes, 1);
	assert_true(answer_has_note(&x.a, "coach lists the questions"));
	asked_release(&x);

	asked_init(&x, "limits");
	x.mem.build.family[WL_F_API].present = true;
	ask(&x, NULL);
	assert_true(has_question(&x, "GPU kernels"));
	assert_false(has_question(&x, "API calls"));
	assert_true(answer_has_note(&x.a, "no access"));
	asked_release(&x);
}

static void tables_with_most_rows_come_first_and_empty_ones_are_counted(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "tables");
	mem_table(&x.mem, "B", 5, "x");
	mem_table(&x.mem, "EMPTY", 0, "x");
	mem_table(&x.mem, "A", 5, "x");
	mem_table(&x.mem, "StringIds", 100, "id");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "table"), "StringIds");
	assert_true(answer_is_set(&x.a, 0, "meaning"));
	assert_string_equal(answer_str(&x.a, 1, "table"), "B");
	assert_string_equal(answer_str(&x.a, 2, "table"), "A");
	assert_false(answer_is_set(&x.a, 2, "meaning"));
	expect_i64(&x.a, 2, "rows", 5);
	assert_true(answer_has_note(&x.a, ": 1"));
	asked_release(&x);
}

static void what_is_not_used_is_listed_with_events_first(void **state)
{
	static const struct {
		const char *table;
		int64_t rows;
		const char *column;
		enum wl_table_use use;
		const char *why; /* NULL: not listed */
		size_t at;
	} tables[] = {
		{ "OSRT_API", 9, "start", WL_USE_READ, NULL, 0 },
		{ "ENUM_WHATEVER", 9, "id", WL_USE_NONE, NULL, 0 },
		{ "CUBLAS_EVENTS", 0, "start", WL_USE_NONE, NULL, 0 },
		{ "ANALYSIS_FILE", 50, "id", WL_USE_NONE, "facts", 5 },
		{ "VULKAN_API", 7, "start", WL_USE_NONE, "events", 0 },
		{ "UNHEARD_OF", 6, "timestamp", WL_USE_NONE, "unknown", 1 },
		{ "CUDA_GRAPH_EVENTS", 5, "start", WL_USE_INSTEAD, "same", 2 },
		{ "OSRT_API_OLD", 4, "start", WL_USE_SHAPE, "columns", 3 },
		{ "NvtxPushPopRanges", 3, "start", WL_USE_NONE, "derived", 4 },
	};
	struct asked x;

	(void)state;
	asked_init(&x, "unused");
	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		mem_table(&x.mem, tables[i].table, tables[i].rows, tables[i].column);
		mem_table_use(&x.mem, tables[i].use);
	}
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 6);
	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		if (!tables[i].why)
			continue;
		assert_string_equal(answer_str(&x.a, tables[i].at, "table"), tables[i].table);
		assert_string_equal(answer_str(&x.a, tables[i].at, "why"), tables[i].why);
		expect_i64(&x.a, tables[i].at, "rows", tables[i].rows);
	}
	asked_release(&x);
}

/* Of two GPUs with 18 metrics each; with more events than samples some are of other sources. */
static void events_that_repeat_gpu_metrics_are_the_same(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct asked x;

		asked_init(&x, "unused");
		mem_table(&x.mem, "GENERIC_EVENTS", 200 + more, "timestamp");
		mem_table(&x.mem, "GENERIC_EVENT_TYPES", 2, "typeId");
		mem_table(&x.mem, "TARGET_INFO_GPU_METRICS", 36, "metricId");
		mem_table(&x.mem, "GPU_METRICS", 3600, "timestamp");
		mem_table_use(&x.mem, WL_USE_READ);
		ask(&x, NULL);
		for (size_t i = 0; i < x.a.table.n_rows; i++) {
			if (strcmp(answer_str(&x.a, i, "table"), "GENERIC_EVENTS") == 0)
				assert_string_equal(answer_str(&x.a, i, "why"),
						    more ? "events" : "same");
		}
		asked_release(&x);
	}
}

static void what_the_host_did_is_counted_by_kind(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "host");
	mem_osrt(&x.mem, &(struct mem_call){ .start = 0, .end = 100, .tid = 7, .name = "read" });
	mem_osrt(&x.mem, &(struct mem_call){ .start = 50, .end = 80, .tid = 8, .name = "poll" });
	mem_osrt(&x.mem, &(struct mem_call){ .start = 200, .end = 290, .tid = 8, .name = "poll" });
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 0, .end = 10, .tid = 7, .name = "a" });
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 2, .end = 5, .tid = 7, .name = "b" });
	mem_sched(&x.mem, 0, 100, 7, true);
	mem_sched(&x.mem, 30, 100, 7, false);
	mem_sched(&x.mem, 40, 100, 7, true);
	mem_sched(&x.mem, 10, 100, 8, true);
	mem_sched(&x.mem, 15, 100, 8, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "what"), "CPU scheduling");
	expect_i64(&x.a, 0, "events", 5);
	expect_i64(&x.a, 0, "threads", 2);
	expect_i64(&x.a, 0, "sum", 35);
	assert_false(answer_is_set(&x.a, 0, "largest"));
	assert_string_equal(answer_str(&x.a, 1, "what"), "OS calls");
	expect_i64(&x.a, 1, "events", 3);
	expect_i64(&x.a, 1, "sum", 220);
	assert_string_equal(answer_str(&x.a, 1, "largest"), "poll");
	assert_string_equal(answer_str(&x.a, 2, "what"), "NVTX ranges");
	expect_i64(&x.a, 2, "events", 2);
	expect_i64(&x.a, 2, "sum", 13);
	assert_string_equal(answer_str(&x.a, 2, "verb"), "nvtx");
	asked_release(&x);
}

static void a_trace_without_gpu_work_says_why_and_what_to_do(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "reasons");
	mem_message(&x.mem, 2, "No CUDA events collected.");
	mem_message(&x.mem, 2, "No CUDA events collected.");
	mem_message(&x.mem, 2, "No NVTX events collected.");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	assert_string_equal(answer_str(&x.a, 0, "text"), "CUDA was not traced");
	assert_string_equal(answer_str(&x.a, 1, "text"), "No CUDA events collected.");
	assert_string_equal(answer_str(&x.a, 2, "what"), "next");
	assert_non_null(strstr(answer_str(&x.a, 2, "text"), "--trace=cuda"));
	asked_release(&x);

	asked_init(&x, "reasons");
	x.mem.build.family[WL_F_MEMCPYS].present = true;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 0);
	asked_release(&x);
}

static void schema_lists_columns_as_the_file_has_them(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "schema");
	mem_table(&x.mem, "B", 5, "x");
	mem_table(&x.mem, "CUPTI_ACTIVITY_KIND_KERNEL", 7, "start");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	assert_string_equal(answer_str(&x.a, 0, "table"), "B");
	assert_string_equal(answer_str(&x.a, 0, "column"), "x");
	assert_string_equal(answer_str(&x.a, 0, "type"), "INTEGER");
	assert_false(answer_is_set(&x.a, 0, "meaning"));
	expect_i64(&x.a, 1, "rows", 7);
	assert_true(answer_is_set(&x.a, 1, "meaning"));
	asked_release(&x);
}

static void warnings_and_errors_are_counted_and_the_rest_is_left_out(void **state)
{
	static const struct {
		uint8_t severity;
		const char *text;
	} said[] = { { 2, "slow" }, { 1, "hello" }, { 3, "lost" },    { 2, "slow" },
		     { 4, "x" },    { 2, "late" },  { 3, "slow" },    { 0, "y" },
		     { 2, "slow" }, { 9, "z" },     { WL_NO_U8, "w" } };
	static const char *const want[] = { "error lost 1", "error slow 1", "warning slow 3",
					    "warning late 1" };
	struct asked x;

	(void)state;
	asked_init(&x, "diagnostics");
	for (size_t i = 0; i < WL_COUNT(said); i++)
		mem_message(&x.mem, said[i].severity, said[i].text);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, WL_COUNT(want));
	for (size_t row = 0; row < WL_COUNT(want); row++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "%s %s %lld", answer_str(&x.a, row, "severity"),
			       answer_str(&x.a, row, "text"),
			       (long long)answer_i64(&x.a, row, "count"));
		assert_string_equal(line, want[row]);
	}
	asked_release(&x);
}

TEST_MAIN(parts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(about_tells_what_the_file_says),
		cmocka_unit_test(a_file_that_says_nothing_is_told_in_empty_cells),
		cmocka_unit_test(a_proven_device_has_all_that_is_known_of_its_gpu),
		cmocka_unit_test(an_unproven_device_has_what_all_gpus_share),
		cmocka_unit_test(what_gpus_do_not_share_is_not_said_of_an_unproven_device),
		cmocka_unit_test(a_device_of_an_unknown_machine_has_its_numbers_only),
		cmocka_unit_test(processes_are_counted_by_what_they_did),
		cmocka_unit_test(processes_are_the_same_whatever_else_is_loaded),
		cmocka_unit_test(coverage_counts_operations_with_a_launch),
		cmocka_unit_test(skewed_clocks_are_noted),
		cmocka_unit_test(limits_are_what_was_not_recorded),
		cmocka_unit_test(tables_with_most_rows_come_first_and_empty_ones_are_counted),
		cmocka_unit_test(what_is_not_used_is_listed_with_events_first),
		cmocka_unit_test(events_that_repeat_gpu_metrics_are_the_same),
		cmocka_unit_test(what_the_host_did_is_counted_by_kind),
		cmocka_unit_test(a_trace_without_gpu_work_says_why_and_what_to_do),
		cmocka_unit_test(schema_lists_columns_as_the_file_has_them),
		cmocka_unit_test(warnings_and_errors_are_counted_and_the_rest_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

TEST(about_tells_what_the_file_says)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "about"));

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
}

TEST(a_file_that_says_nothing_is_told_in_empty_cells)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "about"));

	ask(&x, NULL);
	assert_string_equal(told(&x, "command"), "-");
	assert_string_equal(told(&x, "started"), "-");
	assert_string_equal(told(&x, "duration"), "-");
	assert_string_equal(told(&x, "host"), "-");
	assert_int_equal(x.a.table.n_notes, 0);
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
	MEM_OP(&x->mem, WL_F_KERNELS, .end = 5, .pid = pid, .device = device);
}

TEST(a_proven_device_has_all_that_is_known_of_its_gpu)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gpus"));

	gpu(&x, 4, 80);
	gpu(&x, 5, 80);
	gpu(&x, 6, 80);
	wl_vec_push(&x.mem.build.cuda_devices, &(struct wl_cuda_device){ 100, 0, 5, WL_NONE });
	op(&x, 100, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_cells(&x.a, 0,
		     "gpu_id=5; memory=80; clock_mhz=1980; sms=132; compute_capability=9.0; "
		     "uuid=GPU-1; bus=0000:01:00.0");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 3000.0);
	assert_false(answer_is_set(&x.a, 0, "pid"));
	assert_true(answer_has_note(&x.a, "unused GPUs in this machine: 2"));
}

TEST(an_unproven_device_has_what_all_gpus_share)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gpus"));

	gpu(&x, 4, 80);
	gpu(&x, 5, 80);
	op(&x, 100, 3);
	op(&x, 101, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0,
		     "pid=100; ordinal=3; memory=80; clock_mhz=1980; compute_capability=9.0");
	assert_true(answer_f64(&x.a, 0, "bandwidth") == 3000.0);
	assert_string_equal(answer_str(&x.a, 0, "name"), "H100");
	assert_false(answer_is_set(&x.a, 0, "gpu_id"));
	assert_false(answer_is_set(&x.a, 0, "uuid"));
	assert_true(answer_has_note(&x.a, "physical GPUs of 2 devices were not recorded"));
}

TEST(what_gpus_do_not_share_is_not_said_of_an_unproven_device)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gpus"));

	gpu(&x, 4, 80);
	gpu(&x, 5, 96);
	op(&x, 100, 0);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "memory"));
	assert_false(answer_is_set(&x.a, 0, "sms"));
	assert_int_equal(x.a.table.n_notes, 0); /* one alone can be no other's twin */
}

TEST(a_device_of_an_unknown_machine_has_its_numbers_only)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "gpus"));

	op(&x, 100, 0);
	ask(&x, NULL);
	assert_false(answer_is_set(&x.a, 0, "name"));
	assert_false(answer_is_set(&x.a, 0, "memory"));
	expect_i64(&x.a, 0, "device", 0);
}

/* A call of the system is no CUDA or NVTX event, and may be loaded or not. */
TEST(processes_are_the_same_whatever_else_is_loaded)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "processes"));

	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .pid = 101);
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .pid = 102, .device = 1);
	MEM_OP(&x.mem, WL_F_SYNCS, .end = 1, .pid = 101, .device = 1);
	MEM_API(&x.mem, .pid = 101, .tid = 1);
	MEM_OSRT(&x.mem, .pid = 101, .tid = 2);
	MEM_OSRT(&x.mem, .pid = 103, .tid = 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "pid=101; threads=1; devices=1");
	expect_cells(&x.a, 1, "pid=102; threads=0");
}

TEST(processes_are_counted_by_what_they_did)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "processes"));

	wl_vec_push(&x.mem.build.process_names,
		    &(struct wl_label){ .key = 101, .value = mem_string(&x.mem, "python") });
	wl_vec_push(&x.mem.build.mpi_ranks, &(struct wl_label){ .key = 101, .value = 3 });
	for (unsigned i = 0; i < 6; i++)
		MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .pid = 101, .device = i % 2,
		       .stream = 7 + i % 3);
	MEM_OP(&x.mem, WL_F_MEMCPYS, .end = 1, .pid = 102, .device = 1);
	MEM_OP(&x.mem, WL_F_SYNCS, .end = 1, .pid = 102, .device = 9);
	MEM_API(&x.mem, .pid = 101, .tid = 1);
	MEM_API(&x.mem, .pid = 101, .tid = 2);
	MEM_API(&x.mem, .pid = 99, .tid = 2);
	MEM_NVTX(&x.mem, .pid = 101, .tid = 3);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "pid=99; devices=0; calls=1");
	assert_false(answer_is_set(&x.a, 0, "name"));
	assert_false(answer_is_set(&x.a, 0, "rank"));
	assert_false(answer_is_set(&x.a, 0, "rank_from"));
	expect_cells(&x.a, 1,
		     "pid=101; name=python; rank=3; rank_from=mpi; devices=2; threads=3; "
		     "kernels=6; calls=2");
	expect_cells(&x.a, 2, "pid=102; devices=1; kernels=0");
}

/* Kernels and their calls; the call of the first n_early begins after its kernel. */
static void put_launches(struct asked *x, unsigned n, unsigned n_early)
{
	for (unsigned i = 1; i <= n; i++) {
		wl_ns at = 100 * (wl_ns)i;

		MEM_OP(&x->mem, WL_F_KERNELS, .start = at, .end = at + 1, .corr = i);
		MEM_API(&x->mem, .start = i <= n_early ? at + 1 : at, .end = at + 5, .corr = i);
	}
}

TEST(coverage_counts_operations_with_a_launch)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "coverage"));

	put_launches(&x, 3, 0);
	MEM_OP(&x.mem, WL_F_KERNELS, .end = 1, .corr = 77);
	MEM_OP(&x.mem, WL_F_MEMSETS, .end = 1);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "what=kernels with a launch call; have=3; of=4");
	assert_true(answer_f64(&x.a, 0, "share") == 0.75);
	expect_cells(&x.a, 1, "what=memory sets with a launch call; have=0");
	assert_int_equal(x.a.table.n_notes, 0);
}

TEST(skewed_clocks_are_noted)
{
	struct asked x;

	asked_init(&x, "coverage");
	put_launches(&x, 4, 2);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "2 of 4 operations start before"));
	assert_false(answer_has_note(&x.a, "idle causes are unknown"));
	asked_release(&x);
	asked_init(&x, "coverage");
	put_launches(&x, 4, 3);
	ask(&x, NULL);
	assert_true(answer_has_note(&x.a, "idle causes are unknown"));
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

TEST(limits_are_what_was_not_recorded)
{
	struct asked x;

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
	assert_true(answer_has_note(&x.a, "coach lists the open questions"));
	asked_release(&x);

	asked_init(&x, "limits");
	x.mem.build.family[WL_F_API].present = true;
	ask(&x, NULL);
	assert_true(has_question(&x, "GPU kernels"));
	assert_false(has_question(&x, "API calls"));
	assert_true(answer_has_note(&x.a, "could not access the GPU"));
	asked_release(&x);
}

TEST(tables_with_most_rows_come_first_and_empty_ones_are_counted)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "tables"));

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
}

TEST(what_is_not_used_is_listed_with_events_first)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "unused"));
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
		{ "ANALYSIS_FILE", 50, "id", WL_USE_NONE, "facts", 6 },
		{ "VULKAN_API", 7, "start", WL_USE_NONE, "events", 0 },
		{ "UNHEARD_OF", 6, "timestamp", WL_USE_NONE, "unknown", 1 },
		{ "CUDA_GRAPH_EVENTS", 5, "start", WL_USE_INSTEAD, "same", 2 },
		{ "OSRT_API_OLD", 4, "start", WL_USE_SHAPE, "columns", 3 },
		{ "NvtxPushPopRanges", 3, "start", WL_USE_NONE, "derived", 4 },
		{ "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", 2, "start", WL_USE_NONE, "derived", 5 },
	};

	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		mem_table(&x.mem, tables[i].table, tables[i].rows, tables[i].column);
		mem_table_use(&x.mem, tables[i].use);
	}
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 7);
	for (size_t i = 0; i < WL_COUNT(tables); i++) {
		if (!tables[i].why)
			continue;
		assert_string_equal(answer_str(&x.a, tables[i].at, "table"), tables[i].table);
		assert_string_equal(answer_str(&x.a, tables[i].at, "why"), tables[i].why);
		expect_i64(&x.a, tables[i].at, "rows", tables[i].rows);
	}
}

/* Of two GPUs with 18 metrics each; with more events than samples some are of other sources. */
TEST(events_that_repeat_gpu_metrics_are_the_same)
{
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

TEST(what_the_host_did_is_counted_by_kind)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "host"));

	MEM_OSRT(&x.mem, .start = 0, .end = 100, .tid = 7, .name = "read");
	MEM_OSRT(&x.mem, .start = 50, .end = 80, .tid = 8, .name = "poll");
	MEM_OSRT(&x.mem, .start = 200, .end = 290, .tid = 8, .name = "poll");
	MEM_NVTX(&x.mem, .start = 0, .end = 10, .tid = 7, .name = "a");
	MEM_NVTX(&x.mem, .start = 2, .end = 5, .tid = 7, .name = "b");
	mem_sched(&x.mem, 0, 100, 7, true);
	mem_sched(&x.mem, 30, 100, 7, false);
	mem_sched(&x.mem, 40, 100, 7, true);
	mem_sched(&x.mem, 10, 100, 8, true);
	mem_sched(&x.mem, 15, 100, 8, false);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_cells(&x.a, 0, "what=CPU scheduling; events=5; threads=2; sum=35");
	assert_false(answer_is_set(&x.a, 0, "largest"));
	expect_cells(&x.a, 1, "what=OS calls; events=3; sum=220; largest=poll");
	expect_cells(&x.a, 2, "what=NVTX ranges; events=2; sum=13; verb=nvtx");
}

TEST(a_trace_without_gpu_work_says_why_and_what_to_do)
{
	struct asked x;

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

TEST(schema_lists_columns_as_the_file_has_them)
{
	WITH(struct asked, x, asked_release, asked_init(&x, "schema"));

	mem_table(&x.mem, "B", 5, "x");
	mem_table(&x.mem, "CUPTI_ACTIVITY_KIND_KERNEL", 7, "start");
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_cells(&x.a, 0, "table=B; column=x; type=INTEGER");
	assert_false(answer_is_set(&x.a, 0, "meaning"));
	expect_i64(&x.a, 1, "rows", 7);
	assert_true(answer_is_set(&x.a, 1, "meaning"));
}

TEST(warnings_and_errors_are_counted_and_the_rest_is_left_out)
{
	static const struct {
		uint8_t severity;
		const char *text;
	} said[] = { { 2, "slow" }, { 1, "hello" }, { 3, "lost" },    { 2, "slow" },
		     { 4, "x" },    { 2, "late" },  { 3, "slow" },    { 0, "y" },
		     { 2, "slow" }, { 9, "z" },     { WL_NO_U8, "w" } };
	static const char *const want[] = { "error lost 1", "error slow 1", "warning slow 3",
					    "warning late 1" };
	WITH(struct asked, x, asked_release, asked_init(&x, "diagnostics"));

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
}

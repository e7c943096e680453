/* SPDX-License-Identifier: MIT */
/* What holds for every analysis: without rows, without memory, by name. */
#include "analysis/analysis.h"

#include <stdio.h>
#include <string.h>

#include "analysis/registered.h"
#include "base/text/json_read.h"
#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/mem.h"
#include "support/random.h"
#include "support/unit.h"

/* Every analysis with its defaults, and with arguments that lead everywhere. */
static const struct {
	const struct wl_analysis *analysis;
	const char *args[WL_MAX_PARAMS];
} asks[] = {
#define WL_ANALYSIS(name) { &wl_analysis_##name, { NULL } },
#define WL_SECTION(name)  { &wl_analysis_##name, { NULL } },
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION
	{ &wl_analysis_idle, { "detail" } },
	{ &wl_analysis_gaps, { "0" } },
	{ &wl_analysis_kernels, { "short", "name" } },
	{ &wl_analysis_kernels, { "mangled", "pid" } },
	{ &wl_analysis_kernels, { "base", "stream" } },
	{ &wl_analysis_kernels, { "base", "grid" } },
	{ &wl_analysis_kernels, { "label", "block" } },
	{ &wl_analysis_launch, { "device" } },
	{ &wl_analysis_launch, { "library" } },
	{ &wl_analysis_mpi, { "comm" } },
	{ &wl_analysis_categories, { [10] = "kernel" } }, /* --by */
	{ &wl_analysis_metrics, { "step" } },
	{ &wl_analysis_metrics, { "category" } },
	{ &wl_analysis_metrics, { "range" } },
	{ &wl_analysis_memory, { "step" } },
	{ &wl_analysis_transfers, { "0" } },
	{ &wl_analysis_search, { "(?i)nccl|unnamed", "nvtx" } },
	{ &wl_analysis_search, { "gemm", "kernels" } },
	{ &wl_analysis_search, { "Launch", "api" } },
	{ &wl_analysis_nvtx, { "true", "default", "true", "1" } },
	{ &wl_analysis_tree, { "true", "", "true", "1", "1ns" } },
	{ &wl_analysis_overlap, { "stream" } },
	{ &wl_analysis_overlap, { "stage" } },
	{ &wl_analysis_categories, { "vllm", NULL, NULL, NULL, "share" } },
	{ &wl_analysis_categories, { "generic", "default", NULL, NULL, "last", "100us" } },
	{ &wl_analysis_findings, { "true" } },
	{ &wl_analysis_iters, { "true" } },
	{ &wl_analysis_mfu, { "1", [9] = "1000" } },
	{ &wl_analysis_mfu, { "step=1", [9] = "1000" } },
	{ &wl_analysis_path, { "class", "yes" } },
	{ &wl_analysis_path, { "rank" } },
	{ &wl_analysis_path, { "rank-class" } },
	{ &wl_analysis_path, { "name" } },
	{ &wl_analysis_path, { "stage" } },
	{ &wl_analysis_path, { "chain" } },
	{ &wl_analysis_path, { "segment" } },
	{ &wl_analysis_whatif, { "launch-free\nclass=compute:1/2\noverlap" } },
	{ &wl_analysis_whatif, { [1] = "true" } }, /* --list */
};

/* The question of asks[i], but for its trace and scope. Free the document that a first parameter
 * takes. */
static struct question question_of(size_t i, struct wl_json **doc)
{
	static const char map[] = "{\"a\": [\"ncc\"], \"b\": [\"re:[02]$\", \"x\"], \"c\": []}";
	static const char report[] = "{\"kernels\": [{\"kernel\": \"a\", \"grid\": [1, 1, 1], "
				     "\"block\": [128, 1, 1], \"ns\": 5, \"flop\": 9}, "
				     "{\"kernel\": \"no such\"}]}";
	static const char *const any[WL_MAX_PARAMS] = { "." };
	static const char *const flops[WL_MAX_PARAMS] = { "1", [9] = "1000" }; /* --peak */
	const struct wl_analysis *a = asks[i].analysis;
	bool lacks_operand = a->n_params && a->params[0].operand && !asks[i].args[0];
	struct wl_err err;
	const char *text = a->n_params && a->params[0].is_ncu ? report : map;

	*doc = NULL;
	if (a->n_params && a->params[0].type == WL_P_DOC &&
	    wl_json_parse(text, strlen(text), "map", doc, &err) < 0)
		fail_msg("%s", err.msg);
	return (struct question){ .analysis = a->name,
				  .args = lacks_operand ? any
					  : a == &wl_analysis_mfu && !asks[i].args[0]
						  ? flops
						  : asks[i].args,
				  .marker = "step",
				  .docs = *doc ? doc : NULL };
}

TEST(verbs_are_named_as_their_lines)
{
	static const char *const registered[] = {
#define WL_ANALYSIS(name) #name,
#define WL_SECTION(name)  #name,
#include "analysis/analyses.def"
#undef WL_ANALYSIS
#undef WL_SECTION
	};

	for (size_t i = 0; i < WL_COUNT(registered); i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "%s", registered[i]);
		for (char *c = strchr(name, '_'); c; c = strchr(c, '_'))
			*c = '-';
		assert_string_equal(wl_analysis_get(name)->name, name);
	}
}

TEST(verbs_are_found_by_name_and_alias)
{
	assert_ptr_equal(wl_analysis_find("kernels"), &wl_analysis_kernels);
	assert_ptr_equal(wl_analysis_find("gpukernsum"), &wl_analysis_kernels);
	assert_ptr_equal(wl_analysis_find("cuda_gpu_kern_sum"), &wl_analysis_kernels);
	assert_ptr_equal(wl_analysis_find("cuda_gpu_mem_size_sum"), &wl_analysis_transfers);
	assert_ptr_equal(wl_analysis_find("cuda_api_sum"), &wl_analysis_api);
	assert_ptr_equal(wl_analysis_find("gpu_gaps"), &wl_analysis_gaps);
	assert_null(wl_analysis_find("kernel"));
	assert_null(wl_analysis_find(""));
	assert_null(wl_analysis_find("gpus")); /* a part is no verb */
}

static void put_catalogue(struct mem *m)
{
	static const char *const facts[][2] = {
		{ "EXPORT_SCHEMA_VERSION", "3.25.0" },
		{ "PROCESS_0:COMMAND", "/usr/bin/python3" },
		{ "PROCESS_0:ARGUMENT_1", "train.py" },
		{ "OsDescription", "Linux" },
	};
	const struct wl_gpu gpu = { .memory = 80,
				    .clock = 1980000000,
				    .sm_count = 132,
				    .cc_major = 9,
				    .bandwidth = 1000,
				    .name = mem_string(m, "H100"),
				    .bus = WL_NONE,
				    .uuid = mem_string(m, "GPU-1") };
	const uint32_t table = mem_string(m, "META_DATA_EXPORT");

	for (size_t i = 0; i < WL_COUNT(facts); i++)
		wl_vec_push(&m->build.meta, &(struct wl_meta){ table, mem_string(m, facts[i][0]),
							       mem_string(m, facts[i][1]) });
	wl_vec_push(&m->build.gpus, &gpu);
	wl_vec_push(&m->build.cuda_devices, &(struct wl_cuda_device){ 100, 0, 0, WL_NONE });
	for (wl_ns t = 0; t < 2000; t += 100) {
		mem_metric(m, 0, "SM Active", t, t % 7);
		mem_allocation(m, t, 0, 2, t % 7, t % 2);
		mem_metric(m, 0, "GPC Clock Frequency", t, 1000000000);
		mem_metric(m, 1, "SM Active", t, 50);
	}
	m->build.duration = 123456;
	m->build.utc_start = INT64_C(1700000000000000000);
	mem_message(m, 2, "a warning");
	mem_message(m, 3, "an error");
	mem_message(m, 1, "information");
	mem_message(m, 2, "a warning");
	mem_table(m, "CUPTI_ACTIVITY_KIND_KERNEL", 20, "start");
	mem_table(m, "UNHEARD_OF", 0, "x");
}

static void put_host(struct mem *m)
{
	static const char *const names[] = { "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMalloc",
					     "cudaMemcpy" };

	MEM_NVTX(m, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 3, .name = "NCCL");
	for (unsigned i = 1; i <= 60; i++) {
		wl_ns at = (wl_ns)i * 4; /* before the operations */

		MEM_API(m, .start = at, .end = at + 5, .pid = 100 + i % 3, .tid = i % 2, .corr = i,
			.name = names[i % 4], .result = i % 5 ? 0 : (int32_t)i * 60);
		MEM_NVTX(m, .start = at, .end = at + 6, .pid = 100 + i % 3, .tid = i % 2,
			 .domain = i % 4 ? 0 : 3, .name = i % 6 ? "step" : NULL);
		MEM_OSRT(m, .start = at + 1, .end = at + 3, .pid = 100 + i % 3, .tid = i % 4,
			 .name = i % 5 ? "poll" : "read", .stack = "main;read");
		mem_library_call(m, i % 2 ? WL_F_CUDNN : WL_F_ACC_DATA,
				 &(struct mem_call){ .start = at - 1,
						     .end = at + 2,
						     .pid = 100 + i % 3,
						     .tid = i % 2,
						     .name = i % 7 ? "Alloc" : NULL },
				 i % 5 ? "a.f90" : NULL, i % 3);
		mem_mpi_coll(m,
			     &(struct mem_call){ .start = at,
						 .end = at + 1,
						 .pid = 100 + i % 3,
						 .tid = i % 2,
						 .name = "MPI_Barrier" },
			     i % 4, i);
		mem_mpi_comm(m, &(struct mem_comm){ at, i % 3, i % 4, i % 2, i % 5, NULL });
		mem_output(m, i == 60 ? 5 : 0, i);
		mem_sched(m, at, 100 + i % 3, i % 2, i % 7 < 4);
		mem_file_access(m, at, at + 3, i % 5, (uint8_t)(i % 8), i);
	}
	for (uint32_t i = 0; i < 4; i++)
		mem_open_file(m, i, 100 + i, i ? "data" : "Unknown file #0");
}

/* Some of everything: three processes, one on a proven GPU, all classes, links and copies. */
/* Blocks of a kernel on two multiprocessors, and the warps of another. */
static void put_blocks(struct mem *m, unsigned corr, wl_ns at)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct mem_op op = { .start = at + i,
					   .end = at + 2 * i + 1,
					   .pid = 100 + (corr - i / 3) % 3,
					   .corr = corr - i / 3,
					   .stream = i % 2,
					   .event = i / 2 };

		if (i < 3)
			mem_block(m, &op);
		else
			mem_warp(m, &op);
	}
}

static void put_everything(struct mem *m, unsigned n_names, bool graphs)
{
	char name[64], brief[32];

	put_catalogue(m);
	put_host(m);
	for (unsigned i = 1; i <= n_names; i++) {
		wl_ns at = (wl_ns)i * 5;

		(void)snprintf(name, sizeof(name), "void a::gemm%u<%u>(int)", i / 2, i);
		(void)snprintf(brief, sizeof(brief), "gemm%u", i / 2);
		MEM_OP(m, WL_F_KERNELS, .start = at, .end = at + (i < n_names ? i % 9 : 400),
		       .pid = 100 + i % 3, .device = i % 2, .stream = 7 + i % 2, .corr = i,
		       .name = i % 7 ? name : "ncclKernel_X", .brief = brief, .grid = i % 4,
		       .registers = i % 8);
		if (i % 3 == 0)
			put_blocks(m, i, at);
	}
	for (unsigned i = 1; i <= 30; i++) {
		wl_ns at = (wl_ns)i * 4 + 1; /* inside their calls */

		MEM_OP(m, i % 3 ? WL_F_MEMCPYS : WL_F_MEMSETS, .start = at, .end = at + 3,
		       .pid = 100 + i % 3, .corr = i, .kind = (uint8_t)(i % 11),
		       .src = (uint8_t)(i % 3), .dst = i % 4 ? 2 : WL_NO_U8,
		       .bytes = (int64_t)1 << i);
	}
	if (graphs)
		MEM_OP(m, WL_F_GRAPHS, .start = 50, .end = 60, .corr = 9);
}

static void expect_every_budget(const struct question *q, size_t step)
{
	const size_t part = 64 / (size_t)random_cases(64);
	struct answer unlimited, some;
	size_t budget = 0;

	answer_within(&unlimited, q, ANSWER_BUDGET);
	if (unlimited.status == WL_E_NODATA) { /* nothing of it is in the trace */
		answer_release(&unlimited);
		return;
	}
	assert_int_equal(unlimited.status, WL_OK);
	/* Small budgets one by one; larger ones in steps that grow with them. */
	for (;; budget += part * (step + budget / 2048 * 16)) {
		answer_within(&some, q, budget);
		if (some.status == WL_OK)
			break;
		assert_int_equal(some.status, WL_E_NOMEM);
		assert_non_null(strstr(some.err.msg, q->analysis));
		assert_in_range(wl_arena_budget(&some.arena)->peak, 0, budget);
		assert_int_equal(wl_arena_budget(&some.arena)->used,
				 some.arena.used + some.derivations.arena.used);
		answer_release(&some);
	}
	if (!answer_equals(&some, &unlimited))
		fail_msg("%s answers something else within %zu bytes", q->analysis, budget);
	answer_release(&some);
	answer_release(&unlimited);
}

/* Replays are noted, and a note needs memory at last; without them the last cell does. */
static void expect_every_budget_of_all(bool graphs)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;
	struct mem_scope scope;

	put_everything(&m, 20, graphs);
	t = mem_seal(&m);
	for (size_t i = 0; i < WL_COUNT(asks); i++) {
		struct wl_json *doc;
		struct question q = question_of(i, &doc);

		q.trace = t;
		q.scope = &scope.scope;
		mem_scope_whole(&scope, q.trace);
		expect_every_budget(&q, 16); /* what arenas round to */
		mem_scope_window(&scope, q.trace, 30, 200);
		expect_every_budget(&q, 52);
		wl_json_free(doc);
	}
}

TEST(a_budget_too_small_is_said_and_enough_is_enough)
{
	expect_every_budget_of_all(true);
	expect_every_budget_of_all(false);
}

TEST(long_answers_need_more_than_one_chunk)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const char *const args[WL_MAX_PARAMS] = { "demangled", "grid" };
	static const char *const everything[WL_MAX_PARAMS] = { ".", "all" };
	struct mem_scope scope;
	struct question q = { .analysis = "kernels", .args = args, .scope = &scope.scope };
	struct answer a;

	put_everything(&m, 400, true);
	q.trace = mem_seal(&m);
	mem_scope_whole(&scope, q.trace);
	answer_get(&a, &q);
	assert_in_range(a.table.n_rows, WL_CHUNK_ROWS + 1, 400);
	answer_release(&a);
	expect_every_budget(&q, 500);
	q.analysis = "search";
	q.args = everything;
	expect_every_budget(&q, 500);
}

static bool begins_with_name(const char *msg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(msg, name, n) == 0 && msg[n] == ':';
}

TEST(an_empty_trace_is_no_data_or_an_empty_table)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;
	struct mem_scope scope;
	struct answer a;

	t = mem_seal(&m);
	mem_scope_whole(&scope, t);
	for (size_t i = 0; i < WL_COUNT(asks); i++) {
		const struct wl_analysis *analysis = asks[i].analysis;
		struct wl_json *doc;
		struct question q = question_of(i, &doc);

		q.trace = t;
		q.scope = &scope.scope;
		answer_within(&a, &q, ANSWER_BUDGET);
		assert_int_equal(a.status,
				 analysis->needs || analysis->needs_any ? WL_E_NODATA : WL_OK);
		/* The reason alone: the session says whose it is. */
		if (a.status < 0)
			assert_false(begins_with_name(a.err.msg, analysis->name));
		answer_release(&a);
		wl_json_free(doc);
	}
}

TEST(a_window_without_rows_is_an_empty_table)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const char *const rows_of[] = { "kernels", "transfers", "api",          "search",
					       "nvtx",    "tree",      "nvtx-kernels", "osrt" };
	const struct wl_trace *t;
	struct mem_scope scope;
	struct answer a;

	put_everything(&m, 20, true);
	t = mem_seal(&m);
	mem_scope_window(&scope, t, 10000, 20000);
	for (size_t i = 0; i < WL_COUNT(asks); i++) {
		struct wl_json *doc;
		struct question q = question_of(i, &doc);

		q.trace = t;
		q.scope = &scope.scope;
		answer_get(&a, &q);
		for (size_t k = 0; k < WL_COUNT(rows_of); k++) {
			if (strcmp(rows_of[k], q.analysis) == 0)
				assert_int_equal(a.table.n_rows, 0);
		}
		answer_release(&a);
		wl_json_free(doc);
	}
}

/* The trace as the loader would leave it when only these columns are asked for. */
static struct wl_trace with_columns(const struct wl_trace *t, struct wl_columns set)
{
	struct wl_trace less = *t;
	bool gpu = false;

	for (size_t i = 0; i < WL_N_OP_FAMILIES; i++)
		gpu = gpu || wl_columns_has_family(&set, wl_op_families[i]);
	for (size_t i = 0; gpu && i < WL_N_OP_FAMILIES; i++)
		wl_columns_add(&set,
			       (enum wl_column_id)wl_family_infos[wl_op_families[i]].first_column);
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		enum wl_family_id f = wl_column_infos[c].family;
		/* The columns that rows are ordered by come along. */
		bool key =
			c < wl_family_infos[f].first_column + 3 && wl_columns_has_family(&set, f);

		if (!key && !wl_columns_has(&set, (enum wl_column_id)c))
			less.column[c] = NULL;
		if (!wl_columns_has_family(&set, f))
			less.family[f].n = 0;
	}
	return less;
}

TEST(an_analysis_needs_only_what_it_declares)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct mem_scope scope;
	const struct wl_trace *t;

	put_everything(&m, 20, true);
	t = mem_seal(&m);
	mem_scope_whole(&scope, t);
	for (size_t i = 0; i < WL_COUNT(asks); i++) {
		struct wl_json *doc;
		struct question q = question_of(i, &doc);
		struct wl_wanted wanted = { .from = 0 };
		struct answer all, some;
		struct wl_trace less;

		q.trace = t;
		q.scope = &scope.scope;
		answer_get(&all, &q);
		wl_analysis_want(wl_analysis_get(q.analysis), all.args.value, &wanted);
		less = with_columns(t, wl_wanted_columns(&wanted));
		q.trace = &less;
		answer_get(&some, &q);
		if (!answer_equals(&some, &all))
			fail_msg("%s uses columns that it does not declare", q.analysis);
		answer_release(&some);
		answer_release(&all);
		wl_json_free(doc);
	}
}

TEST(rows_that_were_dropped_are_noted)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct mem_scope scope;
	struct question q = { .analysis = "kernels", .scope = &scope.scope };
	struct answer a;

	put_everything(&m, 3, true);
	m.build.family[WL_F_KERNELS].n_dropped = 17;
	m.build.family[WL_F_MEMCPYS].n_dropped = 4;
	q.trace = mem_seal(&m);
	mem_scope_whole(&scope, q.trace);
	answer_get(&a, &q);
	assert_int_equal(a.table.n_notes, 2); /* that, and the replays */
	assert_true(answer_has_note(&a, "17 rows of kernels"));
	assert_false(answer_has_note(&a, "memory copies"));
	answer_release(&a);
	q.analysis = "transfers";
	answer_get(&a, &q);
	assert_true(answer_has_note(&a, "4 rows of memory copies"));
	assert_true(answer_has_note(&a, "17 rows of kernels")); /* which hide copies */
	answer_release(&a);
}

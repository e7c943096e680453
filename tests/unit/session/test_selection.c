/* SPDX-License-Identifier: MIT */
/* Which devices, places and processes --gpu, --pid, --rank and --stream leave. */
#include "session/select/selection.h"

#include <stdio.h>
#include <string.h>

#include "support/db.h"
#include "support/invariants.h"
#include "support/mem.h"
#include "support/unit.h"

/*
 *   pid 100   ordinal 0 = GPU 0   streams 7 and 13   rank 0
 *   pid 101   ordinal 0 = GPU 1   streams 7 and 20   rank 1
 *   pid 102   ordinal 1 = GPU 1   stream 7           no rank
 *   pid 103   no GPU operation                       rank 5
 *
 * All have one API call and one range; all but 103 launch inside a range "step".
 */
static const struct {
	unsigned pid, ordinal, stream;
	wl_ns start, end;
} ops[] = {
	{ 100, 0, 7, 1000, 2000 },  { 100, 0, 13, 1500, 2500 }, { 101, 0, 7, 3000, 4000 },
	{ 101, 0, 20, 5000, 6000 }, { 102, 1, 7, 7000, 8000 },
};

struct world {
	struct db *db;
	struct wl_input *input;
	const struct wl_trace *trace;
	struct wl_arena arena;
	struct wl_derivations derivations;
	struct wl_derived derived;
	struct wl_scope scope;
	struct wl_scope_notes notes;
	struct wl_err err;
};

static void put_host(struct db *db, unsigned pid, const char *label)
{
	DB_NVTX(db, .start = 0, .end = 9000, .pid = pid, .tid = 1, .text = label);
	DB_NVTX(db, .start = 1, .end = 900, .pid = pid, .tid = 1, .text = "step");
	DB_API(db, .start = 10, .end = 20, .pid = pid, .tid = 1, .corr = 1, .name = 1);
}

static int setup(void **state)
{
	static struct world w;
	void *db;
	int r = db_setup(&db);

	if (r)
		return r;
	w.db = db_open(&db, "t.sqlite");
	db_make_tables(w.db, DB_3_25_0);
	db_string(w.db, 1, "cudaLaunchKernel");
	db_run(w.db, "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid);"
		     "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES"
		     " (0, 0, 100, 'GPU-aaaa0000-x'), (1, 0, 101, 'GPU-aabb1111-y'),"
		     " (1, 1, 102, 'GPU-aabb1111-y')");
	for (size_t i = 0; i < WL_COUNT(ops); i++)
		DB_KERNEL(w.db, .start = ops[i].start, .end = ops[i].end, .pid = ops[i].pid,
			  .device = ops[i].ordinal, .stream = ops[i].stream, .corr = 1);
	put_host(w.db, 100, "rank=0");
	put_host(w.db, 101, "rank=1");
	put_host(w.db, 102, "other");
	put_host(w.db, 103, "rank=5");
	w.input = db_load(w.db);
	w.trace = wl_input_trace(w.input);
	wl_arena_init(&w.arena, 1 << 20);
	w.derived = derive_all(&w.derivations, w.trace, &(struct wl_derived_opts){ 0 });
	*state = &w;
	return w.trace->n_devices != 2 || w.trace->n_processes != 4 ||
	       w.trace->n_places != WL_COUNT(ops);
}

static int teardown(void **state)
{
	struct world *w = *state;
	void *db = w->db;

	wl_derivations_release(&w->derivations);
	wl_arena_release(&w->arena);
	wl_input_close(w->input);
	return db_teardown(&db);
}

static int resolve(struct world *w, const struct wl_selection *s)
{
	w->err = (struct wl_err){ .code = WL_OK };
	return wl_selection_resolve(s, &w->derived, &w->arena, &w->scope, &w->notes, &w->err);
}

static bool has_place(const struct world *w, size_t op)
{
	for (size_t i = 0; i < w->trace->n_places; i++) {
		const struct wl_place *p = &w->trace->places[i];

		if (w->trace->processes[p->process].pid == ops[op].pid &&
		    p->stream == ops[op].stream)
			return w->scope.place_on[i];
	}
	fail_msg("no place for operation %zu", op);
	return false;
}

/* What is selected, in digits: devices, then the places of ops[], then processes. */
static void expect_scope(struct world *w, const struct wl_selection *s, const char *want)
{
	char got[32] = "";
	size_t n = 0;

	if (resolve(w, s) < 0)
		fail_msg("%s", w->err.msg);
	for (size_t i = 0; i < w->trace->n_devices; i++)
		got[n++] = w->scope.device_on[i] ? '1' : '0';
	got[n++] = ' ';
	for (size_t i = 0; i < WL_COUNT(ops); i++)
		got[n++] = has_place(w, i) ? '1' : '0';
	got[n++] = ' ';
	for (size_t i = 0; i < w->trace->n_processes; i++)
		got[n++] = w->scope.process_on[i] ? '1' : '0';
	assert_string_equal(got, want);
}

#define EXPECT(want, ...) expect_scope(*state, &(struct wl_selection){ __VA_ARGS__ }, want)

static void expect_none(struct world *w, const struct wl_selection *s)
{
	assert_int_equal(resolve(w, s), WL_E_NOMATCH);
}

TEST(nothing_given_selects_everything)
{
	EXPECT("11 11111 1111", .gpu = NULL);
}

TEST(gpus_go_by_index_and_range)
{
	EXPECT("10 11000 1000", .gpu = "0");
	EXPECT("01 00111 0110", .gpu = "1");
	EXPECT("11 11111 1110", .gpu = "0,1");
	EXPECT("11 11111 1110", .gpu = "0..1");
	EXPECT("11 11111 1110", .gpu = "0..99");
	EXPECT("01 00111 0110", .gpu = "1..1,1");
}

TEST(gpus_go_by_process_and_ordinal)
{
	EXPECT("10 11000 1000", .gpu = "100:0");
	EXPECT("01 00001 0010", .gpu = "102:1"); /* not the other process on the same GPU */
	expect_none(*state,
		    &(struct wl_selection){
			    .gpu = "102:0" }); /* its ordinal 1 is the one that ran something */
}

TEST(gpus_go_by_the_start_of_a_uuid)
{
	EXPECT("10 11000 1000", .gpu = "GPU-aaaa");
	EXPECT("10 11000 1000", .gpu = "gpu-AAAA0000-x");
	EXPECT("10 11000 1000", .gpu = "aaaa0000");
	EXPECT("01 00111 0110", .gpu = "aabb");
	EXPECT("11 11111 1110", .gpu = "GPU-aa");
	EXPECT("11 11111 1110", .gpu = "aabb,0");
	expect_none(*state, &(struct wl_selection){ .gpu = "aab" }); /* too short to mean one */
	expect_none(*state,
		    &(struct wl_selection){ .gpu = "GPU-aaaa0000-xy" }); /* longer than any */
}

TEST(processes_go_by_pid)
{
	EXPECT("10 11000 1000", .pid = "100");
	EXPECT("01 00110 0100", .pid = "101");
	EXPECT("01 00111 0111", .pid = "101..103");
	EXPECT("00 00000 0001", .pid = "103"); /* its host rows count, though it has no GPU */
}

TEST(ranks_go_by_what_the_trace_says)
{
	EXPECT("10 11000 1000", .rank = "0");
	EXPECT("11 11110 1100", .rank = "0,1");
	EXPECT("00 00000 0001", .rank = "5");
	EXPECT("11 11110 1101", .rank = "0..9"); /* who has none has not rank 0 */
}

TEST(streams_select_places)
{
	EXPECT("11 10101 1110", .stream = "7");
	EXPECT("10 01000 1000", .stream = "13");
	EXPECT("11 01010 1100", .stream = "8..20");
}

TEST(lists_combine)
{
	EXPECT("01 00100 0100", .gpu = "1", .pid = "101", .stream = "7");
	EXPECT("01 00001 0010", .gpu = "1", .pid = "102,103");
	EXPECT("01 00010 0100", .gpu = "0..1", .rank = "0..1", .stream = "20");
	expect_none(*state, &(struct wl_selection){ .gpu = "0", .pid = "101" });
	expect_none(*state,
		    &(struct wl_selection){ .pid = "103",
					    .stream = "7" }); /* a host process has no stream */
}

static void expect_note(const struct world *w, const char *words)
{
	for (size_t i = 0; i < w->notes.n; i++) {
		if (strcmp(w->notes.text[i], words) == 0)
			return;
	}
	fail_msg("no note \"%s\"", words);
}

static void expect_nothing(struct world *w, const struct wl_selection *s, const char *why)
{
	expect_none(w, s);
	assert_string_equal(w->err.msg, why);
}

TEST(what_does_not_exist_is_refused_with_what_there_is)
{
	struct world *w = *state;

	EXPECT("10 11000 1000", .gpu = "0,7,GPU-ffff");
	assert_int_equal(w->notes.n, 2);
	expect_note(w, "--gpu 7: the trace has GPUs 0 and 1");
	expect_note(w, "--gpu GPU-ffff: the trace has GPUs 0 and 1");
	expect_nothing(w, &(struct wl_selection){ .gpu = "9,x" },
		       "--gpu 9,x: the trace has GPUs 0 and 1");
	expect_nothing(w, &(struct wl_selection){ .pid = "1" },
		       "--pid 1: the trace has processes 100 to 103");
	expect_nothing(w, &(struct wl_selection){ .rank = "3" },
		       "--rank 3: the trace has ranks 0, 1 and 5");
	expect_nothing(w, &(struct wl_selection){ .stream = "90..99" },
		       "--stream 90..99: the trace has streams 7, 13 and 20");
	EXPECT("11 11111 1110", .gpu = "0..50");
	assert_int_equal(w->notes.n, 0);
	expect_nothing(w, &(struct wl_selection){ .gpu = "0", .pid = "101" },
		       "nothing in the trace matches this combination of --gpu, --pid, --rank "
		       "and --stream");
}

TEST(malformed_lists_are_refused)
{
	static const char *const bad[] = {
		"",    ",",   "1,",   ",1",      "1,,2",
		"1..", "..1", "3..1", "1..2..3", "-1",
		"1.5", "0x1", "1..x", "1 2",     "99999999999999999999"
	};
	struct world *w = *state;

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		if (resolve(w, &(struct wl_selection){ .pid = bad[i] }) != WL_E_USAGE)
			fail_msg("--pid %s: not refused", bad[i]);
		assert_non_null(strstr(w->err.msg, "--pid"));
		assert_int_equal(wl_selection_check(&(struct wl_selection){ .stream = bad[i] },
						    &w->arena, &w->err),
				 WL_E_USAGE);
		assert_non_null(strstr(w->err.msg, "--stream"));
	}
	assert_int_equal(resolve(w, &(struct wl_selection){ .rank = "x" }), WL_E_USAGE);
	assert_int_equal(resolve(w, &(struct wl_selection){ .gpu = "0..x" }), WL_E_USAGE);
	assert_non_null(strstr(w->err.msg, "PID:ORDINAL"));
	assert_int_equal(resolve(w, &(struct wl_selection){ .gpu = "" }), WL_E_USAGE);
	assert_int_equal(
		wl_selection_check(&(struct wl_selection){ .window = "soon" }, &w->arena, &w->err),
		WL_E_USAGE);
	assert_int_equal(
		wl_selection_check(&(struct wl_selection){ .gpu = "0,aabb", .window = "1ns..2ns" },
				   &w->arena, &w->err),
		WL_OK);
}

/* GPU 1 runs ranges of two processes: its window reaches from the first to the last. */
TEST(a_shared_device_gets_the_hull_of_its_processes)
{
	struct world *w = *state;

	assert_int_equal(resolve(w, &(struct wl_selection){ .window = "nvtx:step" }), WL_OK);
	assert_int_equal(w->scope.device[0].begin, 1000);
	assert_int_equal(w->scope.device[0].end, 2500);
	assert_int_equal(w->scope.device[1].begin, 3000);
	assert_int_equal(w->scope.device[1].end, 8000);
	assert_int_equal(w->scope.process[1].begin, 3000);
	assert_int_equal(w->scope.process[1].end, 6000);
	assert_int_equal(w->scope.process[2].begin, 7000);
	assert_int_equal(w->scope.process[2].end, 8000);
}

static bool asks(const struct wl_selection *s, enum wl_column_id column)
{
	struct wl_wanted wanted = { .from = 0 };
	struct wl_columns set;

	wl_selection_want(s, &wanted);
	set = wl_wanted_columns(&wanted);
	return wl_columns_has(&set, column);
}

/* A trace in which nobody asks for devices is not read for them. */
TEST(a_selection_asks_for_what_it_needs_and_no_more)
{
	assert_false(asks(&(struct wl_selection){ .window = "1ns..2ns" }, WL_KERNELS_PLACE));
	assert_false(asks(&(struct wl_selection){ .pid = "1" }, WL_KERNELS_PLACE));
	assert_false(asks(&(struct wl_selection){ .pid = "1" }, WL_NVTX_NAME));
	assert_true(asks(&(struct wl_selection){ .gpu = "1" }, WL_KERNELS_PLACE));
	assert_true(asks(&(struct wl_selection){ .stream = "1" }, WL_KERNELS_PLACE));
	assert_true(asks(&(struct wl_selection){ .window = "+1ns..+2ns" }, WL_KERNELS_PLACE));
	assert_true(asks(&(struct wl_selection){ .rank = "1" }, WL_NVTX_NAME));
	assert_true(asks(&(struct wl_selection){ .window = "nvtx:x" }, WL_NVTX_NAME));
	assert_true(asks(&(struct wl_selection){ .window = "nvtx:x" }, WL_API_CORR));
}

TEST_GROUP(setup, teardown)

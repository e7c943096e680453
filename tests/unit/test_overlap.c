#include "analysis/analysis.h"

#include "facts/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void op(struct asked *x, enum wl_family_id family, wl_ns start, wl_ns end, unsigned device)
{
	mem_op(&x->mem, family, &(struct mem_op){ .start = start, .end = end, .device = device });
}

static void comm(struct asked *x, wl_ns start, wl_ns end)
{
	mem_op(&x->mem, WL_F_KERNELS,
	       &(struct mem_op){ .start = start, .end = end, .name = "ncclDevKernel_X" });
}

static void each_nanosecond_has_one_owner(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "overlap");
	op(&x, WL_F_KERNELS, 0, 40, 0);
	comm(&x, 30, 60);
	op(&x, WL_F_MEMCPYS, 50, 80, 0);
	op(&x, WL_F_MEMSETS, 90, 100, 0);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 1);
	expect_i64(&x.a, 0, "window", 100);
	expect_i64(&x.a, 0, "compute", 50);
	expect_i64(&x.a, 0, "exposed_comm", 20);
	expect_i64(&x.a, 0, "exposed_copy", 20);
	expect_i64(&x.a, 0, "idle", 10);
	expect_i64(&x.a, 0, "busy", 90);
	expect_i64(&x.a, 0, "kernel_busy", 60);
	expect_i64(&x.a, 0, "comm", 30);
	expect_i64(&x.a, 0, "overlapped_comm", 10);
	expect_i64(&x.a, 0, "copy", 30);
	expect_i64(&x.a, 0, "overlapped_copy", 10);
	assert_true(answer_f64(&x.a, 0, "busy_share") == 0.9);
	assert_true(answer_f64(&x.a, 0, "overlap") == 10.0 / 30.0);
	assert_int_equal(x.a.table.n_notes, 2); /* no API calls and no NVTX were recorded */
	assert_true(answer_has_note(&x.a, "knows less without NVTX"));
	asked_release(&x);
}

static void a_share_of_nothing_is_absent(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "overlap");
	op(&x, WL_F_KERNELS, 5, 5, 0);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "window", 0);
	expect_i64(&x.a, 0, "comm", 0);
	assert_false(answer_is_set(&x.a, 0, "busy_share"));
	assert_false(answer_is_set(&x.a, 0, "overlap"));
	asked_release(&x);
}

static void devices_have_rows_of_their_own_unless_off(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "overlap");
	op(&x, WL_F_KERNELS, 0, 10, 0);
	op(&x, WL_F_KERNELS, 5, 50, 1);
	op(&x, WL_F_MEMCPYS, 0, 100, 2);
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 3);
	expect_i64(&x.a, 0, "compute", 10);
	expect_i64(&x.a, 0, "idle", 90);
	expect_i64(&x.a, 1, "compute", 45);
	expect_i64(&x.a, 2, "exposed_copy", 100);
	x.scope.device_on[1] = false;
	ask(&x, NULL);
	assert_int_equal(x.a.table.n_rows, 2);
	expect_i64(&x.a, 1, "device", 2);
	asked_release(&x);
}

static void tiles_of_a_window_add_up(void **state)
{
	static const char *const sums[] = { "window", "compute", "exposed_comm", "exposed_copy",
					    "idle",   "busy",    "comm",         "copy" };
	struct asked x;
	int64_t whole[WL_COUNT(sums)], tiles[WL_COUNT(sums)] = { 0 };

	(void)state;
	asked_init(&x, "overlap");
	op(&x, WL_F_KERNELS, 0, 40, 0);
	comm(&x, 30, 60);
	op(&x, WL_F_MEMCPYS, 50, 80, 0);
	op(&x, WL_F_MEMSETS, 90, 101, 0);
	ask(&x, NULL);
	for (size_t i = 0; i < WL_COUNT(sums); i++)
		whole[i] = answer_i64(&x.a, 0, sums[i]);
	for (wl_ns begin = 0; begin < 101; begin += 7) {
		ask_window(&x, begin, begin + 7 < 101 ? begin + 7 : 101);
		for (size_t i = 0; i < WL_COUNT(sums); i++)
			tiles[i] += answer_i64(&x.a, 0, sums[i]);
	}
	assert_memory_equal(tiles, whole, sizeof(whole));
	asked_release(&x);
}

static void graph_replays_hide_communication(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "overlap");
	op(&x, WL_F_GRAPHS, 0, 10, 0);
	comm(&x, 20, 30);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "compute", 10);
	expect_i64(&x.a, 0, "comm", 10);
	assert_true(answer_has_note(&x.a, "lower bounds"));
	ask_window(&x, 0, 20); /* without communication that is seen, nothing is known of it */
	expect_i64(&x.a, 0, "compute", 10);
	expect_i64(&x.a, 0, "idle", 10);
	assert_false(answer_is_set(&x.a, 0, "comm"));
	assert_false(answer_is_set(&x.a, 0, "exposed_comm"));
	assert_false(answer_is_set(&x.a, 0, "overlapped_comm"));
	assert_false(answer_is_set(&x.a, 0, "overlap"));
	ask_window(&x, 10, 30); /* and without replays all is */
	expect_i64(&x.a, 0, "exposed_comm", 10);
	assert_false(answer_has_note(&x.a, "lower bounds"));
	asked_release(&x);
}

static void copies_inside_nccl_calls_are_communication(void **state)
{
	struct asked x;

	(void)state;
	asked_init(&x, "overlap");
	mem_nvtx(&x.mem, &(struct mem_range){ .start = 0, .end = 9, .name = "ncclAllGather" });
	mem_api(&x.mem, &(struct mem_call){ .start = 1, .end = 2, .corr = 5 });
	mem_op(&x.mem, WL_F_MEMCPYS,
	       &(struct mem_op){ .start = 10, .end = 20, .corr = 5, .kind = WL_COPY_P2P });
	op(&x, WL_F_KERNELS, 30, 40, 0);
	ask(&x, NULL);
	expect_i64(&x.a, 0, "exposed_comm", 10);
	expect_i64(&x.a, 0, "copy", 0);
	expect_i64(&x.a, 0, "kernel_busy", 10);
	assert_true(answer_has_note(&x.a, "count as communication: 1"));
	ask_window(&x, 25, 40);
	assert_int_equal(x.a.table.n_notes, 0);
	asked_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_nanosecond_has_one_owner),
		cmocka_unit_test(a_share_of_nothing_is_absent),
		cmocka_unit_test(devices_have_rows_of_their_own_unless_off),
		cmocka_unit_test(tiles_of_a_window_add_up),
		cmocka_unit_test(graph_replays_hide_communication),
		cmocka_unit_test(copies_inside_nccl_calls_are_communication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

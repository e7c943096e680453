/* SPDX-License-Identifier: MIT */
/* Samples of counters: how long each holds, and what they are in some time. */
#include "derive/kinds/metric_series.h"

#include "support/mem.h"
#include "support/unit.h"

static const char sm[] = "SM Active";

/* One series; 0 values of the samples are their numbers. */
static void put(struct mem *m, size_t n, const wl_ns *time, const int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		mem_metric(m, 0, sm, time[i], value ? value[i] : (int64_t)i);
}

static struct wl_metric_sum measure(const struct mem *m, const struct wl_interval *at, size_t n)
{
	struct wl_metric_sum sum;
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_metric_measure(&m->build.trace, m->derived.metric_series, 0, at, n, &arena,
				      &sum));
	wl_arena_release(&arena);
	return sum;
}

/* Distances 10, 10, 19, 20, 10: the sample before 20 has lost its successor. */
TEST(a_sample_holds_to_the_next_one)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const wl_ns time[] = { 100, 110, 120, 139, 159, 169 };
	static const wl_ns end[] = { 110, 120, 139, 149, 169, 179 };
	const struct wl_metric_series *all;

	put(&m, WL_COUNT(time), time, NULL);
	(void)mem_seal(&m);
	all = m.derived.metric_series;
	assert_int_equal(all->period[0], 10);
	for (size_t i = 0; i < WL_COUNT(time); i++) {
		struct wl_metric_sample s = wl_metric_sample_at(&m.build.trace, all, 0, i);

		assert_int_equal(s.begin, time[i]);
		assert_int_equal(s.end, end[i]);
		assert_int_equal(s.value, i);
	}
	assert_int_equal(wl_metric_sample_after(&m.build.trace, all, 0, 109), 0);
	assert_int_equal(wl_metric_sample_after(&m.build.trace, all, 0, 110), 1);
	assert_int_equal(wl_metric_sample_after(&m.build.trace, all, 0, 150), 4);
	assert_int_equal(wl_metric_sample_after(&m.build.trace, all, 0, 179), 6);
}

/* Its own end counts, but not beyond the next sample; without one it is as on a GPU. */
TEST(a_sample_of_an_adapter_has_an_end)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const wl_ns time[] = { 100, 110, 120, 130, 140 };
	static const wl_ns end[] = { 104, 500, WL_NO_TIME, 120, 143 };
	static const wl_ns want[] = { 104, 120, 130, 140, 143 };
	char label[WL_NIC_LABEL];

	for (size_t i = 0; i < WL_COUNT(time); i++)
		mem_nic_metric(&m, &(struct mem_nic_sample){ "mlx5_0", "IB: Bytes sent", "bytes/ms",
							     time[i], end[i], (int64_t)i });
	(void)mem_seal(&m);
	for (size_t i = 0; i < WL_COUNT(time); i++) {
		struct wl_metric_sample s =
			wl_metric_sample_at(&m.build.trace, m.derived.metric_series, 0, i);

		assert_int_equal(s.begin, time[i]);
		assert_int_equal(s.end, want[i]);
		assert_int_equal(s.value, i);
	}
	assert_string_equal(wl_metric_nic_label(&m.build.trace, 0, label), "mlx5_0:1");
}

TEST(rows_may_come_in_any_order)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const wl_ns time[] = { 30, 10, WL_NO_TIME, 20, 20 };
	static const int64_t value[] = { 3, 1, 99, 0, 2 };
	struct wl_metric_sum sum;

	put(&m, WL_COUNT(time), time, value);
	(void)mem_seal(&m);
	assert_int_equal(m.derived.metric_series->of[0].hi, 4);
	/* Of the two at 20 the later row holds. */
	sum = measure(&m, &(struct wl_interval){ 0, 100 }, 1);
	assert_int_equal(sum.samples, 3);
	assert_int_equal(sum.covered, 30);
	assert_true(sum.area == 60);
	assert_int_equal(sum.min, 1);
	assert_int_equal(sum.max, 3);
}

TEST(percentiles_are_weighted_by_time)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const wl_ns time[] = { 0, 10, 20, 30, 40 };
	static const int64_t value[] = { 100, 0, 0, 50, 7 };
	static const struct wl_interval parts[] = { { 0, 5 }, { 8, 22 }, { 25, 31 } };
	struct wl_metric_sum sum;

	put(&m, WL_COUNT(time), time, value);
	(void)mem_seal(&m);
	/* 100 for 5 + 2, 0 for 10 + 2 + 5, 50 for 1 */
	sum = measure(&m, parts, WL_COUNT(parts));
	assert_int_equal(sum.samples, 4);
	assert_int_equal(sum.covered, 25);
	assert_true(sum.area == 750);
	assert_int_equal(sum.p50, 0);
	assert_int_equal(sum.p90, 100);
	assert_true(wl_metric_mean(&sum) == 30.0);
	/* Half is reached exactly. */
	sum = measure(&m, &(struct wl_interval){ 0, 20 }, 1);
	assert_int_equal(sum.p50, 0);
	assert_int_equal(sum.p90, 100);
	sum = measure(&m, &(struct wl_interval){ 60, 70 }, 1);
	assert_int_equal(sum.samples, 0);
	assert_true(wl_metric_mean(&sum) == 0.0);
	sum = measure(&m, NULL, 0);
	assert_int_equal(sum.covered, 0);
}

TEST(large_values_do_not_overflow)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const wl_ns time[] = { 0, 1000000000000, 2000000000000 };
	static const int64_t value[] = { INT64_MAX, INT64_MAX, INT64_MAX };
	struct wl_metric_sum sum;

	put(&m, WL_COUNT(time), time, value);
	(void)mem_seal(&m);
	sum = measure(&m, &(struct wl_interval){ 0, 3000000000000 }, 1);
	assert_true(sum.area == (wl_u128)INT64_MAX * 3000000000000);
	assert_int_equal(sum.p50, INT64_MAX);
}

TEST(one_sample_holds_for_no_time)
{
	WITH(struct mem, m, mem_release, mem_init(&m));

	mem_metric(&m, 0, sm, 5, 1);
	(void)mem_seal(&m);
	assert_int_equal(m.derived.metric_series->period[0], 0);
	assert_int_equal(measure(&m, &(struct wl_interval){ 0, 100 }, 1).covered, 0);
}

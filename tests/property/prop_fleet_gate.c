/* SPDX-License-Identifier: MIT */
/*
 * Gates over random series of runs. Without a change at most 1% of the nights fail. A step that
 * is confirmed fails every night from then on, and after someone acknowledged it no more than
 * noise does. The gate fails wherever a change is open and the newest run belongs to it.
 */
#include "fleet/history/newest.h"
#include "support/normal.h"
#include "support/unit.h"

enum { NIGHTS = 30, STEP = 12, ACK = 20, BUDGET = 1 << 24 };

static const struct wl_hist_opts usual = { .threshold = 0.01 };

static int gate(const int64_t *value, size_t n, const bool *is_acked, bool *ret_open)
{
	struct wl_hist_newest v;
	struct wl_arena arena;
	int status;

	wl_arena_init(&arena, BUDGET);
	assert_true(
		wl_hist_newest(&(struct wl_hist_runs){ value, is_acked, n }, &usual, &arena, &v));
	status = wl_hist_newest_status(&v);
	*ret_open = v.open < v.changes.n;
	assert_true(!*ret_open || status == 1);
	wl_arena_release(&arena);
	return status;
}

static double noise_of(uint64_t *seed)
{
	return 0.001 * (double)(1 + random_next(seed) % 30); /* 0.1% to 3% */
}

static void draw(uint64_t *seed, double noise, double step, int64_t value[NIGHTS])
{
	for (size_t i = 0; i < NIGHTS; i++)
		value[i] = (int64_t)(50e6 * (i >= STEP ? 1 + step : 1) *
				     (1 + noise * random_normal(seed)));
}

static void quiet_series_fail_at_most_one_night_in_a_hundred(void **state)
{
	const int n_series = 60;
	uint64_t seed = 11;
	int n_failed = 0, n_nights = 0;

	(void)state;
	for (int i = 0; i < n_series; i++) {
		int64_t value[NIGHTS];
		bool is_open;

		draw(&seed, noise_of(&seed), 0, value);
		for (size_t n = 6; n <= NIGHTS; n++, n_nights++)
			n_failed += gate(value, n, NULL, &is_open) == 1;
	}
	print_message("%d of %d quiet nights fail\n", n_failed, n_nights);
	assert_true(n_failed * 100 <= n_nights);
}

/* A step of eight times the noise between runs is certain when two further runs confirm it. */
static void steps_stay_red_until_acknowledged(void **state)
{
	const int n_series = 40;
	uint64_t seed = 12;
	int n_after_ack = 0, n_nights = 0;

	(void)state;
	for (int i = 0; i < n_series; i++) {
		double noise = noise_of(&seed);
		bool acked[NIGHTS] = { false }, is_open;
		int64_t value[NIGHTS];

		draw(&seed, noise, 8 * noise < 0.02 ? 0.02 : 8 * noise, value);
		for (size_t n = STEP + WL_HIST_CONFIRMED; n <= ACK; n++) {
			assert_int_equal(gate(value, n, acked, &is_open), 1);
			assert_true(is_open);
		}
		acked[STEP + random_next(&seed) % (ACK - STEP)] = true;
		for (size_t n = ACK; n <= NIGHTS; n++, n_nights++) {
			n_after_ack += gate(value, n, acked, &is_open) == 1;
			assert_false(is_open);
		}
	}
	print_message("%d of %d nights after an acknowledgement fail\n", n_after_ack, n_nights);
	assert_true(n_after_ack * 50 <= n_nights);
}

TEST_MAIN(fleet_gate)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_series_fail_at_most_one_night_in_a_hundred),
		cmocka_unit_test(steps_stay_red_until_acknowledged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

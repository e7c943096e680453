/* SPDX-License-Identifier: MIT */
#include "facts/facts.h"

#include "support/unit.h"

static struct wl_budget budget;

static uint32_t add_rank(struct wl_facts *f, uint32_t number, const char *host)
{
	wl_facts_row(f, WL_FACTS_RANKS);
	wl_facts_put(f, WL_FACTS_RANKS_NUMBER, number);
	wl_facts_put_str(f, WL_FACTS_RANKS_HOST, host);
	return (uint32_t)f->n[WL_FACTS_RANKS] - 1;
}

static void add_step(struct wl_facts *f, uint32_t rank, uint32_t step, int64_t period)
{
	wl_facts_row(f, WL_FACTS_STEPS);
	wl_facts_put(f, WL_FACTS_STEPS_RANK, rank);
	wl_facts_put(f, WL_FACTS_STEPS_STEP, step);
	wl_facts_put(f, WL_FACTS_STEPS_PERIOD, period);
}

TEST(every_table_has_keys_and_columns)
{
	for (size_t t = 0; t < WL_FACTS_N_TABLES; t++) {
		const struct wl_facts_table_info *info = &wl_facts_tables[t];
		size_t end = wl_facts_end((enum wl_facts_table_id)t);

		assert_true(info->n_keys > 0 && info->first + info->n_keys <= end);
		for (size_t c = info->first; c < end; c++)
			assert_int_equal(wl_facts_columns[c].table, t);
	}
}

TEST(what_is_not_put_is_not_known)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));

	add_rank(&f, 0, NULL);
	assert_string_equal(wl_facts_str(&f, WL_FACTS_RANKS_HOST, 0), "");
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RANKS_DEVICE, 0), WL_NONE);
	assert_true(wl_facts_i64(&f, WL_FACTS_RANKS_IDLE, 0) == WL_FACTS_NONE);
}

TEST(settling_sorts_texts_ranks_and_rows)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));
	uint32_t b, a;

	b = add_rank(&f, 7, "beta");
	a = add_rank(&f, 3, "alpha");
	add_step(&f, b, 1, 71);
	add_step(&f, a, 0, 30);
	add_step(&f, b, 0, 70);
	add_step(&f, b, 0, 70); /* the same row again */
	assert_true(wl_facts_settle(&f));
	assert_string_equal(wl_facts_str(&f, WL_FACTS_RANKS_HOST, 0), "alpha");
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_RANKS_HOST, 0), 1); /* "" is 0 */
	assert_int_equal(f.n[WL_FACTS_STEPS], 3);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_STEPS_PERIOD, 0), 30);
	assert_int_equal(wl_facts_u32(&f, WL_FACTS_STEPS_RANK, 1), 1);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_STEPS_PERIOD, 1), 70);
	assert_int_equal(wl_facts_i64(&f, WL_FACTS_STEPS_PERIOD, 2), 71);
	assert_int_equal(wl_facts_rank_number(&f, 1), 7);
}

TEST(ranks_of_one_number_are_named_by_their_row)
{
	WITH(struct wl_facts, f, wl_facts_release, wl_facts_init(&f, &budget));

	add_rank(&f, 5, "b");
	add_rank(&f, 5, "a");
	assert_true(wl_facts_settle(&f));
	assert_int_equal(wl_facts_rank_number(&f, 1), 1);
}

TEST(without_memory_nothing_is_settled)
{
	struct wl_budget small = { .limit = 100 };
	struct wl_facts f;

	wl_facts_init(&f, &small);
	add_rank(&f, 0, "a");
	assert_true(f.failed);
	assert_false(wl_facts_settle(&f));
	wl_facts_release(&f);
	assert_int_equal(small.used, 0);
}

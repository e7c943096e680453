/* SPDX-License-Identifier: MIT */
#include "model/trace.h"

#include "base/attr.h"
#include "support/mem.h"
#include "support/unit.h"

TEST(columns_follow_each_other_by_family)
{
	size_t c = 0;

	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		assert_int_equal(wl_family_infos[f].first_column, c);
		for (; c < wl_family_end((enum wl_family_id)f); c++) {
			assert_int_equal(wl_column_infos[c].family, f);
			assert_in_range(wl_column_infos[c].size, 1, 8);
		}
	}
	assert_int_equal(c, WL_N_COLUMNS);
	assert_int_equal(wl_family_infos[WL_F_API].first_column, WL_API_START);
	assert_string_equal(wl_family_infos[WL_F_NVTX].name, "nvtx");
	assert_string_equal(wl_column_infos[WL_NVTX_END_THREAD].name, "end_thread");
}

/* As families.def promises, and wl_family_keys relies on. */
TEST(a_family_in_an_order_begins_with_its_keys)
{
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		const struct wl_family_info *info = &wl_family_infos[f];
		const struct wl_key_columns keys = wl_family_keys((enum wl_family_id)f);

		if (info->order == WL_BY_ROW)
			continue;
		assert_int_equal(wl_column_infos[keys.start].domain, WL_D_START);
		if (keys.dur < WL_N_COLUMNS)
			assert_int_equal(wl_column_infos[keys.dur].domain, WL_D_LENGTH);
		assert_int_equal(wl_column_infos[keys.owner].domain,
				 info->order == WL_BY_DEVICE ? WL_D_PLACE : WL_D_THREAD);
		for (size_t c = keys.owner + 1; c < wl_family_end((enum wl_family_id)f); c++) {
			assert_int_not_equal(wl_column_infos[c].domain, WL_D_START);
			assert_int_not_equal(wl_column_infos[c].domain, WL_D_LENGTH);
		}
	}
}

TEST(a_set_holds_what_was_added)
{
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		struct wl_columns set = { { 0 } }, other = { { 0 } };

		wl_columns_add(&set, (enum wl_column_id)c);
		wl_columns_join(&other, &set);
		wl_columns_add(&other, WL_TABLES_ROWS);
		for (size_t k = 0; k < WL_N_COLUMNS; k++) {
			assert_int_equal(wl_columns_has(&set, (enum wl_column_id)k), k == c);
			assert_int_equal(wl_columns_has(&other, (enum wl_column_id)k),
					 k == c || k == WL_TABLES_ROWS);
		}
		for (size_t f = 0; f < WL_N_FAMILIES; f++)
			assert_int_equal(wl_columns_has_family(&set, (enum wl_family_id)f),
					 wl_column_infos[c].family == f);
	}
}

TEST(long_lengths_are_found_by_row)
{
	static const uint32_t rows[] = { 3, 5, 9 };
	static const wl_ns lengths[] = { (wl_ns)WL_LONG, (wl_ns)1 << 40, (wl_ns)1 << 50 };
	static const uint32_t durs[] = { 0, 7, WL_LONG - 1, WL_LONG, 1, WL_LONG };
	const struct wl_family family = {
		.n = 10, .n_long = 3, .long_row = rows, .long_dur = lengths
	};

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(wl_long_dur(&family, rows[i]), lengths[i]);
	assert_int_equal(wl_dur(&family, durs, 1), 7);
	assert_int_equal(wl_dur(&family, durs, 2), (wl_ns)WL_LONG - 1);
	assert_int_equal(wl_dur(&family, durs, 3), WL_LONG);
	assert_int_equal(wl_dur(&family, durs, 5), (wl_ns)1 << 40);
}

TEST(strings_out_of_range_are_unnamed)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_trace *t;

	(void)mem_string(&m, "zero");
	(void)mem_string(&m, "one");
	t = mem_seal(&m);
	assert_string_equal(wl_str(t, 0), "zero");
	assert_string_equal(wl_str(t, 1), "one");
	assert_string_equal(wl_str(t, 2), "(unnamed)");
	assert_string_equal(wl_str(t, WL_NONE), "(unnamed)");
}

TEST(of_equal_facts_the_first_counts)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	static const char *const values[] = { "first", "second" };
	const struct wl_trace *t;

	for (size_t i = 0; i < WL_COUNT(values); i++)
		wl_vec_push(&m.build.meta,
			    &(struct wl_meta){ mem_string(&m, "T"), mem_string(&m, "key"),
					       mem_string(&m, values[i]) });
	t = mem_seal(&m);
	assert_string_equal(wl_trace_meta(t, "key"), "first");
	assert_null(wl_trace_meta(t, "ke"));
	assert_null(wl_trace_meta(t, "T"));
}

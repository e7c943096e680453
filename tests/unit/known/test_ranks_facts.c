/* SPDX-License-Identifier: MIT */
#include "known/ranks.h"

#include "support/unit.h"

TEST(a_label_says_rank_equals)
{
	const char *rest = NULL;

	assert_int_equal(wl_rank_find("rank=3; pp=1/4", WL_RANK_IN_LABEL, &rest), 3);
	assert_string_equal(rest, "; pp=1/4");
	assert_int_equal(wl_rank_find("a Rank=12", WL_RANK_IN_LABEL, NULL), 12);
	assert_int_equal(wl_rank_find("rank3", WL_RANK_IN_LABEL, NULL), -1);
	assert_int_equal(wl_rank_find("tp_rank=3", WL_RANK_IN_LABEL, NULL), -1);
	assert_int_equal(wl_rank_find("frank=3 rank=4", WL_RANK_IN_LABEL, NULL), 4);
	assert_int_equal(wl_rank_find("rank=", WL_RANK_IN_LABEL, NULL), -1);
	assert_int_equal(wl_rank_find("", WL_RANK_IN_LABEL, NULL), -1);
}

TEST(a_file_name_says_it_in_more_ways)
{
	assert_int_equal(wl_rank_find("run_rank_3.sqlite", WL_RANK_IN_FILE_NAME, NULL), 3);
	assert_int_equal(wl_rank_find("rank10.sqlite", WL_RANK_IN_FILE_NAME, NULL), 10);
	assert_int_equal(wl_rank_find("ranking.sqlite", WL_RANK_IN_FILE_NAME, NULL), -1);
}

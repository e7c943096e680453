/* SPDX-License-Identifier: MIT */
#include "facts/file.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static struct wl_budget budget;

/* The file of one rank with an answer of n zeros. */
static void encode(size_t n, struct wl_vec *bytes)
{
	FREED char *zeros = calloc(n, 1);
	struct wl_facts f;

	assert_non_null(zeros);
	wl_facts_init(&f, &budget);
	wl_facts_row(&f, WL_FACTS_RANKS);
	assert_true(wl_facts_answers_put(&f.answers, "b", zeros, n));
	assert_true(wl_facts_answers_put(&f.answers, "a", "12", 2));
	assert_true(wl_facts_name(&f));
	wl_vec_init(bytes, 1, &budget);
	assert_true(wl_facts_encode(&f, WL_FACTS_AS_KEPT, bytes));
	wl_facts_release(&f);
}

TEST(a_file_that_unpacks_to_far_more_than_it_has_is_refused)
{
	struct wl_budget little = { .limit = (size_t)2 << 20 };
	struct wl_vec bytes;
	struct wl_facts got;
	struct wl_err err;

	encode((size_t)16 << 20, &bytes);
	assert_in_range(bytes.n, 1, 64 << 10);
	/* Refused before memory is asked for: the budget would not have it. */
	assert_int_equal(wl_facts_decode(bytes.data, bytes.n, "f", &little, &got, &err),
			 WL_E_FORMAT);
	wl_vec_release(&bytes);
}

/* Rows of a byte per cell, which the bound of bytes lets pass, are eight bytes per cell in memory.
 */
TEST(a_file_of_far_more_rows_than_it_has_bytes_is_refused)
{
	enum { ROWS = 60000, NOISE = 16384 };
	struct wl_budget little = { .limit = (size_t)4 << 20 };
	unsigned char *noise = malloc(NOISE);
	struct wl_vec bytes;
	struct wl_facts f;
	struct wl_err err;
	uint64_t x = 1;

	assert_non_null(noise);
	for (size_t i = 0; i < NOISE; i++)
		noise[i] = (unsigned char)((x = x * 6364136223846793005U + 1442695040888963407U) >>
					   56);
	wl_facts_init(&f, &budget);
	wl_facts_row(&f, WL_FACTS_RANKS);
	for (uint64_t i = 0; i < ROWS; i++) {
		wl_facts_row(&f, WL_FACTS_STEPS);
		wl_facts_put_u64(&f, WL_FACTS_STEPS_RANK, 0);
		wl_facts_put_u64(&f, WL_FACTS_STEPS_STEP, i);
	}
	assert_true(wl_facts_answers_put(&f.answers, "a", noise, NOISE));
	assert_true(wl_facts_name(&f));
	wl_vec_init(&bytes, 1, &budget);
	assert_true(wl_facts_encode(&f, WL_FACTS_AS_KEPT, &bytes));
	wl_facts_release(&f);
	assert_int_equal(wl_facts_decode(bytes.data, bytes.n, "f", &little, &f, &err), WL_E_FORMAT);
	wl_vec_release(&bytes);
	free(noise);
}

TEST(answers_come_back_and_can_be_written_again)
{
	struct wl_vec bytes, again;
	struct wl_facts got;
	struct wl_err err;
	const char *a;
	size_t n;

	encode(1000, &bytes);
	assert_int_equal(wl_facts_decode(bytes.data, bytes.n, "f", &budget, &got, &err), WL_OK);
	a = wl_facts_answers_find(&got.answers, "a", &n);
	assert_non_null(a);
	assert_int_equal(n, 2);
	assert_memory_equal(a, "12", 2);
	assert_non_null(wl_facts_answers_find(&got.answers, "b", &n));
	assert_int_equal(n, 1000);
	wl_vec_init(&again, 1, &budget);
	assert_true(wl_facts_encode(&got, WL_FACTS_AS_KEPT, &again));
	assert_int_equal(again.n, bytes.n);
	assert_memory_equal(again.data, bytes.data, bytes.n);
	wl_vec_release(&again);
	wl_vec_release(&bytes);
	wl_facts_release(&got);
}

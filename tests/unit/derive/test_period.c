/* SPDX-License-Identifier: MIT */
#include "derive/iters/period.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { LONG = 200000 };

static struct wl_period find(const uint32_t *seq, size_t n)
{
	struct wl_period p = { .length = 99 };
	struct wl_arena arena;

	wl_arena_init(&arena, 1 << 20);
	assert_true(wl_period_find(seq, n, &arena, &p));
	wl_arena_release(&arena);
	return p;
}

static struct wl_period find_text(const char *text)
{
	uint32_t seq[256];
	size_t n = strlen(text);

	assert_in_range(n, 0, 256);
	for (size_t i = 0; i < n; i++)
		seq[i] = (uint32_t)text[i];
	return find(seq, n);
}

TEST(what_repeats_has_its_shortest_period)
{
	assert_int_equal(find_text("abcabcabcabc").length, 3);
	assert_int_equal(find_text("aaaaaa").length, 1);
	assert_int_equal(find_text("aabaabaab").length, 3);
	assert_int_equal(find_text("abcabcabca").length, 3);
	assert_true(find_text("abcabcabc").repeated == 1);
	assert_false(find_text("abcabcabc").estimated);
}

TEST(what_does_not_repeat_has_none)
{
	assert_int_equal(find_text("").length, 0);
	assert_int_equal(find_text("a").length, 0);
	assert_int_equal(find_text("aa").length, 0);
	assert_int_equal(find_text("abcdefghi").length, 0);
	assert_int_equal(find_text("abcdabcd").length, 0); /* a third of it is less than 4 */
}

TEST(a_little_noise_is_allowed)
{
	char text[101];

	for (size_t i = 0; i < 100; i++)
		text[i] = "abcde"[i % 5];
	text[100] = '\0';
	text[50] = 'x'; /* wrong from both sides: 93 of 95 */
	assert_int_equal(find_text(text).length, 5);
	text[20] = text[30] = text[70] = text[80] = 'y';
	assert_int_equal(find_text(text).length, 10); /* 5 has 86 of 95 */
	text[43] = text[57] = text[63] = text[91] = text[12] = 'z';
	assert_int_equal(find_text(text).length, 0);
}

TEST(nine_in_ten_are_enough)
{
	assert_int_equal(find_text("aaaaaaaaaab").length, 1); /* 9 of 10 */
	assert_int_equal(find_text("aaaaaaaaab").length, 0);
}

/* In each of three blocks of abcabc... one is an x: at a distance of 3, six of 897 differ. */
TEST(a_longer_period_must_be_half_a_point_better)
{
	uint32_t seq[900];

	for (size_t block = 282; block <= 285; block += 3) {
		for (size_t i = 0; i < WL_COUNT(seq); i++)
			seq[i] = i % block == block - 1 ? 'x' : (uint32_t)(i % block % 3);
		assert_int_equal(find(seq, WL_COUNT(seq)).length, block);
	}
	seq[284] = seq[569] = 2; /* two of 897 */
	assert_int_equal(find(seq, WL_COUNT(seq)).length, 3);
}

/* Too long for all lengths to be compared, and it repeats but twice. */
TEST(a_third_of_a_long_sequence_is_a_period)
{
	enum { THIRD = 5000 };
	uint32_t *seq = malloc(sizeof(*seq) * 3 * THIRD);

	assert_non_null(seq);
	for (size_t i = 0; i < (size_t)3 * THIRD; i++)
		seq[i] = (uint32_t)(i % THIRD);
	assert_int_equal(find(seq, (size_t)3 * THIRD).length, THIRD);
	assert_int_equal(find(seq, (size_t)3 * THIRD - 1).length, 0);
	free(seq);
}

/* Elements of a period of 97 with a share of others. */
static uint32_t *make_long(unsigned noise_per_mille)
{
	uint32_t *seq = malloc(LONG * sizeof(*seq));
	uint64_t state = 7;

	assert_non_null(seq);
	for (size_t i = 0; i < LONG; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		seq[i] = (uint32_t)(i % 97 * 7 % 13 + (i % 97 == 0 ? 100 : 0));
		if ((state >> 33) % 1000 < noise_per_mille)
			seq[i] = (uint32_t)(200 + (state >> 40) % 50);
	}
	return seq;
}

TEST(a_long_sequence_is_searched_as_well)
{
	uint32_t *seq = make_long(0);

	assert_int_equal(find(seq, LONG).length, 97);
	assert_int_equal(find(seq, LONG / 2 + 1).length, 97);
	free(seq);
}

TEST(noise_in_a_long_sequence_does_not_hide_its_period)
{
	uint32_t *seq = make_long(20);
	struct wl_period a = find(seq, LONG), b = find(seq, LONG);

	assert_int_equal(a.length, 97);
	assert_true(a.repeated > 0.95 && a.repeated < 0.97);
	assert_int_equal(b.length, a.length);
	free(seq);
	seq = make_long(150);
	assert_int_equal(find(seq, LONG).length, 0);
	free(seq);
}

TEST(a_long_sequence_without_repetition_has_none)
{
	uint32_t *seq = malloc(LONG * sizeof(*seq));
	uint64_t random = 1;

	assert_non_null(seq);
	for (size_t i = 0; i < LONG; i++) {
		random = random * 6364136223846793005U + 1442695040888963407U;
		seq[i] = (uint32_t)(random >> 62);
	}
	assert_int_equal(find(seq, LONG).length, 0);
	/* Nearly all alike: every length matches at more than 80%, none at 90 %. */
	for (size_t i = 0; i < LONG; i++)
		seq[i] = i * 2654435761U % 1000 < 60 ? (uint32_t)(i % 7 + 1) : 0;
	assert_true(find(seq, LONG).length < LONG / 3);
	free(seq);
}

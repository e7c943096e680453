/* SPDX-License-Identifier: MIT */
/* Which what-if scenario brings the slower side of a comparison nearest to the other one. */
#include "compare/diff/diff_parts.h"
#include "compare/diff/diff_words.h"
#include "support/unit.h"

static const struct wl_fp_whatif whatif[] = { { "comm-free", 900 },
					      { "no-straggler", 5200 },
					      { "host-free", 20000 } };

/* A step of the slower side takes 29 us, that of the other 24 us. */
static struct wl_diff make(const struct wl_fingerprint *slower, const struct wl_fingerprint *other,
			   enum wl_side side)
{
	struct wl_diff d = { .step.verdict = side == WL_AFTER ? WL_SLOWER : WL_FASTER };

	d.side[side] = slower;
	d.side[!side] = other;
	d.step.before = side == WL_BEFORE ? 29000 : 24000;
	d.step.after = side == WL_AFTER ? 29000 : 24000;
	return d;
}

TEST(the_slower_side_is_replayed)
{
	const struct wl_fingerprint slower = { .whatif = whatif, .n_whatifs = 3 };
	const struct wl_fingerprint other = { .n_whatifs = 0 };
	char words[WL_WORDS];

	for (enum wl_side side = WL_BEFORE; side < WL_N_SIDES; side++) {
		struct wl_diff d = make(&slower, &other, side);

		d.nearest = wl_diff_find_nearest(&d);
		assert_string_equal(d.nearest.scenario, "no-straggler");
		assert_int_equal(d.nearest.side, side);
		assert_int_equal(d.nearest.replayed, 23800);
		assert_int_equal(d.nearest.residual, -200);
		assert_true(d.nearest.is_near);
		assert_non_null(strstr(wl_diff_whatif(&d, words),
				       "trace takes 23.8 us with no-straggler (replayed), 200 ns "
				       "less than that of the"));
	}
}

TEST(nothing_near_is_said)
{
	const struct wl_fingerprint slower = { .whatif = whatif, .n_whatifs = 1 };
	const struct wl_fingerprint other = { .n_whatifs = 0 };
	struct wl_diff d = make(&slower, &other, WL_AFTER);
	char words[WL_WORDS];

	d.nearest = wl_diff_find_nearest(&d);
	assert_false(d.nearest.is_near);
	assert_string_equal(wl_diff_whatif(&d, words),
			    "What-if: no standard scenario brings the second trace near the first; "
			    "nearest is comm-free, 4.1 us more than the first");
}

/* Without a slower side, or without replays, there is nothing to say. */
TEST(equal_sides_need_no_scenario)
{
	const struct wl_fingerprint slower = { .whatif = whatif, .n_whatifs = 3 };
	const struct wl_fingerprint other = { .n_whatifs = 0 };
	struct wl_diff d = make(&slower, &other, WL_AFTER);
	char words[WL_WORDS];

	d.step.verdict = WL_SAME;
	d.nearest = wl_diff_find_nearest(&d);
	assert_null(d.nearest.scenario);
	d = make(&other, &slower, WL_AFTER);
	d.nearest = wl_diff_find_nearest(&d);
	assert_null(d.nearest.scenario);
	assert_string_equal(wl_diff_whatif(&d, words), "");
}

/* SPDX-License-Identifier: MIT */
#include "derive/comm/clocks/host_fit.h"

#include <stdlib.h>

#include "support/unit.h"

enum { N = 300, MOST_HOSTS = 8 };

static const wl_ns us = 1000, ms = 1000000;

/* Anchors of hosts whose clocks are off: host h shows t + offset[h] + t * drift[h] / 1e9. */
struct cluster {
	wl_ns offset[MOST_HOSTS];
	int64_t drift[MOST_HOSTS];
	struct wl_clock_anchor at[N * MOST_HOSTS];
	size_t n;
	uint32_t n_matches;
};

static wl_ns shown(const struct cluster *c, uint32_t host, wl_ns t)
{
	return t + c->offset[host] + (wl_ns)((double)t * (double)c->drift[host] / 1e9);
}

/* A collective that ends at t on the given hosts, a bit per host. */
static void meet(struct cluster *c, wl_ns t, unsigned hosts)
{
	for (uint32_t h = 0; h < MOST_HOSTS; h++) {
		if (hosts >> h & 1)
			c->at[c->n++] = (struct wl_clock_anchor){ .end = shown(c, h, t),
								  .match = c->n_matches,
								  .host = h };
	}
	c->n_matches++;
}

static void fit(const struct cluster *c, size_t n_hosts, bool no_drift, struct wl_arena *arena,
		struct wl_host_fit *ret)
{
	const struct wl_clock_anchors anchors = { c->at, c->n, n_hosts, no_drift };

	wl_arena_init(arena, 64 << 20);
	assert_true(wl_host_fit_find(&anchors, arena, ret));
}

/* By how much two hosts differ at a time after the fit. */
static wl_ns apart(const struct cluster *c, const struct wl_host_fit *f, uint32_t a, uint32_t b,
		   wl_ns t)
{
	return llabs(wl_host_time(&f->host[a], shown(c, a, t)) -
		     wl_host_time(&f->host[b], shown(c, b, t)));
}

TEST(offset_and_drift_are_found)
{
	struct cluster c = { .offset = { 0, 2 * ms, -1500 * us }, .drift = { 0, 20000, -13000 } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N; i++)
		meet(&c, (wl_ns)i * 10 * ms, 7);
	fit(&c, 3, false, &arena, &f);
	assert_int_equal(f.reference, 0);
	assert_int_equal(f.host[0].offset, 0);
	assert_int_equal(f.host[1].n_anchors, N);
	/* Seen from the host the drift is 20000 / (1 + 20 ppm). */
	assert_in_range(-f.host[1].drift, 19999, 20001);
	assert_in_range(f.host[2].drift, 12999, 13001);
	for (int i = 0; i < N; i += 50) {
		assert_in_range(apart(&c, &f, 0, 1, (wl_ns)i * 10 * ms), 0, 5);
		assert_in_range(apart(&c, &f, 0, 2, (wl_ns)i * 10 * ms), 0, 5);
	}
	assert_in_range(f.residual, 0, 5);
	wl_arena_release(&arena);
}

/* Shifting a host by any constant changes its offset and nothing else. */
TEST(a_shift_is_an_offset)
{
	static const wl_ns shifts[] = { 0, 1, -70 * 1000000, (wl_ns)1 << 50 };
	for (size_t k = 0; k < sizeof(shifts) / sizeof(shifts[0]); k++) {
		struct cluster c = { .offset = { 0, shifts[k] } };
		struct wl_host_fit f;
		struct wl_arena arena;

		for (int i = 0; i < 100; i++)
			meet(&c, (wl_ns)i * ms, 3);
		fit(&c, 2, false, &arena, &f);
		assert_int_equal(f.host[1].offset, -shifts[k]);
		assert_int_equal(f.host[1].drift, 0);
		assert_int_equal(f.residual, 0);
		wl_arena_release(&arena);
	}
}

/* Hosts 0 and 3 never meet: 0-1, 1-2, 2-3 do. */
TEST(hosts_are_tied_through_others)
{
	struct cluster c = { .offset = { 5 * us, -7 * ms, 11 * ms, 300 * us },
			     .drift = { 4000, -30000, 20000, 9000 } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N / 3; i++) {
		meet(&c, (wl_ns)(3 * i) * 10 * ms, 3);
		meet(&c, (wl_ns)(3 * i + 1) * 10 * ms, 6);
		meet(&c, (wl_ns)(3 * i + 2) * 10 * ms, 12);
	}
	fit(&c, 5, false, &arena, &f);
	assert_int_equal(f.reference, 1);
	for (int i = 0; i < N; i += 30) {
		assert_in_range(apart(&c, &f, 0, 3, (wl_ns)i * 10 * ms), 0, 20);
		assert_in_range(apart(&c, &f, 1, 2, (wl_ns)i * 10 * ms), 0, 20);
	}
	assert_true(f.host[3].is_tied);
	assert_false(f.host[4].is_tied);
	assert_int_equal(f.host[4].offset, 0);
	wl_arena_release(&arena);
}

TEST(a_fifth_of_wild_ends_does_not_move_the_fit)
{
	struct cluster c = { .offset = { 0, ms } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N; i++)
		meet(&c, (wl_ns)i * 10 * ms, 3);
	for (size_t i = 1; i < c.n; i += 10)
		c.at[i].end += 400 * us;
	fit(&c, 2, false, &arena, &f);
	assert_int_equal(f.host[1].offset, -ms);
	assert_int_equal(f.host[1].drift, 0);
	assert_in_range(f.residual, 1, 400 * us);
	wl_arena_release(&arena);
}

/* Ends that scatter by 3 us say nothing of an offset of 1 us. */
TEST(clocks_within_the_error_are_left_alone)
{
	struct cluster c = { .offset = { 0, us, 20 * us } };
	uint32_t seed = 1;
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N; i++)
		meet(&c, (wl_ns)i * 10 * ms, 7);
	for (size_t i = 0; i < c.n; i++) {
		seed = seed * 1103515245U + 12345U;
		c.at[i].end += (wl_ns)(seed >> 16) % 11 * us / 2;
	}
	fit(&c, 3, false, &arena, &f);
	assert_true(f.host[1].is_tied);
	assert_int_equal(f.host[1].offset, 0);
	assert_int_equal(f.host[1].drift, 0);
	assert_in_range(-f.host[2].offset, 17 * us, 23 * us);
	wl_arena_release(&arena);
}

TEST(without_drift_there_is_an_offset)
{
	struct cluster c = { .drift = { 0, 20000 } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i <= 100; i++)
		meet(&c, (wl_ns)i * 10 * ms, 3);
	fit(&c, 2, true, &arena, &f);
	assert_int_equal(f.host[1].drift, 0);
	assert_int_equal(f.host[1].offset, -10 * us);
	/* Few anchors over a short time say nothing of drift. */
	c.n = 2 * 19;
	wl_arena_release(&arena);
	fit(&c, 2, false, &arena, &f);
	assert_int_equal(f.host[1].drift, 0);
	wl_arena_release(&arena);
}

/*
 * Hosts meet in pairs, 0-1, 0-2 and 1-2, the last less often, and host 2 leaves those 3 us later.
 * The tree is 0-1 and 0-2, and leaves the 3 us to 1-2. With as many of each pair least squares
 * give each a third of it; with fewer of the last, the first two less and it more.
 */
TEST(a_circle_shares_what_it_contradicts)
{
	struct cluster c = { .offset = { 0, 2 * ms, -ms } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N / 3; i++) {
		meet(&c, (wl_ns)(3 * i) * 10 * ms, 3);
		meet(&c, (wl_ns)(3 * i + 1) * 10 * ms, 5);
		if (i % 20 == 0)
			continue;
		meet(&c, (wl_ns)(3 * i + 2) * 10 * ms, 6);
		c.at[c.n - 1].end += 3 * us;
	}
	fit(&c, 3, false, &arena, &f);
	assert_int_equal(f.reference, 0);
	assert_in_range(f.residual, 900, 1200);
	assert_in_range(apart(&c, &f, 0, 1, 1000 * ms), 800, 1200);
	assert_in_range(apart(&c, &f, 0, 2, 1000 * ms), 800, 1200);
	assert_int_equal(f.host[1].drift, 0);
	wl_arena_release(&arena);
}

/* All pairs of four hosts agree: the tree is right, and rounds change nothing. */
TEST(a_circle_without_contradiction_stays_exact)
{
	static const unsigned pairs[] = { 3, 5, 9, 6, 10, 12 };
	struct cluster c = { .offset = { 0, 2 * ms, -ms, 70 * us },
			     .drift = { 0, 20000, -13000, 7000 } };
	struct wl_host_fit f;
	struct wl_arena arena;

	for (int i = 0; i < N; i++)
		meet(&c, (wl_ns)i * 10 * ms, pairs[i % 6]);
	fit(&c, 4, false, &arena, &f);
	assert_int_equal(f.reference, 0);
	assert_in_range(-f.host[1].drift, 19999, 20001);
	assert_in_range(f.host[2].drift, 12999, 13001);
	assert_in_range(-f.host[3].drift, 6999, 7001);
	for (int i = 0; i < N; i += 50)
		assert_in_range(apart(&c, &f, 2, 3, (wl_ns)i * 10 * ms), 0, 10);
	assert_in_range(f.residual, 0, 10);
	wl_arena_release(&arena);
}

TEST(without_anchors_nothing_is_tied)
{
	struct cluster c = { .n = 0 };
	struct wl_host_fit f;
	struct wl_arena arena;

	fit(&c, 3, false, &arena, &f);
	assert_int_equal(f.reference, WL_NONE);
	assert_int_equal(f.host[2].offset, 0);
	wl_arena_release(&arena);
}

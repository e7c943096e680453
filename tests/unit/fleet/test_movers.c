/* SPDX-License-Identifier: MIT */
#include "fleet/history/movers.h"

#include "support/arena.h"
#include "support/normal.h"
#include "support/unit.h"

struct found {
	struct wl_hist_mover *mover;
	size_t n;
};

static struct found find(const struct wl_hist_cell *cells, size_t n, size_t n_whats,
			 const struct wl_hist_verdict *v, enum wl_hist_absence absence,
			 struct wl_arena *arena)
{
	struct found f;

	assert_true(wl_hist_movers(cells, n, n_whats, v, absence, arena, &f.mover, &f.n));
	return f;
}

/* Runs 1 and 2 are before, 3 and 4 after. */
static const struct wl_hist_verdict two_and_two = { .from = 1, .at = 3, .end = 5 };

TEST(effects_add_up)
{
	const struct wl_hist_cell cells[] = {
		{ 0, 0, 9999, 9 }, /* in no group */
		{ 1, 0, 100, 10 }, { 2, 0, 100, 10 }, { 3, 0, 130, 12 },
		{ 4, 0, 130, 12 }, { 1, 1, 50, 1 },   { 2, 1, 52, 1 },
		{ 3, 1, 11, 1 },   { 4, 2, 10, 2 },   { 5, 2, 9999, 9 },
	};
	struct found f = find(cells, WL_COUNT(cells), 4, &two_and_two, WL_HIST_IS_ZERO, *state);

	assert_int_equal(f.n, 3); /* none has the fourth */
	assert_int_equal(f.mover[0].what, 1);
	assert_int_equal(f.mover[0].before, 51);
	assert_int_equal(f.mover[0].after, 6); /* 11 in one of two runs */
	assert_int_equal(f.mover[0].n_after, 1);
	assert_int_equal(f.mover[1].what, 0);
	assert_int_equal(f.mover[1].change, 30);
	assert_int_equal(f.mover[1].by_count, 20);
	assert_int_equal(f.mover[1].by_duration, 10);
	assert_int_equal(f.mover[2].what, 2);
	assert_int_equal(f.mover[2].before, 0);
	assert_int_equal(f.mover[2].by_count, 5);
	assert_int_equal(f.mover[2].by_duration, 0);
}

TEST(a_new_host_is_compared_with_all_before)
{
	const struct wl_hist_cell cells[] = {
		{ 1, 0, 100, 0 }, { 1, 1, 104, 0 }, { 2, 0, 100, 0 }, { 2, 1, 104, 0 },
		{ 3, 0, 101, 0 }, { 3, 2, 140, 0 }, { 4, 0, 101, 0 }, { 4, 2, 140, 0 },
	};
	struct found f = find(cells, WL_COUNT(cells), 3, &two_and_two, WL_HIST_IS_OTHER, *state);

	assert_int_equal(f.n, 3);
	assert_int_equal(f.mover[0].what, 2);
	assert_int_equal(f.mover[0].n_before, 0);
	assert_int_equal(f.mover[0].before, 102);
	assert_int_equal(f.mover[0].change, 38);
	assert_int_equal(f.mover[0].by_duration, 38);
	assert_int_equal(f.mover[1].what, 1); /* gone: 104 against 120.5 */
	assert_int_equal(f.mover[1].n_after, 0);
	assert_int_equal(f.mover[2].change, 1);
}

TEST(nothing_has_no_movers)
{
	const struct wl_hist_cell cell = { 9, 0, 1, 1 };

	assert_int_equal(find(&cell, 0, 0, &two_and_two, WL_HIST_IS_ZERO, *state).n, 0);
	assert_int_equal(find(&cell, 1, 1, &two_and_two, WL_HIST_IS_OTHER, *state).n, 0);
}

/*
 * Nights of a job on four of eight hosts. Each night has 2% of noise of its own, as of clocks,
 * each operation of a host 0.3%, and one host computes slower than the others.
 */
enum { NIGHTS = 60, HOSTS = 8, USED = 4, OPS = 6, GEMM = 0, NORM = 3, REDUCE = 5, SLOW = 7 };

struct nights {
	int64_t step[NIGHTS];
	struct wl_hist_cell op[NIGHTS * OPS];
	struct wl_hist_cell host[NIGHTS * USED];
};

/* From a night on, an operation takes times as long, or has times as many calls. */
struct planted {
	size_t night;
	int op;
	double longer, more;
};

struct plan {
	uint64_t seed;
	struct planted planted[2];
	double slow;       /* what the slow host takes: 1.03 for 3% more */
	size_t slow_since; /* it takes part from that night on; before, and from NIGHTS, in some */
};

static void make_night(struct plan *p, size_t night, struct nights *ret)
{
	static const double usual[OPS] = { 20e6, 8e6, 6e6, 5e6, 1e6, 10e6 };
	const double clock = 1 + 0.02 * random_normal(&p->seed);
	const uint32_t first = random_below(&p->seed, SLOW);
	const bool has_slow =
		p->slow_since < NIGHTS ? night >= p->slow_since : random_below(&p->seed, 3) == 0;
	double slowest = 0, op_ns[OPS] = { 0 }, calls[OPS];

	for (int h = 0; h < USED; h++) {
		const uint32_t host = h == 0 && has_slow ? SLOW : (first + (uint32_t)h) % SLOW;
		double work = 0;

		for (int op = 0; op < OPS; op++) {
			double ns = usual[op] * clock * (1 + 0.003 * random_normal(&p->seed));

			calls[op] = 8;
			for (size_t i = 0; i < WL_COUNT(p->planted); i++) {
				const struct planted *c = &p->planted[i];

				if (c->op != op || night < c->night || c->longer == 0)
					continue;
				ns *= c->longer * c->more;
				calls[op] *= c->more;
			}
			if (op != REDUCE) {
				ns *= host == SLOW ? p->slow : 1;
				work += ns;
			}
			op_ns[op] += ns / USED;
		}
		slowest = work > slowest ? work : slowest;
		ret->host[night * USED + (size_t)h] = (struct wl_hist_cell){ .run = (uint32_t)night,
									     .what = host,
									     .ns = (int64_t)work };
	}
	for (uint32_t op = 0; op < OPS; op++)
		ret->op[night * OPS + op] =
			(struct wl_hist_cell){ (uint32_t)night, op, (int64_t)op_ns[op], calls[op] };
	ret->step[night] = (int64_t)(slowest + op_ns[REDUCE]);
}

static struct wl_hist_changes look(struct plan p, struct nights *ret, struct wl_arena *arena)
{
	const struct wl_hist_opts opts = { .threshold = 0.01 };
	struct wl_hist_changes c;

	for (size_t i = 0; i < NIGHTS; i++)
		make_night(&p, i, ret);
	assert_true(wl_hist_find(ret->step, NIGHTS, &opts, arena, &c));
	return c;
}

TEST(two_regressions_are_found_in_sixty_nights)
{
	const struct plan plan = { .seed = 60,
				   .planted = { { 22, GEMM, 1.3, 1 }, { 43, NORM, 1, 2.2 } },
				   .slow = 1.03,
				   .slow_since = NIGHTS };
	struct nights *nights = WL_NEW(*state, struct nights, 1);
	struct wl_hist_changes c;
	struct found f;

	assert_non_null(nights);
	c = look(plan, nights, *state);
	assert_int_equal(c.n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct wl_hist_verdict *v = &c.change[i].verdict;

		assert_int_equal(v->at, plan.planted[i].night);
		assert_int_equal(v->judged.verdict, WL_SLOWER);
		f = find(nights->op, WL_COUNT(nights->op), OPS, v, WL_HIST_IS_ZERO, *state);
		assert_int_equal(f.n, OPS);
		assert_int_equal(f.mover[0].what, plan.planted[i].op);
		/* Several times the change of any other, which is noise. */
		assert_true(f.mover[0].change > 3 * llabs(f.mover[1].change));
		assert_true(i == 0 ? f.mover[0].by_count == 0
				   : f.mover[0].by_count > 5 * llabs(f.mover[0].by_duration));
	}
}

/* A slow host in every job from a night on: no operation stands out, but the host does. */
TEST(a_slow_node_is_found_by_host)
{
	const struct plan plan = { .seed = 61, .slow = 1.15, .slow_since = 30 };
	struct nights *nights = WL_NEW(*state, struct nights, 1);
	struct wl_hist_changes c;
	struct found f;

	assert_non_null(nights);
	c = look(plan, nights, *state);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.change[0].verdict.at, 30);
	f = find(nights->host, WL_COUNT(nights->host), HOSTS, &c.change[0].verdict,
		 WL_HIST_IS_OTHER, *state);
	assert_int_equal(f.mover[0].what, SLOW);
	assert_int_equal(f.mover[0].n_before, 0);
	assert_true(f.mover[0].change > 3 * llabs(f.mover[1].change));
}

/* The same, many times: how often both are found, at the right night, with the right operation. */
TEST(two_regressions_are_found_nearly_always)
{
	const int n = random_cases(200);
	int n_found = 0, n_night = 0, n_op = 0;

	for (int k = 0; k < n; k++) {
		struct plan plan = { .seed = 1000 + (uint64_t)k,
				     .planted = { { 22, GEMM, 1.3, 1 }, { 43, NORM, 1, 2.2 } },
				     .slow = 1.03,
				     .slow_since = NIGHTS };
		struct wl_arena arena;
		struct nights *nights;
		struct wl_hist_changes c;

		wl_arena_init_child(&arena, *state);
		nights = WL_NEW(&arena, struct nights, 1);
		assert_non_null(nights);
		c = look(plan, nights, &arena);
		n_found += c.n == 2;
		for (size_t i = 0; c.n == 2 && i < 2; i++) {
			struct found f = find(nights->op, WL_COUNT(nights->op), OPS,
					      &c.change[i].verdict, WL_HIST_IS_ZERO, &arena);

			n_night += c.change[i].verdict.at == plan.planted[i].night;
			n_op += f.mover[0].what == (uint32_t)plan.planted[i].op;
		}
		wl_arena_release(&arena);
	}
	print_message(
		"both found in %d of %d, at the right night %d, the right operation %d of %d\n",
		n_found, n, n_night, n_op, 2 * n);
	assert_true(n_found * 100 >= 97 * n);
	assert_true(n_op == 2 * n_found);
	assert_true(n_night * 100 >= 95 * 2 * n_found);
}

TEST_GROUP(open_arena, close_arena)

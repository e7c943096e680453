/* SPDX-License-Identifier: MIT */
/* The finding step-time-changed: steps that change over time, and what is told elsewhere. */
#include "support/tape.h"

enum { STEPS = 24 };

/* A step: host code, then two kernels; in us. */
struct step {
	wl_ns host, a, b;
	unsigned more_kernels;
};

typedef struct step shape(unsigned i);

static const struct step usual = { .host = 50, .a = 400, .b = 500 };

static void make_steps(struct tape *t, unsigned n, shape *of)
{
	for (unsigned i = 0; i < n; i++) {
		struct step s = of(i);
		wl_ns begin = t->now;

		/* Steps are never quite equal. */
		t->now += s.host * US + (wl_ns)(i * 7919 % 11) * 100;
		launch(t, "gemm", 5 * US, s.a * US);
		launch(t, "softmax", 5 * US, s.b * US);
		for (unsigned k = 0; k < s.more_kernels; k++)
			launch(t, "softmax", 5 * US, 100 * US);
		range(t, "step", begin, t->now);
		t->now += 1;
	}
}

static void run_steps(struct tape *t, unsigned n, shape *of)
{
	start(t);
	make_steps(t, n, of);
	ask_all(t);
}

static struct step even(unsigned i)
{
	(void)i;
	return usual;
}

/* From step 12 on all kernels take a half longer. */
static struct step slower_kernels(unsigned i)
{
	struct step s = usual;

	s.a = i < 12 ? s.a : s.a * 3 / 2;
	s.b = i < 12 ? s.b : s.b * 3 / 2;
	return s;
}

static struct step slower_gemm(unsigned i)
{
	struct step s = usual;

	s.a = i < 12 ? s.a : 2 * s.a;
	return s;
}

static struct step faster_later(unsigned i)
{
	return slower_kernels(i < 12 ? 12 : 0);
}

static struct step slow_stretch(unsigned i)
{
	return slower_kernels(i >= 9 && i < 15 ? 12 : 0);
}

static struct step growing_host(unsigned i)
{
	struct step s = usual;

	s.host += 20 * (wl_ns)i;
	return s;
}

static struct step warm_up(unsigned i)
{
	return slower_kernels(i < 6 ? 12 : 0);
}

static struct step more_work(unsigned i)
{
	struct step s = usual;

	s.more_kernels = i < 12 ? 0 : 3;
	return s;
}

/* Changes, and one step that takes ten times as long besides. */
static struct step with_a_stall(unsigned i)
{
	struct step s = slower_kernels(i);

	s.host = i == 17 ? 10 * 1000 : s.host;
	return s;
}

TEST(steps_that_are_alike_have_no_change)
{
	struct tape t;

	run_steps(&t, STEPS, even);
	assert_int_equal(row_of(&t, "step-time-changed"), -1);
	finish(&t);
	/* Too few for a test. */
	run_steps(&t, 17, slower_kernels);
	assert_int_equal(row_of(&t, "step-time-changed"), -1);
	finish(&t);
}

TEST(a_level_is_told_with_its_cause)
{
	struct tape t;

	run_steps(&t, STEPS, slower_kernels);
	expect_words(&t, "step-time-changed", "subject", "since step 12");
	expect_words(&t, "step-time-changed", "finding", "Steps take 46.");
	expect_words(&t, "step-time-changed", "finding", "longer since step 12");
	expect_words(&t, "step-time-changed", "finding",
		     "all kernels take 1.50 times as long as in steps 1-11");
	expect_words(&t, "step-time-changed", "action", "clocks");
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
	finish(&t);
	run_steps(&t, STEPS, slower_gemm);
	expect_words(&t, "step-time-changed", "finding",
		     "gemm takes 2.00 times as long (800 us instead of 400 us of each step)");
	finish(&t);
	run_steps(&t, STEPS, faster_later);
	expect_words(&t, "step-time-changed", "subject", "until step 11");
	expect_words(&t, "step-time-changed", "finding",
		     "all kernels take 1.50 times as long as in steps 12-23");
	finish(&t);
}

TEST(a_stretch_is_told_by_its_steps)
{
	WITH(struct tape, t, finish, run_steps(&t, STEPS, slow_stretch));

	expect_words(&t, "step-time-changed", "subject", "in steps 9-14");
	assert_int_equal(row_of(&t, "slow-iterations"), -1);
}

TEST(a_drift_is_told_with_the_idle_time_that_grows)
{
	WITH(struct tape, t, finish, run_steps(&t, STEPS, growing_host));

	expect_words(&t, "step-time-changed", "finding", "Step time grows by");
	expect_words(&t, "step-time-changed", "finding", "GPU idle in host code takes");
}

TEST(a_warm_up_is_of_slow_iterations)
{
	WITH(struct tape, t, finish, run_steps(&t, STEPS, warm_up));

	assert_int_equal(row_of(&t, "step-time-changed"), -1);
	expect_words(&t, "slow-iterations", "finding", "steps 1-5 are a warm-up: 46.");
}

TEST(other_work_has_no_saving)
{
	WITH(struct tape, t, finish, run_steps(&t, STEPS, more_work));

	expect_words(&t, "step-time-changed", "severity", "info");
	expect_words(&t, "step-time-changed", "finding",
		     "the work changes; a GPU runs 5 kernels in a step instead of 2");
}

TEST(a_stall_in_a_change_keeps_its_finding)
{
	WITH(struct tape, t, finish, run_steps(&t, STEPS, with_a_stall));

	expect_words(&t, "step-time-changed", "subject", "since step 12");
	/* The stall lies in the period of the step before. */
	expect_words(&t, "slow-iterations", "subject", "before step 17");
}

TEST(iters_marks_the_slower_steps)
{
	struct tape t = { .now = 0 };

	asked_init(&t.x, "iters");
	make_steps(&t, STEPS, slower_kernels);
	ask(&t.x, (const char *const[WL_MAX_PARAMS]){ NULL });
	assert_int_equal(t.x.a.table.n_rows, STEPS);
	assert_false(answer_is_set(&t.x.a, 0, "changed"));
	assert_true(answer_has_note(&t.x.a, "longer since step 12"));
	for (size_t i = 1; i < STEPS; i++)
		assert_int_equal(answer_i64(&t.x.a, i, "changed"), i >= 12);
	finish(&t);
}

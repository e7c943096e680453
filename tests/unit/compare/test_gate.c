/* SPDX-License-Identifier: MIT */
#include "compare/diff/gate.h"

#include <string.h>

#include "support/unit.h"

enum { BUDGET = 1 << 20, N = 21 };

static struct wl_gate parsed(const char *text)
{
	struct wl_gate g;
	struct wl_err err = { .code = WL_OK };

	if (wl_gate_parse(text, &g, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return g;
}

static void expect_refusal(const char *text)
{
	struct wl_gate g;
	struct wl_err err;

	if (wl_gate_parse(text, &g, &err) != WL_E_USAGE)
		fail_msg("%s is taken", text);
	assert_non_null(strstr(err.msg, "--gate"));
}

TEST(a_gate_has_three_parts)
{
	struct wl_gate g = parsed("step>2%");

	assert_int_equal(g.metric, WL_METRIC_STEP);
	assert_int_equal(g.op, WL_ABOVE);
	assert_true(g.is_relative && g.ratio == 0.02);
	g = parsed("  exposed_comm  >=  1.5ms ");
	assert_int_equal(g.metric, WL_METRIC_EXPOSED_COMM);
	assert_int_equal(g.op, WL_AT_LEAST);
	assert_false(g.is_relative);
	assert_int_equal(g.limit, 1500000);
	g = parsed("launches>=1.5K");
	assert_int_equal(g.op, WL_AT_LEAST);
	assert_int_equal(g.limit, 1500);
	assert_int_equal(parsed("busy<=50ms").op, WL_AT_MOST);
	assert_int_equal(parsed("busy<-3%").op, WL_BELOW);
	assert_true(parsed("busy<-3%").ratio == -0.03);
}

TEST(a_number_without_a_unit_is_refused_with_both_readings)
{
	struct wl_gate g;
	struct wl_err err;

	assert_int_equal(wl_gate_parse("step>1", &g, &err), WL_E_USAGE);
	assert_string_equal(err.msg, "--gate 'step>1': '1' has no unit; write 1% for a change, or "
				     "1ms");
	assert_int_equal(parsed("idle>0").limit, 0);
	assert_int_equal(parsed("launches>7").limit, 7);
}

TEST(a_demand_is_refused)
{
	static const char *const demands[] = { "step<1%",        "step <= 0%", "step<50ms",
					       "kernel:gemm<5%", "busy<1%",    "launches<100" };

	for (size_t i = 0; i < WL_COUNT(demands); i++)
		expect_refusal(demands[i]);
}

TEST(names_hold_what_operators_look_like)
{
	struct wl_gate g = parsed("kernel: void a::f<(int)4, b>>(int) >5%");

	assert_int_equal(g.metric, WL_METRIC_KERNEL);
	assert_string_equal(g.name, "void a::f<(int)4, b>>(int)");
	assert_true(g.ratio == 0.05);
	g = parsed("range:step # > forward>1ms");
	assert_string_equal(g.name, "step # > forward");
	assert_int_equal(g.limit, 1000000);
	g = parsed("category:NCCL: all>0%");
	assert_string_equal(g.name, "NCCL: all");
}

TEST(malformed_gates_are_refused)
{
	static const char *const bad[] = {
		"",          "step",        "step>",
		">2%",       "stop>2%",     "step:x>2%",
		"kernel>2%", "kernel:>2%",  "step>x%",
		"step>2 3",  "launches>1s", "step>%",
		"step>2%x",  "step=2%",     "step>99999999999999999999s"
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refusal(bad[i]);
}

TEST(long_names_are_refused)
{
	char text[WL_GATE_NAME + 64] = "kernel:";

	memset(text + 7, 'a', WL_GATE_NAME);
	memcpy(text + 7 + WL_GATE_NAME, ">2%", sizeof(">2%"));
	expect_refusal(text);
}

/* Values around a middle, as far from each other as width says. */
static void spread(int64_t *v, int64_t middle, int64_t width)
{
	for (int i = 0; i < N; i++)
		v[i] = middle + width * (i - N / 2);
}

static enum wl_outcome judged(const char *text, const int64_t *a, size_t n_a, const int64_t *b,
			      size_t n_b)
{
	struct wl_gate g = parsed(text);
	struct wl_gate_result r;
	struct wl_arena arena;

	wl_arena_init(&arena, BUDGET);
	assert_true(wl_gate_judge(&g, (struct wl_sorted){ a, n_a, n_a },
				  (struct wl_sorted){ b, n_b, n_b }, &arena, &r));
	wl_arena_release(&arena);
	return r.outcome;
}

TEST(a_change_beyond_the_limit_fails)
{
	int64_t a[N], b[N];

	spread(a, 100000, 10);
	spread(b, 103000, 10);
	assert_int_equal(judged("step>2%", a, N, b, N), WL_GATE_FAILED);
	assert_int_equal(judged("step>4%", a, N, b, N), WL_GATE_PASSED);
	assert_int_equal(judged("step>2%", b, N, a, N), WL_GATE_PASSED);
	assert_int_equal(judged("step<-2%", b, N, a, N), WL_GATE_FAILED);
	assert_int_equal(judged("step>2%", a, 7, b, N), WL_GATE_INCONCLUSIVE);
	assert_int_equal(judged("step>2%", a, 0, b, N), WL_GATE_INCONCLUSIVE);
}

TEST(noise_that_reaches_both_ends_is_inconclusive)
{
	int64_t a[N], b[N];

	spread(a, 100000, 1000);
	spread(b, 100500, 1000);
	assert_int_equal(judged("step>2%", a, N, b, N), WL_GATE_INCONCLUSIVE);
	assert_int_equal(judged("step>50%", a, N, b, N), WL_GATE_PASSED);
	assert_int_equal(judged("step>0%", a, N, a, N), WL_GATE_PASSED); /* equal samples */
}

TEST(a_gate_may_ask_for_progress)
{
	int64_t a[N], b[N];

	spread(a, 100000, 10);
	spread(b, 90000, 10);
	assert_int_equal(judged("step>-5%", a, N, b, N), WL_GATE_PASSED);
	assert_int_equal(judged("step>-20%", a, N, b, N), WL_GATE_FAILED);
	assert_int_equal(judged("step>-5%", a, N, a, N), WL_GATE_FAILED);
	spread(b, 95000, 500);
	assert_int_equal(judged("step>-5%", a, N, b, N), WL_GATE_INCONCLUSIVE);
}

TEST(an_absolute_limit_is_of_the_new_value)
{
	int64_t a[N], b[N];

	spread(a, 500000, 10);
	spread(b, 100000, 10);
	assert_int_equal(judged("step>90us", a, N, b, N), WL_GATE_FAILED);
	assert_int_equal(judged("step>110us", a, N, b, N), WL_GATE_PASSED);
	spread(b, 100000, 1000);
	assert_int_equal(judged("step>100.5us", a, N, b, N), WL_GATE_INCONCLUSIVE);
	spread(b, 100000, 0);
	assert_int_equal(judged("step>100us", a, N, b, N), WL_GATE_PASSED);
	assert_int_equal(judged("step>=100us", a, N, b, N), WL_GATE_FAILED);
}

TEST(of_nothing_every_percentage_is_nothing)
{
	int64_t a[N], b[N];

	spread(a, 0, 0);
	spread(b, 400, 0);
	assert_int_equal(judged("kernel:x>50%", a, N, b, N), WL_GATE_FAILED);
	assert_int_equal(judged("kernel:x>50%", b, N, a, N), WL_GATE_PASSED);
	assert_int_equal(judged("kernel:x>50%", a, N, a, N), WL_GATE_PASSED);
}

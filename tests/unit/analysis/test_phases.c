/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <string.h>

#include "base/text/json_read.h"
#include "known/exports/codes.h"
#include "support/answer.h"
#include "support/unit.h"

static void push(struct asked *x, unsigned tid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&x->mem, .start = start, .end = end, .tid = tid, .name = name);
}

static void launch(struct asked *x, unsigned tid, wl_ns at, wl_ns start, wl_ns end)
{
	static unsigned corr;

	corr++;
	MEM_API(&x->mem, .start = at, .end = at + 2, .tid = tid, .corr = corr);
	MEM_OP(&x->mem, WL_F_KERNELS, .start = start, .end = end, .corr = corr);
}

/* A map, asked with; freed by the next, and by release. */
struct mapped {
	struct asked x;
	struct wl_json *doc[2];
};

static void init(struct mapped *m)
{
	memset(m, 0, sizeof(*m));
	asked_init(&m->x, "phases");
}

static void release(struct mapped *m)
{
	asked_release(&m->x);
	wl_json_free(m->doc[0]);
}

static void use_map(struct mapped *m, const char *text)
{
	struct wl_err err;

	wl_json_free(m->doc[0]);
	m->doc[0] = NULL;
	if (text && wl_json_parse(text, strlen(text), "map", &m->doc[0], &err) < 0)
		fail_msg("%s", err.msg);
	m->x.q.docs = m->doc;
}

static void expect_row(const struct answer *a, size_t row, const char *phase, int64_t ranges,
		       int64_t host_busy, int64_t gpu_busy, int64_t gpu_sum)
{
	assert_string_equal(answer_str(a, row, "phase"), phase);
	expect_i64(a, row, "ranges", ranges);
	expect_i64(a, row, "host_busy", host_busy);
	expect_i64(a, row, "gpu_busy", gpu_busy);
	expect_i64(a, row, "gpu_sum", gpu_sum);
}

static void put_step(struct mapped *m)
{
	struct asked *x = &m->x;

	push(x, 1, 0, 1000, "step");
	push(x, 1, 100, 300, "Forward");
	push(x, 1, 150, 250, "attention forward");
	push(x, 1, 400, 600, "backward");
	push(x, 2, 450, 500, "MulForward0");
	launch(x, 1, 160, 2000, 2100);
	launch(x, 1, 260, 2050, 2200);
	launch(x, 2, 460, 3000, 3010);
	launch(x, 2, 700, 4000, 4001);
	launch(x, 1, 2000, 5000, 5002);
}

TEST(the_outermost_matching_range_wins)
{
	WITH(struct mapped, m, release, init(&m));

	put_step(&m);
	use_map(&m, "{\"forward\": [\"FORWARD\"], \"backward\": [\"re:^back\"], \"none\": []}");
	ask(&m.x, NULL);
	assert_int_equal(m.x.a.table.n_rows, 4);
	expect_row(&m.x.a, 0, "forward", 2, 250, 200, 250);
	expect_row(&m.x.a, 1, "backward", 1, 200, 10, 10);
	expect_row(&m.x.a, 2, "none", 0, 0, 0, 0);
	expect_row(&m.x.a, 3, "(none)", 0, 0, 3, 3);
	assert_true(answer_f64(&m.x.a, 0, "share") == 250.0 / 263);
	ask(&m.x, (const char *const[WL_MAX_PARAMS]){ NULL, "true" });
	expect_row(&m.x.a, 0, "forward", 2, 250, 210, 260); /* of its own thread alone */
	expect_row(&m.x.a, 1, "backward", 1, 200, 0, 0);
	use_map(&m, "{\"all\": [\"step\"], \"forward\": [\"forward\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "all", 1, 1000, 211, 261);
	expect_row(&m.x.a, 1, "forward", 1, 50, 0, 0);
}

TEST(the_first_phase_of_the_file_has_the_name)
{
	WITH(struct mapped, m, release, init(&m));

	push(&m.x, 0, 0, 10, "alpha beta");
	MEM_NVTX(&m.x.mem, .start = 20, .end = 30);
	use_map(&m, "{\"z\": [\"beta\"], \"a\": [\"alpha\"], \"unnamed\": [\"re:^$\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "z", 1, 10, 0, 0);
	expect_row(&m.x.a, 1, "a", 0, 0, 0, 0);
	expect_row(&m.x.a, 2, "unnamed", 1, 10, 0, 0);
}

TEST(domains_are_not_matched)
{
	WITH(struct mapped, m, release, init(&m));

	MEM_NVTX(&m.x.mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "NCCL");
	MEM_NVTX(&m.x.mem, .end = 10, .domain = 1, .name = "send");
	use_map(&m, "{\"domain\": [\"nccl\"], \"text\": [\"re:^send$\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "domain", 0, 0, 0, 0);
	expect_row(&m.x.a, 1, "text", 1, 10, 0, 0);
}

/* send and recv in the domain NCCL, send in the default one; one kernel of 5 ns for each. */
static void put_domains(struct mapped *m)
{
	struct asked *x = &m->x;

	MEM_NVTX(&x->mem, .kind = WL_NVTX_DOMAIN_CREATE, .domain = 1, .name = "LLM");
	MEM_NVTX(&x->mem, .end = 10, .domain = 1, .name = "decode");
	MEM_NVTX(&x->mem, .start = 20, .end = 40, .domain = 1, .name = "prefill");
	MEM_NVTX(&x->mem, .start = 50, .end = 90, .name = "decode");
	MEM_NVTX(&x->mem, .start = 100, .end = 180, .name = "LLM:decode");
	launch(x, 0, 2, 1000, 1005);
	launch(x, 0, 22, 2000, 2010);
	launch(x, 0, 52, 3000, 3020);
	launch(x, 0, 102, 4000, 4040);
}

TEST(a_pattern_may_name_a_domain)
{
	WITH(struct mapped, m, release, init(&m));

	put_domains(&m);
	use_map(&m, "{\"d\": [\"LLM:decode\"]}");
	ask(&m.x, NULL);
	/* decode in the domain, and the name that has this text */
	expect_row(&m.x.a, 0, "d", 2, 10 + 80, 45, 45);
	expect_cells(&m.x.a, 0, "gpu_avg=22; host_avg=45");
	use_map(&m, "{\"d\": [\"LLM:\"], \"rest\": [\"decode\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "d", 3, 10 + 20 + 80, 55, 55);
	expect_row(&m.x.a, 1, "rest", 1, 40, 20, 20);
	use_map(&m, "{\"d\": {\"domain\": \"LLM\", \"patterns\": [\"decode\"]}, "
		    "\"all\": {\"domain\": \"LLM\"}, \"no\": [\"llm:decode2\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "d", 1, 10, 5, 5);
	expect_row(&m.x.a, 1, "all", 1, 20, 10, 10);
	expect_row(&m.x.a, 2, "no", 0, 0, 0, 0);
	assert_true(answer_has_note(&m.x.a, "no push/pop range in the window matches no"));
}

TEST(ranges_that_cross_are_busy_once)
{
	WITH(struct mapped, m, release, init(&m));

	push(&m.x, 1, 0, 10, "a");
	push(&m.x, 1, 5, 15, "a");
	push(&m.x, 2, 5, 15, "a");
	use_map(&m, "{\"a\": [\"a\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "a", 3, 25, 0, 0);
	ask_window(&m.x, 8, 12);
	expect_row(&m.x.a, 0, "a", 3, 8, 0, 0);
}

/* A phase inside of itself counts once, also with a range of no phase in between. */
TEST(a_phase_inside_of_itself_counts_once)
{
	WITH(struct mapped, m, release, init(&m));

	push(&m.x, 1, 0, 100, "a");
	push(&m.x, 1, 10, 90, "plain");
	push(&m.x, 1, 20, 80, "a");
	launch(&m.x, 1, 30, 1000, 1100);
	launch(&m.x, 1, 40, 1010, 1020);
	launch(&m.x, 1, 50, 1050, 1060);
	use_map(&m, "{\"a\": [\"re:^a$\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 0, "a", 1, 100, 100, 120);
}

TEST(launches_that_are_not_known_are_of_no_phase)
{
	WITH(struct mapped, m, release, init(&m));

	push(&m.x, 0, 0, 10, "a");
	MEM_OP(&m.x.mem, WL_F_MEMSETS, .start = 5, .end = 9);
	use_map(&m, "{\"a\": [\"a\"]}");
	ask(&m.x, NULL);
	expect_row(&m.x.a, 1, "(none)", 0, 0, 4, 4);
	assert_int_equal(m.x.a.table.coverage[0].have, 0);
	assert_int_equal(m.x.a.table.coverage[0].of, 1);
}

TEST(maps_that_make_no_sense_are_refused)
{
	WITH(struct mapped, m, release, init(&m));
	static const struct {
		const char *map, *words;
	} cases[] = {
		{ NULL, "{\"forward\": [" },
		{ "[]", "{\"forward\": [" },
		{ "{\"a\": \"x\"}", "\"a\" must be an array" },
		{ "{\"a\": [\"x\"], \"b\": {}}", "\"b\" must be an array" },
		{ "{\"a\": {\"domain\": 1}}", "\"a\" must be an array" },
		{ "{\"a\": {\"domain\": \"x\", \"patterns\": \"y\"}}", "must be an array" },
		{ "{\"a\": [1]}", "patterns of \"a\" must be strings" },
		{ "{\"a\": [\"x\", \"\"]}", "a pattern of \"a\"" },
		{ "{\"a\": [\"re:(\"]}", "a pattern of \"a\"" },
		{ "{\"(none)\": [\"x\"]}", "name of the rest" },
	};

	push(&m.x, 0, 0, 10, "a");
	use_map(&m, "{}");
	ask(&m.x, NULL);
	assert_int_equal(m.x.a.table.n_rows, 1);
	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct answer a;

		use_map(&m, cases[i].map);
		answer_within(&a, &m.x.q, ANSWER_BUDGET);
		assert_int_equal(a.status, WL_E_USAGE);
		assert_non_null(strstr(a.err.msg, "phases: --phase-map"));
		if (!strstr(a.err.msg, cases[i].words))
			fail_msg("\"%s\" does not say %s", a.err.msg, cases[i].words);
		answer_release(&a);
	}
}

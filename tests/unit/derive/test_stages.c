/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/stages.h"

#include <string.h>

#include "base/text/json_read.h"
#include "derive/nvtx/conventions.h"
#include "derive/nvtx/forest.h"
#include "support/mem.h"
#include "support/unit.h"

struct staged {
	struct mem mem;
	struct wl_json *doc;
	struct wl_conventions *conventions;
	const struct wl_stages *stages;
	const struct wl_forest *forest;
};

static void range(struct staged *s, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&s->mem, .start = start, .end = end, .name = name);
}

/* json may be NULL: what the names tell. */
static void find(struct staged *s, const char *json)
{
	struct wl_err err = { .code = WL_OK };

	s->doc = NULL;
	s->conventions = NULL;
	(void)mem_seal(&s->mem);
	if (json) {
		if (wl_json_parse(json, strlen(json), "test", &s->doc, &err) < 0 ||
		    wl_conventions_new(s->doc, "test", &s->conventions, &err) < 0)
			fail_msg("%s", err.msg);
		mem_derive(&s->mem, &(struct wl_derived_opts){ .conventions = s->conventions });
	}
	s->forest = s->mem.derived.forest;
	s->stages = s->mem.derived.stages;
	assert_non_null(s->forest);
	assert_non_null(s->stages);
}

static void release(struct staged *s)
{
	mem_release(&s->mem);
	wl_conventions_free(s->conventions);
	wl_json_free(s->doc);
}

static const char *text(const struct staged *s, uint32_t number)
{
	return number == WL_NONE ? "" : s->stages->text[number];
}

static void expect(const struct staged *s, size_t node, const char *stage, const char *purpose)
{
	uint32_t found = s->stages->stage[node];

	if (found == WL_NONE)
		found = s->stages->label[node];
	assert_string_equal(text(s, found), stage);
	assert_string_equal(text(s, s->stages->purpose[node]), purpose);
}

TEST(without_patterns_it_is_the_innermost_range_that_is_not_nccl)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range(&s, 0, 100, "step 7");
	range(&s, 10, 90, "ncclGroupEnd");
	range(&s, 20, 80, "layer.3");
	range(&s, 30, 70, "NCCLwhatever");
	range(&s, 200, 300, "ncclAllReduce");
	range(&s, 400, 500, NULL);
	find(&s, NULL);
	assert_int_equal(s.forest->n, 6);
	expect(&s, 0, "step #", "step #");
	expect(&s, 1, "step #", "step #");
	expect(&s, 2, "layer.#", "layer.#");
	expect(&s, 3, "layer.#", "layer.#");
	expect(&s, 4, "", "");
	expect(&s, 5, "(unnamed)", "(unnamed)");
}

TEST(equal_texts_are_one_stage)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range(&s, 0, 10, "layer 1");
	range(&s, 20, 30, "layer 2");
	find(&s, "{\"name\": \"generic\"}");
	assert_int_equal(s.stages->label[0], s.stages->label[1]);
}

TEST(a_pattern_takes_its_last_match_in_a_name_that_begins_as_it_must)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range(&s, 0, 100, "layer01.stage2_f");
	range(&s, 10, 90, "not a layer stage9_f stage4_b");     /* begins differently */
	range(&s, 20, 80, "layer02");                           /* has none */
	range(&s, 30, 70, "layer02_stage5_b_layer03_stage1_b"); /* two */
	range(&s, 200, 300, "pipeline send/recv");
	range(&s, 400, 500, "forward chunk 1 (phase0) backward chunk 2 (phase1)");
	find(&s, NULL); /* its anchor tells that it is pithtrain */
	expect(&s, 0, "stage2_f", "ep_a2a");
	expect(&s, 1, "stage2_f", "ep_a2a"); /* the purpose is a match of its own: stage4_b */
	expect(&s, 2, "stage2_f", "ep_a2a");
	expect(&s, 3, "stage1_b", "ep_a2a"); /* of its parents: its own stages are none */
	/* No pattern matches: the label. */
	expect(&s, 4, "pipeline send/recv", "pp_p2p");
	expect(&s, 5, "forward chunk # (phase#) backward chunk # (phase#)", "");
}

TEST(a_pattern_may_be_a_part_in_any_case)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range(&s, 0, 10, "a DISPATCH of Dispatch");
	range(&s, 20, 30, "combine");
	find(&s, "{\"name\": \"x\", \"stage\": {\"pattern\": \"dispatch\"}, "
		 "\"purposes\": {\"out\": [\"combine\", \"of\"]}}");
	expect(&s, 0, "Dispatch", "out");
	expect(&s, 1, "combine", "out");
}

TEST(without_ranges_there_is_nothing)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	MEM_OP(&s.mem, WL_F_KERNELS, .end = 1);
	find(&s, NULL);
	assert_int_equal(s.stages->n, 0);
}

static void range_on(struct staged *s, unsigned tid, wl_ns start, wl_ns end, const char *name)
{
	MEM_NVTX(&s->mem, .start = start, .end = end, .tid = tid, .name = name);
}

static void call_on(struct staged *s, unsigned tid, wl_ns start)
{
	MEM_API(&s->mem, .start = start, .end = start + 1, .tid = tid);
}

static void expect_call(const struct staged *s, size_t call, const char *stage, bool bridged)
{
	const struct wl_trace *t = s->mem.derived.trace;
	bool is_bridged;
	uint32_t found = wl_stage_of_call(s->stages, t, s->forest, (uint32_t)call, &is_bridged);

	assert_string_equal(text(s, found), stage);
	assert_true(is_bridged == bridged);
}

/* Thread 100 is the anchor; calls of thread 7 come first, because rows are by thread. */
TEST(the_anchor_thread_gives_what_the_own_one_does_not)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range_on(&s, 100, 0, 1000, "step 1");
	range_on(&s, 100, 100, 200, "backward");
	range_on(&s, 100, 150, 160, "ncclAllReduce");
	range_on(&s, 7, 300, 400, "own");
	call_on(&s, 7, 110);
	call_on(&s, 7, 155);
	call_on(&s, 7, 250);
	call_on(&s, 7, 350);
	call_on(&s, 7, 1500);
	call_on(&s, 100, 1500);
	find(&s, "{\"name\": \"generic\"}");
	expect_call(&s, 0, "backward", true);
	expect_call(&s, 1, "backward", true);
	expect_call(&s, 2, "step #", true);
	expect_call(&s, 3, "own", false);
	expect_call(&s, 4, "", false);
	expect_call(&s, 5, "", false);
}

/* A pattern that matches on the anchor thread says more than a label of the own one. */
TEST(a_stage_of_the_anchor_comes_before_a_label)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	range_on(&s, 100, 0, 1000, "stage dispatch");
	range_on(&s, 100, 2000, 2100, "other");
	range_on(&s, 7, 100, 200, "own");
	range_on(&s, 7, 300, 400, "combine");
	range_on(&s, 7, 2000, 2100, "own");
	call_on(&s, 7, 150);
	call_on(&s, 7, 350);
	call_on(&s, 7, 2050);
	find(&s, "{\"name\": \"x\", \"stage\": {\"pattern\": \"re:dispatch|combine\"}}");
	expect_call(&s, 0, "dispatch", true);
	expect_call(&s, 1, "combine", false);
	expect_call(&s, 2, "own", false);
}

/* A range that crosses others is no ancestor, and may yet be the innermost that says something. */
TEST(ranges_that_cross_give_stages_too)
{
	WITH(struct staged, s, release, mem_init(&s.mem));

	for (unsigned tid = 100; tid > 0; tid -= 50) {
		range_on(&s, tid, 0, 1000, "outer");
		range_on(&s, tid, 100, 300, "crossed");
		range_on(&s, tid, 200, 400, "ncclGroupEnd");
		if (tid == 100)
			range_on(&s, tid, 5000, 9000, "anchor");
		call_on(&s, tid, 250);
		call_on(&s, tid, 350);
	}
	call_on(&s, 7, 250);
	call_on(&s, 7, 350);
	find(&s, "{\"name\": \"generic\"}");
	for (size_t i = 0; i < 6; i += 2) {
		expect_call(&s, i, "crossed", i == 0);
		expect_call(&s, i + 1, "outer", i == 0);
	}
}

/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/conventions.h"

#include <string.h>

#include "known/builtin.h"
#include "support/mem.h"
#include "support/unit.h"

static int make(const char *text, struct wl_json **ret_doc, struct wl_conventions **ret,
		struct wl_err *err)
{
	if (wl_json_parse(text, strlen(text), "my.json", ret_doc, err) < 0)
		fail_msg("%s", err->msg);
	return wl_conventions_new(*ret_doc, "my.json", ret, err);
}

TEST(all_members_are_read)
{
	static const char text[] =
		"{ \"name\": \"mine\", \"detect\": [\"a*\", \"b\"], \"rank\": [\"re:^r(\\\\d+)\"],"
		" \"anchor\": [\"step ?\"], \"stage\": { \"pattern\": \"re:s[12]\", \"inside\": "
		"\"l\" },"
		" \"purposes\": { \"x\": [\"one\", \"two\"], \"y\": [\"re:3\"] }, \"comm\": "
		"[\"*ar*\"] }";
	struct wl_conventions *c = NULL;
	struct wl_json *doc;
	struct wl_err err;

	if (make(text, &doc, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c->name, "mine");
	assert_true(wl_globs_match(c->detect, "abc"));
	assert_true(wl_globs_match(c->detect, "b"));
	assert_false(wl_globs_match(c->detect, "bc"));
	assert_true(wl_globs_match(c->anchor, "step 1"));
	assert_true(wl_globs_match(c->comm, "my_ar_kernel"));
	assert_true(c->has_stage);
	assert_true(wl_pattern_matches(&c->stage, "l1.s2"));
	assert_string_equal(c->stage_inside, "l");
	assert_int_equal(c->n_purposes, 3);
	assert_string_equal(c->purposes[1].name, "x");
	assert_true(wl_pattern_matches(&c->purposes[1].pattern, "TWO"));
	assert_string_equal(c->purposes[2].name, "y");
	assert_int_equal(c->n_rank, 1);
	wl_conventions_free(c);
	wl_json_free(doc);
}

TEST(a_name_is_enough)
{
	struct wl_conventions *c = NULL;
	struct wl_json *doc;
	struct wl_err err;

	assert_int_equal(make("{\"name\":\"n\"}", &doc, &c, &err), WL_OK);
	assert_false(c->has_stage);
	assert_null(*c->detect);
	assert_null(*c->anchor);
	assert_null(*c->comm);
	assert_string_equal(c->stage_inside, "");
	wl_conventions_free(c);
	wl_conventions_free(NULL);
	wl_json_free(doc);
}

TEST(problems_name_file_and_member)
{
	static const struct {
		const char *text, *member;
	} bad[] = {
		{ "[]", "object" },
		{ "{}", "\"name\"" },
		{ "{\"name\": 1}", "\"name\"" },
		{ "{\"name\": \"\"}", "\"name\"" },
		{ "{\"name\":\"n\",\"anchors\":[]}", "\"anchors\"" },
		{ "{\"name\":\"n\",\"anchor\":\"x\"}", "\"anchor\"" },
		{ "{\"name\":\"n\",\"detect\":[1]}", "\"detect\"" },
		{ "{\"name\":\"n\",\"comm\":{}}", "\"comm\"" },
		{ "{\"name\":\"n\",\"rank\":[\"rank=\"]}", "\"rank\"" },
		{ "{\"name\":\"n\",\"rank\":[\"re:(\"]}", "\"rank\"" },
		{ "{\"name\":\"n\",\"stage\":\"s\"}", "\"stage\"" },
		{ "{\"name\":\"n\",\"stage\":{\"inside\":\"l\"}}", "\"stage.pattern\"" },
		{ "{\"name\":\"n\",\"stage\":{\"pattern\":\"re:[\"}}", "\"stage.pattern\"" },
		{ "{\"name\":\"n\",\"stage\":{\"pattern\":\"s\",\"outside\":\"l\"}}", "\"stage\"" },
		{ "{\"name\":\"n\",\"purposes\":[]}", "\"purposes\"" },
		{ "{\"name\":\"n\",\"purposes\":{\"p\":\"x\"}}", "\"p\"" },
		{ "{\"name\":\"n\",\"purposes\":{\"p\":[\"re:*\"]}}", "\"p\"" },
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		struct wl_conventions *c = NULL;
		struct wl_err err = { .code = WL_OK };
		struct wl_json *doc;

		assert_int_equal(make(bad[i].text, &doc, &c, &err), WL_E_USAGE);
		assert_int_equal(strncmp(err.msg, "my.json: ", 9), 0);
		if (!strstr(err.msg, bad[i].member))
			fail_msg("%s: %s", bad[i].text, err.msg);
		assert_null(c);
		wl_json_free(doc);
	}
}

TEST(every_builtin_one_can_be_had_by_its_name)
{
	struct wl_conventions *c = NULL;
	struct wl_err err;
	size_t i;

	for (i = 0; wl_builtin_conventions[i]; i++) {
		if (wl_conventions_builtin(wl_builtin_conventions[i], &c, &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(c->name, wl_builtin_conventions[i]);
		wl_conventions_free(c);
	}
	assert_non_null(wl_builtin_name("conventions", i - 1)); /* and there are no others */
	assert_null(wl_builtin_name("conventions", i));
	assert_int_equal(wl_conventions_builtin("nemo", &c, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "pithtrain"));
	assert_int_equal(wl_conventions_builtin("", &c, &err), WL_E_USAGE);
}

static const char *detect(const char *const *names)
{
	static char name[64];
	struct mem m;

	mem_init(&m);
	for (size_t i = 0; names[i]; i++)
		MEM_NVTX(&m, .start = (wl_ns)i, .end = 10, .name = names[i]);
	MEM_NVTX(&m, .start = 3, .end = 10);
	(void)mem_seal(&m);
	assert_ptr_equal(m.derived.followed->conventions, m.derived.followed->detected);
	(void)strncpy(name, m.derived.followed->conventions->name, sizeof(name) - 1);
	mem_release(&m);
	return name;
}

TEST(names_tell_the_convention)
{
	assert_string_equal(detect((const char *[]){ "rank=3; pp=1/4",
						     "forward chunk 1 (phase0) "
						     "backward chunk 0 (phase1)",
						     NULL }),
			    "pithtrain");
	assert_string_equal(detect((const char *[]){
				    "ProfilerStep#3",
				    "megatron.core.transformer.mlp.forward.linear_fc1", NULL }),
			    "megatron");
	assert_string_equal(detect((const char *[]){ "gpu_model_runner: forward", NULL }), "vllm");
	assert_string_equal(detect((const char *[]){ "x", "ProfilerStep#3", NULL }), "pytorch");
}

TEST(unrelated_names_tell_nothing)
{
	assert_string_equal(
		detect((const char *[]){ "forward chunk 1", "step 3", "forward",
					 "my megatron.core.x", "execute_model", "decode", NULL }),
		"generic");
	assert_string_equal(detect((const char *[]){ NULL }), "generic");
}

TEST(what_was_given_wins)
{
	struct wl_conventions *mine = NULL;
	struct mem m;

	assert_int_equal(wl_conventions_builtin("vllm", &mine, NULL), WL_OK);
	mem_init(&m);
	mem_nvtx(&m, &(struct mem_range){ .end = 10, .name = "ProfilerStep#3" });
	(void)mem_seal(&m);
	mem_derive(&m, &(struct wl_derived_opts){ .conventions = mine });
	assert_ptr_equal(m.derived.followed->conventions, mine);
	assert_null(m.derived.followed->detected);
	wl_conventions_free(mine);
	mem_release(&m);
}

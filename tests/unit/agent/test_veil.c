/* SPDX-License-Identifier: MIT */
#include "agent/llm/veil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static void expect_hidden(struct wl_llm_veil *v, const char *text, const char *hidden)
{
	char *h = wl_llm_veil_hide(v, text), *back;

	assert_non_null(h);
	assert_string_equal(h, hidden);
	back = wl_llm_veil_reveal(v, h);
	assert_non_null(back);
	assert_string_equal(back, text);
	free(h);
	free(back);
}

TEST(names_become_tokens_and_come_back)
{
	struct wl_llm_veil *v = wl_llm_veil_new();

	assert_true(wl_llm_veil_add(v, "secret_gemm"));
	assert_true(wl_llm_veil_add(v, "secret_gemm_v2"));
	assert_true(wl_llm_veil_add(v, "forward pass"));
	assert_true(wl_llm_veil_add(v, "void f<int>(float*)"));
	assert_true(wl_llm_veil_add(v, "ab"));  /* too short */
	assert_true(wl_llm_veil_add(v, "123")); /* a number */
	expect_hidden(v, "", "");
	expect_hidden(v, "secret_gemm takes 123 ms in ab", "name_1 takes 123 ms in ab");
	expect_hidden(v, "secret_gemm_v2, secret_gemm.", "name_2, name_1.");
	expect_hidden(v, "my_secret_gemm and secret_gemms", "my_secret_gemm and secret_gemms");
	expect_hidden(v, "in forward pass: void f<int>(float*)", "in name_3: name_4");
	expect_hidden(v, "secret_gemm\nsecret_gemm", "name_1\nname_1");
	wl_llm_veil_free(v);
}

TEST(paths_are_names)
{
	struct wl_llm_veil *v = wl_llm_veil_new();

	expect_hidden(v, "reads /home/ann/model.pt, then /home/ann/model.pt.",
		      "reads name_1, then name_1.");
	expect_hidden(v, "12 GB/s and 3/4 and a/b/c", "12 GB/s and 3/4 and a/b/c");
	wl_llm_veil_free(v);
}

TEST(json_keeps_its_keys_and_columns)
{
	struct wl_llm_veil *v = wl_llm_veil_new();
	char *text;

	assert_true(wl_llm_veil_add(v, "f<int>(\"x\")"));
	assert_true(wl_llm_veil_add(v, "sum"));
	text = wl_llm_veil_hide_json(
		v, "{\"columns\":[\"sum\"],\"sum\":[\"f\\u003cint>(\\\"x\\\")\",5,null,"
		   "\"the sum\"],\"units\":{\"sum\":\"ns\"}}");
	assert_string_equal(text,
			    "{\"columns\":[\"sum\"],\"sum\":[\"name_1\",5,null,\"the name_2\"],"
			    "\"units\":{\"sum\":\"ns\"}}");
	free(text);
	text = wl_llm_veil_hide_json(v, "the sum, no JSON");
	assert_string_equal(text, "the name_2, no JSON");
	free(text);
	text = wl_llm_veil_reveal_json(v, "{\"where\":\"name ~ name_1\",\"n\":\"name_12\"}");
	assert_string_equal(
		text, "{\"where\":\"name ~ f\\u003cint\\u003e(\\\"x\\\")\",\"n\":\"name_12\"}");
	free(text);
	wl_llm_veil_free(v);
}

TEST(many_names_stay_apart)
{
	struct wl_llm_veil *v = wl_llm_veil_new();
	char name[32], want[32];

	for (int i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "kernel%d_x", i);
		assert_true(wl_llm_veil_add(v, name));
	}
	for (int i = 0; i < 5000; i += 7) {
		(void)snprintf(name, sizeof(name), "kernel%d_x", i);
		(void)snprintf(want, sizeof(want), "name_%d", i + 1);
		expect_hidden(v, name, want);
	}
	wl_llm_veil_free(v);
}

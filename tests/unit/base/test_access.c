/* SPDX-License-Identifier: MIT */
#include "base/net/access.h"

#include <string.h>

#include "support/unit.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct wl_access access = { .token = TOKEN, .port = 8080 };

TEST(tokens_are_random_and_valid)
{
	char a[WL_TOKEN_BUF], b[WL_TOKEN_BUF];
	struct wl_err err;

	assert_int_equal(wl_token_make(a, &err), WL_OK);
	assert_int_equal(wl_token_make(b, &err), WL_OK);
	assert_true(wl_token_is_valid(a) && wl_token_is_valid(b));
	assert_string_not_equal(a, b);
	assert_false(wl_token_is_valid("0123"));
	assert_false(wl_token_is_valid("0123456789ABCDEF0123456789ABCDEF"));
	assert_false(wl_token_is_valid(TOKEN "0"));
}

TEST(only_the_right_path_leads_in)
{
	static const char *const bad[] = {
		"",
		"/",
		"/t/",
		"/t/" TOKEN,
		"/t/0123456789abcdef0123456789abcdee/meta",
		"/t/0123456789ABCDEF0123456789ABCDEF/meta",
		"/t/" TOKEN "0/meta",
		"//t/" TOKEN "/meta",
		"/T/" TOKEN "/meta",
		"/t/../t/" TOKEN "/meta",
		"http://127.0.0.1:8080/t/" TOKEN "/meta",
	};

	assert_string_equal(wl_access_path(&access, "/t/" TOKEN "/"), "");
	assert_string_equal(wl_access_path(&access, "/t/" TOKEN "/meta"), "meta");
	/* Not a place that there is, but none outside either. */
	assert_string_equal(wl_access_path(&access, "/t/" TOKEN "/../meta"), "../meta");
	for (size_t i = 0; i < WL_COUNT(bad); i++)
		assert_null(wl_access_path(&access, bad[i]));
	assert_true(wl_access_is_bare(&access, "/t/" TOKEN));
	assert_false(wl_access_is_bare(&access, "/t/" TOKEN "/"));
	assert_false(wl_access_is_bare(&access, "/t/0123"));
}

TEST(hosts_are_this_machine)
{
	static const char *const good[] = { "127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080",
					    "[::1]:8080" };
	static const char *const bad[] = { "",
					   "127.0.0.1",
					   "127.0.0.1:8081",
					   "127.0.0.1:80800",
					   "127.0.0.1.evil.example:8080",
					   "localhost.evil.example:8080",
					   "evil.example:8080",
					   "localhost:8080,evil.example",
					   "[::1]",
					   "localhost:08080" };
	struct wl_access other = access;

	for (size_t i = 0; i < WL_COUNT(good); i++)
		assert_true(wl_access_has_host(&access, good[i]));
	for (size_t i = 0; i < WL_COUNT(bad); i++)
		assert_false(wl_access_has_host(&access, bad[i]));
	assert_false(wl_access_has_host(&access, NULL));
	other.port = 80;
	assert_true(wl_access_has_host(&other, "localhost"));
	other.host = "node7.example:9000";
	assert_true(wl_access_has_host(&other, "node7.example:9000"));
	assert_false(wl_access_has_host(&other, "node7.example"));
	other.host = "node7.example";
	other.port = 8080;
	assert_true(wl_access_has_host(&other, "node7.example:8080"));
	assert_true(wl_access_has_host(&other, "Node7.example"));
	assert_false(wl_access_has_host(&other, "node7.example.evil:8080"));
}

TEST(origins_are_none_or_this_server)
{
	assert_true(wl_access_has_origin(&access, NULL));
	assert_true(wl_access_has_origin(&access, "http://127.0.0.1:8080"));
	assert_false(wl_access_has_origin(&access, "http://127.0.0.1:8081"));
	assert_false(wl_access_has_origin(&access, "http://evil.example"));
	assert_false(wl_access_has_origin(&access, "null"));
	assert_false(wl_access_has_origin(&access, ""));
	assert_true(wl_access_is_own_site(NULL));
	assert_true(wl_access_is_own_site("same-origin"));
	assert_true(wl_access_is_own_site("none"));
	assert_false(wl_access_is_own_site("same-site"));
	assert_false(wl_access_is_own_site("cross-site"));
	assert_false(wl_access_is_own_site(""));
	assert_false(wl_access_has_origin(&access, "file://"));
	assert_false(wl_access_has_origin(&access, "https://ui.perfetto.dev"));
}

TEST(perfetto_asks_on_its_port_alone)
{
	struct wl_access other = access;

	assert_false(wl_access_is_perfetto(&access, WL_PERFETTO_ORIGIN));
	other.port = WL_PERFETTO_PORT;
	assert_true(wl_access_is_perfetto(&other, WL_PERFETTO_ORIGIN));
	assert_false(wl_access_is_perfetto(&other, NULL));
	assert_false(wl_access_is_perfetto(&other, "http://ui.perfetto.dev"));
	assert_false(wl_access_is_perfetto(&other, "https://ui.perfetto.dev.evil.example"));
	assert_false(wl_access_has_origin(&other, WL_PERFETTO_ORIGIN));
}

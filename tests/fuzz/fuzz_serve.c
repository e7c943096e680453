/* SPDX-License-Identifier: MIT */
/*
 * fuzz_serve.c - the bytes are what a client asks: a path with its query, and a Host.
 *
 * Whatever is asked, the answer is whole and bounded, and none of it tells more than an
 * answer may: a status that is known, a type, and JSON where it says so.
 */
#include <stdlib.h>
#include <string.h>

#include "base/net/access.h"
#include "base/text/json_read.h"
#include "fuzz/fuzz.h"
#include "support/served.h"

enum { MAX_ANSWER = 32 << 20 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void check(const struct wl_answer *a)
{
	struct wl_json *doc;
	struct wl_err err;

	need(a->status == 200 || a->status == 400 || a->status == 404 || a->status == 503);
	need(a->n <= MAX_ANSWER && a->fd < 0);
	if (!a->type || strcmp(a->type, "application/json") != 0 || a->n > WL_JSON_MAX_BYTES)
		return;
	need(wl_json_parse(a->bytes, a->n, "answer", &doc, &err) == WL_OK);
	wl_json_free(doc);
}

static void try_access(const char *text)
{
	static const struct wl_access access = { .token = "0123456789abcdef0123456789abcdef",
						 .port = 8080,
						 .host = "node7" };
	static const struct wl_access perfetto = { .port = WL_PERFETTO_PORT };
	const char *path = wl_access_path(&access, text);

	char query[WL_FILE_QUERY_BUF];

	need(!path || strncmp(text + 3, access.token, 32) == 0);
	need(!path || !strchr(path, '/') || !wl_route_find(path));
	if (path && wl_route_parse_file(path, query))
		need(strlen(query) < sizeof(query) && strchr(query, '/') == NULL);
	need(wl_access_is_perfetto(&perfetto, text) == (strcmp(text, WL_PERFETTO_ORIGIN) == 0));
	need(!wl_access_is_perfetto(&access, text) && wl_access_has_origin(&access, NULL));
	(void)wl_access_is_own_site(text);
	(void)wl_access_is_bare(&access, text);
	(void)wl_access_has_host(&access, text);
	(void)wl_access_has_origin(&access, text);
	(void)wl_token_is_valid(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct served served;
	static bool made;
	struct wl_answer answer;
	char *text = malloc(size + 1);

	need(text != NULL);
	if (!made)
		served_make(&served);
	made = true;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	try_access(text);
	answer = served_ask(&served, text);
	check(&answer);
	wl_answer_release(&answer);
	free(text);
	return 0;
}

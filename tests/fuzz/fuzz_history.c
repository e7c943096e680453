/* SPDX-License-Identifier: MIT */
/*
 * fuzz_history.c - a database that answers anything: bytes of the input, up to 0xff for each
 * answer. The first byte of an answer is its status: 'x' for 500.
 */
#include <string.h>

#include "fleet/past/answers.h"
#include "fleet/past/page.h"
#include "fuzz/fuzz.h"

static const uint8_t *rest;
static size_t n_rest;

static int post(const struct wl_http_post *p, struct wl_http_reply *ret, struct wl_err *reterr)
{
	const uint8_t *end = n_rest ? memchr(rest, 0xff, n_rest) : NULL;
	size_t n = end ? (size_t)(end - rest) : n_rest;
	bool is_refused = n && rest[0] == 'x', ok;

	ret->status = is_refused ? 500 : 200;
	ok = n <= is_refused ||
	     p->take(p->context, ret->status, (const char *)rest + is_refused, n - is_refused);
	rest += end ? n + 1 : n;
	n_rest -= end ? n + 1 : n;
	return ok ? WL_OK : wl_fail(reterr, WL_E_FORMAT, "refused");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_store store = { .url = { "http://127.0.0.1:1" },
				  .n_urls = 1,
				  .database = "w",
				  .retries = -1,
				  .post = post };
	struct wl_table table[WL_N_PAST_TABLES];
	struct wl_past past;
	struct wl_arena arena;
	struct wl_err err;

	rest = data;
	n_rest = size;
	wl_arena_init(&arena, 64 << 20);
	for (size_t i = 0; i < WL_N_PAST_TABLES; i++)
		wl_table_init(&table[i], &arena, wl_past_tables[i].cols, wl_past_tables[i].n_cols);
	if (wl_store_connect(&store, &err) == WL_OK && wl_store_check(&store, &err) != WL_E_NOMEM &&
	    wl_past_read(&store, &(struct wl_past_filter){ .id = "a" }, &arena, &past, &err) ==
		    WL_OK) {
		struct wl_table *const pages[] = { &table[WL_PAST_SERIES], &table[WL_PAST_LATE],
						   &table[WL_PAST_COVERAGE] };
		struct wl_past_verdicts verdicts = { 0 };
		struct wl_past_judging j = { .store = &store,
					     .opts = { .threshold = 0.01 },
					     .arena = &arena,
					     .changes = &table[WL_PAST_CHANGES],
					     .newest = &table[WL_PAST_NEWEST],
					     .movers = &table[WL_PAST_MOVERS],
					     .verdicts = &verdicts };

		wl_past_put_runs(&table[WL_PAST_RUNS], &past);
		if (wl_past_judge(&j, &past, &err) == WL_OK && past.n)
			(void)!wl_past_judge_run(&j, &past, past.n - 1, &err);
		(void)!wl_past_verdicts_store(&store, &past, &verdicts, &arena, &err);
		(void)!wl_page_fill(&store, &past, 3, &arena, pages, &err);
	}
	wl_arena_release(&arena);
	return 0;
}

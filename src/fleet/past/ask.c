/* SPDX-License-Identifier: MIT */
#include "fleet/past/ask.h"

int wl_past_no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for what the database answers");
}

int wl_past_ask(const struct wl_store *store, const struct wl_text *question,
		struct wl_arena *arena, struct wl_tsv *ret, struct wl_err *reterr)
{
	struct wl_text answer = { .max = WL_STORE_ANSWER };
	int r;

	if (question->failed)
		return wl_past_no_memory(reterr);
	r = wl_store_ask(store, 0, question->bytes, &answer, reterr);
	if (r == WL_OK) {
		*ret = (struct wl_tsv){ .at = wl_arena_strdup(arena, wl_text_get(&answer)) };
		r = ret->at ? WL_OK : wl_past_no_memory(reterr);
	}
	wl_text_release(&answer);
	return r;
}

size_t wl_past_count_rows(const char *answer)
{
	size_t n = 1;

	for (; *answer; answer++)
		n += *answer == '\n';
	return n;
}

int wl_past_broken(const struct wl_store *store, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_FORMAT,
		       "%.120s: an answer has other columns than were asked for", store->url[0]);
}

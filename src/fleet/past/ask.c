/* SPDX-License-Identifier: MIT */
#include "fleet/past/ask.h"

#include "fleet/store/tsv.h"

int wl_past_no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "no memory for what the database answers");
}

/* At least as many as the answer has rows. */
static size_t count_rows(const char *answer)
{
	size_t n = 1;

	for (; *answer; answer++)
		n += *answer == '\n';
	return n;
}

static int take_rows(const struct wl_store *store, const char *answer, struct wl_arena *arena,
		     struct wl_past_rows *ret, struct wl_err *reterr)
{
	struct wl_tsv tsv = { .at = wl_arena_strdup(arena, answer) };

	ret->cell = WL_NEW(arena, char *, count_rows(answer) * ret->width);
	if (!tsv.at || !ret->cell)
		return wl_past_no_memory(reterr);
	while (wl_tsv_row(&tsv, wl_past_row(ret, ret->n), ret->width))
		ret->n++;
	return tsv.is_broken ? wl_fail(reterr, WL_E_FORMAT,
				       "%.120s: an answer has other columns than were asked for",
				       store->url[0])
			     : WL_OK;
}

int wl_past_ask(const struct wl_store *store, const struct wl_text *question, size_t width,
		struct wl_arena *arena, struct wl_past_rows *ret, struct wl_err *reterr)
{
	struct wl_text answer = { .max = WL_STORE_ANSWER };
	int r;

	*ret = (struct wl_past_rows){ .width = width };
	if (question->failed)
		return wl_past_no_memory(reterr);
	r = wl_store_ask(store, 0, question->bytes, &answer, reterr);
	if (r == WL_OK)
		r = take_rows(store, wl_text_get(&answer), arena, ret, reterr);
	wl_text_release(&answer);
	return r;
}

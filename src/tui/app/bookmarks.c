/* SPDX-License-Identifier: MIT */
#include "tui/app/bookmarks.h"

#include <string.h>

#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "tui/app/state_json.h"

void wl_bookmarks_init(struct wl_bookmarks *b, struct wl_budget *budget)
{
	b->n = 0;
	wl_arena_init_on(&b->arena, budget);
}

void wl_bookmarks_release(struct wl_bookmarks *b)
{
	wl_arena_release(&b->arena);
	b->n = 0;
}

static bool copy(struct wl_bookmarks *b, const struct wl_bookmark *from, struct wl_bookmark *to)
{
	const char *const texts[] = { from->row, from->kernel, from->context, from->note };
	const char **const copies[] = { &to->row, &to->kernel, &to->context, &to->note };

	*to = *from;
	for (size_t i = 0; i < WL_COUNT(texts); i++) {
		*copies[i] = wl_arena_strdup(&b->arena, texts[i] ? texts[i] : "");
		if (!*copies[i])
			return false;
	}
	return true;
}

/* One at the same moment is replaced: it is the same place with another note. */
bool wl_bookmarks_add(struct wl_bookmarks *b, const struct wl_bookmark *bookmark)
{
	struct wl_bookmark own;
	size_t i = 0;

	if (!copy(b, bookmark, &own))
		return false;
	while (i < b->n && b->at[i].at < own.at)
		i++;
	if (i == b->n || b->at[i].at != own.at || strcmp(b->at[i].row, own.row) != 0) {
		if (b->n == WL_MAX_BOOKMARKS)
			return false;
		memmove(&b->at[i + 1], &b->at[i], (b->n - i) * sizeof(b->at[0]));
		b->n++;
	}
	b->at[i] = own;
	return true;
}

void wl_bookmarks_remove(struct wl_bookmarks *b, size_t i)
{
	if (i >= b->n)
		return;
	b->n--;
	memmove(&b->at[i], &b->at[i + 1], (b->n - i) * sizeof(b->at[0]));
}

void wl_bookmarks_save(const struct wl_bookmarks *b, struct wl_jsonw *out)
{
	wl_jsonw_begin_array(out);
	for (size_t i = 0; i < b->n; i++) {
		wl_jsonw_newline(out);
		wl_jsonw_begin_object(out);
		wl_state_put_time(out, "at", b->at[i].at);
		wl_state_put_time(out, "begin", b->at[i].begin);
		wl_state_put_time(out, "end", b->at[i].end);
		wl_jsonw_put_str(out, "row", b->at[i].row);
		wl_jsonw_put_str(out, "kernel", b->at[i].kernel);
		wl_jsonw_put_str(out, "context", b->at[i].context);
		wl_jsonw_put_str(out, "note", b->at[i].note);
		wl_jsonw_end_object(out);
	}
	wl_jsonw_end_array(out);
}

static const char *text_of(const struct wl_json *v, const char *key)
{
	const struct wl_json *member = wl_json_member(v, key);
	const char *text = member ? wl_json_string(member) : NULL;

	return text ? text : "";
}

void wl_bookmarks_restore(struct wl_bookmarks *b, const struct wl_json *array)
{
	size_t n = array && wl_json_type_of(array) == WL_JSON_ARRAY ? wl_json_size(array) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct wl_json *v = wl_json_at(array, i);
		struct wl_bookmark mark = { .row = text_of(v, "row"),
					    .kernel = text_of(v, "kernel"),
					    .context = text_of(v, "context"),
					    .note = text_of(v, "note") };

		if (wl_state_time(v, "at", &mark.at) && wl_state_time(v, "begin", &mark.begin) &&
		    wl_state_time(v, "end", &mark.end) && mark.begin <= mark.end &&
		    !wl_bookmarks_add(b, &mark))
			return;
	}
}

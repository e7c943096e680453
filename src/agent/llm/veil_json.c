/* SPDX-License-Identifier: MIT */
/* veil_json.c - hides names in the texts of a JSON document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/check/json_copy.h"
#include "agent/llm/veil.h"

/* A document being copied. */
struct hiding {
	struct wl_llm_veil *veil;
	struct wl_jsonw w;
	bool failed;
};

/* Protocol words are kept: a range called "sum" must not hide the name of a column. */
static bool is_kept(const char *key)
{
	static const char *const kept[] = { "columns", "units",    "verb", "trace", "next_cursor",
					    "keys",    "severity", "code", "kind",  "part" };

	for (size_t i = 0; i < WL_COUNT(kept); i++) {
		if (strcmp(key, kept[i]) == 0)
			return true;
	}
	return false;
}

static void hide_value(struct hiding *h, const struct wl_json *v);

static void hide_object(struct hiding *h, const struct wl_json *v)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	wl_jsonw_begin_object(&h->w);
	while (wl_json_next(v, &at, &key, &value)) {
		wl_jsonw_key(&h->w, key);
		if (is_kept(key))
			wl_json_copy(&h->w, value);
		else
			hide_value(h, value);
	}
	wl_jsonw_end_object(&h->w);
}

static void hide_array(struct hiding *h, const struct wl_json *v)
{
	wl_jsonw_begin_array(&h->w);
	for (size_t i = 0; i < wl_json_size(v); i++)
		hide_value(h, wl_json_at(v, i));
	wl_jsonw_end_array(&h->w);
}

/* Recurses no deeper than the JSON reader admits. */
static void hide_value(struct hiding *h, const struct wl_json *v)
{
	const char *text = wl_json_string(v);

	if (text) {
		char *hidden = wl_llm_veil_hide(h->veil, text);

		h->failed = h->failed || !hidden;
		wl_jsonw_str(&h->w, hidden);
		free(hidden);
	} else if (wl_json_type_of(v) == WL_JSON_OBJECT) {
		hide_object(h, v);
	} else if (wl_json_type_of(v) == WL_JSON_ARRAY) {
		hide_array(h, v);
	} else {
		wl_json_copy(&h->w, v);
	}
}

char *wl_llm_veil_hide_json(struct wl_llm_veil *veil, const char *json)
{
	struct hiding h = { .veil = veil };
	struct wl_json *doc;
	struct wl_err ignored;
	char *text = NULL;
	size_t n;
	FILE *out;

	if (wl_json_parse(json, strlen(json), "result", &doc, &ignored) < 0)
		return wl_llm_veil_hide(veil, json);
	out = open_memstream(&text, &n);
	if (out) {
		wl_jsonw_init(&h.w, out);
		hide_value(&h, doc);
		h.failed = fclose(out) != 0 || h.failed;
	}
	wl_json_free(doc);
	if (out && !h.failed)
		return text;
	free(text);
	return NULL;
}

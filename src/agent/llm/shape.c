/* SPDX-License-Identifier: MIT */
#include "agent/llm/shape.h"

#include <stdio.h>
#include <string.h>

#include "agent/check/json_copy.h"

bool wl_llm_put_schema(struct wl_jsonw *w, const char *schema)
{
	struct wl_json *doc;
	struct wl_err ignored;
	bool is;

	if (wl_json_parse(schema, strlen(schema), "schema", &doc, &ignored) < 0) {
		wl_jsonw_null(w);
		return false;
	}
	is = wl_json_type_of(doc) == WL_JSON_OBJECT;
	wl_json_copy(w, doc);
	wl_json_free(doc);
	return is;
}

static struct wl_json *parse(struct wl_llm_draft *d, const char *text, size_t n)
{
	struct wl_json *doc = NULL;
	struct wl_err err;

	if (wl_json_parse(text, n, "reply", &doc, &err) < 0)
		(void)snprintf(d->nonsense, sizeof(d->nonsense), "%.200s", err.msg);
	else if (wl_json_type_of(doc) != WL_JSON_OBJECT)
		(void)snprintf(d->nonsense, sizeof(d->nonsense), "it is no JSON object");
	if (!d->nonsense[0])
		return doc;
	wl_json_free(doc);
	return NULL;
}

bool wl_llm_take_event(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *data,
		       size_t n)
{
	struct wl_json *doc;

	if (n == 6 && memcmp(data, "[DONE]", 6) == 0) {
		shape->event(d, NULL);
		return true;
	}
	doc = parse(d, data, n);
	if (!doc)
		return false;
	if (wl_json_value_of(doc, "error"))
		wl_llm_draft_error(d, doc);
	else
		shape->event(d, doc);
	wl_json_free(doc);
	return !d->error[0] && !d->nonsense[0] && !d->failed;
}

void wl_llm_take_whole(const struct wl_llm_shape *shape, struct wl_llm_draft *d, const char *text,
		       size_t n)
{
	struct wl_json *doc = parse(d, text, n);

	if (!doc)
		return;
	if (wl_json_value_of(doc, "error"))
		wl_llm_draft_error(d, doc);
	else
		shape->read(d, doc);
	wl_json_free(doc);
}

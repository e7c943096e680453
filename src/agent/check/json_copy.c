/* SPDX-License-Identifier: MIT */
#include "agent/check/json_copy.h"

#include <stdlib.h>

#include "base/num.h"

static void copy_array(struct wl_jsonw *w, const struct wl_json *v)
{
	wl_jsonw_begin_array(w);
	for (size_t i = 0; i < wl_json_size(v); i++)
		wl_json_copy(w, wl_json_at(v, i));
	wl_jsonw_end_array(w);
}

static void copy_object(struct wl_jsonw *w, const struct wl_json *v)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;

	wl_jsonw_begin_object(w);
	while (wl_json_next(v, &at, &key, &value)) {
		wl_jsonw_key(w, key);
		wl_json_copy(w, value);
	}
	wl_jsonw_end_object(w);
}

static void copy_number(struct wl_jsonw *w, const struct wl_json *v)
{
	double d = 0;
	int64_t i;

	(void)wl_json_number(v, &d);
	if (wl_integral(d, &i))
		wl_jsonw_i64(w, i);
	else
		wl_jsonw_f64(w, d);
}

/* Recurses no deeper than the reader admits, WL_JSON_MAX_DEPTH. */
void wl_json_copy(struct wl_jsonw *w, const struct wl_json *v)
{
	bool is_true = false;

	switch (wl_json_type_of(v)) {
	case WL_JSON_OBJECT:
		copy_object(w, v);
		break;
	case WL_JSON_ARRAY:
		copy_array(w, v);
		break;
	case WL_JSON_STRING:
		wl_jsonw_str(w, wl_json_string(v));
		break;
	case WL_JSON_NUMBER:
		copy_number(w, v);
		break;
	case WL_JSON_BOOL:
		(void)wl_json_bool(v, &is_true);
		wl_jsonw_bool(w, is_true);
		break;
	case WL_JSON_NULL:
		wl_jsonw_null(w);
		break;
	}
}

char *wl_json_copy_text(const struct wl_json *v)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct wl_jsonw w;

	if (!out)
		return NULL;
	wl_jsonw_init(&w, out);
	wl_json_copy(&w, v);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

const struct wl_json *wl_json_value_of(const struct wl_json *v, const char *key)
{
	const struct wl_json *value = v ? wl_json_member(v, key) : NULL;

	return value && wl_json_type_of(value) != WL_JSON_NULL ? value : NULL;
}

const char *wl_json_text_of(const struct wl_json *v, const char *key)
{
	const struct wl_json *value = wl_json_value_of(v, key);

	return value ? wl_json_string(value) : NULL;
}

int64_t wl_json_i64_of(const struct wl_json *v, const char *key)
{
	const struct wl_json *value = wl_json_value_of(v, key);
	double d;
	int64_t i;

	if (!value || !wl_json_number(value, &d) || !wl_integral(d, &i))
		return 0;
	return i;
}

/* SPDX-License-Identifier: MIT */
#include "base/text/json_read.h"

#include <assert.h>
#include <string.h>

#include <jansson.h>

#include "base/text/json_load.h"

static_assert(JANSSON_VERSION_HEX >= 0x020b00,
	      "members in order since 2.8, error codes since 2.11");

/* An empty object of two bytes takes 200, so no document of WL_JSON_MAX_BYTES needs more. */
#define MAX_MEMORY ((size_t)WL_JSON_MAX_BYTES * 128)

/* A struct wl_json is a json_t under another name: nothing else includes the library. */
static const json_t *inner(const struct wl_json *v)
{
	return (const json_t *)v;
}

static const struct wl_json *outer(const json_t *v)
{
	return (const struct wl_json *)v;
}

/* The iterators of the library take without const what they only read. */
static void *unconst(const void *p)
{
	void *q;

	memcpy(&q, &p, sizeof(q));
	return q;
}

/* False when arrays and objects are nested in more levels than are left. */
static bool is_shallow(json_t *v, int levels)
{
	if (!json_is_array(v) && !json_is_object(v))
		return true;
	if (levels == 0)
		return false;
	for (size_t i = 0; i < json_array_size(v); i++) {
		if (!is_shallow(json_array_get(v, i), levels - 1))
			return false;
	}
	for (void *at = json_object_iter(v); at; at = json_object_iter_next(v, at)) {
		if (!is_shallow(json_object_iter_value(at), levels - 1))
			return false;
	}
	return true;
}

static int fail_deep(const char *name, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE, "%.200s: nested in more than %d levels", name,
		       WL_JSON_MAX_DEPTH);
}

static int fail_parse(const char *name, const json_error_t *e, struct wl_err *reterr)
{
	enum json_error_code code = json_error_code(e);
	const char *why = e->text;

	if (code == json_error_stack_overflow)
		return fail_deep(name, reterr);
	if (code == json_error_null_character || code == json_error_null_byte_in_key)
		why = "a text must not hold \\u0000";
	return wl_fail(reterr, WL_E_USAGE, "%.200s: not valid JSON, line %d, column %d: %s", name,
		       e->line, e->column, why);
}

/* jansson passes over a NUL that follows a number; a text in UTF-16 is full of them. */
static int refuse_nul(const char *text, size_t n, const char *name, struct wl_err *reterr)
{
	const char *nul = memchr(text, '\0', n), *line = text, *end;
	int n_lines = 1;

	if (!nul)
		return WL_OK;
	for (; (end = memchr(line, '\n', (size_t)(nul - line))) != NULL; line = end + 1)
		n_lines++;
	return wl_fail(reterr, WL_E_USAGE, "%.200s: not valid JSON, line %d, column %td: NUL byte",
		       name, n_lines, nul - line + 1);
}

int wl_json_parse(const char *text, size_t n, const char *name, struct wl_json **ret_doc,
		  struct wl_err *reterr)
{
	json_error_t e;
	bool is_short;
	json_t *v;
	int r;

	if (n > WL_JSON_MAX_BYTES)
		return wl_fail(reterr, WL_E_USAGE, "%.200s: larger than %d MiB", name,
			       WL_JSON_MAX_BYTES >> 20);
	r = refuse_nul(text, n, name, reterr);
	if (r < 0)
		return r;
	/* Any integer is a double, which is all that callers can ask for. */
	v = wl_json_load(text, n, MAX_MEMORY, &e, &is_short);
	if (is_short)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", name);
	if (!v)
		return fail_parse(name, &e, reterr);
	if (!is_shallow(v, WL_JSON_MAX_DEPTH)) {
		json_decref(v);
		return fail_deep(name, reterr);
	}
	*ret_doc = (struct wl_json *)v;
	return WL_OK;
}

void wl_json_free(struct wl_json *doc)
{
	json_decref((json_t *)doc);
}

/* Documents are no deeper than is_shallow() admits. */
static bool merge(json_t *to, json_t *from)
{
	bool ok = json_is_object(to) && json_is_object(from);

	for (void *at = json_object_iter(from); ok && at; at = json_object_iter_next(from, at)) {
		const char *key = json_object_iter_key(at);
		json_t *value = json_object_iter_value(at), *have = json_object_get(to, key);

		if (!have)
			ok = json_object_set(to, key, value) == 0;
		else if (json_is_object(have) && json_is_object(value))
			ok = merge(have, value);
	}
	return ok;
}

bool wl_json_merge(struct wl_json *to, const struct wl_json *from)
{
	return merge((json_t *)to, unconst(from));
}

enum wl_json_type wl_json_type_of(const struct wl_json *v)
{
	switch (json_typeof(inner(v))) {
	case JSON_OBJECT:
		return WL_JSON_OBJECT;
	case JSON_ARRAY:
		return WL_JSON_ARRAY;
	case JSON_STRING:
		return WL_JSON_STRING;
	case JSON_INTEGER:
	case JSON_REAL:
		return WL_JSON_NUMBER;
	case JSON_TRUE:
	case JSON_FALSE:
		return WL_JSON_BOOL;
	case JSON_NULL:
		break;
	}
	return WL_JSON_NULL;
}

size_t wl_json_size(const struct wl_json *v)
{
	return json_is_object(inner(v)) ? json_object_size(inner(v)) : json_array_size(inner(v));
}

const struct wl_json *wl_json_at(const struct wl_json *array, size_t i)
{
	assert(i < json_array_size(inner(array)));
	return outer(json_array_get(inner(array), i));
}

const struct wl_json *wl_json_member(const struct wl_json *v, const char *key)
{
	return outer(json_object_get(inner(v), key));
}

bool wl_json_next(const struct wl_json *v, const void **at, const char **ret_key,
		  const struct wl_json **ret_value)
{
	json_t *object = unconst(v);
	void *next = *at ? json_object_iter_next(object, unconst(*at)) : json_object_iter(object);

	if (!next)
		return false;
	*at = next;
	*ret_key = json_object_iter_key(next);
	*ret_value = outer(json_object_iter_value(next));
	return true;
}

const char *wl_json_string(const struct wl_json *v)
{
	return json_string_value(inner(v));
}

bool wl_json_number(const struct wl_json *v, double *ret)
{
	if (!json_is_number(inner(v)))
		return false;
	*ret = json_number_value(inner(v));
	return true;
}

bool wl_json_bool(const struct wl_json *v, bool *ret)
{
	if (!json_is_boolean(inner(v)))
		return false;
	*ret = json_is_true(inner(v));
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * json_read.h - a reader for small JSON documents: conventions, rules, phase maps.
 *
 * Strict (RFC 8259): duplicate keys and anything after the document are errors.
 * Members of an object keep the order of the file.
 */
#ifndef WL_BASE_JSON_READ_H
#define WL_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* A document larger or deeper than this is refused. */
enum { WL_JSON_MAX_BYTES = 4 << 20, WL_JSON_MAX_DEPTH = 32 };

enum wl_json_type {
	WL_JSON_NULL,
	WL_JSON_BOOL,
	WL_JSON_NUMBER,
	WL_JSON_STRING,
	WL_JSON_ARRAY,
	WL_JSON_OBJECT,
};

/* A value inside a document. Borrowed: it lives as long as the document. */
struct wl_json;

/*
 * Parse n bytes. name is what messages call the document, usually its path. A
 * malformed one is WL_E_USAGE with line and column. Free with wl_json_free.
 */
int wl_json_parse(const char *text, size_t n, const char *name, struct wl_json **ret_doc,
		  struct wl_err *reterr) WL_MUST_CHECK;
void wl_json_free(struct wl_json *doc); /* accepts NULL */

/*
 * Add the members of an object to another one, and where both have an object of a name the
 * members of that; what both have otherwise stays. False without memory, or if one is no object.
 */
bool wl_json_merge(struct wl_json *to, const struct wl_json *from) WL_MUST_CHECK;

enum wl_json_type wl_json_type_of(const struct wl_json *v);

/* Members of an object or elements of an array; 0 for other types. */
size_t wl_json_size(const struct wl_json *v);

/* The i-th element of an array, in order. i must be in range. Constant time. */
const struct wl_json *wl_json_at(const struct wl_json *array, size_t i);

/* The member called key, NULL where there is none or v is no object. */
const struct wl_json *wl_json_member(const struct wl_json *v, const char *key);

/*
 * Walk the members of an object in the order of the file: start with *at = NULL;
 * false past the last, and at once where v is no object. Linear in all.
 */
bool wl_json_next(const struct wl_json *v, const void **at, const char **ret_key,
		  const struct wl_json **ret_value);

/* The text of a string, NULL for other types. */
const char *wl_json_string(const struct wl_json *v);
bool wl_json_number(const struct wl_json *v, double *ret); /* false for other types */
bool wl_json_bool(const struct wl_json *v, bool *ret);     /* false for other types */

#endif

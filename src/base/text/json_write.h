/* SPDX-License-Identifier: MIT */
/*
 * json_write.h - a streaming JSON writer.
 *
 * Calls follow the grammar: a key before every member of an object, an end for
 * every begin. Commas come by themselves. The output is valid UTF-8 and JSON
 * whatever the strings hold, safe to show on a terminal and to embed in HTML.
 * Write errors stay in the stream: check ferror() once, at the end.
 */
#ifndef WL_BASE_JSON_WRITE_H
#define WL_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wl_jsonw {
	FILE *out;
	size_t depth;
	bool comma; /* a value stands before this place */
	bool line;  /* the next value starts a line */
};

void wl_jsonw_init(struct wl_jsonw *w, FILE *out);

void wl_jsonw_begin_object(struct wl_jsonw *w);
void wl_jsonw_end_object(struct wl_jsonw *w);
void wl_jsonw_begin_array(struct wl_jsonw *w);
void wl_jsonw_end_array(struct wl_jsonw *w);

void wl_jsonw_key(struct wl_jsonw *w, const char *key);

/* Malformed UTF-8 becomes U+FFFD; NULL is null. */
void wl_jsonw_str(struct wl_jsonw *w, const char *s);
void wl_jsonw_i64(struct wl_jsonw *w, int64_t v);

/* Numbers as strings, for identifiers that readers with doubles would round. */
void wl_jsonw_id(struct wl_jsonw *w, int64_t v);
void wl_jsonw_u64_id(struct wl_jsonw *w, uint64_t v);

/* Shortest form that reads back the same; null when not finite. */
void wl_jsonw_f64(struct wl_jsonw *w, double v);
void wl_jsonw_bool(struct wl_jsonw *w, bool v);
void wl_jsonw_null(struct wl_jsonw *w);

/* One value that is JSON already, of n bytes: what another writer wrote. */
void wl_jsonw_raw(struct wl_jsonw *w, const char *json, size_t n);

/* A member: a key and its value. */
void wl_jsonw_put_str(struct wl_jsonw *w, const char *key, const char *s);
void wl_jsonw_put_strs(struct wl_jsonw *w, const char *key, const char *const *s, size_t n);
void wl_jsonw_put_i64(struct wl_jsonw *w, const char *key, int64_t v);
/* null unless it is known */
void wl_jsonw_put_i64_if(struct wl_jsonw *w, const char *key, bool is_known, int64_t v);
void wl_jsonw_put_id(struct wl_jsonw *w, const char *key, int64_t v);
void wl_jsonw_put_f64(struct wl_jsonw *w, const char *key, double v);
void wl_jsonw_put_bool(struct wl_jsonw *w, const char *key, bool v);
void wl_jsonw_put_raw(struct wl_jsonw *w, const char *key, const char *json, size_t n);

/* A key, and the begin of its object or array. */
void wl_jsonw_open_object(struct wl_jsonw *w, const char *key);
void wl_jsonw_open_array(struct wl_jsonw *w, const char *key);

/* Break the line before the next value or end; for people who read or compare files. */
void wl_jsonw_newline(struct wl_jsonw *w);

/* Document over: assert that everything is closed, end the line, be ready for another. */
void wl_jsonw_finish(struct wl_jsonw *w);

/* A quoted and escaped string alone, for those who write the rest themselves. */
void wl_jsonw_put_quoted(FILE *out, const char *s);

enum { WL_JSONW_ESCAPE = 6 }; /* bytes that the longest escape takes */

/*
 * The next part of such a string, without quotes, for those who have a buffer of their own: write
 * at most cap bytes (WL_JSONW_ESCAPE or more), move *s behind what they stand for and return
 * how many they are; 0 at the end of s. Characters are never torn.
 */
size_t wl_jsonw_escape(const char **s, char *buf, size_t cap);

#endif

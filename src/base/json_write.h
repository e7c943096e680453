/*
 * json_write.h - JSON as it is made, nothing kept.
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

struct wl_json {
	FILE *out;
	size_t depth;
	bool comma; /* a value stands before this place */
	bool line;  /* the next value starts a line */
};

void wl_json_init(struct wl_json *w, FILE *out);

void wl_json_begin_object(struct wl_json *w);
void wl_json_end_object(struct wl_json *w);
void wl_json_begin_array(struct wl_json *w);
void wl_json_end_array(struct wl_json *w);

void wl_json_key(struct wl_json *w, const char *key);

/* Malformed UTF-8 becomes U+FFFD; NULL is null. */
void wl_json_str(struct wl_json *w, const char *s);
void wl_json_i64(struct wl_json *w, int64_t v);

/* Numbers as strings, for identifiers that readers with doubles would round. */
void wl_json_id(struct wl_json *w, int64_t v);
void wl_json_u64_id(struct wl_json *w, uint64_t v);

/* Shortest form that reads back the same; null when not finite. */
void wl_json_f64(struct wl_json *w, double v);
void wl_json_bool(struct wl_json *w, bool v);
void wl_json_null(struct wl_json *w);

/* Break the line before the next value or end; for people who read or compare files. */
void wl_json_newline(struct wl_json *w);

/* Document over: assert that everything is closed, end the line, be ready for another. */
void wl_json_finish(struct wl_json *w);

/* A quoted and escaped string alone, for those who write the rest themselves. */
void wl_json_put_str(FILE *out, const char *s);

#endif

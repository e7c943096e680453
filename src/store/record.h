/* SPDX-License-Identifier: MIT */
/*
 * record.h - what is kept of results as text: structs as JSON, both ways by one description.
 *
 * A description lists the members of a struct in the order of the file, with their bounds. So
 * neither a struct nor its file needs a reader, a writer or a check of ranges of its own, and
 * the code that uses a struct can rely on the bounds. The same struct gives the same bytes.
 */
#ifndef WL_STORE_RECORD_H
#define WL_STORE_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "base/text/json_read.h"

/* No number is larger, so that JSON carries it exactly. */
#define WL_RECORD_MAX ((int64_t)1 << 53)

enum wl_record_kind {
	WL_KEPT_TEXT,    /* const char * */
	WL_KEPT_NUMBER,  /* int64_t from least on */
	WL_KEPT_COUNT,   /* size_t */
	WL_KEPT_CHOICE,  /* an enumeration of most values, by its name */
	WL_KEPT_EACH,    /* most int64_t in the struct itself, the next one step bytes on */
	WL_KEPT_PARTS,   /* n EACH that follow each other, by their names */
	WL_KEPT_OBJECT,  /* a struct in the struct itself */
	WL_KEPT_TEXTS,   /* const char *[most], of which a size_t at n_at says how many there are */
	WL_KEPT_NUMBERS, /* the same of const int64_t *, ... */
	WL_KEPT_PAIRS,   /* ... of const struct * with two int64_t each, ... */
	WL_KEPT_ROWS,    /* ... and of const struct * */
};

enum {
	WL_ON_A_LINE = 1, /* begins a line, as each of ROWS does */
	WL_OR_NULL = 2,   /* a TEXT may be NULL: null, or not there */
	WL_LEFT_OUT = 4,  /* a TEXT that is NULL, or an array of none: not there */
	WL_IN_LINE = 8,   /* ROWS that do not begin lines */
};

struct wl_record;

struct wl_record_member {
	const char *key;
	enum wl_record_kind kind;
	size_t at; /* offset in the struct */
	unsigned flags;
	size_t n_at, most, step, n;
	int64_t least;
	const char *(*name)(size_t i);
	const struct wl_record *of; /* of OBJECT and ROWS */
};

struct wl_record {
	size_t size; /* of the struct */
	const struct wl_record_member *member;
	size_t n;
};

#define WL_RECORD(T, members)                                                                      \
	{                                                                                          \
		sizeof(struct T), members, WL_COUNT(members)                                       \
	}

#define WL_KEEP(T, key, kind, member, ...)                                                         \
	{                                                                                          \
		key, WL_KEPT_##kind, offsetof(struct T, member), .flags = __VA_ARGS__              \
	}
/* Its size_t is called count. */
#define WL_KEEP_ARRAY(T, key, kind, member, count, most_, ...)                                     \
	{                                                                                          \
		key, WL_KEPT_##kind, offsetof(struct T, member),                                   \
			.n_at = offsetof(struct T, count), .most = (most_), .flags = __VA_ARGS__   \
	}
/* One number of each element of an array in the struct; member is that of the first. */
#define WL_KEEP_EACH(T, key, member, array, flags)                                                 \
	WL_KEEP(T, key, EACH, member, flags, .most = WL_COUNT(((struct T *)0)->array),             \
		.step = sizeof(((struct T *)0)->array[0]))

/* What files of them begin with, and how to make one again. */
struct wl_record_head {
	const char *schema;
	const char *what;  /* "a baseline" */
	const char *again; /* "tag the baseline again: ..." */
};

/* Write a file: head, number of definitions, members. Write errors stay in the stream. */
void wl_record_write(const struct wl_record_head *head, const struct wl_record *of,
		     const void *from, FILE *out);

/*
 * Read it from a document that anyone may have written, which messages call name. WL_E_FORMAT when
 * it is another document or a member is not as described, WL_E_INCOMPARABLE when its numbers follow
 * other definitions. Members that were left out stay as in *ret. Texts and arrays are copied into
 * the arena; WL_E_NOMEM when that is exhausted.
 */
int wl_record_read(const struct wl_record_head *head, const struct wl_record *of,
		   const struct wl_json *doc, const char *name, struct wl_arena *arena, void *ret,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Whether a struct is within the bounds, as one that was read is. */
bool wl_record_is_within(const struct wl_record *of, const void *from) WL_MUST_CHECK;

/*
 * WL_E_INCOMPARABLE unless numbers that follow these definitions mean what those of this version
 * do. again says how to make what is called name again.
 */
int wl_store_check_definitions(double definitions, const char *name, const char *again,
			       struct wl_err *reterr) WL_MUST_CHECK;

#endif

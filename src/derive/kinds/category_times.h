/* SPDX-License-Identifier: MIT */
/*
 * category_times.h - the time of a device by category of operations.
 *
 * One sweep over a device's operations in order of start. Time is kept in whole nanoseconds, by
 * category and by the number of categories under way together; each figure is exact, and the shares
 * add up to the busy time.
 */
#ifndef WL_DERIVE_CATEGORY_TIMES_H
#define WL_DERIVE_CATEGORY_TIMES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/category_rules.h"
#include "derive/kinds/named.h"
#include "derive/rows/scope.h"
#include "model/trace.h"

/* The category that a nanosecond belongs to if several are under way. */
enum wl_attribution {
	WL_ATTRIBUTE_SHARE, /* to each in equal parts, rounded once by largest remainder */
	WL_ATTRIBUTE_FIRST, /* to that of the operation that started first; on ties, lowest stream,
			       then first row */
	WL_ATTRIBUTE_LAST,  /* to that of the last operation in this order */
};

struct wl_category_time {
	int64_t instances; /* operations with a part in the window */
	int64_t sum;       /* total of their durations there; saturates at INT64_MAX */
	wl_ns active;      /* with an operation of the category under way */
	wl_ns exclusive;   /* the same, and none of another */
	wl_ns elapsed;     /* time attributed; adds up to busy over categories */
};

/* Maps names and kinds of copies to categories, each looked up once. */
struct wl_category_map {
	const uint8_t *of_kernel_name; /* by kernel name */
	uint8_t of_copy_kind[UINT8_MAX + 1];
	uint8_t of_memset, of_graph;
	size_t n_given_up; /* number of rules that took too long for a name */
};

/* Needs the columns kernels name and memcpys kind. False when memory is exhausted. */
bool wl_category_map_make(const struct wl_trace *trace, const struct wl_named *named,
			  const struct wl_category_rules *rules, struct wl_arena *arena,
			  struct wl_category_map *ret) WL_MUST_CHECK;

/*
 * Make the default rules and their map. The arena owns the map. Release the rules even after a
 * failure. False when memory is exhausted.
 */
bool wl_category_map_generic(const struct wl_trace *trace, const struct wl_named *named,
			     struct wl_arena *arena, struct wl_category_rules *rules,
			     struct wl_category_map *ret) WL_MUST_CHECK;

/* The number of an operation's category. */
uint8_t wl_category_of_op(const struct wl_trace *trace, const struct wl_category_map *map,
			  enum wl_op_kind kind, size_t row);

/* Which times are wanted, and how. Members are borrowed. */
struct wl_category_question {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_category_map *map;
	size_t n; /* categories */
	uint32_t device;
	enum wl_attribution how;
};

/*
 * The times of each of n categories on one device, for operations that the scope admits, and the
 * device's busy time. Linear except for the heap of operations under way; needs 36 bytes of scratch
 * per operation. False when the arena is exhausted.
 */
bool wl_category_times_find(const struct wl_category_question *question, struct wl_arena *arena,
			    struct wl_category_time *ret, wl_ns *ret_busy) WL_MUST_CHECK;

/*
 * Divide whole nanoseconds: category c had k categories under way for ns[c * (WL_MAX_CATEGORIES +
 * 1) + k] nanoseconds, each of which counts 1/k. The n results add up to the whole, with the
 * largest remainders rounded up, ties in order.
 */
void wl_category_shares(const wl_ns *ns, size_t n, wl_ns *ret);

#endif

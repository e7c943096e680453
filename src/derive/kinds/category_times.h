/* SPDX-License-Identifier: MIT */
/*
 * category_times.h - the time of a device by category of operations.
 *
 * One sweep over a device's operations in order of start. Time is kept by category
 * and by the number of categories under way together, in whole nanoseconds, so
 * that each figure is exact and the shares add up to the busy time.
 */
#ifndef WL_DERIVE_CATEGORY_TIMES_H
#define WL_DERIVE_CATEGORY_TIMES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/kinds/category_rules.h"
#include "derive/kinds/named.h"
#include "derive/rows/scope.h"
#include "model/trace.h"

/* Which category a nanosecond belongs to in which several are under way. */
enum wl_attribution {
	WL_ATTRIBUTE_SHARE, /* to each, in equal parts, rounded once by largest remainder */
	WL_ATTRIBUTE_FIRST, /* to that of the operation which started first; of several on the
			       lowest stream, of several there the first row */
	WL_ATTRIBUTE_LAST,  /* to that of the operation at the other end of this order */
};

struct wl_category_time {
	int64_t instances; /* operations with a part in the window */
	int64_t sum;       /* of their durations there; stops at INT64_MAX */
	wl_ns active;      /* with an operation of the category under way */
	wl_ns exclusive;   /* and none of another */
	wl_ns elapsed;     /* attributed; adds up to busy over categories */
};

/* The categories of names and kinds of copies, each looked up once. */
struct wl_category_map {
	const uint8_t *of_kernel_name; /* by kernel name */
	uint8_t of_copy_kind[UINT8_MAX + 1];
	uint8_t of_memset, of_graph;
	size_t n_given_up; /* rules that took too long for a name */
};

/* Needs kernels name and memcpys kind. False when memory is exhausted. */
bool wl_category_map_make(const struct wl_trace *trace, const struct wl_named *named,
			  const struct wl_category_rules *rules, struct wl_arena *arena,
			  struct wl_category_map *ret) WL_MUST_CHECK;

/*
 * The default rules and their map; the map is the arena's.
 * Release the rules, also after a failure. False when memory is exhausted.
 */
bool wl_category_map_generic(const struct wl_trace *trace, const struct wl_named *named,
			     struct wl_arena *arena, struct wl_category_rules *rules,
			     struct wl_category_map *ret) WL_MUST_CHECK;

/* The number of an operation's category. */
uint8_t wl_category_of_op(const struct wl_trace *trace, const struct wl_category_map *map,
			  enum wl_op_kind kind, size_t row);

/* Whose times are asked for, and how. Borrowed. */
struct wl_category_question {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_category_map *map;
	size_t n; /* categories */
	uint32_t device;
	enum wl_attribution how;
};

/*
 * The times of each of n categories on one device, as far as the scope admits its
 * operations, and how long it is busy. Linear but for the heap of operations that
 * are under way, and 36 bytes per operation of scratch. False when the arena is
 * exhausted.
 */
bool wl_category_times_find(const struct wl_category_question *question, struct wl_arena *arena,
			    struct wl_category_time *ret, wl_ns *ret_busy) WL_MUST_CHECK;

/*
 * Divide a whole number: ns[c * (WL_MAX_CATEGORIES + 1) + k] nanoseconds of
 * category c had k categories under way, and count for 1/k each. The n results add
 * up to the whole, with the largest remainders rounded up, ties in order.
 */
void wl_category_shares(const wl_ns *ns, size_t n, wl_ns *ret);

#endif

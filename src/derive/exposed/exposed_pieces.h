/* SPDX-License-Identifier: MIT */
/* exposed_pieces.h - the exposed intervals of an operation, in order. */
#ifndef WL_DERIVE_EXPOSED_PIECES_H
#define WL_DERIVE_EXPOSED_PIECES_H

#include "derive/kinds/activity.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

/* Called with a nonempty [begin, end); the operation itself is not clipped. */
typedef void wl_exposed_fn(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end);

struct wl_exposed_question {
	const struct wl_trace *trace;
	const struct wl_scope *scope; /* which places count; the window does not matter */
	const struct wl_classes *classes;
	uint32_t device;
	enum wl_class class;                /* class of the operations */
	const struct wl_activity *activity; /* what is active on the device */
	unsigned hides;                     /* which activity hides them: bits of enum wl_active */
	wl_ns from;                         /* pieces before this time are left out */
	wl_ns until; /* operations that start at this time or later are left out of a visit */
};

/*
 * Visit the exposed pieces of all operations of the class, in order of time. They do not overlap:
 * when several operations are active, the time belongs to the one that started first. Linear in the
 * operations and the activity between from and until, and in what is active at from.
 */
void wl_exposed_visit(const struct wl_exposed_question *q, wl_exposed_fn *fn, void *ctx);

#endif

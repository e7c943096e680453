/* SPDX-License-Identifier: MIT */
/* exposed_pieces.h - the exposed intervals of an operation, in order. */
#ifndef WL_DERIVE_EXPOSED_PIECES_H
#define WL_DERIVE_EXPOSED_PIECES_H

#include "derive/kinds/activity.h"
#include "derive/rows/ops.h"
#include "derive/rows/scope.h"

/* [begin, end) is not empty; the operation is not clipped. */
typedef void wl_exposed_fn(void *ctx, const struct wl_op *op, wl_ns begin, wl_ns end);

struct wl_exposed_question {
	const struct wl_trace *trace;
	const struct wl_scope *scope; /* which places count; the window does not matter */
	const struct wl_classes *classes;
	uint32_t device;
	enum wl_class class;                /* whose operations */
	const struct wl_activity *activity; /* what is under way on the device */
	unsigned hides;                     /* which of that hides them: bits of enum wl_active */
	wl_ns from;                         /* what lies before it is left out */
	wl_ns until; /* operations that start then or later are, of a visit */
};

/*
 * Visit the pieces of all operations of the class that nothing hides, in order of time.
 * They do not overlap: a moment in which several operations are under way belongs to the
 * one that started first. Linear in the operations and the activity between from and until, and
 * in what is under way at from.
 */
void wl_exposed_visit(const struct wl_exposed_question *q, wl_exposed_fn *fn, void *ctx);

#endif

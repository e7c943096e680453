/* SPDX-License-Identifier: MIT */
/*
 * exposed_walk.h - exposed communication and copies of a device, in one pass.
 *
 * The pieces are those of exposed_pieces.h: of communication what compute does not hide, of
 * copies what neither hides. Here they come in order of time, without a list of what
 * hides them: the operations are looked at once, and kept are those that wait for
 * an earlier one of their class to end.
 *
 * Order of calls: init; to, with times that ascend; release.
 */
#ifndef WL_DERIVE_EXPOSED_WALK_H
#define WL_DERIVE_EXPOSED_WALK_H

#include "base/memory/vec.h"
#include "derive/exposed/exposed_pieces.h"

struct wl_exposed_walk { /* private */
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const struct wl_classes *classes;
	wl_exposed_fn *fn;
	void *ctx;
	struct wl_op_cursor cursor;
	struct wl_op next; /* to be looked at, while has_next */
	bool has_next;
	wl_ns now;           /* pieces before are known */
	wl_ns compute_until; /* compute is under way */
	struct {
		struct wl_vec own; /* struct own: what is each operation's, in order */
		size_t first;      /* that is not over */
		wl_ns taken;       /* the end of the last */
	} class[WL_N_CLASSES];
	struct wl_op op;          /* of the piece under way */
	struct wl_interval piece; /* empty for none */
};

/* The scope says which places count; its window does not matter. All must outlive the walk. */
void wl_exposed_walk_init(struct wl_exposed_walk *w, const struct wl_exposed_question *q,
			  struct wl_budget *budget, wl_exposed_fn *fn, void *ctx);

/* Visit the pieces before a time at which no operation is under way. False without memory. */
bool wl_exposed_walk_to(struct wl_exposed_walk *w, wl_ns to) WL_MUST_CHECK;

void wl_exposed_walk_release(struct wl_exposed_walk *w);

#endif

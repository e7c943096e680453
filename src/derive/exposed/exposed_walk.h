/* SPDX-License-Identifier: MIT */
/*
 * exposed_walk.h - exposed communication and copies of a device, in one pass.
 *
 * The pieces are those of exposed_pieces.h: communication not hidden by compute, and copies not
 * hidden by compute or communication. Here they come in order of time, without a list of the
 * activity that hides them: each operation is read once and kept only while an earlier one of its
 * class is still active.
 *
 * Order of calls: init; to, with ascending times; release.
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
	struct wl_op next; /* next operation to read; valid if has_next */
	bool has_next;
	wl_ns now;           /* pieces before this time are known */
	wl_ns compute_until; /* compute is active until then */
	struct {
		struct wl_vec own; /* struct own: the part that each operation owns, in order */
		size_t first;      /* the first entry that is not over */
		wl_ns taken;       /* the end of the last entry */
	} class[WL_N_CLASSES];
	struct wl_op op;          /* operation of the current piece */
	struct wl_interval piece; /* empty for none */
};

/* The scope says which places count; its window does not matter. All arguments must outlive the
 * walk. */
void wl_exposed_walk_init(struct wl_exposed_walk *w, const struct wl_exposed_question *q,
			  struct wl_budget *budget, wl_exposed_fn *fn, void *ctx);

/* Visit the pieces before a time at which no operation is active. False when memory is
 * exhausted. */
bool wl_exposed_walk_to(struct wl_exposed_walk *w, wl_ns to) WL_MUST_CHECK;

void wl_exposed_walk_release(struct wl_exposed_walk *w);

#endif

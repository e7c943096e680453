/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposed_pieces.h"

/* Progress of a visit. */
struct hiding {
	const struct wl_activity *by;
	unsigned mask;
	size_t at;   /* the first segment that hides something and does not end before taken */
	wl_ns taken; /* everything before this time is visited or hidden */
};

/* Visit the part of an operation that is neither taken nor hidden. */
static void visit_op(struct hiding *h, const struct wl_op *op, wl_exposed_fn *fn, void *ctx)
{
	const struct wl_activity *by = h->by;

	h->taken = op->start > h->taken ? op->start : h->taken;
	while (h->taken < op->end) {
		wl_ns end = op->end;

		while (h->at < by->n &&
		       (!(by->mask[h->at] & h->mask) || by->begin[h->at + 1] <= h->taken))
			h->at++;
		if (h->at < by->n && by->begin[h->at] < op->end)
			end = by->begin[h->at];
		if (h->taken < end)
			fn(ctx, op, h->taken, end);
		h->taken = end < op->end ? by->begin[h->at + 1] : end;
	}
}

/*
 * Operations of a class come in order of start. Time that an earlier operation has taken is
 * skipped; hidden parts of the rest are left out.
 */
void wl_exposed_visit(const struct wl_exposed_question *q, wl_exposed_fn *fn, void *ctx)
{
	struct hiding h = { .by = q->activity,
			    .mask = q->hides,
			    .at = wl_activity_after(q->activity, q->from),
			    .taken = q->from };
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(q->trace, q->device, &cursor);
	wl_ops_skip(&cursor, wl_activity_resumed(q->activity, q->from));
	while (wl_ops_next(&cursor, &op) && op.start < q->until) {
		if (q->scope->place_on[op.place] && op.end > h.taken &&
		    wl_class_of(q->trace, q->classes, op.family, op.row) == q->class)
			visit_op(&h, &op, fn, ctx);
	}
}

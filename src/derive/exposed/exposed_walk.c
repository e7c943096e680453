/* SPDX-License-Identifier: MIT */
#include "derive/exposed/exposed_walk.h"

/* When several operations of a class are active, the time belongs to the one that started first. */
struct own {
	wl_ns end; /* its part begins at the end of the part before it, or at its own start */
	struct wl_op op;
};

void wl_exposed_walk_init(struct wl_exposed_walk *w, const struct wl_exposed_question *q,
			  struct wl_budget *budget, wl_exposed_fn *fn, void *ctx)
{
	*w = (struct wl_exposed_walk){ .trace = q->trace,
				       .scope = q->scope,
				       .classes = q->classes,
				       .fn = fn,
				       .ctx = ctx,
				       .now = INT64_MIN,
				       .compute_until = INT64_MIN };
	for (unsigned i = 0; i < WL_N_CLASSES; i++) {
		wl_vec_init(&w->class[i].own, sizeof(struct own), budget);
		w->class[i].taken = INT64_MIN;
	}
	wl_ops_begin(q->trace, q->device, &w->cursor);
	w->has_next = wl_ops_next(&w->cursor, &w->next);
}

void wl_exposed_walk_release(struct wl_exposed_walk *w)
{
	for (unsigned i = 0; i < WL_N_CLASSES; i++)
		wl_vec_release(&w->class[i].own);
}

/* The operation of a class that owns the current time; NULL if none is active. */
static const struct own *owner(struct wl_exposed_walk *w, enum wl_class class)
{
	const struct own *own = w->class[class].own.data;
	size_t *first = &w->class[class].first;

	while (*first < w->class[class].own.n && own[*first].end <= w->now)
		++*first;
	if (*first < w->class[class].own.n)
		return &own[*first];
	/* Nothing is active: empty the vector, which then holds only operations that overlap. */
	*first = w->class[class].own.n = 0;
	return NULL;
}

static void flush(struct wl_exposed_walk *w)
{
	if (w->piece.begin < w->piece.end)
		w->fn(w->ctx, &w->op, w->piece.begin, w->piece.end);
	w->piece = (struct wl_interval){ 0, 0 };
}

static void put_piece(struct wl_exposed_walk *w, const struct wl_op *op, wl_ns end)
{
	/* Join adjacent pieces of one operation; the caller cuts them at its own bounds. */
	if (w->piece.begin < w->piece.end && w->piece.end == w->now && w->op.row == op->row &&
	    w->op.kind == op->kind) {
		w->piece.end = end;
		return;
	}
	flush(w);
	w->op = *op;
	w->piece = (struct wl_interval){ w->now, end };
}

/* Advance to a time before which no further operation starts. */
static void advance(struct wl_exposed_walk *w, wl_ns to)
{
	while (w->now < to) {
		const struct own *own;
		wl_ns until = to;

		/* Compute hides everything, so no owner is needed meanwhile. */
		if (w->compute_until > w->now) {
			w->now = w->compute_until < to ? w->compute_until : to;
			continue;
		}
		/* Communication hides copies. */
		own = owner(w, WL_COMM);
		if (!own)
			own = owner(w, WL_COPY);
		if (own) {
			until = own->end < to ? own->end : to;
			put_piece(w, &own->op, until);
		}
		w->now = until;
	}
}

static void add(struct wl_exposed_walk *w, const struct wl_op *op)
{
	enum wl_class class = wl_class_of(w->trace, w->classes, op->family, op->row);

	/*
	 * A communication or copy that ends before an earlier one of its class never owns any time
	 * and is left out.
	 */
	if (class == WL_COMPUTE) {
		w->compute_until = op->end > w->compute_until ? op->end : w->compute_until;
	} else if (op->start < op->end && op->end > w->class[class].taken) {
		(void)owner(w, class); /* drops operations that are over */
		wl_vec_push(&w->class[class].own, &(struct own){ op->end, *op });
		w->class[class].taken = op->end;
	}
}

bool wl_exposed_walk_to(struct wl_exposed_walk *w, wl_ns to)
{
	while (w->has_next && w->next.start < to) {
		if (w->scope->place_on[w->next.place]) {
			advance(w, w->next.start);
			add(w, &w->next);
		}
		w->has_next = wl_ops_next(&w->cursor, &w->next);
	}
	advance(w, to);
	flush(w);
	return !w->class[WL_COMM].own.failed && !w->class[WL_COPY].own.failed;
}

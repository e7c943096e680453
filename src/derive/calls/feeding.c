/* SPDX-License-Identifier: MIT */
#include "derive/calls/feeding.h"

/* Operations that start together. */
struct starting {
	bool any;
	struct wl_op first; /* the one that counts */
	wl_ns end;          /* the latest end */
};

struct feeding {
	const struct wl_links *links;
	wl_feeding_fn *take;
	void *ctx;
	bool began;
	struct wl_op last; /* the operation that started last */
	wl_ns until;       /* the device is busy, or was, up to here */
};

/* The busy time from the last start to another is of the operation that follows. */
static void give(const struct feeding *f, const struct wl_op *next, wl_ns to)
{
	wl_ns end = f->until < to ? f->until : to;

	if (f->began && f->last.start < end)
		f->take(f->ctx, wl_link_of(f->links, next->kind, next->row), f->last.start, end);
}

/* No more operations start with these. */
static void begin_next(struct feeding *f, const struct starting *s)
{
	if (!s->any || s->end == s->first.start)
		return;
	give(f, &s->first, s->first.start);
	f->until = f->began && f->until > s->end ? f->until : s->end;
	f->last = s->first;
	f->began = true;
}

void wl_feeding_visit(const struct wl_trace *trace, const struct wl_links *links,
		      const struct wl_scope *scope, uint32_t device, wl_feeding_fn *take, void *ctx)
{
	struct feeding f = { .links = links, .take = take, .ctx = ctx };
	struct starting s = { .any = false };
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (!scope->place_on[op.place])
			continue;
		if (s.any && op.start > s.first.start) {
			begin_next(&f, &s);
			s.any = false;
		}
		if (!s.any || wl_op_counts_first(trace, &op, &s.first))
			s.first = op;
		s.end = !s.any || op.end > s.end ? op.end : s.end;
		s.any = true;
	}
	begin_next(&f, &s);
	give(&f, &f.last, INT64_MAX);
}

/* SPDX-License-Identifier: MIT */
/* rows_counters.c - counters of a GPU: busy time and exposed communication. */
#include "derive/kinds/classes.h"
#include "export/timeline/counters.h"
#include "export/timeline/walk.h"

/* A counter and its row, which is announced with the first value. */
struct counter_row {
	struct wl_walk *walk;
	struct wl_lazy_row row;
	struct wl_counter counter;
};

struct counters {
	struct wl_walk *walk;
	struct counter_row busy, comm;
	struct wl_interval *work; /* NULL if it is not wanted */
	struct wl_interval window;
};

static void write_value(void *ctx, wl_ns at, int64_t value)
{
	struct counter_row *c = ctx;
	struct wl_emitter *e = c->walk->emitter;

	e->ops->count(e, wl_lazy_row_id(c->walk, &c->row), at, value);
}

static void take_piece(void *ctx, const struct wl_lane_event *e)
{
	struct counters *c = ctx;

	if (!wl_walk_goes_on(c->walk))
		return;
	if (c->work && c->work->end <= c->work->begin)
		c->work->begin = e->start;
	if (c->work)
		c->work->end = e->end;
	wl_counter_put(&c->busy.counter, e->start, e->end);
	if (e->cat == WL_COMM)
		wl_counter_put(&c->comm.counter, e->start, e->end);
}

static void init(struct counter_row *c, struct wl_walk *w, const char *name, uint32_t order,
		 struct wl_lazy_row *gpu, struct wl_interval window)
{
	*c = (struct counter_row){
		.walk = w,
		.row = { .row = { .kind = WL_EMIT_COUNTER,
				  .name = name,
				  .order = order,
				  .n_events = 1,
				  .unit = "%",
				  .decimals = 2 },
			 .parent = gpu },
		.counter = { .window = window,
			     .bin = wl_counter_bin(window),
			     .write = write_value },
	};
	c->counter.ctx = c;
}

static void end(struct counter_row *c)
{
	wl_counter_end(&c->counter);
	if (c->row.row.id)
		c->walk->emitter->ops->close(c->walk->emitter, c->row.row.id);
}

void wl_rows_counters(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu)
{
	uint32_t device = w->tracks->at[track].device;
	struct wl_interval window = w->scope->device[device], all = w->tracks->extent;
	struct counters c = { .walk = w, .work = w->work ? &w->work[device] : NULL };

	window.begin = window.begin > all.begin ? window.begin : all.begin;
	window.end = window.end < all.end ? window.end : all.end;
	if (window.end <= window.begin || !wl_walk_goes_on(w))
		return;
	init(&c.busy, w, "Busy %", 1, gpu, window);
	init(&c.comm, w, "Comm exposed %", 2, gpu, window);
	gpu->next_order = 2;
	if (!wl_track_visit(w->tracks, track, &w->filter, w->budget, take_piece, &c))
		w->failed = true;
	if (!wl_walk_goes_on(w))
		return;
	end(&c.busy);
	end(&c.comm);
}

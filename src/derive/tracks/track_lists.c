/* SPDX-License-Identifier: MIT */
/*
 * track_lists.c - operations sorted by stream, and by the thread that launched them.
 *
 * A family is ordered by device and start, so that the operations of one stream are spread over
 * those of its device. A trace may have thousands of streams: a row must not have to scan the
 * operations of all others. Takes four bytes per operation and list.
 */
#include "base/memory/intern.h"
#include "base/process/pool.h"
#include "derive/rows/ops.h"
#include "derive/tracks/tracks_inside.h"

struct listing {
	const struct wl_trace *trace;
	const struct wl_tracks_inside *in;
	uint32_t *ref;                  /* stream by stream */
	struct wl_track_ops *of_stream; /* n: number listed so far */
	struct wl_device_ops *of_device;
};

/* Communication is launched ahead and runs at other times: ranges are projected on compute without
 * it. */
struct launcher {
	uint32_t thread, is_compute;
};

struct item {
	uint32_t ref, launcher; /* its number among those found */
};

/* One device's operations inside ranges, before they are sorted by thread. */
struct attributed {
	struct wl_vec item;        /* struct item */
	struct wl_intern launcher; /* struct launcher: those found so far */
	struct wl_vec count;       /* size_t, by number of the launcher */
};

static void attribute(const struct listing *l, uint32_t ref, struct attributed *a)
{
	const struct wl_track_op op = wl_track_op_of(ref);
	struct item item = { .ref = ref };
	struct launcher launcher;

	if (wl_track_op_node(l->in, ref) == WL_NONE &&
	    wl_track_op_span(l->trace, l->in, ref) == WL_NONE)
		return;
	launcher.thread = wl_api_thread(l->trace)[wl_track_op_call(l->in, ref)];
	launcher.is_compute = wl_class_of(l->trace, l->in->classes, wl_op_families[op.kind],
					  op.row) == WL_COMPUTE;
	item.launcher = wl_intern_put(&a->launcher, &launcher);
	if (item.launcher == a->count.n)
		wl_vec_push(&a->count, &(size_t){ 0 });
	wl_vec_push(&a->item, &item);
	if (item.launcher == WL_NONE || a->count.failed)
		a->item.failed = true;
	else
		((size_t *)a->count.data)[item.launcher]++;
}

static void list_device(const struct listing *l, uint32_t device, struct attributed *a)
{
	struct wl_device_ops *of_device = &l->of_device[device];
	struct wl_op_cursor cursor;
	struct wl_op op;

	wl_ops_begin(l->trace, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		struct wl_track_ops *list = &l->of_stream[l->in->streams.of_place[op.place]];
		uint32_t ref = wl_track_ref(op.family, (uint32_t)op.row);

		if (!l->in->scope.place_on[op.place] || ref == WL_NONE)
			continue;
		l->ref[(size_t)(list->ref - l->ref) + list->n++] = ref;
		if (of_device->n++ == 0)
			of_device->extent = (struct wl_interval){ op.start, op.end };
		if (op.end > of_device->extent.end)
			of_device->extent.end = op.end;
		attribute(l, ref, a);
	}
}

/* Deal the operations out to their launchers, in the order in which these were found. */
static bool deal(const struct listing *l, uint32_t device, const struct attributed *a,
		 struct wl_arena *arena)
{
	const struct item *item = a->item.data;
	const size_t *count = a->count.data;
	size_t n = a->count.n, at = 0;
	struct wl_launched_ops *launched = WL_NEW(arena, struct wl_launched_ops, n);
	uint32_t *sorted = WL_NEW(arena, uint32_t, a->item.n);

	if (a->item.failed || !launched || !sorted)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct launcher *launcher =
			(const struct launcher *)a->launcher.items.data + i;

		launched[i].thread = launcher->thread;
		launched[i].is_compute = launcher->is_compute != 0;
		launched[i].ops.ref = sorted + at;
		at += count[i];
	}
	for (size_t i = 0; i < a->item.n; i++) {
		struct wl_track_ops *ops = &launched[item[i].launcher].ops;

		sorted[(size_t)(ops->ref - sorted) + ops->n++] = item[i].ref;
	}
	l->of_device[device].launched = launched;
	l->of_device[device].n_launched = n;
	return true;
}

static bool make_device(void *ctx, size_t device, struct wl_arena *arena)
{
	const struct listing *l = ctx;
	struct wl_budget *budget = wl_arena_budget(arena);
	struct attributed a;
	bool ok;

	if (!l->in->scope.device_on[device])
		return true;
	wl_vec_init(&a.item, sizeof(struct item), budget);
	wl_vec_init(&a.count, sizeof(size_t), budget);
	wl_intern_init(&a.launcher, sizeof(struct launcher), budget);
	list_device(l, (uint32_t)device, &a);
	ok = deal(l, (uint32_t)device, &a, arena);
	wl_intern_release(&a.launcher);
	wl_vec_release(&a.count);
	wl_vec_release(&a.item);
	return ok;
}

bool wl_track_lists_make(const struct wl_trace *trace, const struct wl_stream_use *use,
			 struct wl_pool *pool, struct wl_arena *arena, struct wl_tracks_inside *in)
{
	struct listing l = { .trace = trace, .in = in };
	size_t n = 0;

	for (size_t i = 0; i < in->streams.n; i++)
		n += use[i].n_ops;
	l.ref = WL_NEW(arena, uint32_t, n);
	l.of_stream = WL_NEW(arena, struct wl_track_ops, in->streams.n);
	l.of_device = WL_NEW(arena, struct wl_device_ops, trace->n_devices);
	if (!l.ref || !l.of_stream || !l.of_device)
		return false;
	n = 0;
	for (size_t i = 0; i < in->streams.n; i++) {
		l.of_stream[i].ref = l.ref + n;
		n += use[i].n_ops;
	}
	if (!wl_pool_map(pool, trace->n_devices, make_device, &l, arena))
		return false;
	in->of_stream = l.of_stream;
	in->of_device = l.of_device;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* tracks_find.c - finds the rows of a timeline, in their order. */
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/tracks/tracks_inside.h"

struct finder {
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	struct wl_arena *arena;
	struct wl_tracks_inside *in;
	struct wl_tracks *tracks;
	struct wl_labelling labels;
	struct wl_track_threads threads;
	struct wl_vec list; /* struct wl_track */
	struct wl_vec ops;  /* struct wl_track_ops, by track */
	uint32_t *track_of_stream, *track_of_thread[WL_N_FAMILIES];
	uint32_t next_counter; /* counters are by device */
	struct wl_track_extent extent;
};

static bool find_ops(struct finder *f)
{
	f->labels.use = wl_stream_use_find(f->derived, &f->in->scope, &f->in->streams, f->arena);
	return f->labels.use &&
	       wl_track_lists_make(f->trace, f->labels.use, f->derived->opts.pool, f->arena,
				   f->in) &&
	       wl_labelling_init(&f->labels);
}

static size_t length(struct wl_slice slice)
{
	return slice.hi - slice.lo;
}

/* Append a row; WL_NONE if out of memory, which the vector records. */
static uint32_t add(struct finder *f, const struct wl_track *track, struct wl_track_ops ops,
		    bool several)
{
	struct wl_track named = *track;

	if (!wl_track_name(&f->labels, &named, several))
		f->list.failed = true;
	wl_vec_push(&f->list, &named);
	wl_vec_push(&f->ops, &ops);
	return f->list.failed ? WL_NONE : (uint32_t)(f->list.n - 1);
}

static const struct wl_track_ops no_ops;

/* The members that the rows of a device share. */
static struct wl_track device_track(enum wl_track_kind kind, uint32_t parent, uint32_t device)
{
	return (struct wl_track){ .kind = kind,
				  .parent = parent,
				  .device = device,
				  .process = WL_NONE,
				  .thread = WL_NONE,
				  .stream = WL_NONE,
				  .counter = WL_NONE };
}

static void add_iterations(struct finder *f, uint32_t parent, uint32_t device)
{
	struct wl_track track = device_track(WL_TRACK_ITERATIONS, parent, device);

	track.process = wl_device_iterates_with(&f->in->users, f->tracks->iterations, device);
	if (track.process == WL_NONE)
		return;
	track.n_events = f->tracks->iterations->process[track.process].n;
	(void)add(f, &track, no_ops, false);
}

struct launchers {
	const struct wl_launched_ops *launched;
	const uint32_t *place;
};

static bool launcher_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct launchers *l = ctx;

	if (l->launched[a].thread != l->launched[b].thread)
		return l->place[l->launched[a].thread] < l->place[l->launched[b].thread];
	return l->launched[a].is_compute && !l->launched[b].is_compute;
}

static bool are_of_one_thread(const struct wl_device_ops *ops)
{
	for (size_t i = 1; i < ops->n_launched; i++) {
		if (ops->launched[i].thread != ops->launched[0].thread)
			return false;
	}
	return true;
}

/* Add them in the order of the threads' own rows. */
static void add_launched(struct finder *f, uint32_t parent, uint32_t device)
{
	const struct wl_device_ops *ops = &f->in->of_device[device];
	const struct launchers launchers = { ops->launched, f->threads.place };
	uint32_t *order = WL_NEW(f->arena, uint32_t, 2 * ops->n_launched);

	f->list.failed = f->list.failed || !order;
	if (order)
		wl_sort_all(order, ops->n_launched, launcher_less, &launchers);
	for (size_t i = 0; order && i < ops->n_launched; i++) {
		const struct wl_launched_ops *l = &ops->launched[order[i]];
		struct wl_track track = device_track(
			l->is_compute ? WL_TRACK_NVTX_GPU : WL_TRACK_NVTX_COMM, parent, device);

		track.process = f->trace->threads[l->thread].process;
		track.thread = l->thread;
		track.n_events = length(f->in->forest->nodes[l->thread]);
		if (f->in->spans.n)
			track.n_events += length(f->in->spans.of_thread[l->thread]);
		(void)add(f, &track, l->ops, !are_of_one_thread(ops));
	}
}

static void add_streams(struct finder *f, uint32_t parent, uint32_t device)
{
	const struct wl_streams *streams = &f->in->streams;
	size_t hi = wl_streams_from_device(f->trace, streams, device + 1);

	for (size_t i = wl_streams_from_device(f->trace, streams, device); i < hi; i++) {
		struct wl_track track = device_track(WL_TRACK_STREAM, parent, device);

		if (f->in->of_stream[i].n == 0)
			continue;
		track.process = f->trace->places[streams->place[i]].process;
		track.stream = (uint32_t)i;
		track.n_events = f->in->of_stream[i].n;
		f->track_of_stream[i] = add(f, &track, f->in->of_stream[i], false);
	}
}

/* The only process with streams on the device; WL_NONE for several. */
static uint32_t process_on(const struct finder *f, uint32_t device)
{
	const struct wl_streams *streams = &f->in->streams;
	size_t hi = wl_streams_from_device(f->trace, streams, device + 1);
	uint32_t only = WL_NONE;

	for (size_t i = wl_streams_from_device(f->trace, streams, device); i < hi; i++) {
		uint32_t process = f->trace->places[streams->place[i]].process;

		if (f->in->of_stream[i].n == 0)
			continue;
		if (only != WL_NONE && only != process)
			return WL_NONE;
		only = process;
	}
	return only;
}

static void add_counters(struct finder *f, uint32_t parent, uint32_t device)
{
	const struct wl_tracks *tracks = f->tracks;

	/* Skip the counters of a device that did nothing. */
	while (f->next_counter < tracks->n_counters &&
	       tracks->counter[f->next_counter].device <= device) {
		struct wl_track track = device_track(WL_TRACK_COUNTER, parent, device);
		uint32_t i = f->next_counter++;

		if (tracks->counter[i].device != device)
			continue;
		track.counter = i;
		track.n_events = wl_track_n_samples(tracks, f->in, i);
		(void)add(f, &track, no_ops, false);
	}
}

static void add_device(struct finder *f, uint32_t device)
{
	const struct wl_device_ops *ops = &f->in->of_device[device];
	struct wl_track track = device_track(WL_TRACK_GPU, WL_NONE, device);
	uint32_t parent;

	/* Several processes on one device have no common name; the row then has none. */
	track.process = process_on(f, device);
	track.n_events = ops->n;
	parent = add(f, &track, no_ops, false);
	/* A GPU that is selected but did nothing keeps its row, with nothing below it. */
	if (ops->n == 0)
		return;
	wl_extent_cover(&f->extent, ops->extent.begin, ops->extent.end);
	add_iterations(f, parent, device);
	add_launched(f, parent, device);
	add_streams(f, parent, device);
	track.kind = WL_TRACK_GAPS;
	track.parent = parent;
	(void)add(f, &track, no_ops, false);
	add_counters(f, parent, device);
}

static void add_thread_row(struct finder *f, const struct wl_row_kind *kind, uint32_t parent,
			   uint32_t thread)
{
	const struct wl_track track = { .kind = kind->id,
					.parent = parent,
					.device = WL_NONE,
					.process = f->trace->threads[thread].process,
					.thread = thread,
					.stream = WL_NONE,
					.counter = WL_NONE,
					.n_events = wl_track_n_of_thread(f->in, kind, thread) };

	if (track.n_events)
		f->track_of_thread[kind->family][thread] = add(f, &track, no_ops, false);
}

static size_t n_of_thread(const struct finder *f, uint32_t thread)
{
	size_t n = 0;

	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		if (wl_row_is_of_thread(&wl_row_kinds[k]))
			n += wl_track_n_of_thread(f->in, &wl_row_kinds[k], thread);
	}
	return n;
}

/* Add the threads of a process, from the i-th on; returns the first thread of the next process. */
static size_t add_process(struct finder *f, size_t i)
{
	uint32_t process = f->trace->threads[f->threads.at[i].thread].process;
	struct wl_track track = device_track(WL_TRACK_PROCESS, WL_NONE, WL_NONE);
	uint32_t parent;
	size_t end = i;

	track.process = process;
	for (;
	     end < f->threads.n && f->trace->threads[f->threads.at[end].thread].process == process;
	     end++)
		track.n_events += n_of_thread(f, f->threads.at[end].thread);
	parent = add(f, &track, no_ops, false);
	for (; i < end; i++) {
		for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
			if (wl_row_is_of_thread(&wl_row_kinds[k]))
				add_thread_row(f, &wl_row_kinds[k], parent,
					       f->threads.at[i].thread);
		}
	}
	return end;
}

/* Add a row with a family's rows of all threads. */
static void add_trace_row(struct finder *f, const struct wl_row_kind *kind)
{
	const struct wl_trace *t = f->trace;
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, kind->family);
	struct wl_track track = device_track(kind->id, WL_NONE, WL_NONE);

	for (size_t i = 0; i < rows.n; i++) {
		if (!f->in->scope.process_on[t->threads[rows.thread[i]].process])
			continue;
		wl_extent_cover(&f->extent, rows.start[i], wl_thread_row_end(&rows, i));
		track.n_events++;
	}
	if (track.n_events)
		(void)add(f, &track, no_ops, false);
}

/* The number of segments is not known yet, but is less than twice that of activities. */
static void add_path(struct finder *f)
{
	struct wl_track track = device_track(WL_TRACK_PATH, WL_NONE, WL_NONE);

	for (uint32_t d = 0; d < f->trace->n_devices; d++)
		track.n_events += f->in->scope.device_on[d] ? f->in->of_device[d].n : 0;
	if (track.n_events)
		(void)add(f, &track, no_ops, false);
}

static uint32_t *make_none(struct wl_arena *arena, size_t n)
{
	uint32_t *of = WL_NEW(arena, uint32_t, n);

	for (size_t i = 0; of && i < n; i++)
		of[i] = WL_NONE;
	return of;
}

static bool make_maps(struct finder *f)
{
	f->in->track_of_stream = f->track_of_stream = make_none(f->arena, f->in->streams.n);
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		const struct wl_row_kind *kind = &wl_row_kinds[k];
		uint32_t *of;

		if (!wl_row_is_of_thread(kind))
			continue;
		of = make_none(f->arena, f->trace->n_threads);
		if (!of)
			return false;
		f->in->track_of_thread[kind->family] = f->track_of_thread[kind->family] = of;
	}
	return f->track_of_stream != NULL;
}

static void add_all(struct finder *f)
{
	for (uint32_t d = 0; d < f->trace->n_devices; d++) {
		if (f->in->scope.device_on[d])
			add_device(f, d);
	}
	for (size_t i = 0; i < f->threads.n;)
		i = add_process(f, i);
	for (size_t k = 0; k < WL_N_TRACK_KINDS; k++) {
		if (wl_row_kinds[k].of == WL_OF_TRACE && wl_row_kinds[k].holds == WL_HOLDS_CALLS)
			add_trace_row(f, &wl_row_kinds[k]);
	}
	add_path(f);
}

/* Move the vectors to the arena. */
static bool keep(struct finder *f)
{
	const struct wl_track *list = f->list.data;
	const struct wl_track_ops *ops = f->ops.data;
	struct wl_track *at = WL_NEW(f->arena, struct wl_track, f->list.n);
	struct wl_track_ops *kept = WL_NEW(f->arena, struct wl_track_ops, f->list.n);

	if (f->list.failed || f->ops.failed || !at || !kept)
		return false;
	for (size_t i = 0; i < f->list.n; i++) {
		at[i] = list[i];
		kept[i] = ops[i];
	}
	f->in->ops = kept;
	f->tracks->at = at;
	f->tracks->n = f->list.n;
	f->tracks->inside = f->in;
	f->tracks->extent = f->extent.at;
	/* Never empty: views divide by the length of the extent. */
	if (f->extent.at.end <= f->extent.at.begin)
		f->tracks->extent.end = f->extent.at.begin + 1;
	return true;
}

bool wl_tracks_find(const struct wl_derived *derived, const struct wl_scope *scope,
		    struct wl_arena *arena, struct wl_tracks *ret)
{
	struct finder f = { .derived = derived,
			    .trace = derived->trace,
			    .arena = arena,
			    .in = WL_NEW(arena, struct wl_tracks_inside, 1),
			    .tracks = ret };
	bool ok;

	*ret = (struct wl_tracks){ .trace = derived->trace };
	if (!f.in)
		return false;
	f.labels = (struct wl_labelling){ .trace = f.trace, .inside = f.in, .arena = arena };
	wl_vec_init(&f.list, sizeof(struct wl_track), wl_arena_budget(arena));
	wl_vec_init(&f.ops, sizeof(struct wl_track_ops), wl_arena_budget(arena));
	ok = wl_track_sources_find(derived, scope, arena, f.in, ret) && find_ops(&f) &&
	     wl_track_threads_find(f.trace, f.in, arena, &f.extent, &f.threads) && make_maps(&f);
	f.labels.counter = ret->counter;
	if (ok) {
		add_all(&f);
		ok = keep(&f);
	}
	wl_vec_release(&f.ops);
	wl_vec_release(&f.list);
	return ok;
}

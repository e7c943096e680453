/* SPDX-License-Identifier: MIT */
/* window_apply.c - a window meets a trace: each device and process gets its interval. */
#include "analysis/words/step_words.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/project.h"
#include "session/select/extent.h"
#include "session/select/window.h"

static void apply_all(const struct wl_windowing *to, struct wl_interval w, struct wl_interval host)
{
	const struct wl_trace *t = to->derived->trace;

	for (size_t i = 0; i < t->n_devices; i++) {
		if (to->scope->device_on[i])
			to->device[i] = w;
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		if (to->scope->process_on[i])
			to->process[i] = host;
	}
}

/* A window that nothing in the trace has a part in is a slip of the unit or of the clock. */
static int check_overlap(const struct wl_windowing *to, struct wl_interval w, struct wl_err *reterr)
{
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];
	struct wl_interval all;

	if (!wl_recorded_find(to->derived->trace, w, &all))
		return WL_OK;
	(void)wl_fmt_time(begin, all.begin, WL_UNIT_AUTO);
	(void)wl_fmt_time(end, all.end, WL_UNIT_AUTO);
	if (w.begin > all.end || w.end < all.begin)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "--window: nothing was recorded there; the trace runs from %s to %s",
			       begin, end);
	if (w.begin < all.begin || w.end > all.end)
		wl_scope_note(
			to->notes, to->arena,
			"the window exceeds the trace (%s to %s); time outside counts as idle",
			begin, end);
	return WL_OK;
}

/* The times that are meant. An open end is the extent for devices and unlimited for the host. */
struct meant {
	struct wl_interval device, host;
	struct wl_interval asked; /* that of the host, with the extent where it is open */
};

/* False where times count from the first operation, and there is none. */
static bool find_times(const struct wl_window *window, const struct wl_trace *t,
		       const struct wl_scope *scope, struct meant *ret)
{
	struct wl_interval w = { 0, 0 }, all = { 0, 0 }, host = { -WL_TIME_MAX, WL_TIME_MAX };

	/*
	 * Relative times count from the first operation of the trace, selected or not, so that a
	 * selection does not move the window. Both terms of a sum are within WL_TIME_MAX.
	 */
	if ((window->begin_relative || window->end_relative) && !wl_extent_find(t, NULL, &all))
		return false;
	(void)wl_extent_find(t, scope, &w);
	if (window->has_begin)
		w.begin = host.begin = window->begin + (window->begin_relative ? all.begin : 0);
	if (window->has_end)
		w.end = host.end = window->end + (window->end_relative ? all.begin : 0);
	/*
	 * The extent stands in for an open end and may lie before the given begin; a relative and
	 * an absolute end may cross, too.
	 */
	if (w.end < w.begin)
		w.end = w.begin;
	*ret = (struct meant){ w,
			       host,
			       { window->has_begin ? host.begin : w.begin,
				 window->has_end ? host.end : w.end } };
	return true;
}

static int apply_times(const struct wl_window *window, const struct wl_windowing *to,
		       struct wl_err *reterr)
{
	struct meant meant;

	if (!find_times(window, to->derived->trace, to->scope, &meant))
		return wl_fail(reterr, WL_E_NODATA,
			       "--window: \"+\" counts from the first GPU operation, and this "
			       "trace has no GPU work");
	apply_all(to, meant.device, meant.host);
	return check_overlap(to, meant.asked, reterr);
}

bool wl_window_is_within(const struct wl_window *window, const struct wl_trace *t)
{
	struct wl_interval all;
	struct meant meant;

	if (window->kind != WL_WINDOW_TIMES || !find_times(window, t, NULL, &meant))
		return true;
	return wl_recorded_find(t, meant.asked, &all) && wl_is_within(all, meant.asked);
}

/* A device shared by several processes gets the hull of their windows. */
static void widen(struct wl_interval *device, struct wl_interval w)
{
	/* An empty interval is one that no process has set. */
	if (device->begin == device->end) {
		*device = w;
		return;
	}
	device->begin = w.begin < device->begin ? w.begin : device->begin;
	device->end = w.end > device->end ? w.end : device->end;
}

static size_t most_instances(const struct wl_projection *p, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = p[i].n_instances > most ? p[i].n_instances : most;
	return most;
}

/* NAME#k is the range called just that, as ProfilerStep#12 is, or else the k-th one called NAME. */
static const struct wl_projection *find_ranges(const struct wl_window *window,
					       const struct wl_windowing *to, size_t *ret_instance)
{
	const struct wl_derived *d = to->derived;
	const struct wl_projection *p = wl_project_named(d, window->whole, 0, to->arena);

	*ret_instance = 0;
	if (!p || !window->has_instance || most_instances(p, d->trace->n_processes))
		return p;
	*ret_instance = window->instance;
	return wl_project_named(d, window->name, window->instance, to->arena);
}

/* Say where the range is, for a window in time. */
static int no_work(const struct wl_window *window, const struct wl_windowing *to,
		   const struct wl_projection *p, struct wl_err *reterr)
{
	const struct wl_trace *t = to->derived->trace;
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];
	size_t i = 0;
	wl_ns start;

	while (i < t->n_processes && (!to->scope->process_on[i] || p[i].row == WL_NONE))
		i++;
	if (i == t->n_processes)
		return wl_fail(reterr, WL_E_USAGE,
			       "--window nvtx:%.200s: no selected process has this range",
			       window->whole);
	start = wl_nvtx_start(t)[p[i].row];
	return wl_fail(reterr, WL_E_USAGE,
		       "--window nvtx:%.200s: no GPU operation was launched while the range was "
		       "open (%s to %s); select the time around it with --window A..B",
		       window->whole, wl_fmt_time(begin, start, WL_UNIT_AUTO),
		       wl_fmt_time(end,
				   start + wl_dur(&t->family[WL_F_NVTX], wl_nvtx_dur(t), p[i].row),
				   WL_UNIT_AUTO));
}

/* Of the selected processes that have the range: with GPU work, bridged work, none. */
struct projected {
	size_t n_with, n_bridged, n_without;
};

static struct projected set_processes(const struct wl_windowing *to, const struct wl_projection *p)
{
	struct projected found = { 0, 0, 0 };

	for (size_t i = 0; i < to->derived->trace->n_processes; i++) {
		if (!to->scope->process_on[i] || p[i].row == WL_NONE)
			continue;
		found.n_without += p[i].n_ops == 0;
		found.n_with += p[i].n_ops != 0;
		found.n_bridged += p[i].n_ops && p[i].is_bridged;
		/* Processes without work in the range keep their empty window. */
		if (p[i].n_ops)
			to->process[i] = p[i].span;
	}
	return found;
}

static void note_ranges(const struct wl_window *window, const struct projected *found, size_t most,
			const struct wl_windowing *to)
{
	struct wl_scope_notes *notes = to->notes;
	struct wl_arena *arena = to->arena;

	if (!window->has_instance && most > 1)
		wl_scope_note(notes, arena,
			      "using the first of up to %zu matching ranges; select another "
			      "with nvtx:NAME#k",
			      most);
	if (found->n_bridged)
		wl_scope_note(notes, arena,
			      "the range's own thread launched nothing; the window is GPU work "
			      "that other threads launched meanwhile");
	if (found->n_without)
		wl_scope_note(notes, arena, "the range launched no GPU operation in %zu process%s",
			      found->n_without, found->n_without == 1 ? "" : "es");
}

/* WL_OK, or what is wrong with the range that the window names. */
static int check_range(const struct wl_window *window, size_t most, size_t instance,
		       struct wl_err *reterr)
{
	if (most == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "--window nvtx:%.200s: no such range; find names with "
			       "\"warplens search PATTERN TRACE --in nvtx\"",
			       window->name);
	if (instance >= most)
		return wl_fail(
			reterr, WL_E_USAGE,
			"--window nvtx:%.200s#%zu: the range occurs %zu times, counted from 0",
			window->name, instance, most);
	return WL_OK;
}

static int apply_nvtx(const struct wl_window *window, const struct wl_windowing *to,
		      struct wl_err *reterr)
{
	const struct wl_trace *t = to->derived->trace;
	const struct wl_projection *p;
	struct projected found;
	size_t most, instance;
	int r;

	if (!t->family[WL_F_NVTX].n || !t->family[WL_F_API].n)
		return wl_fail(reterr, WL_E_NODATA,
			       "--window nvtx: needs NVTX ranges and CUDA API calls; record with "
			       "nsys profile --trace=cuda,nvtx");
	p = find_ranges(window, to, &instance);
	if (!p)
		return wl_fail(reterr, WL_E_NOMEM, "--window nvtx: no memory to find the range");
	most = most_instances(p, t->n_processes);
	r = check_range(window, most, instance, reterr);
	if (r < 0)
		return r;
	found = set_processes(to, p);
	if (found.n_with == 0)
		return no_work(window, to, p, reterr);
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *place = &t->places[i];

		if (to->scope->place_on[i] && p[place->process].n_ops)
			widen(&to->device[place->device], p[place->process].span);
	}
	note_ranges(window, &found, most, to);
	return WL_OK;
}

/* The process's tiles from the first iteration asked for to the last; false if it has none of them.
 */
static bool find_tiles(const struct wl_window *window, const struct wl_process_iters *p,
		       struct wl_interval *ret)
{
	size_t first = window->first, last = window->last;

	/* A process without a steady iteration has WL_NONE there, which is beyond any count. */
	if (window->kind == WL_WINDOW_STEADY)
		first = last = p->steady;
	else if (window->kind == WL_WINDOW_MIDDLE)
		first = last = p->n / 2;
	if (first >= p->n)
		return false;
	/*
	 * Ranks may differ by an iteration at the end of a capture; the shorter ones give what they
	 * have.
	 */
	last = last < p->n ? last : p->n - 1;
	*ret = (struct wl_interval){ p->at[first].tile.begin, p->at[last].tile.end };
	return true;
}

static bool note_iterations(const struct wl_window *window, const struct wl_windowing *to)
{
	const struct wl_trace *t = to->derived->trace;
	const struct wl_iterations *all = to->derived->iterations;
	const char *const *note = wl_iterations_notes(t, all, to->scope->process_on, to->arena);
	struct wl_scope_notes *notes = to->notes;
	struct wl_arena *arena = to->arena;
	size_t n_without = 0, n_few = 0;
	struct wl_interval w;

	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		/* A launcher process has no steps, and that is not worth a note. */
		if (!t->processes[i].on_gpu || !to->scope->process_on[i])
			continue;
		n_without += !find_tiles(window, p, &w);
		/* From five iterations on the choice leaves out the first, which warms up. */
		n_few += window->kind == WL_WINDOW_STEADY && p->n > 1 && p->n < 5;
	}
	if (n_without)
		wl_scope_note(notes, arena, "no such step in %zu process%s: empty window there",
			      n_without, n_without == 1 ? "" : "es");
	if (n_few)
		wl_scope_note(
			notes, arena,
			"fewer than 5 steps: \"steady\" is the median of all steps with a period");
	if (window->kind == WL_WINDOW_STEADY && all->n_uneven)
		wl_scope_note(notes, arena, WL_STEADY_UNEVEN, all->n_uneven);
	for (; note && *note; note++)
		wl_scope_note_step(notes, arena, *note);
	return note != NULL;
}

static int apply_iterations(const struct wl_window *window, const struct wl_windowing *to,
			    struct wl_err *reterr)
{
	const struct wl_trace *t = to->derived->trace;
	const struct wl_iterations *all = to->derived->iterations;
	size_t most = 0, n_found = 0;
	struct wl_interval w;

	if (all->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "--window: %s; --window all takes the whole trace",
			       wl_no_iterations);
	for (size_t i = 0; i < t->n_processes; i++) {
		most = all->process[i].n > most ? all->process[i].n : most;
		if (!find_tiles(window, &all->process[i], &w))
			continue;
		n_found++;
		if (to->scope->process_on[i])
			to->process[i] = w;
	}
	if (n_found == 0 && window->kind == WL_WINDOW_ITERATIONS)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "--window iter:%zu: there are %zu iterations, counted from 0",
			       window->first, most);
	if (n_found == 0)
		return wl_fail(reterr, WL_E_NODATA,
			       "--window steady: a single iteration has no period; use iter:0");
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *place = &t->places[i];

		if (to->scope->place_on[i] && find_tiles(window, &all->process[place->process], &w))
			widen(&to->device[place->device], w);
	}
	if (!note_iterations(window, to))
		return wl_fail(reterr, WL_E_NOMEM, "--window: no memory to find iterations");
	return WL_OK;
}

int wl_window_apply(const struct wl_window *window, const struct wl_windowing *to,
		    struct wl_err *reterr)
{
	struct wl_interval extent = { 0, 0 };

	/*
	 * Only a scope without a window lets rows pass unclipped: the extent is that of operations,
	 * and host rows reach beyond it.
	 */
	to->scope->whole = window->kind == WL_WINDOW_ALL;
	if (window->kind == WL_WINDOW_TIMES)
		return apply_times(window, to, reterr);
	if (window->kind == WL_WINDOW_NVTX)
		return apply_nvtx(window, to, reterr);
	if (window->kind != WL_WINDOW_ALL)
		return apply_iterations(window, to, reterr);
	(void)wl_extent_find(to->derived->trace, to->scope, &extent);
	apply_all(to, extent, (struct wl_interval){ -WL_TIME_MAX, WL_TIME_MAX });
	return WL_OK;
}

/* SPDX-License-Identifier: MIT */
#include "session/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "derive/nvtx/project.h"
#include "session/extent.h"

static int malformed(const char *spec, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "--window %.100s: not a window; write A..B with units (39s..42s, ..500ms, "
		       "+1ms..+5ms), iter:N, iter:N..M, steady, nvtx:NAME, nvtx:NAME#k or all",
		       spec);
}

/* One end of A..B; empty is open. */
static int parse_end(const char *text, size_t n, bool *ret_has, bool *ret_relative, wl_ns *ret_time,
		     struct wl_err *reterr)
{
	struct wl_err why;
	char buf[64];

	*ret_has = n > 0;
	*ret_relative = n > 0 && *text == '+';
	if (n == 0)
		return WL_OK;
	if (n >= sizeof(buf))
		return wl_fail(reterr, WL_E_USAGE, "--window: a time is too long");
	memcpy(buf, text + *ret_relative, n - *ret_relative);
	buf[n - *ret_relative] = '\0';
	if (wl_parse_ns_with_unit(buf, ret_time, &why) < 0)
		return wl_fail(reterr, WL_E_USAGE, "--window: %s", why.msg);
	if (*ret_time < -WL_TIME_MAX || *ret_time > WL_TIME_MAX)
		return wl_fail(reterr, WL_E_USAGE, "--window: %s is out of range", buf);
	return WL_OK;
}

static int parse_times(const char *spec, struct wl_window *w, struct wl_err *reterr)
{
	const char *dots = strstr(spec, "..");
	int r;

	if (!dots || strstr(dots + 2, ".."))
		return malformed(spec, reterr);
	w->kind = WL_WINDOW_TIMES;
	r = parse_end(spec, (size_t)(dots - spec), &w->has_begin, &w->begin_relative, &w->begin,
		      reterr);
	if (r == WL_OK)
		r = parse_end(dots + 2, strlen(dots + 2), &w->has_end, &w->end_relative, &w->end,
			      reterr);
	if (r < 0)
		return r;
	/* A leading + speaks of the whole window: +1ms..5ms is +1ms..+5ms. */
	w->end_relative = w->end_relative || (w->begin_relative && w->has_end);
	if (w->has_begin && w->has_end && w->begin_relative == w->end_relative && w->begin > w->end)
		return wl_fail(reterr, WL_E_USAGE, "--window %.100s: ends before it begins", spec);
	return WL_OK;
}

static int parse_nvtx(const char *spec, struct wl_window *w, struct wl_err *reterr)
{
	const char *name = spec + strlen("nvtx:"), *hash = strrchr(name, '#');
	size_t n = strlen(name);
	int64_t k;

	w->kind = WL_WINDOW_NVTX;
	if (hash && wl_parse_i64(hash + 1, &k, NULL) == WL_OK && k >= 0) {
		w->instance = (size_t)k;
		w->has_instance = true;
		n = (size_t)(hash - name);
	}
	if (n == 0 || n >= sizeof(w->name))
		return malformed(spec, reterr);
	memcpy(w->name, name, n);
	w->name[n] = '\0';
	(void)snprintf(w->whole, sizeof(w->whole), "%s", name);
	return WL_OK;
}

static bool parse_count(const char *text, size_t n, size_t *ret)
{
	char buf[24];
	int64_t v;

	if (n == 0 || n >= sizeof(buf) || text[0] < '0' || text[0] > '9')
		return false;
	memcpy(buf, text, n);
	buf[n] = '\0';
	if (wl_parse_i64(buf, &v, NULL) < 0 || v < 0)
		return false;
	*ret = (size_t)v;
	return true;
}

static int parse_iterations(const char *spec, struct wl_window *w, struct wl_err *reterr)
{
	const char *first = spec + strlen("iter:"), *dots = strstr(first, "..");
	const char *last = dots ? dots + 2 : first;

	w->kind = WL_WINDOW_ITERATIONS;
	if (!parse_count(first, dots ? (size_t)(dots - first) : strlen(first), &w->first) ||
	    !parse_count(last, strlen(last), &w->last))
		return malformed(spec, reterr);
	if (w->last < w->first)
		return wl_fail(reterr, WL_E_USAGE, "--window %.100s: ends before it begins", spec);
	return WL_OK;
}

int wl_window_parse(const char *spec, struct wl_window *ret, struct wl_err *reterr)
{
	*ret = (struct wl_window){ .kind = WL_WINDOW_ALL };
	if (!spec || strcmp(spec, "all") == 0)
		return WL_OK;
	if (strcmp(spec, "steady") == 0) {
		ret->kind = WL_WINDOW_STEADY;
		return WL_OK;
	}
	if (strncmp(spec, "iter:", 5) == 0)
		return parse_iterations(spec, ret, reterr);
	if (strncmp(spec, "nvtx:", 5) == 0)
		return parse_nvtx(spec, ret, reterr);
	return parse_times(spec, ret, reterr);
}

static void apply_all(const struct wl_trace *t, struct wl_scope *scope, struct wl_interval *device,
		      struct wl_interval w, struct wl_interval *process, struct wl_interval host)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		if (scope->device_on[i])
			device[i] = w;
	}
	for (size_t i = 0; i < t->n_processes; i++) {
		if (scope->process_on[i])
			process[i] = host;
	}
}

/* A window that nothing in the trace has a part in is a slip of the unit or of the clock. */
static int check_overlap(const struct wl_trace *t, struct wl_interval w,
			 struct wl_scope_notes *notes, struct wl_arena *arena,
			 struct wl_err *reterr)
{
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];
	struct wl_interval all;

	if (!wl_recorded_find(t, w, &all))
		return WL_OK;
	(void)wl_fmt_time(begin, all.begin, WL_UNIT_AUTO);
	(void)wl_fmt_time(end, all.end, WL_UNIT_AUTO);
	if (w.begin > all.end || w.end < all.begin)
		return wl_fail(reterr, WL_E_NOMATCH,
			       "--window: nothing was recorded there; the trace runs from %s to %s",
			       begin, end);
	if (w.begin < all.begin || w.end > all.end)
		wl_scope_note(notes, arena,
			      "the window is larger than the trace, which runs from %s to %s: the "
			      "rest counts as idle",
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

	if ((window->begin_relative || window->end_relative) && !wl_extent_find(t, NULL, &all))
		return false;
	(void)wl_extent_find(t, scope, &w);
	if (window->has_begin)
		w.begin = host.begin = window->begin + (window->begin_relative ? all.begin : 0);
	if (window->has_end)
		w.end = host.end = window->end + (window->end_relative ? all.begin : 0);
	if (w.end < w.begin)
		w.end = w.begin;
	*ret = (struct meant){ w,
			       host,
			       { window->has_begin ? host.begin : w.begin,
				 window->has_end ? host.end : w.end } };
	return true;
}

static int apply_times(const struct wl_window *window, const struct wl_trace *t,
		       struct wl_scope *scope, struct wl_interval *device,
		       struct wl_interval *process, struct wl_scope_notes *notes,
		       struct wl_arena *arena, struct wl_err *reterr)
{
	struct meant meant;

	if (!find_times(window, t, scope, &meant))
		return wl_fail(reterr, WL_E_NODATA,
			       "--window: + counts from the first GPU operation, but the trace has "
			       "none");
	apply_all(t, scope, device, meant.device, process, meant.host);
	return check_overlap(t, meant.asked, notes, arena, reterr);
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
					       const struct wl_derived *d, struct wl_arena *arena,
					       size_t *ret_instance)
{
	const struct wl_projection *p = wl_project_named(d, window->whole, 0, arena);

	*ret_instance = 0;
	if (!p || !window->has_instance || most_instances(p, d->trace->n_processes))
		return p;
	*ret_instance = window->instance;
	return wl_project_named(d, window->name, window->instance, arena);
}

/* Say where the range is, for a window in time. */
static int no_work(const struct wl_window *window, const struct wl_trace *t,
		   const struct wl_scope *scope, const struct wl_projection *p,
		   struct wl_err *reterr)
{
	char begin[WL_UNITS_BUF], end[WL_UNITS_BUF];
	size_t i = 0;
	wl_ns start;

	while (i < t->n_processes && (!scope->process_on[i] || p[i].row == WL_NONE))
		i++;
	if (i == t->n_processes)
		return wl_fail(reterr, WL_E_USAGE,
			       "--window nvtx:%.200s: none of the selected processes has that "
			       "range",
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

static struct projected set_processes(const struct wl_projection *p, size_t n,
				      const struct wl_scope *scope, struct wl_interval *process)
{
	struct projected found = { 0, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		if (!scope->process_on[i] || p[i].row == WL_NONE)
			continue;
		found.n_without += p[i].n_ops == 0;
		found.n_with += p[i].n_ops != 0;
		found.n_bridged += p[i].n_ops && p[i].is_bridged;
		if (p[i].n_ops)
			process[i] = p[i].span;
	}
	return found;
}

static void note_ranges(const struct wl_window *window, const struct projected *found, size_t most,
			struct wl_scope_notes *notes, struct wl_arena *arena)
{
	if (!window->has_instance && most > 1)
		wl_scope_note(notes, arena,
			      "the window is the first of up to %zu ranges; "
			      "nvtx:NAME#k selects another",
			      most);
	if (found->n_bridged)
		wl_scope_note(notes, arena,
			      "the window is GPU work that other threads launched while the range "
			      "was open (bridged): its own thread launched none");
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

static int apply_nvtx(const struct wl_window *window, const struct wl_derived *d,
		      struct wl_arena *arena, struct wl_scope *scope, struct wl_interval *device,
		      struct wl_interval *process, struct wl_scope_notes *notes,
		      struct wl_err *reterr)
{
	const struct wl_trace *t = d->trace;
	const struct wl_projection *p;
	struct projected found;
	size_t most, instance;
	int r;

	if (!t->family[WL_F_NVTX].n || !t->family[WL_F_API].n)
		return wl_fail(reterr, WL_E_NODATA,
			       "--window nvtx: needs NVTX ranges and CUDA API calls; record with "
			       "nsys profile --trace=cuda,nvtx");
	p = find_ranges(window, d, arena, &instance);
	if (!p)
		return wl_fail(reterr, WL_E_NOMEM, "--window nvtx: no memory to find the range");
	most = most_instances(p, t->n_processes);
	r = check_range(window, most, instance, reterr);
	if (r < 0)
		return r;
	found = set_processes(p, t->n_processes, scope, process);
	if (found.n_with == 0)
		return no_work(window, t, scope, p, reterr);
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *place = &t->places[i];

		if (scope->place_on[i] && p[place->process].n_ops)
			widen(&device[place->device], p[place->process].span);
	}
	note_ranges(window, &found, most, notes, arena);
	return WL_OK;
}

/* The process's tiles from the first iteration asked for to the last; false if it has none of them.
 */
static bool find_tiles(const struct wl_window *window, const struct wl_process_iters *p,
		       struct wl_interval *ret)
{
	bool steady = window->kind == WL_WINDOW_STEADY;
	size_t first = steady ? p->steady : window->first, last = steady ? first : window->last;

	if (first >= p->n)
		return false;
	last = last < p->n ? last : p->n - 1;
	*ret = (struct wl_interval){ p->at[first].tile.begin, p->at[last].tile.end };
	return true;
}

static bool note_iterations(const struct wl_window *window, const struct wl_trace *t,
			    const struct wl_scope *scope, const struct wl_iterations *all,
			    struct wl_scope_notes *notes, struct wl_arena *arena)
{
	const char *const *note = wl_iterations_notes(t, all, scope->process_on, arena);
	size_t n_without = 0, n_few = 0;
	struct wl_interval w;

	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process_iters *p = &all->process[i];

		if (!t->processes[i].on_gpu || !scope->process_on[i])
			continue;
		n_without += !find_tiles(window, p, &w);
		n_few += window->kind == WL_WINDOW_STEADY && p->n > 1 && p->n < 5;
	}
	if (n_without)
		wl_scope_note(notes, arena,
			      "the window is empty for %zu process%s without that iteration",
			      n_without, n_without == 1 ? "" : "es");
	if (n_few)
		wl_scope_note(notes, arena,
			      "of fewer than 5 iterations, steady is the median of all that have a "
			      "period");
	if (window->kind == WL_WINDOW_STEADY && all->n_uneven)
		wl_scope_note(notes, arena, WL_STEADY_UNEVEN, all->n_uneven);
	for (; note && *note; note++)
		wl_scope_note(notes, arena, "%s", *note);
	return note != NULL;
}

static int apply_iterations(const struct wl_window *window, const struct wl_derived *d,
			    struct wl_arena *arena, struct wl_scope *scope,
			    struct wl_interval *device, struct wl_interval *process,
			    struct wl_scope_notes *notes, struct wl_err *reterr)
{
	const struct wl_trace *t = d->trace;
	const struct wl_iterations *all = d->iterations;
	size_t most = 0, n_found = 0;
	struct wl_interval w;

	if (all->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "--window: %s", wl_no_iterations);
	for (size_t i = 0; i < t->n_processes; i++) {
		most = all->process[i].n > most ? all->process[i].n : most;
		if (!find_tiles(window, &all->process[i], &w))
			continue;
		n_found++;
		if (scope->process_on[i])
			process[i] = w;
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

		if (scope->place_on[i] && find_tiles(window, &all->process[place->process], &w))
			widen(&device[place->device], w);
	}
	if (!note_iterations(window, t, scope, all, notes, arena))
		return wl_fail(reterr, WL_E_NOMEM, "--window: no memory to find iterations");
	return WL_OK;
}

int wl_window_apply(const struct wl_window *window, const struct wl_derived *derived,
		    struct wl_arena *arena, struct wl_scope *scope, struct wl_interval *device,
		    struct wl_interval *process, struct wl_scope_notes *notes,
		    struct wl_err *reterr)
{
	const struct wl_trace *trace = derived->trace;
	struct wl_interval extent = { 0, 0 };

	scope->whole = window->kind == WL_WINDOW_ALL;
	if (window->kind == WL_WINDOW_TIMES)
		return apply_times(window, trace, scope, device, process, notes, arena, reterr);
	if (window->kind == WL_WINDOW_NVTX)
		return apply_nvtx(window, derived, arena, scope, device, process, notes, reterr);
	if (window->kind != WL_WINDOW_ALL)
		return apply_iterations(window, derived, arena, scope, device, process, notes,
					reterr);
	(void)wl_extent_find(trace, scope, &extent);
	apply_all(trace, scope, device, extent, process,
		  (struct wl_interval){ -WL_TIME_MAX, WL_TIME_MAX });
	return WL_OK;
}

/* SPDX-License-Identifier: MIT */
/* window.h - parses and applies --window. */
#ifndef WL_SESSION_WINDOW_H
#define WL_SESSION_WINDOW_H

#include "base/err.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"
#include "session/select/scope_notes.h"

enum wl_window_kind {
	WL_WINDOW_ALL,
	WL_WINDOW_TIMES,
	WL_WINDOW_NVTX,
	WL_WINDOW_ITERATIONS,
	WL_WINDOW_STEADY,
	WL_WINDOW_MIDDLE, /* of n iterations number n / 2 */
};

/* A window as written, before the trace is asked. */
struct wl_window {
	enum wl_window_kind kind;
	bool has_begin, has_end;           /* TIMES: else the end is open */
	bool begin_relative, end_relative; /* TIMES: counted from the first GPU operation */
	wl_ns begin, end;
	char name[512];  /* NVTX */
	char whole[512]; /* NVTX: the name where #k belongs to it, as in ProfilerStep#12 */
	size_t instance;
	bool has_instance;
	size_t first, last; /* ITERATIONS: last included */
};

/* NULL and "all" are ALL. */
int wl_window_parse(const char *spec, struct wl_window *ret, struct wl_err *reterr) WL_MUST_CHECK;

/* It names iterations, which must be found then. */
static inline bool wl_window_is_iterations(const struct wl_window *w)
{
	return w->kind == WL_WINDOW_ITERATIONS || w->kind == WL_WINDOW_STEADY ||
	       w->kind == WL_WINDOW_MIDDLE;
}

/* What a window is applied to. Borrowed. */
struct wl_windowing {
	const struct wl_derived *derived;
	struct wl_scope *scope; /* with device_on, place_on and process_on */
	/* The scope's intervals, to be filled; all are empty. */
	struct wl_interval *device, *process;
	struct wl_scope_notes *notes;
	struct wl_arena *arena; /* owns notes and what is found on the way */
};

/* Give every selected device and process its window. */
int wl_window_apply(const struct wl_window *window, const struct wl_windowing *to,
		    struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Whether the rows that are loaded, or the length of the capture, contain the window; else
 * other rows of the file may have a part in it. True for windows that are not times.
 */
bool wl_window_is_within(const struct wl_window *window, const struct wl_trace *trace);

#endif

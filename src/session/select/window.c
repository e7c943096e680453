/* SPDX-License-Identifier: MIT */
#include "session/select/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"

static int malformed(const char *spec, struct wl_err *reterr)
{
	return wl_fail(
		reterr, WL_E_USAGE,
		"--window %.100s: not a window; write A..B with units (39s..42s, ..500ms, "
		"+1ms..+5ms), step:N, step:N..M, steady, middle, nvtx:NAME, nvtx:NAME#k or all",
		spec);
}

/* One end of A..B. */
struct end {
	bool is_there, is_relative;
	wl_ns time;
};

/* Empty is open. */
static int parse_end(const char *text, size_t n, struct end *ret, struct wl_err *reterr)
{
	struct wl_err why;
	char buf[64];

	*ret = (struct end){ .is_there = n > 0, .is_relative = n > 0 && *text == '+' };
	if (n == 0)
		return WL_OK;
	/* No time within range needs so much room. */
	if (n >= sizeof(buf))
		return wl_fail(reterr, WL_E_USAGE, "--window: a time is too long");
	memcpy(buf, text + ret->is_relative, n - ret->is_relative);
	buf[n - ret->is_relative] = '\0';
	if (wl_parse_ns_with_unit(buf, &ret->time, &why) < 0)
		return wl_fail(reterr, WL_E_USAGE, "--window: %s", why.msg);
	/*
	 * The bound that the model promises for all times, so that a sum of two cannot overflow 64
	 * bits.
	 */
	if (ret->time < -WL_TIME_MAX || ret->time > WL_TIME_MAX)
		return wl_fail(reterr, WL_E_USAGE, "--window: %s is out of range", buf);
	return WL_OK;
}

static int parse_times(const char *spec, struct wl_window *w, struct wl_err *reterr)
{
	const char *dots = strstr(spec, "..");
	struct end begin, end;
	int r;

	if (!dots || strstr(dots + 2, ".."))
		return malformed(spec, reterr);
	r = parse_end(spec, (size_t)(dots - spec), &begin, reterr);
	if (r == WL_OK)
		r = parse_end(dots + 2, strlen(dots + 2), &end, reterr);
	if (r < 0)
		return r;
	*w = (struct wl_window){ .kind = WL_WINDOW_TIMES,
				 .has_begin = begin.is_there,
				 .has_end = end.is_there,
				 .begin_relative = begin.is_relative,
				 .end_relative = end.is_relative,
				 .begin = begin.time,
				 .end = end.time };
	/* A leading + speaks of the whole window: +1ms..5ms is +1ms..+5ms. */
	w->end_relative = w->end_relative || (w->begin_relative && w->has_end);
	if (w->has_begin && w->has_end && w->begin_relative == w->end_relative && w->begin > w->end)
		return wl_fail(reterr, WL_E_USAGE, "--window %.100s: ends before it begins", spec);
	return WL_OK;
}

static int parse_nvtx(const char *spec, struct wl_window *w, struct wl_err *reterr)
{
	/* The last # separates: names may contain others. */
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
	/*
	 * Which of the two readings is meant is known only when the names of the trace are
	 * (find_ranges).
	 */
	(void)snprintf(w->whole, sizeof(w->whole), "%s", name);
	return WL_OK;
}

static bool parse_count(const char *text, size_t n, size_t *ret)
{
	char buf[24];
	int64_t v;

	/* A sign is refused here: "iter:-1" does not count from the end. */
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
	const char *first = strchr(spec, ':') + 1, *dots = strstr(first, "..");
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
	if (strcmp(spec, "middle") == 0) {
		ret->kind = WL_WINDOW_MIDDLE;
		return WL_OK;
	}
	/* A step is what people say, iter what was written first. */
	if (strncmp(spec, "iter:", 5) == 0 || strncmp(spec, "step:", 5) == 0)
		return parse_iterations(spec, ret, reterr);
	if (strncmp(spec, "nvtx:", 5) == 0)
		return parse_nvtx(spec, ret, reterr);
	return parse_times(spec, ret, reterr);
}

/* SPDX-License-Identifier: MIT */
/*
 * answer_show.c - a window that another program points at: one request sets it, pages ask for it.
 *
 * Who has the address may set it. It moves what people see and changes nothing else.
 */
#include <string.h>

#include "base/file/file.h"
#include "serve/answers/answer.h"

/* The trace of a path: as it was given, else of this file name; false where there is none. */
static bool find_trace(const struct wl_served *s, const char *path, size_t *ret)
{
	for (size_t i = 0; i < s->show.n; i++) {
		*ret = i;
		if (s->opts.label[i] && strcmp(s->opts.label[i], path) == 0)
			return true;
	}
	for (size_t i = 0; i < s->show.n; i++) {
		*ret = i;
		if (s->opts.label[i] &&
		    strcmp(wl_path_name(s->opts.label[i]), wl_path_name(path)) == 0)
			return true;
	}
	return false;
}

/* An odd serial says that the others are being written. */
static void point(struct wl_pointing *p, size_t trace, struct wl_interval window)
{
	uint64_t serial;

	do
		serial = atomic_load(&p->serial) & ~UINT64_C(1);
	while (!atomic_compare_exchange_weak(&p->serial, &serial, serial + 1));
	atomic_store(&p->trace, trace);
	atomic_store(&p->begin, window.begin);
	atomic_store(&p->end, window.end);
	atomic_store(&p->serial, serial + 2);
}

static int write_window(struct wl_answer *ret, uint64_t serial, size_t trace,
			struct wl_interval window, struct wl_err *reterr)
{
	struct wl_json_answer j;
	int r = wl_answer_begin_json(ret, &j, reterr);

	if (r < 0)
		return r;
	wl_jsonw_begin_object(&j.json);
	wl_jsonw_put_i64(&j.json, "serial", (int64_t)(serial / 2));
	wl_jsonw_put_i64(&j.json, "trace", (int64_t)trace);
	wl_jsonw_put_i64(&j.json, "a", window.begin);
	wl_jsonw_put_i64(&j.json, "b", window.end);
	wl_jsonw_end_object(&j.json);
	return wl_answer_end_json(ret, &j, reterr);
}

/* The times are of the trace's own clock, which is all that the other program knows. */
int wl_answer_show(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_served *s = ask->served;
	const char *path = wl_query_text(ask->query, "path");
	struct wl_interval window = { 0, 0 }, extent;
	size_t trace = 0;
	wl_ns origin;
	int r;

	if (path && !find_trace(s, path, &trace))
		return wl_fail(reterr, WL_E_NODATA, "path: this page shows another trace");
	origin = wl_show_origin(&s->show, trace);
	extent = wl_show_extent(&s->show, trace);
	window = extent;
	r = wl_query_i64(ask->query, "from", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &window.begin,
			 reterr);
	if (r == WL_OK)
		r = wl_query_i64(ask->query, "to", -WL_ASK_TIME_MAX, WL_ASK_TIME_MAX, &window.end,
				 reterr);
	if (r < 0)
		return r;
	if (window.begin >= window.end || window.end < extent.begin || window.begin > extent.end)
		return wl_fail(reterr, WL_E_USAGE, "from, to: the trace has nothing there");
	window.begin -= origin;
	window.end -= origin;
	point(&s->pointing, trace, window);
	return write_window(ret, atomic_load(&s->pointing.serial), trace, window, reterr);
}

int wl_answer_shown(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_pointing *p = &ask->served->pointing;
	struct wl_interval window;
	uint64_t serial;
	size_t trace;

	do {
		serial = atomic_load(&p->serial);
		trace = atomic_load(&p->trace);
		window.begin = atomic_load(&p->begin);
		window.end = atomic_load(&p->end);
	} while ((serial & 1) != 0 || serial != atomic_load(&p->serial));
	return write_window(ret, serial, trace, window, reterr);
}

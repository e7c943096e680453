/* SPDX-License-Identifier: MIT */
/* answer_table.c - tables of verbs in a window, as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "render/render.h"
#include "serve/answers/answer_rows.h"
#include "serve/answers/answer_window.h"

void wl_window_put(struct wl_asked_window *w, const struct wl_ask *ask, size_t which,
		   const struct wl_interval *range)
{
	wl_ns origin = wl_show_origin(&ask->served->show, which);

	w->request = ask->served->opts.trace[which].request;
	w->request.selection.window = NULL;
	w->request.args = w->args;
	if (!range)
		return;
	(void)snprintf(w->text, sizeof(w->text), "%" PRId64 "ns..%" PRId64 "ns",
		       range->begin + origin, range->end + origin);
	w->request.selection.window = w->text;
}

int wl_window_of(struct wl_asked_window *w, const struct wl_ask *ask, struct wl_err *reterr)
{
	bool has_range = wl_query_text(ask->query, "a") || wl_query_text(ask->query, "b");
	int64_t which = 0, last = (int64_t)ask->served->show.n - 1;
	struct wl_interval range;
	int r = wl_query_i64(ask->query, "trace", 0, last, &which, reterr);

	*w = (struct wl_asked_window){ .which = 0 };
	if (r == WL_OK && has_range)
		r = wl_ask_range(ask, &range, reterr);
	if (r < 0)
		return r;
	w->which = (size_t)which;
	wl_window_put(w, ask, w->which, has_range ? &range : NULL);
	return WL_OK;
}

int wl_window_run(const struct wl_asked_window *w, const struct wl_ask *ask,
		  struct wl_document *ret, struct wl_err *reterr)
{
	struct wl_session *session = ask->served->show.scene[w->which]->session;

	if (!session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	return wl_session_run(session, &w->request, ask->arena, ret, reterr);
}

int wl_answer_table(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	const char *verb = wl_query_text(ask->query, "verb");
	const struct wl_format *json = wl_format_find("json");
	struct wl_asked_window w;
	struct wl_json_answer j;
	struct wl_document doc;
	int64_t limit = WL_ANSWER_MAX_ROWS;
	int r = wl_window_of(&w, ask, reterr);

	if (r == WL_OK)
		r = wl_query_i64(ask->query, "n", 1, WL_ANSWER_MAX_ROWS, &limit, reterr);
	if (r < 0)
		return r;
	w.request.analysis = verb ? wl_analysis_find(verb) : NULL;
	if (!w.request.analysis)
		return wl_fail(reterr, WL_E_USAGE, "verb: there is no such table");
	w.request.view.limit = (size_t)limit;
	r = wl_window_run(&w, ask, &doc, reterr);
	if (r == WL_OK)
		r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	json->render(&doc, &(struct wl_render_opts){ .width = 0 }, j.out);
	return wl_answer_end_bytes(ret, &j, reterr);
}

/* answer_table.c - tables of verbs in a window: gaps of the range, and any verb as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "render/render.h"
#include "serve/answer_rows.h"
#include "serve/answer_window.h"

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

static int run(const struct wl_ask *ask, const struct wl_asked_window *w, struct wl_document *ret,
	       struct wl_err *reterr)
{
	struct wl_session *session = ask->served->show.scene[w->which]->session;

	if (!session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	return wl_session_run(session, &w->request, ask->arena, ret, reterr);
}

/* ---- Gaps ---- */

/* Devices are counted on over the traces. */
static bool find_device(const struct wl_show *show, int64_t device, size_t *ret_which,
			int64_t *ret_device)
{
	for (size_t i = 0; i < show->n; i++) {
		int64_t n = (int64_t)show->scene[i]->trace->n_devices;

		if (device < n) {
			*ret_which = i;
			*ret_device = device;
			return true;
		}
		device -= n;
	}
	return false;
}

int wl_answer_gaps(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	static const char shown[] = "device,start,duration,cause,detail,before,after";
	struct wl_asked_window w = { .which = 0 };
	int64_t min = 0, device = -1, of_trace = -1;
	struct wl_interval range;
	struct wl_document doc;
	char length[32], gpu[32];
	int r = wl_ask_range(ask, &range, reterr);

	if (r == WL_OK)
		r = wl_query_i64(ask->query, "min", 0, WL_ASK_TIME_MAX, &min, reterr);
	if (r == WL_OK)
		r = wl_query_i64(ask->query, "device", -1, UINT32_MAX, &device, reterr);
	if (r < 0)
		return r;
	if (device >= 0 && !find_device(&ask->served->show, device, &w.which, &of_trace))
		return wl_fail(reterr, WL_E_USAGE, "device: there is no such GPU");
	wl_window_put(&w, ask, w.which, &range);
	w.request.analysis = wl_analysis_get("gaps");
	w.request.view.columns = shown;
	(void)snprintf(length, sizeof(length), "%" PRId64 "ns", min);
	w.args[0] = length;
	(void)snprintf(gpu, sizeof(gpu), "%" PRId64, of_trace);
	if (of_trace >= 0)
		w.request.selection.gpu = gpu;
	w.request.view.limit = WL_ANSWER_MAX_ROWS;
	r = run(ask, &w, &doc, reterr);
	if (r < 0)
		return r;
	if (doc.n_sections != 1 || doc.sections[0].missing)
		return wl_fail(reterr, WL_E_NODATA, "the trace has no GPU operations");
	return wl_answer_rows(ret, &doc.sections[0].view,
			      wl_show_origin(&ask->served->show, w.which), reterr);
}

/* ---- Verbs ---- */

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
	r = run(ask, &w, &doc, reterr);
	if (r == WL_OK)
		r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	json->render(&doc, &(struct wl_render_opts){ .width = 0 }, j.out);
	return wl_answer_end_bytes(ret, &j, reterr);
}

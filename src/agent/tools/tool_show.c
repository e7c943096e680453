/* SPDX-License-Identifier: MIT */
/* tool_show.c - the tool that moves the user's page to a window of a trace. */
#include "agent/tools/call.h"
#include "agent/tools/handles.h"
#include "agent/tools/reply.h"
#include "agent/tools/schema.h"
#include "base/text/units.h"
#include "render/words/frame.h"

static int reply(struct wl_tool_call *c, const struct wl_handle *h, const struct wl_document *frame,
		 struct wl_doc_window window, struct wl_err *reterr)
{
	char length[WL_UNITS_BUF];
	int r = wl_call_begin(c, reterr);

	if (r < 0)
		return r;
	wl_call_put(c, "answer",
		    wl_call_printf(c, "the page now shows %s of the trace",
				   wl_fmt_ns(length, wl_frame_length(window), WL_UNIT_AUTO)),
		    200);
	wl_call_put(c, "trace", h->id, 16);
	wl_reply_put_window(&c->w, frame);
	return wl_call_end(c, reterr);
}

static int look(void *ctx, const struct wl_run *run, const struct wl_scope_notes *notes,
		struct wl_err *reterr)
{
	(void)ctx;
	(void)run;
	(void)notes;
	(void)reterr;
	return WL_OK;
}

/* The trace resolves the window from its GPU operations; the visit provides only the frame. */
int wl_tool_show(struct wl_tool_call *c, struct wl_err *reterr)
{
	const struct wl_trace_opener *opener = &c->opts->opener;
	struct wl_visitor visitor = { .name = "show", .visit = look };
	struct wl_request q = { .visitor = &visitor };
	struct wl_doc_window all;
	struct wl_document frame;
	struct wl_handle *h;
	int r = wl_call_only(c, "trace window marker", reterr);

	visitor.wanted.columns = wl_analysis_columns(wl_analysis_get("kernels"));
	if (r == WL_OK && !opener->show)
		r = wl_fail(
			reterr, WL_E_USAGE,
			"there is no page: the user starts \"warplens serve TRACE\" and gives its "
			"address to \"warplens mcp --page ADDRESS\"");
	if (r == WL_OK)
		r = wl_call_request(c, &q, reterr);
	if (r == WL_OK)
		r = wl_request_check(&q, reterr);
	if (r == WL_OK)
		r = wl_call_trace(c, "trace", &h, reterr);
	if (r == WL_OK)
		r = wl_call_run(c, h, &q, &frame, reterr);
	if (r < 0)
		return r;
	if (!wl_document_bounds(&frame, &all))
		return wl_fail(reterr, WL_E_NODATA, "the trace has no time to show");
	r = opener->show(opener->ctx, h->path, (const int64_t[2]){ all.begin, all.end }, reterr);
	return r == WL_OK ? reply(c, h, &frame, all, reterr) : r;
}

/* ---- Schemas ---- */

void wl_schema_show_input(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "trace", "string",
		      "Handle or path; may be left out while there is only one trace.");
	wl_schema_put(w, "window", "string",
		      "What to show: iter:7, 39s..42s, nvtx:NAME#k; all of it by default.");
	wl_schema_put(w, "marker", "string", "What marks a step, as in analyze.");
	wl_schema_end(w, "", true);
}

void wl_schema_show_output(struct wl_jsonw *w)
{
	wl_schema_begin(w);
	wl_schema_put(w, "answer", "string", NULL);
	wl_schema_put(w, "trace", "string", "Handle.");
	wl_schema_window(w);
	wl_schema_end(w, "answer trace window", true);
}

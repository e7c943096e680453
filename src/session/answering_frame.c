/* SPDX-License-Identifier: MIT */
/* answering_frame.c - the lines around the tables of an answer. */
#include "session/answering_parts.h"
#include "session/doc_frame.h"

static bool is_in_detail(const struct wl_request *r)
{
	return (r->document && r->document->explains) || (r->visitor && r->visitor->in_detail);
}

bool wl_answering_put_frame(struct wl_answering *a, const struct wl_plan *plan,
			    struct wl_document *doc)
{
	const struct wl_framing framing = { .trace = wl_session_trace(a->session),
					    .label = a->session->label,
					    .selection = &a->request->selection,
					    .scope = &a->scope,
					    .plan = plan,
					    .in_detail = is_in_detail(a->request) };

	return wl_frame_put(&framing, a->arena, &a->notes, doc);
}

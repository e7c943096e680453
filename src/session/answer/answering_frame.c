/* SPDX-License-Identifier: MIT */
/* answering_frame.c - the lines around the tables of an answer. */
#include "session/answer/answering_parts.h"
#include "session/document/doc_frame.h"

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

const struct wl_stored_frame *wl_answering_find_kept(struct wl_answering *a,
						     const struct wl_plan *plan,
						     const struct wl_answer_source *source,
						     const char *window)
{
	for (size_t i = 0; i < plan->n; i++)
		a->stored[i] = wl_answer_find(source, &plan->section[i], window, a->arena);
	if (!plan->single)
		return wl_frame_find(source, a->request->document->name, window, a->arena);
	return a->stored[0] ? &a->stored[0]->frame : NULL;
}

/* As stored, or found again: the same time, as both are of the section alone. */
bool wl_answering_put_window(struct wl_answering *a, const struct wl_section_info *info,
			     const struct wl_stored_answer *stored, const struct wl_document *doc,
			     struct wl_section *ret)
{
	const struct wl_plan alone = { .section = { *info },
				       .n = 1,
				       .single = true,
				       .on_host = wl_analysis_get(info->analysis)->on_host };
	const struct wl_framing framing = { .trace = wl_session_trace(a->session),
					    .selection = &a->request->selection,
					    .scope = &a->scope,
					    .plan = &alone };
	struct wl_doc_window window, *kept;

	if (!stored)
		return wl_frame_put_section(&framing, doc, a->arena, ret);
	if (!wl_document_differs(doc,
				 &(struct wl_document){ .windows = stored->frame.windows,
							.n_windows = stored->frame.n_windows },
				 &window))
		return true;
	kept = WL_NEW(a->arena, struct wl_doc_window, 1);
	if (kept)
		*kept = window;
	ret->window = kept;
	return kept != NULL;
}

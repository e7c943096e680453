/* SPDX-License-Identifier: MIT */
#include "table/document.h"

bool wl_document_bounds(const struct wl_document *doc, struct wl_doc_window *ret)
{
	struct wl_doc_window all;

	if (doc->n_windows == 0)
		return false;
	all = doc->windows[0];
	for (size_t i = 1; i < doc->n_windows; i++) {
		const struct wl_doc_window *w = &doc->windows[i];

		all.begin = w->begin < all.begin ? w->begin : all.begin;
		all.end = w->end > all.end ? w->end : all.end;
	}
	*ret = all;
	return true;
}

bool wl_document_differs(const struct wl_document *doc, const struct wl_document *own,
			 struct wl_doc_window *ret)
{
	struct wl_doc_window head;

	if (!wl_document_bounds(own, ret) || !wl_document_bounds(doc, &head))
		return false;
	ret->device = -1;
	return head.begin != ret->begin || head.end != ret->end;
}

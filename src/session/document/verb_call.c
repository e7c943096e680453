/* SPDX-License-Identifier: MIT */
#include "session/document/verb_call.h"

#include <string.h>

const char *const wl_common_keys[] = { "window", "gpu",  "pid",     "rank",    "stream", "marker",
				       "where",  "sort", "columns", "section", NULL };

void wl_verb_call_begin(struct wl_verb_call *call, const struct wl_analysis *analysis,
			const struct wl_document_info *document)
{
	memset(call->args, 0, sizeof(call->args));
	call->is.analysis = analysis;
	call->is.document = document;
	call->is.args = analysis ? call->args : NULL;
}

const char **wl_request_place(struct wl_request *r, const char *key)
{
	const char **const place[] = { &r->selection.window, &r->selection.gpu,
				       &r->selection.pid,    &r->selection.rank,
				       &r->selection.stream, &r->marker,
				       &r->view.where,       &r->view.sort,
				       &r->view.columns,     &r->section };

	for (size_t i = 0; i < WL_COUNT(place); i++) {
		if (strcmp(wl_common_keys[i], key) == 0)
			return place[i];
	}
	return NULL;
}

const char **wl_verb_call_place(struct wl_verb_call *call, const char *key)
{
	const struct wl_analysis *a = call->is.analysis;
	size_t n = a ? a->n_params : 0, i = a ? wl_param_named(a->params, n, key) : 0;

	return i < n ? &call->args[i] : wl_request_place(&call->is, key);
}

void wl_verb_call_imply(struct wl_verb_call *call, const struct wl_alias *alias)
{
	for (size_t i = 0; alias && i < WL_MAX_IMPLIED && alias->implies[i].key; i++) {
		const struct wl_implied *implied = &alias->implies[i];
		const char **place = wl_verb_call_place(call, implied->key);

		/* Columns are implied for people only. */
		if (place && !*place && place != &call->is.view.columns)
			*place = implied->value;
	}
}

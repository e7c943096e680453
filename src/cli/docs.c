#include "cli/docs.h"

#include <stdlib.h>

#include "base/file.h"

int wl_doc_read(const char *path, struct wl_json **ret_doc, struct wl_err *reterr)
{
	char *text;
	size_t n;
	/* One byte more than is allowed tells that there is more. */
	int r = wl_file_read(path, WL_JSON_MAX_BYTES + 1, &text, &n, reterr);

	if (r < 0)
		return r;
	r = wl_json_parse(text, n, path, ret_doc, reterr);
	free(text);
	return r;
}

int wl_docs_init(struct wl_docs *docs, const struct wl_analysis *a, const char *const *text,
		 struct wl_err *reterr)
{
	int r = WL_OK;

	*docs = (struct wl_docs){ .param = { NULL } };
	for (size_t i = 0; a && r == WL_OK && i < a->n_params; i++) {
		if (a->params[i].type == WL_P_DOC && text[i])
			r = wl_doc_read(text[i], &docs->param[i], reterr);
	}
	return r;
}

void wl_docs_release(struct wl_docs *docs)
{
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		wl_json_free(docs->param[i]);
}

/* docs.h - JSON files that a command line names, read and parsed: analyses do not read files. */
#ifndef WL_CLI_DOCS_H
#define WL_CLI_DOCS_H

#include "analysis/analysis.h"
#include "base/json_read.h"

/*
 * Read a file or pipe and parse it. WL_E_IO when it cannot be read, WL_E_USAGE when
 * it is not JSON or larger than json_read.h allows; both name the path.
 */
int wl_doc_read(const char *path, struct wl_json **ret_doc, struct wl_err *reterr) WL_MUST_CHECK;

struct wl_docs {
	struct wl_json *param[WL_MAX_PARAMS]; /* by parameter; NULL for none */
};

/* Read what the texts of the parameters of type DOC name. Release also after a failure. */
int wl_docs_init(struct wl_docs *docs, const struct wl_analysis *a, const char *const *text,
		 struct wl_err *reterr) WL_MUST_CHECK;
void wl_docs_release(struct wl_docs *docs);

#endif

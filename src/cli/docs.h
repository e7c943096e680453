/* SPDX-License-Identifier: MIT */
/* docs.h - reads and parses JSON files that a command line names: analyses do not read files. */
#ifndef WL_CLI_DOCS_H
#define WL_CLI_DOCS_H

#include "base/file/file.h"
#include "base/text/json_read.h"
#include "cli/line/opt.h"

/*
 * Read a file or pipe and parse it. WL_E_IO when it cannot be read, WL_E_USAGE when
 * it is not JSON or larger than json_read.h allows; both name the path.
 */
int wl_doc_read(const char *path, struct wl_json **ret_doc, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * A folder of the configuration: $XDG_CONFIG_HOME/warplens/FOLDER, below ~/.config by default.
 * False when there is no place where it could be.
 */
bool wl_config_folder(const char *folder, char ret_path[WL_PATH_CAP]) WL_MUST_CHECK;

/*
 * Read the document that is meant by a name. It is a path where it has a slash, ends
 * in .json or is there as a file; else NAME.json in the folder of the configuration,
 * $XDG_CONFIG_HOME/warplens/FOLDER, below ~/.config by default. ret_path is what was
 * read. Where neither is there *ret_doc is NULL: only a built-in can be meant.
 */
int wl_doc_find(const char *folder, const char *name, char ret_path[WL_PATH_CAP],
		struct wl_json **ret_doc, struct wl_err *reterr) WL_MUST_CHECK;

/* The documents of a command line. */
struct wl_docs {
	struct wl_json *param[WL_MAX_PARAMS]; /* by parameter; NULL for none */
	struct wl_json *conventions;          /* NULL: none are given, or built-in ones */
	char conventions_path[WL_PATH_CAP];
};

/*
 * Read what the options and the texts of the parameters of type DOC name. Release
 * also after a failure.
 */
int wl_docs_init(struct wl_docs *docs, const struct wl_invocation *inv, const char *const *text,
		 struct wl_err *reterr) WL_MUST_CHECK;
enum { WL_N_BESIDE = 4 };

/*
 * The i-th place for the file of a parameter with named_by: KIND_NAME.json or NAME.json beside the
 * trace, then in the current directory. False where there can be none.
 */
bool wl_doc_beside(const char *trace, const char *kind, const char *name, size_t i,
		   char ret_path[WL_PATH_CAP]);

/*
 * Add what lies beside the trace, or in the current directory, of a folder's file that the
 * arguments of the trace name (wl_param.named_by). It need not be there, but a file of that name
 * without the member is WL_E_USAGE.
 */
int wl_docs_add_beside(struct wl_docs *docs, const struct wl_verb *verb, const char *trace,
		       const char *const *args, struct wl_err *reterr) WL_MUST_CHECK;

void wl_docs_release(struct wl_docs *docs);

#endif

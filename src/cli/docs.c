/* SPDX-License-Identifier: MIT */
#include "cli/docs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/line/option_names.h"
#include "cli/ncu_doc.h"
#include "known/builtin.h"

int wl_doc_read(const char *path, struct wl_json **ret_doc, struct wl_err *reterr)
{
	char *text;
	size_t n;
	/* One byte more than is allowed shows that the file is too large. */
	int r = wl_file_read(path, WL_JSON_MAX_BYTES + 1, &text, &n, reterr);

	if (r < 0)
		return r;
	r = wl_json_parse(text, n, path, ret_doc, reterr);
	free(text);
	return r;
}

static bool is_file(const char *path)
{
	struct stat st;

	/* A directory is not meant: sources often lie in one that is called like their convention.
	 */
	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static bool is_path(const char *name)
{
	const char *ending = strrchr(name, '.');

	return strchr(name, '/') || (ending && strcmp(ending, ".json") == 0) || is_file(name);
}

bool wl_config_folder(const char *folder, char ret_path[WL_PATH_CAP])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = -1;

	/* The XDG specification has relative paths ignored. */
	if (config && config[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/warplens/%s", config, folder);
	else if (home && home[0] == '/')
		n = snprintf(ret_path, WL_PATH_CAP, "%s/.config/warplens/%s", home, folder);
	return n > 0 && n < WL_PATH_CAP;
}

/* False when there is no such file, or no place where it could be. */
static bool find_config(const char *folder, const char *name, char ret_path[WL_PATH_CAP])
{
	char dir[WL_PATH_CAP];
	int n;

	if (!wl_config_folder(folder, dir))
		return false;
	n = snprintf(ret_path, WL_PATH_CAP, "%s/%s.json", dir, name);
	return n > 0 && n < WL_PATH_CAP && is_file(ret_path);
}

static int is_document(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && wl_path_ends_in(entry->d_name, ".json");
}

/* A document joins the others; of what two have the first counts. It is taken over or freed. */
static int join(struct wl_json **doc, struct wl_json *one, const char *path, struct wl_err *reterr)
{
	int r = WL_OK;

	if (!*doc) {
		*doc = one;
		return WL_OK;
	}
	if (!wl_json_merge(*doc, one))
		r = wl_fail(reterr, WL_E_USAGE, "%.200s: cannot be joined with the files before it",
			    path);
	wl_json_free(one);
	return r;
}

static int add_file(const char *dir, const char *name, struct wl_json **doc, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_json *one = NULL;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_IO, "path too long: %.80s...", dir);
	r = wl_doc_read(path, &one, reterr);
	return r == WL_OK ? join(doc, one, path, reterr) : r;
}

/*
 * All files of a directory, by name. One of the configuration need not be there. In this order the
 * same file counts on every file system where two define one name.
 */
static int read_folder(const struct wl_param *p, const char *text, struct wl_json **ret_doc,
		       struct wl_err *reterr)
{
	char dir[WL_PATH_CAP];
	struct dirent **entry = NULL;
	int r = WL_OK, n;

	*ret_doc = NULL;
	if (!text && !wl_config_folder(p->folder, dir))
		return WL_OK;
	n = scandir(text ? text : dir, &entry, is_document, alphasort);
	if (n < 0 && text)
		return wl_fail(reterr, WL_E_IO, "--%s %.200s: cannot read this directory", p->key,
			       text);
	for (int i = 0; i < n; i++) {
		if (r == WL_OK)
			r = add_file(text ? text : dir, entry[i]->d_name, ret_doc, reterr);
		free(entry[i]);
	}
	free(entry);
	return r;
}

int wl_doc_find(const char *folder, const char *name, char ret_path[WL_PATH_CAP],
		struct wl_json **ret_doc, struct wl_err *reterr)
{
	if (is_path(name)) {
		if (snprintf(ret_path, WL_PATH_CAP, "%s", name) >= WL_PATH_CAP)
			return wl_fail(reterr, WL_E_IO, "path too long: %.80s...", name);
	} else if (!find_config(folder, name, ret_path)) {
		*ret_doc = NULL;
		return WL_OK;
	}
	return wl_doc_read(ret_path, ret_doc, reterr);
}

int wl_docs_init(struct wl_docs *docs, const struct wl_invocation *inv, const char *const *text,
		 struct wl_err *reterr)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(&inv->verb, &n_params);
	const char *conventions = inv->opt.conventions;
	int r = WL_OK;

	*docs = (struct wl_docs){ .param = { NULL } };
	if (conventions)
		r = wl_doc_find("conventions", conventions, docs->conventions_path,
				&docs->conventions, reterr);
	for (size_t i = 0; r == WL_OK && i < n_params; i++) {
		if (params[i].type != WL_P_DOC)
			continue;
		if (params[i].folder)
			r = read_folder(&params[i], text[i], &docs->param[i], reterr);
		else if (text[i] && params[i].is_ncu)
			r = wl_ncu_doc_read(text[i], &docs->param[i], reterr);
		else if (text[i])
			r = wl_doc_read(text[i], &docs->param[i], reterr);
	}
	return r;
}

bool wl_doc_beside(const char *trace, const char *kind, const char *name, size_t i,
		   char ret_path[WL_PATH_CAP])
{
	char dir[WL_PATH_CAP] = ".";
	int n;

	/* A name with a slash could be any file. */
	if (strchr(name, '/') || (i < 2 && wl_file_dir(trace, dir, NULL) < 0))
		return false;
	n = i % 2 ? snprintf(ret_path, WL_PATH_CAP, "%s/%s.json", dir, name)
		  : snprintf(ret_path, WL_PATH_CAP, "%s/%s_%s.json", dir, kind, name);
	return n > 0 && n < WL_PATH_CAP;
}

/* Of what is known already only the name with the kind in it counts: others can be anything. */
static bool find_named(const char *trace, const char *kind, const char *name, bool is_known,
		       char ret_path[WL_PATH_CAP])
{
	for (size_t i = 0; i < WL_N_BESIDE; i += is_known ? 2 : 1) {
		if (wl_doc_beside(trace, kind, name, i, ret_path) && is_file(ret_path))
			return true;
	}
	return false;
}

static int fail_named(const char *path, const char *kind, const char *name,
		      const struct wl_json *doc, struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *first = "";

	(void)wl_json_next(doc, &at, &first, &value);
	return wl_fail(reterr, WL_E_USAGE, "%.200s has no %s '%.60s'; its first member is '%.60s'",
		       path, kind, name, first);
}

static int add_named(struct wl_json **doc, const char *trace, const char *kind, const char *name,
		     struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_json *one = NULL;
	size_t n;
	const bool is_known =
		wl_builtin_find("categories", name, &n) || (*doc && wl_json_member(*doc, name));
	int r;

	if (!find_named(trace, kind, name, is_known, path))
		return WL_OK;
	r = wl_doc_read(path, &one, reterr);
	if (r < 0)
		return r;
	if (wl_json_member(one, name))
		return join(doc, one, path, reterr);
	r = fail_named(path, kind, name, one, reterr);
	wl_json_free(one);
	return r;
}

int wl_docs_add_beside(struct wl_docs *docs, const struct wl_verb *verb, const char *trace,
		       const char *const *args, struct wl_err *reterr)
{
	size_t n_params;
	const struct wl_param *params = wl_verb_params(verb, &n_params);
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < n_params; i++) {
		const char *kind = params[i].named_by;
		size_t k = kind ? wl_option_param(verb, kind, strlen(kind)) : WL_MAX_PARAMS;

		if (k < n_params && args[k])
			r = add_named(&docs->param[i], trace, kind, args[k], reterr);
	}
	return r;
}

void wl_docs_release(struct wl_docs *docs)
{
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		wl_json_free(docs->param[i]);
	wl_json_free(docs->conventions);
}

/* SPDX-License-Identifier: MIT */
#include "session/answer/facts_path_traces.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int wl_facts_path_no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "path: no memory to follow it");
}

int wl_facts_path_ask_traces(const struct wl_facts_following *w, const char *why,
			     struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s: path cannot be followed from these facts: %s; "
		       "ask the traces themselves",
		       w->job->trace.path, why);
}
/* Anyone may have written the facts: a name is no path. */
static bool is_name(const char *name)
{
	return wl_path_ends_in(name, ".sqlite") && !strchr(name, '/') && name[0] != '.';
}

int wl_facts_path_find_names(struct wl_facts_following *w, struct wl_arena *scratch,
			     struct wl_err *reterr)
{
	const struct wl_trace *t = &w->job->trace;
	bool *seen = WL_NEW(scratch, bool, w->f->texts.at.n + 1);

	w->name = WL_NEW(scratch, const char *, t->n_files);
	w->is_open = WL_NEW(scratch, bool, t->n_files);
	if (!seen || !w->name || !w->is_open)
		return wl_facts_path_no_memory(reterr);
	for (size_t i = 0; i < t->n_processes; i++) {
		uint32_t text = wl_facts_u32(w->f, WL_FACTS_RANKS_TRACE, i);
		const char **name = &w->name[t->processes[i].file];

		if (*name)
			continue;
		*name = wl_facts_text(&w->f->texts, text);
		if (!is_name(*name))
			return wl_facts_path_ask_traces(
				w, "they do not name the SQLite files of traces", reterr);
		if (seen[text])
			return wl_facts_path_ask_traces(w, "several of their traces have one name",
							reterr);
		seen[text] = true;
	}
	return WL_OK;
}

static bool has(const char *dir, const char *name)
{
	char path[WL_PATH_CAP];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && n < (int)sizeof(path) && access(path, R_OK) == 0;
}

/*
 * Where the request says, else beside the facts: in the directory of the file, or of the directory,
 * or in that itself. Of several files as in the directory of the first.
 */
int wl_facts_path_find_dir(struct wl_facts_following *w, const char *name, struct wl_err *reterr)
{
	const char *file = w->asked->file, *path = file ? file : w->asked->facts->path;
	const char *given = w->asked->request->traces;
	int n = (int)(wl_path_name(path) - path);

	(void)snprintf(w->dir, sizeof(w->dir), "%s", given ? given : path);
	if (given && !has(w->dir, name))
		return wl_fail(reterr, WL_E_USAGE,
			       "--traces %.200s: path needs the trace %.100s, which is not there",
			       given, name);
	if (has(w->dir, name))
		return WL_OK;
	(void)snprintf(w->dir, sizeof(w->dir), "%.*s/..", file && n ? n : (int)strlen(path),
		       file && !n ? "." : path);
	if (has(w->dir, name))
		return WL_OK;
	(void)snprintf(w->dir, sizeof(w->dir), "%.*s", n ? n : 1, n ? path : ".");
	if (has(w->dir, name))
		return WL_OK;
	return wl_fail(
		reterr, WL_E_USAGE,
		"%.200s: path follows single events: it needs the trace %.100s, which is not "
		"beside the facts; --traces DIR says where it is",
		w->job->trace.path, name);
}

void wl_facts_path_open(struct wl_facts_following *w, uint32_t file)
{
	w->n_open += !w->is_open[file];
	w->is_open[file] = true;
}

/* The path begins with the first operation of the job and ends with the last, in this file. */
uint32_t wl_facts_path_open_ends(struct wl_facts_following *w)
{
	uint32_t first = 0, last = 0;

	for (uint32_t i = 1; i < w->job->trace.n_processes; i++) {
		first = w->job->extent[i].begin < w->job->extent[first].begin ? i : first;
		last = w->job->extent[i].end > w->job->extent[last].end ? i : last;
	}
	wl_facts_path_open(w, wl_facts_path_file_of(w, last));
	wl_facts_path_open(w, wl_facts_path_file_of(w, first));
	return wl_facts_path_file_of(w, last);
}

uint32_t wl_facts_path_file(const struct wl_facts_following *w, const char *path)
{
	const char *name = wl_path_name(path);

	for (uint32_t i = 0; i < w->job->trace.n_files; i++) {
		if (w->is_open[i] && strcmp(w->name[i], name) == 0)
			return i;
	}
	return WL_NONE;
}

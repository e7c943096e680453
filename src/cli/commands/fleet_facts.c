/* SPDX-License-Identifier: MIT */
#include "cli/commands/fleet_facts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "facts/file.h"
#include "facts/merge.h"
#include "facts/run.h"

static int add_file(const char *path, struct wl_facts *all, struct wl_err *reterr)
{
	struct wl_facts one;
	int r = wl_facts_read(path, all->budget, &one, reterr);

	if (r < 0)
		return r;
	wl_facts_merge_add(all, &one);
	wl_facts_release(&one);
	return WL_OK;
}

static int is_facts(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && wl_path_ends_in(entry->d_name, WL_FACTS_SUFFIX);
}

static int add_directory(const char *path, struct wl_facts *all, struct wl_err *reterr)
{
	struct dirent **entry;
	int n = scandir(path, &entry, is_facts, alphasort), r = WL_OK;

	if (n < 0)
		return wl_fail(reterr, WL_E_IO, "%.200s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char whole[WL_PATH_CAP];

		if (r == WL_OK && snprintf(whole, sizeof(whole), "%s/%s", path, entry[i]->d_name) >=
					  (int)sizeof(whole))
			r = wl_fail(reterr, WL_E_IO, "%.200s: the path is too long", path);
		else if (r == WL_OK)
			r = add_file(whole, all, reterr);
		free(entry[i]);
	}
	free(entry);
	return r;
}

int wl_fleet_load(const char *const *path, size_t n, struct wl_budget *budget, struct wl_facts *ret,
		  struct wl_err *reterr)
{
	int r = WL_OK;

	wl_facts_merge_begin(ret, budget);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		struct stat st;

		if (stat(path[i], &st) == 0 && S_ISDIR(st.st_mode))
			r = add_directory(path[i], ret, reterr);
		else
			r = add_file(path[i], ret, reterr);
	}
	if (r == WL_OK && !wl_facts_merge_finish(ret))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for facts; raise --memory");
	if (r == WL_OK && ret->n[WL_FACTS_RANKS] == 0)
		r = wl_fail(
			reterr, WL_E_NODATA,
			"%.200s: no facts here; make them with \"warplens facts TRACE... -o DIR\"",
			path[0]);
	if (r == WL_OK && !wl_facts_make_run(ret))
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for facts; raise --memory");
	if (r < 0)
		wl_facts_release(ret);
	return r;
}

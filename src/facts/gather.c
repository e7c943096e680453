/* SPDX-License-Identifier: MIT */
#include "facts/gather.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "facts/merge.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The next entry that is a facts file by its name; NULL at the end. */
static const char *next_name(DIR *d)
{
	const struct dirent *entry;

	while ((entry = readdir(d)) != NULL) {
		if (entry->d_name[0] != '.' && wl_path_ends_in(entry->d_name, WL_FACTS_SUFFIX))
			return entry->d_name;
	}
	return NULL;
}

bool wl_facts_are_at(const char *path)
{
	DIR *d;
	bool found;

	if (!is_directory(path))
		return wl_facts_is_file(path);
	d = opendir(path);
	found = d && next_name(d);
	if (d)
		(void)closedir(d);
	return found;
}

static int add_file(struct wl_facts *to, const char *path, uint32_t tables, struct wl_err *reterr)
{
	struct wl_facts facts;
	int r = wl_facts_read(path, tables, to->budget, &facts, reterr);

	if (r < 0)
		return r;
	wl_facts_merge_add(to, &facts);
	wl_file_readers_add(&to->readers, path);
	wl_facts_release(&facts);
	return WL_OK;
}

/* Links are followed: a directory of links may be made for the files of a command line. */
static int add_entry(struct wl_facts *to, const char *path, uint32_t tables, struct wl_err *reterr)
{
	struct stat st;
	char *real = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
	int r = add_file(to, real ? real : path, tables, reterr);

	free(real);
	return r;
}

/* Entries are added in any order: the result does not depend on it. */
static int add_directory(struct wl_facts *to, const char *dir, uint32_t tables,
			 struct wl_err *reterr)
{
	DIR *d = opendir(dir);
	const char *name;
	size_t n_files = 0;
	int r = WL_OK;

	if (!d)
		return wl_fail(reterr, WL_E_IO, "cannot open %.300s: %s", dir, strerror(errno));
	while (r == WL_OK && (name = next_name(d)) != NULL) {
		char path[WL_PATH_CAP];
		int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

		r = n > 0 && n < (int)sizeof(path)
			    ? add_entry(to, path, tables, reterr)
			    : wl_fail(reterr, WL_E_IO, "%.100s...: the path is too long", dir);
		n_files++;
	}
	(void)closedir(d);
	if (r == WL_OK && n_files == 0)
		r = wl_fail(reterr, WL_E_USAGE, "%.200s: the directory has no %s files", dir,
			    WL_FACTS_SUFFIX);
	return r;
}

int wl_facts_gather(const char *const *path, size_t n, uint32_t tables, struct wl_budget *budget,
		    struct wl_facts *ret, struct wl_err *reterr)
{
	int r = WL_OK;

	/* A single file needs no merge: it is settled and in order. */
	if (n == 1 && !is_directory(path[0])) {
		r = wl_facts_read(path[0], tables, budget, ret, reterr);
		if (r == WL_OK)
			wl_file_readers_add(&ret->readers, path[0]);
		return r;
	}
	wl_facts_merge_begin(ret, budget);
	for (size_t i = 0; r == WL_OK && i < n; i++)
		r = is_directory(path[i]) ? add_directory(ret, path[i], tables, reterr)
					  : add_file(ret, path[i], tables, reterr);
	if (r == WL_OK && !wl_facts_merge_finish(ret))
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory for these facts", path[0]);
	if (r < 0)
		wl_facts_release(ret);
	return r;
}

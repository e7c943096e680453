/* SPDX-License-Identifier: MIT */
#include "base/file/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/planted.h"

enum {
	MAX_DEPTH = 64, /* of a tree to remove; a descriptor is open per level */
	MAX_PASSES = 3, /* over a directory in which entries still appear */
};

/* Print into a path; false when it does not fit. */
WL_PRINTF(2, 3) static bool put_path(char out[WL_PATH_CAP], const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(out, WL_PATH_CAP, fmt, ap);
	va_end(ap);
	return n >= 0 && n < WL_PATH_CAP;
}

static int fail_long(const char *path, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", path);
}

int wl_tmpdir_open(const char *parent, struct wl_tmpdir *ret, struct wl_err *reterr)
{
	struct wl_tmpdir dir;

	if (!parent || parent[0] == '\0')
		parent = "/tmp";
	if (!put_path(dir.path, "%s/warplens-XXXXXX", parent))
		return fail_long(parent, reterr);
	if (!mkdtemp(dir.path))
		return wl_fail(reterr, WL_E_OUTPUT, "cannot make a temporary directory in %s: %s",
			       parent, strerror(errno));
	*ret = dir;
	return WL_OK;
}

void wl_tmpdir_close(struct wl_tmpdir *dir)
{
	if (dir->path[0] != '\0')
		(void)wl_tree_remove(dir->path, NULL);
	dir->path[0] = '\0';
}

/* Each level returns the errno value of its first failure, or 0. */
static int remove_at(int parent, const char *name, int depth);

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int remove_entries(DIR *dir, int depth)
{
	const struct dirent *entry;
	int first = 0;

	while ((entry = readdir(dir))) {
		int rc = is_dot(entry->d_name) ? 0 : remove_at(dirfd(dir), entry->d_name, depth);

		if (!first)
			first = rc;
	}
	return first;
}

/* Takes fd. */
static int remove_dir(int parent, const char *name, int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	int rc = 0;

	if (!dir) {
		rc = errno;
		(void)close(fd);
		return rc;
	}
	for (int pass = 0; pass < MAX_PASSES; pass++) {
		rc = remove_entries(dir, depth);
		if (rc)
			break;
		if (!unlinkat(parent, name, AT_REMOVEDIR))
			break;
		rc = errno;
		if (rc != ENOTEMPTY && rc != EEXIST)
			break;
		rewinddir(dir);
	}
	(void)closedir(dir);
	return rc;
}

static int remove_at(int parent, const char *name, int depth)
{
	int fd;

	if (depth >= MAX_DEPTH)
		return ELOOP;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		return remove_dir(parent, name, fd, depth + 1);
	if (errno == ENOENT)
		return 0;
	if (errno != ENOTDIR && errno != ELOOP)
		return errno;
	return unlinkat(parent, name, 0) && errno != ENOENT ? errno : 0;
}

int wl_tree_remove(const char *path, struct wl_err *reterr)
{
	int rc = remove_at(AT_FDCWD, path, 0);

	if (rc)
		return wl_fail(reterr, WL_E_OUTPUT, "cannot remove %s: %s", path, strerror(rc));
	return WL_OK;
}

int wl_file_dir(const char *path, char ret_dir[WL_PATH_CAP], struct wl_err *reterr)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (n >= WL_PATH_CAP)
		return fail_long(path, reterr);
	if (!slash)
		return put_path(ret_dir, ".") ? WL_OK : WL_E_OUTPUT;
	if (n == 0)
		n = 1; /* the root keeps its slash */
	memcpy(ret_dir, path, n);
	ret_dir[n] = '\0';
	return WL_OK;
}

int wl_dir_make(const char *path, struct wl_err *reterr)
{
	char part[WL_PATH_CAP];
	struct stat st;
	int r = wl_dir_check(path, reterr);

	if (r < 0)
		return r;
	/* The parents first; one that cannot be made, or is none, makes the last step fail. */
	for (size_t i = 1; path[i - 1]; i++) {
		if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		r = mkdir(part, 0777);
	}
	if (r == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return WL_OK;
	return wl_fail(reterr, WL_E_OUTPUT, "cannot make the directory %s: %s", path,
		       strerror(errno));
}

int wl_file_move(const char *from, const char *to, struct wl_err *reterr)
{
	if (rename(from, to))
		return wl_fail(reterr, WL_E_OUTPUT, "cannot move %s to %s: %s", from, to,
			       strerror(errno));
	return WL_OK;
}

const char *wl_open_reason(const char *path)
{
	const int why = errno;

	if (why == EACCES && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0)
		return "changed while it was read: another file took its place";
	return strerror(why);
}

const char *wl_file_doubt(const struct stat *st)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to another user";
	return st->st_mode & (S_IWGRP | S_IWOTH) ? "can be written by others" : NULL;
}

const char *wl_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

bool wl_path_ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcmp(path + n - m, ending) == 0;
}

bool wl_path_is_dir(const char *path)
{
	size_t n = strlen(path);
	struct stat st;

	return n && (path[n - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)));
}

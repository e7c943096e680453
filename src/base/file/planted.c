/* SPDX-License-Identifier: MIT */
#include "base/file/planted.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/*
 * The name that the user gave may then lead to any file of the user. Linux refuses such links
 * itself where fs.protected_symlinks is set and the directory is sticky.
 */
bool wl_is_planted(const struct stat *dir, const struct stat *link)
{
	return S_ISLNK(link->st_mode) && link->st_uid != geteuid() && (dir->st_mode & S_IWOTH) &&
	       dir->st_uid != link->st_uid;
}

int wl_dir_check(const char *path, struct wl_err *reterr)
{
	char part[PATH_MAX];
	struct stat above, at;
	int r = stat(path[0] == '/' ? "/" : ".", &above);

	if (strlen(path) >= sizeof(part))
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", path);
	for (size_t i = 1; r == 0 && path[0] && path[i - 1]; i++) {
		if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		r = lstat(part, &at);
		if (r == 0 && wl_is_planted(&above, &at))
			return wl_fail(reterr, WL_E_OUTPUT,
				       "cannot write to %s: it is a symbolic link of another user",
				       part);
		if (r == 0)
			r = stat(part, &above);
	}
	return WL_OK;
}

/* SPDX-License-Identifier: MIT */
/* planted.h - symbolic links that another user put where all may write. */
#ifndef WL_BASE_PLANTED_H
#define WL_BASE_PLANTED_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/attr.h"
#include "base/err.h"

/* dir is the directory that holds the link. */
bool wl_is_planted(const struct stat *dir, const struct stat *link);

/* WL_E_OUTPUT where the directory, or one on the way to it, is such a link; it need not be there.
 */
int wl_dir_check(const char *path, struct wl_err *reterr) WL_MUST_CHECK;

#endif

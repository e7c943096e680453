/* SPDX-License-Identifier: MIT */
/* pager.h - pipes long output through $PAGER on a terminal. */
#ifndef WL_CLI_PAGER_H
#define WL_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "base/err.h"

struct wl_pager {
	FILE *held; /* output is held back until its length is known; NULL if it is not */
};

/* Whether $PAGER will be started for output that does not fit. */
bool wl_pager_is_set(void);

/* The stream to write to: standard output, or a temporary file. */
FILE *wl_pager_begin(struct wl_pager *p);

/* Everything was written: show it. WL_E_OUTPUT when that fails. */
int wl_pager_end(struct wl_pager *p, struct wl_err *reterr) WL_MUST_CHECK;

#endif

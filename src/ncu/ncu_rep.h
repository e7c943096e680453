/* SPDX-License-Identifier: MIT */
/* ncu_rep.h - reads a .ncu-rep file without ncu. */
#ifndef WL_NCU_NCU_REP_H
#define WL_NCU_NCU_REP_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "ncu/ncu.h"

/* Whether the bytes begin like a report. */
bool wl_ncu_rep_is(const unsigned char *bytes, size_t n);

/*
 * Read bytes into *ret, which must be empty. Only the layout version that was checked against ncu's
 * own output is accepted; any other is WL_E_FORMAT with a message that names both versions.
 */
int wl_ncu_rep_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		     struct wl_ncu *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
/* kernel_parts.h - what the parts of a kernel's name say; see kernel_parts.def. */
#ifndef WL_KNOWN_KERNEL_PARTS_H
#define WL_KNOWN_KERNEL_PARTS_H

#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"
#include "known/kernels/kernel_origins.h"

struct wl_kernel_part {
	const char *title; /* "tile" */
	const char *value; /* as it is written in the name: "128x256" */
	const char *text;  /* a sentence */
	enum wl_sureness sureness;
};

enum { WL_MAX_KERNEL_PARTS = 24 };

/*
 * The parts of a name that is of this family, in the order of the table, a title once. Texts
 * are constant or owned by the arena. Writes their number to *ret_n. WL_E_NOMEM.
 */
int wl_kernel_parts(const char *demangled, enum wl_kernel_family family, struct wl_arena *arena,
		    struct wl_kernel_part ret[WL_MAX_KERNEL_PARTS], size_t *ret_n,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif

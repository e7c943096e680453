/* SPDX-License-Identifier: MIT */
/* cuts.h - names cut to a width so that different names stay different. */
#ifndef WL_KNOWN_CUTS_H
#define WL_KNOWN_CUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/memory/arena.h"

/* From this width on, different names never look alike. */
enum { WL_CUT_MIN = 8 };

struct wl_cut_opts {
	size_t width; /* terminal columns */
	bool ascii;   /* "..." for an ellipsis */
};

/*
 * Cut n names to a width: an ellipsis stands for text that neighbours share, what tells a name
 * from the others stays, then the words around it, then the beginning. Names that differ in
 * more places than fit end in their number in alphabetical order: "abc…#12". ret[i] is the
 * name itself where it fits; else it is owned by the arena. Equal names are cut equally, and
 * different ones differently from WL_CUT_MIN columns on, up to a million names. O(n log n)
 * comparisons, otherwise linear in the length of all names. ret may be name. False without
 * memory.
 */
bool wl_names_cut(const char *const *name, size_t n, const struct wl_cut_opts *opts,
		  struct wl_arena *arena, const char **ret) WL_MUST_CHECK;

#endif

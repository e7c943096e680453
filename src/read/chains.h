/* SPDX-License-Identifier: MIT */
/*
 * chains.h - the tables of call chains as stacks of the model.
 *
 * Such a table has a row per frame: the number of its chain, the frame's symbol and module, and its
 * depth, 0 for the innermost. What becomes of a frame:
 *  - its module is a file name: libraries of one name in two folders are one module;
 *  - a symbol that is only an address ("0x7cfa652fc0ca") becomes a frame of its module. Where a
 *    module was loaded is not recorded, so that addresses of two processes cannot be compared, and
 *    every sample would have a stack of its own. Neighbours of one module become one frame;
 *  - a special entry ("[Max depth]", "[Broken backtraces]") is a note, not a function.
 */
#ifndef WL_READ_CHAINS_H
#define WL_READ_CHAINS_H

#include "read/strings_map.h"

/* Frames of a chain that are read; those further out are left out. */
enum { WL_CHAIN_FRAMES = 1024 };

/*
 * Put the stacks of a family's chains into the build, and map the numbers of chains to them.
 * Strings must be loaded, ret_chains initialised and empty. No such table: an empty map. Linear
 * where rows of a chain follow each other; otherwise rows are sorted, with 32 bytes for each.
 */
int wl_chains_load(struct wl_probe *probe, enum wl_family_id family,
		   const struct wl_strings_map *strings, struct wl_raw_map *ret_chains,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* It is one of the tables of call chains. */
bool wl_chains_reads(const char *table);

#endif

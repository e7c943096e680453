/* SPDX-License-Identifier: MIT */
/*
 * chains.h - converts the tables of call chains to stacks of the model.
 *
 * Such a table has a row per frame: the chain's number, the frame's symbol and module, and its
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

/* The most frames of a chain that are read; frames further out are dropped. */
enum { WL_CHAIN_FRAMES = 1024 };

/*
 * Put the stacks of a family's chains into the build and map the chains' numbers to them. Strings
 * must be loaded; ret_chains must be initialised and empty. The map stays empty if there is no such
 * table. Linear if the rows of each chain are contiguous; otherwise rows are sorted, using 32 bytes
 * each.
 */
int wl_chains_load(struct wl_probe *probe, enum wl_family_id family,
		   const struct wl_strings_map *strings, struct wl_raw_map *ret_chains,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Whether this is one of the tables of call chains. */
bool wl_chains_reads(const char *table);

#endif

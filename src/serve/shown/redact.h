/* SPDX-License-Identifier: MIT */
/*
 * redact.h - replaces names by hashes that still tell events apart.
 *
 * Kernels of public libraries (known/known.def) keep their name without template arguments
 * and parameters, which may be anybody's. All other names become a word and a sum of their
 * text: "kernel~1f0c22ab". Who guesses a name can find out that it was that one.
 */
#ifndef WL_SERVE_REDACT_H
#define WL_SERVE_REDACT_H

#include "base/attr.h"
#include "base/memory/arena.h"

/* All are owned by the arena; NULL without memory. */

/* "function~1f0c22ab": a word of ours and the sum of a text. */
const char *wl_redact_word(const char *word, const char *text,
			   struct wl_arena *arena) WL_MUST_CHECK;

const char *wl_redact_kernel(const char *demangled, struct wl_arena *arena) WL_MUST_CHECK;

/* Of a range; numbers that only count do not tell names apart any more. */
const char *wl_redact_range(const char *name, struct wl_arena *arena) WL_MUST_CHECK;

/* Of a path as wl_fold_path() writes it: each range on its own. */
const char *wl_redact_path(const char *path, struct wl_arena *arena) WL_MUST_CHECK;

#endif

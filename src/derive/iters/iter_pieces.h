/* SPDX-License-Identifier: MIT */
/* iter_pieces.h - a window cut into the tiles of iterations and the pieces between them. */
#ifndef WL_DERIVE_ITER_PIECES_H
#define WL_DERIVE_ITER_PIECES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "derive/iters/iters.h"

/* In order; together they fill the window, and none is empty. */
struct wl_iter_pieces {
	const struct wl_interval *at;
	const uint32_t *iter; /* WL_NONE if outside all iterations */
	size_t n;
};

/* Owned by the arena; false when that is exhausted. Linear in the iterations. */
bool wl_iter_cut(const struct wl_process_iters *iters, struct wl_interval window,
		 struct wl_arena *arena, struct wl_iter_pieces *ret) WL_MUST_CHECK;

#endif

/* SPDX-License-Identifier: MIT */
#include "derive/iters/iter_pieces.h"

struct cutting {
	struct wl_interval *at;
	uint32_t *iter;
	size_t n;
};

static void add_piece(struct cutting *c, wl_ns begin, wl_ns end, uint32_t iter)
{
	if (begin >= end)
		return;
	c->at[c->n] = (struct wl_interval){ begin, end };
	c->iter[c->n++] = iter;
}

bool wl_iter_cut(const struct wl_process_iters *iters, struct wl_interval window,
		 struct wl_arena *arena, struct wl_iter_pieces *ret)
{
	/* At most: a piece before each tile, the tile, and a piece after the last tile. */
	struct cutting c = { .at = WL_NEW(arena, struct wl_interval, 2 * iters->n + 1),
			     .iter = WL_NEW(arena, uint32_t, 2 * iters->n + 1) };
	wl_ns done = window.begin;

	if (!c.at || !c.iter)
		return false;
	for (uint32_t i = 0; i < iters->n; i++) {
		struct wl_interval tile = iters->at[i].tile;

		tile.begin = tile.begin > window.begin ? tile.begin : window.begin;
		tile.end = tile.end < window.end ? tile.end : window.end;
		if (tile.begin >= tile.end)
			continue;
		/*
		 * Tiles are in order and do not overlap, so pieces fill the window without a gap.
		 */
		add_piece(&c, done, tile.begin, WL_NONE);
		add_piece(&c, tile.begin, tile.end, i);
		done = tile.end;
	}
	add_piece(&c, done, window.end, WL_NONE);
	*ret = (struct wl_iter_pieces){ c.at, c.iter, c.n };
	return true;
}
